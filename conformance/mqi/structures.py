"""Structures of requests as bytes of the C interface, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from conformance.mqi.names import Names
from oracle.errors import BadInputError
from oracle.judging.compare import PUT_RULES
from oracle.mqi.binary import Layout, Values
from oracle.mqi.connection_layouts import MQCNO, MQCSP, NATIVE_ORDER, NATIVE_POINTERS
from oracle.mqi.constants import MQOT
from oracle.mqi.layouts import MQGMO, MQMD, MQOD, MQPMO

NEWEST: Final[Mapping[str, int]] = {"MQMD": 2, "MQGMO": 4, "MQPMO": 3, "MQOD": 4}
"""The default version of each structure (target protocol)."""

_QUEUES: Final = frozenset({"ReplyToQ", "ResolvedQName"})
_MANAGERS: Final = frozenset({"ObjectQMgrName", "ReplyToQMgr", "ResolvedQMgrName"})
_BITS: Final = frozenset({"Report", "MsgFlags", "Options", "MatchOptions"})
"""Unsigned members."""

PUT_OUTPUTS: Final = tuple(member.removeprefix("MQMD.") for member in PUT_RULES)
GET_OUTPUTS: Final = (
    "GroupStatus",
    "SegmentStatus",
    "Segmentation",
    "MsgToken",
    "ReturnedLength",
    "ResolvedQName",
)
RESOLVED_OUTPUTS: Final = ("ResolvedQName", "ResolvedQMgrName")

_CLIENT_BINDING: Final = 2048
_NO_RECONNECTION: Final = 0x02000000
_USER_AND_PASSWORD: Final = 1
_CNO_VERSION: Final = 5


def pack(layout: Layout, members: Mapping[str, Any], names: Names) -> bytes:
    """Return a structure of a request as bytes; for a version that does not exist, only the version is wrong.

    Raises BadInputError if a value does not fit.
    """
    newest = NEWEST[layout.name]
    version = members.get("Version", newest)
    values: Values = {name: _out(name, value, names) for name, value in members.items() if name in layout.defaults}
    real = version if version in layout.versions else newest
    data = layout.encode({**values, "Version": real}, NATIVE_ORDER, pointer_size=NATIVE_POINTERS)
    return data[:4] + int(version).to_bytes(4, NATIVE_ORDER, signed=True) + data[8:]


def unpack(layout: Layout, data: bytes, names: Names) -> dict[str, Any]:
    """Return a structure as members of a reply."""
    values = layout.decode(data, NATIVE_ORDER, pointer_size=NATIVE_POINTERS)
    return {name: _back(name, value, names) for name, value in values.items()}


def outputs(found: Mapping[str, Any], members: tuple[str, ...]) -> dict[str, Any]:
    """Return the members that the structure's version has."""
    return {name: found[name] for name in members if name in found}


def connect_options(*, client: bool, user: str, password: str) -> bytes:
    """Return MQCNO, followed by the data that its offsets point to; no address is needed."""
    length = MQCNO.length(_CNO_VERSION, NATIVE_POINTERS)
    values: Values = {
        "Version": _CNO_VERSION,
        "Options": _NO_RECONNECTION | (_CLIENT_BINDING if client else 0),
        "SecurityParmsOffset": length if user else 0,
    }
    options = MQCNO.encode(values, NATIVE_ORDER, pointer_size=NATIVE_POINTERS)
    if not user:
        return options
    name, secret = user.encode(), password.encode()
    after = MQCSP.length(1, NATIVE_POINTERS)
    security: Values = {
        "AuthenticationType": _USER_AND_PASSWORD,
        "CSPUserIdOffset": after,
        "CSPUserIdLength": len(name),
        "CSPPasswordOffset": after + len(name),
        "CSPPasswordLength": len(secret),
    }
    return options + MQCSP.encode(security, NATIVE_ORDER, pointer_size=NATIVE_POINTERS) + name + secret


def connection_id(options: bytes) -> bytes:
    """Return the identifier of a connection from the returned MQCNO."""
    found = MQCNO.decode(options, NATIVE_ORDER, pointer_size=NATIVE_POINTERS)
    return bytes.fromhex(str(found["ConnectionId"]))


def descriptor(members: Mapping[str, Any], names: Names) -> bytes:
    """Return MQMD."""
    return pack(MQMD, members, names)


def object_descriptor(object_name: str, members: Mapping[str, Any], names: Names) -> bytes:
    """Return MQOD for an object; a dynamic queue gets its name under the prefix.

    Raises InapplicableError if that has no room there.
    """
    of_queue = members.get("ObjectType", MQOT.Q) == MQOT.Q
    name = names.out(object_name) if of_queue else names.manager_out(object_name)
    dynamic = names.dynamic_out(members.get("DynamicQName", names.dynamic_q_name))
    return pack(MQOD, {**members, "DynamicQName": dynamic, "ObjectName": name}, names)


def object_name(od: bytes, names: Names) -> str:
    """Return the name of the object that was opened."""
    return names.back(str(unpack(MQOD, od, names)["ObjectName"]))


def get_options(members: Mapping[str, Any], names: Names) -> bytes:
    """Return MQGMO."""
    return pack(MQGMO, members, names)


def put_options(members: Mapping[str, Any], names: Names) -> bytes:
    """Return MQPMO."""
    return pack(MQPMO, members, names)


def _out(name: str, value: Any, names: Names) -> Any:
    if name in _QUEUES:
        return names.out(value)
    return names.manager_out(value) if name in _MANAGERS else value


def _back(name: str, value: Any, names: Names) -> Any:
    if name in _QUEUES:
        return names.back(value)
    if name in _MANAGERS:
        return names.manager_back(value)
    return value & 0xFFFFFFFF if name in _BITS else value


def characters(name: str) -> bytes:
    """Return a name as the 48 characters of a parameter.

    Raises BadInputError if it is too long.
    """
    data = name.encode("latin-1", errors="replace")
    if len(data) > 48:
        raise BadInputError(f"{name!r} is longer than a name of 48 characters")
    return data.ljust(48)
