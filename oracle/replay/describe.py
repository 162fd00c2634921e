"""Calls and replies as text to read, one line each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from oracle.judging.compare import key_of
from oracle.judging.message_names import MessageNames
from oracle.mqi.calls import Advance, Call, Put, Put1
from oracle.mqi.constants import MQCC, MQCO, MQGMO, MQMF, MQMO, MQOO, MQPMO, MQRC
from oracle.protocol import ObservedReply, format_call
from oracle.replay.stand_in import StandIn

_FLAGS: Final = {
    "MQMD.MsgFlags": MQMF,
    "MQGMO.Options": MQGMO,
    "MQGMO.MatchOptions": MQMO,
    "MQPMO.Options": MQPMO,
    "MQOPEN.Options": MQOO,
    "MQCLOSE.Options": MQCO,
}
_SHOWN: Final = 32
"""The number of characters of data that are shown."""


def describe(call: Call) -> str:
    """Return a call on one line: connection, verb and the arguments that are not the initial ones."""
    if isinstance(call, Advance):
        return f"advance {call.milliseconds} ms"
    request = format_call(call)
    verb = request.pop("verb", request.pop("op"))
    request.pop("op", None)
    conn = request.pop("conn", None)
    if isinstance(call, Put | Put1) and isinstance(call.data, StandIn):
        request["data"] = f"<{len(call.data)} bytes>"
    return " ".join([*([] if conn is None else [conn]), verb, *_arguments(verb, request)])


def _arguments(verb: str, request: Mapping[str, Any]) -> Iterator[str]:
    for name, value in request.items():
        if name in ("MQMD", "MQGMO", "MQPMO", "MQOD"):
            yield from (_argument(f"{name}.{member}", member, inner) for member, inner in value.items())
        else:
            yield _argument(f"{verb}.{name}", name, value)


def _argument(full_name: str, name: str, value: object) -> str:
    if full_name in _FLAGS and isinstance(value, int):
        return f"{name}={_FLAGS[full_name].describe(value)}"
    if name == "data" and isinstance(value, str) and len(value) > _SHOWN:
        return f"data={value[:_SHOWN]}... ({len(value) // 2} bytes)"
    return f"{name}={value}"


def describe_reply(observed: ObservedReply, names: MessageNames) -> str:
    """Return a reply on one line: codes, message, and the waiting calls that ended."""
    text = "pending" if observed.pending else f"{MQCC.name_of(observed.comp_code)} {MQRC.describe(observed.reason)}"
    key = key_of(observed)
    if key is not None:
        text += f", message {names.of(key)}"
    if "data" in observed.members:
        text += f" with {len(observed.members['data'])} bytes of data"
    if "values" in observed.members:
        text += f", {', '.join(f'{name} {value}' for name, value in observed.members['values'].items())}"
    if observed.completed:
        ended = ", ".join(f"{identity}: {describe_reply(done, names)}" for identity, done in observed.completed.items())
        text += f"; ended waiting calls {ended}"
    return text
