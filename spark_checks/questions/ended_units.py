"""Units of work and locks that ended although no call shows it: another call saw or took one of their messages.

An application that dies makes no call that would be in the log, and a log may lack the call that committed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from oracle.histories.event_log import Event
from oracle.model.requests.option_matrix import BROWSE
from oracle.mqi.constants import MQCC, MQRC
from spark_checks.preparation.capture import GETS, PUTS
from spark_checks.questions.deeds import Deed
from spark_checks.questions.evidence import Conn, Evidence

MOST_MOVES: Final = 1000
"""The number of puts and gets of open units of work that are looked at."""


def ended_unseen(evidence: Evidence, moves: Collection[Event], moment_us: int) -> set[Conn]:
    """Return the connections whose unit of work surely ended by a time. `moves` are the puts and gets in the units."""
    ids = {event.msg_id for event in moves if event.msg_id is not None}
    shown = evidence.showing({"msg_id": sorted(ids)}) if ids else []
    alike: dict[tuple[object, ...], list[Event]] = {}
    for event in shown:
        alike.setdefault(_message(event), []).append(event)
    return {
        (move.qmgr, move.conn)
        for move in moves
        if move.msg_id is not None and _is_seen(move, alike.get(_message(move), ()), evidence.margin, moment_us)
    }


def lock_ended_unseen(events: Sequence[Event], lock: Deed, moment_us: int) -> bool:
    """Return whether a get took the message of a lock after it, by a time. `events` are the calls about the message.

    If several messages with its MsgId were put, the get may have taken another one.
    """
    own = _message(lock.event)
    puts = [event for event in events if event.call in PUTS and event.comp_code != MQCC.FAILED]
    if sum(_message(event) == own for event in puts) > 1:
        return False
    return any(_message(event) == own and _took(event, lock, moment_us) for event in events)


def _took(get: Event, lock: Deed, moment_us: int) -> bool:
    done = get.comp_code in (MQCC.OK, MQCC.WARNING) and get.reason != MQRC.TRUNCATED_MSG_FAILED
    takes = get.call in GETS and get.options is not None and not get.options & BROWSE
    same = (get.qmgr, get.conn) == (lock.event.qmgr, lock.event.conn)
    later = get.seq > lock.event.seq if same else lock.hi < get.start_us
    return done and takes and later and get.end_us <= moment_us


def _message(event: Event) -> tuple[object, ...]:
    return event.qmgr, event.queue, event.msg_id


def _is_seen(move: Event, shown: Sequence[Event], margin: int, moment_us: int) -> bool:
    """Return whether another connection saw a message after a call; several messages may have its MsgId."""
    puts = [event for event in shown if event.call in PUTS and event.comp_code != MQCC.FAILED]
    return len(puts) < 2 and any(
        event.call in GETS
        and event.comp_code in (MQCC.OK, MQCC.WARNING)
        and event.conn != move.conn
        and _part(event) == _part(move)
        and move.end_us + margin < event.start_us
        and event.end_us <= moment_us
        for event in shown
    )


def _part(event: Event) -> tuple[int, int]:
    """Return the place of a message in its group, and of a segment in its message."""
    return event.msg_seq_number or 1, event.offset or 0
