"""Detection of an input's format from its content: from the first bytes if these are enough."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import chain
from pathlib import Path

from oracle.errors import BadInputError, Place
from oracle.text.text_files import UTF_16, is_utf_16, packing, shown
from spark_checks.readers.capture_files import looks_like_pcap
from spark_checks.readers.limits import DEFAULT_LIMITS, Limits
from spark_checks.readers.other_events import OF_A_SUMMARY, SUMMARY
from spark_checks.readers.packed import GZIP_MAGIC, Damage, unpacked
from spark_checks.readers.trace_marks import JSON_EVENT, JSON_TRACE, TEXT_MESSAGE

_HEAD = 65536
_BLOCK = 2**20
_LONGEST_MARK = 1024
_PARQUET_MAGIC = b"PAR1"
_BOM = b"\xef\xbb\xbf"
_PACKED = 20
"""The approximate ratio of a log's size as text to its size in Parquet or gzip."""


class Format(str, Enum):
    """The formats that have a reader."""

    EVENT_LOG = "event log"
    PARQUET = "Parquet"
    PCAP = "packet capture"
    JAVA_TRACE = "Java client trace"
    MQSC = "runmqsc output"
    MQSC_SCRIPT = "MQSC commands"
    CONFIG_EVENTS = "configuration events"
    DMPMQMSG = "dmpmqmsg file"
    AMQSBCG = "amqsbcg output"
    TRACE_JSON = "activity trace in JSON"
    TRACE_TEXT = "activity trace in text"


_MARKS = {
    Format.CONFIG_EVENTS: re.compile(
        rb'"eventType"\s*:\s*\{\s*"name"\s*:\s*"Config Event"|^\*{4} Message #\d+ \(', re.M
    ),
    Format.DMPMQMSG: re.compile(rb"^\* QLOAD Version|^A VER \d+ *\r?\nA RPT ", re.M),
    Format.AMQSBCG: re.compile(rb"^AMQSBCG0 - starts here|^[ \t]*StrucId[ \t]*:[ \t]*(?:'|\xe2\x80\x98)MD ", re.M),
    Format.MQSC: re.compile(
        rb"^[ \t]*Starting MQSC for queue manager|^[ \t]*AMQ840[89]\w?: |^[ \t]*CSQM(?:201|401|409)I ", re.M
    ),
    Format.MQSC_SCRIPT: re.compile(
        rb"^\* (?:Script generated on |Queue manager name: )"
        rb"|^(?:[^\s\w*'\"(]\w{1,7})?[ \t]*(?:DEF|DEFINE|ALT|ALTER)[ \t]+"
        rb"(?:(?:NO)?REPLACE[ \t]+)?(?:[+-][ \t]*\r?\n[ \t]*)?"
        rb"(?:QL|QLOCAL|QM|QMODEL|QA|QALIAS|QR|QREMOTE)[ \t]*\([ \t]*['A-Z]"
        rb"|^[ \t]*(?:ALT|ALTER)[ \t]+QMGR(?:[ \t]+\+|[ \t]+[A-Z]+\(|[ \t]*$)",
        re.M | re.I,
    ),
    Format.JAVA_TRACE: re.compile(
        rb"^(?:\|[ \t]+com\.ibm\.[\w.]+[ \t]+:-"
        rb"|\[\d\d/\d\d/\d\d \d\d:\d\d:\d\d\.\d{3}(?:\.\w+)?\][ \t]+[0-9A-Fa-f]{8}\s)",
        re.M,
    ),
    Format.TRACE_JSON: JSON_EVENT,
    Format.TRACE_TEXT: TEXT_MESSAGE,
}
"""The mark of each text format: a line that such a file has and no other file."""


LISTINGS = frozenset({Format.DMPMQMSG, Format.AMQSBCG})
"""The formats that list the contents of queues."""


@dataclass(frozen=True)
class Source:
    """An input file."""

    path: str
    """Its path, as the operating system has the name."""
    format: Format
    """Its format."""
    compressed: bool
    """Whether it is compressed with gzip."""
    size: int
    """Its size in bytes, as it is stored."""
    limits: Limits = DEFAULT_LIMITS
    """The limits on how much of it is read."""
    from_line: int | None = 1
    """The number of its first line that is new: that the file before it lacks, or that was not read before.

    None if there is none. Java client traces repeat lines of each other; an event log may have grown since it was read.
    """

    @property
    def name(self) -> str:
        """The path as text: a name that is not UTF-8 cannot be written as it is."""
        return shown(self.path)


def bytes_as_text(path: Path) -> int:
    """Return the approximate size of a file as text in bytes; 0 if it cannot be opened."""
    try:
        with path.open("rb") as file:
            packed = file.read(len(_PARQUET_MAGIC)).startswith((_PARQUET_MAGIC, GZIP_MAGIC))
        return path.stat().st_size * (_PACKED if packed else 1)
    except OSError:
        return 0


def _blocks(path: Path, limits: Limits, *, compressed: bool) -> Iterator[bytes]:
    """Yield a file in blocks, decompressed, each with the end of the one before, as far as it can be read."""
    before = b""
    for block in unpacked(path, limits.unpacked_bytes) if compressed else _plain_blocks(path):
        if not isinstance(block, Damage):  # the reader of the file reports damage
            yield before + block
            before = block[-_LONGEST_MARK:]


def _plain_blocks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            yield block


def _head(path: Path) -> tuple[bytes, bool]:
    """Return the first bytes of a file, decompressed, and whether they were compressed."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if not head.startswith(GZIP_MAGIC):
        return head, False
    parts, size, damage = [], 0, None
    for block in unpacked(path):
        if isinstance(block, Damage):
            damage = damage or block
        else:
            parts.append(block[: _HEAD - size])
            size += len(parts[-1])
        if size == _HEAD:
            break
    if damage and not size:
        raise BadInputError(damage, Place(shown(path), 1))
    return b"".join(parts), True


def _is_event_log(head: bytes) -> bool:
    return any(line.lstrip().startswith(b"{") for line in head.splitlines())


def _has_trace(path: Path, head: bytes, limits: Limits, *, compressed: bool) -> bool:
    """Return whether a file that begins with configuration events contains activity trace."""
    blocks = chain([head], _blocks(path, limits, compressed=compressed))
    return any(JSON_TRACE.search(block) for block in blocks)


_NO_FILES = (
    (stat.S_ISFIFO, "is a pipe, which can be read only once: write it to a file and give that"),
    (stat.S_ISSOCK, "is a socket, not a file"),
    (stat.S_ISCHR, "is a device, not a file"),
    (stat.S_ISBLK, "is a device, not a file"),
)


def file_size(path: Path) -> int:
    """Return the size of a file.

    Raises BadInputError if it is not a regular file, which may never end, and OSError if it does not exist.
    """
    status = path.stat()
    for is_so, reason in _NO_FILES:
        if is_so(status.st_mode):
            raise BadInputError(reason, Place(shown(path)))
    return status.st_size


def detect(path: Path, limits: Limits = DEFAULT_LIMITS) -> Source:
    """Detect the format of a file.

    Raises BadInputError if it cannot be opened, is empty, or holds nothing that has a reader.
    """
    place = Place(shown(path))
    try:
        size = file_size(path)
        head, compressed = _head(path) if size else (b"", False)
        if not head:
            raise BadInputError("the file is empty", place)
        return Source(str(path), _format(path, head, limits, compressed=compressed), compressed, size, limits)
    except OSError as error:
        raise BadInputError(error.strerror or "cannot be read", place) from error


def _format(path: Path, head: bytes, limits: Limits, *, compressed: bool) -> Format:
    """Return the format by the first bytes. Raises BadInputError if no reader has it."""
    place = Place(shown(path), 1)
    if is_utf_16(head):
        raise BadInputError(UTF_16, place)
    if head.startswith(_PARQUET_MAGIC):
        if compressed:
            raise BadInputError("is Parquet compressed with gzip: decompress it", Place(place.source))
        return Format.PARQUET
    if reason := packing(head):
        raise BadInputError(reason, Place(place.source))
    if looks_like_pcap(head):
        return Format.PCAP
    head = head.removeprefix(_BOM)
    for kind, mark in _MARKS.items():
        if mark.search(head):
            mixed = kind is Format.CONFIG_EVENTS and _has_trace(path, head, limits, compressed=compressed)
            return Format.TRACE_JSON if mixed else kind
    if _is_event_log(head):
        return Format.EVENT_LOG
    text = head.decode("utf-8", "replace")
    if heading := SUMMARY.search(text):
        raise BadInputError(OF_A_SUMMARY, Place(place.source, text.count("\n", 0, heading.start()) + 1))
    formats = ", ".join(kind.value for kind in Format)
    raise BadInputError(f"not a format that can be read; these can: {formats}", place)
