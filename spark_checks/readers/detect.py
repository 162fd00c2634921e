"""What an input is, told by its content and never by its name: by its first bytes, as far as they decide it."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import chain
from pathlib import Path

from oracle.errors import BadInputError, Place
from oracle.text_files import UTF_16, is_utf_16
from spark_checks.readers.capture_files import looks_like_pcap
from spark_checks.readers.trace_marks import JSON_EVENT, JSON_TRACE, TEXT_MESSAGE

_HEAD = 65536
_BLOCK = 2**20
_LONGEST_MARK = 1024
_GZIP_MAGIC = b"\x1f\x8b"
_PARQUET_MAGIC = b"PAR1"
_PACKED = 20
"""About how many times as long logs are as text as they are in Parquet or in gzip."""


class Format(str, Enum):
    """The formats that have a reader."""

    EVENT_LOG = "event log"
    PARQUET = "Parquet"
    PCAP = "packet capture"
    JAVA_TRACE = "Java client trace"
    MQSC = "runmqsc output"
    CONFIG_EVENTS = "configuration events"
    DMPMQMSG = "dmpmqmsg file"
    AMQSBCG = "amqsbcg output"
    TRACE_JSON = "activity trace in JSON"
    TRACE_TEXT = "activity trace in text"


_MARKS = {
    Format.CONFIG_EVENTS: re.compile(
        rb'"eventType"\s*:\s*\{\s*"name"\s*:\s*"Config Event"|^\*{4} Message #\d+ \(', re.M
    ),
    Format.DMPMQMSG: re.compile(rb"^\* QLOAD Version|^A VER \d+\s*^A RPT ", re.M),
    Format.AMQSBCG: re.compile(rb"^AMQSBCG0 - starts here|^\s*StrucId\s*:\s*(?:'|\xe2\x80\x98)MD ", re.M),
    Format.MQSC: re.compile(rb"^\s*Starting MQSC for queue manager|^\s*AMQ8409\w?: |^\s*CSQM201I ", re.M),
    Format.JAVA_TRACE: re.compile(
        rb"^(?:\|\s+com\.ibm\.[\w.]+\s+:-|\[\d\d/\d\d/\d\d \d\d:\d\d:\d\d\.\d{3}(?:\.\w+)?\]\s+[0-9A-Fa-f]{8}\s)", re.M
    ),
    Format.TRACE_JSON: JSON_EVENT,
    Format.TRACE_TEXT: TEXT_MESSAGE,
}
"""By text format: what a line of such a file has and no other file does."""


LISTINGS = frozenset({Format.DMPMQMSG, Format.AMQSBCG})
"""The formats that list the contents of queues."""


@dataclass(frozen=True)
class Source:
    """An input file: where it is, what it holds, whether it is compressed with gzip, its size in bytes."""

    path: str
    format: Format
    compressed: bool
    size: int


def bytes_as_text(path: Path) -> int:
    """Return about how many bytes a file would have as text; 0 if it cannot be opened."""
    try:
        with path.open("rb") as file:
            packed = file.read(len(_PARQUET_MAGIC)).startswith((_PARQUET_MAGIC, _GZIP_MAGIC))
        return path.stat().st_size * (_PACKED if packed else 1)
    except OSError:
        return 0


def _blocks(path: Path, *, compressed: bool) -> Iterator[bytes]:
    """Yield a file in blocks, decompressed, each with the end of the one before, as far as it can be read."""
    before = b""
    with gzip.open(path, "rb") if compressed else path.open("rb") as file:
        try:
            while block := file.read(_BLOCK):
                yield before + block
                before = block[-_LONGEST_MARK:]
        except (EOFError, OSError, zlib.error):
            return  # the reader of the file tells what is damaged


def _head(path: Path) -> tuple[bytes, bool]:
    """Return the first bytes of a file, decompressed, and whether they were compressed."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if not head.startswith(_GZIP_MAGIC):
        return head, False
    try:
        with gzip.open(path, "rb") as file:
            return file.read(_HEAD), True
    except EOFError:
        return zlib.decompressobj(wbits=31).decompress(head), True
    except (OSError, zlib.error) as error:
        raise BadInputError("damaged gzip", Place(str(path), 1)) from error


def _is_event_log(head: bytes) -> bool:
    lines = head.removeprefix(b"\xef\xbb\xbf").splitlines()
    return any(line.lstrip().startswith(b"{") for line in lines)


def _has_trace(path: Path, head: bytes, *, compressed: bool) -> bool:
    """Return whether activity trace stands in a file that begins with configuration events."""
    blocks = chain([head], _blocks(path, compressed=compressed))
    return any(JSON_TRACE.search(block) for block in blocks)


def detect(path: Path) -> Source:
    """Tell what a file holds.

    Raises BadInputError if it cannot be opened, is empty, or holds nothing that has a reader.
    """
    place = Place(str(path))
    try:
        size = path.stat().st_size
        head, compressed = _head(path) if size else (b"", False)
    except OSError as error:
        raise BadInputError(error.strerror or "cannot be read", place) from error
    if not head:
        raise BadInputError("the file is empty", place)
    if is_utf_16(head):
        raise BadInputError(UTF_16, Place(str(path), 1))
    if head.startswith(_PARQUET_MAGIC):
        return Source(str(path), Format.PARQUET, compressed, size)
    if looks_like_pcap(head):
        return Source(str(path), Format.PCAP, compressed, size)
    for kind, mark in _MARKS.items():
        if mark.search(head):
            mixed = kind is Format.CONFIG_EVENTS and _has_trace(path, head, compressed=compressed)
            return Source(str(path), Format.TRACE_JSON if mixed else kind, compressed, size)
    if _is_event_log(head):
        return Source(str(path), Format.EVENT_LOG, compressed, size)
    formats = ", ".join(kind.value for kind in Format)
    raise BadInputError(f"not a format that can be read; these can: {formats}", Place(str(path), 1))
