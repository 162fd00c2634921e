"""The model as a whole: which function carries out which call, and a queue manager as new."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from oracle import calls
from oracle.definitions import QueueDefinition, QueueManagerDefinition
from oracle.model import attributes, get, objects, put, units, waiting
from oracle.model.discards import discard
from oracle.model.expiry import has_expired
from oracle.model.reply import Reply
from oracle.model.state import State
from oracle.model.step import Observed, Outcome, Step, play
from oracle.profile import Profile


def new_state(
    queues: Iterable[QueueDefinition],
    definition: QueueManagerDefinition | None = None,
    profile: Profile | None = None,
) -> State:
    """Return a queue manager as new: these queues, all empty, no connection, time 0.

    Raises BadInputError if a name is defined twice, NotModelledError for a kind of queue that the model lacks.
    """
    state = State(definition or QueueManagerDefinition(), profile or Profile())
    attributes.refuse_unmodelled_manager(state.definition, zos=state.profile.zos)
    for queue in queues:
        attributes.refuse_unmodelled_queue(queue)
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
    reply = _PERFORM[type(call)](step, call)
    waiting.serve_waiters(step)
    return reply


def _quiesce(step: Step, call: calls.Quiesce) -> Reply:  # noqa: ARG001 - the event has no arguments
    step.state.quiescing = True
    return Reply()


def _scan_expired(step: Step, call: calls.ScanExpired) -> Reply:
    """Discard expired messages on request, which only z/OS does (ZOS-06)."""
    if not step.state.profile.zos:
        return Reply()
    for queue in step.state.queues.values():
        if call.queues is not None and queue.name not in call.queues:
            continue
        for message in queue.messages:
            if message.put_by is None and message.got_by is None and has_expired(step, message):
                discard(step, queue, message)
                step.because("ZOS-06")
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
    calls.ScanExpired: _scan_expired,
}
