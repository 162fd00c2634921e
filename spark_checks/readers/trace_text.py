"""The text form of application activity trace: what `amqsact -v` prints.

A record is a trace message: lines `Label: value`, then for each call `MQI Operation: n` and indented lines of the
same kind, at the end a line of equals signs. Strings are in single quotes and not escaped; byte strings follow their
label in lines of a hexadecimal dump; only the hexadecimal part is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from oracle.errors import BadInputError, Place
from spark_checks.readers.other_events import OF_A_SUMMARY, SUMMARY, counts_calls, without_calls
from spark_checks.readers.trace_marks import TEXT_CALLS
from spark_checks.readers.trace_messages import Fields, Operation, TraceMessage, field_name
from spark_checks.readers.trace_records import Chunk

_TITLE = "MonitoringType: MQI Activity Trace"
_OPERATION = re.compile(r"MQI Operation:\s*(\d{1,9})\s*$")
_CALL = re.compile(r"^[ \t]*MQI Operation:", re.MULTILINE)
_END = re.compile(r"={20,}\s*$")
_DUMP = re.compile(r"\s*([0-9A-Fa-f]{8}):\s+((?:[0-9A-Fa-f]{2} ?)+)\s*(?:'.*)?$", re.DOTALL)
_ONCE = ("operationid", "compcode", "reasoncode", "operationtime")
"""The parameters that every call has once."""
_OPTIONS = {"OPEN": "openoptions", "CLOSE": "closeoptions", "PUT": "putoptions", "GET": "getoptions"}
"""The options that only one kind of call has. MQPUT1 has those of MQPUT, and may have those of MQOPEN."""
_FIELD = re.compile(r"\s*([A-Za-z0-9][^:']*):(?:\s(.*))?$", re.DOTALL)


class _Block:
    """The lines of the header or of one call, as they are read."""

    def __init__(self, line: int, number: int = -1) -> None:
        self.line = line
        self.number = number
        self.fields: Fields = {}
        self.unread: tuple[int, str] | None = None
        self.made_of_two = False
        self._dumped: str | None = None
        self._dump: list[str] = []
        self._last = ""
        self._labels: list[str] = []

    def read(self, line: int, printed: str) -> None:
        """Read one line; text that is neither label nor dump is noted once."""
        dump = _DUMP.match(printed)
        if dump and self._dumped is not None:
            if not self._take(int(dump[1], 16), dump[2].replace(" ", "").lower()):
                self.unread = self.unread or (line, printed)
            return
        found = _FIELD.match(printed)
        if dump or not found:
            self.unread = self.unread or (line, printed)
            return
        self.end_dump()
        name, value = field_name(found[1]), (found[2] or "").strip()
        if name in _ONCE and name in self.fields and printed != self._last:  # the line between two calls is damaged
            self.unread = self.unread or (line, printed)
        if self.number >= 0 and found[1] in self._labels and (found[1] != self._labels[-1] or printed != self._last):
            self.made_of_two = True
        self._labels.append(found[1])
        self._last = printed
        self._dumped = None if value else name
        self.fields[name] = value[1:-1] if len(value) > 1 and value[0] == value[-1] == "'" else value

    def _take(self, offset: int, digits: str) -> bool:
        """Take a line of a dump, each once; return whether it continues the dump."""
        done = sum(map(len, self._dump)) // 2
        if self._dump and offset == done - len(self._dump[-1]) // 2 and digits == self._dump[-1]:
            return True
        self._dump.append(digits)
        return offset == done

    def end_dump(self) -> None:
        """Join the lines of a dump."""
        if self._dumped is not None and self._dump:
            self.fields[self._dumped] = "".join(self._dump)
        self._dumped, self._dump = None, []


def read_text(chunk: Chunk, source: str) -> Iterator[TraceMessage | BadInputError]:
    """Read one trace message. Each call of it that cannot be read is an error, and the others are kept."""
    place = Place(source, chunk.line)
    printed = chunk.data.decode("utf-8", errors="replace")
    header, read = _Block(chunk.line), 0
    for found in _found(printed, chunk, source, header):
        read += sum(one is not None for one in found.operations) if isinstance(found, TraceMessage) else 1
        yield found
    if header.unread:
        yield BadInputError(_not_a_line(header.unread[1]), Place(source, header.unread[0]))
    # Damage may hide that there are calls: a label may be damaged, or the end of the trace message missing.
    for _ in range(max(len(calls.findall(printed)) for calls in TEXT_CALLS) - read):
        yield BadInputError("a call of this trace message is not read", place)


def _found(printed: str, chunk: Chunk, source: str, header: _Block) -> Iterator[TraceMessage | BadInputError]:
    """Yield the trace message and an error for each unread call; `header` takes lines that belong to no call."""
    place = Place(source, chunk.line)
    if not chunk.begins:
        if printed.strip():
            yield BadInputError("text before the first trace message is not read", place)
        return
    if not printed.startswith(_TITLE):
        yield BadInputError(_of_another_kind(printed.splitlines()[0]), place)
        return
    summary = SUMMARY.search(printed)
    if summary and not _CALL.search(printed):
        yield BadInputError(OF_A_SUMMARY, Place(source, chunk.line + printed.count("\n", 0, summary.start())))
        return
    blocks, ended, rest = _blocks(printed, header)
    operations: list[Operation | None] = []
    expected = 0
    for block, following in zip(blocks, [*blocks[1:], *([None] if blocks else [])], strict=True):
        if block.number != expected:
            yield BadInputError(f"call {expected} of the trace message is missing", Place(source, block.line))
            operations.append(None)
        expected = block.number + 1
        fault = _fault(block, following, whole=ended or following is not None)
        if fault:
            yield BadInputError(fault[1], Place(source, fault[0]))
        operations.append(None if fault else Operation(block.line, block.fields))
    if not ended and not blocks:
        yield BadInputError("the trace message ends before its first call", place)
    if rest:
        yield BadInputError("text after the trace message is not read", Place(source, rest))
    if operations:
        dumped = str(header.fields.get("correlid", ""))
        connection = dumped if re.fullmatch("[0-9a-f]{48}", dumped) and dumped.strip("0") else None
        yield TraceMessage(source, chunk.line, header.fields, tuple(operations), connection)


def _blocks(printed: str, header: _Block) -> tuple[list[_Block], bool, int | None]:
    """Read the header; return the calls, whether the record has its end, and the line of text after it."""
    block = header
    blocks: list[_Block] = []
    ended, rest = False, None
    for line, one in enumerate(re.split("\r?\n", printed), start=header.line):
        if not one.strip():
            continue
        operation = _OPERATION.match(one.strip())
        if ended:
            rest = rest or line
        elif _END.match(one.strip()):
            ended = True
        elif operation:
            block.end_dump()
            block = _Block(line, int(operation[1]))
            blocks.append(block)
        else:
            block.read(line, one)
    block.end_dump()
    return blocks, ended, rest


def _has_options_of_another(fields: Fields) -> bool:
    """Return whether a call has the options of another kind of call."""
    kind = str(fields.get("operationid", "")).removeprefix("MQXF_")
    return kind in _OPTIONS and any(name in fields for other, name in _OPTIONS.items() if other != kind)


def _fault(block: _Block, following: _Block | None, *, whole: bool) -> tuple[int, str] | None:
    """Return the reason why a call cannot be used, and the line; None if it can be.

    Where lines are missing up to the middle of a later call, its rest follows the lines of the call before. The
    number of the next call shows it, or a parameter that comes again after others.
    """
    if block.unread:
        return block.unread[0], _not_a_line(block.unread[1])
    if block.made_of_two or _has_options_of_another(block.fields):
        return block.line, "lines are missing: it has a parameter twice, or another call's"
    if not whole:
        return block.line, "the trace message ends in this call"
    if following is not None and following.number != block.number + 1:
        return block.line, "lines are missing before the next call, perhaps some of this one"
    if "operationid" not in block.fields:
        return block.line, "the call has no operation identifier"
    return None


def _of_another_kind(title: str) -> str:
    kind = title.partition(":")[2].strip()
    return without_calls(kind) if counts_calls(kind) else f"not an MQI activity trace: {title[:60]!r}"


def _not_a_line(printed: str) -> str:
    return f"not a line of an activity trace: {printed[:60]!r}"
