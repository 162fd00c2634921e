"""Directories that one run at a time writes to: a second run is refused at once, before it has read anything.

A run holds a lock on a file in the directory. The system gives the lock up when the process ends, however that ends,
so a run that was killed keeps no other out.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from oracle.errors import UsageError
from spark_checks.output.destination import check_directory, real_place
from spark_checks.output.exchange import LOCK, finish

_LOCKED_BYTE = 2**30
"""Far behind the process number, which others are to read: some systems lock bytes for readers too."""

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)

_claimed: set[Path] = set()
"""The directories that this process has."""


@contextmanager
def claimed(path: Path, own: Collection[str] | None = None) -> Iterator[Path]:
    """Give the directory that a path means, for this process alone until the `with` block is over.

    A link is followed. A directory that is not there is made, and removed if nothing has come into it. What a run that
    was killed had left half exchanged is finished. Within the block the same directory may be claimed again.

    Raises UsageError if another run has the directory, if nothing can be written in it, or as check_directory does for
    what it holds beside the names in `own`; None means anything may be there.
    """
    place = real_place(path)
    check_directory(path, own)
    if place in _claimed:
        yield place
        return
    made = not place.exists()
    with ExitStack() as at_end:
        if made:
            at_end.callback(_remove_if_empty, place)
        try:
            at_end.callback(_unlock, _lock(path, place), place)
        except OSError as error:
            raise UsageError(f"{path}: nothing can be written in this directory: {error.strerror or error}") from error
        _claimed.add(place)
        at_end.callback(_claimed.discard, place)
        try:
            finish(place)
        except OSError as error:
            told = f"{path}: what an interrupted run left cannot be put in order: {error.strerror or error}"
            raise UsageError(told) from error
        yield place


def _remove_if_empty(directory: Path) -> None:
    with suppress(OSError):
        directory.rmdir()


def _lock(path: Path, place: Path) -> int:
    """Return the open lock file of a directory, which is made if it is not there.

    A run that ends removes its lock file; who has opened that just before has locked a file that nobody else sees.
    """
    while True:
        place.mkdir(exist_ok=True)
        with ExitStack() as to_close:
            try:
                file = os.open(place / LOCK, os.O_RDWR | os.O_CREAT | _NO_LINK, 0o666)
            except FileNotFoundError:
                continue  # the run that had made the directory has just removed it
            to_close.callback(os.close, file)
            try:
                locked = _is_locked(file)
            except OSError:  # nobody can lock anything here
                (place / LOCK).unlink(missing_ok=True)
                raise
            if not locked:
                raise UsageError(f"{path}: another run is writing to it{_holder(file)}; wait until that has ended")
            if _is_in_place(file, place / LOCK):
                os.ftruncate(file, 0)
                os.write(file, f"{os.getpid()}\n".encode())
                to_close.pop_all()
                return file


def _is_in_place(file: int, path: Path) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(file), path.lstat())
    return False


def _holder(file: int) -> str:
    """Return which process has the lock, as far as its file says."""
    number = os.read(file, 20).decode("ascii", "replace").strip()
    return f" (process {number})" if number.isdecimal() else ""


def _unlock(file: int, place: Path) -> None:
    if sys.platform == "win32":
        os.close(file)  # a file that is open cannot be removed
    with suppress(OSError):
        (place / LOCK).unlink()
    if sys.platform != "win32":
        os.close(file)


if sys.platform == "win32":
    import msvcrt

    def _is_locked(file: int) -> bool:
        """Lock a file, and return whether nobody else has."""
        os.lseek(file, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(file, 0, os.SEEK_SET)
        return True

else:
    import fcntl

    def _is_locked(file: int) -> bool:
        """Lock a file, and return whether nobody else has."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
