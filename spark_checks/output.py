"""Directories of reports: there whole or not at all, and never with other things in them."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from oracle.errors import BadInputError, Place, UsageError
from oracle.whole_files import directory_of


def check_directory(path: Path, own: Collection[str]) -> None:
    """Refuse an output directory that holds anything but what an earlier run wrote, named in `own`.

    Raises UsageError if it does, or if the path is a file.
    """
    directory_of(path)
    if not path.exists():
        return
    if not path.is_dir():
        raise UsageError(f"{path}: is not a directory")
    others = sorted(entry.name for entry in path.iterdir() if entry.name not in own)
    if others:
        raise UsageError(f"{path}: the output directory has other things in it ({others[0]})")


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
