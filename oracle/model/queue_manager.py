"""The model as a whole: the function that carries out each call, and a new queue manager."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from oracle.model import channels
from oracle.model.get import get, signals
from oracle.model.objects import attributes, objects
from oracle.model.put import put
from oracle.model.reply import Reply
from oracle.model.reports import reports, scans
from oracle.model.state import State
from oracle.model.step import Observed, Outcome, Step, play
from oracle.model.units import units
from oracle.model.waiting import waiting
from oracle.mqi import calls
from oracle.mqi.constants import MQCC
from oracle.mqi.definitions import QueueDefinition, QueueManagerDefinition
from oracle.mqi.profile import Profile


def new_state(
    queues: Iterable[QueueDefinition],
    definition: QueueManagerDefinition | None = None,
    profile: Profile | None = None,
) -> State:
    """Return the state of a new queue manager: these queues, all empty, no connection, time 0.

    Raises BadInputError if a name is defined twice.
    """
    state = State(definition or QueueManagerDefinition(), profile or Profile())
    for queue in queues:
        state.define(queue)
    return state


def outcomes(
    state: State, call: calls.Call, observed: Mapping[int | None, Observed] | None = None
) -> Iterator[Outcome]:
    """Yield every outcome that the documents allow for a call, the most plainly documented one first.

    The state is not changed. Raises NotModelledError if the call needs behaviour that the model lacks.
    """
    return play(_perform, state, call, observed)


def _perform(step: Step, call: calls.Call) -> Reply:
    signals.cancel_signals(step)
    if isinstance(call, (calls.Commit, calls.Back)):
        signals.perhaps_cancel(step, call.conn)
    reply = _PERFORM[type(call)](step, call)
    if reply.comp_code == MQCC.WARNING:
        step.because("CHK-03")
    if isinstance(call, calls.MqiCall) and not isinstance(call, calls.Connect):
        step.because("CON-08")
    reports.confirm_at_commit(step)
    waiting.serve_waiters(step, call)
    return reply


def _quiesce(step: Step, _call: calls.Quiesce) -> Reply:
    step.state.quiescing = True
    return Reply()


_PERFORM: dict[type, Callable[[Step, Any], Reply]] = {
    calls.Connect: objects.perform_connect,
    calls.Disconnect: objects.perform_disconnect,
    calls.Fail: objects.perform_fail,
    calls.Open: objects.perform_open,
    calls.Close: objects.perform_close,
    calls.Put: put.perform_put,
    calls.Put1: put.perform_put1,
    calls.Get: get.perform_get,
    calls.Commit: units.perform_commit,
    calls.Back: units.perform_back,
    calls.Inquire: attributes.perform_inquire,
    calls.Set: attributes.perform_set,
    calls.Alter: attributes.perform_alter,
    calls.Advance: waiting.perform_advance,
    calls.Quiesce: _quiesce,
    calls.ScanExpired: scans.perform_scan,
    calls.Transmit: channels.perform_transmit,
    calls.Deliver: channels.perform_deliver,
}
