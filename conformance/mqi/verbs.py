"""The verbs of the target protocol as calls of the C interface: arguments out, replies back.

Codes are those that the call returned. Members that the protocol leaves out of a reply are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from conformance.mqi import structures
from conformance.mqi.attributes import INQUIRED, QUEUES_NAMED, Attribute, inquired, selectors
from conformance.mqi.library import UNTOUCHED, UNUSABLE
from conformance.mqi.names import Names
from oracle.mqi.constants import MQCC, MQENC, MQGMO, MQWI
from oracle.mqi.layouts import MQGMO as GET_OPTIONS
from oracle.mqi.layouts import MQMD, MQPMO
from oracle.mqi.without_outputs import WITHOUT_OUTPUTS

Reply = dict[str, Any]
Request = Mapping[str, Any]

_UNKNOWN: Final = Attribute(0)
"""An attribute that no object has: its selector is invalid."""

_NO_CAP: Final = -1


@dataclass
class Connection:
    """The data of a connection for its calls."""

    names: Names
    """The names here and on the queue manager."""
    manager: str
    """The name of the queue manager. Empty: the default one."""
    options: bytes
    """The MQCNO for MQCONNX."""
    hconn: int = UNUSABLE
    """The handle. UNUSABLE if there is no connection."""
    identifier: bytes = b""
    """The ConnectionId. Empty before the first MQCONNX."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A call, ready to be made."""

    method: str
    """The name of the method of `Library`."""
    arguments: tuple[Any, ...]
    """Its arguments."""
    reply: Callable[[Any], Reply] = field(repr=False)
    """A function that makes a reply from the results."""


def prepare(connection: Connection, request: Request) -> Prepared:
    """Make a call from a request.

    Raises BadInputError if a member cannot be written.
    """
    return _VERBS[request["verb"]](connection, request)


def waits(request: Request) -> bool:
    """Return whether a request is an MQGET that may wait."""
    options = request.get("MQGMO", {})
    interval = options.get("WaitInterval", 0)
    may = interval > 0 or interval == MQWI.UNLIMITED
    return bool(request["verb"] == "MQGET" and options.get("Options", 0) & MQGMO.WAIT and may)


def _codes(comp_code: int, reason: int, **members: Any) -> Reply:
    if comp_code == MQCC.FAILED or reason in WITHOUT_OUTPUTS:
        members = {}
    return {"CompCode": comp_code, "Reason": reason, **members}


def _plain(values: Any) -> Reply:
    return _codes(*values[-2:])


def _connect(connection: Connection, _request: Request) -> Prepared:
    def reply(values: Any) -> Reply:
        connection.hconn, options = values[:2]
        if values[2] != MQCC.FAILED:
            connection.identifier = structures.connection_id(options)
        return _plain(values)

    return Prepared("connect", (structures.characters(connection.manager), connection.options), reply)


def _disconnect(connection: Connection, _request: Request) -> Prepared:
    def reply(values: Any) -> Reply:
        connection.hconn = values[0]
        return _plain(values)

    return Prepared("disconnect", (connection.hconn,), reply)


def _open(connection: Connection, request: Request) -> Prepared:
    name, given = request["ObjectName"], request.get("MQOD", {})

    def reply(values: Any) -> Reply:
        hobj, od, comp_code, reason = values
        if comp_code == MQCC.FAILED:
            return _codes(comp_code, reason)
        return _codes(comp_code, reason, Hobj=hobj, ObjectName=structures.object_name(od, connection.names))

    od = structures.object_descriptor(name, given, connection.names)
    return Prepared("open", (connection.hconn, od, _signed(request["Options"])), reply)


def _close(connection: Connection, request: Request) -> Prepared:
    return Prepared("close", (connection.hconn, request["Hobj"], _signed(request.get("Options", 0))), _plain)


def _put(connection: Connection, request: Request) -> Prepared:
    return _any_put("put", (connection.hconn, request["Hobj"]), connection, request)


def _put1(connection: Connection, request: Request) -> Prepared:
    od = structures.object_descriptor(request["ObjectName"], request.get("MQOD", {}), connection.names)
    return _any_put("put1", (connection.hconn, od), connection, request)


def _any_put(method: str, where: tuple[Any, ...], connection: Connection, request: Request) -> Prepared:
    names, members = connection.names, request.get("MQMD", {})

    def reply(values: Any) -> Reply:
        md, pmo, comp_code, reason = values
        if comp_code == MQCC.FAILED:
            return _codes(comp_code, reason)
        found = structures.unpack(MQMD, md, names)
        resolved = structures.unpack(MQPMO, pmo, names)
        return _codes(
            comp_code,
            reason,
            MQMD=structures.outputs(found, structures.PUT_OUTPUTS),
            MQPMO=structures.outputs(resolved, structures.RESOLVED_OUTPUTS),
        )

    whole = bytes.fromhex(request.get("data", ""))
    data = names.data_out(
        whole, members.get("Format", ""), members.get("CodedCharSetId", 0), members.get("Encoding", MQENC.NATIVE)
    )
    md = structures.descriptor(members, names)
    pmo = structures.put_options(request.get("MQPMO", {}), names)
    return Prepared(method, (*where, md, pmo, data), reply)


def _get(connection: Connection, request: Request) -> Prepared:
    names = connection.names

    def reply(values: Any) -> Reply:
        md, gmo, filled, data_length, _, comp_code, reason = values
        if comp_code == MQCC.FAILED:
            return _codes(comp_code, reason)
        options = structures.unpack(GET_OPTIONS, gmo, names)
        members: Reply = {"MQGMO": structures.outputs(options, structures.GET_OUTPUTS)}
        if request.get("MQMD", {}).get("Version", 2) in MQMD.versions:
            found = members["MQMD"] = structures.unpack(MQMD, md, names)
            filled = names.data_back(filled, found["Format"], found["CodedCharSetId"], found["Encoding"])
        if data_length != UNTOUCHED:
            members |= {"data": filled.hex(), "DataLength": data_length}
        return _codes(comp_code, reason, **members)

    md = structures.descriptor(request.get("MQMD", {}), names)
    gmo = structures.get_options(request.get("MQGMO", {}), names)
    return Prepared("get", (connection.hconn, request["Hobj"], md, gmo, request["BufferLength"]), reply)


def _commit(connection: Connection, _request: Request) -> Prepared:
    return Prepared("commit", (connection.hconn,), _plain)


def _back(connection: Connection, _request: Request) -> Prepared:
    return Prepared("back", (connection.hconn,), _plain)


def _inquire(connection: Connection, request: Request) -> Prepared:
    wanted = request["attributes"]
    attributes = [INQUIRED.get(name, _UNKNOWN) for name in wanted]

    def reply(values: Any) -> Reply:
        integers, text, comp_code, reason = values
        found = dict(zip(wanted, inquired(attributes, integers, text), strict=True))
        if comp_code == MQCC.WARNING:
            found = {name: value for name, value in found.items() if not _not_there(name, value)}
        return _codes(comp_code, reason, values={name: _inside(connection, name, v) for name, v in found.items()})

    return Prepared("inquire", (connection.hconn, request["Hobj"], *selectors(attributes)), reply)


def _not_there(name: str, value: int | str) -> bool:
    """Return whether a value is the one that MQINQ returns for an attribute that the object lacks.

    Every queue has CAPEXPRY, and -1 is its value for no cap.
    """
    if name == "CAPEXPRY":
        return False
    return value == -1 or (isinstance(value, str) and bool(value) and not value.strip("*"))


def _inside(connection: Connection, name: str, value: int | str) -> int | str:
    if name == "CAPEXPRY" and value == _NO_CAP:
        return 0
    return connection.names.back(value) if name in QUEUES_NAMED and isinstance(value, str) else value


def _set(connection: Connection, request: Request) -> Prepared:
    given = [(INQUIRED.get(name, _UNKNOWN), value) for name, value in request["values"].items()]
    values = [(attribute, attribute.out(value)) for attribute, value in given]
    arguments = (
        [attribute.selector for attribute, _ in values],
        [value for attribute, value in values if not attribute.length],
        b"".join(str(value).encode("latin-1").ljust(a.length)[: a.length] for a, value in values if a.length),
    )
    return Prepared("set", (connection.hconn, request["Hobj"], *arguments), _plain)


def _signed(options: int) -> int:
    return options - 2**32 if options >= 2**31 else options


_VERBS: Final[Mapping[str, Callable[[Connection, Request], Prepared]]] = {
    "MQCONN": _connect,
    "MQDISC": _disconnect,
    "MQOPEN": _open,
    "MQCLOSE": _close,
    "MQPUT": _put,
    "MQPUT1": _put1,
    "MQGET": _get,
    "MQCMIT": _commit,
    "MQBACK": _back,
    "MQINQ": _inquire,
    "MQSET": _set,
}
