"""The rules behind the search of an MQGET: why a message is found, hidden, or found again.

Nothing is decided here. The functions read the result of the search, and name the rules behind it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from oracle.model.groups.get_groups import Criteria
from oracle.model.messages.logical_messages import is_segment
from oracle.model.messages.messages import Message
from oracle.model.requests.get import GetRequest
from oracle.model.state import State
from oracle.model.units.skip_backout import rules_of_carried
from oracle.mqi.constants import MQGMO, MQMF, MQMO

_FROM_THE_FRONT = {"BRW-21": "BRW-22", "VIS-06": "VIS-06"}
"""By the rule for which a sweep missed a message, the rule for which a new sweep finds it."""


_BY_PRIORITY: Final = ("PRI-03", "BRW-20")
_BY_ARRIVAL: Final = ("PRI-04", "BRW-20")


def selection_rules(state: State, request: GetRequest) -> tuple[str, ...]:
    """Return the rules for the order in which this call looks at the queue."""
    by_priority = request.queue.definition.msg_delivery_sequence == "PRIORITY"
    if not request.scans:
        return _BY_PRIORITY if by_priority else _BY_ARRIVAL
    rules = ["PRI-03" if by_priority else "PRI-04"]
    handle = request.handle
    if request.asks(MQGMO.BROWSE_FIRST):
        rules += ["BRW-03", *(_FROM_THE_FRONT[rule] for rule in handle.grounds.cursor if rule in _FROM_THE_FRONT)]
        if handle.browse_orders - {request.logical_order, None}:
            rules.append("BRW-15")
    else:
        rules.append("BRW-06" if handle.cursor is None else "BRW-05")
        if handle.cursor is not None and request.queue.messages.at(handle.cursor) is None:
            rules.append("BRW-07")
        if any(other.cursor is not None for other in state.others_of(handle)):
            rules.append("BRW-26")
        rules += handle.grounds.cursor
    return (*rules, "BRW-20")


def rules_of_logical_order(request: GetRequest) -> tuple[str, ...]:
    """Return the rules about the group information that a call in logical order uses."""
    return tuple(_rules_of_logical_order(request)) if request.logical_order else ()


def _rules_of_logical_order(request: GetRequest) -> Iterator[str]:
    handle = request.handle
    if request.scans:
        yield "BRW-13"
    if request.asks(MQGMO.BROWSE_FIRST):
        yield from ("BRW-16",) if handle.browsing.unfinished else ()
    elif request.browses:
        yield from handle.grounds.browsing
    elif "CUR-15" in handle.grounds.browsing:
        yield "CUR-15"
    other = handle.removing if request.browses else handle.browsing
    if other.unfinished:
        yield "BRW-19"


def why_hidden(state: State, request: GetRequest, message: Message) -> Iterator[str]:
    """Yield further rules by which a message that is not available is hidden from this call."""
    place = (request.queue.name, message.position)
    yield from rules_of_carried(state, place, logical_order=request.logical_order)
    if request.browses and not (message.put_by is None and message.got_by is None):
        yield "VIS-05"
    for other in state.others_of(request.handle):
        if message.position in other.locked:
            yield from other.grounds.lock
            if other.conn == request.handle.conn:
                yield "LCK-20"
            if request.asks(MQGMO.COMPLETE_MSG) and is_segment(message):
                yield "LCK-05"


def why_unlocked(state: State, request: GetRequest, message: Message) -> tuple[str, ...]:
    """Return the rules by which a message that another handle had locked is available again."""
    for each in state.handles.values():
        if each.grounds.released:
            break
    else:
        return ()
    unlocked = (other for other in state.others_of(request.handle) if message.position in other.grounds.released)
    return tuple(rule for other in unlocked for rule in (*other.grounds.release, "LCK-21"))


def why_again(request: GetRequest, message: Message) -> tuple[str, ...]:
    """Return the rule by which a browse may return to what it has passed: its end stands before its beginning."""
    return tuple(_why_again(request, message)) if request.scans and not request.logical_order else ()


def _why_again(request: GetRequest, message: Message) -> Iterator[str]:
    md = message.descriptor
    by_number = request.match_options & MQMO.MATCH_MSG_SEQ_NUMBER and md.msg_seq_number == 1
    if not by_number or not request.asks(MQGMO.BROWSE_NEXT):
        return
    in_group = md.msg_flags & MQMF.MSG_IN_GROUP
    end = MQMF.LAST_MSG_IN_GROUP if in_group else MQMF.LAST_SEGMENT
    for other in request.queue.messages:
        if other.position >= message.position:
            return
        if other.descriptor.group_id == md.group_id and other.descriptor.msg_flags & end:
            yield "BRW-23" if in_group else "BRW-24"


def why_nothing_under_cursor(request: GetRequest) -> Iterator[str]:
    """Yield the rules by which a call fails that finds no suitable message under the cursor."""
    if not request.browses:
        yield "CUR-13"
    elif not request.handle.locked:
        yield "CUR-08" if request.asks(MQGMO.LOCK) else "CUR-11"
    if "CUR-09" in request.handle.grounds.release:
        yield "CUR-10"


def rules_of_discard(request: GetRequest, message: Message) -> Iterator[str]:
    """Yield the rules for an expired message at a place where this call looks."""
    yield "EXP-25"
    if message.descriptor.backout_count:
        yield "EXP-27"
    if request.browses:
        yield "EXP-15"
    elif not request.logical_order and request.matching() == Criteria():
        yield "EXP-12" if request.queue.definition.msg_delivery_sequence == "FIFO" else "EXP-13"
    lifetime = message.notes.behind.get("MQMD.Expiry", ())
    yield from (rule for rule in lifetime if rule in ("EXP-01", "EXP-03", "EXP-17", "EXP-18"))


def why_not_under_cursor(request: GetRequest) -> Iterator[str]:
    """Yield the rules by which another message than the returned one, or none, is under the cursor."""
    cursor = request.handle.cursor
    if cursor is None:
        yield "CUR-04"
    elif request.queue.messages.at(cursor) is None:
        yield "CUR-05"
    else:
        yield from ("CUR-03", *request.handle.grounds.cursor)
