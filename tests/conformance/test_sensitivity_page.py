"""The page `docs/sensitivity.md` is in step with its table, which has every wrong queue manager in its present form."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.checks.rig import Budget
from conformance.checks.selection import all_checks
from conformance.reports.sensitivity import as_json, as_markdown, rows_of
from conformance.sensitivity.miniatures import read_wrong_ones
from conformance.sensitivity.sharpness import Caught, is_sharp_enough

ROOT = Path(__file__).parents[2]
PAGE, TABLE = ROOT / "docs" / "sensitivity.md", ROOT / "docs" / "sensitivity.json"
EVERY = read_wrong_ones(ROOT / "fixtures" / "miniatures")
UPDATE = "CONTRIBUTING.md, `Add a wrong queue manager`, has the command that measures what is new and writes the page"


def unmeasured(table: Path) -> set[str]:
    """Return the wrong queue managers that a table lacks in their present form."""
    rows = rows_of(table, EVERY, Budget.STANDARD, 0)
    return {each.name for each in EVERY} - {row.miniature.name for row in rows}


def test_the_table_has_every_wrong_queue_manager() -> None:
    assert unmeasured(TABLE) == set(), UPDATE


def test_one_that_is_not_in_the_table_is_told(tmp_path: Path) -> None:
    rows = rows_of(TABLE, EVERY, Budget.STANDARD, 0)
    (tmp_path / "table.json").write_text(as_json(rows[1:], Budget.STANDARD, 0), encoding="utf-8")
    assert unmeasured(tmp_path / "table.json") == {rows[0].miniature.name}


def test_the_page_is_that_table() -> None:
    rows = rows_of(TABLE, EVERY, Budget.STANDARD, 0)
    assert PAGE.read_text(encoding="utf-8") == as_markdown(rows, Budget.STANDARD, 0), UPDATE


def test_enough_are_caught_by_checks_that_there_are() -> None:
    rows = rows_of(TABLE, EVERY, Budget.STANDARD, 0)
    assert is_sharp_enough(rows, Budget.STANDARD)
    assert {row.check for row in rows} <= {check.id for check in all_checks()}, UPDATE
    assert all(row.rule in row.miniature.rules for row in rows)


@pytest.mark.parametrize("rows", [[Caught(EVERY[0])], [Caught(EVERY[0], "lock/gone", EVERY[0].rules[0])]])
def test_a_table_of_less_is_not_enough(rows: list[Caught]) -> None:
    assert not is_sharp_enough(rows, Budget.STANDARD)
