"""The exchange of a directory's contents: as a whole, however a run ends.

The directory itself stays: it may be a mount point, be reached through a link, or lie where nothing else may be
written. New contents are written within it, in hidden directories whose names show the progress of the exchange:

| name | what it says |
| --- | --- |
| `.new` | The new contents are being written: the old ones count. |
| `.ready` | The new contents are whole and on the disk: they count, and are moving to their place. |
| `.lock` | A run has the directory (spark_checks.output.claims). |

Old contents are removed first, and then all new contents move in, so that old and new never stand side by side. A run
that is killed while they move leaves `.ready`; the next one that claims the directory finishes the move.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from oracle.text.whole_files import on_disk

LOCK, NEW, READY = ".lock", ".new", ".ready"
WORKING = frozenset({LOCK, NEW, READY})
"""The names that a run uses in a directory besides its contents."""


def exchange(place: Path) -> None:
    """Replace contents by those of the same names in `.new`.

    Raises OSError. If `.new` is not yet whole on the disk then, the old contents stay.
    """
    for folder, _, files in os.walk(place / NEW, topdown=False):
        for file in files:
            on_disk(Path(folder) / file)
        on_disk(Path(folder))
    (place / NEW).rename(place / READY)
    on_disk(place)
    _move_in(place)


def finish(place: Path) -> None:
    """Finish an interrupted exchange, or remove contents that were not ready for one. Raises OSError."""
    _remove(place / NEW)
    if (place / READY).is_dir():
        _move_in(place)


def is_unfinished(place: Path) -> bool:
    """Return whether an exchange was interrupted or is in progress."""
    return (place / READY).is_dir()


def contents(place: Path) -> list[str]:
    """Return the sorted names of a directory's contents, without the names that a run uses."""
    return sorted(entry.name for entry in place.iterdir() if entry.name not in WORKING)


def _move_in(place: Path) -> None:
    """Move the contents of `.ready` to their place.

    What has moved is no longer there, so this can be repeated at any point.
    """
    names = sorted(entry.name for entry in (place / READY).iterdir())
    for name in names:
        _remove(place / name)
    for name in names:
        (place / READY / name).rename(place / name)
    on_disk(place)
    (place / READY).rmdir()
    on_disk(place)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
