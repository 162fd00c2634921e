"""Claims of directories: only one run at a time writes to one, and a second run is refused before it reads anything.

A run holds a lock on a file in the directory. The system releases the lock when the process ends for any reason, so a
killed run keeps no other out.
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
"""Far behind the process number, which other processes read: some systems lock bytes against readers too."""

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)

_claimed: set[Path] = set()
"""The directories that this process holds."""


@contextmanager
def claimed(path: Path, own: Collection[str] | None = None) -> Iterator[Path]:
    """Claim the directory of a path for this process alone, until the `with` block ends, and yield its real path.

    A link is followed. A missing directory is made, and removed again if it stays empty. An exchange that a killed run
    left unfinished is finished. Within the block the same directory may be claimed again.

    Raises UsageError if another run has the directory, if nothing can be written in it, or as check_directory does for
    contents other than the names in `own`; None allows any contents.
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
            sentence = f"{path}: what an interrupted run left cannot be cleaned up: {error.strerror or error}"
            raise UsageError(sentence) from error
        yield place


def _remove_if_empty(directory: Path) -> None:
    with suppress(OSError):
        directory.rmdir()


def _lock(path: Path, place: Path) -> int:
    """Return the open lock file of a directory, which is made if it is missing.

    A run that ends removes its lock file. A process that opened the file just before that holds a lock which no other
    process sees.
    """
    while True:
        place.mkdir(exist_ok=True)
        with ExitStack() as to_close:
            try:
                file = os.open(place / LOCK, os.O_RDWR | os.O_CREAT | _NO_LINK, 0o666)
            except FileNotFoundError:
                continue  # the run that made the directory has just removed it
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
    """Return the process that has the lock, as far as its file says."""
    number = os.read(file, 20).decode("ascii", "replace").strip()
    return f" (process {number})" if number.isdecimal() else ""


def _unlock(file: int, place: Path) -> None:
    if sys.platform == "win32":
        os.close(file)  # an open file cannot be removed
    with suppress(OSError):
        (place / LOCK).unlink()
    if sys.platform != "win32":
        os.close(file)


if sys.platform == "win32":
    import msvcrt

    def _is_locked(file: int) -> bool:
        """Lock a file, and return whether it was free."""
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
        """Lock a file, and return whether it was free."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
