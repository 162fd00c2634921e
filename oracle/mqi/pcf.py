"""Programmable command format: commands for a queue manager and its responses, as the data of messages.

A message is a header (MQCFH) and parameters. Each parameter has a number, a selector of an attribute or one of the
command's own, and a value: an integer, a text, bytes, or a list of integers or of texts. Filters are read, groups are
skipped; none of the commands used here has them.

>>> message = CommandMessage(Command.DELETE_Q, {2016: "ORDERS"})
>>> CommandMessage.decode(message.encode("little"), "little") == message
True
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from oracle.errors import BadInputError
from oracle.mqi.binary import ASCII, ByteOrder

Parameter = int | str | bytes | tuple[int, ...] | tuple[str, ...]

COMMAND_QUEUE: Final = "SYSTEM.ADMIN.COMMAND.QUEUE"
REPLY_MODEL_QUEUE: Final = "SYSTEM.DEFAULT.MODEL.QUEUE"

_HEADER: Final = "9i"
_HEADER_LENGTH: Final = 36
_TEXT_CCSID: Final = 0
"""The text is in the character set of the message."""


class Command(IntEnum):
    """Commands (MQCMD)."""

    CHANGE_Q_MGR = 1
    INQUIRE_Q_MGR = 2
    CHANGE_Q = 8
    CLEAR_Q = 9
    COPY_Q = 10
    CREATE_Q = 11
    DELETE_Q = 12
    INQUIRE_Q = 13
    REFRESH_Q_MGR = 16
    INQUIRE_Q_NAMES = 18
    PING_Q_MGR = 40
    INQUIRE_Q_STATUS = 41
    INQUIRE_CONNECTION = 85
    STOP_CONNECTION = 86
    INQUIRE_Q_MGR_STATUS = 161


class Kind(IntEnum):
    """Types of messages (MQCFT)."""

    COMMAND = 1
    RESPONSE = 2
    COMMAND_XR = 16
    XR_MSG = 17
    XR_ITEM = 18
    XR_SUMMARY = 19


class _Form(IntEnum):
    """Types of parameters (MQCFT)."""

    INTEGER = 3
    STRING = 4
    INTEGER_LIST = 5
    STRING_LIST = 6
    BYTE_STRING = 9
    INTEGER_FILTER = 13
    STRING_FILTER = 14
    BYTE_STRING_FILTER = 15
    INTEGER64 = 23
    INTEGER64_LIST = 25


class Failed(IntEnum):
    """Reason codes of commands (MQRCCF) with an action for the user."""

    CFH_COMMAND_ERROR = 3007
    COMMAND_FAILED = 3008
    CFIN_PARM_ID_ERROR = 3014
    CFST_PARM_ID_ERROR = 3015
    Q_TYPE_ERROR = 3022
    CONNECTION_ID_ERROR = 3174
    NONE_FOUND = 3200
    OBJECT_OPEN_FORCE = 3210
    PARM_MISSING = 3228
    PARM_VALUE_ERROR = 3229
    UNKNOWN_OBJECT_NAME = 3312
    OBJECT_ALREADY_EXISTS = 4001
    OBJECT_WRONG_TYPE = 4002
    LIKE_OBJECT_WRONG_TYPE = 4003
    OBJECT_OPEN = 4004
    ATTR_VALUE_ERROR = 4005
    Q_WRONG_TYPE = 4007
    OBJECT_NAME_ERROR = 4008


class Selector(IntEnum):
    """Parameters that belong to commands and not to objects (MQIACF, MQCACF, MQBACF)."""

    Q_ATTRS = 1002
    FORCE = 1005
    REPLACE = 1006
    PURGE = 1007
    ALL = 1009
    REFRESH_TYPE = 1078
    CONNECTION_ATTRS = 1107
    Q_NAMES = 3011
    FROM_Q_NAME = 3001
    TO_Q_NAME = 3002
    COMMAND_SCOPE = 3080
    RESPONSE_Q_MGR_NAME = 3070
    CONNECTION_ID = 7006
    GENERIC_CONNECTION_ID = 7007


class Operator(IntEnum):
    """The condition of a filter on an attribute (MQCFOP); others are not evaluated."""

    LESS = 1
    EQUAL = 2
    NOT_GREATER = 3
    GREATER = 4
    NOT_EQUAL = 5
    NOT_LESS = 6
    LIKE = 18
    NOT_LIKE = 21


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on an attribute."""

    selector: int
    """The selector of the attribute."""
    operator: int
    """One of MQCFOP."""
    value: int | str | bytes
    """The value that the attribute is compared with. Text may end in an asterisk, for any text with that beginning."""

    def admits(self, value: int | str | bytes) -> bool:
        """Return whether an object with this value of the attribute passes.

        Raises BadInputError for an operator that is not known here.
        """
        if self.operator in (Operator.LIKE, Operator.NOT_LIKE):
            wanted, found = str(self.value), str(value)
            alike = found.startswith(wanted[:-1]) if wanted.endswith("*") else found == wanted
            return alike == (self.operator == Operator.LIKE)
        if self.operator not in _ORDERS:
            raise BadInputError(f"a filter has the operator {self.operator}, which is not known here")
        mine, other = (value, self.value) if isinstance(value, type(self.value)) else (str(value), str(self.value))
        return ((mine > other) - (mine < other)) in _ORDERS[self.operator]  # type: ignore[operator] # of one type


_ORDERS: Final[Mapping[int, tuple[int, ...]]] = {
    Operator.LESS: (-1,),
    Operator.EQUAL: (0,),
    Operator.NOT_GREATER: (-1, 0),
    Operator.GREATER: (1,),
    Operator.NOT_EQUAL: (-1, 1),
    Operator.NOT_LESS: (0, 1),
}
"""The results of comparing an attribute with the value of a filter, by operator."""


@dataclass(frozen=True)
class CommandMessage:
    """A command, or one message of the response to it."""

    command: int
    """The number of the command, one of MQCMD."""
    parameters: Mapping[int, Parameter] = field(default_factory=dict)
    """The parameters by selector, in their order."""
    kind: int = Kind.COMMAND
    """The kind of message: a value of Kind."""
    comp_code: int = 0
    """CompCode of a response, 0 in a command."""
    reason: int = 0
    """Reason of a response, 0 in a command."""
    number: int = 1
    """The number of the message among those of the response, from 1."""
    last: bool = True
    """Whether no more messages of the response follow."""
    version: int = 1
    """The version of the header."""
    filters: tuple[Filter, ...] = ()
    """Conditions; they are read, not written."""

    def encode(self, order: ByteOrder, charset: str = ASCII) -> bytes:
        """Write the message; integers of more than 32 bits become 64-bit parameters."""
        mark = _mark(order)
        header = (
            self.kind,
            _HEADER_LENGTH,
            self.version,
            self.command,
            self.number,
            int(self.last),
            self.comp_code,
            self.reason,
            len(self.parameters),
        )
        body = (_written(selector, value, mark, charset) for selector, value in self.parameters.items())
        return struct.pack(mark + _HEADER, *header) + b"".join(body)

    @classmethod
    def decode(cls, data: bytes, order: ByteOrder, charset: str = ASCII) -> CommandMessage:
        """Read a message.

        Raises BadInputError if the data are not of the format.
        """
        mark = _mark(order)
        if len(data) < _HEADER_LENGTH:
            raise BadInputError(f"a command message ends after {len(data)} bytes")
        kind, length, version, command, number, control, comp_code, reason, count = struct.unpack_from(
            mark + _HEADER, data
        )
        if length != _HEADER_LENGTH:
            raise BadInputError(f"a command message has a header of {length} bytes")
        parameters: dict[int, Parameter] = {}
        filters: list[Filter] = []
        at = _HEADER_LENGTH
        for _ in range(count):
            piece = _piece(data, at, mark)
            at += len(piece)
            try:
                _read(piece, mark, charset, parameters)
                filters += _read_filter(piece, mark, charset)
            except struct.error as error:
                raise BadInputError(f"a parameter of a command message is cut short at byte {at}") from error
        return cls(command, parameters, kind, comp_code, reason, number, control == 1, version, tuple(filters))


def _mark(order: ByteOrder) -> str:
    return "<" if order == "little" else ">"


def _piece(data: bytes, at: int, mark: str) -> bytes:
    """Return the parameter at an offset."""
    if len(data) < at + 12:
        raise BadInputError(f"a command message lacks a parameter at byte {at}")
    length = struct.unpack_from(mark + "i", data, at + 4)[0]
    if length < 12 or at + length > len(data):
        raise BadInputError(f"a parameter at byte {at} of a command message has {length} bytes")
    return data[at : at + length]


def _written(selector: int, value: Parameter, mark: str, charset: str) -> bytes:
    if isinstance(value, int):
        if -(2**31) <= value < 2**31:
            return struct.pack(mark + "4i", _Form.INTEGER, 16, selector, value)
        return struct.pack(mark + "4iq", _Form.INTEGER64, 24, selector, 0, value)
    if isinstance(value, str):
        text = value.encode(charset)
        body = struct.pack(mark + "2i", _TEXT_CCSID, len(text)) + _padded(text)
        return _framed(_Form.STRING, selector, body, mark)
    if isinstance(value, bytes):
        return _framed(_Form.BYTE_STRING, selector, struct.pack(mark + "i", len(value)) + _padded(value), mark)
    texts = [item.encode(charset) for item in value if isinstance(item, str)]
    numbers = [item for item in value if isinstance(item, int)]
    if texts:
        size, blank = max(map(len, texts)), " ".encode(charset)
        body = struct.pack(mark + "3i", _TEXT_CCSID, len(texts), size)
        return _framed(
            _Form.STRING_LIST, selector, body + _padded(b"".join(text.ljust(size, blank) for text in texts)), mark
        )
    body = struct.pack(f"{mark}i{len(numbers)}i", len(numbers), *numbers)
    return _framed(_Form.INTEGER_LIST, selector, body, mark)


def _framed(form: int, selector: int, body: bytes, mark: str) -> bytes:
    return struct.pack(mark + "3i", form, 12 + len(body), selector) + body


def _padded(text: bytes) -> bytes:
    return text + b"\0" * (-len(text) % 4)


def _read(piece: bytes, mark: str, charset: str, parameters: dict[int, Parameter]) -> None:
    form, _, selector = struct.unpack_from(mark + "3i", piece)
    if form in _READERS:
        parameters[selector] = _READERS[form](piece, mark, charset)


def _read_filter(piece: bytes, mark: str, charset: str) -> list[Filter]:
    """Return the filter that a parameter is, if it is one."""
    form, _, selector = struct.unpack_from(mark + "3i", piece)
    if form == _Form.INTEGER_FILTER:
        return [Filter(selector, *struct.unpack_from(mark + "2i", piece, 12))]
    if form == _Form.STRING_FILTER:
        operator, _, length = struct.unpack_from(mark + "3i", piece, 12)
        return [Filter(selector, operator, _text(piece[24 : 24 + length], charset))]
    if form == _Form.BYTE_STRING_FILTER:
        operator, length = struct.unpack_from(mark + "2i", piece, 12)
        return [Filter(selector, operator, piece[20 : 20 + length])]
    return []


def _read_integer(piece: bytes, mark: str, _charset: str) -> Parameter:
    return int(struct.unpack_from(mark + "i", piece, 12)[0])


def _read_integer64(piece: bytes, mark: str, _charset: str) -> Parameter:
    return int(struct.unpack_from(mark + "q", piece, 16)[0])


def _read_string(piece: bytes, mark: str, charset: str) -> Parameter:
    length = struct.unpack_from(mark + "i", piece, 16)[0]
    return _text(piece[20 : 20 + length], charset)


def _read_bytes(piece: bytes, mark: str, _charset: str) -> Parameter:
    length = struct.unpack_from(mark + "i", piece, 12)[0]
    return piece[16 : 16 + length]


def _read_integers(piece: bytes, mark: str, _charset: str) -> Parameter:
    count = struct.unpack_from(mark + "i", piece, 12)[0]
    return struct.unpack_from(f"{mark}{max(0, count)}i", piece, 16)


def _read_integers64(piece: bytes, mark: str, _charset: str) -> Parameter:
    count = struct.unpack_from(mark + "i", piece, 12)[0]
    return struct.unpack_from(f"{mark}{max(0, count)}q", piece, 16)


def _read_strings(piece: bytes, mark: str, charset: str) -> Parameter:
    count, size = struct.unpack_from(mark + "2i", piece, 16)
    return tuple(_text(piece[24 + size * number :][:size], charset) for number in range(count))


_READERS: Final[Mapping[int, Callable[[bytes, str, str], Parameter]]] = {
    _Form.INTEGER: _read_integer,
    _Form.INTEGER64: _read_integer64,
    _Form.STRING: _read_string,
    _Form.BYTE_STRING: _read_bytes,
    _Form.INTEGER_LIST: _read_integers,
    _Form.INTEGER64_LIST: _read_integers64,
    _Form.STRING_LIST: _read_strings,
}


def _text(value: bytes, charset: str) -> str:
    return value.decode(charset, errors="replace").partition("\0")[0].rstrip(" ")
