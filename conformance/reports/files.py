"""Reports that are written whole or not at all."""

from __future__ import annotations

from pathlib import Path

from oracle.text.whole_files import whole_file


def write_report(path: Path, text: str) -> None:
    """Write a report so that a reader never sees half of it.

    Raises UsageError if the file cannot be written.
    """
    with whole_file(path) as new:
        new.write_text(text, encoding="utf-8")
