"""Files that are there whole or not at all: written beside their place and moved to it when they are done."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from oracle.errors import UsageError


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give a file to write to that takes the place of `path` when the `with` block is over.

    A device or a pipe is written to as it is. Raises UsageError if the path is a directory or in none, or cannot be
    written to.
    """
    if path.is_dir():
        raise UsageError(f"{path} cannot be written: it is a directory")
    parent = directory_of(path)
    try:
        if path.exists() and not path.is_file():
            yield path
            return
        with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=parent) as room:
            new = Path(room) / path.name
            yield new
            shutil.move(new, path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from error


def directory_of(path: Path) -> Path:
    """Return the directory in which a path is.

    Raises UsageError if there is no such directory.
    """
    parent = path.absolute().parent
    if not parent.is_dir():
        raise UsageError(f"{parent}: no such directory")
    return parent
