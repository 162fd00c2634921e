"""The audit's findings in published defects of IBM MQ, which the page about them repeats."""

from __future__ import annotations

from bench.known_defects_page import PAGE, findings, page
from spark_checks.frames import Engine
from tests.spark_checks.known_defects import DEFECTS


def test_each_defect_is_found_once_under_its_rule_or_the_page_says_why_not(engine: Engine) -> None:
    found = findings(engine)
    for defect in DEFECTS:
        told = [f"{row['rule']} {row['verdict']}" for row in found[defect.apar]]
        assert told == list(defect.expected), defect.apar
        assert bool(defect.why_not) != bool(defect.expected), defect.apar


def test_the_page_is_up_to_date(engine: Engine) -> None:
    assert PAGE.read_text(encoding="utf-8") == page(engine), "write it anew: python -m bench.known_defects_page"
