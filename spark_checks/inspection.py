"""What is in a log, without a judgement: `mq-audit inspect`.

The log is read and prepared as for an audit, so that the rules themselves say which records they can be checked with
and what they lack; no check looks for findings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, Row, SparkSession
from pyspark.sql import functions as fn
from rich.console import Console
from rich.table import Table

from oracle import catalogue
from oracle.constants import MQCC
from oracle.event_log import COLUMNS, DepthHeader, Header, LogHeader, QueueHeader
from spark_checks.advice import advice
from spark_checks.audit import Progress, RuleResult, coverage
from spark_checks.checks import CHECKS
from spark_checks.preparation.facts import log_facts
from spark_checks.preparation.log import prepare
from spark_checks.readers.inputs import find_sources
from spark_checks.readers.load import ReadLog, read_log

_PUTS, _GETS = ("MQPUT", "MQPUT1"), ("MQGET", "CALLBACK")
_SHOWN_QUEUES = 20
_OPENED = ("MQOPEN", "MQCLOSE", *_PUTS, *_GETS)
_ALWAYS = ("qmgr", "conn", "seq", "start_us", "end_us", "call")

_OF_CALLS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("hobj", "queue", "object_name", "options"), _OPENED),
    **dict.fromkeys(("match_options", "wait_ms", "buffer_length"), _GETS),
}
"""By column: the calls that can have it. Message columns belong to puts, and to gets that returned a message."""

_ONLY_IF_ASKED = (
    "sel_msg_id", "sel_correl_id", "sel_group_id", "sel_seq_number", "sel_offset", "sel_token"
)  # fmt: skip
"""Columns whose absence says nothing: an MQGET that selects by something else does not have them."""

_OF_RETURNED = ("group_status", "segment_status", "backout_count")


@dataclass(frozen=True)
class InputFile:
    """An input file: its format, whether it is compressed, its size in bytes, and what of it cannot be read."""

    path: str
    format: str
    gzip: bool
    bytes: int
    unreadable: int


@dataclass(frozen=True)
class QueueUse:
    """A queue in the log: how often it was put to and got from, and what the headers tell of it."""

    qmgr: str | None
    queue: str | None
    puts: int
    gets: int
    defined: bool
    depth_known: bool


@dataclass(frozen=True)
class Inspection:
    """What a log holds. Times are microseconds since 1970-01-01 UTC, shares of columns between 0 and 1."""

    files: tuple[InputFile, ...]
    records: int
    unreadable: int
    complete: bool
    clock_us: int
    first_us: int | None
    last_us: int | None
    connections: int
    calls: dict[str, int]
    queues: tuple[QueueUse, ...]
    columns: dict[str, float]
    rules: tuple[RuleResult, ...]
    advice: tuple[str, ...]

    def document(self) -> dict[str, Any]:
        """Return it as plain data for JSON."""
        members = asdict(self)
        members["rules"] = [
            {"id": rule.rule, "records_checkable": rule.checked, "records_not_checkable": rule.not_checkable,
             "missing": list(rule.missing)}
            for rule in self.rules
        ]  # fmt: skip
        return members


def _can_have(column: str) -> Column:
    call = fn.col("call")
    if column in _OF_CALLS:
        return call.isin(*_OF_CALLS[column])
    returned = call.isin(*_GETS) & fn.coalesce(fn.col("comp_code") != MQCC.FAILED, fn.lit(True))
    if column in _OF_RETURNED:
        return returned
    if column in ("comp_code", "reason", "source", "line"):
        return fn.lit(True)
    return returned | call.isin(*_PUTS)


def _counted() -> list[str]:
    return [name for name in COLUMNS if name not in (*_ALWAYS, *_ONLY_IF_ASKED)]


def _totals(calls: DataFrame) -> Row:
    """Gather in one pass the time span, the connections, and how many records can have and do have each column."""
    names = _counted()
    can = [fn.count(fn.when(_can_have(name), 1)).alias(f"all_{name}") for name in names]
    do = [fn.count(fn.when(_can_have(name) & fn.col(name).isNotNull(), 1)).alias(f"has_{name}") for name in names]
    bounds = [fn.min("start_us").alias("first"), fn.max("end_us").alias("last")]
    return calls.agg(*bounds, fn.countDistinct("qmgr", "conn").alias("connections"), *can, *do).collect()[0]


def _calls(used: Sequence[Row]) -> dict[str, int]:
    counts = Counter[str]()
    for row in used:
        counts[row["call"]] += row["count"]
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _queues(used: Sequence[Row], headers: Sequence[Header]) -> tuple[QueueUse, ...]:
    puts, gets = Counter[tuple[Any, Any]](), Counter[tuple[Any, Any]]()
    for row in used:
        counts = puts if row["call"] in _PUTS else gets
        if row["call"] in (*_PUTS, *_GETS):
            counts[row["qmgr"], row["queue"]] += row["count"]
    defined = {(header.qmgr, header.queue) for header in headers if isinstance(header, QueueHeader)}
    known = {(header.qmgr, header.queue) for header in headers if isinstance(header, DepthHeader)}
    keys = sorted(puts.keys() | gets.keys() | defined | known, key=lambda key: (-puts[key] - gets[key], str(key)))
    return tuple(
        QueueUse(qmgr, queue, puts[qmgr, queue], gets[qmgr, queue], (qmgr, queue) in defined, (qmgr, queue) in known)
        for qmgr, queue in keys
    )


def _rules(read: ReadLog) -> tuple[RuleResult, ...]:
    log = prepare(read.calls, log_facts(read.headers, read.unreadable))
    covered = coverage(log, [concern for check in CHECKS for concern in check.concerns(log)])
    return tuple(RuleResult(rule, 0, 0, *counts) for rule, counts in covered.items())


def inspect(
    spark: SparkSession,
    inputs: Sequence[Path],
    before: Sequence[Path] = (),
    after: Sequence[Path] = (),
    progress: Progress = lambda _: None,
) -> Inspection:
    """Say what inputs hold together; `before` and `after` are as for read_log. Raises BadInputError as it does."""
    sources, _ = find_sources([*inputs, *before, *after])
    progress("reading the log")
    read = read_log(spark, inputs, before, after, calls_needed=False)
    unreadable: dict[str, int] = {}
    if read.unreadable:
        unreadable = {row["source"]: int(row["count"]) for row in read.faults.groupBy("source").count().collect()}
    totals = _totals(read.calls)
    used = read.calls.groupBy("call", "qmgr", "queue").count().collect()
    columns = {
        name: totals[f"has_{name}"] / totals[f"all_{name}"] for name in _counted() if totals[f"all_{name}"]
    }  # fmt: skip
    progress("asking the rules what they can be checked with")
    rules = _rules(read) if read.records else ()
    of_log = [header for header in read.headers if isinstance(header, LogHeader)]
    missing = {need for rule in rules if rule.not_checkable for need in rule.missing}
    return Inspection(
        files=tuple(
            InputFile(each.path, each.format.value, each.compressed, each.size, unreadable.get(each.path, 0))
            for each in sources
        ),
        records=read.records,
        unreadable=read.unreadable,
        complete=bool(of_log) and all(header.complete for header in of_log) and not read.unreadable,
        clock_us=max((header.clock_us for header in of_log), default=0),
        first_us=totals["first"],
        last_us=totals["last"],
        connections=int(totals["connections"]),
        calls=_calls(used),
        queues=_queues(used, read.headers),
        columns=columns,
        rules=rules,
        advice=tuple(advice({source.format for source in sources}, columns, missing)),
    )


def _moment(us: int) -> str:
    return f"{datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=us):%Y-%m-%d %H:%M:%S.%f} UTC"


def _grid(*names: str, numbers: Sequence[str] = ()) -> Table:
    table = Table(show_edge=False, pad_edge=False)
    for name in names:
        table.add_column(name, justify="right" if name in numbers else "left", overflow="fold")
    return table


def show_inspection(found: Inspection, console: Console) -> None:
    """Show an inspection on the terminal."""
    files = _grid("file", "format", "bytes", "unreadable", numbers=("bytes", "unreadable"))
    for each in found.files:
        files.add_row(
            each.path, each.format + (", gzip" if each.gzip else ""), f"{each.bytes:,}", f"{each.unreadable:,}"
        )
    console.print(files)
    console.print(
        f"\n{found.records:,} calls of {found.connections:,} connections, {found.unreadable:,} unreadable records"
    )
    if found.first_us is not None and found.last_us is not None:
        console.print(f"from {_moment(found.first_us)} to {_moment(found.last_us)}", highlight=False)
    console.print(f"every call is in the log: {'yes' if found.complete else 'not said'}")
    console.print(", ".join(f"{call} {count:,}" for call, count in found.calls.items()) + "\n", highlight=False)
    queues = _grid("queue manager", "queue", "puts", "gets", "definition", "depth", numbers=("puts", "gets"))
    for use in found.queues[:_SHOWN_QUEUES]:
        known = ["known" if fact else "-" for fact in (use.defined, use.depth_known)]
        queues.add_row(
            use.qmgr or "not captured", use.queue or "not captured", f"{use.puts:,}", f"{use.gets:,}", *known
        )
    console.print(queues)
    if len(found.queues) > _SHOWN_QUEUES:
        console.print(f"and {len(found.queues) - _SHOWN_QUEUES:,} more queues (all of them with --json)")
    console.print("\ncaptured, of the records that can have it:")
    console.print(", ".join(f"{name} {share:.0%}" for name, share in found.columns.items()) + "\n", highlight=False)
    rules = _grid("rule", "about", "checkable", "not", "missing", numbers=("checkable", "not"))
    for rule in found.rules:
        title = catalogue.rule(rule.rule).title
        rules.add_row(rule.rule, title, f"{rule.checked:,}", f"{rule.not_checkable:,}", ", ".join(rule.missing))
    console.print(rules)
    if found.advice:
        console.print("\nTo check more:")
        for text in found.advice:
            console.print(f"- {text}", highlight=False, markup=False)
