"""Directories of output that are written whole or not at all."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from oracle.errors import BadInputError, Place, UsageError
from spark_checks.failures import held
from spark_checks.output.claims import claimed
from spark_checks.output.exchange import NEW, exchange, is_unfinished


@contextmanager
def whole_directory(path: Path) -> Iterator[Path]:
    """Yield a directory to write to.

    Its contents replace those of `path` when the `with` block ends. Raises UsageError as claimed does, and
    BadInputError if something cannot be written; the old contents then stay.
    """
    with claimed(path) as place:
        new = place / NEW
        try:
            new.mkdir()
            yield new
            with held():
                exchange(place)
        except ConnectionError:
            raise  # from the connection to Spark, not from the disk
        except OSError as error:
            raise BadInputError(f"cannot be written: {_reason(error)}", Place(str(path))) from error
        finally:
            shutil.rmtree(new, ignore_errors=True)


def _reason(error: OSError) -> str:
    """Return the reason in a line. `shutil` collects the errors of all files in a list, each as a text at its end."""
    if isinstance(error, shutil.Error) and error.args and isinstance(error.args[0], list) and error.args[0]:
        return str(error.args[0][0][-1])
    return error.strerror or str(error)


def settled(path: Path) -> None:
    """Finish an exchange that a killed run left unfinished, before the directory is read.

    Raises as claimed does, and UsageError for a name that no directory can have.
    """
    try:
        unfinished = is_unfinished(path)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    if unfinished:
        with claimed(path):
            pass
