"""The reading of inputs as one log: in tasks of an engine, with an account of every unreadable record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from oracle.errors import BadInputError, Place
from oracle.histories.event_log import COLUMNS, PADDED, Event, Header, LogHeader, QueueHeader, parse_line
from spark_checks.frames import Engine, Frame, union
from spark_checks.frames import functions as fn
from spark_checks.frames.schema import BEGUN, CALL, FAULT, HEADER, KIND, LISTED, LISTING, NOTE, READ, REMARK, ROW_SCHEMA
from spark_checks.readers.copies import without_overlaps
from spark_checks.readers.detect import Format, Source
from spark_checks.readers.inputs import Inputs, check_listings, find_sources
from spark_checks.readers.json_lines import batches_of_piece
from spark_checks.readers.listed_facts import depths, earlier_puts, span, unused, with_group_fields
from spark_checks.readers.parquet import read_parquet, rows_of_parquet
from spark_checks.readers.parquet_rows import is_damaged
from spark_checks.readers.pieces import PIECE_BYTES, Piece, count_line_ends, cut
from spark_checks.readers.remarks import Remark
from spark_checks.readers.rows import batches, fault_row
from spark_checks.readers.streams import ALONE, OverDays, rows_of_stream, streams_of
from spark_checks.readers.trace_rows import (
    TRACE_KEY,
    TRACE_ORDER,
    TRACE_SCHEMA,
    connected_batches,
    rows_of_trace,
    trace_batches,
)

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class ReadLog:
    """The result of reading inputs."""

    calls: Frame
    """The calls, with the columns of an event log, each once."""
    headers: tuple[Header, ...]
    """The headers, including those made from listings and definitions."""
    faults: Frame
    """The records that could not be read: `source`, `line` and `reason`."""
    records: int
    """The number of call records that were read."""
    unreadable: int
    """The number of records that could not be read."""
    formats: frozenset[Format] = frozenset()
    """The formats of the inputs."""
    captures: frozenset[str] = frozenset()
    """The names of the inputs that are packet captures."""
    remarks: tuple[Remark, ...] = ()
    """Other remarks of the readers on the inputs."""
    copies: int = 0
    """The number of records left out of the calls because another input has the same calls."""
    begun: str = ""
    """The readers' unfinished state, as text for the next day's reading.

    Empty if no day follows or nothing is unfinished.
    """
    lines: Mapping[str, int] = field(default_factory=dict)
    """By name, the line up to which each event log was read."""


def _count_ends(pieces: list[Piece], number: int) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    yield pa.RecordBatch.from_pydict({"id": [number], "ends": [count_line_ends(pieces[number])]})


def _with_line_numbers(engine: Engine, pieces: list[Piece]) -> list[Piece]:
    """Compute how many lines precede each piece; files of one piece need no counting."""
    unknown = [piece for piece in pieces if piece.stop < piece.source.size and not piece.source.compressed]
    if not unknown:
        return pieces

    counted = engine.spread(len(unknown), partial(_count_ends, unknown), {"id": "long", "ends": "long"}).collect()
    ends = {unknown[row["id"]]: int(row["ends"]) for row in counted}
    numbered: list[Piece] = []
    before = 0
    for piece in pieces:
        before = 0 if piece.start == 0 else before
        numbered.append(replace(piece, lines_before=before))
        before += ends.get(piece, 0)
    return numbered


def _bundles(pieces: Iterable[Piece]) -> list[list[Piece]]:
    """Combine small pieces so that a task reads about as much as one large piece."""
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
    return chain.from_iterable(map(batches_of_piece, bundles[number]))


def _read_stream(streams: list[list[Source]], over_days: OverDays, number: int) -> Iterator[pa.RecordBatch]:
    return batches(rows_of_stream(streams[number], over_days))


def _parse_traces(bundles: list[list[Piece]], number: int) -> Iterator[pa.RecordBatch]:
    return trace_batches(row for piece in bundles[number] for row in rows_of_trace(piece))


def _read_traces(engine: Engine, sources: list[Source]) -> Frame:
    """Read activity trace: pieces of files become trace messages, and those of a connection meet in one task."""
    bundles = _bundles(_with_line_numbers(engine, [piece for source in sources for piece in cut(source)]))
    parsed = engine.spread(len(bundles), partial(_parse_traces, bundles), TRACE_SCHEMA)
    return parsed.map_batches(connected_batches, ROW_SCHEMA, by=TRACE_KEY, order=TRACE_ORDER)


def _frames(engine: Engine, sources: list[Source], over_days: OverDays) -> list[Frame]:
    """Return the rows that the readers make which run in Python: of all formats but Parquet."""
    by_format = {kind: [source for source in sources if source.format is kind] for kind in Format}
    frames: list[Frame] = []
    pieces = _with_line_numbers(engine, [piece for source in by_format[Format.EVENT_LOG] for piece in cut(source)])
    if pieces:
        bundles = _bundles(pieces)
        frames.append(engine.spread(len(bundles), partial(_read_lines, bundles), ROW_SCHEMA))
    streams = streams_of(sources, over_days)
    if streams:
        frames.append(engine.spread(len(streams), partial(_read_stream, streams, over_days), ROW_SCHEMA))
    traces = by_format[Format.TRACE_JSON] + by_format[Format.TRACE_TEXT]
    if traces:
        frames.append(_read_traces(engine, traces))
    return frames


def _refused_rows(engine: Engine, refused: list[BadInputError]) -> list[Frame]:
    if not refused:
        return []
    return [engine.frame([fault_row(error) for error in refused], ROW_SCHEMA)]


def _counted_rows(
    engine: Engine, sources: list[Source], refused: list[BadInputError], over_days: OverDays
) -> tuple[Frame, Counter[str]]:
    """Return the rows of all inputs, and how many there are of each kind.

    Rows read by Python are kept. Parquet is read again wherever rows are needed, with few of its columns.
    """
    in_parquet = [source for source in sources if source.format is Format.PARQUET]
    in_python = [source for source in sources if source.format is not Format.PARQUET]
    try:
        columns, unfit = read_parquet(engine, in_parquet)
        judged, counts = _judged(columns)
    except engine.errors:
        damaged = [source for source in in_parquet if is_damaged(source)]
        if not damaged:
            raise
        in_python += damaged
        columns, unfit = read_parquet(engine, [source for source in in_parquet if source not in damaged])
        judged, counts = _judged(columns)
    frames = _frames(engine, in_python, over_days) + _refused_rows(engine, refused + unfit)
    kept = [union(frames).kept()] if frames else []
    return union([*judged, *kept]), counts + _counts(kept)


def _judged(columns: list[Frame]) -> tuple[list[Frame], Counter[str]]:
    """Return the rows of Parquet files, and how many there are of each kind."""
    judged = [rows_of_parquet(records) for records in columns]
    counts = _counts(judged)
    if not counts[FAULT]:
        judged = [rows_of_parquet(records, faultless=True) for records in columns]
    return judged, counts


def _counts(frames: list[Frame]) -> Counter[str]:
    """Return the number of rows of each kind. Every column is read, so that no damage shows later."""
    if not frames:
        return Counter()
    numbers = [fn.count(fn.lit(1)).alias("count"), fn.max("line")]
    rows = union(frames).group_by(KIND).agg(*numbers).collect()
    return Counter({row[KIND]: int(row["count"]) for row in rows})


def read_log(
    engine: Engine,
    inputs: Inputs | Iterable[Path],
    *,
    calls_needed: bool = True,
    over_days: OverDays = ALONE,
) -> ReadLog:
    """Read files and directories as one log.

    `over_days` relates the inputs to those of other days. Records and whole files that cannot be read are counted and
    kept, with file, line and reason. Raises BadInputError for an input that does not exist, if no input can be read,
    and, if calls are needed, for a log without a readable call.
    """
    given = Inputs.of(inputs)
    sources, refused = find_sources(given.everything, given.limits)
    sources = [_behind(source, given.read_lines.get(source.path, 0)) for source in sources]
    check_listings(given.listings)
    rows, counts = _counted_rows(engine, sources, refused, over_days)
    faults = rows.where(fn.col(KIND) == FAULT).select("source", "line", fn.col(NOTE).alias("reason"))
    if not counts.get(CALL) and calls_needed:
        raise _without_calls(sources, counts, faults, goes_on=over_days.goes_on)
    calls, copies = _calls(rows, sources)
    headers, not_used = _headers(rows, calls if counts.get(CALL) else None)
    if counts.get(CALL) and (counts.get(LISTED) or counts.get(LISTING)):
        earlier, later = _listings_among(sources, given.before), _listings_among(sources, given.after)
        calls, headers, listings = _with_contents(rows, calls, headers, earlier, later)
        not_used += listings
    if not_used:
        more = [(str(error.place), None, str(error).removeprefix(f"{error.place}: ")) for error in not_used]
        faults = faults.union_by_name(engine.frame(more, faults.schema))
    return ReadLog(
        calls,
        tuple(headers),
        faults,
        records=counts.get(CALL, 0),
        unreadable=counts.get(FAULT, 0) + len(not_used),
        formats=frozenset(source.format for source in sources),
        captures=frozenset(source.name for source in sources if source.format is Format.PCAP),
        remarks=_remarks(rows) if counts.get(REMARK) else (),
        copies=copies,
        begun=_begun(rows) if counts.get(BEGUN) else over_days.begun if over_days.goes_on else "",
        lines=_lines_read(rows) if counts.get(READ) else {},
    )


def _calls(rows: Frame, sources: Sequence[Source]) -> tuple[Frame, int]:
    """Return the calls among rows, and how many others are copies: traces of one program may overlap."""
    plain = {name: fn.unpadded(name).alias(name) for name in PADDED}
    calls = rows.where(fn.col(KIND) == CALL).select(*(plain.get(name, name) for name in COLUMNS))
    traces = {source.name for source in sources if source.format is Format.JAVA_TRACE}
    if len(traces) < 2:
        return calls, 0
    distinct = without_overlaps(calls, traces)
    return distinct.calls, distinct.copies


def _behind(source: Source, read_lines: int) -> Source:
    """Return a source without the lines that were read before; only event logs are read from a line on."""
    grown = read_lines and source.format is Format.EVENT_LOG
    return replace(source, from_line=read_lines + 1) if grown else source


def _lines_read(rows: Frame) -> dict[str, int]:
    """Return by name up to which line each event log was read."""
    found = rows.where(fn.col(KIND) == READ).group_by("source").agg(fn.max("line").alias("line")).collect()
    return {row["source"]: int(row["line"]) for row in found}


def _begun(rows: Frame) -> str:
    (found,) = rows.where(fn.col(KIND) == BEGUN).select(NOTE).collect()
    return str(found[NOTE])


def _remarks(rows: Frame) -> tuple[Remark, ...]:
    found = rows.where(fn.col(KIND) == REMARK).select(NOTE, "source").order_by("source", NOTE).collect()
    return tuple(Remark.from_note(row[NOTE], Place(row["source"])) for row in found)


def _headers(rows: Frame, calls: Frame | None) -> tuple[list[Header], list[BadInputError]]:
    """Return the headers among rows, and an error for each definition that is of no queue manager.

    A definition that does not name its queue manager, such as one of the default queue manager, belongs to the only one
    that has calls. Without calls it stays as it is.
    """
    found = rows.where(fn.col(KIND) == HEADER).select(NOTE, "source", "line").collect()
    places = [Place(row["source"] or "", row["line"]) for row in found]
    headers = [parse_line(row[NOTE], place) for row, place in zip(found, places, strict=True)]
    known: list[str] = []
    if calls is not None and any(isinstance(one, QueueHeader) and not one.qmgr for one in headers):
        known = [row["qmgr"] for row in calls.select("qmgr").distinct().limit(2).collect()]
    named: list[Header] = []
    errors: list[BadInputError] = []
    for place, header in zip(places, headers, strict=True):
        if isinstance(header, QueueHeader) and not header.qmgr and known:
            if len(known) == 1:
                named.append(header.model_copy(update={"qmgr": known[0]}))
            else:
                of = "a queue manager" if header.of_queue_manager else header.queue
                why = f"the definition of {of} does not name its queue manager"
                errors.append(BadInputError(why, Place(place.source)))
        elif not isinstance(header, Event):
            named.append(header)
    return named, errors


def _without_calls(sources: Sequence[Source], counts: Counter[str], faults: Frame, *, goes_on: bool) -> BadInputError:
    """Return the error for inputs in which no call could be read; if it `goes_on`, another day follows."""
    first = faults.order_by("source", "line").first()
    if first is not None:
        where = Place(first["source"], first["line"])
        what_to_do = "; if the files of the next day continue these, audit both together" if goes_on else ""
        reason = f"no call could be read; the first error: {first['reason']}{what_to_do}"
        return BadInputError(reason, where)
    listed = counts[LISTED] + counts[LISTING]
    held = "only facts about queues: give a log too" if listed or counts[HEADER] else "and nothing else either"
    return BadInputError(f"there is no call in the input, {held}", Place(sources[0].name))


def _listings_among(sources: Iterable[Source], given: Sequence[Path]) -> list[str]:
    """Return the names under which given files were read; the same file may be given twice."""
    wanted = {path.resolve() for path in given}
    return [source.name for source in sources if Path(source.path).resolve() in wanted]


def _with_contents(
    rows: Frame, calls: Frame, headers: list[Header], before: Sequence[str], after: Sequence[str]
) -> tuple[Frame, list[Header], list[BadInputError]]:
    """Add the facts of listings of queues' contents to the calls and the headers; return errors for unused ones too."""
    filled = with_group_fields(calls, rows)
    if not before and not after:
        return filled, headers, []
    clock_us = max((header.clock_us for header in headers if isinstance(header, LogHeader)), default=0)
    log = span(calls, clock_us)
    with_puts = filled.union_by_name(earlier_puts(rows, before, log))
    return with_puts, [*headers, *depths(rows, before, after, log)], unused(rows, [*before, *after], log)
