"""Writing a report to a file: whole, or not at all."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from oracle.errors import UsageError


def write_report(path: Path, text: str) -> None:
    """Write a report, so that a reader never sees half of it.

    Raises UsageError if the file cannot be written.
    """
    draft = path.with_name(path.name + ".part")
    try:
        if path.exists() and not path.is_file():  # a device or a pipe
            path.write_text(text, encoding="utf-8")
            return
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error


def unwritten_output(error: OSError) -> UsageError:
    """Return the error for standard output that cannot be written to, and give standard output up."""
    with suppress(OSError):  # what is left in the buffer must not fail again when Python ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return UsageError(f"standard output cannot be written: {error.strerror}")
