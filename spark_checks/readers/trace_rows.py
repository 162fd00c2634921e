"""Activity trace in an engine: trace messages as rows, sorted, and then calls as rows.

Trace messages of one connection may be in several files and pieces of files. Each is a row with its text as JSON until
all of a connection are in one task, in order. Errors are rows too, without a key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import pyarrow as pa

from oracle.errors import BadInputError, Place
from oracle.histories.event_log import Header, QueueHeader, parse_line, to_line
from spark_checks.frames.batch_rows import rows_of
from spark_checks.frames.schema import FAULT
from spark_checks.frames.types import arrow_schema
from spark_checks.readers.activity_trace import HEADER, trace_messages
from spark_checks.readers.pieces import Piece
from spark_checks.readers.rows import Row, batches, fault_row, row_of
from spark_checks.readers.trace_connections import assemble
from spark_checks.readers.trace_messages import TraceMessage

TRACE_KEY = ("qmgr", "connection")
TRACE_ORDER = ("position", "source", "line")
_MESSAGE, _HEADER = "message", "header"
_BATCH_ROWS = 256
"""The number of trace messages in a batch: each may have a thousand calls."""

TRACE_SCHEMA = {
    "qmgr": "string",
    "connection": "string",
    "position": "long",
    "source": "string",
    "line": "long",
    "kind": "string",
    "content": "string",
}
"""Trace messages, headers and errors. `content` is the trace message, the header, or the reason."""

_ARROW = arrow_schema(TRACE_SCHEMA)


def _error(error: BadInputError) -> Row:
    place = error.place or Place("")
    return (None, None, None, place.source, place.line, FAULT, str(error).removeprefix(f"{place}: "))


def _header(header: Header, source: str) -> Row:
    return (None, None, None, source, None, _HEADER, to_line(header))


def rows_of_trace(piece: Piece) -> Iterator[Row]:
    """Read a piece of a file of activity trace. A piece with trace messages also yields the log's header."""
    source = piece.source.name
    traced = False
    try:
        for found in trace_messages(piece):
            if isinstance(found, BadInputError):
                yield _error(found)
            elif isinstance(found, QueueHeader):
                yield _header(found, source)
            else:
                if not traced:
                    yield _header(HEADER, source)
                traced = True
                yield (*found.key, found.order, found.source, found.line, _MESSAGE, found.to_json())
    except OSError as error:
        yield _error(BadInputError(error.strerror or "cannot be read", Place(source)))


def trace_batches(rows: Iterable[Row]) -> Iterator[pa.RecordBatch]:
    """Pack trace messages into Arrow batches."""
    stream = iter(rows)
    while chunk := list(islice(stream, _BATCH_ROWS)):
        columns = zip(*chunk, strict=True)
        arrays = [pa.array(column, field.type) for column, field in zip(columns, _ARROW, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, schema=_ARROW)


class _Sorted:
    """The trace messages in a stream of rows; the rows of everything else are collected beside them."""

    def __init__(self, stream: Iterable[pa.RecordBatch]) -> None:
        self._stream = stream
        self.others: list[Row] = []

    def __iter__(self) -> Iterator[TraceMessage]:
        for batch in self._stream:
            for row in rows_of(batch):
                place = Place(row["source"], row["line"])
                if row["kind"] == _MESSAGE:
                    yield TraceMessage.from_json(row["content"])
                elif row["kind"] == _HEADER:
                    self.others.append(row_of(parse_line(row["content"], place), place))
                else:
                    self.others.append(fault_row(BadInputError(row["content"], place)))

    def rows(self) -> Iterator[Row]:
        """Yield the rows of the event log."""
        for record in assemble(self):
            yield fault_row(record) if isinstance(record, BadInputError) else row_of(record)
            yield from self._met()
        yield from self._met()

    def _met(self) -> Iterator[Row]:
        met, self.others = self.others, []
        yield from met


def connected_batches(stream: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Assemble sorted trace messages into the calls of connections."""
    yield from batches(_Sorted(stream).rows())
