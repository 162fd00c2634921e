"""The C functions that MQCB receives, as Python calls them."""

from __future__ import annotations

import ctypes
from typing import Final

from oracle.errors import NotModelledError
from oracle.mqi.connection_layouts import MQCBD, NATIVE_ORDER, NATIVE_POINTERS
from oracle.mqi.constants import MQRC
from oracle.standin.answers import Failed
from oracle.standin.callbacks import Function

_FUNCTION: Final = ctypes.CFUNCTYPE(None, ctypes.c_int32, *[ctypes.c_void_p] * 4)
"""The type of a program's function: MQHCONN, and the addresses of MQMD, MQGMO, data and MQCBC."""


def function_of(cbd: bytes) -> Function:
    """Return the function of an MQCBD; one that does nothing if there is no MQCBD.

    Raises Failed if it has none or two, and NotModelledError for a function given by its name.
    """
    values = MQCBD.decode(cbd, NATIVE_ORDER, pointer_size=NATIVE_POINTERS) if cbd[:4] == b"CBD " else {}
    if not values:
        return lambda *_: None
    address, name = int(values["CallbackFunction"]), str(values["CallbackName"]).strip(" \0")
    if bool(address) == bool(name):
        raise Failed(MQRC.CALLBACK_ROUTINE_ERROR)
    if name:
        raise NotModelledError("MQCBD.CallbackName: functions are called by their address")
    function = _FUNCTION(address)

    def call(hconn: int, *parts: bytes | None) -> None:
        buffers = [None if part is None else ctypes.create_string_buffer(part, max(1, len(part))) for part in parts]
        function(hconn, *[None if each is None else ctypes.addressof(each) for each in buffers])

    return call
