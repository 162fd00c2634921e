"""The command `mq-audit watch`."""

from __future__ import annotations

import re
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from oracle.errors import UsageError
from spark_checks.commands.limit_options import limited
from spark_checks.commands.running import of_engine, of_master, running
from spark_checks.engines.choosing import LOCAL
from spark_checks.failures import reported
from spark_checks.output.claims import claimed
from spark_checks.output.destination import check_apart
from spark_checks.readers.limits import Limits
from spark_checks.reports.names import FILES
from spark_checks.times import duration, moment

if TYPE_CHECKING:
    from spark_checks.watching.metrics import Numbers
    from spark_checks.watching.rounds import Plan, RoundResult

_UNITS: Final = {"ms": 0.001, "s": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_LENGTH: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|min|m|h|d)?")
_METRICS: Final = "metrics.prom"
_ROUND_BYTES: Final = 256 * 2**20
"""The bytes of files, counted as text, that are read in one round: it limits memory."""


class _Length(click.ParamType[float]):
    """A click type: a length of time in seconds, given as a number with an optional unit."""

    name = "length"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the length in seconds; fails for anything else."""
        if isinstance(value, float):
            return value
        found = _LENGTH.fullmatch(str(value).strip())
        if found is None:
            self.fail(f"{value!r} is not a length of time such as 30s, 5m or 1h", param, ctx)
        return float(found[1]) * _UNITS[found[2] or "s"]


@click.command(name="watch", epilog="Example: mq-audit watch /var/mqm/trace --out report --state state --every 30s")
@click.argument("directory", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="DIR")
@click.option(
    "--out", "report", required=True, type=click.Path(path_type=Path), metavar="REPORT", help="Where the report goes."
)
@click.option(
    "--state",
    "state",
    type=click.Path(path_type=Path),
    metavar="STATE",
    help="Directory of the watch's state. Default: REPORT.state.",
)
@click.option(
    "--every", "every_s", type=_Length(), default="30s", show_default=True, help="How often to look for new files."
)
@click.option(
    "--settle",
    "settle_s",
    type=_Length(),
    default="5s",
    show_default=True,
    help="How long a file must not have changed to be read.",
)
@click.option(
    "--lateness",
    "lateness_s",
    type=_Length(),
    default="5m",
    show_default=True,
    help="How late a call may arrive after it ended, by the times of the log.",
)
@click.option(
    "--remember",
    "remember_s",
    type=_Length(),
    default="10m",
    show_default=True,
    help="How long all calls are kept; they are judged again in each round.",
)
@click.option("--name", "pattern", default="*", show_default=True, metavar="GLOB", help="Only files with such a name.")
@click.option(
    "--metrics",
    "metrics",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Metrics for Prometheus' node exporter. Default: metrics.prom beside REPORT.",
)
@click.option(
    "--replay-calls",
    "replay_limit",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="Replay at most N calls of each queue in a round; cannot be changed later.",
)
@click.option(
    "--final", is_flag=True, help="No more files come: read those that are there, report all held findings, and end."
)
@limited
@of_engine
@of_master
def watch_command(
    *,
    directory: Path,
    report: Path,
    state: Path | None,
    every_s: float,
    settle_s: float,
    lateness_s: float,
    remember_s: float,
    pattern: str,
    metrics: Path | None,
    replay_limit: int,
    final: bool,
    limits: Limits,
    asked: str | None,
    master: str | None,
) -> None:
    """Audit files as they arrive in DIR.

    It keeps one report and a file of metrics current, and prints a line for each new finding. Files may be rotated by
    renaming. A file that is still being written is not read yet. A watch that was ended or killed goes on where it was.
    """
    from spark_checks.watching import rounds

    kept = state or report.with_name(f"{report.name}.state")
    written = metrics or report.with_name(_METRICS)
    times = (round(lateness_s * 1e6), round(remember_s * 1e6))
    plan = rounds.Plan(report, kept, *times, replay_limit, limits, (directory,))
    with ExitStack() as claims:
        with reported():
            check_apart(report, kept)
            for path in (report, kept):
                if path.resolve().is_relative_to(directory.resolve()):
                    raise UsageError(f"{path} lies in {directory}, and would be read as a log: name another place")
            claims.enter_context(claimed(report, FILES))
            claims.enter_context(claimed(kept, (*rounds.STATE_PARTS, ".due")))
        with reported("interrupted; the report has what was found, and the next watch continues from there"):
            Watch(directory, plan, pattern, settle_s, every_s, written, asked, master).run(final=final)


@dataclass
class Watch:
    """A watch: it looks, audits, reports, and sleeps."""

    directory: Path
    """The directory that is watched."""
    plan: Plan
    """The plan of its audits."""
    pattern: str
    """A pattern of the names of the files that are read."""
    settle_s: float
    """The number of seconds for which a file must be unchanged to be read."""
    every_s: float
    """The number of seconds between two looks."""
    metrics: Path
    """The file to which metrics are written."""
    asked: str | None
    """The engine that was asked for. None if none was."""
    master: str | None
    """The master of Spark that was asked for. None if none was."""
    last: Numbers | None = None
    """The numbers of the last round. None before the first."""
    judging_s: float = 0.0
    """The number of seconds that the last auditing round took."""

    def run(self, *, final: bool) -> None:
        """Watch until it is stopped. With `final`, read what is there and end."""
        from spark_checks.watching.rounds import recover

        with self._engine() as (engine, _):
            if recover(engine, self.plan):
                click.echo("brought the state up to date: the last watch was ended before it could")
        if final:
            while self.look(final=False, settle_s=0):
                pass
            self.look(final=True, settle_s=0)
            return
        while True:
            begun = time.monotonic()
            more = self.look(final=False, settle_s=self.settle_s)
            if not more:
                time.sleep(max(0.0, self.every_s - (time.monotonic() - begun)))

    def _engine(self) -> Any:
        return running(self.asked or (None if self.master else LOCAL), self.master, [])

    def look(self, *, final: bool, settle_s: float) -> bool:
        """Do one round, and return whether files are waiting that could not be taken into it."""
        from spark_checks.watching.arrivals import arrived
        from spark_checks.watching.ledger import read_ledger
        from spark_checks.watching.metrics import Numbers, write_metrics
        from spark_checks.watching.rounds import WATCH, one_round

        ledger = read_ledger(self.plan.state / WATCH)
        settled_ns = round((time.time() - settle_s) * 1e9)
        found = arrived(self.directory, ledger.files, self.pattern, settled_ns, _ROUND_BYTES)
        if not found.now and not final and not ledger.held:
            if self.last is not None and self.last.behind:  # no longer, because nothing is waiting
                self.last = replace(self.last, backlog=0, behind=False, at_s=time.time())
                write_metrics(self.metrics, ledger, self.last)
            return False
        with self._engine() as (engine, watch):
            watch(f"auditing {len(found.now)} files")
            hold = bool(found.now) and self.judging_s > self.every_s / 2
            done = one_round(engine, self.plan, found.now, final=final, hold=hold)
        if done is None:
            return False
        self.judging_s = done.seconds if done.audited else self.judging_s
        speed = done.read / done.seconds if done.seconds else 0.0
        behind = found.backlog > 0 or done.seconds > self.every_s
        self.last = Numbers(done.pending, found.backlog, round(done.seconds, 3), round(speed, 1), behind, time.time())
        write_metrics(self.metrics, done.ledger, self.last)
        _tell(done, self.last, final=final)
        return found.backlog > 0


def _tell(done: RoundResult, numbers: Numbers, *, final: bool) -> None:
    """Print the results of a round, a line each, and its numbers."""
    for row in done.new:
        last = row["calls"][-1] if row["calls"] else None
        at = "" if last is None else f"{moment(last['end_us'])} "
        click.echo(
            f"{at}{row['verdict']} {row['rule']} on {row['queue']}, connection {row['conn']}: {row['explanation']}"
        )
    if done.more:
        click.echo(f"and {done.more:,} more new findings: see the report")
    if done.withdrawn:
        click.echo(f"{done.withdrawn:,} earlier findings are explained by later calls, and withdrawn")
    if done.late:
        what = "what was reported about their time may be wrong"
        click.echo(f"{done.late:,} calls came later than --lateness allows: {what}", err=True)
    if numbers.behind and not final:
        waiting = f"{numbers.backlog:,} files wait" if numbers.backlog else "a round takes longer than --every"
        advice = "a shorter --remember and --lateness make rounds shorter"
        click.echo(f"behind: {waiting}; {numbers.records_per_second:,.0f} records a second; {advice}", err=True)
    took = duration(done.seconds * 1e6)
    click.echo(f"{done.read:,} records read, {done.audited:,} audited, {done.pending:,} wait; took {took}", err=True)
