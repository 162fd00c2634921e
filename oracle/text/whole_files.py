"""Files that are written whole or not at all: beside their place, and moved to it when they are complete."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from oracle.errors import UsageError

_MOST_LINKS: Final = 40
"""The number of links that a system follows at most before it assumes a circle."""

_CANNOT_SYNC: Final = (errno.EINVAL, errno.ENOTSUP)
_IS_MOUNTED: Final = (errno.EBUSY, errno.EXDEV)


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a file to write to, which replaces `path` when the `with` block ends.

    A link is followed. A device, a pipe or an open file of this process (/dev/stdout) is written to directly. A file
    that is a mount point cannot be replaced, so it is overwritten when the new one is complete. Raises UsageError if
    the path is a directory or in none, or cannot be written to.
    """
    try:
        place = _place_of(path)
        if place is None:
            yield path
            return
        with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=directory_of(place)) as room:
            new = Path(room) / path.name
            yield new
            _put(new, place)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from error


def check_place(path: Path) -> None:
    """Raise UsageError if a file at this path could not be written, so that nothing is computed in vain."""
    try:
        place = _place_of(path)
    except OSError as error:  # such as a name that is too long
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
    if place is not None and not os.access(place.parent, os.W_OK):
        raise UsageError(f"{path}: no file can be written in the folder {place.parent}")
    if (place is None or os.path.ismount(place)) and not os.access(path, os.W_OK):
        raise UsageError(f"{path}: it may not be written to")


def _place_of(path: Path) -> Path | None:
    """Return the file that a path means, with all links resolved; None if it is written to directly.

    Raises UsageError if the path is a directory or leads in a circle.
    """
    if path.is_dir():
        raise UsageError(f"{path} cannot be written: it is a directory")
    if (path.exists() and not path.is_file()) or _is_open_file(path):
        return None
    place = Path(os.path.realpath(path))
    if place.is_symlink():
        raise UsageError(f"{path} cannot be written: it is a link that leads in a circle")
    return place


def _put(new: Path, place: Path) -> None:
    on_disk(new)
    try:
        new.replace(place)
    except OSError as error:
        if error.errno not in _IS_MOUNTED:
            raise
        shutil.copyfile(new, place)
        on_disk(place)
    else:
        on_disk(place.parent)


def on_disk(path: Path) -> None:
    """Wait until a file, or the names in a directory, are on the disk, if the system supports it.

    Raises OSError if the disk is full, which some systems notice only now.
    """
    if os.name != "posix":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC:
            raise
    finally:
        os.close(descriptor)


def _is_open_file(path: Path) -> bool:
    """Return whether a path names an open file of a process, as /dev/stdout does: it cannot be replaced."""
    for _ in range(_MOST_LINKS):
        here = Path(os.path.realpath(path.parent)) / path.name
        if here.is_relative_to("/proc") or here.is_relative_to("/dev/fd"):
            return True
        if not here.is_symlink():
            return False
        path = here.parent / here.readlink()
    return False


def directory_of(path: Path) -> Path:
    """Return the directory that contains a path.

    Raises UsageError if there is no such directory.
    """
    parent = path.absolute().parent
    if not parent.is_dir():
        raise UsageError(f"{parent}: no such directory")
    return parent
