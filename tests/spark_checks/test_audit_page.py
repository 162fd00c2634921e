"""The page about the audit's rules says what the code does; what it says of the examples is audited only if asked."""

from __future__ import annotations

import os

import pytest

from bench.audit_page import PAGE, all_findings, page, told

audited = pytest.mark.skipif("WHOLE_AGREEMENT" not in os.environ, reason="it takes minutes: run tox -e agreement")


def test_the_page_is_up_to_date() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert page(told(text)) == text, "python -m bench.audit_page writes it anew"


def test_what_a_page_tells_of_the_examples_is_read_back() -> None:
    found = {"LCK-01": frozenset({"LCK-01", "SYN-01"}), "DLV-01": frozenset[str]()}
    assert told(page(found)) == found


@audited
def test_the_page_tells_the_truth_about_the_examples() -> None:
    assert all_findings(rejected=True) == told(PAGE.read_text(encoding="utf-8"))


@audited
def test_the_accepting_examples_violate_nothing() -> None:
    assert {rule: found for rule, found in all_findings(rejected=False).items() if found} == {}
