"""Writing a report to a file: whole, or not at all."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from oracle.errors import UsageError
from oracle.whole_files import whole_file


def write_report(path: Path, text: str) -> None:
    """Write a report, so that a reader never sees half of it.

    Raises UsageError if the file cannot be written.
    """
    with whole_file(path) as new:
        new.write_text(text, encoding="utf-8")


def unwritten_output(error: OSError) -> UsageError:
    """Return the error for standard output that cannot be written to, and give standard output up."""
    with suppress(OSError):  # what is left in the buffer must not fail again when Python ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return UsageError(f"standard output cannot be written: {error.strerror}")
