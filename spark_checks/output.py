"""Directories of reports: there whole or not at all, and never with other things in them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from oracle.errors import BadInputError, Place, UsageError
from oracle.whole_files import directory_of


def _check_parent(path: Path) -> None:
    parent = directory_of(path)
    if not os.access(parent, os.W_OK | os.X_OK):
        raise UsageError(f"{parent}: nothing can be written in this directory")


def check_directory(path: Path, own: Collection[str]) -> None:
    """Refuse an output directory that holds anything but what an earlier run wrote, named in `own`.

    Raises UsageError if it does, or if the path is a file.
    """
    _check_parent(path)
    if not path.exists():
        return
    if not path.is_dir():
        raise UsageError(f"{path}: is not a directory")
    others = sorted(entry.name for entry in path.iterdir() if entry.name not in own)
    if others:
        raise UsageError(f"{path}: the output directory has other things in it ({others[0]})")


def no_report(path: Path, missing: str) -> UsageError:
    """Return what is to be raised for a directory that is no report, as a missing file tells."""
    return UsageError(f"{path}: no report of mq-audit run (it has no {missing})")


def form_of(path: Path) -> str:
    """Return the form that the name of an event log asks for: plain, gzip or parquet.

    Raises UsageError if it asks for none.
    """
    name = path.name.lower()
    if name.endswith(".jsonl.gz"):
        return "gzip"
    if name.endswith(".jsonl"):
        return "plain"
    if path.suffix in {"", ".parquet"}:
        return "parquet"
    raise UsageError(f"{path}: {_FORMS}")


_FORMS = "the name of an event log ends in .jsonl or .jsonl.gz; any other is a directory for Parquet"


def check_target(path: Path, inputs: Iterable[Path]) -> None:
    """Refuse a target that has no known form, would replace an input, or is a directory with anything in it.

    Raises UsageError.
    """
    form = form_of(path)
    _check_parent(path)
    for given in inputs:
        if path.exists() and given.exists() and path.samefile(given):
            raise UsageError(f"{path}: the output would replace an input")
    if form == "parquet" and path.exists() and not path.is_dir():
        raise UsageError(f"{path}: is no directory; {_FORMS}")
    if form == "parquet" and path.exists() and any(path.iterdir()):
        raise UsageError(f"{path}: is a directory with something in it; {_FORMS}, which must be empty")
    if form != "parquet" and path.is_dir():
        raise UsageError(f"{path}: is a directory")


@contextmanager
def whole_directory(path: Path) -> Iterator[Path]:
    """Give a directory to write to that takes the place of `path` when the `with` block is over."""
    parent = directory_of(path)
    try:
        with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=parent) as room:
            new, old = Path(room) / "new", Path(room) / "old"
            new.mkdir()
            yield new
            try:
                if path.exists():
                    path.rename(old)
                new.rename(path)
            except BaseException:
                if old.exists() and not path.exists():
                    old.rename(path)
                raise
    except ConnectionError:
        raise  # of the way to Spark, not of the disk
    except OSError as error:
        raise BadInputError(f"cannot be written: {error.strerror or error}", Place(str(path))) from error
