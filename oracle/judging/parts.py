"""Explanations of a get that returned one segment for a whole message, or several segments together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from oracle.judging.finding import Finding
from oracle.model.messages.messages import Message
from oracle.model.requests.get import request_of
from oracle.model.state import State
from oracle.model.step import Outcome
from oracle.mqi.calls import Call, Get
from oracle.mqi.constants import MQGMO, MQMF
from oracle.protocol.replies import ObservedReply

_TOGETHER: Final = "CMP-01"
"""The rule by which COMPLETE_MSG puts the segments of a message together."""

_ONE_BY_ONE: Final = ("CMP-02", "ASA-08")
"""The rules by which segments are returned one by one, without COMPLETE_MSG and with ALL_SEGMENTS_AVAILABLE."""


def of_parts(call: Call, observed: ObservedReply, nearest: Outcome, state: State) -> Finding | None:
    """Explain a get that returned segments singly instead of together, or together instead of singly.

    None if it did neither. The data tell: those of one segment, or of several that follow one another.
    """
    due, seen = nearest.reply.data, observed.members.get("data")
    if not isinstance(call, Get) or not due or not isinstance(seen, bytes) or not seen or seen == due:
        return None
    handle = state.handles.get((call.conn, call.hobj))
    if handle is None or handle.queue_deleted:
        return None
    segments = [each for each in request_of(state, call).queue.messages if each.descriptor.msg_flags & _SEGMENTS]
    if call.options.options & MQGMO.COMPLETE_MSG:
        if len(seen) < len(due) and any(each.data == seen for each in segments) and due.startswith(seen):
            return Finding("MQGET returned one segment, but the whole message must come", sure=(_TOGETHER,))
        return None
    if len(seen) > len(due) and seen.startswith(due) and seen in _together(segments):
        rules = tuple(entry for entry in _ONE_BY_ONE if entry in nearest.rules)
        return Finding("MQGET returned segments together, but each must come on its own", sure=rules)
    return None


_SEGMENTS: Final = MQMF.SEGMENT | MQMF.LAST_SEGMENT


def _together(segments: Sequence[Message]) -> set[bytes]:
    """Return the data of neighbouring segments of each logical message together, from its first one on."""
    found: set[bytes] = set()
    ordered = sorted(segments, key=_place)
    joined = b""
    for before, each in pairwise((None, *ordered)):
        if before is None or each is None or _message(before) != _message(each):
            joined = b""
        joined += b"" if each is None else each.data
        found.add(joined)
    return found


def _message(segment: Message) -> tuple[bytes, int]:
    return segment.descriptor.group_id, segment.descriptor.msg_seq_number


def _place(segment: Message) -> tuple[bytes, int, int]:
    return (*_message(segment), segment.descriptor.offset)
