"""The documentation site: the pages of rules, the links, and that MkDocs has every page."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from bench.site import links, reference, rule_page
from bench.site.doctests import fenced
from bench.site.standing import Standing, standings
from conformance.checks.machines import CHECKS
from oracle.rules import catalogue

ROOT = Path(__file__).parents[1]


@cache
def standing() -> dict[str, Standing]:
    return standings(play_machines=False)


@cache
def pages() -> dict[str, str]:
    return dict(rule_page.pages(standing()))


def section(page: str, heading: str) -> str:
    return page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def test_every_rule_has_a_page_with_its_statement_and_its_sources() -> None:
    for rule in catalogue.rules():
        page = pages()[f"rules/{rule.id}.md"]
        assert page.startswith(f"# {rule.id}: {rule.title}\n\n{rule.statement}\n")
        assert all(str(source) in section(page, "Source") for source in rule.source)
        assert all(reading.reading in section(page, "Reading") for reading in rule.readings)


def test_a_page_has_what_stands_on_its_rule() -> None:
    page = pages()["rules/LCK-12.md"]
    assert "```text\nget g -> m1\n```" in section(page, "Examples").partition("This is a violation:")[0]
    assert "```text\nget g -> 2033\n```" in section(page, "Examples").partition("This is a violation:")[2]
    assert "- `lock/ended-by-finding-nothing`: " in section(page, "Checks of the suite")
    assert "- `example/LCK-12`: " in section(page, "Checks of the suite")
    assert "(../document-defects.md#amb-31)" in section(page, "Reading")
    assert "[LCK-11](LCK-11.md)" in section(page, "Neighbours")
    assert "Caught by `" in section(page, "Miniatures")


def test_the_audit_names_the_file_that_checks_a_rule_or_the_reason_why_none_does() -> None:
    assert "spark_checks/checks/" in section(pages()["rules/PRI-03.md"], "Check of the audit")
    without = section(pages()["rules/AMA-04.md"], "Check of the audit")
    assert "No check of the audit names it. The oracle's replay decides it" in without
    assert "A log does not show this rule." in pages()["rules/LCK-04.md"]


def test_rules_that_one_decision_names_are_neighbours() -> None:
    assert {"DLH-01", "DLH-03"} <= standing()["DLH-02"].cited_with
    assert all(rule not in found.cited_with for rule, found in standing().items())


def test_a_machine_says_how_many_calls_rested_on_a_rule(monkeypatch: Any) -> None:
    delivery = [machine for machine in CHECKS if machine.id == "machine/delivery"]
    monkeypatch.setattr("bench.site.standing.MACHINES", delivery)
    found = standings()
    assert found["PRI-03"].machines["machine/delivery"] > 0
    assert "machine/delivery" not in found["ZOS-02"].machines


def test_rule_ids_become_links_but_not_in_code_headings_and_links() -> None:
    text = "# LCK-12\n\nBy LCK-12, not `LCK-12` or [LCK-12](x.md), ABC-99.\n\n```\nLCK-12\n```\n\n    LCK-12\n"
    linked = "[LCK-12](rules/LCK-12.md)"
    assert links.with_rules(text, "index.md") == text.replace("By LCK-12", f"By {linked}")
    assert links.with_rules("LCK-12", "reference/oracle.md") == "[LCK-12](../rules/LCK-12.md)"
    assert links.with_rules("LCK-12", "rules/LCK-11.md") == "[LCK-12](LCK-12.md)"


def test_links_of_the_readme_are_those_of_the_site() -> None:
    paths = {"audit.md", "architecture.md", "index.md"}
    text = "[a](docs/audit.md#what) [b](ARCHITECTURE.md) [c](docs/examples/ibmmq) [d](README.md)"
    assert links.of_the_top(text, paths) == "[a](audit.md#what) [b](architecture.md) c [d](index.md)"


def test_the_reference_has_the_public_modules_and_every_reader() -> None:
    found = dict(reference.pages())
    assert "::: oracle.testing\n" in found["reference/oracle.testing.md"]
    readers = {path.stem for path in (ROOT / "spark_checks" / "readers").glob("*.py")} - {"__init__"}
    assert {f"reference/spark_checks.readers.{name}.md" for name in readers} <= set(found)


def test_examples_in_docstrings_are_blocks_of_code() -> None:
    text = "First.\n\n>>> 1 + 1\n2\n\nThen, and with two:\n\n>>> a = 1\n>>> a\n1"
    made = fenced(text)
    assert made.count("```pycon\n>>> ") == 2
    assert made.endswith(">>> a = 1\n>>> a\n1\n```")
    assert made.replace("```pycon\n", "").replace("\n```", "") == text


def in_nav(entry: Any) -> set[str]:
    if isinstance(entry, str):
        return {entry}
    return set().union(*(in_nav(each) for each in (entry.values() if isinstance(entry, dict) else entry)))


def test_every_page_of_the_documents_is_in_the_navigation() -> None:
    nav = in_nav(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"])
    assert nav >= {path.name for path in (ROOT / "docs").glob("*.md")} | set(links.PAGES_OF_THE_TOP.values())


def test_a_link_that_leads_nowhere_fails_the_build() -> None:
    """MkDocs counts warnings as failures if it is strict, and counts none if it is quiet."""
    assert yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["strict"] is True
    builds = [line for line in (ROOT / "tox.ini").read_text(encoding="utf-8").splitlines() if "mkdocs build" in line]
    assert [line.strip() for line in builds] == ["python -m mkdocs build"]
