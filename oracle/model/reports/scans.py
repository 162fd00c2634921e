"""Scans for expired messages, which z/OS makes at every expiry interval (ZOS-02) and on request (ZOS-06)."""

from __future__ import annotations

from oracle.model.expiry import has_expired, may_expire_at_ms, may_have_expired, note_scanned
from oracle.model.messages.messages import Message
from oracle.model.reply import Reply
from oracle.model.reports.discards import Doubtful, discard, orders_of_scan
from oracle.model.state import State
from oracle.model.step import Step
from oracle.mqi.calls import ScanExpired


def perform_scan(step: Step, call: ScanExpired) -> Reply:
    """Discard expired messages on request, which only z/OS does (ZOS-06)."""
    if not step.state.profile.zos:
        return Reply()
    due: list[Doubtful] = []
    for queue in step.state.queues.values():
        if call.queues is not None and queue.name not in call.queues:
            continue
        for message in queue.messages:
            if message.put_by is not None and may_have_expired(step.state, message):
                step.because("EXP-18")
            if message.put_by is None and message.got_by is None and has_expired(step, message):
                due.append((queue, message))
    for queue, message in step.choose("in which order are expired messages discarded", orders_of_scan(due), "ZOS-06"):
        if queue.messages.at(message.position) is not None:  # another's report may have shown that it had gone
            discard(step, queue, message, "ZOS-06")
    return Reply()


def move_clock(step: Step, now_ms: int) -> None:
    """Set a later time, with the scans that are due on the way (ZOS-02).

    The queue manager chooses the queues of a scan (ZOS-03): the messages that it may have discarded are noted, and it
    is decided what became of them when that can be observed. Without an interval nothing is scanned (ZOS-08).
    """
    state = step.state
    interval = state.definition.expiry_interval * 1000
    if interval and state.profile.zos and state.altered_interval_ms is not None:
        _scan_at_any_time(step, state.altered_interval_ms, now_ms)
        return
    scans = (now_ms - state.scanned_ms) // interval if interval and state.profile.zos else 0
    if scans:
        first_ms = state.scanned_ms + interval
        state.scanned_ms += scans * interval
        state.now_ms = state.scanned_ms
        step.because("ZOS-02", "ZOS-03")
        for queue in state.queues.values():
            for message in queue.messages:
                if message.put_by is None and message.got_by is None:
                    note_scanned(step, queue, message, _first_scan(state, message, first_ms, interval))
    state.now_ms = now_ms


def _scan_at_any_time(step: Step, since_ms: int, now_ms: int) -> None:
    """Set a later time where it is not known when the interval began, which was set at `since_ms` (AMB-133)."""
    state = step.state
    state.now_ms = state.scanned_ms = now_ms
    step.because("ZOS-02", "ZOS-03")
    for queue in state.queues.values():
        for message in queue.messages:
            if message.put_by is None and message.got_by is None:
                note_scanned(step, queue, message, max(since_ms, may_expire_at_ms(state, message)))


def _first_scan(state: State, message: Message, first_ms: int, interval: int) -> int:
    """Return the time of the first of some scans that may have found a message expired."""
    waited = max(0, may_expire_at_ms(state, message) - first_ms)
    return first_ms + -(-waited // interval) * interval
