"""The refusals of a put because its message, or one before it, is split by the queue manager (area SEG)."""

from __future__ import annotations

from collections.abc import Iterator

from oracle.model.checks import Refusal
from oracle.model.groups.splitting import (
    depth_may_differ,
    is_impossible,
    longest_piece,
    may_be_impossible,
    most,
)
from oracle.model.reply import Reply, failure
from oracle.model.requests.put import PutRequest
from oracle.model.step import Step
from oracle.mqi.constants import MQRC


def split_refusals(step: Step, request: PutRequest) -> Iterator[Refusal]:
    """Yield the conditions that surely fail a put whose message the queue manager would split."""
    state = step.state
    longest = longest_piece(state, request.queue.definition)
    if is_impossible(request.descriptor, longest):
        yield from _too_big(step, request)
    work = state.connections[request.call.conn].unit_of_work
    if not request.in_unit_of_work:
        step.because("SEG-07")
        if work is not None:
            yield Refusal(MQRC.UOW_NOT_AVAILABLE, ("SEG-07",))


def refused_for_pieces(step: Step, request: PutRequest) -> Reply | None:
    """Return the failure of a put that a queue manager may refuse, but need not, or None if it continues."""
    if not request.is_split and not request.queue.has_pieces:
        return None
    doubts = list(_doubts(step, request))
    refusal = step.choose("does a split fail the put", (None, *doubts))
    if refusal is None:
        return None
    step.because(*refusal.rules, "CHK-01")
    return failure(refusal.reason)


def _doubts(step: Step, request: PutRequest) -> Iterator[Refusal]:
    """Yield what may fail the put, depending on the unknown number and length of pieces."""
    state, definition, length = step.state, request.queue.definition, len(request.call.data)
    room = definition.max_q_depth - state.depth(request.queue)
    if not request.is_split:
        _, more = depth_may_differ(request.queue)
        if room <= more and more:
            yield Refusal(MQRC.Q_FULL, ("DEP-06", "SEG-08"))
        return
    if may_be_impossible(request.descriptor, length, longest_piece(state, definition)):
        yield from _too_big(step, request)
    if most(length) > room:
        yield Refusal(MQRC.Q_FULL, ("SEG-08",))


def _too_big(step: Step, request: PutRequest) -> Iterator[Refusal]:
    length = len(request.call.data)
    if length > request.queue.definition.max_msg_length:
        yield Refusal(MQRC.MSG_TOO_BIG_FOR_Q, ("SEG-06",))
    if length > step.state.definition.max_msg_length:
        yield Refusal(MQRC.MSG_TOO_BIG_FOR_Q_MGR, ("SEG-06",))
