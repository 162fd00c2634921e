"""Options and engine handling that the log-reading commands of `mq-audit` share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oracle.program import terminable
from spark_checks.commands.limit_options import limited
from spark_checks.engines.choosing import ENGINES, choose, started
from spark_checks.failures import explained, reported, unlogged
from spark_checks.progress import Watch, watched
from spark_checks.readers.detect import bytes_as_text
from spark_checks.readers.inputs import Inputs, check_listings, files_of, find_sources
from spark_checks.readers.limits import Limits

if TYPE_CHECKING:
    from spark_checks.frames import Engine

of_master = click.option(
    "--master",
    metavar="URL",
    help="Run on this Spark master, such as spark://host:7077, yarn or local[4].",
)
of_engine = click.option(
    "--engine",
    "asked",
    type=click.Choice(ENGINES),
    help="Run in this process or on Spark. Default: by the size of the input; Spark with --master.",
)


def of_inputs(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the argument and options that say what is read as one log, as its parameter `inputs`."""

    @click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="INPUT...")
    @click.option(
        "--before",
        multiple=True,
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Contents of queues (dmpmqmsg, amqsbcg) just before the log's first call, with nothing uncommitted.",
    )
    @click.option(
        "--after",
        multiple=True,
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="The same just after its last call.",
    )
    @limited
    @wraps(command)
    def with_inputs(
        *args: Any,
        paths: tuple[Path, ...],
        before: tuple[Path, ...],
        after: tuple[Path, ...],
        limits: Limits,
        **options: Any,
    ) -> None:
        command(*args, inputs=Inputs(paths, before, after, limits), **options)

    return with_inputs


@contextmanager
def running(asked: str | None, master: str | None, inputs: Iterable[Path]) -> Iterator[tuple[Engine, Watch]]:
    """Yield an engine that suits the inputs, and a line about it. An error ends the audit with one line."""
    with reported():
        choice = choose(asked, master, text_bytes(inputs))
    with (
        reported(),
        terminable(),
        unlogged(),
        watched(f"starting the {choice.name} engine ({choice.why})") as watch,
        started(choice) as engine,
        watch.following(engine),
        explained(),
    ):
        yield engine, watch


def check_inputs(inputs: Inputs) -> None:
    """Refuse unreadable inputs before an engine is started for them."""
    find_sources(inputs.everything, inputs.limits)
    check_listings(inputs.listings)


def text_bytes(inputs: Iterable[Path]) -> int:
    """Return the size of the inputs in bytes, counted as text."""
    files = files_of(given for given in inputs if given.exists())
    return sum(bytes_as_text(file) for file in files if isinstance(file, Path) and file.is_file())
