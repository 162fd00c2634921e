"""Reader of MQSC commands in a file, as dmpmqcfg writes them.

DEFINE QLOCAL, DEFINE QMODEL and DEFINE QALIAS are read, and MARKINT of ALTER QMGR.
A command continues in the next line after `+`, which drops the blanks at that line's beginning, or after `-`, which
does not. A semicolon ends it, and another command may follow. Lines that begin with `*` are comments; dmpmqcfg names
the queue manager in one. If none does, the name is empty and comes from the log. On z/OS CSQUTIL writes
`DEFINE NOREPLACE QLOCAL(...)`, a line of 80 columns has its own number in the last eight, and the prefix of a queue
manager's commands may stand before the command (`+CSQ1 DEFINE ...`). Attributes that a command leaves out
come from another definition (LIKE) or from the defaults of the queue manager, so they are unknown. ALTER changes a
definition at some time; attributes in which definitions contradict each other are unknown. Other commands are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from oracle.errors import BadInputError, Place
from oracle.histories.event_log import QueueHeader
from oracle.mqi.definitions import is_object_name
from spark_checks.readers.attributes import OF_KIND, Value, definition, read_attribute, read_queue_manager
from spark_checks.readers.detect import Source
from spark_checks.readers.pieces import whole_lines

_QMGR = re.compile(r"\*\s*Queue manager name:\s*(\S*)")
_VERBS = frozenset({"DEFINE", "DEF", "ALTER", "ALT"})
_QUEUE_MANAGER = "QMGR"
_READ = {*OF_KIND, _QUEUE_MANAGER}
_WORD = re.compile(r"\s*([A-Za-z][A-Za-z0-9]*)\s*")
_QUOTED = re.compile(r"\s*'((?:[^']|'')*)'\s*\)")
_PLAIN = re.compile(r"\s*([^'()\s][^()]*)\)")
_EMPTY = re.compile(r"\s*\)")
_SEPARATED = re.compile(r"[\s,]*")
_BEGINNING = re.compile(r"\s*(?:[^\s\w*'\"(]\w{1,7}\s+)?(\w+)\s+(?:(?:NO)?REPLACE\s+)?(\w+)", re.IGNORECASE)
_NUMBERED = re.compile(r"(.{72})\d{8}\s*")
_COMMAND = re.compile(r"(?:[^';]+|'[^']*')*")

Words = list[tuple[str, str | None]]


def _words(command: str) -> Words:
    """Return the words of a command, each with the value in its parentheses if it has one.

    Raises BadInputError if the command has another form.
    """
    words: Words = []
    at = _end_of(_SEPARATED, command, 0)
    while at < len(command):
        word = _WORD.match(command, at)
        if word is None:
            raise BadInputError(f"not MQSC: {command[at : at + 40]!r}")
        at, value = word.end(), None
        if command.startswith("(", at):
            value, at = _value(command, at + 1)
        words.append((word[1].upper(), value))
        at = _end_of(_SEPARATED, command, at)
    return words


def _commands(text: str) -> Iterator[str]:
    """Yield the commands between semicolons outside quotes."""
    at = 0
    while at < len(text):
        end = _end_of(_COMMAND, text, at)
        if text[end : end + 1] == "'":  # it does not end
            end = len(text)
        yield text[at:end]
        at = end + 1


def _end_of(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return at if found is None else found.end()


def _value(command: str, at: int) -> tuple[str, int]:
    """Return the value in parentheses at a place, and where it ends.

    A quoted value keeps its case, and two quotes within it are one; any other value becomes upper case.
    """
    if quoted := _QUOTED.match(command, at):
        return quoted[1].replace("''", "'"), quoted.end()
    if plain := _PLAIN.match(command, at):
        return plain[1].strip().upper(), plain.end()
    if empty := _EMPTY.match(command, at):
        return "", empty.end()
    raise BadInputError(f"a value that does not end: {command[at : at + 40]!r}")


class _Commands:
    """A parser that joins the lines of commands."""

    def __init__(self, source: str, most: int) -> None:
        self._source, self._most = source, most
        self._parts: list[str] = []
        self._line = 1
        self._trimmed = False
        self._length = 0
        self._qmgr = ""
        self.found = False

    def line(self, number: int, text: str) -> Iterator[QueueHeader | BadInputError]:
        """Take a line, and yield the facts of the command that ends with it."""
        if text.startswith("*"):
            if named := _QMGR.match(text):
                yield from self.end()
                self._qmgr = named[1]
            return
        if not self._parts:
            self._line = number
        if numbered := _NUMBERED.fullmatch(text):
            text = numbered[1]
        part = (text.lstrip() if self._trimmed else text).rstrip()
        goes_on = part.endswith(("+", "-"))
        self._trimmed = part.endswith("+")
        self._parts.append(part[:-1] if goes_on else part)
        self._length += len(part)
        if not goes_on or self._length > self._most:
            yield from self.end()

    def end(self) -> Iterator[QueueHeader | BadInputError]:
        """Yield the facts of the complete commands."""
        text, place = "".join(self._parts), Place(self._source, self._line)
        self._parts, self._trimmed, self._length = [], False, 0
        for command in _commands(text):
            yield from self._command(command, place)

    def _command(self, command: str, place: Place) -> Iterator[QueueHeader | BadInputError]:
        """Yield the facts of a command."""
        first = _BEGINNING.match(command)
        if first is None or first[1].upper() not in _VERBS or (kind := first[2].upper()) not in _READ:
            return
        of_queue = kind != _QUEUE_MANAGER
        self.found = self.found or of_queue
        try:
            words = _words(command[first.start(2) :])
        except BadInputError as error:
            yield BadInputError(f"this command is not read: {error}", place)
            return
        queue = words[0][1] or ""
        if of_queue and not queue:
            yield BadInputError("a definition without the name of its queue", place)
            return
        if of_queue and not is_object_name(queue):
            yield BadInputError(f"a definition of {queue!r:.60}, which is no name of a queue", place)
            return
        attributes: dict[str, Value] = {**OF_KIND.get(kind, {})}
        for name, value in words[1:]:
            try:
                attributes |= (read_attribute if of_queue else read_queue_manager)(name, value)
            except BadInputError as error:  # the others are kept
                yield BadInputError(str(error), place)
        if of_queue or attributes:
            self.found = True
            yield definition(self._qmgr, queue, attributes, place)


def read_mqsc_commands(source: Source) -> Iterator[QueueHeader | BadInputError]:
    """Yield the queues and queue managers that the commands define, and an error for what cannot be read."""
    commands = _Commands(source.name, source.limits.record_bytes)
    for number, text in whole_lines(source):
        if isinstance(text, BadInputError):
            yield text
        else:
            yield from commands.line(number, text)
    yield from commands.end()
    if not commands.found:
        yield BadInputError("no definition of a local queue is among these commands (MQSC)", Place(source.name))
