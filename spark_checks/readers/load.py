"""Read inputs as one log: distributed over Spark's tasks, with every record that could not be read accounted for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.types import StructType
from pyspark.storagelevel import StorageLevel

from oracle.errors import BadInputError, Place
from oracle.event_log import COLUMNS, Event, Header, LogHeader, parse_line
from spark_checks.readers.copies import without_overlaps
from spark_checks.readers.detect import Format, Source
from spark_checks.readers.inputs import check_listings, find_sources
from spark_checks.readers.known import depths, earlier_puts, span, with_group_fields
from spark_checks.readers.parquet import read_parquet, rows_of_parquet
from spark_checks.readers.pieces import PIECE_BYTES, Piece, count_line_ends, cut
from spark_checks.readers.remarks import Remark
from spark_checks.readers.rows import batches, fault_row, rows_of_piece
from spark_checks.readers.streams import rows_of_stream, streams_of
from spark_checks.readers.trace_rows import (
    TRACE_KEY,
    TRACE_ORDER,
    TRACE_SCHEMA,
    connected_batches,
    rows_of_trace,
    trace_batches,
)
from spark_checks.schema import BROKEN, CALL, FAULT, HEADER, KIND, LISTED, LISTING, NOTE, REMARK, ROW_SCHEMA

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class ReadLog:
    """What was read: the calls (LOG_SCHEMA), the headers, the records that could not be read, and from what formats.

    `remarks` are what the readers tell of the inputs besides.
    `copies` is how many of the `records` are left out of the calls, because another input has the same calls.
    """

    calls: DataFrame
    headers: tuple[Header, ...]
    faults: DataFrame
    records: int
    unreadable: int
    formats: frozenset[Format] = frozenset()
    remarks: tuple[Remark, ...] = ()
    copies: int = 0


def _spread(
    spark: SparkSession,
    work: int,
    task: Callable[[int], Iterator[pa.RecordBatch]],
    schema: StructType = ROW_SCHEMA,
) -> DataFrame:
    """Run `task(i)` for i in range(work), each in a Spark task of its own."""

    def run(numbers: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in numbers:
            for number in batch.column(0).to_pylist():
                yield from task(number)

    return spark.range(0, work, 1, work).mapInArrow(run, schema)


def _with_line_numbers(spark: SparkSession, pieces: list[Piece]) -> list[Piece]:
    """Find out how many lines stand before each piece; files of one piece need no counting."""
    unknown = [piece for piece in pieces if piece.stop < piece.source.size and not piece.source.compressed]
    if not unknown:
        return pieces

    def count(numbers: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa  # noqa: PLC0415 - on the executor

        for batch in numbers:
            ids = batch.column(0).to_pylist()
            yield pa.RecordBatch.from_pydict({"id": ids, "ends": [count_line_ends(unknown[i]) for i in ids]})

    counted = spark.range(0, len(unknown), 1, len(unknown)).mapInArrow(count, "id long, ends long").collect()
    ends = {unknown[row["id"]]: int(row["ends"]) for row in counted}
    numbered: list[Piece] = []
    before = 0
    for piece in pieces:
        before = 0 if piece.start == 0 else before
        numbered.append(replace(piece, lines_before=before))
        before += ends.get(piece, 0)
    return numbered


def _bundles(pieces: Iterable[Piece]) -> list[list[Piece]]:
    """Put small pieces together so that a task has about as much to read as one large piece."""
    bundles: list[list[Piece]] = []
    room = 0
    for piece in pieces:
        size = piece.stop - piece.start
        if not bundles or size > room:
            bundles.append([])
            room = PIECE_BYTES
        bundles[-1].append(piece)
        room -= size
    return bundles


def _read_lines(bundles: list[list[Piece]], number: int) -> Iterator[pa.RecordBatch]:
    return batches(row for piece in bundles[number] for row in rows_of_piece(piece))


def _read_stream(streams: list[list[Source]], number: int) -> Iterator[pa.RecordBatch]:
    return batches(rows_of_stream(streams[number]))


def _parse_traces(bundles: list[list[Piece]], number: int) -> Iterator[pa.RecordBatch]:
    return trace_batches(row for piece in bundles[number] for row in rows_of_trace(piece))


def _read_traces(spark: SparkSession, sources: list[Source]) -> DataFrame:
    """Read activity trace: pieces of files become trace messages, and those of a connection meet in one task."""
    bundles = _bundles(_with_line_numbers(spark, [piece for source in sources for piece in cut(source)]))
    parsed = _spread(spark, len(bundles), partial(_parse_traces, bundles), TRACE_SCHEMA)
    return (
        parsed.repartition(*TRACE_KEY)
        .sortWithinPartitions(*TRACE_KEY, *TRACE_ORDER)
        .mapInArrow(connected_batches, ROW_SCHEMA)
    )


def _frames(spark: SparkSession, sources: list[Source]) -> list[DataFrame]:
    """Return the rows that the readers make which run in Python: of all formats but Parquet."""
    by_format = {kind: [source for source in sources if source.format is kind] for kind in Format}
    frames: list[DataFrame] = []
    pieces = _with_line_numbers(spark, [piece for source in by_format[Format.EVENT_LOG] for piece in cut(source)])
    if pieces:
        bundles = _bundles(pieces)
        frames.append(_spread(spark, len(bundles), partial(_read_lines, bundles)))
    streams = streams_of(sources)
    if streams:
        frames.append(_spread(spark, len(streams), partial(_read_stream, streams)))
    traces = by_format[Format.TRACE_JSON] + by_format[Format.TRACE_TEXT]
    if traces:
        frames.append(_read_traces(spark, traces))
    return frames


def _refused_rows(spark: SparkSession, refused: list[BadInputError]) -> list[DataFrame]:
    if not refused:
        return []
    return [spark.createDataFrame([fault_row(error) for error in refused], ROW_SCHEMA)]


def _counted_rows(
    spark: SparkSession, sources: list[Source], refused: list[BadInputError]
) -> tuple[DataFrame, Counter[str]]:
    """Return the rows of all inputs, and how many there are of each kind.

    What Python has read is kept. Parquet is read anew wherever rows are asked for, then with few of its columns.
    """
    in_columns = read_parquet(spark, [source for source in sources if source.format is Format.PARQUET])
    others = _frames(spark, sources) + _refused_rows(spark, refused)
    kept = [reduce(DataFrame.unionByName, others).persist(StorageLevel.MEMORY_AND_DISK)] if others else []
    counts = _counts(kept)
    judged = [rows_of_parquet(records) for records in in_columns]
    of_columns = _counts(judged)
    if not of_columns[FAULT]:
        judged = [rows_of_parquet(records, faultless=True) for records in in_columns]
    return reduce(DataFrame.unionByName, [*judged, *kept]), counts + of_columns


def _counts(frames: list[DataFrame]) -> Counter[str]:
    if not frames:
        return Counter()
    rows = reduce(DataFrame.unionByName, frames).groupBy(KIND).count().collect()
    return Counter({row[KIND]: int(row["count"]) for row in rows})


def read_log(
    spark: SparkSession,
    inputs: Iterable[Path],
    before: Sequence[Path] = (),
    after: Sequence[Path] = (),
    *,
    calls_needed: bool = True,
) -> ReadLog:
    """Read files and directories as one log.

    `before` and `after` are listings of queues' contents that were made just before the log's first call and just
    after its last one; among the inputs a listing only supplies what the calls lack.

    Raises BadInputError, with file and line, for an input that is missing, empty, in no known format or
    damaged as a whole, and, if calls are needed, for a log of which no call could be read. Single records that
    cannot be read are counted and kept.
    """
    sources, refused = find_sources([*inputs, *before, *after])
    check_listings([*before, *after])
    rows, counts = _counted_rows(spark, sources, refused)
    if counts.get(BROKEN):
        broken = rows.where(fn.col(KIND) == BROKEN).orderBy("source", "line").first()
        assert broken is not None  # noqa: S101 - it was counted
        raise BadInputError(broken[NOTE], Place(broken["source"], broken["line"]))
    faults = rows.where(fn.col(KIND) == FAULT).select("source", "line", fn.col(NOTE).alias("reason"))
    if not counts.get(CALL) and calls_needed:
        raise _without_calls(sources, counts, faults)
    headers = [
        parse_line(row[NOTE], Place(row["source"] or "", row["line"]))
        for row in rows.where(fn.col(KIND) == HEADER).select(NOTE, "source", "line").collect()
    ]
    calls, copies = rows.where(fn.col(KIND) == CALL).select(*COLUMNS), 0
    traces = {source.path for source in sources if source.format is Format.JAVA_TRACE}
    if len(traces) > 1:
        distinct = without_overlaps(calls, traces)
        calls, copies = distinct.calls, distinct.copies
    told: list[Header] = [header for header in headers if not isinstance(header, Event)]
    if counts.get(CALL) and (counts.get(LISTED) or counts.get(LISTING)):
        earlier, later = _listings_among(sources, before), _listings_among(sources, after)
        calls, told = _with_contents(rows, calls, told, earlier, later)
    formats = frozenset(source.format for source in sources)
    remarks = _remarks(rows) if counts.get(REMARK) else ()
    return ReadLog(calls, tuple(told), faults, counts.get(CALL, 0), counts.get(FAULT, 0), formats, remarks, copies)


def _remarks(rows: DataFrame) -> tuple[Remark, ...]:
    found = rows.where(fn.col(KIND) == REMARK).select(NOTE, "source").orderBy("source", NOTE).collect()
    return tuple(Remark.from_note(row[NOTE], Place(row["source"])) for row in found)


def _without_calls(sources: Sequence[Source], counts: Counter[str], faults: DataFrame) -> BadInputError:
    """Return the error for inputs in which no call could be read."""
    first = faults.orderBy("source", "line").first()
    if first is not None:
        where = Place(first["source"], first["line"])
        return BadInputError(f"no call could be read; what could not be read first: {first['reason']}", where)
    listed = counts[LISTED] + counts[LISTING]
    held = "only what is known of queues: give a log too" if listed or counts[HEADER] else "and nothing else either"
    return BadInputError(f"there is no call in the input, {held}", Place(sources[0].path))


def _listings_among(sources: Iterable[Source], given: Sequence[Path]) -> list[str]:
    """Return the names under which given files were read, for the same file may be given twice."""
    wanted = {path.resolve() for path in given}
    return [source.path for source in sources if Path(source.path).resolve() in wanted]


def _with_contents(
    rows: DataFrame, calls: DataFrame, headers: list[Header], before: Sequence[str], after: Sequence[str]
) -> tuple[DataFrame, list[Header]]:
    """Add what listings of queues' contents tell to the calls and the headers."""
    filled = with_group_fields(calls, rows)
    if not before and not after:
        return filled, headers
    clock_us = max((header.clock_us for header in headers if isinstance(header, LogHeader)), default=0)
    log = span(calls, clock_us)
    return filled.unionByName(earlier_puts(rows, before, log)), [*headers, *depths(rows, before, after, log)]
