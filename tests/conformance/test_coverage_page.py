"""The page `docs/coverage.md` is in step with the catalogue, the checks and the miniatures."""

from __future__ import annotations

from bench import coverage_page
from conformance.checks.beyond_protocol import MISSING_REQUESTS
from fixtures.miniatures import MINIATURES
from oracle.rules import catalogue

PAGE = coverage_page.page()


def test_the_page_is_up_to_date() -> None:
    assert coverage_page.PAGE.read_text(encoding="utf-8") == PAGE, "python -m bench.coverage_page writes it anew"


def test_the_page_has_every_rule_but_those_that_only_logs_show_in_a_table() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ")]
    for rule in catalogue.rules():
        listed = any(line.startswith(f"| {rule.id} ") for line in rows)
        assert listed or rule.observed_by == ("log",), rule.id


def test_the_page_names_what_stands_beside_a_rule() -> None:
    (row,) = (line for line in PAGE.splitlines() if line.startswith("| LCK-15 "))
    assert "lock_survives_unlock" in row
    assert "| yes |" in row
    assert all(missing in PAGE for missing in MISSING_REQUESTS.values())
    assert all(name in PAGE for name in MINIATURES)


def test_an_upright_stroke_does_not_end_a_cell() -> None:
    assert all(line.replace("\\|", "").count("|") in (4, 8) for line in PAGE.splitlines() if line.startswith("| "))
