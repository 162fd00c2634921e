"""The reading of an input as in the audit, without Spark: to the batches that its tasks return, and their contents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import pyarrow as pa

from oracle.errors import Place
from oracle.histories.event_log import Event, parse_line
from spark_checks.frames.schema import HEADER as HEADER_KIND
from spark_checks.frames.schema import KIND, NOTE, READ
from spark_checks.readers.detect import Format, Source
from spark_checks.readers.inputs import find_sources
from spark_checks.readers.json_lines import batches_of_piece
from spark_checks.readers.pieces import cut
from spark_checks.readers.rows import batches
from spark_checks.readers.streams import STREAMED, rows_of_stream
from spark_checks.readers.trace_rows import TRACE_KEY, TRACE_ORDER, connected_batches, rows_of_trace, trace_batches

_TRACES = (Format.TRACE_JSON, Format.TRACE_TEXT)


def counted(path: Path) -> Counter[str]:
    """Return the number of rows of each kind in an input, without those that say how far it was read.

    Raises BadInputError if it is unreadable.
    """
    found: Counter[str] = Counter()
    sources, refused = find_sources([path])
    found["fault"] += len(refused)
    for source in sources:
        for batch in _batches(source):
            found.update(batch.column(KIND).to_pylist())
            _check_headers(batch)
    del found[READ]
    return found


def _batches(source: Source) -> Iterator[pa.RecordBatch]:
    if source.format in _TRACES:
        traced = trace_batches(row for piece in cut(source) for row in rows_of_trace(piece))
        return connected_batches(_sorted(traced))
    if source.format in STREAMED:
        return batches(rows_of_stream([source]))
    return chain.from_iterable(map(batches_of_piece, cut(source)))


def _sorted(traced: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Sort as Spark does between the two halves of reading a trace."""
    whole = list(traced)
    if whole:
        order = [(name, "ascending") for name in (*TRACE_KEY, *TRACE_ORDER)]
        yield from pa.Table.from_batches(whole).sort_by(order).to_batches()


def _check_headers(batch: pa.RecordBatch) -> None:
    """Check that each header can be read back, as in the audit."""
    for kind, note in zip(batch.column(KIND).to_pylist(), batch.column(NOTE).to_pylist(), strict=True):
        if kind == HEADER_KIND:
            assert not isinstance(parse_line(note, Place("a header")), Event)
