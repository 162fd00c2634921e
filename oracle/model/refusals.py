"""The refusals of a call without its execution, for callers that do not know the whole state.

An audit knows a call's options, its handle and some of its message, but not what else is on the queue. A call that is
refused here is refused whatever that may be.
"""

from __future__ import annotations

from collections.abc import Iterator

from oracle.errors import NotModelledError
from oracle.model.checks import Refusal, find_handle
from oracle.model.get.checks import get_refusals, request_on_handle
from oracle.model.objects.attributes import inquire_refusals, set_refusals
from oracle.model.objects.objects import open_refusals
from oracle.model.put.put import put1_refusals, put_refusals
from oracle.model.requests.put import put_request
from oracle.model.state import State
from oracle.model.step import Step
from oracle.mqi.calls import Call, Get, Inquire, Open, Put, Put1, Set


def refusals(state: State, call: Call) -> tuple[Refusal, ...]:
    """Return every condition that fails a call in a state before it does anything; the state is not changed.

    It knows MQOPEN, MQPUT, MQPUT1, MQGET, MQINQ and MQSET. Raises NotModelledError for other calls, and as the model
    does.
    """
    return tuple(_refusals(Step(state.copy()), call))


def _refusals(step: Step, call: Call) -> Iterator[Refusal]:
    if isinstance(call, Get):
        yield from get_refusals(step, call, request_on_handle(step, call))
    elif isinstance(call, Open):
        yield from open_refusals(step, call)
    elif isinstance(call, Put):
        handle = find_handle(step, call.conn, call.hobj)
        if isinstance(handle, Refusal):
            yield handle
        else:
            yield from put_refusals(step, put_request(step, call, handle.path, handle), handle)
    elif isinstance(call, Put1):
        yield from put1_refusals(step, call)
    elif isinstance(call, Inquire):
        yield from inquire_refusals(step, call, find_handle(step, call.conn, call.hobj))
    elif isinstance(call, Set):
        yield from set_refusals(step, call, find_handle(step, call.conn, call.hobj))
    else:
        raise NotModelledError(f"what refuses {type(call).__name__} is not modelled apart from the call")
