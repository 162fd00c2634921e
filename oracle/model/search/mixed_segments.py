"""Segments in a group and segments in none that have one GroupId and MsgSeqNumber (AMB-101).

The documents do not say whether they belong to one logical message.
"""

from __future__ import annotations

from typing import Final

from oracle.model.messages.logical_messages import Available, is_in_group, is_segment
from oracle.model.messages.messages import Message, Messages
from oracle.model.requests.get import GetRequest
from oracle.model.search.one_search import Search
from oracle.model.step import Step
from oracle.mqi.constants import MQMF

_PART: Final = MQMF.MSG_IN_GROUP | MQMF.SEGMENT


def _mixes(message: Message, queue: Messages, search: Search) -> bool:
    """Return whether of the segments with a message's GroupId and number some are in a group and some in none."""
    if not is_segment(message):
        return False
    key = (message.descriptor.group_id, message.descriptor.msg_seq_number)
    if key not in search.mixed:
        flags = {each.descriptor.msg_flags & _PART for each in queue.perhaps_with(key)}
        search.mixed[key] = {MQMF.SEGMENT, _PART} <= flags
    return search.mixed[key]


def _apart(available: Available, message: Message) -> Available:
    """Return what counts as available if only what is in a group, or only what is in none, counts with a message."""
    in_group = is_in_group(message)
    return lambda other: is_in_group(other) == in_group and available(other)


def ways(available: Available, message: Message, queue: Messages, search: Search) -> tuple[Available, ...]:
    """Return in which ways something may count as available with a message (AMB-101)."""
    if search.apart is False or not _mixes(message, queue, search):
        return (available,)
    apart = _apart(available, message)
    return (apart,) if search.apart else (available, apart)


def _are_apart(step: Step, search: Search) -> bool:
    """Decide once for the search whether segments in a group and in none belong to different logical messages."""
    if search.apart is None:
        search.apart = step.choose("are segments in a group and in none apart", (False, True), "TRM-04")
    return search.apart


def is_of_another_kind(request: GetRequest, message: Message) -> bool:
    """Return whether a segment is in a group and the current logical message is not, or the other way round."""
    if not request.logical_order or request.under_cursor:
        return False
    info = request.information
    return info.in_logical_message and is_in_group(message) != info.in_group


def goes_on(step: Step, request: GetRequest, message: Message, search: Search) -> bool:
    """Return whether a message that logical order looks for belongs to the current logical message (AMB-101)."""
    if not is_of_another_kind(request, message):
        return True
    return not _are_apart(step, search)


def decided(step: Step, available: Available, message: Message, queue: Messages, search: Search) -> Available:
    """Return the way in which something counts as available with a message, decided once for the search."""
    if search.apart is None and not _mixes(message, queue, search):
        return available
    return _apart(available, message) if _are_apart(step, search) else available
