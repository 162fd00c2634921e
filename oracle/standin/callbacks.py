"""MQCB: the functions that are called with the messages of a handle, or for an event of the connection.

The documents behind it are "MQCB - Manage callback", "MQCBD - Callback descriptor" and "MQCBC - Callback context" of
IBM's documentation. `consuming` calls the functions.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import Final

from oracle.errors import BadInputError, NotModelledError
from oracle.model.requests.option_matrix import BROWSE
from oracle.mqi import calls
from oracle.mqi.binary import Values
from oracle.mqi.connection_layouts import MQCBC, MQCBD, MQCTLO, NATIVE_ORDER, NATIVE_POINTERS
from oracle.mqi.constants import MQCC, MQGMO, MQRC
from oracle.mqi.layouts import MQGMO as GMO
from oracle.standin import verbs
from oracle.standin.answers import UNUSABLE, Failed
from oracle.standin.connections import Connection
from oracle.standin.memory import member
from oracle.standin.options import known, look_at

Function = Callable[[int, bytes | None, bytes | None, bytes | None, bytes], object]
"""A callback: called with the connection's handle, MQMD, MQGMO, data, and MQCBC; None for those that a call lacks."""


class CallbackType(IntEnum):
    """The purpose of a callback (MQCBT)."""

    MESSAGE_CONSUMER = 1
    EVENT_HANDLER = 2


class CallType(IntEnum):
    """The reason for which a function is called (MQCBCT)."""

    START_CALL = 1
    STOP_CALL = 2
    REGISTER_CALL = 3
    DEREGISTER_CALL = 4
    EVENT_CALL = 5
    MSG_REMOVED = 6
    MSG_NOT_REMOVED = 7


class Operation(IntFlag):
    """The operations of MQCB and MQCTL (MQOP)."""

    START = 1
    START_WAIT = 2
    STOP = 4
    REGISTER = 256
    DEREGISTER = 512
    SUSPEND = 65536
    RESUME = 131072


class ConsumerState(IntEnum):
    """The state of a consumer (MQCS)."""

    NONE = 0
    SUSPENDED_TEMPORARY = 1
    SUSPENDED = 3
    STOPPED = 4


REQUESTS: Final = {
    CallType.START_CALL: 1,
    CallType.STOP_CALL: 4,
    CallType.REGISTER_CALL: 256,
    CallType.DEREGISTER_CALL: 512,
}
"""The option of MQCBD that asks for a call of each of these types."""

FAIL_IF_QUIESCING: Final = 8192
"""MQCBDO_FAIL_IF_QUIESCING, and MQCTLO_FAIL_IF_QUIESCING."""

_FULL_MSG_LENGTH: Final = -1
_WHOLE: Final = 1 << 30
_MARKS: Final = MQGMO.MARK_BROWSE_HANDLE | MQGMO.MARK_BROWSE_CO_OP
_PASSING: Final = (MQRC.NO_MSG_AVAILABLE, MQRC.GET_INHIBITED, MQRC.Q_MGR_QUIESCING)
"""Reasons for which a handle has no message now, and may have one later."""

_OPERATIONS: Final = (
    Operation.REGISTER,
    Operation.DEREGISTER,
    Operation.SUSPEND,
    Operation.RESUME,
    Operation.REGISTER | Operation.SUSPEND,
    Operation.REGISTER | Operation.RESUME,
)

_CONTROL_OPERATIONS: Final = (
    Operation.START,
    Operation.START_WAIT,
    Operation.STOP,
    Operation.SUSPEND,
    Operation.RESUME,
)


@dataclass(frozen=True, slots=True)
class Request:
    """The parameters of MQCB."""

    cbd: bytes
    """The MQCBD."""
    hobj: int
    """The handle of the queue."""
    md: bytes
    """The MQMD."""
    gmo: bytes
    """The MQGMO."""
    function: Function
    """The function of the MQCBD."""


@dataclass(eq=False)
class Callback:
    """A registered function."""

    function: Function
    """The function."""
    options: int
    """The options of its MQCBD."""
    area: int
    """The CallbackArea of its MQCBD, which is passed to the function."""
    hobj: int
    """The handle of its queue; UNUSABLE for an event handler."""
    call: calls.Get | None = None
    """The MQGET that brings its messages; None for an event handler."""
    md: bytes = b""
    """The MQMD that MQCB received."""
    gmo: bytes = b""
    """The MQGMO that MQCB received."""
    suspended: bool = False
    """Whether MQCB has suspended it."""
    started: bool = False
    """Whether it has been started, so that its start call was made or is due."""
    due_ms: int | None = None
    """The time at which it is to be called without a message, in milliseconds of the virtual clock."""
    due_now: bool = False
    """Whether it is to be called at once without a message."""
    last_failure: int = MQRC.NONE
    """The last failure that it was called with, as long as that lasts."""

    @property
    def hmsg(self) -> int:
        """The message handle for properties; 0 if there is none."""
        return member(GMO, self.gmo, "MsgHandle")

    @property
    def browses(self) -> bool:
        """Whether its messages stay on the queue."""
        return self.call is not None and bool(self.call.options.options & BROWSE)

    def wants(self, call_type: CallType) -> bool:
        """Return whether it asked for calls of this type, which have no message."""
        return bool(self.options & REQUESTS[call_type])

    @property
    def interval_ms(self) -> int | None:
        """The interval after which it is to be called without a message; None for never."""
        options = None if self.call is None else self.call.options
        if options is None or not options.options & MQGMO.WAIT or options.wait_interval < 0:
            return None
        return options.wait_interval

    def begin(self, now_ms: int) -> None:
        """Note that messages may come from now on."""
        self.due_ms = now_ms + self.interval_ms if self.interval_ms else None
        self.due_now = self.interval_ms == 0
        self.last_failure = MQRC.NONE

    def received(self) -> None:
        """Note that it receives a message."""
        self.due_now = self.interval_ms == 0
        self.last_failure = MQRC.NONE

    def is_due(self, now_ms: int) -> bool:
        """Return whether it is to be called now without a message."""
        return self.due_now or (self.due_ms is not None and now_ms >= self.due_ms)


@dataclass(frozen=True, slots=True)
class Delivery:
    """One call of a function."""

    callback: Callback
    """The callback."""
    call_type: CallType
    """The reason for the call."""
    comp_code: int = MQCC.OK
    """The completion code of the call."""
    reason: int = MQRC.NONE
    """The reason code of the call."""
    state: ConsumerState = ConsumerState.NONE
    """The new state of the consumer, as in the State of the MQCBC."""
    hobj: int = UNUSABLE
    """The handle of the queue; UNUSABLE if the call is about none."""
    md: bytes | None = None
    """The MQMD of the message. None if there is no message."""
    gmo: bytes | None = None
    """The MQMD of the message. None if there is none."""
    data: bytes = b""
    """The contents of the buffer."""
    data_length: int = 0
    """The length of the whole message in bytes."""

    def carry_out(self, hconn: int, connection_area: int) -> None:
        """Call the function."""
        context: Values = {
            "Version": 2,
            "CallType": self.call_type,
            "Hobj": self.hobj,
            "CallbackArea": self.callback.area,
            "ConnectionArea": connection_area,
            "CompCode": self.comp_code,
            "Reason": self.reason,
            "State": self.state,
            "DataLength": self.data_length,
            "BufferLength": len(self.data),
        }
        cbc = MQCBC.encode(context, NATIVE_ORDER, pointer_size=NATIVE_POINTERS)
        data = self.data if self.md is not None else None
        self.callback.function(hconn, self.md, self.gmo, data, cbc)


def operation_of(number: int) -> Operation:
    """Return the operation of MQCB. Raises Failed for an unknown one."""
    if number not in _OPERATIONS:
        raise Failed(MQRC.OPERATION_ERROR)
    return Operation(number)


def control_operation_of(number: int) -> Operation:
    """Return the operation of MQCTL. Raises Failed for an unknown one."""
    if number not in _CONTROL_OPERATIONS:
        raise Failed(MQRC.OPERATION_ERROR)
    return Operation(number)


def control_options_of(ctlo: bytes) -> tuple[int, int]:
    """Return Options and ConnectionArea of an MQCTLO.

    Raises Failed for an invalid structure, and for unknown options.
    """
    try:
        values = MQCTLO.decode(ctlo, NATIVE_ORDER, pointer_size=NATIVE_POINTERS)
    except (BadInputError, struct.error):
        raise Failed(MQRC.CTLO_ERROR) from None
    if int(values["Options"]) & ~known("MQCTLO"):
        raise Failed(MQRC.OPTIONS_ERROR)
    return int(values["Options"]), int(values["ConnectionArea"])


def _descriptor_of(cbd: bytes) -> Values:
    """Read an MQCBD.

    Raises Failed for an invalid structure, and for invalid members.
    """
    try:
        values = MQCBD.decode(cbd, NATIVE_ORDER, pointer_size=NATIVE_POINTERS)
    except (BadInputError, struct.error):
        raise Failed(MQRC.CBD_ERROR) from None
    if values["CallbackType"] not in tuple(CallbackType):
        raise Failed(MQRC.CALLBACK_TYPE_ERROR)
    if int(values["Options"]) & ~known("MQCBDO"):
        raise Failed(MQRC.CBD_OPTIONS_ERROR)
    if int(values["MaxMsgLength"]) < _FULL_MSG_LENGTH:
        raise Failed(MQRC.MAX_MSG_LENGTH_ERROR)
    return values


def new_callback(connection: Connection, request: Request) -> Callback:
    """Return a callback of a handle, or of the connection.

    Raises Failed if an MQGET with these structures would fail for another reason than that there is no message, and
    NotModelledError for what the model lacks.
    """
    descriptor = _descriptor_of(request.cbd)
    function, hobj, md, gmo = request.function, request.hobj, request.md, request.gmo
    options, area = int(descriptor["Options"]), int(descriptor["CallbackArea"])
    look_at("MQCBDO", options)
    if options & FAIL_IF_QUIESCING and connection.manager.state.quiescing:
        raise Failed(MQRC.Q_MGR_QUIESCING)
    if descriptor["CallbackType"] == CallbackType.EVENT_HANDLER:
        return Callback(function, options, area, UNUSABLE)
    length = int(descriptor["MaxMsgLength"])
    asked = member(GMO, gmo, "Options") if gmo[:4] == b"GMO " else 0
    if asked & MQGMO.SET_SIGNAL:
        raise Failed(MQRC.OPTIONS_ERROR)
    if asked & (MQGMO.MSG_UNDER_CURSOR | MQGMO.BROWSE_MSG_UNDER_CURSOR | MQGMO.UNLOCK):
        raise NotModelledError(
            "a callback with an option of MQGET that means one message, such as that under the cursor"
        )
    if asked & MQGMO.BROWSE_FIRST and asked & MQGMO.BROWSE_NEXT:
        raise NotModelledError("a callback with MQGMO_BROWSE_FIRST and MQGMO_BROWSE_NEXT together")
    if asked & _MARKS:
        raise NotModelledError("a callback that marks what it has browsed")
    call = verbs.get_call(connection, hobj, md, gmo, _WHOLE if length == _FULL_MSG_LENGTH else length)
    seen = verbs.look(connection, call, waits=True)
    if seen.failed and seen.reason not in _PASSING:
        raise Failed(seen.reason)
    return Callback(function, options, area, hobj, call, md, gmo)
