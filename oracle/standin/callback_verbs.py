"""MQCB and MQCTL on handles and on structures as bytes."""

from __future__ import annotations

from oracle.mqi.constants import MQRC
from oracle.standin.answers import Answer, Failed, verb
from oracle.standin.callbacks import (
    FAIL_IF_QUIESCING,
    Operation,
    Request,
    control_operation_of,
    control_options_of,
    operation_of,
)
from oracle.standin.connections import Connection, find_to_control, using
from oracle.standin.consuming import Consumption


@verb
def manage_callback(hconn: int, operation: int, request: Request) -> Answer:
    """Carry out an MQCB. Parameters other than the handle of the queue count only for MQOP_REGISTER."""
    with using(hconn) as connection:
        asked = operation_of(operation)
        consumption = _consumption_of(connection)
        registers = asked & Operation.REGISTER
        callback = consumption.register(request) if registers else consumption.registered(request.hobj)
        if asked & Operation.DEREGISTER:
            consumption.deregister(callback, callback.hobj)
        if asked & (Operation.SUSPEND | Operation.RESUME):
            callback.suspended = bool(asked & Operation.SUSPEND)
            callback.begin(connection.manager.state.now_ms)
        return Answer()


@verb
def control_callbacks(hconn: int, operation: int, ctlo: bytes) -> Answer:
    """Carry out an MQCTL."""
    asked, (options, area) = control_operation_of(operation), control_options_of(ctlo)
    connection = find_to_control(hconn)
    with connection.manager.changed:
        if options & FAIL_IF_QUIESCING and connection.manager.state.quiescing:
            raise Failed(MQRC.Q_MGR_QUIESCING)
        consumption = _consumption_of(connection)
        if asked & (Operation.START | Operation.START_WAIT) and not consumption.runs_here:
            consumption.area = area
        return consumption.control(asked)


def _consumption_of(connection: Connection) -> Consumption:
    if not isinstance(connection.consumption, Consumption):
        connection.consumption = Consumption(connection)
    return connection.consumption
