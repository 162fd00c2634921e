"""`mq-audit run`: audit a log, and write a report of it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from oracle.errors import BadInputError, UsageError
from oracle.judging.deviations import LogDeviation, read_log_deviations
from oracle.program import Console, FiniteRange
from spark_checks.commands.running import check_inputs, of_engine, of_inputs, of_master, running
from spark_checks.days.state_files import REMEMBER_HOURS, STATE_FILES, check_state
from spark_checks.failures import interrupted, line_about, reported
from spark_checks.frames import Engine
from spark_checks.output.claims import claimed
from spark_checks.output.destination import check_apart
from spark_checks.progress import Watch
from spark_checks.readers.inputs import Inputs
from spark_checks.replay.pieces import DEFAULT_LIMIT
from spark_checks.reports.ending import show_ending
from spark_checks.reports.gate import UNREADABLE_PERCENT, FailOn, Gate
from spark_checks.reports.names import FILES
from spark_checks.reports.results import Results, summary
from spark_checks.reports.terminal import show_results
from spark_checks.times import HOUR_US

_MOST_HOURS = 100 * 366 * 24


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """The options of a run. The help of each option says more; `None` is an option that was not given."""

    inputs: Inputs
    """The inputs of the audit."""
    directory: Path
    """The directory of the report."""
    fail_on: str
    """The findings that make the exit status 1: a value of FailOn."""
    unreadable_percent: float
    """The percentage of unreadable records from which on the exit status is 1."""
    allow_empty: bool
    """Whether a run that exercised no rule is a success."""
    known_file: Path | None
    """The file of known deviations."""
    replayed: bool
    """Whether the oracle follows queues."""
    replay_limit: int
    """The greatest number of calls of each queue that it follows."""
    state: Path | None
    """The directory that keeps what a later day needs."""
    final: bool
    """Whether no later day follows."""
    remember_hours: float | None
    """The number of hours of the log for which all calls are kept."""
    all_rules: bool
    """Whether every rule is shown at the end."""
    as_json: bool
    """Whether the summary is printed as JSON."""
    asked: str | None
    """The engine."""
    master: str | None
    """The Spark master."""

    @property
    def gate(self) -> Gate:
        """The conditions under which the audit passes."""
        return Gate(FailOn(self.fail_on), self.unreadable_percent, self.allow_empty)


@contextmanager
def _claimed(directory: Path, state: Path | None) -> Iterator[None]:
    """Claim the directories that a run writes to, so that no other run's report or day is lost."""
    if state is not None:
        check_apart(directory, state)
    with claimed(directory, FILES), nullcontext() if state is None else claimed(state, STATE_FILES):
        yield


@click.command(epilog="Example: mq-audit run monday.jsonl.gz captures/ --out report --fail-on suspicion")
@click.option(
    "--out", "directory", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Where the report goes."
)
@click.option(
    "--fail-on",
    type=click.Choice([each.value for each in FailOn]),
    default=FailOn.VIOLATION.value,
    show_default=True,
    help="Which findings make the exit status 1; undecided: also a rule that was not checkable.",
)
@click.option(
    "--fail-unreadable",
    "unreadable_percent",
    type=FiniteRange(min=0, max=100),
    default=UNREADABLE_PERCENT,
    show_default=True,
    metavar="PERCENT",
    help="The exit status is also 1 if more than this percentage of the records could not be read.",
)
@click.option("--allow-empty", is_flag=True, help="Exit with 0, not with 2, if no rule was exercised.")
@click.option(
    "--known",
    "known_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A YAML file of known deviations: they are excused; an entry that no longer matches fails the run.",
)
@click.option(
    "--replay/--no-replay",
    "replayed",
    default=True,
    show_default=True,
    help="Replay the calls of each queue on the model, where their order is certain.",
)
@click.option(
    "--replay-calls",
    "replay_limit",
    type=click.IntRange(min=1),
    default=DEFAULT_LIMIT,
    show_default=True,
    metavar="N",
    help="Replay at most N calls of each queue.",
)
@click.option(
    "--state",
    "state",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Audit day after day: DIR keeps the calls of earlier days that a later day may need.",
)
@click.option(
    "--final", is_flag=True, help="With --state: this is the last day; report also findings held for the next run."
)
@click.option(
    "--remember",
    "remember_hours",
    type=FiniteRange(min=0, max=_MOST_HOURS),
    metavar="HOURS",
    help=f"With --state: keep all calls of the last HOURS hours of the log. Default: {REMEMBER_HOURS}.",
)
@click.option("--all-rules", is_flag=True, help="Show every rule at the end, not only those with findings.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON, as summary.json has it.")
@of_inputs
@of_engine
@of_master
def run(**options: Any) -> None:
    """Audit a log: all inputs together, files and whole directories.

    Writes report.html, junit.xml, findings.jsonl and findings.parquet, the calls around findings, summary.json and
    unreadable.jsonl. The exit status is 0 if no violation was found; 1 after a finding that is not known, an entry of
    --known that no longer matches, or too many unreadable records; 2 if no rule was exercised, the input is bad or the
    audit cannot be run.
    """
    wanted = RunOptions(**options)
    with ExitStack() as claims:
        with reported():
            known = _ready(wanted, claims)
        places = [*wanted.inputs.paths, *([] if wanted.state is None else [wanted.state])]
        with running(wanted.asked, wanted.master, places) as (engine, watch):
            done = _audited(engine, watch, wanted, known)
    with reported("interrupted"):
        if wanted.as_json:
            click.echo(json.dumps(summary(done.results), indent=2))
        else:
            show_results(done.results, Console(), all_rules=wanted.all_rules)
            show_ending(done.results, wanted.directory if done.written else None, wanted.inputs.paths)
        if done.error is not None:
            raise done.error
    sys.exit(wanted.gate.exit_status(done.results))


@dataclass(frozen=True)
class _Done:
    """An audit that was carried out."""

    results: Results
    """What it found."""
    written: bool = True
    """Whether the report was written."""
    error: BadInputError | None = None
    """Why the report or the state could not be written."""


def _ready(wanted: RunOptions, claims: ExitStack) -> tuple[LogDeviation, ...]:
    """Check everything that may be wrong before the work begins, claim the directories, and read the known deviations.

    Raises UsageError and BadInputError.
    """
    state = wanted.state
    if wanted.final and state is None:
        raise UsageError("--final needs --state: it marks the last day of an audit")
    if wanted.remember_hours is not None and state is None:
        raise UsageError("--remember needs --state: it says for how long calls are kept")
    check_inputs(wanted.inputs)
    claims.enter_context(_claimed(wanted.directory, state))
    if state is not None:
        check_state(state, wanted.inputs.paths)
    return () if wanted.known_file is None else read_log_deviations(wanted.known_file)


def _audited(engine: Engine, watch: Watch, wanted: RunOptions, known: tuple[LogDeviation, ...]) -> _Done:
    """Audit the inputs, as a day if there is a state, and write the report and the state.

    What was found is returned also if it cannot be written.
    """
    from spark_checks.audit import audit
    from spark_checks.days.auditing import Days, audit_day
    from spark_checks.reports.files import results_of, write_report

    limit = wanted.replay_limit if wanted.replayed else 0
    day = None
    if wanted.state is None:
        found = audit(engine, wanted.inputs, watch, replay_limit=limit)
    else:
        hours = REMEMBER_HOURS if wanted.remember_hours is None else wanted.remember_hours
        kept = Days(wanted.state, final=wanted.final, remember_us=round(hours * HOUR_US))
        day = audit_day(engine, wanted.inputs, kept, watch, replay_limit=limit)
        found = day.audit
    try:
        results = write_report(found, wanted.directory, known, wanted.gate, watch, inputs=wanted.inputs.paths)
    except BadInputError as error:
        return _Done(results_of(found, known, inputs=wanted.inputs.paths), written=False, error=error)
    if day is not None:
        watch(f"writing {wanted.state}")
        with reported("interrupted; the report is written, the state may not be"):
            try:
                day.close()
            except Exception as error:
                if interrupted(error) or (reason := line_about(error)) is None:
                    raise
                return _Done(results, error=BadInputError(reason))
        if day.withdrawn_count:
            watch.close()
            line = f"{day.withdrawn_count:,} findings of earlier days are explained and withdrawn: see {wanted.state}"
            click.echo(line, err=wanted.as_json)
    return _Done(results)
