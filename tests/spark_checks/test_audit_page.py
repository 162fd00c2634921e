"""The page about the audit's rules says what the code does, and what the audit finds in the examples."""

from __future__ import annotations

from bench.audit_page import PAGE, all_findings, page, told


def test_the_page_is_up_to_date() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert page(told(text)) == text, "python -m bench.audit_page writes it anew"


def test_what_a_page_tells_of_the_examples_is_read_back() -> None:
    found = {"LCK-01": frozenset({"LCK-01", "SYN-01"}), "DLV-01": frozenset[str]()}
    assert told(page(found)) == found


def test_the_page_tells_the_truth_about_the_examples() -> None:
    assert all_findings(rejected=True) == told(PAGE.read_text(encoding="utf-8"))


def test_the_accepting_examples_violate_nothing() -> None:
    assert {rule: found for rule, found in all_findings(rejected=False).items() if found} == {}
