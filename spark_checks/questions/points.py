"""Explanations of a call by its reason: the facts of the log about queue, handle and unit of work, with rules.

Each reason has a function in a table. For others the answer is the rules that decide about the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from oracle.histories.event_log import Event, QueueHeader
from oracle.model.requests.option_matrix import BROWSE, broken_rules
from oracle.mqi.constants import MQCC, MQGMO, MQOO, MQRC
from oracle.mqi.unlearnt import is_unlearnt
from oracle.rules import catalogue
from oracle.rules.catalogue import Rule
from oracle.rules.reason_rules import rules_of
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import has
from spark_checks.preparation.facts import attributes_of
from spark_checks.questions.deeds import Deed
from spark_checks.questions.evidence import Evidence
from spark_checks.questions.handles import History
from spark_checks.questions.open_handles import open_handles
from spark_checks.questions.stock import Stock
from spark_checks.reports.texts import counted
from spark_checks.times import moment

_MOST_TOLD: Final = 5
_MOST_MARKS: Final = 3
_PUTS: Final = ("MQPUT", "MQPUT1")


@dataclass(frozen=True)
class Point:
    """A fact that decided how a call ended."""

    sentence: str
    """The fact, without a full stop."""
    rules: tuple[str, ...] = ()
    """The rules behind it. Empty for a plain fact of the log."""


@dataclass(frozen=True)
class _Asked:
    evidence: Evidence
    event: Event
    history: History
    stock: Stock | None

    def attribute(self, name: str) -> int | str | None:
        """Return an attribute of the call's queue, None if no header gives it."""
        found = None
        for header in self.evidence.headers:
            if isinstance(header, QueueHeader) and (header.qmgr, header.queue) == (self.event.qmgr, self.event.queue):
                found = attributes_of(header).get(name, found)
        return found


def points_of(evidence: Evidence, event: Event, history: History, stock: Stock | None) -> list[Point]:
    """Return the facts that decided how a call ended, besides the messages on the queue."""
    asked = _Asked(evidence, event, history, stock)
    if is_unlearnt(event.comp_code, event.reason):
        return list(_unlearnt(asked))
    if event.reason in (None, MQRC.NONE):
        return []
    known = _BY_REASON.get(MQRC(event.reason)) if event.reason in set(MQRC) else None
    if known is not None:
        return list(known(asked))
    return list(_by_rules(asked))


def _unlearnt(asked: _Asked) -> Iterator[Point]:
    event = asked.event
    reason = "a reason that was not captured" if event.reason is None else MQRC.describe(event.reason)
    yield Point(
        f"with {reason} the application does not learn whether {event.call} took effect: the queue manager may have "
        "carried it out, and may have backed out the unit of work"
    )
    if event.msg_id is not None:
        yield Point(f"what became of the message: mq-audit trace --msg {event.msg_id}")
    held = asked.history.unit
    if held:
        yield Point(f"the unit of work had {counted(len(held), 'put or get', 'puts and gets')}; they may be undone")


def _by_rules(asked: _Asked) -> Iterator[Point]:
    """Yield the rules that decide about the reason; without any, a note that no rule of the catalogue mentions it."""
    reason = asked.event.reason
    assert reason is not None  # asked before
    deciding = rules_of(reason).decide
    if not deciding:
        told = f"no rule of the catalogue covers {MQRC.describe(reason)}: it depends on what a log of calls lacks"
        yield Point(f"{told}, such as authorities, resources or the network")
    about = _about_options(asked.event) or [rule for rule in deciding if _speaks_of(rule, asked.event.call)]
    for rule in (about or deciding)[:_MOST_TOLD]:
        yield Point(" ".join(rule.statement.split()), (rule.id,))


_VERBS: Final = re.compile(r"\bMQ(?:GET|PUT1?|OPEN|CLOSE|CMIT|BACK|INQ|SET|CONN|DISC)\b")


def _speaks_of(rule: Rule, call: str) -> bool:
    """Return whether a rule speaks of a call, or of no call by its name."""
    named = set(_VERBS.findall(rule.statement))
    return not named or not named.isdisjoint(_PUTS if call in _PUTS else (call,))


def _about_options(event: Event) -> list[Rule]:
    """Return the rules about options of MQGET that the options of a call break, if those were its failure."""
    if event.call != "MQGET" or event.reason != MQRC.OPTIONS_ERROR or event.options is None:
        return []
    return [catalogue.rule(name) for name in dict.fromkeys(broken_rules(event.options))]


def _truncated(asked: _Asked) -> Iterator[Point]:
    event = asked.event
    sizes = ""
    if event.length is not None and event.buffer_length is not None:
        sizes = f": the message has {event.length:,} bytes and the buffer {event.buffer_length:,}"
    if event.reason == MQRC.TRUNCATED_MSG_ACCEPTED:
        yield Point(
            f"the buffer was too small{sizes}, and ACCEPT_TRUNCATED_MSG took what fits: the rest is lost", ("TRN-01",)
        )
        return
    yield Point(f"the buffer was too small{sizes}, and ACCEPT_TRUNCATED_MSG was not asked for", ("TRN-04",))
    yield Point("the message stayed on the queue; a get with a buffer of its length returns it", ("TRN-05",))


def _queue_full(asked: _Asked) -> Iterator[Point]:
    limit, stock = asked.attribute("MaxQDepth"), asked.stock
    known = "which the log does not give" if limit is None else f"{limit:,}"
    yield Point(f"the queue held as many messages as MaxQDepth allows, {known}", ("DEP-06", "DEP-07"))
    if stock is None:
        return
    uncommitted = [each for each in stock.held if each.put_by is not None]
    taken = [each for each in stock.held if each.got_by is not None]
    total = len(stock.held) + stock.left_out
    yield Point(
        f"the log shows {counted(total, 'message')} that may have been there: "
        f"{len(uncommitted):,} put and not committed, which count, {len(taken):,} got and not committed, which do not",
        ("DEP-01", "DEP-02"),
    )
    holders: dict[str, int] = {}
    for each in uncommitted:
        assert each.put_by is not None  # chosen so
        holders[each.put_by.conn] = holders.get(each.put_by.conn, 0) + 1
    for conn, number in sorted(holders.items(), key=lambda item: -item[1])[:_MOST_TOLD]:
        yield Point(f"connection {conn} had put {number:,} of them and not committed")
    yield from _last_taken(stock)


def _last_taken(stock: Stock) -> Iterator[Point]:
    if stock.gone:
        last = stock.gone[-1]
        yield Point(
            f"the last one that was taken before: by {last.call} of connection {last.conn} at {moment(last.end_us)}"
        )
    else:
        yield Point("the log shows no get that had taken one before: nobody was consuming")


def _inhibited(asked: _Asked) -> Iterator[Point]:
    puts = asked.event.reason == MQRC.PUT_INHIBITED
    name, rules = ("InhibitPut", ("PUT-09", "INQ-08")) if puts else ("InhibitGet", ("INQ-09", "WAI-06"))
    value = asked.attribute(name)
    opened = asked.history.opened
    by = asked.event.object_name if opened is None else opened.event.object_name
    if value == 0 and by is not None and by != asked.event.queue:
        yield Point(f"{name} of the queue is 0, so it was on for {by}, by which it was opened", ("INQ-08", *rules))
        return
    if value is not None:
        yield Point(f"the definition that was given says {name} {value}", rules)
    else:
        yield Point(f"{name} was on for the queue, or for an alias on the way to it", rules)
    event = asked.event
    same = (fn.col("qmgr") == event.qmgr) & (fn.col("queue") == (event.queue or "")) & (fn.col("call") == "MQSET")
    sets = asked.evidence.where(same & (fn.col("start_us") <= event.end_us), of_queue=True)
    if sets:
        last = sets[-1]
        yield Point(
            f"the last MQSET on the queue before: connection {last.conn}, call {last.seq}, at {moment(last.start_us)}",
            ("INQ-05",),
        )
    else:
        yield Point("no MQSET of the log did that, so an administrator did: configuration events show who and when")


def _in_use(asked: _Asked) -> Iterator[Point]:
    event = asked.event
    exclusive = bool((event.options or 0) & MQOO.INPUT_EXCLUSIVE)
    how = "exclusively" if exclusive else "for input"
    yield Point(f"the call asked to open the queue {how}, and another handle excludes that", ("OPN-11", "OPN-12"))
    found = list(open_handles(asked.evidence, event.qmgr, event.queue or event.object_name or "", event.start_us))
    blocking = [one for one in found if one.excludes] if not exclusive else [one for one in found if one.for_input]
    for one in (blocking or [one for one in found if one.for_input])[:_MOST_TOLD]:
        told = "exclusively" if one.exclusive else "for input"
        yield Point(
            f"connection {one.event.conn} had it open {told}, since {moment(one.event.start_us)} (call {one.event.seq})"
        )
    if not found:
        yield Point(
            "the log shows no other open handle: it was opened before the log began, or by a program that it lacks"
        )


def _unit_full(asked: _Asked) -> Iterator[Point]:
    unit = asked.history.unit
    puts = sum(deed.event.call in _PUTS for deed in unit)
    since = f", since {moment(unit[0].event.start_us)}" if unit else ""
    more = "" if asked.history.whole else " at least"
    yield Point(
        f"the unit of work of the connection had{more} {len(unit):,} messages{since}: {puts:,} put and "
        f"{len(unit) - puts:,} got; MaxUncommittedMsgs of the queue manager allows no more",
        ("UOW-07",),
    )
    yield Point("MQCMIT or MQBACK, more often, or a higher MAXUMSGS: the limit itself is in no log")


def _nothing_under_cursor(asked: _Asked) -> Iterator[Point]:
    cursor = asked.history.cursor
    if cursor is None:
        opened = asked.history.opened
        since = "" if opened is None else f" since its MQOPEN (call {opened.event.seq})"
        yield Point(f"the handle had browsed no message{since}, so there was none under its cursor", ("CUR-04",))
        return
    event = cursor.event
    yield Point(
        f"the cursor was on message {event.msg_id}, by {MQGMO.describe(event.options or 0)} of call {event.seq}",
        ("CUR-03",),
    )
    expired_us = cursor.lives_until
    if expired_us is not None and expired_us < asked.event.start_us:
        locked = (event.options or 0) & MQGMO.LOCK
        told = f"that message expired at {moment(expired_us)}"
        yield Point(f"{told}, although it was locked" if locked else told, ("EXP-28" if locked else "EXP-09",))
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


def _taker(asked: _Asked, msg_id: str) -> Event | None:
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


def _not_locked(asked: _Asked) -> Iterator[Point]:
    lock = asked.history.lock
    if lock is None:
        yield Point("the handle had locked no message", ("LCK-17", "LCK-20"))
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


def _why_released(asked: _Asked, seq: int) -> tuple[str, ...]:
    deed: Deed | None = next((each for each in asked.history.before if each.event.seq == seq), None)
    if deed is None:
        return ()
    if deed.event.call == "MQCLOSE":
        return ("LCK-16",)
    if deed.asks & MQGMO.UNLOCK:
        return ("LCK-15",)
    return ("LCK-12",) if deed.event.reason == MQRC.NO_MSG_AVAILABLE else ("LCK-09",)


def _of_groups(asked: _Asked) -> Iterator[Point]:
    puts = asked.event.call in _PUTS
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
        told = f"the call before on the handle, {event.call} call {event.seq}, left group {event.group_id} at {place}"
        yield Point(f"{told}, {unit[last.in_unit]}")
    yield from _by_rules(asked)


def _marked(asked: _Asked) -> Iterator[Point]:
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


def _closed(asked: _Asked) -> Iterator[Point]:
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


def _too_big(asked: _Asked) -> Iterator[Point]:
    limit = asked.attribute("MaxMsgLength")
    length = asked.event.length
    has = "not captured" if length is None else f"{length:,} bytes"
    allows = "which the log does not give" if limit is None else f"{limit:,} bytes"
    yield Point(f"the message has {has}; MaxMsgLength of the queue allows {allows}", ("SIZ-04",))
    yield from _by_rules(asked)


def _not_open_for(asked: _Asked) -> Iterator[Point]:
    opened = asked.history.opened
    if opened is not None and opened.event.options is not None:
        yield Point(f"the handle was opened by call {opened.event.seq} with {MQOO.describe(opened.event.options)}")
    yield from _by_rules(asked)


def _nothing(asked: _Asked) -> Iterator[Point]:
    """Yield whether a get that found nothing waited; the messages are explained elsewhere."""
    event = asked.event
    options = event.options
    if options is None:
        yield Point("whether it waited was not captured")
    elif options & MQGMO.WAIT and event.wait_ms != 0:
        limit = "an interval that was not captured" if event.wait_ms is None else f"WaitInterval {event.wait_ms:,} ms"
        yield Point(f"it waited with {limit}, and nothing that suited came meanwhile", ("WAI-01",))
    else:
        yield Point("it did not wait: it looked once", ("WAI-10",))


_BY_REASON: Final[Mapping[MQRC, Callable[[_Asked], Iterator[Point]]]] = {
    MQRC.NO_MSG_AVAILABLE: _nothing,
    MQRC.TRUNCATED_MSG_FAILED: _truncated,
    MQRC.TRUNCATED_MSG_ACCEPTED: _truncated,
    MQRC.Q_FULL: _queue_full,
    MQRC.PUT_INHIBITED: _inhibited,
    MQRC.GET_INHIBITED: _inhibited,
    MQRC.OBJECT_IN_USE: _in_use,
    MQRC.SYNCPOINT_LIMIT_REACHED: _unit_full,
    MQRC.NO_MSG_UNDER_CURSOR: _nothing_under_cursor,
    MQRC.NO_MSG_LOCKED: _not_locked,
    MQRC.MSG_MARKED_BROWSE_CO_OP: _marked,
    MQRC.HOBJ_ERROR: _closed,
    MQRC.MSG_TOO_BIG_FOR_Q: _too_big,
    MQRC.NOT_OPEN_FOR_BROWSE: _not_open_for,
    MQRC.NOT_OPEN_FOR_INPUT: _not_open_for,
    MQRC.NOT_OPEN_FOR_INQUIRE: _not_open_for,
    MQRC.NOT_OPEN_FOR_OUTPUT: _not_open_for,
    MQRC.INCOMPLETE_GROUP: _of_groups,
    MQRC.INCOMPLETE_MSG: _of_groups,
    MQRC.INCONSISTENT_UOW: _of_groups,
    MQRC.INCONSISTENT_PERSISTENCE: _of_groups,
    MQRC.INCONSISTENT_BROWSE: _of_groups,
}
