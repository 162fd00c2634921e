"""Explanations of a call by its reason: the facts of the log about queue, handle and unit of work, with rules.

Each reason has a function in a table. For others the answer is the rules that decide about the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from oracle.histories.event_log import Event
from oracle.mqi.constants import MQGMO, MQRC
from oracle.mqi.unknown_effect import has_unknown_effect
from spark_checks.preparation.capture import PUTS
from spark_checks.questions.asked import Asked, Point, by_rules
from spark_checks.questions.evidence import Evidence
from spark_checks.questions.handles import History
from spark_checks.questions.points_of_handles import (
    closed,
    marked,
    not_locked,
    not_open_for,
    nothing_under_cursor,
    of_groups,
)
from spark_checks.questions.points_of_queues import in_use, inhibited, queue_full, too_big
from spark_checks.questions.stock import Stock
from spark_checks.reports.texts import counted
from spark_checks.times import moment


def points_of(evidence: Evidence, event: Event, history: History, stock: Stock | None) -> list[Point]:
    """Return the facts that decided how a call ended, besides the messages on the queue."""
    asked = Asked(evidence, event, history, stock)
    if has_unknown_effect(event.comp_code, event.reason):
        return list(_of_unknown_effect(asked))
    if event.reason in (None, MQRC.NONE):
        return []
    known = _BY_REASON.get(MQRC(event.reason)) if event.reason in set(MQRC) else None
    if known is not None:
        return list(known(asked))
    return list(by_rules(asked))


def _of_unknown_effect(asked: Asked) -> Iterator[Point]:
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


def _truncated(asked: Asked) -> Iterator[Point]:
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


def _unit_full(asked: Asked) -> Iterator[Point]:
    unit = asked.history.unit
    puts = sum(deed.event.call in PUTS for deed in unit)
    since = f", since {moment(unit[0].event.start_us)}" if unit else ""
    more = "" if asked.history.whole_unit else " at least"
    yield Point(
        f"the unit of work of the connection had{more} {len(unit):,} messages{since}: {puts:,} put and "
        f"{len(unit) - puts:,} got; MaxUncommittedMsgs of the queue manager allows no more",
        ("UOW-07",),
    )
    yield Point("MQCMIT or MQBACK, more often, or a higher MAXUMSGS: the limit itself is in no log")


def _nothing(asked: Asked) -> Iterator[Point]:
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


_BY_REASON: Final[Mapping[MQRC, Callable[[Asked], Iterator[Point]]]] = {
    MQRC.NO_MSG_AVAILABLE: _nothing,
    MQRC.TRUNCATED_MSG_FAILED: _truncated,
    MQRC.TRUNCATED_MSG_ACCEPTED: _truncated,
    MQRC.Q_FULL: queue_full,
    MQRC.PUT_INHIBITED: inhibited,
    MQRC.GET_INHIBITED: inhibited,
    MQRC.OBJECT_IN_USE: in_use,
    MQRC.SYNCPOINT_LIMIT_REACHED: _unit_full,
    MQRC.NO_MSG_UNDER_CURSOR: nothing_under_cursor,
    MQRC.NO_MSG_LOCKED: not_locked,
    MQRC.MSG_MARKED_BROWSE_CO_OP: marked,
    MQRC.HOBJ_ERROR: closed,
    MQRC.MSG_TOO_BIG_FOR_Q: too_big,
    MQRC.NOT_OPEN_FOR_BROWSE: not_open_for,
    MQRC.NOT_OPEN_FOR_INPUT: not_open_for,
    MQRC.NOT_OPEN_FOR_INQUIRE: not_open_for,
    MQRC.NOT_OPEN_FOR_OUTPUT: not_open_for,
    MQRC.INCOMPLETE_GROUP: of_groups,
    MQRC.INCOMPLETE_MSG: of_groups,
    MQRC.INCONSISTENT_UOW: of_groups,
    MQRC.INCONSISTENT_PERSISTENCE: of_groups,
    MQRC.INCONSISTENT_BROWSE: of_groups,
}
