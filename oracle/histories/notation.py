"""A notation for histories, one call a line: used in scenarios, tests and failure output; docs/notation.md explains it.

    h = open Q BROWSE+INPUT_SHARED+OUTPUT      # a name for the handle; the connection is A unless named
    put h m1 Priority=3 Expiry=50              # a message called m1; its data are its name
    g = B.open Q INPUT_SHARED                  # another connection
    B.get h                                    # a handle on a connection that it does not belong to
    get h BROWSE_FIRST+LOCK -> m1              # options by their header names, and what came back
    w = get g WAIT WaitInterval=1000 -> pending
    get h UNLOCK -> OK => w m1                 # this call ended the waiting call w, which got m1
    cmit => v m2 x 2033                        # and this one ended two
    put h m3 => y pending                      # this one did not end y
    s = get h SET_SIGNAL -> 2070               # a name for a signal
    put h m4 => s MSG_ARRIVED                  # this one delivered it: a name of MQEC, where signals can be seen
    get g MatchOptions=MATCH_MSG_ID MsgId=@m1  # the MsgId that m1 was given
    inq h CurrentQDepth -> CurrentQDepth=0
    put x m4 Format=MQXMIT MQXQH.MsgDesc.Expiry=9   # the data are an MQXQH with this member, and the name behind it
    get d -> OK MQDLH.Reason=2053              # the data that came back begin with an MQDLH with this member
    put h m4 Data=c1c2 Format=MQSTR            # data of its own, in hexadecimal text
    get h -> OK data=c1c2

Lines may also be separated by semicolons. What follows `->` is optional: a completion (`OK`, `pending`, a reason
code), the message returned, and outputs by their C names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from oracle.errors import BadInputError, Place, echo
from oracle.mqi.calls import Advance
from oracle.mqi.constants import MQCO, MQGMO, MQMF, MQMO, MQOO, MQPMO, MQRC, MQRO
from oracle.mqi.structures import GetMessageOptions, MessageDescriptor, ObjectDescriptor
from oracle.values import replace

DEFAULT_BUFFER: Final = 65536

PENDING: Final = "pending"
"""The word for a call that waits, or still waits."""


@dataclass(frozen=True, slots=True)
class Reference:
    """The value of a member in a message of the history: `@m1`, or `@m1.MsgId` for another member's."""

    message: str
    """The name of the message."""
    member: str = ""
    """The member, if it is another one."""

    def __str__(self) -> str:
        return f"@{self.message}.{self.member}" if self.member else f"@{self.message}"


Value = int | str | Reference


@dataclass(frozen=True, slots=True)
class Expected:
    """The outcome that a line states."""

    pending: bool = False
    """Whether the call waits."""
    reason: int | None = None
    """The reason (MQRC)."""
    message: str | None = None
    """The name of the message that was returned."""
    outputs: tuple[tuple[str, Value], ...] = ()
    """Outputs by name."""
    ended: tuple[tuple[str, int | str], ...] = ()
    """Waiting calls that ended, by name, each with its message or its reason."""


@dataclass(frozen=True, slots=True)
class Line:
    """One call of a history. Names stand for handles, messages and waiting calls.

    Only the fields of its verb are set.
    """

    verb: str
    """The word of the notation for the call."""
    conn: str = "A"
    """The connection."""
    name: str | None = None
    """The name that the line gives to its result."""
    handle: str | None = None
    """The handle that it uses."""
    queue: str | None = None
    """The queue that it names."""
    message: str | None = None
    """The message that it puts."""
    options: int = 0
    """The options of the call."""
    members: tuple[tuple[str, Value], ...] = ()
    """Members of the structures by C name, such as `Priority`."""
    attributes: tuple[tuple[str, int | str], ...] = ()
    """Attributes of MQSET or of an alteration."""
    inquired: tuple[str, ...] = ()
    """The attributes that MQINQ asks for."""
    milliseconds: int = 0
    """The milliseconds by which the clock is moved."""
    by: str | None = None
    """The connection that makes a call with a handle, if it is not the one that opened it (CON-03)."""
    expected: Expected | None = None
    """The outcome, if the line states one."""
    number: int = field(default=0, compare=False, repr=False)
    """The row of the text that it stands in; 0 if it was not read from a text."""

    def without_outcome(self) -> Line:
        """Return the line without its outcome."""
        return self if self.expected is None else replace(self, expected=None)


_OPTIONS: Final[Mapping[str, Mapping[str, int | str]]] = {
    "open": MQOO.members(),
    "close": MQCO.members(),
    "put": MQPMO.members(),
    "put1": MQPMO.members(),
    "get": MQGMO.members(),
}
_FLAGS: Final[Mapping[str, Mapping[str, int | str]]] = {
    "MatchOptions": MQMO.members(),
    "MsgFlags": MQMF.members(),
    "Report": MQRO.members(),
}
_UNITS: Final = {"s": 1000, "t": 100}
_OPEN_MEMBERS: Final = ("DynamicQName", "AlternateUserId")
_PUT_EXTRAS: Final = ("Length", "Data")
_GET_EXTRAS: Final = ("BufferLength",)
HEADERS: Final = ("MQDLH", "MQMDE", "MQTM", "MQXQH")
"""The structures at the beginning of the data whose members a line can name."""

_MQMD: Final = frozenset(MessageDescriptor.c_names().values())
_MQGMO: Final = frozenset(GetMessageOptions.c_names().values())
_TEXTS: Final = frozenset(
    c_name
    for structure in (MessageDescriptor(), GetMessageOptions(), ObjectDescriptor())
    for name, c_name in structure.c_names().items()
    if isinstance(getattr(structure, name), str)
) | {"Data", "data"}
"""The members that contain text, and the data of a message: digits in them are not a number."""

_WITH_HANDLE: Final = ("close", "put", "get", "inq", "set")
_NAMED: Final = ("open", "get")
"""The calls that may have a name: the name of a handle, or of a wait or signal."""

_NO_HANDLE: Final = ("conn", "disc", "cmit", "back", "fail")


def parse(text: str, source: str = "history") -> tuple[Line, ...]:
    """Read a history.

    Raises BadInputError, with source and line, for a line that is not in the notation.
    """
    return tuple(_parse_lines(text, source))


def _parse_lines(text: str, source: str) -> Iterator[Line]:
    for number, row in enumerate(text.splitlines(), start=1):
        try:
            yield from _parse_row(row, number)
        except BadInputError as error:
            raise BadInputError(str(error), Place(source, number)) from error.__cause__


@lru_cache(maxsize=16384)
def _parse_row(row: str, number: int) -> tuple[Line, ...]:
    """Read one row, which may have several lines. The result is cached, because many histories have the same row."""
    lines = []
    for part in row.split("#", 1)[0].split(";"):
        if part.strip():
            try:
                lines.append(_parse_line(part.strip(), number))
            except (ValueError, KeyError, IndexError) as error:
                raise BadInputError(f"{echo(part.strip())!r}: {_reason(error)}") from error
    return tuple(lines)


def _reason(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"unknown name {error.args[0]!r}"
    return "something is missing" if isinstance(error, IndexError) else str(error)


@lru_cache(maxsize=16384)
def _parse_line(text: str, number: int) -> Line:
    """Read one line. The result is cached, because the same line occurs in many histories."""
    call, ends, ended = text.partition("=>")
    call, arrow, outcome = call.partition("->")
    name: str | None = None
    match = re.match(r"(\w+)\s*=\s*(?=[A-Za-z])", call)
    if match:
        name, call = match.group(1), call[match.end() :]
    words = call.split()
    conn, _, verb = words[0].rpartition(".")
    if verb not in _PARSERS:
        raise ValueError(f"unknown call {verb!r}; there are {', '.join(_PARSERS)}")
    if name is not None and verb not in _NAMED:
        raise ValueError(f"{verb} returns nothing that can be named {name!r}; only {' and '.join(_NAMED)} do")
    with_handle = verb in _WITH_HANDLE
    by = conn if with_handle and conn else None
    start = Line(verb, "A" if with_handle else conn or "A", name, by=by, number=number)
    line = _PARSERS[verb](start, words[1:])
    if arrow or ends:
        if not outcome.strip() and not ended.strip():
            raise ValueError(f"nothing follows {arrow or ends}")
        line = replace(line, expected=_parse_expected(outcome.split(), ended.split()))
    return line


def _parse_expected(words: list[str], ended: list[str]) -> Expected:
    expected = Expected(ended=tuple((ended[i], _outcome(ended[i + 1])) for i in range(0, len(ended), 2)))
    outputs: list[tuple[str, Value]] = []
    for word in words:
        if "=" in word:
            outputs.append(_member(word))
        elif word == PENDING:
            expected = replace(expected, pending=True)
        elif word == "OK" or word.isdigit():
            expected = replace(expected, reason=MQRC.NONE if word == "OK" else int(word))
        else:
            expected = replace(expected, message=word)
    return replace(expected, outputs=tuple(outputs))


def _outcome(word: str) -> int | str:
    if word == "OK":
        return int(MQRC.NONE)
    return int(word) if word.isdigit() else word


def _member(word: str) -> tuple[str, Value]:
    name, _, text = word.partition("=")
    if text.startswith("@"):
        message, _, member = text[1:].partition(".")
        return name, Reference(message, member)
    if name.rpartition(".")[2] in _TEXTS:
        return name, text
    if name in _FLAGS and not re.fullmatch(r"-?\d+", text):
        return name, _bits(_FLAGS[name], text)
    return name, int(text) if re.fullmatch(r"-?\d{1,10}", text) else text


def _bits(known: Mapping[str, int | str], text: str) -> int:
    value = 0
    for word in text.split("+"):
        value |= int(word, 0) if re.fullmatch(r"0x[0-9a-fA-F]+|\d+", word) else int(known[word])
    return value


def _split(line: Line, words: list[str], allowed: frozenset[str] | tuple[str, ...]) -> Line:
    """Read options and members, which may come in any order."""
    options, members = 0, []
    for word in words:
        if "=" in word:
            member = _member(word)
            in_data = line.verb in ("put", "put1") and structure_of(member[0]) in HEADERS
            if not in_data and member[0].rpartition(".")[2] not in allowed:
                raise ValueError(f"{line.verb} has no member {member[0]}")
            members.append(member)
        else:
            options |= _bits(_OPTIONS[line.verb], word)
    return replace(line, options=options, members=tuple(members))


def structure_of(name: str) -> str:
    """Return the structure that a member's name begins with, or empty text."""
    return name.partition(".")[0] if "." in name else ""


def _parse_open(line: Line, words: list[str]) -> Line:
    return _split(replace(line, queue=words[0]), words[1:], _OPEN_MEMBERS)


def _parse_put(line: Line, words: list[str]) -> Line:
    return _split(replace(line, handle=words[0], message=words[1]), words[2:], _MQMD | set(_PUT_EXTRAS))


def _parse_put1(line: Line, words: list[str]) -> Line:
    return _split(replace(line, queue=words[0], message=words[1]), words[2:], _MQMD | {*_PUT_EXTRAS, "AlternateUserId"})


def _parse_get(line: Line, words: list[str]) -> Line:
    return _split(replace(line, handle=words[0]), words[1:], _MQMD | _MQGMO | set(_GET_EXTRAS))


def _parse_close(line: Line, words: list[str]) -> Line:
    return _split(replace(line, handle=words[0]), words[1:], ())


def _parse_inquire(line: Line, words: list[str]) -> Line:
    return replace(line, handle=words[0], inquired=tuple(words[1:]))


def _parse_set(line: Line, words: list[str]) -> Line:
    return replace(line, handle=words[0], attributes=_attributes(words[1:]))


def _parse_alter(line: Line, words: list[str]) -> Line:
    return replace(line, queue=words[0], attributes=_attributes(words[1:]))


def _attributes(words: list[str]) -> tuple[tuple[str, int | str], ...]:
    pairs = (word.partition("=") for word in words)
    return tuple((name, int(text) if re.fullmatch(r"-?\d+", text) else text) for name, _, text in pairs)


def _parse_advance(line: Line, words: list[str]) -> Line:
    amount, unit = words[0][:-1], words[0][-1]
    if unit not in _UNITS or not amount.isdigit():
        raise ValueError("time is written as 5s (seconds) or 50t (tenths)")
    return replace(line, milliseconds=int(amount) * _UNITS[unit])


def _parse_plain(line: Line, words: list[str]) -> Line:
    if line.verb == "scan":
        return replace(line, inquired=tuple(words))
    return replace(line, conn=words[0]) if words else line


_PARSERS: Final[Mapping[str, Callable[[Line, list[str]], Line]]] = {
    "conn": _parse_plain,
    "disc": _parse_plain,
    "open": _parse_open,
    "close": _parse_close,
    "put": _parse_put,
    "put1": _parse_put1,
    "get": _parse_get,
    "cmit": _parse_plain,
    "back": _parse_plain,
    "inq": _parse_inquire,
    "set": _parse_set,
    "alter": _parse_alter,
    "advance": _parse_advance,
    "quiesce": _parse_plain,
    "fail": _parse_plain,
    "scan": _parse_plain,
}


def write(line: Line) -> str:
    """Return a line as the notation writes it; reading it again gives the same line.

    Raises UsageError for a time that is not a whole number of tenths of a second, which the notation cannot express.
    """
    words = [
        f"{line.name} =" if line.name else "",
        _verb(line),
        line.handle or "",
        line.queue or "",
        line.message or "",
    ]
    if line.options:
        words.append(_names(_OPTIONS[line.verb], line.options))
    words += [f"{name}={_value(name, value)}" for name, value in line.members]
    words += [f"{name}={value}" for name, value in line.attributes]
    words += line.inquired
    if line.verb == "advance":
        tenths = Advance(line.milliseconds).tenths()
        words.append(f"{tenths // 10}s" if tenths % 10 == 0 else f"{tenths}t")
    if line.expected is not None:
        words.append(_write_expected(line.expected))
    return " ".join(word for word in words if word)


def _verb(line: Line) -> str:
    if line.verb in _NO_HANDLE:
        return line.verb if line.conn == "A" and line.verb != "fail" else f"{line.verb} {line.conn}"
    if line.by is not None:
        return f"{line.by}.{line.verb}"
    needs_conn = line.verb in ("open", "put1") and line.conn != "A"
    return f"{line.conn}.{line.verb}" if needs_conn else line.verb


def _names(known: Mapping[str, int | str], value: int) -> str:
    found = [name for name, bit in known.items() if isinstance(bit, int) and bit.bit_count() == 1 and value & bit]
    rest = value & ~sum(int(known[name]) for name in found)
    return "+".join([*found, hex(rest)] if rest or not found else found)


def _value(name: str, value: Value) -> str:
    if name in _FLAGS and isinstance(value, int):
        return _names(_FLAGS[name], value) if value > 0 else str(value)
    return str(value)


def _write_expected(expected: Expected) -> str:
    words: list[str] = [PENDING] if expected.pending else []
    if expected.reason is not None:
        words.append("OK" if expected.reason == MQRC.NONE else str(int(expected.reason)))
    if expected.message is not None:
        words.append(expected.message)
    words += [f"{name}={_value(name, value)}" for name, value in expected.outputs]
    text = "-> " + " ".join(words) if words else ""
    if expected.ended:
        text += " => " + " ".join(f"{name} {'OK' if outcome == 0 else outcome}" for name, outcome in expected.ended)
    return text.strip()


def bytes_of(message: str, length: int | None = None) -> bytes:
    """Return the data of a message of a history: its name, cut or padded to a length if one is given."""
    data = message.encode()
    return data if length is None else data[:length].ljust(length, b".")
