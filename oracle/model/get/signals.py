"""Signals of z/OS (MQGMO_SET_SIGNAL): an MQGET that finds nothing asks for a signal when a message arrives.

The call ends at once with a warning; the signal is outstanding on its handle until the queue manager posts it (SIG-05,
SIG-07, SIG-08, QSC-04). `oracle/model/waiting/waiting.py` decides which of several calls an arrival activates. The
target protocol does not report posts, so a signal shows only in what its handle may do. `Outcome.posted` has them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from oracle.model.browsing.browse import release_lock
from oracle.model.checks import Refusal, any_inhibited
from oracle.model.handles import Handle, Signal
from oracle.model.reply import Posted, Reply, warning
from oracle.model.requests.get import GetRequest
from oracle.model.requests.option_matrix import GROUPING
from oracle.model.search.selection import places_passed_over
from oracle.model.step import Step
from oracle.mqi.constants import MQEC, MQGMO, MQMO, MQRC

EARLY_MS: Final = 200
"""The milliseconds after which a signal on a shared queue may be posted without a message (SIG-13)."""

_END_OF_UNIT: Final = "does the end of a unit of work cancel the signals of its application"

POSTED: Final = "MQEC"
"""The name under which a follower gives the code of an observed post."""


def signal_refusals(request: GetRequest) -> Iterator[Refusal]:
    """Refuse a second signal, or a wait, on a handle with one outstanding (SIG-12, AMB-24)."""
    if request.zos and request.handle.signal is not None and request.asks(MQGMO.SET_SIGNAL | MQGMO.WAIT):
        # the documents do not say what WAIT does with an under-cursor option, where it is ignored (WAI-09)
        yield Refusal(MQRC.SIGNAL_OUTSTANDING, ("SIG-12",), optional=request.under_cursor)


def set_signal(step: Step, request: GetRequest) -> Reply:
    """Accept the request for a signal: a warning at once and no other output (SIG-03, SIG-04).

    The call completes with a warning, and that ends the handle's lock (LCK-09). The documents do not say how long a
    signal without an interval lasts.
    """
    handle = request.handle
    if request.scans:
        release_lock(step, handle, "LCK-09")
    due_ms, code = _due(step, request)
    handle.signal = Signal(request.call, replace(handle, signal=None), due_ms, code, places_passed_over(step, request))
    step.because("SIG-03", "SIG-04")
    if _elsewhere(step, handle):
        step.because("SIG-21")
    no_interval = request.call.options.wait_interval == 0
    if no_interval and step.choose("is a signal without an interval posted at once", (False, True), "SIG-07"):
        post(step, handle, MQEC.WAIT_INTERVAL_EXPIRED, "SIG-07")
    return warning(MQRC.SIGNAL_REQUEST_ACCEPTED)


def post(step: Step, handle: Handle, code: int, *rules: str) -> None:
    """Deliver a handle's signal: its ECB is posted with a code, and another signal may be set."""
    signal, handle.signal = handle.signal, None
    if signal is not None:
        step.because(*rules)
        step.posted.append(Posted(handle.conn, handle.hobj, signal.call.identity, code, rules))


def post_arrival(step: Step, handle: Handle, *rules: str) -> None:
    """Signal a suitable message, which is neither returned nor kept for the call (SIG-05, SIG-06)."""
    several = ("SIG-21",) if _elsewhere(step, handle) else ()
    post(step, handle, MQEC.MSG_ARRIVED, "SIG-05", "SIG-06", *several, *rules)


def post_when_due(step: Step, handle: Handle) -> None:
    """Post a signal without a message: its interval has passed (SIG-07), or a queue is shared (SIG-13, SIG-14)."""
    signal = handle.signal
    if signal is None:
        return
    shared = _may_come_early(GetRequest(signal.call, signal.handle, step.state.queues[handle.queue], zos=True))
    if signal.due_code == MQEC.MSG_ARRIVED:
        post(step, handle, signal.due_code, "SIG-13")
    else:
        post(step, handle, signal.due_code, "SIG-07", *(("SIG-14",) if shared else ()))


def cancel_signals(step: Step) -> None:
    """Deliver the signals that a quiescing queue manager or a deleted queue ends, or that were seen cancelled.

    The queue manager may cancel a signal at any time, but then it delivers it (SIG-08): a signal whose delivery was not
    observed has not been cancelled.
    """
    for handle in list(step.state.handles.values()):
        if handle.signal is None:
            continue
        if handle.queue_deleted:
            if step.choose("is the signal of a deleted queue delivered", (True, False), "SIG-08"):
                post(step, handle, MQEC.WAIT_CANCELED, "SIG-08")
            handle.had_signal = handle.signal is not None
            handle.signal = None
        elif step.state.quiescing and handle.signal.call.options.options & MQGMO.FAIL_IF_QUIESCING:
            codes = (MQEC.Q_MGR_QUIESCING, MQEC.CONNECTION_QUIESCING)
            post(step, handle, step.choose("which code tells of quiescing", codes), "QSC-04")
        elif (
            any_inhibited(step, handle.path, "inhibit_get")
            and step.choose("do inhibited gets cancel a signal", (False, True), "SIG-08")
        ) or _was_seen_cancelled(step, handle.signal):
            post(step, handle, MQEC.WAIT_CANCELED, "SIG-08")


def perhaps_cancel(step: Step, conn: str) -> None:
    """Decide whether the end of its unit of work cancels the signals of a connection (AMB-93)."""
    waiting = [each for each in step.state.handles.values() if each.conn == conn and each.signal is not None]
    if not waiting or not step.choose(_END_OF_UNIT, (False, True), "SIG-08"):
        return
    for handle in waiting:
        post(step, handle, MQEC.WAIT_CANCELED, "SIG-08")


def is_held_up(step: Step, handle: Handle) -> bool:
    """Return whether it is open whether an arrival posts the handle's signal.

    No document says so while gets are inhibited. For a BROWSE_NEXT an arrival may stand before the cursor if the
    physical order is open (VIS-12).
    """
    options = 0 if handle.signal is None else handle.signal.call.options.options
    goes_on = options & MQGMO.BROWSE_NEXT and not options & MQGMO.LOGICAL_ORDER and handle.cursor is not None
    if goes_on and step.state.order_is_open(step.state.queues[handle.queue]):
        return True
    return any_inhibited(step, handle.path, "inhibit_get")


def _due(step: Step, request: GetRequest) -> tuple[int | None, int]:
    """Return when the signal is posted without a message, and with which code."""
    interval, now = request.call.options.wait_interval, step.state.now_ms
    if _may_come_early(request):
        step.because("SIG-13")
        if interval <= 0 or interval > EARLY_MS:
            return now + EARLY_MS, MQEC.MSG_ARRIVED
    return (now + interval if interval > 0 else None), MQEC.WAIT_INTERVAL_EXPIRED


def _may_come_early(request: GetRequest) -> bool:
    """Return whether the call's signal may come without a message: on a queue of a queue-sharing group (AMB-23)."""
    if request.queue.definition.qsg_disposition != "SHARED":
        return False
    wanted = request.matching()
    if wanted.msg_id is not None or wanted.correl_id is not None:
        return False
    return request.browses or request.asks(GROUPING) or bool(request.match_options & MQMO.MATCH_GROUP_ID)


def _elsewhere(step: Step, handle: Handle) -> bool:
    """Return whether the connection has signals outstanding on other queues as well (SIG-21)."""
    own = (other for other in step.state.handles.values() if other.conn == handle.conn and other.signal is not None)
    return any(other.queue != handle.queue for other in own)


def _was_seen_cancelled(step: Step, signal: Signal) -> bool:
    look = step.observed.get(signal.call.identity)
    return look is not None and look(POSTED) == MQEC.WAIT_CANCELED
