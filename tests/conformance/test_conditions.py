"""The conditions of the rules: each has a case in which it alone is broken, and no rule of their areas is left out."""

from __future__ import annotations

import pytest

from bench import conditions_page
from conformance.checks.check import AT_THE_MQI
from conformance.checks.rig import Budget
from conformance.checks.selection import all_checks
from conformance.sensitivity.sharpness import judge
from fixtures.conditions import conditions
from fixtures.miniatures import MINIATURES
from oracle.rules import catalogue

CHECKS = {check.id: check for check in all_checks()}
ENTRIES = [(rule, each) for rule, some in conditions().rules.items() for each in some]
PROVEN = {(each.broken_by, each.case): None for _, each in ENTRIES}


def test_every_condition_names_a_wrong_one_that_breaks_its_rule() -> None:
    assert [(rule, each) for rule, each in ENTRIES if rule not in MINIATURES[each.broken_by].rules] == []


@pytest.mark.parametrize(("broken_by", "case"), PROVEN)
def test_the_case_shows_what_the_wrong_one_breaks(broken_by: str, case: str) -> None:
    caught = judge(MINIATURES[broken_by], [CHECKS[case]], None, Budget.QUICK)
    assert caught.check == case, caught


def test_no_rule_of_the_areas_that_are_taken_apart_is_left_out() -> None:
    found = conditions()
    shown = {
        rule.id
        for rule in catalogue.rules()
        if rule.id[:3] in found.areas and set(rule.observed_by).intersection(AT_THE_MQI)
    }
    assert found.rules.keys() | found.not_broken.keys() == shown
    assert found.rules.keys() & found.not_broken.keys() == set()


def test_every_wrong_one_of_those_areas_is_a_condition_of_its_first_rule() -> None:
    found = conditions()
    listed = {(rule, each.broken_by) for rule, each in ENTRIES}
    expected = {(each.rules[0], name) for name, each in MINIATURES.items() if each.rules[0] in found.rules}
    assert expected - listed == set()


def test_the_page_is_up_to_date() -> None:
    page = conditions_page.PAGE.read_text(encoding="utf-8")
    assert page == conditions_page.page(), "python -m bench.conditions_page writes it anew"
