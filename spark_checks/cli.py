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
from oracle.errors import UsageError
from oracle.judging.deviations import first_review, read_log_deviations
from oracle.program import FiniteRange, Program
from oracle.text.whole_files import whole_file
from spark_checks.commands.limit_options import limited
from spark_checks.commands.running import check_inputs, of_after, of_before, of_engine, of_inputs, of_master, running
from spark_checks.days.state_files import REMEMBER_HOURS, STATE_FILES, check_state
from spark_checks.failures import INTERRUPTED, reported, terminable
from spark_checks.output.claims import claimed
from spark_checks.output.destination import check_apart, check_target, form_of
from spark_checks.output.whole_directories import settled, whole_directory
from spark_checks.questions.commands import QUESTIONS
from spark_checks.readers.inputs import find_sources
from spark_checks.readers.limits import Limits
from spark_checks.replay.pieces import DEFAULT_LIMIT
from spark_checks.reports.ending import show_ending
from spark_checks.reports.gate import FINDINGS, UNREADABLE_PERCENT, FailOn, exit_status
from spark_checks.reports.known import SUMMARY, deviations_of
from spark_checks.reports.names import DEMO_LOG, FILES
from spark_checks.reports.show import read_around, read_finding, show_finding
from spark_checks.reports.terminal import show_results
from spark_checks.times import HOUR_US
from spark_checks.watching.commands import watch_command

_DEMO_DIRECTORY = Path("mq-audit-demo")
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
    """Check a log of applications' calls against the rules of IBM MQ.

    A log is one or more event logs (JSON Lines, also compressed; Parquet), packet captures of client channels,
    application activity traces (amqsevt, amqsact -v) and traces of the MQ classes for Java. Give facts about the queues
    with them: definitions from runmqsc, configuration events, contents from dmpmqmsg or amqsbcg.
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
    allow_empty: bool,
    known_file: Path | None,
    replayed: bool,
    replay_limit: int,
    state: Path | None,
    final: bool,
    remember_hours: float | None,
    all_rules: bool,
    as_json: bool,
    before: tuple[Path, ...],
    after: tuple[Path, ...],
    limits: Limits,
    asked: str | None,
    master: str | None,
) -> None:
    """Audit a log: all inputs together, files and whole directories.

    Writes report.html, junit.xml, findings.jsonl and findings.parquet, the calls around findings, summary.json and
    unreadable.jsonl. The exit status is 0 if no violation was found; 1 after a finding that is not known, an entry of
    --known that no longer matches, or too many unreadable records; 2 if no rule was exercised, the input is bad or the
    audit cannot be run.
    """
    with ExitStack() as claims:
        with reported():
            if final and state is None:
                raise UsageError("--final needs --state: it marks the last day of an audit")
            if remember_hours is not None and state is None:
                raise UsageError("--remember needs --state: it says for how long calls are kept")
            check_inputs(inputs, before, after)
            claims.enter_context(_claimed(directory, state))
            if state is not None:
                check_state(state, inputs)
            known = () if known_file is None else read_log_deviations(known_file)
        with running(asked, master, [*inputs, *([] if state is None else [state])]) as (engine, watch):
            from spark_checks.audit import audit  # noqa: PLC0415 - heavy
            from spark_checks.days.auditing import Days, audit_day  # noqa: PLC0415
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
            results = write_report(
                found, directory, known, gate, watch, unreadable_percent=unreadable_percent, inputs=inputs
            )
            if day is not None:
                watch(f"writing {state}")
                with reported("interrupted; the report is written, the state may not be"):
                    day.close()
                if day.withdrawn_count:
                    watch.close()
                    click.echo(
                        f"{day.withdrawn_count:,} findings of earlier days are explained and withdrawn: see {state}",
                        err=as_json,
                    )
    with reported("interrupted"):
        if as_json:
            click.echo((directory / SUMMARY).read_text(encoding="utf-8"), nl=False)
        else:
            show_results(results, Console(), all_rules=all_rules)
            show_ending(results, directory, inputs)
    sys.exit(exit_status(results, gate, unreadable_percent, allow_empty=allow_empty))


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
    """Write the findings of a report as a file of known deviations. Then edit the reasons and the days of review."""
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
    """Write all inputs as one event log. Nothing is checked."""
    with ExitStack() as claims:
        with reported():
            check_inputs(inputs, before, after)
            check_target(target, [*inputs, *before, *after])
            if form_of(target) == "parquet":
                claims.enter_context(claimed(target, ()))
        with running(asked, master, inputs) as (engine, watch):
            from spark_checks.commands.convert import write_log  # noqa: PLC0415 - heavy
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
@click.option("--all-rules", is_flag=True, help="Show every rule, also those that were not exercised.")
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
    """Show the contents of the inputs, the rules that they can check, and how to capture more. Nothing is checked."""
    with reported():
        check_inputs(inputs, before, after)
    with running(asked, master, inputs) as (engine, watch):
        from spark_checks.commands.inspection import inspect, show_inspection  # noqa: PLC0415 - heavy

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
    default=_DEMO_DIRECTORY,
    show_default=True,
    help="Write the event log and the report to this directory.",
)
@of_engine
@of_master
def demo(seed: int, keep: Path, asked: str | None, master: str | None) -> None:
    """Simulate a day of traffic with a few planted defects, audit it, and show the findings.

    Needs no input file. The exit status is 0 if exactly the planted defects were found, 1 if not.
    """
    with ExitStack() as claims:
        with reported():
            claims.enter_context(claimed(keep, (*FILES, DEMO_LOG)))
        with (
            tempfile.TemporaryDirectory(prefix="mq-audit-demo-") as room,
            running(asked, master, []) as (engine, watch),
        ):
            from spark_checks.demo.demonstration import demonstrate, show_comparison  # noqa: PLC0415 - heavy
            from spark_checks.reports.files import write_report  # noqa: PLC0415

            shown = demonstrate(engine, seed, Path(room), watch)
            results = write_report(shown.audit, Path(room) / "report", inputs=[keep / DEMO_LOG])
            with whole_directory(keep) as new:
                shutil.copytree(Path(room) / "report", new, dirs_exist_ok=True)
                shutil.copy(Path(room) / DEMO_LOG, new / DEMO_LOG)
            watch.close()
            show_results(results, Console())
            click.echo()
            show_comparison(shown, Console())
            show_ending(results, keep, [keep / DEMO_LOG])
            status = 0 if shown.exact else FINDINGS
    sys.exit(status)


for _command in (*QUESTIONS, watch_command):
    main.add_command(_command)
