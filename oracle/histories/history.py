"""The execution of histories in the notation: names become handles and identifiers as replies come in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar, cast

from oracle.errors import BadInputError, UsageError
from oracle.histories.notation import (
    DEFAULT_BUFFER,
    HEADERS,
    PENDING,
    Expected,
    Line,
    Reference,
    Value,
    bytes_of,
    structure_of,
)
from oracle.judging.message_names import MessageNames
from oracle.model.messages.messages import MessageKey
from oracle.model.reply import Reply
from oracle.mqi import calls
from oracle.mqi.constants import MQEC, MQRC, NULL_ID
from oracle.mqi.definitions import QueueDefinition, QueueManagerDefinition
from oracle.mqi.layouts import MQDLH, MQMDE, MQTM, MQXQH, byte_order
from oracle.mqi.structures import GetMessageOptions, MessageDescriptor, ObjectDescriptor, PutMessageOptions
from oracle.protocol import ObservedReply, parse_structure
from oracle.text.similar_names import do_you_mean

_IDENTIFIERS: Final = {"MsgId": 24, "CorrelId": 24, "GroupId": 24, "MsgToken": 16}
_TIMES: Final = ("PutDate", "PutTime")
"""Members that are text although a line writes a number."""

LAYOUTS: Final = {layout.name: layout for layout in (MQDLH, MQMDE, MQTM, MQXQH)}
"""The layouts of the structures that `HEADERS` names."""

_MQGMO: Final = frozenset(GetMessageOptions.c_names().values())
_MQOD_ONLY: Final = ("AlternateUserId",)


def with_connections(lines: Iterable[Line]) -> Iterator[Line]:
    """Yield the lines of a history, with an MQCONN before the first use of each connection."""
    connected: set[str] = set()
    for line in lines:
        if line.verb in ("disc", "fail"):
            connected.discard(line.conn)
        elif line.verb == "conn":
            connected.add(line.conn)
        elif line.verb in ("open", "put1", "cmit", "back") or line.by is not None:
            conn = line.by or line.conn
            if conn not in connected:
                connected.add(conn)
                yield Line("conn", conn, number=line.number)
        yield line


@dataclass
class Bindings:
    """The meanings of the names of a history, as far as it has been carried out."""

    handles: dict[str, calls.HandleOf] = field(default_factory=dict)
    """The handles that MQOPEN returned."""
    messages: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """The outputs of the puts by C name, with the MsgToken once a get has returned it."""
    waits: dict[str, int] = field(default_factory=dict)
    """The identities of waiting calls."""
    signals: dict[str, int] = field(default_factory=dict)
    """The identities of calls that have set a signal."""
    names: MessageNames = field(default_factory=MessageNames)
    """The names of messages, by their keys."""

    def call(self, line: Line, identity: int) -> calls.Call:
        """Return the call that a line means now.

        `identity` distinguishes it from other calls. Raises UsageError if a name of the line is undefined.
        """
        return _CALLS[line.verb](self, line, identity)

    def bind(self, line: Line, call: calls.Call, observed: ObservedReply) -> None:
        """Note the meanings of the names of a line after its reply."""
        if isinstance(call, calls.Open) and "Hobj" in observed.members:
            name = line.name or line.queue or ""
            self.handles[name] = calls.HandleOf(call.conn, observed.members["Hobj"])
        elif isinstance(call, (calls.Put, calls.Put1)) and line.message is not None:
            passed = {c_name: getattr(call.descriptor, name) for name, c_name in MessageDescriptor.c_names().items()}
            outputs = {name.partition(".")[2]: value for name, value in observed.members.items()}
            members = {**passed, **outputs, "data": call.data}
            self.messages[line.message] = members
            if members["MsgId"] != NULL_ID:
                key = MessageKey(members["MsgId"], members["MsgSeqNumber"], members["Offset"])
                self.names.give(key, line.message)
        elif isinstance(call, calls.Get) and observed.pending and line.name is not None:
            self.waits[line.name] = call.identity
        elif observed.reason == MQRC.SIGNAL_REQUEST_ACCEPTED and isinstance(call, calls.Get) and line.name is not None:
            self.signals[line.name] = call.identity
        token = observed.members.get("MQGMO.MsgToken")
        if isinstance(call, calls.Get) and token is not None:
            self._note_token(observed.members.get("MQMD.MsgId"), token)

    def readable(self, text: str) -> str:
        """Return a text about the history with the names of waiting calls in place of their numbers."""
        for name, number in self.waits.items():
            text = re.sub(rf"(waiting calls? |, ){number}\b", rf"\g<1>{name}", text)
        return text

    def _note_token(self, msg_id: object, token: object) -> None:
        for name, members in self.messages.items():
            if members["MsgId"] == msg_id and "MsgToken" not in members:
                self.messages[name] = {**members, "MsgToken": token}
                return

    def handle(self, line: Line) -> calls.HandleOf:
        """Return the handle that a line names, with the connection that makes the call.

        Raises UsageError if no open of the history returned it.
        """
        try:
            known = self.handles[line.handle or ""]
            return known if line.by is None else calls.HandleOf(line.by, known.hobj)
        except KeyError:
            raise UsageError(f"no handle {line.handle!r} is open in this history") from None

    def value(self, member: str, value: Value) -> int | str:
        """Return a member's value in the protocol's notation.

        Raises UsageError if it refers to a message that was not put, or to an unknown member of it.
        """
        c_name = member.rpartition(".")[2]
        if isinstance(value, Reference):
            if value.message not in self.messages:
                raise UsageError(f"no message {value.message!r} was put in this history")
            found = self.messages[value.message].get(value.member or c_name)
            if found is None:
                raise UsageError(f"the {value.member or c_name} of message {value.message!r} is not known yet")
            return found.hex() if isinstance(found, bytes) else found
        if c_name in _IDENTIFIERS:
            return str(value).ljust(2 * _IDENTIFIERS[c_name], "0")
        return f"{value:08}" if c_name in _TIMES and isinstance(value, int) else value


def _structures(bindings: Bindings, line: Line) -> dict[str, dict[str, Any]]:
    """Return the members that a line gives for MQMD, MQGMO, MQPMO and MQOD.

    A member without its structure's name belongs to MQMD, unless only the verb's other structure has it.
    """
    given: dict[str, dict[str, Any]] = {"MQMD": {}, "MQGMO": {}, "MQPMO": {}, "MQOD": {}}
    for name, value in line.members:
        structure, _, c_name = name.rpartition(".")
        if not structure:
            of_gmo = line.verb == "get" and c_name in _MQGMO - {"Version"}
            structure = "MQGMO" if of_gmo else "MQOD" if c_name in _MQOD_ONLY else "MQMD"
        given.setdefault(structure, {})[c_name] = bindings.value(name, value)
    return given


LONGEST: Final = 104_857_600
"""The longest message that MQ allows, in bytes."""

W = TypeVar("W", int, None)


def _whole(members: dict[str, Any], name: str, default: W) -> int | W:
    """Take a length out of the members.

    Raises UsageError if it is not a number.
    """
    value = members.pop(name, default)
    if isinstance(value, str):
        raise UsageError(f"{name} must be a number, not {value!r}")
    return cast("int | W", value)


def _data(text: object) -> bytes | None:
    """Return the data that a line gives as hexadecimal text; None if it gives none.

    Raises UsageError if they are no such text.
    """
    if text is None:
        return None
    try:
        return bytes.fromhex(str(text))
    except ValueError:
        raise UsageError(f"Data must be hexadecimal text, not {text!r}") from None


def _open(bindings: Bindings, line: Line, identity: int) -> calls.Call:
    descriptor = parse_structure(ObjectDescriptor, dict(line.members))
    return calls.Open(line.conn, line.queue or "", line.options, descriptor)


def _close(bindings: Bindings, line: Line, identity: int) -> calls.Call:
    handle = bindings.handle(line)
    return calls.Close(handle.conn, handle.hobj, line.options)


def _put_parts(bindings: Bindings, line: Line) -> tuple[MessageDescriptor, PutMessageOptions, bytes]:
    in_data = [(name, value) for name, value in line.members if structure_of(name) in HEADERS]
    if in_data:
        line = replace(line, members=tuple(each for each in line.members if each not in in_data))
    given = _structures(bindings, line)
    length = _whole(given["MQMD"], "Length", None)
    if length is not None and length > LONGEST:
        raise UsageError(f"Length is {length}, but no message is longer than {LONGEST} bytes")
    own = _data(given["MQMD"].pop("Data", None))
    descriptor = parse_structure(MessageDescriptor, given["MQMD"])
    options = parse_structure(PutMessageOptions, {**given["MQPMO"], "Options": line.options})
    header = _header(bindings, in_data, descriptor.encoding)
    behind = bytes_of(line.message or "") if own is None else own
    data = (header + behind)[:length] if header or own is not None else bytes_of(line.message or "", length)
    return descriptor, options, data


def _header(bindings: Bindings, members: list[tuple[str, Value]], encoding: int) -> bytes:
    """Return the structure whose members a put names; nothing if it names none.

    Raises BadInputError if the structure does not have them.
    """
    if not members:
        return b""
    layout = LAYOUTS[structure_of(members[0][0])]
    values = {name.partition(".")[2]: bindings.value(name, value) for name, value in members}
    return layout.encode(values, byte_order(encoding))


def header_members(data: bytes, structure: str, encoding: int) -> Mapping[str, int | str] | None:
    """Return the members of the structure that data begin with, or None if they do not begin with it."""
    try:
        return LAYOUTS[structure].decode(data, byte_order(encoding))
    except BadInputError:
        return None


def _put(bindings: Bindings, line: Line, identity: int) -> calls.Call:
    handle = bindings.handle(line)
    return calls.Put(handle.conn, handle.hobj, *_put_parts(bindings, line))


def _put1(bindings: Bindings, line: Line, identity: int) -> calls.Call:
    descriptor = parse_structure(ObjectDescriptor, _structures(bindings, line)["MQOD"])
    return calls.Put1(line.conn, line.queue or "", *_put_parts(bindings, line), descriptor)


def _get(bindings: Bindings, line: Line, identity: int) -> calls.Call:
    handle = bindings.handle(line)
    given = _structures(bindings, line)
    buffer_length = _whole(given["MQMD"], "BufferLength", DEFAULT_BUFFER)
    return calls.Get(
        handle.conn,
        handle.hobj,
        parse_structure(MessageDescriptor, given["MQMD"]),
        parse_structure(GetMessageOptions, {**given["MQGMO"], "Options": line.options}),
        buffer_length,
        identity,
    )


def _inquire(bindings: Bindings, line: Line, identity: int) -> calls.Call:
    handle = bindings.handle(line)
    return calls.Inquire(handle.conn, handle.hobj, line.inquired)


def _set(bindings: Bindings, line: Line, identity: int) -> calls.Call:
    handle = bindings.handle(line)
    return calls.Set(handle.conn, handle.hobj, dict(line.attributes))


def _alter(bindings: Bindings, line: Line, identity: int) -> calls.Call:
    known = _ATTRIBUTES["qmgr" if line.queue == "qmgr" else "queue"]
    for name, _ in line.attributes:
        if name not in known:  # the protocol ignores it; in a line that a person wrote it is a mistake
            hint = do_you_mean(name, known, most=1)
            raise BadInputError(f"there is no attribute {name}{hint and f'; {hint}'}")
    return calls.Alter(None if line.queue == "qmgr" else line.queue, dict(line.attributes))


_ATTRIBUTES: Final = {
    "queue": tuple(QueueDefinition(name="Q").attributes()),
    "qmgr": tuple(QueueManagerDefinition().attributes()),
}
"""The names of the attributes of queues and of the queue manager."""

_CALLS: Final[Mapping[str, Callable[[Bindings, Line, int], calls.Call]]] = {
    "conn": lambda bindings, line, identity: calls.Connect(line.conn),
    "disc": lambda bindings, line, identity: calls.Disconnect(line.conn),
    "open": _open,
    "close": _close,
    "put": _put,
    "put1": _put1,
    "get": _get,
    "cmit": lambda bindings, line, identity: calls.Commit(line.conn),
    "back": lambda bindings, line, identity: calls.Back(line.conn),
    "inq": _inquire,
    "set": _set,
    "alter": _alter,
    "advance": lambda bindings, line, identity: calls.Advance(line.milliseconds),
    "quiesce": lambda bindings, line, identity: calls.Quiesce(),
    "fail": lambda bindings, line, identity: calls.Fail(line.conn),
    "scan": lambda bindings, line, identity: calls.ScanExpired(line.inquired or None),
}


def disagreement(line: Line, observed: ObservedReply, bindings: Bindings) -> str | None:
    """Return how a reply differs from what the line says was returned, or None if it does not."""
    return None if line.expected is None else next(_disagreements(line.expected, observed, bindings), None)


def _disagreements(expected: Expected, observed: ObservedReply, bindings: Bindings) -> Iterator[str]:
    """Yield the differences of a reply from what is expected, the most telling first."""
    if expected.pending != observed.pending:
        yield "the call is pending" if observed.pending else "the call is not pending"
    yield from _of_completion(expected.reason, expected.message, observed, bindings)
    for name, value in expected.outputs:
        seen = _output(observed, name)
        if seen != bindings.value(name, value):
            yield f"{name} is {seen!r}"
    for name, outcome in expected.ended:
        if name in bindings.signals:
            yield from _of_signal(name, outcome, observed, bindings)
        else:
            yield from _of_wait(name, outcome, observed, bindings)


def _of_completion(
    reason: int | None, message: str | None, observed: ObservedReply, bindings: Bindings
) -> Iterator[str]:
    if reason is not None and observed.reason != reason:
        yield f"the reason is {MQRC.describe(observed.reason)}"
    if message is not None:
        data = observed.members.get("data")
        wanted = bindings.messages.get(message, {}).get("data")
        if data is None or wanted is None or not wanted.startswith(data):
            yield f"{message} was not returned"


def _of_signal(name: str, outcome: int | str, observed: ObservedReply, bindings: Bindings) -> Iterator[str]:
    code = (observed.posted or {}).get(bindings.signals[name])
    seen = PENDING if code is None else MQEC.name_of(code)
    if seen != outcome:
        yield f"the signal {name} is {seen}"


def _of_wait(name: str, outcome: int | str, observed: ObservedReply, bindings: Bindings) -> Iterator[str]:
    ended = observed.completed.get(bindings.waits.get(name, -1))
    if outcome == PENDING:
        if ended is not None:
            yield f"the waiting call {name} has ended"
    elif ended is None:
        yield f"the waiting call {name} has not ended"
    elif isinstance(outcome, int):
        yield from _of_completion(outcome, None, ended, bindings)
    else:
        yield from _of_completion(None, outcome, ended, bindings)


def _output(observed: ObservedReply, name: str) -> object:
    if structure_of(name) in HEADERS:
        encoding = observed.members.get("MQMD.Encoding", MessageDescriptor().encoding)
        header = header_members(observed.members.get("data", b""), structure_of(name), encoding)
        return None if header is None else header.get(name.partition(".")[2])
    values = observed.members.get("values", {})
    if name in values:
        return values[name]
    for member, value in observed.members.items():
        if member == name or member.rpartition(".")[2] == name:
            return value.hex() if isinstance(value, bytes) else value
    return None


def observed_of(reply: Reply, completed: Mapping[int, Reply] | None = None) -> ObservedReply:
    """Return a reply of the model as if a target had given it."""
    ended = {identity: observed_of(done) for identity, done in (completed or {}).items()}
    return ObservedReply(reply.comp_code, int(reply.reason), reply.pending, reply.members(), ended)
