"""CurrentQDepth: which messages count, and whether a queue has room for one more."""

from __future__ import annotations

from collections.abc import Iterator

from oracle.model.expiry import may_have_expired, note_scanned
from oracle.model.reports.discards import settle_depth, settle_reports
from oracle.model.state import Queue, State
from oracle.model.step import Step
from oracle.mqi.constants import MQEI, MQMF


def rules_of_depth(state: State, queue: Queue) -> Iterator[str]:
    """Yield the rules by which the messages on a queue count or do not, as far as they differ from one another."""
    flags, uncommitted_gets, uncommitted_puts, expired, alive = 0, False, False, False, False
    for message in queue.messages:
        flags |= message.descriptor.msg_flags
        uncommitted_gets |= message.got_by is not None
        uncommitted_puts |= message.put_by is not None
        limited = message.descriptor.expiry != MQEI.UNLIMITED
        expired |= limited and may_have_expired(state, message)
        alive |= limited and not may_have_expired(state, message)
    if uncommitted_puts:
        yield "DEP-01"
    if uncommitted_gets:
        yield "DEP-02"
    if flags & (MQMF.SEGMENT | MQMF.MSG_IN_GROUP):
        yield "DEP-09"
    if flags & MQMF.SEGMENT:
        yield "TRM-08"
    if any(handle.locked for handle in state.handles_of(queue.name)):
        yield "DEP-10"
    if alive:
        yield "EXP-02"
    if expired:
        yield from ("EXP-24", "DEP-05")
        if not state.profile.zos:
            yield "EXP-31"
        else:
            yield from ("ZOS-01",) if state.definition.expiry_interval else ("ZOS-01", "ZOS-08")


def current_depth(step: Step, queue: Queue) -> int:
    """Return the present depth of the queue; it is decided which expired messages have been discarded."""
    step.because(*rules_of_depth(step.state, queue))
    settle_depth(step, queue)
    return step.state.depth(queue)


def is_full(step: Step, queue: Queue) -> bool:
    """Return whether a queue has no room for one more message; expired ones may be discarded for it (DEP-06, EXP-24).

    Reports about messages that were discarded unseen may have filled it (RPT-03).
    """
    most = queue.definition.max_q_depth
    unseen = len(step.state.expiration_reports)
    if unseen and most - unseen <= step.state.depth(queue) < most:
        settle_reports(step, queue.name)
    if step.state.depth(queue) < most:
        if len(queue.messages) >= most:
            step.because("DEP-07")
        return False
    if current_depth(step, queue) < most:
        return False
    state = step.state
    in_the_way = [
        message
        for message in queue.messages
        if message.put_by is None and message.got_by is None and may_have_expired(state, message)
    ]
    if not in_the_way or not state.profile.zos:
        return True
    if not step.choose("are expired messages discarded to make room", (False, True), "DEP-06"):
        return True
    for message in in_the_way:
        note_scanned(step, queue, message)
    return current_depth(step, queue) >= most
