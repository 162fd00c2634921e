"""The files of a report, all together or none: findings and calls around them, summary, JUnit and the page."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from oracle.histories.event_log import LogHeader
from oracle.judging.deviations import LogDeviation
from spark_checks.audit import Audit
from spark_checks.coverage.advice import advice
from spark_checks.frames import Frame
from spark_checks.frames import functions as fn
from spark_checks.frames.described import schema_of
from spark_checks.frames.types import arrow_schema
from spark_checks.output.whole_directories import whole_directory
from spark_checks.preparation.capture import captured
from spark_checks.reports import junit
from spark_checks.reports.around import Calls, calls_around
from spark_checks.reports.courses import QueueKey, courses
from spark_checks.reports.gate import DEFAULT_GATE, Gate
from spark_checks.reports.gathering import Gathering
from spark_checks.reports.html import page_of
from spark_checks.reports.known import SUMMARY
from spark_checks.reports.names import JUNIT, PAGE, PARQUET, UNREADABLE
from spark_checks.reports.results import Fault, Finding, Results, summary, worst_first
from spark_checks.reports.show import AROUND, FINDINGS
from spark_checks.results.columns import ReportedFinding

_FAULTS_SHOWN = 20
_BATCH = 5_000
_INPUTS_NAMED = 3

_SCHEMA = arrow_schema(schema_of(ReportedFinding))


@dataclass(frozen=True)
class Extent:
    """The extent of a log: its times and its connections. Times are microseconds since 1970-01-01 UTC."""

    first_us: int
    """The time at which the first call began."""
    last_us: int
    """The time at which the last call ended."""
    connections: int
    """The number of connections that made them."""


def write_report(
    audit: Audit,
    directory: Path,
    known: Sequence[LogDeviation] = (),
    gate: Gate = DEFAULT_GATE,
    progress: Callable[[str], None] = lambda _: None,
    *,
    inputs: Sequence[Path] = (),
    extent: Extent | None = None,
) -> Results:
    """Write the files of an audit, all together or none, and return their contents.

    `gate` decides which test cases of junit.xml fail; `inputs` are the audited inputs. `extent` is that of the whole
    log, if the audit has only its last calls. Raises BadInputError if they cannot be written.
    """
    gathering, found = Gathering(known), Counter[QueueKey]()
    with whole_directory(directory) as new:
        progress("writing the findings")
        with FindingsFiles(new) as files:
            for finding in _gathered(audit, gathering, found):
                files.write(finding)
        faults = _write_faults(audit.read.faults.order_by("source", "line"), new / UNREADABLE)
        progress("gathering the calls around findings")
        around = calls_around(audit.read.calls, gathering.kept)
        write_around(around, new / AROUND)
        results = replace(_results(audit, gathering, found, faults, around, extent=extent), inputs=_named(inputs))
        progress("writing the report")
        (new / SUMMARY).write_text(json.dumps(summary(results), indent=2) + "\n", encoding="utf-8")
        (new / JUNIT).write_text(junit.document(results, gate), encoding="utf-8")
        (new / PAGE).write_text(page_of(results), encoding="utf-8")
    return results


def results_of(audit: Audit, known: Sequence[LogDeviation] = (), *, inputs: Sequence[Path] = ()) -> Results:
    """Return the contents of a report that is not written. The arguments are those of write_report."""
    gathering, found = Gathering(known), Counter[QueueKey]()
    for _ in _gathered(audit, gathering, found):
        pass
    faults = tuple(_fault(row) for row in json_rows(audit.read.faults.order_by("source", "line").limit(_FAULTS_SHOWN)))
    return replace(_results(audit, gathering, found, faults, {}, extent=None), inputs=_named(inputs))


def _gathered(audit: Audit, gathering: Gathering, found: Counter[QueueKey]) -> Iterator[Finding]:
    """Gather the findings, count them by queue, and yield them in their order."""
    first = fn.col("calls")[0]
    order = ("qmgr", "queue", "rule", first["start_us"], first["conn"], first["seq"], "msg_id", "explanation")
    for row in json_rows(audit.findings.order_by(*order)):
        finding = gathering.take(row)
        found[finding.qmgr, finding.queue] += 1
        yield finding


def _named(inputs: Sequence[Path]) -> str:
    """Return the inputs as a title names them."""
    names = ", ".join(path.name or str(path) for path in inputs[:_INPUTS_NAMED])
    return f"{names} and {len(inputs) - _INPUTS_NAMED} more" if len(inputs) > _INPUTS_NAMED else names


def _results(
    audit: Audit,
    gathering: Gathering,
    found: Counter[QueueKey],
    faults: tuple[Fault, ...],
    around: Mapping[int, Calls],
    *,
    extent: Extent | None,
) -> Results:
    read = audit.read
    held = captured(read.calls)
    whole = extent or Extent(held.first_us or 0, held.last_us or 0, held.connections)
    rules = gathering.rules(audit.rules)
    over_time = courses(audit.log.moves, read.headers, found)
    missing = {need for rule in rules if rule.result.not_checkable for need in rule.result.missing}
    of_log = [header for header in read.headers if isinstance(header, LogHeader)]
    return Results(
        records=read.records,
        unreadable=read.unreadable,
        copies=read.copies + audit.log.copies_in(read.calls),
        seconds=audit.seconds,
        first_us=whole.first_us,
        last_us=whole.last_us,
        connections=whole.connections,
        complete=bool(of_log) and audit.log.facts.complete,
        rules=rules,
        groups=worst_first(gathering.groups()),
        known=gathering.known(rules, {*over_time.all_queues, *found}),
        faults=faults,
        advice=tuple(advice(read.formats, held.columns, missing, read.remarks)),
        courses=over_time,
        around=around,
        replayed=audit.replayed,
    )


class FindingsFiles:
    """A writer of findings, one by one, as lines of JSON and as Parquet."""

    def __init__(self, directory: Path) -> None:
        self._lines = (directory / FINDINGS).open("w", encoding="utf-8")
        self._parquet = pq.ParquetWriter(directory / PARQUET, _SCHEMA, compression="zstd")
        self._batch: list[dict[str, Any]] = []

    def __enter__(self) -> FindingsFiles:
        return self

    def __exit__(self, *_: object) -> None:
        self._flush()
        self._lines.close()
        self._parquet.close()

    def write(self, finding: Finding) -> None:
        """Write the next finding."""
        members = finding.document()
        self._lines.write(json.dumps(members) + "\n")
        self._batch.append(members)
        if len(self._batch) >= _BATCH:
            self._flush()

    def _flush(self) -> None:
        if self._batch:
            self._parquet.write_batch(pa.RecordBatch.from_pylist(self._batch, schema=_SCHEMA))
            self._batch = []


def write_around(around: Mapping[int, Calls], path: Path) -> None:
    """Write the calls around findings: one finding a line."""
    with path.open("w", encoding="utf-8") as file:
        for number, calls in around.items():
            file.write(json.dumps({"finding": number, "calls": calls}) + "\n")


def json_rows(frame: Frame) -> Iterator[dict[str, Any]]:
    """Return the rows of a frame one by one as plain data, with every member, also unknown ones."""
    for row in frame.select(fn.json_of(*frame.columns, nulls=True).alias("line")).rows():
        yield json.loads(row["line"])


def _write_faults(frame: Frame, path: Path) -> tuple[Fault, ...]:
    """Write the records that could not be read, and return the first few."""
    first: list[Fault] = []
    with path.open("w", encoding="utf-8") as file:
        for row in json_rows(frame):
            file.write(json.dumps(row) + "\n")
            if len(first) < _FAULTS_SHOWN:
                first.append(_fault(row))
    return tuple(first)


def _fault(row: Mapping[str, Any]) -> Fault:
    return Fault(row["source"], row["line"], row["reason"])
