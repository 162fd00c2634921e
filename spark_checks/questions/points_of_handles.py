"""Explanations by the handle of a call: its options, cursor, lock, marks and group."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from oracle.histories.event_log import Event
from oracle.model.requests.option_matrix import BROWSE
from oracle.mqi.constants import MQCC, MQGMO, MQOO, MQRC
from spark_checks.frames import functions as fn
from spark_checks.preparation.capture import PUTS
from spark_checks.preparation.columns import has
from spark_checks.questions.asked import Asked, Point, by_rules
from spark_checks.questions.deeds import Deed
from spark_checks.times import moment

_MOST_MARKS: Final = 3
_UNKNOWN: Final = "what it did before is not known"


def nothing_under_cursor(asked: Asked) -> Iterator[Point]:
    """Yield why no message was under the cursor (2034)."""
    cursor = asked.history.cursor
    if cursor is None:
        opened = asked.history.opened
        if opened is None:
            yield Point(f"the log shows no browse of the handle before, and not its MQOPEN: {_UNKNOWN}", ("CUR-04",))
            return
        sentence = f"the handle had browsed no message since its MQOPEN (call {opened.event.seq})"
        yield Point(f"{sentence}, so there was none under its cursor", ("CUR-04",))
        return
    event = cursor.event
    yield Point(
        f"the cursor was on message {event.msg_id}, by {MQGMO.describe(event.options or 0)} of call {event.seq}",
        ("CUR-03",),
    )
    expired_us = cursor.lives_until
    if expired_us is not None and expired_us < asked.event.start_us:
        locked = (event.options or 0) & MQGMO.LOCK
        sentence = f"that message expired at {moment(expired_us)}"
        yield Point(f"{sentence}, although it was locked" if locked else sentence, ("EXP-28" if locked else "EXP-09",))
        return
    held = [] if asked.stock is None else [each for each in asked.stock.held if each.msg_id == event.msg_id]
    if not held and event.msg_id is not None:
        taker = _taker(asked, event.msg_id)
        by = (
            ""
            if taker is None
            else f": {taker.call} of connection {taker.conn}, call {taker.seq}, at {moment(taker.end_us)}"
        )
        yield Point(f"that message was no longer on the queue{by}", ("CUR-05",))
    if event.msg_id is not None and not (event.options or 0) & MQGMO.LOCK:
        yield Point("the browse had not locked it, so others could get it: MQGMO_LOCK keeps it", ("CUR-10",))


def _taker(asked: Asked, msg_id: str) -> Event | None:
    calls = asked.evidence.showing({"msg_id": [msg_id]})
    gets = [
        each
        for each in calls
        if each.call == "MQGET"
        and each.comp_code != MQCC.FAILED
        and not (each.options or 0) & BROWSE
        and each.start_us <= asked.event.end_us
        and each.queue == asked.event.queue
    ]
    return gets[-1] if gets else None


def not_locked(asked: Asked) -> Iterator[Point]:
    """Yield why the handle had no message locked (2209)."""
    lock = asked.history.lock
    if lock is None:
        sentence = "the handle had locked no message"
        if asked.history.opened is None:
            sentence = f"the log shows no lock of the handle before, and not its MQOPEN: {_UNKNOWN}"
        yield Point(sentence, ("LCK-17", "LCK-20"))
        return
    yield Point(
        f"the last lock of the handle was by call {lock.event.seq}, on message {lock.event.msg_id}", ("LCK-17",)
    )
    released = lock.lock_end
    if released is not None:
        yield Point(
            f"it was released by {released.call}, call {released.seq}, at {moment(released.lo)}",
            _why_released(asked, released.seq),
        )
    else:
        yield Point(
            "a call on the handle after it may have released it: a browse, an unlock or a get under the cursor does"
        )


def _why_released(asked: Asked, seq: int) -> tuple[str, ...]:
    deed: Deed | None = next((each for each in asked.history.before if each.event.seq == seq), None)
    if deed is None:
        return ()
    if deed.event.call == "MQCLOSE":
        return ("LCK-16",)
    if deed.asks & MQGMO.UNLOCK:
        return ("LCK-15",)
    return ("LCK-12",) if deed.event.reason == MQRC.NO_MSG_AVAILABLE else ("LCK-09",)


def of_groups(asked: Asked) -> Iterator[Point]:
    """Yield where the call before had left the group of the handle (2241, 2242, 2245, 2185, 2259)."""
    puts = asked.event.call in PUTS
    last = asked.history.last(
        lambda deed: deed.event.call in (("MQPUT",) if puts else ("MQGET",)) and deed.event.comp_code != MQCC.FAILED
    )
    if last is not None:
        event = last.event
        place = f"MsgSeqNumber {event.msg_seq_number}, Offset {event.offset}, MsgFlags {event.msg_flags}"
        unit = {
            True: "within a unit of work",
            False: "outside a unit of work",
            None: "whether in a unit was not captured",
        }
        sentence = (
            f"the call before on the handle, {event.call} call {event.seq}, left group {event.group_id} at {place}"
        )
        yield Point(f"{sentence}, {unit[last.in_unit]}")
    yield from by_rules(asked)


def marked(asked: Asked) -> Iterator[Point]:
    """Yield who had marked messages of the queue for the cooperating set."""
    event = asked.event
    mine = (
        (fn.col("qmgr") == event.qmgr) & (fn.col("queue") == (event.queue or "")) & (fn.col("start_us") < event.end_us)
    )
    browses = has("options", MQGMO.MARK_BROWSE_CO_OP) & fn.col("comp_code").is_in(MQCC.OK, MQCC.WARNING)
    marks = asked.evidence.where(mine & browses, of_queue=True)
    yield Point("the message that the call reached already had the mark of the cooperating set", ("MRK-09", "MRK-07"))
    for mark in marks[-_MOST_MARKS:]:
        yield Point(f"connection {mark.conn}, call {mark.seq}, marked message {mark.msg_id} at {moment(mark.start_us)}")
    if not marks:
        yield Point("the log shows no call that marked one: it was before the log, or by a program that the log lacks")
    interval = asked.evidence.facts.mark_intervals.get(event.qmgr)
    lasts = "for MarkBrowseInterval, which DISPLAY QMGR MARKINT in the input would show"
    if interval is not None:
        lasts = f"for {interval:,} ms (MarkBrowseInterval)" if interval >= 0 else "without end (MarkBrowseInterval -1)"
    yield Point(
        f"such a mark lasts at least {lasts}, unless somebody unmarks the message, gets it, or the set is closed; "
        "UNMARKED_BROWSE_MSG passes over it",
        ("MRK-12",),
    )


def closed(asked: Asked) -> Iterator[Point]:
    """Yield what had become of the handle (2019)."""
    event = asked.event
    closes = [
        deed.event
        for deed in asked.history.before
        if deed.event.call == "MQCLOSE" and deed.event.hobj == event.hobj and deed.event.comp_code != MQCC.FAILED
    ]
    if closes:
        last = closes[-1]
        yield Point(f"the handle had been closed by call {last.seq} at {moment(last.start_us)}", ("CLO-03", "CON-02"))
    else:
        yield Point("the log shows no MQOPEN of this connection that returned the handle", ("CON-02", "CON-03"))


def not_open_for(asked: Asked) -> Iterator[Point]:
    """Yield how the handle was opened (2036 to 2039)."""
    opened = asked.history.opened
    if opened is not None and opened.event.options is not None:
        yield Point(f"the handle was opened by call {opened.event.seq} with {MQOO.describe(opened.event.options)}")
    yield from by_rules(asked)
