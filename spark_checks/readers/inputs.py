"""The files behind the inputs of a command: several files and whole directories are one log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from oracle.errors import BadInputError, Place
from spark_checks.readers.detect import LISTINGS, Format, Source, detect

HEADERS_FILE = "_headers.jsonl"


def _files_below(directory: Path) -> Iterator[Path]:
    """Yield the files of a directory and its directories; hidden ones and Spark's marks are no input."""
    for entry in sorted(directory.iterdir()):
        if entry.name != HEADERS_FILE and entry.name.startswith((".", "_")):
            continue
        if entry.is_dir():
            yield from _files_below(entry)
        else:
            yield entry


def _beside(source: Source) -> Iterator[Path]:
    headers = Path(source.path).parent / HEADERS_FILE
    if source.format is Format.PARQUET and headers.is_file():
        yield headers


def _detected(path: Path) -> Source | BadInputError:
    try:
        return detect(path)
    except BadInputError as error:
        return error


def find_sources(inputs: Iterable[Path]) -> tuple[list[Source], list[BadInputError]]:
    """Find what there is to read, each file once, and the files of directories that have no reader.

    Raises BadInputError for an input that is missing, empty or not a log, and for a directory in which
    nothing can be read.
    """
    found: dict[Path, Source] = {}
    refused: list[BadInputError] = []
    for given in inputs:
        if not given.exists():
            raise BadInputError("no such file or directory", Place(str(given)))
        if not given.is_dir():
            found[given.resolve()] = detect(given)
            continue
        before = len(found)
        for path in _files_below(given):
            source = _detected(path)
            if isinstance(source, BadInputError):
                refused.append(source)
            else:
                found[path.resolve()] = source
        if len(found) == before:
            raise BadInputError("nothing in this directory can be read", Place(str(given)))
    for source in list(found.values()):
        for path in _beside(source):
            found.setdefault(path.resolve(), detect(path))
    return list(found.values()), refused


def check_listings(paths: Iterable[Path]) -> None:
    """Raise BadInputError for a file that does not list the contents of queues."""
    for path in paths:
        if path.is_dir() or detect(path).format not in LISTINGS:
            raise BadInputError("no listing of a queue's contents (dmpmqmsg, amqsbcg)", Place(str(path)))
