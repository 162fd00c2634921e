"""The contents of a client channel's flows: the parameters of MQI calls and their replies, delivered messages.

An MQI flow is a header of 16 bytes (length, completion code, reason, object handle) and then the structures and
parameters of the call as the C interface has them, with pointers of 4 bytes. Clients also open queues through a service
interface (SPI) and receive messages that they asked for in advance (REQUEST_MSGS and ASYNC_MESSAGE). Each function
raises BadInputError, without a place, if the bytes do not have this form.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from oracle.errors import BadInputError
from oracle.mqi.constants import MQMO
from oracle.mqi.layouts import MQGMO, MQMD, MQOD, MQPMO, WIRE, Values
from oracle.wire.flows import Flow
from oracle.wire.headers import REPLY, Kind

_API_HEADER = 16
_CARRY_DATA = (Kind.MQPUT, Kind.MQPUT1, Kind.MQGET)
_CARRY_OPTIONS = (Kind.MQOPEN, Kind.MQCLOSE)

_STRUCTURES = (MQOD, MQMD, MQGMO, MQPMO)
_LONGEST_STRUCTURE = max(layout.length(layout.versions[-1], WIRE) for layout in _STRUCTURES)

SPI_OPEN = 12
SPI_HARMLESS = (1, 6, 7, 11)
"""Verbs that move no message: query, reserve, subscribe, notify."""

_SPI_OPTIONS = 8  # of MQOPEN, after the eyecatcher LPOO
_SELECTION = 0x10  # a request for messages says which


@dataclass(frozen=True, slots=True)
class Body:
    """The parameters of an MQI call, or of its reply."""

    comp_code: int
    """The completion code of a reply."""
    reason: int
    """The reason code of a reply."""
    hobj: int | None
    """The object handle. None if there is none."""
    structures: dict[str, Values] = field(default_factory=dict)
    """By name, such as MQMD: the members of the structures."""
    number: int | None = None
    """The number after the structures.

    It is the options of MQOPEN and MQCLOSE, the data length of a put and of a get's reply, or the buffer length of a
    get.
    """
    data: bytes = b""
    """The message data, as far as they were captured."""
    whole: bool = True
    """Whether the message data are complete."""

    def long(self, structure: str, member: str) -> int | None:
        """Return an integer member of a structure; None if it is absent."""
        value = self.structures.get(structure, {}).get(member)
        return value if isinstance(value, int) else None

    def text(self, structure: str, member: str) -> str | None:
        """Return a text member of a structure; None if it is absent or blank."""
        value = self.structures.get(structure, {}).get(member)
        return value or None if isinstance(value, str) else None


def read_body(flow: Flow) -> Body:
    """Read an MQI request or reply."""
    kind = flow.kind & ~REPLY
    hobj = flow.long(12)
    comp_code, reason = flow.long(4), flow.long(8)
    structures, at = _structures(flow, _API_HEADER)
    number, data = None, b""
    if kind in _CARRY_DATA and len(flow.body) >= at + 4:
        number = flow.long(at)
        data = flow.body[at + 4 :]
    elif kind in _CARRY_OPTIONS and len(flow.body) >= at + 4:
        number = flow.long(at)
    return Body(comp_code, reason, None if hobj in (0, -1) else hobj, structures, number, data, flow.whole)


def _structures(flow: Flow, at: int) -> tuple[dict[str, Values], int]:
    """Read the structures at an offset. Return them by name, and where they end."""
    found: dict[str, Values] = {}
    while True:
        head = flow.body[at : at + _LONGEST_STRUCTURE]
        layout = next((each for each in _STRUCTURES if each.starts(head, flow.charset)), None)
        if layout is None:
            return found, at
        values = found[layout.name] = layout.decode(head, flow.order, flow.charset)
        at += layout.length(int(values["Version"]), WIRE)
        if values.get("RecsPresent"):
            raise BadInputError("a distribution list is not read")


def spi_verb(flow: Flow) -> int:
    """Return the verb of the service interface that a flow calls."""
    return flow.long(_API_HEADER)


def read_spi_open(flow: Flow) -> Body:
    """Read an MQOPEN, or its reply, that came through the service interface."""
    comp_code, reason, hobj = flow.long(4), flow.long(8), flow.long(12)
    options = flow.body.find("LPOO".encode(flow.charset))
    found: dict[str, Values] = {}
    for version in MQOD.versions:
        # The identifier alone could also be found in a blank-padded name that ends in OD.
        start = "OD  ".encode(flow.charset) + version.to_bytes(4, flow.order)
        at = flow.body.find(start)
        if at >= 0:
            found, _ = _structures(flow, at)
    if options < 0 or "MQOD" not in found:
        if comp_code == 0:
            raise BadInputError("an open through the service interface lacks its MQOD")
        return Body(comp_code, reason, None)
    number = flow.long(options + _SPI_OPTIONS)
    return Body(comp_code, reason, None if hobj in (0, -1) else hobj, found, number)


@dataclass(frozen=True, slots=True)
class Asking:
    """A request for messages."""

    hobj: int
    """The client's number for the handle."""
    selection: int | None
    """The number of its selection. None: it selects as the request before."""
    columns: dict[str, int | str | None]
    """Its selection as columns of the event log."""


def read_asking(flow: Flow) -> Asking:
    """Read a REQUEST_MSGS flow."""
    columns: dict[str, int | str | None] = {"options": flow.long(20), "wait_ms": flow.long(24)}
    if not flow.long(32) & _SELECTION:
        return Asking(flow.long(4), None, columns)
    match = flow.long(60)
    columns |= {"match_options": match, "sel_seq_number": flow.long(52), "sel_offset": flow.long(56)}
    at = 64
    for option, column, size in (
        (MQMO.MATCH_MSG_ID, "sel_msg_id", 24),
        (MQMO.MATCH_CORREL_ID, "sel_correl_id", 24),
        (MQMO.MATCH_GROUP_ID, "sel_group_id", 24),
        (MQMO.MATCH_MSG_TOKEN, "sel_token", 16),
    ):
        if match & option:
            identifier = flow.body[at : at + size]
            if len(identifier) < size:
                raise BadInputError("a request for messages lacks an identifier that it matches")
            columns[column] = identifier.hex()
            at += size
    return Asking(flow.long(4), int.from_bytes(flow.body[40:42], flow.order), columns)


@dataclass(frozen=True, slots=True)
class Delivery:
    """A message that was sent to a consumer."""

    hobj: int
    """The client's number for the handle."""
    selection: int
    """The number of the selection by which it was got."""
    reason: int
    """The reason code with which it was got."""
    captured: int
    """The number of bytes of its data that were sent."""
    total: int
    """The number of bytes of its data."""
    queue: str | None
    """The name of the queue. None if it is not repeated."""
    body: Body
    """The message."""


def read_delivery(flow: Flow) -> Delivery:
    """Read an ASYNC_MESSAGE flow."""
    numbers = flow.body[20:24]
    if len(flow.body) < 55 or int.from_bytes(numbers[:2], flow.order) != 0:
        raise BadInputError("a delivered message lacks its beginning")
    name_end = 55 + flow.body[54]
    queue = flow.body[55:name_end].decode(flow.charset, errors="replace").partition("\0")[0].strip(" ")
    # The name is padded to a multiple of four, or by four more: the message descriptor shows which.
    start = (name_end + 3) // 4 * 4
    if not MQMD.starts(flow.body[start:], flow.charset):
        start += 4
    structures, at = _structures(flow, start)
    reason, total = flow.long(24), flow.long(32)
    body = Body(0, reason, None, structures, total, flow.body[at:] if structures else b"", flow.whole)
    return Delivery(
        hobj=flow.long(4),
        selection=int.from_bytes(numbers[2:], flow.order),
        reason=reason,
        captured=flow.long(28),
        total=total,
        queue=queue or None,
        body=body,
    )


def server_name(flow: Flow) -> str | None:
    """Return the queue manager's name in the server's initial data, if it has one."""
    name = flow.body[48:96].decode(flow.charset, errors="replace").partition("\0")[0].strip(" ")
    has_name = flow.body[:4] == "ID  ".encode(flow.charset) and len(flow.body) >= 96
    return name or None if has_name else None


def connect_name(flow: Flow) -> str | None:
    """Return the queue manager's name that MQCONN received; None if any would do."""
    name = flow.body[16:64].decode(flow.charset, errors="replace").partition("\0")[0].strip(" ")
    return None if name.startswith("*") else name or None


def connection_id(flow: Flow) -> bytes | None:
    """Return the connection identifier in the reply to MQCONN, if it has one."""
    identifier = flow.body[148:172]
    has_it = flow.body[136:140] == "FCNO".encode(flow.charset) and len(identifier) == 24
    return identifier if has_it and any(identifier) else None
