"""The command `mq-audit`."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from oracle import __version__
from oracle.errors import MqOracleError
from oracle.verdicts import AuditVerdict
from spark_checks.session import session

if TYPE_CHECKING:
    from spark_checks.audit import Audit

_FINDINGS = 1
_CANNOT_RUN = 2
_INTERRUPTED = 130
_SMALL_BYTES = 32 * 2**20

_inputs = click.argument("inputs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="INPUT...")
_master = click.option(
    "--master", metavar="URL", help="A Spark master, such as spark://host:7077. Default: this machine, all cores."
)
_before = click.option(
    "--before",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Contents of queues (dmpmqmsg, amqsbcg) just before the log's first call, with nothing uncommitted.",
)
_after = click.option(
    "--after",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The same just after its last call.",
)


class FailOn(str, Enum):
    """From what on the exit status is 1."""

    VIOLATION = "violation"
    SUSPICION = "suspicion"
    UNDECIDED = "undecided"
    NEVER = "never"


@contextmanager
def _reported() -> Iterator[None]:
    """Turn what stops a command into one line and an exit status."""
    try:
        yield
    except MqOracleError as error:
        click.echo(f"mq-audit: {error}", err=True)
        sys.exit(_CANNOT_RUN)
    except KeyboardInterrupt:
        click.echo("mq-audit: interrupted; nothing was written", err=True)
        sys.exit(_INTERRUPTED)


def _small(inputs: Iterable[Path]) -> bool:
    """Return whether inputs are so small that the audit starts longer than it runs."""
    files = (file for given in inputs for file in (given.rglob("*") if given.is_dir() else [given]))
    return sum(file.stat().st_size for file in files if file.is_file()) < _SMALL_BYTES


def _tell(doing: str) -> None:
    click.echo(f"{doing} ...", err=True)


def exit_status(audit: Audit, fail_on: FailOn) -> int:
    """Return the exit status that an audit deserves."""
    violations = any(result.violations for result in audit.rules)
    suspicions = any(result.suspicions for result in audit.rules)
    undecided = any(result.verdict is AuditVerdict.NOT_CHECKABLE and result.not_checkable for result in audit.rules)
    counts = {
        FailOn.NEVER: False,
        FailOn.VIOLATION: violations,
        FailOn.SUSPICION: violations or suspicions,
        FailOn.UNDECIDED: violations or suspicions or undecided,
    }
    return _FINDINGS if counts[fail_on] else 0


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: mq-audit run monday.jsonl.gz captures/ --out report",
)
@click.version_option(__version__, prog_name="mq-audit")
def main() -> None:
    """Say which rules of IBM MQ a log of applications' calls shows broken.

    A log is one or more event logs (JSON Lines, also compressed; Parquet), packet captures of client channels and
    traces of the MQ classes for Java, and beside them what is known of the queues: definitions that runmqsc printed,
    contents that dmpmqmsg or amqsbcg listed.
    """


@main.command(epilog="Example: mq-audit run monday.jsonl.gz captures/ --out report --fail-on suspicion")
@_inputs
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
@_before
@_after
@_master
def run(
    inputs: tuple[Path, ...],
    *,
    directory: Path,
    fail_on: str,
    before: tuple[Path, ...],
    after: tuple[Path, ...],
    master: str | None,
) -> None:
    """Audit a log: all inputs together, files and whole directories.

    Writes findings.jsonl, summary.json and unreadable.jsonl. The exit status is 0 if there is nothing to report, 1
    after findings, 2 if the input is bad or the audit cannot be run.
    """
    with _reported(), session(master, small=_small(inputs)) as spark:
        from spark_checks.audit import audit  # noqa: PLC0415 - needs Spark
        from spark_checks.output import check_directory  # noqa: PLC0415
        from spark_checks.report import FILES, show, write_report  # noqa: PLC0415

        check_directory(directory, FILES)
        result = audit(spark, inputs, _tell, before, after)
        _tell(f"writing {directory}")
        write_report(result, directory)
        show(result, Console())
        status = exit_status(result, FailOn(fail_on))
    sys.exit(status)


@main.command(epilog="Example: mq-audit convert capture.pcap --out capture.jsonl.gz")
@_inputs
@click.option(
    "--out",
    "target",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A .jsonl or .jsonl.gz file, or a directory for Parquet.",
)
@_before
@_after
@_master
def convert(
    inputs: tuple[Path, ...], target: Path, before: tuple[Path, ...], after: tuple[Path, ...], master: str | None
) -> None:
    """Write the event log that the inputs hold together, and nothing else."""
    with _reported(), session(master, small=_small(inputs)) as spark:
        from spark_checks.convert import check_target, write_log  # noqa: PLC0415 - needs Spark
        from spark_checks.readers.load import read_log  # noqa: PLC0415

        check_target(target, [*inputs, *before, *after])
        _tell("reading the log")
        log = read_log(spark, inputs, before, after)
        _tell(f"writing {target}")
        write_log(log, target)
        click.echo(f"{log.records:,} calls and {len(log.headers):,} headers in {target}")
        if log.unreadable:
            click.echo(f"{log.unreadable:,} records could not be read", err=True)


@main.command(name="inspect", epilog="Example: mq-audit inspect capture.pcap definitions.txt --json")
@_inputs
@_before
@_after
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@_master
def inspect_log(
    inputs: tuple[Path, ...], *, before: tuple[Path, ...], after: tuple[Path, ...], as_json: bool, master: str | None
) -> None:
    """Say what the inputs hold, which rules can be checked with it, and how to capture more. Judges nothing."""
    with _reported(), session(master, small=_small(inputs)) as spark:
        from spark_checks.inspection import inspect, show_inspection  # noqa: PLC0415 - needs Spark

        found = inspect(spark, inputs, before, after, _tell)
        if as_json:
            click.echo(json.dumps(found.document(), indent=2))
        else:
            show_inspection(found, Console())


@main.command(epilog="Example: mq-audit demo --seed 7")
@click.option("--seed", type=int, default=0, show_default=True, help="Another number, another day.")
@click.option(
    "--keep",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Keep the event log and the report in this directory.",
)
@_master
def demo(seed: int, keep: Path | None, master: str | None) -> None:
    """Simulate a day of traffic, plant a few defects in its record, audit it, and show what was found.

    Needs no file. The exit status is 0 if exactly the planted defects were found, 1 if not.
    """
    with (
        _reported(),
        tempfile.TemporaryDirectory(prefix="mq-audit-demo-") as room,
        session(master, small=True) as spark,
    ):
        from spark_checks.demo import LOG, demonstrate, show_comparison  # noqa: PLC0415 - needs Spark
        from spark_checks.output import check_directory  # noqa: PLC0415
        from spark_checks.report import FILES, show, write_report  # noqa: PLC0415

        if keep is not None:
            check_directory(keep, (*FILES, LOG))
        shown = demonstrate(spark, seed, Path(room), _tell)
        if keep is not None:
            write_report(shown.audit, keep)
            shutil.copy(Path(room) / LOG, keep / LOG)
        show(shown.audit, Console())
        click.echo()
        show_comparison(shown, Console())
        status = 0 if shown.exact else _FINDINGS
    sys.exit(status)
