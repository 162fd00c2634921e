"""Reader of what runmqsc prints: the queues that `DISPLAY QLOCAL(...) ALL` shows, and MARKINT of `DISPLAY QMGR`.

Model queues are read too, as `DISPLAY QUEUE(*) ALL` shows them: what is opened by their names is a dynamic queue.

If the output does not name the queue manager, because it is the default one or the beginning is missing, the name is
empty and comes from the log. Output of other commands and other queues are skipped. CURDEPTH is not used:
the output does not say when it held. An attribute that is not printed, or not legible, is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from oracle.errors import BadInputError, Place
from oracle.histories.event_log import QueueHeader
from spark_checks.readers.attributes import OF_KIND, Value, definition, read_attribute, read_queue_manager, without_cap
from spark_checks.readers.detect import Source
from spark_checks.readers.pieces import whole_lines

_QMGR = re.compile(r"Starting MQSC for queue manager\s*(\S*)$")
_SESSION = re.compile(r"\s*\d{4}-[A-Z]\d{2} \(C\) ")
"""The line with which every session of runmqsc begins, in any language."""
_WORD = re.compile(r"[\w./%]+")
_NO_NAMES = frozenset({"", "MQSC", "MQ", "IBM"})
_ON_ZOS = re.compile(r"\s*CSQM4\d\dI\s+\S+\s+(?=[A-Z]+\()")
"""The text before the name of an object on z/OS: a message number and the prefix of the queue manager's commands."""
_ATTRIBUTE = r"[A-Z][A-Z0-9]*(?:\((?:[^()]|\([^()]*\))*\))?"
_LINE = re.compile(rf"\s*{_ATTRIBUTE}(?:\s+{_ATTRIBUTE})*\s*")
_EACH = re.compile(r"([A-Z][A-Z0-9]*)(?:\(((?:[^()]|\([^()]*\))*)\))?(?=\s|$)")


_OF_QUEUE_MANAGER = "QMGR"
_NO_DEFINITION = "no definition of a local queue is in this output of runmqsc; run DISPLAY QLOCAL(*) ALL"


@dataclass(slots=True)
class _Definition:
    name: str
    line: int
    kind: str | None = None
    printed: set[str] = field(default_factory=set)
    attributes: dict[str, Value] = field(default_factory=dict)


def _named_in(heading: str) -> str:
    """Return the queue manager that the heading of a session names in another language; empty if that is not clear.

    It is clear if one word is in upper case, besides the names of the program.
    """
    words = {word.strip(".") for word in _WORD.findall(heading)} - _NO_NAMES
    names = [word for word in words if word.isascii() and word == word.upper()]
    return names[0] if "MQSC" in heading and len(names) == 1 else ""


class _Output:
    """A parser of the output of one or more runmqsc sessions, line by line."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._qmgr = ""
        self._begins = False
        self._current: _Definition | None = None
        self.found = False

    def line(self, number: int, text: str) -> Iterator[QueueHeader | BadInputError]:
        """Take a line, and yield the definition that it ends and its errors."""
        if started := _QMGR.match(text.strip()):
            yield from self.end()
            self._qmgr, self._begins = started[1].removesuffix("."), False
            return
        if _SESSION.match(text):
            yield from self.end()
            self._qmgr, self._begins = "", True
            return
        if self._begins and text.strip():
            self._qmgr, self._begins = _named_in(text), False
        if on_zos := _ON_ZOS.match(text):
            yield from self.end()
            text = text[on_zos.end() :]
        if not _LINE.fullmatch(text):
            if "(" not in text:
                yield from self.end()
        else:
            for each in _EACH.finditer(text):
                yield from self._attribute(number, each[1], each[2])

    def _attribute(self, number: int, name: str, value: str | None) -> Iterator[QueueHeader | BadInputError]:
        if name in ("QUEUE", "QMNAME") and value is not None:
            yield from self.end()
            of_queue = name == "QUEUE"
            self._current = _Definition(value.strip(), number, None if of_queue else _OF_QUEUE_MANAGER)
            return
        if self._current is None:
            return
        if name == "TYPE" and self._current.kind != _OF_QUEUE_MANAGER:
            self._current.kind = None if value is None else value.strip()
        self._current.printed.add(name)
        read = read_queue_manager if self._current.kind == _OF_QUEUE_MANAGER else read_attribute
        try:
            self._current.attributes |= read(name, value)
        except BadInputError as error:
            yield BadInputError(str(error), Place(self._source, number))

    def end(self) -> Iterator[QueueHeader | BadInputError]:
        """Yield the complete definition, if it is that of a local, model or alias queue."""
        current, self._current = self._current, None
        if current is None or not current.attributes:
            return
        if current.kind == _OF_QUEUE_MANAGER:
            self.found = True
            yield definition(current.name, "", current.attributes, Place(self._source, current.line))
            return
        if current.kind is None or current.kind not in OF_KIND:
            return
        self.found = True
        current.attributes |= OF_KIND[current.kind]
        if without_cap(current.printed, current.attributes):
            current.attributes["CAPEXPRY"] = 0
        place = Place(self._source, current.line)
        yield definition(self._qmgr, current.name, current.attributes, place)


def read_mqsc(source: Source) -> Iterator[QueueHeader | BadInputError]:
    """Yield the local queues and queue managers in the output, and an error for each unreadable thing."""
    output = _Output(source.name)
    for number, text in whole_lines(source):
        if isinstance(text, BadInputError):
            yield text
        else:
            yield from output.line(number, text)
    yield from output.end()
    if not output.found:
        yield BadInputError(_NO_DEFINITION, Place(source.name))
