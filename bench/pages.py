"""The pages of docs that modules of this package write: the command of such a module, and rows of its tables."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path


def table(columns: Sequence[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """Yield the lines of a table in Markdown."""
    yield from map(_row, (columns, ["---"] * len(columns), *rows))


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def page_command(path: Path, text: Callable[[], str]) -> int:
    """Write a page; with --check say whether it is out of date. Return the exit status."""
    if "--check" not in sys.argv[1:]:
        path.write_text(text(), encoding="utf-8")
        return 0
    if path.exists() and path.read_text(encoding="utf-8") == text():
        return 0
    sys.stderr.write(f"docs/{path.name} is out of date; the same command without --check writes it\n")
    return 1
