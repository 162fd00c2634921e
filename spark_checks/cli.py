"""The command `mq-audit`."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import click

from oracle import __version__
from oracle.judging.deviations import first_review
from oracle.program import Console, TerminableProgram
from oracle.text.whole_files import whole_file
from spark_checks.commands.limit_options import limited
from spark_checks.commands.run import run
from spark_checks.commands.running import check_inputs, of_engine, of_inputs, of_master, running
from spark_checks.failures import reported
from spark_checks.output.claims import claimed
from spark_checks.output.destination import check_target, form_of
from spark_checks.output.whole_directories import settled, whole_directory
from spark_checks.questions.commands import QUESTIONS
from spark_checks.readers.inputs import Inputs, find_sources
from spark_checks.readers.limits import Limits
from spark_checks.reports.ending import show_ending
from spark_checks.reports.gate import FINDINGS
from spark_checks.reports.known import deviations_of
from spark_checks.reports.names import DEMO_LOG, FILES
from spark_checks.reports.show import read_around, read_finding, show_finding
from spark_checks.reports.terminal import show_results
from spark_checks.watching.commands import watch_command

_DEMO_DIRECTORY = Path("mq-audit-demo")

_report = click.argument("directory", type=click.Path(path_type=Path), metavar="DIR")


@click.group(
    cls=TerminableProgram,
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


main.add_command(run)


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
            from spark_checks.readers.load import read_log
            from spark_checks.reports.around import calls_around

            watch("reading the log")
            around = calls_around(read_log(engine, Inputs(inputs, limits=limits)).calls, [finding])[number]
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
@click.option(
    "--out",
    "target",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A .jsonl or .jsonl.gz file, or a directory for Parquet.",
)
@of_inputs
@of_engine
@of_master
def convert(*, inputs: Inputs, target: Path, asked: str | None, master: str | None) -> None:
    """Write all inputs as one event log. Nothing is checked."""
    with ExitStack() as claims:
        with reported():
            check_inputs(inputs)
            check_target(target, inputs.everything)
            if form_of(target) == "parquet":
                claims.enter_context(claimed(target, ()))
        with running(asked, master, inputs.paths) as (engine, watch):
            from spark_checks.commands.convert import write_log
            from spark_checks.readers.load import read_log

            watch("reading the log")
            log = read_log(engine, inputs)
            watch(f"writing {target}")
            write_log(log, target)
            watch.close()
            click.echo(f"{log.records:,} calls and {len(log.headers):,} headers in {target}")
            if log.unreadable:
                click.echo(f"{log.unreadable:,} records could not be read", err=True)


@main.command(name="inspect", epilog="Example: mq-audit inspect capture.pcap definitions.txt --json")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.option("--all-rules", is_flag=True, help="Show every rule, also those that were not exercised.")
@of_inputs
@of_engine
@of_master
def inspect_log(*, inputs: Inputs, as_json: bool, all_rules: bool, asked: str | None, master: str | None) -> None:
    """Show what the inputs contain and which rules they can check.

    It also says how to capture more. Nothing is checked.
    """
    with reported():
        check_inputs(inputs)
    with running(asked, master, inputs.paths) as (engine, watch):
        from spark_checks.commands.inspection import inspect, show_inspection

        found = inspect(engine, inputs, watch)
        watch.close()
        if as_json:
            click.echo(json.dumps(found.document(), indent=2))
        else:
            show_inspection(found, Console(), all_rules=all_rules)


@main.command(epilog="Example: mq-audit demo --seed 7")
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of the day: each gives another one.")
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
    """Simulate a day with a few planted defects, and audit it.

    Needs no input file. The exit status is 0 if exactly the planted defects were found, 1 if not.
    """
    with ExitStack() as claims:
        with reported():
            claims.enter_context(claimed(keep, (*FILES, DEMO_LOG)))
        with (
            tempfile.TemporaryDirectory(prefix="mq-audit-demo-") as room,
            running(asked, master, []) as (engine, watch),
        ):
            from spark_checks.demo.demonstration import demonstrate, show_comparison
            from spark_checks.reports.files import write_report

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
