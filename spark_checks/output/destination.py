"""Checks of output places: never among other files, and refused before the work if nothing can be written there."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from pathlib import Path

from oracle.errors import UsageError
from oracle.text.text_files import shown
from oracle.text.whole_files import check_place, directory_of
from spark_checks.output.exchange import WORKING, contents

_SHOWN = 100


def real_place(path: Path) -> Path:
    """Return the place that a path means, with all links resolved.

    Raises UsageError for a circular link, and for a name that no file can have.
    """
    place = Path(os.path.realpath(path))
    try:
        is_circular = place.is_symlink()
    except OSError as error:
        raise UsageError(f"{shown(path)[:_SHOWN]}: {error.strerror}") from error
    if is_circular:
        raise UsageError(f"{path}: is a link that leads in a circle")
    return place


def _check_writable(directory: Path) -> None:
    if not os.access(directory, os.W_OK | os.X_OK):
        raise UsageError(f"{directory}: nothing can be written in this directory")


def check_directory(path: Path, own: Collection[str] | None) -> None:
    """Refuse an output directory that holds anything but what an earlier run wrote, named in `own`.

    None allows any contents. Raises UsageError for other contents, for a file, for contents that are mount points,
    because these cannot be replaced, and for a place that cannot be written to.
    """
    place = real_place(path)
    if not place.exists():
        _check_writable(directory_of(place))
        return
    if not place.is_dir():
        raise UsageError(f"{path}: is not a directory")
    _check_writable(place)
    names = contents(place)
    others = [] if own is None else [name for name in names if name not in own]
    if others:
        raise UsageError(f"{path}: the output directory has other things in it ({others[0]}); name another")
    fixed = [name for name in [*names, *WORKING] if os.path.ismount(place / name)]
    if fixed:
        raise UsageError(f"{path}: {fixed[0]} in it is a mount point, which nothing can replace; mount the directory")


def check_apart(report: Path, state: Path) -> None:
    """Raise UsageError if a report and a state would share a directory, or one would lie within the other."""
    one, other = real_place(report), real_place(state)
    if one == other or one in other.parents or other in one.parents:
        raise UsageError(
            f"--out {report} and --state {state} are not two directories side by side: neither may lie in the other"
        )


def no_report(path: Path, missing: str) -> UsageError:
    """Return the error for a directory that is no report, which a missing file shows."""
    return UsageError(f"{path}: not a report of mq-audit run (it has no {missing})")


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
    form, place = form_of(path), real_place(path)
    for given in inputs:
        if place.exists() and given.exists() and place.samefile(given):
            raise UsageError(f"{path}: the output would replace an input; name another")
        if given.is_dir() and real_place(given) in place.parents:
            raise UsageError(f"{path}: the output would be among the files of the input {given}; name another")
    if form == "parquet" and path.exists() and not path.is_dir():
        raise UsageError(f"{path}: is no directory; {_FORMS}")
    if form == "parquet" and path.exists() and contents(path):
        raise UsageError(f"{path}: is a directory with something in it; {_FORMS}, which must be empty")
    if form != "parquet" and path.is_dir():
        raise UsageError(f"{path}: is a directory; name a file")
    if form == "parquet":
        check_directory(path, ())
    else:
        check_place(path)
