"""Suppressions of the linter, the formatter and the type checker: each has its reason on its line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("oracle", "conformance", "spark_checks", "fixtures", "bench", "tests", "docs")

SUPPRESSION = re.compile(r"#\s*(noqa|fmt:\s*(?:skip|off)|type:\s*ignore)\b(.*)")
SAID = re.compile(r"(?:: [A-Z0-9]+(?:, [A-Z0-9]+)*|\[[a-z, -]+\])?\s+[-#]\s*\w.*")
"""Codes, if any, and then a reason behind a dash or a mark of its own."""


def unexplained(text: str) -> list[str]:
    """Return the suppressions of a text that do not say why they stand."""
    found = (SUPPRESSION.search(line) for line in text.splitlines())
    return [one.group() for one in found if one is not None and not SAID.fullmatch(one.group(2).strip("\n"))]


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_suppression_has_a_reason(folder: str) -> None:
    files = sorted((ROOT / folder).rglob("*.py"))
    assert {str(path): said for path in files if (said := unexplained(path.read_text(encoding="utf-8")))} == {}


@pytest.mark.parametrize(
    ("line", "explained"),
    [
        ("x = 1  # %s: S101", False),
        ("x = 1  # %s: S101 - a reason", True),
        ("x = 1  # %s: B019, S101  # a reason", True),
        ("x = 1  # %s", False),
    ],
)
def test_a_suppression_without_a_reason_is_seen(line: str, explained: bool) -> None:
    assert bool(unexplained(line % "noqa")) is not explained


@pytest.mark.parametrize(
    ("line", "explained"),
    [
        (")  # %s: skip", False),
        (")  # %s: skip  # pairs", True),
    ],
)
def test_a_table_of_its_own_format_says_why(line: str, explained: bool) -> None:
    assert bool(unexplained(line % "fmt")) is not explained
