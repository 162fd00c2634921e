"""What is in a log, without a judgement: `mq-audit inspect`.

The log is read and prepared as for an audit, so that the rules themselves say which records they can be checked with
and what they lack; no check looks for findings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from oracle.histories.event_log import DepthHeader, Header, LogHeader, QueueHeader
from oracle.rules import catalogue
from spark_checks.audit import Progress
from spark_checks.checks import CHECKS
from spark_checks.coverage.advice import advice
from spark_checks.coverage.coverage import covered
from spark_checks.frames import Engine, Row
from spark_checks.preparation.capture import GETS, PUTS, captured
from spark_checks.preparation.facts import log_facts
from spark_checks.preparation.log import Log, prepare
from spark_checks.readers.detect import LISTINGS, Source
from spark_checks.readers.inputs import Inputs, find_sources
from spark_checks.readers.load import read_log
from spark_checks.reports.results import Fault
from spark_checks.reports.texts import counted
from spark_checks.results.rule_results import RuleResult
from spark_checks.shapes.grouping import shapes_of
from spark_checks.times import moment

_SHOWN_QUEUES = 20
_SHOWN_FAULTS = 3


@dataclass(frozen=True)
class InputFile:
    """An input file."""

    path: str
    """Its path, as it was found."""
    format: str
    """The name of its format."""
    gzip: bool
    """Whether it is compressed with gzip."""
    bytes: int
    """Its size in bytes, as it is stored."""
    unreadable: int
    """How many of its records could not be read; 1 for a file that has no reader."""


@dataclass(frozen=True)
class InputRemark:
    """Something to be known of an input file."""

    path: str
    """Its path."""
    topic: str
    """What it is about, by the name that the JSON has for it."""
    text: str
    """What is to be known, as a sentence that goes on after the file's name."""


@dataclass(frozen=True)
class QueueUse:
    """A queue in the log."""

    qmgr: str | None
    """The queue manager."""
    queue: str | None
    """The name of the queue; None where calls were captured without it."""
    puts: int
    """How many MQPUT and MQPUT1 calls on it the log has."""
    gets: int
    """How many MQGET calls on it and deliveries to consumers the log has."""
    defined: bool
    """Whether a header has its definition."""
    depth_known: bool
    """Whether a header has its depth at some moment."""


@dataclass(frozen=True)
class Inspection:
    """What a log holds, without a judgement. Times are microseconds since 1970-01-01 UTC."""

    files: tuple[InputFile, ...]
    """The input files, those without a reader last."""
    records: int
    """How many records of calls were read."""
    unreadable: int
    """How many records could not be read."""
    faults: tuple[Fault, ...]
    """The first few records that could not be read."""
    complete: bool
    """Whether the log has every call of its time: its headers say so, and all records could be read."""
    clock_us: int
    """By how many microseconds a time can be wrong: the most that a header says, 0 if none says it."""
    first_us: int | None
    """When the first call began. None without calls."""
    last_us: int | None
    """When the last call ended. None without calls."""
    connections: int
    """How many connections made the calls."""
    calls: dict[str, int]
    """How many records each call has by its name, the most frequent first."""
    queues: tuple[QueueUse, ...]
    """The queues, the most used first."""
    columns: dict[str, float]
    """By column: in which share of the records that can have it, from 0 to 1, it was captured."""
    rules: tuple[RuleResult, ...]
    """How many records each rule can be checked with, and what the others lack."""
    advice: tuple[str, ...]
    """What to capture, so that more can be checked: sentences."""
    remarks: tuple[InputRemark, ...] = ()
    """What the readers tell of the inputs besides."""
    copies: int = 0
    """How many of the records show a call that another record shows too."""

    def document(self) -> dict[str, Any]:
        """Return it as plain data for JSON."""
        members = asdict(self)
        members["rules"] = [
            {
                "id": rule.rule,
                "records_checkable": rule.checked,
                "records_not_checkable": rule.not_checkable,
                "missing": list(rule.missing),
            }
            for rule in self.rules
        ]
        return members


def _without_reader(path: str) -> InputFile:
    try:
        size = Path(path).stat().st_size
    except OSError:  # what a link leads to may be gone, and a name that is not UTF-8 is shown otherwise
        size = 0
    return InputFile(path, "none that is known", gzip=False, bytes=size, unreadable=1)


def _without_a_time(sources: Iterable[Source], given: Inputs) -> Iterator[InputRemark]:
    """Yield a remark for each listing of queues' contents that is not given as of before or after the log."""
    timed = {path.resolve() for path in given.listings}
    for source in sources:
        if source.format in LISTINGS and Path(source.path).resolve() not in timed:
            text = "lists messages on queues at an unknown time: give it with --before or --after, beside a log"
            yield InputRemark(source.name, "listing", text)


def _calls(used: Sequence[Row]) -> dict[str, int]:
    counts = Counter[str]()
    for row in used:
        counts[row["call"]] += row["count"]
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _queues(used: Sequence[Row], headers: Sequence[Header]) -> tuple[QueueUse, ...]:
    puts, gets = Counter[tuple[Any, Any]](), Counter[tuple[Any, Any]]()
    for row in used:
        counts = puts if row["call"] in PUTS else gets
        if row["call"] in (*PUTS, *GETS):
            counts[row["qmgr"], row["queue"]] += row["count"]
    definitions = [one for one in headers if isinstance(one, QueueHeader) and not one.of_queue_manager]
    defined = {(header.qmgr, header.queue) for header in definitions}
    known = {(header.qmgr, header.queue) for header in headers if isinstance(header, DepthHeader)}
    keys = sorted(puts.keys() | gets.keys() | defined | known, key=lambda key: (-puts[key] - gets[key], str(key)))
    return tuple(
        QueueUse(qmgr, queue, puts[qmgr, queue], gets[qmgr, queue], (qmgr, queue) in defined, (qmgr, queue) in known)
        for qmgr, queue in keys
    )


def _rules(log: Log) -> tuple[RuleResult, ...]:
    said = shapes_of(log.calls, log.facts).said
    return tuple(RuleResult.of(rule, of_rule) for rule, of_rule in covered(log, CHECKS, said).items())


def inspect(
    engine: Engine,
    inputs: Inputs | Iterable[Path],
    progress: Progress = lambda _: None,
) -> Inspection:
    """Say what inputs hold together. Raises BadInputError as read_log does."""
    given = Inputs.of(inputs)
    sources, refused = find_sources(given.everything, given.limits)
    progress("reading the log")
    read = read_log(engine, given, calls_needed=False)
    unreadable: dict[str, int] = {}
    faults: tuple[Fault, ...] = ()
    if read.unreadable:
        unreadable = {row["source"]: int(row["count"]) for row in read.faults.group_by("source").count().collect()}
        first = read.faults.order_by("source", "line").limit(_SHOWN_FAULTS).collect()
        faults = tuple(Fault(row["source"], row["line"], row["reason"]) for row in first)
    held = captured(read.calls)
    used = read.calls.group_by("call", "qmgr", "queue").count().collect()
    progress("asking the rules what they can be checked with")
    log = prepare(read.calls, log_facts(read.headers, read.unreadable)) if read.records else None
    rules = _rules(log) if log else ()
    of_log = [header for header in read.headers if isinstance(header, LogHeader)]
    missing = {need for rule in rules if rule.not_checkable for need in rule.missing}
    return Inspection(
        files=(
            *(
                InputFile(each.name, each.format.value, each.compressed, each.size, unreadable.get(each.name, 0))
                for each in sources
            ),
            *(_without_reader(each.place.source) for each in refused if each.place is not None),
        ),
        records=read.records,
        unreadable=read.unreadable,
        faults=faults,
        complete=bool(of_log) and all(header.complete for header in of_log) and not read.unreadable,
        clock_us=max((header.clock_us for header in of_log), default=0),
        first_us=held.first_us,
        last_us=held.last_us,
        connections=held.connections,
        calls=_calls(used),
        queues=_queues(used, read.headers),
        columns=held.columns,
        rules=rules,
        advice=tuple(advice({source.format for source in sources}, held.columns, missing, read.remarks)),
        remarks=(
            *(InputRemark(each.place.source, each.topic.value, each.text) for each in read.remarks),
            *_without_a_time(sources, given),
        ),
        copies=read.copies + (log.copies_in(read.calls) if log else 0),
    )


def _grid(*names: str, numbers: Sequence[str] = ()) -> Table:
    table = Table(show_edge=False, pad_edge=False)
    for name in names:
        table.add_column(name, justify="right" if name in numbers else "left", overflow="fold")
    return table


def show_inspection(found: Inspection, console: Console, *, all_rules: bool = False) -> None:
    """Show an inspection on the terminal, and rules that were not exercised only if all are asked for."""
    files = _grid("file", "format", "bytes", "unreadable", numbers=("bytes", "unreadable"))
    for each in found.files:
        files.add_row(
            each.path, each.format + (", gzip" if each.gzip else ""), f"{each.bytes:,}", f"{each.unreadable:,}"
        )
    console.print(files)
    for remark in found.remarks:
        console.print(f"{remark.path} {remark.text}", highlight=False, markup=False, soft_wrap=True)
    said = [counted(found.records, "call"), "of", counted(found.connections, "connection")]
    console.print(f"\n{' '.join(said)}, {counted(found.unreadable, 'unreadable record')}")
    if found.copies:
        copies = counted(found.copies, "record is a copy of another", "records are copies of others")
        console.print(f"{copies}: each call counts once")
    for fault in found.faults:
        console.print(f"  {fault.place}: {fault.reason}", highlight=False, markup=False, soft_wrap=True)
    if found.first_us is not None and found.last_us is not None:
        console.print(f"from {moment(found.first_us)} to {moment(found.last_us)}", highlight=False)
    console.print(f"the log contains every call: {'yes' if found.complete else 'not known'}")
    console.print(", ".join(f"{call} {count:,}" for call, count in found.calls.items()) + "\n", highlight=False)
    queues = _grid("queue manager", "queue", "puts", "gets", "definition", "depth", numbers=("puts", "gets"))
    for use in found.queues[:_SHOWN_QUEUES]:
        known = ["known" if fact else "-" for fact in (use.defined, use.depth_known)]
        queues.add_row(
            use.qmgr or "not captured", use.queue or "not captured", f"{use.puts:,}", f"{use.gets:,}", *known
        )
    if found.queues:
        console.print(queues)
    if len(found.queues) > _SHOWN_QUEUES:
        console.print(f"and {len(found.queues) - _SHOWN_QUEUES:,} more queues (all of them with --json)")
    if found.columns:
        console.print("\ncolumns, and the share of records that have them:")
        shares = ", ".join(f"{name} {share:.0%}" for name, share in found.columns.items())
        console.print(f"{shares}\n", highlight=False)
    _show_rules(found.rules, console, all_rules=all_rules)
    if found.advice:
        console.print("\nTo check more:")
        for text in found.advice:
            console.print(f"- {text}", highlight=False, markup=False)


def _show_rules(rules: Sequence[RuleResult], console: Console, *, all_rules: bool) -> None:
    shown = [rule for rule in rules if all_rules or rule.checked or rule.not_checkable]
    table = _grid("rule", "rule title", "checkable", "not checkable", "missing", numbers=("checkable", "not checkable"))
    for rule in shown:
        title = catalogue.rule(rule.rule).title
        table.add_row(rule.rule, title, f"{rule.checked:,}", f"{rule.not_checkable:,}", ", ".join(rule.missing))
    if shown:
        console.print(table)
    if len(shown) < len(rules):
        console.print(
            f"{counted(len(rules) - len(shown), 'rule was', 'rules were')} not exercised (--all-rules shows them)"
        )
