"""The commands that ask questions about a log: `trace`, `why`, `owners`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oracle.errors import UsageError
from oracle.program import Console
from oracle.text.whole_files import whole_file
from spark_checks.commands.running import check_inputs, of_engine, of_inputs, of_master, running
from spark_checks.engines.choosing import LOCAL
from spark_checks.failures import reported
from spark_checks.readers.inputs import Inputs

if TYPE_CHECKING:
    from spark_checks.questions.evidence import Evidence

_index = click.option(
    "--index",
    "index",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Keep an index of the inputs in this directory, and answer by it as long as they do not change.",
)
WHY_CALLS = 20_000
"""The default number of earlier calls that the oracle follows: some ten seconds."""

_json = click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")


def _asking(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options with which a log is read, as `evidence`, which yields it in a `with` block."""

    @_index
    @of_inputs
    @of_engine
    @of_master
    @wraps(command)
    def with_log(
        *args: Any,
        inputs: Inputs,
        index: Path | None,
        asked: str | None,
        master: str | None,
        **options: Any,
    ) -> None:
        @contextmanager
        def evidence() -> Iterator[Evidence]:
            with reported("interrupted"):
                check_inputs(inputs if index is None else replace(inputs, paths=()))
            paths = inputs.paths if master else []
            with running(asked or (None if master else LOCAL), master, paths) as (engine, watch):
                from spark_checks.questions.evidence import read_evidence
                from spark_checks.questions.index import indexed

                if index is None:
                    watch("reading the log")
                    found = read_evidence(engine, inputs)
                else:
                    watch(f"reading {index}, or making it")
                    found, _ = indexed(engine, inputs, index)
                watch("looking it up")
                yield found
                watch.close()

        command(*args, evidence=evidence, **options)

    return with_log


Asked = Callable[[], Any]


@click.command(name="trace", epilog="Example: mq-audit trace monday.jsonl --msg ID:414d5120514d31 --html trace.html")
@click.option("--msg", "msgs", multiple=True, metavar="ID", help="MsgId or CorrelId: hexadecimal, ID:..., or text.")
@click.option("--group", "groups", multiple=True, metavar="ID", help="GroupId: hexadecimal, ID:..., or text.")
@click.option("--queue", "queues", multiple=True, metavar="NAME", help="Messages on this queue; * stands for any text.")
@click.option("--conn", "conns", multiple=True, metavar="NAME", help="Messages that this connection put or got.")
@click.option("--digest", "digests", multiple=True, metavar="SHA256", help="Messages with this payload.")
@click.option(
    "--html",
    "page",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a page with pictures.",
)
@_json
@_asking
def trace_command(
    *,
    evidence: Asked,
    msgs: tuple[str, ...],
    groups: tuple[str, ...],
    queues: tuple[str, ...],
    conns: tuple[str, ...],
    digests: tuple[str, ...],
    page: Path | None,
    as_json: bool,
) -> None:
    """Show the life of messages across queues and connections.

    That is who put a message and when it was visible, who browsed, locked or got it, how the units of work ended,
    whether a connection passed it on, its replies and reports, and where it is when the log ends, or who may have it.
    """
    from spark_checks.questions.identifiers import Wanted
    from spark_checks.questions.terminal import show_trace
    from spark_checks.questions.trace import Selection, document_of, trace
    from spark_checks.questions.trace_page import page_of

    with reported("interrupted"):
        selection = Selection(tuple(map(Wanted.of, msgs)), tuple(map(Wanted.of, groups)), queues, conns, digests)
        selection.check()
    with evidence() as log:
        found = trace(log, selection)
    with reported("interrupted"):
        if page is not None:
            with whole_file(page) as new:
                new.write_text(page_of(found), encoding="utf-8")
        if as_json:
            click.echo(json.dumps(document_of(found), indent=2))
        else:
            show_trace(found, Console())


@click.command(name="why", epilog="Example: mq-audit why monday.jsonl --call till:17")
@click.option(
    "--call", "name", metavar="CONN:SEQ", help="The call: its connection, and its number among the calls of it."
)
@click.option("--at", "time", metavar="TIME", help="The call that --conn was in at this time (UTC), or had begun last.")
@click.option("--conn", "conn", metavar="NAME", help="With --at: the connection; * stands for any text.")
@click.option("--all", "every", is_flag=True, help="Show every message on the queue, not only a few of each kind.")
@click.option(
    "--replay-calls",
    "most_calls",
    type=click.IntRange(min=0),
    default=WHY_CALLS,
    show_default=True,
    metavar="N",
    help="Replay the queue on the model up to the call if at most N calls came before; 0: never.",
)
@_json
@_asking
def why_command(
    *,
    evidence: Asked,
    name: str | None,
    time: str | None,
    conn: str | None,
    every: bool,
    most_calls: int,
    as_json: bool,
) -> None:
    """Explain why a call ended as it did, with the rules.

    For an MQGET that found nothing it lists the messages on the queue as far as the log shows, and why each did not
    suit. It also names what the log lacks, and how to capture it.
    """
    from spark_checks.questions.target import call_at, call_named
    from spark_checks.questions.terminal import show_why
    from spark_checks.questions.why import document_of, why

    with reported("interrupted"):
        if (name is None) == (time is None) or (time is None) != (conn is None):
            raise UsageError("say which call: --call CONN:SEQ, or --at TIME with --conn NAME")
    with evidence() as log:
        event = call_named(name, log) if name is not None else call_at(str(time), str(conn), log)
        answer = why(log, event, most_calls)
    with reported("interrupted"):
        if as_json:
            click.echo(json.dumps(document_of(answer), indent=2))
        else:
            show_why(answer, Console(), every=every)


@click.command(name="owners", epilog="Example: mq-audit owners monday.jsonl --at '2026-01-31 17:45:57' --queue ORDERS")
@click.option("--at", "time", metavar="TIME", help="At this time (UTC). Default: when the log ends.")
@click.option("--queue", "queue", metavar="NAME", help="Only this queue.")
@_json
@_asking
def owners_command(*, evidence: Asked, time: str | None, queue: str | None, as_json: bool) -> None:
    """Show who holds units of work, locks, handles and waits.

    Each is shown with its age and what it holds back. After them come the numbers of messages that each connection put,
    got and browsed on each queue, and payloads that one application put twice around a reconnection.
    """
    from spark_checks.questions.holdings import document_of
    from spark_checks.questions.owners import owners
    from spark_checks.questions.target import time_of
    from spark_checks.questions.terminal import show_owners

    with evidence() as log:
        found = owners(log, None if time is None else time_of(time, log), queue)
    with reported("interrupted"):
        if as_json:
            click.echo(json.dumps(document_of(found), indent=2))
        else:
            show_owners(found, Console())


QUESTIONS = (trace_command, why_command, owners_command)
"""The commands, for the group `mq-audit`."""
