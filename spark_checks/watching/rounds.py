"""One round of a watch: read what has arrived, audit what is due, and bring report and state up to date.

Calls may arrive in any order within the stated lateness. They wait until all earlier calls must have arrived, that is,
until the log has calls that end that much later. Then they are audited in the order of their ends, like a day's log
after those of earlier days (spark_checks.days.auditing). So the findings are those of one audit of the whole log.

A round judges all kept calls together with the due ones. If many are kept, it may hold the due ones until there are as
many, so that no call is judged much more than twice; but no longer than the lateness.

Report and state are each exchanged as a whole. If a watch is killed after its own state was written and before that of
the days, it updates the latter from the calls that it has kept.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from oracle.histories.event_log import COLUMNS, Header, LogHeader
from spark_checks.audit import Audit
from spark_checks.days.auditing import Day, Days, audit_day
from spark_checks.days.state_files import read_state
from spark_checks.frames import Column, Engine, Frame
from spark_checks.frames import functions as fn
from spark_checks.output.whole_directories import whole_directory
from spark_checks.readers.begun_captures import read_begun
from spark_checks.readers.inputs import HEADERS_FILE, Inputs
from spark_checks.readers.limits import DEFAULT_LIMITS, Limits
from spark_checks.readers.load import ReadLog, read_log
from spark_checks.readers.streams import OverDays
from spark_checks.reports.files import Extent, write_report
from spark_checks.results.rule_results import Covered, RuleResult
from spark_checks.watching.arrivals import Arrival
from spark_checks.watching.ledger import (
    BEGUN,
    CONNECTIONS,
    DUE,
    FINDINGS,
    HEADERS,
    PENDING,
    Ledger,
    read_faults,
    read_headers,
    read_ledger,
    stored,
    write_faults,
    write_headers,
)

DAYS, WATCH = "days", "watch"
STATE_PARTS: Final = (DAYS, WATCH)
"""The parts of a watch's state directory: the state of the days, and its own."""

_FAULT_SCHEMA: Final = "source string, line long, reason string"
_KEY: Final = "key"


@dataclass(frozen=True)
class Plan:
    """The plan of a watch."""

    report: Path
    """The directory of the report."""
    state: Path
    """The directory of the watch's state."""
    lateness_us: int
    """The time after its end within which a call may arrive, in microseconds of the log."""
    remember_us: int
    """The time for which all calls are kept, and not only those that may still matter, in microseconds of the log."""
    replay_limit: int = 0
    """The greatest number of calls of each queue that the oracle follows in a round. 0 for none."""
    limits: Limits = DEFAULT_LIMITS
    """The limits on how much of an input file is read."""
    watched: tuple[Path, ...] = ()
    """The directories that the report names in its title."""


@dataclass(frozen=True)
class RoundResult:
    """The result of a round."""

    ledger: Ledger
    """The ledger after it."""
    read: int
    """The number of call records that it read."""
    audited: int
    """The number of calls that it audited."""
    pending: int
    """The number of calls that wait to be judged, including held ones."""
    late: int
    """The number of calls that came too late to be audited in the order of their ends."""
    new: tuple[dict[str, Any], ...]
    """The first of its new findings, as plain rows."""
    more: int
    """The number of further new findings."""
    withdrawn: int
    """The number of reported findings that no longer hold."""
    seconds: float
    """Its duration in seconds."""


_SHOWN: Final = 200
"""The number of new findings of a round that are printed one by one."""


def recover(engine: Engine, plan: Plan) -> bool:
    """Update the state of the days if a watch was killed before that; return whether it was."""
    ledger = read_ledger(plan.state / WATCH)
    if ledger.rounds == _days_done(plan):
        return False
    day = _audited_day(engine, plan, plan.state / WATCH / DUE, final=ledger.final)
    day.close()
    return True


def _days_done(plan: Plan) -> int:
    state = read_state(plan.state / DAYS)
    return 0 if state is None else state.days


def _audited_day(engine: Engine, plan: Plan, due: Path, *, final: bool) -> Day:
    days = Days(plan.state / DAYS, final=final, remember_us=plan.remember_us, rest_us=plan.lateness_us)
    return audit_day(engine, [due], days, replay_limit=plan.replay_limit)


def one_round(
    engine: Engine, plan: Plan, files: Sequence[Arrival], *, final: bool = False, hold: bool = False
) -> RoundResult | None:
    """Read files, audit what is due, and write report and state; None if nothing was read and nothing was due.

    With `final` nothing follows: all calls are due, and all findings are reported. With `hold`, due calls may be held
    for a while if many are kept. Raises BadInputError as read_log does, except for files where nothing can be read.
    """
    begun = time.monotonic()
    plan.state.mkdir(parents=True, exist_ok=True)
    ledger = read_ledger(plan.state / WATCH)
    before = read_begun(plan.state / WATCH / BEGUN)
    log = _read(engine, plan, files, OverDays(before, goes_on=not final))
    headers = [*read_headers(plan.state / WATCH), *(log.headers if log is not None else ())]
    calls, lines = _with_pending(engine, plan, log, files)
    if calls is None:
        return None
    late = 0 if ledger.audited_us is None else calls.where(_is_new() & (fn.col("end_us") <= ledger.audited_us)).count()
    last_us = max(filter(None, [ledger.last_us, _latest(calls)]), default=None)
    until_us = last_us if final or last_us is None else last_us - plan.lateness_us
    new_faults = _faults_of(log, files)
    faults = read_faults(plan.state / WATCH) + new_faults
    _note_read(ledger, files, lines, log, late)
    ledger.unreadable += len(new_faults)
    ledger.last_us = last_us
    plain = calls.drop(_NEW).kept()
    is_due = fn.col("end_us") <= (until_us if until_us is not None else 0)
    due, rest = plain.where(is_due), plain.where(~is_due)
    number, ledger.held = due.count(), 0
    if hold and not final and _can_wait(due, number, until_us, ledger, plan):
        number, ledger.held, rest = 0, number, plain
    if not number and not files and not final:
        return None
    kept = _Kept(rest, headers, faults, before if log is None else log.begun)
    new: tuple[dict[str, Any], ...] = ()
    more = withdrawn = 0
    if number:
        ledger.audited_us, ledger.rounds, ledger.audited = until_us, ledger.rounds + 1, ledger.audited + number
        ledger.final = final
        with _due_directory(plan, due, headers, ledger) as folder:
            held_before = sum(ledger.found.values())
            day = _audited_day(engine, plan, folder, final=final)
            to_report, fresh = _to_report(engine, plan, day)
            _count(ledger, day)
            ledger.kept = 0 if day.memory.calls is None else day.memory.calls.count()
            connections = _connections(engine, plan, due)
            extent = _extent(ledger, due, connections)
            write_report(
                _so_far(engine, day, to_report, ledger, faults), plan.report, extent=extent, inputs=plan.watched
            )
            _close(plan, ledger, replace(kept, due=folder, to_report=to_report, connections=connections))
        day.close()
        new = tuple(row.as_dict() for row in fresh.order_by(*_IN_ORDER).limit(_SHOWN).collect())
        more = fresh.count() - len(new)
        withdrawn = held_before + fresh.count() - to_report.count()
    else:
        _close(plan, ledger, kept)
    read = 0 if log is None else log.records
    return RoundResult(ledger, read, number, rest.count(), late, new, more, withdrawn, time.monotonic() - begun)


def _can_wait(due: Frame, number: int, until_us: int | None, ledger: Ledger, plan: Plan) -> bool:
    """Return whether due calls are fewer than kept ones, and none of them has been due for the lateness."""
    if not number or until_us is None or number >= ledger.kept:
        return False
    first: int = due.agg(fn.min("end_us").alias("first")).collect()[0]["first"]
    return until_us - first < plan.lateness_us


_IN_ORDER: Final = ("rule", "qmgr", "queue", "conn", "msg_id")


@dataclass(frozen=True)
class _Kept:
    """The calls and findings that a watch keeps for its next round: calls not due, calls audited now, and findings."""

    rest: Frame
    headers: list[Header]
    faults: list[dict[str, Any]]
    begun: str
    due: Path | None = None
    to_report: Frame | None = None
    connections: Frame | None = None


def _connections(engine: Engine, plan: Plan, due: Frame) -> Frame:
    """Return the names of all connections so far."""
    now = due.select("qmgr", "conn")
    before = stored(engine, plan.state / WATCH / CONNECTIONS)
    return (now if before is None else before.select("qmgr", "conn").union_by_name(now)).distinct().kept()


def _extent(ledger: Ledger, due: Frame, connections: Frame) -> Extent:
    """Return the extent of all calls that were audited, and note it."""
    bounds = due.agg(fn.min("start_us").alias("first"), fn.max("end_us").alias("last")).collect()[0]
    ledger.first_us = bounds["first"] if ledger.first_us is None else min(ledger.first_us, bounds["first"])
    ledger.ended_us = bounds["last"] if ledger.ended_us is None else max(ledger.ended_us, bounds["last"])
    return Extent(ledger.first_us, ledger.ended_us, connections.count())


_NEW: Final = "is_new"


def _is_new() -> Column:
    return fn.col(_NEW)


def _read(engine: Engine, plan: Plan, files: Sequence[Arrival], over_days: OverDays) -> ReadLog | None:
    """Read files and their unfinished state; None if there is nothing."""
    if not files and (over_days.goes_on or not over_days.begun):
        return None
    known = {str(one.path): one.read_lines for one in files}
    inputs = Inputs([one.path for one in files], limits=plan.limits, read_lines=known)
    return read_log(engine, inputs, calls_needed=False, over_days=over_days)


def _with_pending(
    engine: Engine, plan: Plan, log: ReadLog | None, files: Sequence[Arrival]
) -> tuple[Frame | None, dict[str, int]]:
    """Return the calls that are not audited yet, and the last line of each file that was read now."""
    parts: list[Frame] = []
    lines: dict[str, int] = {}
    before = stored(engine, plan.state / WATCH / PENDING)
    if before is not None:
        parts.append(before.select(*COLUMNS).with_column(_NEW, fn.lit(False)))
    if log is not None:
        fresh = log.calls.select(*COLUMNS).kept()
        lines = {row["source"]: row["line"] or 0 for row in _last_lines(fresh) if row["source"] is not None}
        lines |= log.lines  # records of an event log may have been read elsewhere, and say where
        for one in files:
            from_its_beginning = str(one.path) not in log.captures and str(one.path) not in log.lines
            if one.read_lines and from_its_beginning:
                again = (fn.col("source") == str(one.path)) & (fn.col("line") <= one.read_lines)
                fresh = fresh.where(~fn.coalesce(again, fn.lit(False)))
        parts.append(fresh.with_column(_NEW, fn.lit(True)))
    if not parts:
        return None, lines
    calls = parts[0]
    for part in parts[1:]:
        calls = calls.union_by_name(part)
    return calls.kept(), lines


def _last_lines(calls: Frame) -> list[Any]:
    return calls.group_by("source").agg(fn.max("line").alias("line")).collect()


def _latest(calls: Frame) -> int | None:
    found: int | None = calls.agg(fn.max("end_us").alias("last")).collect()[0]["last"]
    return found


def _faults_of(log: ReadLog | None, files: Sequence[Arrival]) -> list[dict[str, Any]]:
    """Return the records that could not be read, without those of lines that were read before."""
    if log is None or not log.unreadable:
        return []
    known = {str(one.path): one.read_lines for one in files if str(one.path) not in log.captures}
    faults = [row.as_dict() for row in log.faults.collect()]
    return [each for each in faults if each["line"] is None or each["line"] > known.get(each["source"], 0)]


def _note_read(ledger: Ledger, files: Sequence[Arrival], lines: dict[str, int], log: ReadLog | None, late: int) -> None:
    for one in files:
        ledger.files[one.identity] = one.entry(max(one.read_lines, lines.get(str(one.path), 0)))
    if log is not None:
        ledger.records += log.records
    ledger.late += late


class _due_directory:  # noqa: N801 - used as a function
    """A directory with the calls of a round as an event log, for a `with` block."""

    def __init__(self, plan: Plan, due: Frame, headers: list[Header], ledger: Ledger) -> None:
        self._path = plan.state / f".{DUE}"
        self._due, self._headers, self._incomplete = due, headers, bool(ledger.unreadable)

    def __enter__(self) -> Path:
        shutil.rmtree(self._path, ignore_errors=True)
        self._due.write_parquet(self._path)
        headers: list[Header] = [*self._headers, *([LogHeader(complete=False)] if self._incomplete else [])]
        write_headers(headers, self._path / HEADERS_FILE)
        return self._path

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._path, ignore_errors=True)


def _to_report(engine: Engine, plan: Plan, day: Day) -> tuple[Frame, Frame]:
    """Return all reported findings that hold, and those of them that are new.

    A finding that only differs in words, as when earlier calls are forgotten, stays unchanged.
    """
    columns = day.audit.findings.columns
    new = day.audit.findings.with_column(_KEY, _key()).kept()
    before = stored(engine, plan.state / WATCH / FINDINGS)
    if before is None:
        return new.drop(_KEY), new.drop(_KEY)
    known = before.select(*columns).with_column(_KEY, _key()).kept()
    gone = day.withdrawn.select(*columns).with_column(_KEY, _key()).join(new.select(_KEY), _KEY, "left_anti")
    fresh = new.join(known.select(_KEY), _KEY, "left_anti").select(*columns).kept()
    held = known.join(gone.select(_KEY), _KEY, "left_anti").select(*columns)
    return held.union_by_name(fresh).kept(), fresh


def _key() -> Column:
    """Return the key that distinguishes findings: their subject, not their words."""
    calls = fn.transform("calls", lambda call: fn.concat_ws("/", call["conn"], call["seq"].cast("string")))
    about = [fn.coalesce(fn.col(name), fn.lit("")) for name in ("rule", "verdict", "qmgr", "queue", "msg_id", "conn")]
    return fn.md5(fn.concat_ws("\n", *about, fn.array_join(calls, "\n")))


def _count(ledger: Ledger, day: Day) -> None:
    """Add the coverage of a round to the total."""
    for result in day.audit.rules:
        checked, not_checkable, missing = ledger.rules.get(result.rule, [0, 0, []])
        missing = sorted({*missing, *result.missing})
        ledger.rules[result.rule] = [checked + result.checked, not_checkable + result.not_checkable, missing]


def _so_far(engine: Engine, day: Day, to_report: Frame, ledger: Ledger, faults: list[dict[str, Any]]) -> Audit:
    """Return the audit of all rounds together; its report shows single calls only of the last ones."""
    numbers = to_report.group_by("rule", "verdict").count().collect()
    counts = {(row["rule"], row["verdict"]): int(row["count"]) for row in numbers}
    ledger.found = {f"{rule} {verdict}": number for (rule, verdict), number in sorted(counts.items())}
    known = {
        rule: Covered(checked, lacking, tuple(missing)) for rule, (checked, lacking, missing) in ledger.rules.items()
    }
    rules = tuple(
        RuleResult.of(
            rule,
            known.get(rule, Covered()),
            counts.get((rule, "violation"), 0),
            counts.get((rule, "suspicion"), 0),
        )
        for rule in sorted({*known, *(rule for rule, _ in counts)})
    )
    rows = [(fault["source"], fault["line"], fault["reason"]) for fault in faults]
    shown = engine.frame(rows, _FAULT_SCHEMA) if rows else day.audit.read.faults
    read = replace(day.audit.read, records=ledger.audited, unreadable=ledger.unreadable, faults=shown)
    return replace(day.audit, read=read, rules=rules, findings=to_report)


def _close(plan: Plan, ledger: Ledger, kept: _Kept) -> None:
    """Write the watch's own state, whole."""
    old = plan.state / WATCH
    with whole_directory(old) as new:
        kept.rest.write_parquet(new / PENDING)
        if kept.due is not None:
            shutil.copytree(kept.due, new / DUE)
        for name, frame in ((FINDINGS, kept.to_report), (CONNECTIONS, kept.connections)):
            if frame is not None:
                frame.write_parquet(new / name)
        for name in (DUE, FINDINGS, CONNECTIONS):
            if not (new / name).exists() and (old / name).is_dir():
                shutil.copytree(old / name, new / name)
        write_headers(kept.headers, new / HEADERS)
        write_faults(kept.faults, new)
        (new / BEGUN).write_text(kept.begun, encoding="utf-8")
        ledger.write(new)
