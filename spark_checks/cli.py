"""The command `mq-audit`."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from oracle import __version__
from oracle.deviations import first_review, read_log_deviations
from oracle.errors import UsageError
from oracle.program import FiniteRange, Program
from oracle.whole_files import whole_file
from spark_checks.claims import claimed
from spark_checks.failures import INTERRUPTED, reported, terminable
from spark_checks.limit_options import limited
from spark_checks.output import check_apart, check_target, form_of
from spark_checks.questions.commands import QUESTIONS
from spark_checks.readers.inputs import find_sources
from spark_checks.readers.limits import Limits
from spark_checks.replay.pieces import DEFAULT_LIMIT
from spark_checks.reports.gate import FINDINGS, UNREADABLE_PERCENT, FailOn, exit_status
from spark_checks.reports.known import deviations_of
from spark_checks.reports.names import DEMO_LOG, FILES
from spark_checks.reports.show import read_around, read_finding, show_finding
from spark_checks.reports.terminal import show_results
from spark_checks.running import check_inputs, of_after, of_before, of_engine, of_inputs, of_master, running
from spark_checks.state_files import REMEMBER_HOURS, STATE_FILES, check_state
from spark_checks.times import HOUR_US
from spark_checks.watching.commands import watch_command
from spark_checks.whole_directories import settled, whole_directory

_MOST_HOURS = 100 * 366 * 24

_report = click.argument("directory", type=click.Path(path_type=Path), metavar="DIR")


@contextmanager
def _claimed(directory: Path, state: Path | None) -> Iterator[None]:
    """Have the directories that a run writes to for it alone, so that no other run's report or day is lost."""
    if state is not None:
        check_apart(directory, state)
    with claimed(directory, FILES), nullcontext() if state is None else claimed(state, STATE_FILES):
        yield


class _Terminable(Program):
    """Subcommands that SIGTERM ends as Ctrl-C does, from their first line to their last."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a subcommand."""
        with terminable():
            try:
                result = super().invoke(ctx)
                sys.stdout.flush()  # while an interruption still is one
            except KeyboardInterrupt:
                click.echo("mq-audit: interrupted", err=True)
                ctx.exit(INTERRUPTED)
            return result


@click.group(
    cls=_Terminable,
    tool="mq-audit",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: mq-audit run monday.jsonl.gz captures/ --out report",
)
@click.version_option(__version__, prog_name="mq-audit")
def main() -> None:
    """Say which rules of IBM MQ a log of applications' calls shows broken.

    A log is one or more event logs (JSON Lines, also compressed; Parquet), packet captures of client channels,
    application activity traces (amqsevt, amqsact -v) and traces of the MQ classes for Java, and beside them what is
    known of the queues: definitions that runmqsc printed, configuration events, contents that dmpmqmsg or amqsbcg
    listed.
    """


@main.command(epilog="Example: mq-audit run monday.jsonl.gz captures/ --out report --fail-on suspicion")
@of_inputs
@click.option(
    "--out", "directory", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Where the report goes."
)
@click.option(
    "--fail-on",
    type=click.Choice([each.value for each in FailOn]),
    default=FailOn.VIOLATION.value,
    show_default=True,
    help="From what on the exit status is 1; undecided: a rule was not checkable.",
)
@click.option(
    "--fail-unreadable",
    "unreadable_percent",
    type=FiniteRange(min=0, max=100),
    default=UNREADABLE_PERCENT,
    show_default=True,
    metavar="PERCENT",
    help="The exit status is 1, too, if more than so many percent of the records could not be read.",
)
@click.option(
    "--known",
    "known_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Known deviations, a YAML file: what it states is excused, but must still occur as stated.",
)
@click.option(
    "--replay/--no-replay",
    "replayed",
    default=True,
    show_default=True,
    help="Let the oracle follow, call by call, the queues whose calls have a certain order.",
)
@click.option(
    "--replay-calls",
    "replay_limit",
    type=click.IntRange(min=1),
    default=DEFAULT_LIMIT,
    show_default=True,
    metavar="N",
    help="How many calls of each queue it follows.",
)
@click.option(
    "--state",
    "state",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Audit day after day: DIR keeps what of earlier days may still matter, and is brought up to date.",
)
@click.option("--final", is_flag=True, help="With --state: no further day follows, so tell what would have rested.")
@click.option(
    "--remember",
    "remember_hours",
    type=FiniteRange(min=0, max=_MOST_HOURS),
    metavar="HOURS",
    help="With --state: so long before the log's end all calls are kept, not only those that must be. Default: "
    f"{REMEMBER_HOURS}.",
)
@click.option("--all-rules", is_flag=True, help="Show every rule at the end, not only those with findings.")
@of_before
@of_after
@limited
@of_engine
@of_master
def run(
    inputs: tuple[Path, ...],
    *,
    directory: Path,
    fail_on: str,
    unreadable_percent: float,
    known_file: Path | None,
    replayed: bool,
    replay_limit: int,
    state: Path | None,
    final: bool,
    remember_hours: float | None,
    all_rules: bool,
    before: tuple[Path, ...],
    after: tuple[Path, ...],
    limits: Limits,
    asked: str | None,
    master: str | None,
) -> None:
    """Audit a log: all inputs together, files and whole directories.

    Writes report.html, junit.xml, findings.jsonl and findings.parquet, the calls around findings, summary.json and
    unreadable.jsonl. The exit status is 0 if there is nothing to report, 1 after findings that are not known and known
    deviations that no longer occur, 2 if the input is bad or the audit cannot be run.
    """
    with ExitStack() as claims:
        with reported():
            if final and state is None:
                raise UsageError("--final tells the last day of an audit with --state")
            if remember_hours is not None and state is None:
                raise UsageError("--remember says how long calls are kept in an audit with --state")
            check_inputs(inputs, before, after)
            claims.enter_context(_claimed(directory, state))
            if state is not None:
                check_state(state, inputs)
            known = () if known_file is None else read_log_deviations(known_file)
        with running(asked, master, [*inputs, *([] if state is None else [state])]) as (engine, watch):
            from spark_checks.audit import audit  # noqa: PLC0415 - heavy
            from spark_checks.days import Days, audit_day  # noqa: PLC0415
            from spark_checks.reports.files import write_report  # noqa: PLC0415

            limit = replay_limit if replayed else 0
            day = None
            if state is None:
                found = audit(engine, inputs, watch, before, after, replay_limit=limit, limits=limits)
            else:
                hours = REMEMBER_HOURS if remember_hours is None else remember_hours
                kept = Days(state, final=final, remember_us=round(hours * HOUR_US))
                day = audit_day(
                    engine, inputs, kept, watch, before=before, after=after, replay_limit=limit, limits=limits
                )
                found = day.audit
            gate = FailOn(fail_on)
            results = write_report(found, directory, known, gate, watch, unreadable_percent=unreadable_percent)
            if day is not None:
                watch(f"writing {state}")
                with reported("interrupted; the report is written, the state may not be"):
                    day.close()
                if day.withdrawn_count:
                    watch.close()
                    click.echo(f"{day.withdrawn_count:,} findings of earlier days are explained: see {state}")
    with reported("interrupted"):
        show_results(results, Console(), all_rules=all_rules)
    sys.exit(exit_status(results, gate, unreadable_percent))


@main.command(epilog="Example: mq-audit show report --finding 3")
@_report
@click.option("--finding", "number", type=int, required=True, metavar="N", help="The finding's number in the report.")
@click.option(
    "--log",
    "inputs",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="INPUT",
    help="Read the calls around it from the log, where the report does not keep them. May be given several times.",
)
@limited
@of_engine
@of_master
def show(
    directory: Path, *, number: int, inputs: tuple[Path, ...], limits: Limits, asked: str | None, master: str | None
) -> None:
    """Show one finding of a report, with the calls around it.

    A report keeps these for a few findings of each cause, and for the first ones; this takes no engine.
    """
    with reported("interrupted"):
        settled(directory)
        finding, around = read_finding(directory, number), read_around(directory, number)
        find_sources(inputs)
    if inputs and around is None:
        with running(asked, master, inputs) as (engine, watch):
            from spark_checks.readers.load import read_log  # noqa: PLC0415 - heavy
            from spark_checks.reports.around import calls_around  # noqa: PLC0415

            watch("reading the log")
            around = calls_around(read_log(engine, inputs, limits=limits).calls, [finding])[number]
    with reported("interrupted"):
        show_finding(finding, around, Console())


@main.command(epilog="Example: mq-audit known report --output known.yaml")
@_report
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The file to write; by default it is printed.",
)
def known(directory: Path, output: Path | None) -> None:
    """Write the findings of a report as known deviations, to be gone through and given reasons."""
    with reported():
        settled(directory)
        text = deviations_of(directory, first_review())
        if output is None:
            click.echo(text, nl=False)
        else:
            with whole_file(output) as new:
                new.write_text(text, encoding="utf-8")


@main.command(epilog="Example: mq-audit convert capture.pcap --out capture.jsonl.gz")
@of_inputs
@click.option(
    "--out",
    "target",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A .jsonl or .jsonl.gz file, or a directory for Parquet.",
)
@of_before
@of_after
@limited
@of_engine
@of_master
def convert(
    inputs: tuple[Path, ...],
    *,
    target: Path,
    before: tuple[Path, ...],
    after: tuple[Path, ...],
    limits: Limits,
    asked: str | None,
    master: str | None,
) -> None:
    """Write the event log that the inputs hold together, and nothing else."""
    with ExitStack() as claims:
        with reported():
            check_inputs(inputs, before, after)
            check_target(target, [*inputs, *before, *after])
            if form_of(target) == "parquet":
                claims.enter_context(claimed(target, ()))
        with running(asked, master, inputs) as (engine, watch):
            from spark_checks.convert import write_log  # noqa: PLC0415 - heavy
            from spark_checks.readers.load import read_log  # noqa: PLC0415

            watch("reading the log")
            log = read_log(engine, inputs, before, after, limits=limits)
            watch(f"writing {target}")
            write_log(log, target)
            watch.close()
            click.echo(f"{log.records:,} calls and {len(log.headers):,} headers in {target}")
            if log.unreadable:
                click.echo(f"{log.unreadable:,} records could not be read", err=True)


@main.command(name="inspect", epilog="Example: mq-audit inspect capture.pcap definitions.txt --json")
@of_inputs
@of_before
@of_after
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.option("--all-rules", is_flag=True, help="Show every rule, not only those that calls are about.")
@limited
@of_engine
@of_master
def inspect_log(
    inputs: tuple[Path, ...],
    *,
    before: tuple[Path, ...],
    after: tuple[Path, ...],
    as_json: bool,
    all_rules: bool,
    limits: Limits,
    asked: str | None,
    master: str | None,
) -> None:
    """Say what the inputs hold, which rules can be checked with it, and how to capture more. Judges nothing."""
    with reported():
        check_inputs(inputs, before, after)
    with running(asked, master, inputs) as (engine, watch):
        from spark_checks.inspection import inspect, show_inspection  # noqa: PLC0415 - heavy

        found = inspect(engine, inputs, before, after, watch, limits=limits)
        watch.close()
        if as_json:
            click.echo(json.dumps(found.document(), indent=2))
        else:
            show_inspection(found, Console(), all_rules=all_rules)


@main.command(epilog="Example: mq-audit demo --seed 7")
@click.option("--seed", type=int, default=0, show_default=True, help="Another number, another day.")
@click.option(
    "--keep",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Keep the event log and the report in this directory.",
)
@of_engine
@of_master
def demo(seed: int, keep: Path | None, asked: str | None, master: str | None) -> None:
    """Simulate a day of traffic, plant a few defects in its record, audit it, and show what was found.

    Needs no file. The exit status is 0 if exactly the planted defects were found, 1 if not.
    """
    with ExitStack() as claims:
        with reported():
            if keep is not None:
                claims.enter_context(claimed(keep, (*FILES, DEMO_LOG)))
        with (
            tempfile.TemporaryDirectory(prefix="mq-audit-demo-") as room,
            running(asked, master, []) as (engine, watch),
        ):
            from spark_checks.demo import demonstrate, show_comparison  # noqa: PLC0415 - heavy
            from spark_checks.reports.files import write_report  # noqa: PLC0415

            shown = demonstrate(engine, seed, Path(room), watch)
            results = write_report(shown.audit, Path(room) / "report")
            if keep is not None:
                with whole_directory(keep) as new:
                    shutil.copytree(Path(room) / "report", new, dirs_exist_ok=True)
                    shutil.copy(Path(room) / DEMO_LOG, new / DEMO_LOG)
            watch.close()
            show_results(results, Console())
            click.echo()
            show_comparison(shown, Console())
            status = 0 if shown.exact else FINDINGS
    sys.exit(status)


for _command in (*QUESTIONS, watch_command):
    main.add_command(_command)
