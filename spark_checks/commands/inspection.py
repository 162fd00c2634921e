"""The contents of a log, without a judgement: `mq-audit inspect`.

The log is read and prepared as for an audit, so that the rules show which records they can be checked with and what
those lack. No check looks for findings.
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
from spark_checks.readers.contents import Listing
from spark_checks.readers.detect import LISTINGS, Source
from spark_checks.readers.inputs import Inputs, find_sources
from spark_checks.readers.load import read_log
from spark_checks.readers.streams import STREAMED
from spark_checks.reports.results import Fault
from spark_checks.reports.texts import copied, counted
from spark_checks.results.rule_results import RuleResult
from spark_checks.shapes.grouping import shapes_of
from spark_checks.times import moment

_SHOWN_QUEUES = 20
_SHOWN_LISTINGS = 3
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
    """The number of its records that could not be read; 1 for a file that has no reader."""


@dataclass(frozen=True)
class InputRemark:
    """A remark on an input file."""

    path: str
    """Its path."""
    topic: str
    """The subject, under the name that the JSON has for it."""
    text: str
    """The remark, as a sentence that continues after the file's name."""


@dataclass(frozen=True)
class QueueUse:
    """A queue in the log."""

    qmgr: str | None
    """The queue manager."""
    queue: str | None
    """The name of the queue; None where calls were captured without it."""
    puts: int
    """The number of MQPUT and MQPUT1 calls on it in the log."""
    gets: int
    """The number of MQGET calls on it, and of deliveries to consumers, in the log."""
    defined: bool
    """Whether a header contains its definition."""
    depth_known: bool
    """Whether a header gives its depth at some time."""


@dataclass(frozen=True)
class Inspection:
    """The contents of a log, without a judgement. Times are microseconds since 1970-01-01 UTC."""

    files: tuple[InputFile, ...]
    """The input files, those without a reader last."""
    records: int
    """The number of call records that were read."""
    unreadable: int
    """The number of records that could not be read."""
    faults: tuple[Fault, ...]
    """The first few records that could not be read."""
    complete: bool
    """Whether the log has every call of its time: its headers say so, and all records could be read."""
    clock_us: int
    """The possible error of a time, in microseconds: the largest that a header gives, 0 if none gives one."""
    first_us: int | None
    """The time at which the first call began. None if there are no calls."""
    last_us: int | None
    """The time at which the last call ended. None if there are no calls."""
    connections: int
    """The number of connections that made the calls."""
    calls: dict[str, int]
    """The number of records of each call by its name, the most frequent first."""
    queues: tuple[QueueUse, ...]
    """The queues, the most used first."""
    columns: dict[str, float]
    """The share of records in which a column was captured, from 0 to 1, among those that can have it, by column."""
    rules: tuple[RuleResult, ...]
    """For each rule, how many records it can be checked with, and what the others lack."""
    advice: tuple[str, ...]
    """Advice on what to capture so that more can be checked: sentences."""
    remarks: tuple[InputRemark, ...] = ()
    """Other remarks of the readers on the inputs."""
    copies: int = 0
    """The number of records that show a call which another record shows too."""

    def document(self) -> dict[str, Any]:
        """Return the inspection as plain data for JSON."""
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
            text = "at an unknown time: give it with --before or --after, together with a log"
            yield InputRemark(source.name, "listing", f"lists {_listed_in(source)} {text}")


def _listed_in(source: Source) -> str:
    """Return in words how many messages of which queues a listing has."""
    listings = [found for found in STREAMED[source.format](source) if isinstance(found, Listing)]
    if not listings:
        return "no queue"
    named = [f"{counted(each.count, 'message')} of {each.queue}" for each in listings[:_SHOWN_LISTINGS]]
    if len(listings) > _SHOWN_LISTINGS:
        named.append(f"those of {counted(len(listings) - _SHOWN_LISTINGS, 'more queue')}")
    return " and ".join((", ".join(named[:-1]), named[-1])) if len(named) > 1 else named[0]


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
    """Return what inputs hold together. Raises BadInputError as read_log does."""
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
    progress("finding the rules that can be checked")
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
    """Show an inspection on the terminal. Rules that were not exercised are shown only if all are asked for."""
    _show_files(found, console)
    _show_records(found, console)
    _show_queues(found.queues, console)
    if found.columns:
        console.print("\ncolumns, and the share of records that have them:")
        shares = ", ".join(f"{name} {share:.0%}" for name, share in found.columns.items())
        console.print(f"{shares}\n", highlight=False)
    _show_rules(found.rules, console, all_rules=all_rules)
    if found.advice:
        console.print("\nTo check more:")
        for text in found.advice:
            console.print(f"- {text}", highlight=False, markup=False)


def _show_files(found: Inspection, console: Console) -> None:
    files = _grid("file", "format", "bytes", "unreadable", numbers=("bytes", "unreadable"))
    for each in found.files:
        files.add_row(
            each.path, each.format + (", gzip" if each.gzip else ""), f"{each.bytes:,}", f"{each.unreadable:,}"
        )
    console.print(files)
    for remark in found.remarks:
        console.print(f"{remark.path} {remark.text}", highlight=False, markup=False, soft_wrap=True)


def _show_records(found: Inspection, console: Console) -> None:
    calls, connections = counted(found.records, "call"), counted(found.connections, "connection")
    console.print(f"\n{calls} of {connections}, {counted(found.unreadable, 'unreadable record')}")
    if found.copies:
        console.print(f"{copied(found.copies)}: each call counts once")
    for fault in found.faults:
        console.print(f"  {fault.place}: {fault.reason}", highlight=False, markup=False, soft_wrap=True)
    if found.first_us is not None and found.last_us is not None:
        console.print(f"from {moment(found.first_us)} to {moment(found.last_us)}", highlight=False)
    console.print(f"the log contains every call: {'yes' if found.complete else 'not known'}")
    console.print(", ".join(f"{call} {count:,}" for call, count in found.calls.items()) + "\n", highlight=False)


def _show_queues(queues: Sequence[QueueUse], console: Console) -> None:
    table = _grid("queue manager", "queue", "puts", "gets", "definition", "depth", numbers=("puts", "gets"))
    for use in queues[:_SHOWN_QUEUES]:
        known = ["known" if fact else "-" for fact in (use.defined, use.depth_known)]
        table.add_row(use.qmgr or "not captured", use.queue or "not captured", f"{use.puts:,}", f"{use.gets:,}", *known)
    if queues:
        console.print(table)
    if len(queues) > _SHOWN_QUEUES:
        console.print(f"and {len(queues) - _SHOWN_QUEUES:,} more queues (all of them with --json)")


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
