"""Explanations of a get that returned a part of a group or logical message which is not whole.

What is missing may be on the queue: expired, locked by another handle, or in a unit of work. If nothing else is
missing, the rule by which it does not count is broken, rather than the one that withholds what is not whole.
"""

from __future__ import annotations

from typing import Final

from oracle.model.expiry import must_have_expired
from oracle.model.messages.logical_messages import group_members, is_in_group, is_segment, related, segments_of
from oracle.model.messages.messages import Message
from oracle.model.requests.get import GetRequest
from oracle.model.search.selection import unavailable_because
from oracle.model.state import State
from oracle.mqi.constants import MQGMO

_OF_SEGMENTS: Final = MQGMO.COMPLETE_MSG | MQGMO.ALL_SEGMENTS_AVAILABLE | MQGMO.ALL_MSGS_AVAILABLE
_LOCKED, _LOCKED_SEGMENT, _EXPIRED = "LCK-01", "LCK-05", "EXP-25"


def of_lacking_parts(state: State, request: GetRequest, message: Message) -> tuple[str, ...]:
    """Return the rules by which parts of a message's group or logical message are not available to a get.

    None if something of it is not even on the queue, or if the get does not ask for the whole.
    """
    if not request.withholds:
        return ()
    queue, of_group = request.queue.messages, request.asks(MQGMO.ALL_MSGS_AVAILABLE) and is_in_group(message)
    if not of_group and not (is_segment(message) and request.asks(_OF_SEGMENTS)):
        return ()
    whole = group_members(message, queue, _counts) if of_group else segments_of(message, queue, _counts, one_type=False)
    if whole is None:
        return ()
    parts = related(message, queue, of_group=of_group)
    rules = (_why_not(state, request, part) for part in parts if part.position != message.position)
    return tuple(dict.fromkeys(entry for entry in rules if entry))


def _counts(_: Message) -> bool:
    """Return whether a part counts where all that is on the queue does."""
    return True


def _why_not(state: State, request: GetRequest, part: Message) -> str:
    """Return the rule by which a part is not available; nothing if it is."""
    hidden = unavailable_because(request, state.locked_elsewhere(request.handle), part)
    if hidden == _LOCKED and request.asks(MQGMO.COMPLETE_MSG):
        return _LOCKED_SEGMENT
    return hidden or (_EXPIRED if must_have_expired(state, part) else "")
