"""The naive queue manager under the suite: each defect is reported first by its rule, and separately."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import fixtures.naive.emulator
from bench import stranger_page
from conformance.reports.html import page_of
from fixtures.naive.report import Listed, headings, listed, results
from oracle.rules import catalogue
from tests.html_page import Page

ROOT = Path(__file__).parents[2]
LISTED = listed()
_MOST_HEADINGS = 4


@pytest.mark.parametrize("defect", LISTED, ids=lambda defect: defect.name)
def test_every_defect_is_told_by_its_rule_first(defect: Listed) -> None:
    told = [name for name, _ in headings()]
    assert [name for name in defect.headings if name not in told] == []


def test_no_heading_is_about_two_defects_or_none() -> None:
    of = Counter(name for defect in LISTED for name in defect.headings)
    assert Counter(name for name, _ in headings()) == of
    assert set(of.values()) == {1}


def test_no_defect_stands_under_many_headings() -> None:
    assert max(len(defect.headings) for defect in LISTED) <= _MOST_HEADINGS


def test_what_meets_everything_hides_nothing_and_comes_first() -> None:
    (first, defect), *_ = headings()
    assert first == "MQGET PRI-02"
    assert defect.checks > len(results().checks) / 6


def test_each_heading_is_shown_by_a_few_calls_that_end_with_what_departs() -> None:
    for name, defect in headings():
        assert len(defect.found.calls) <= 9, name
        assert name.partition(" ")[0].removeprefix("MQ").lower()[:3] in defect.found.calls[-1], name


def test_the_first_screen_of_the_page_has_every_heading() -> None:
    text = Page(page_of(results())).text
    table = text.partition("Defects")[2].partition("1. ")[0]
    for _, defect in headings():
        assert f"{defect.rule} {defect.title} : {defect.what} {defect.checks}" in table


def test_it_is_small_and_uses_nothing_of_the_project() -> None:
    path = Path(fixtures.naive.emulator.__file__)
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 400
    for node in ast.walk(ast.parse(text)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
        assert not {name.partition(".")[0] for name in names} & {"oracle", "conformance", "spark_checks", "fixtures"}


def test_the_list_names_places_and_rules_that_there_are() -> None:
    text = Path(fixtures.naive.emulator.__file__).read_text(encoding="utf-8")
    for defect in LISTED:
        for place in defect.where.split(" and "):
            assert f"def {place}(" in text or place == "nothing looks at it"
        for name in defect.headings:
            rule = name.partition(" ")[2]
            assert rule.isdigit() or catalogue.rule(rule)


def test_it_is_served_as_a_child_process() -> None:
    requests = '{"seq":1,"op":"hello","protocol":1}\n{"seq":2,"op":"bye"}\n'
    command = [sys.executable, "-m", "fixtures.naive"]
    served = subprocess.run(command, cwd=ROOT, input=requests, check=True, capture_output=True, text=True).stdout
    assert '"seq": 2' in served.splitlines()[1]


def test_the_page_is_up_to_date() -> None:
    page = stranger_page.page()
    assert stranger_page.PAGE.read_text(encoding="utf-8") == page, "python -m bench.stranger_page writes it anew"
