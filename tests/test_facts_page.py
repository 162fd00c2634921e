"""docs/mqi-facts.md has everything that rules and choices cite from it, and a source for each fact."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import ValidationError

from oracle.rules import catalogue, choices

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "mqi-facts.md"
WORDS = ("C header", "inference", "observation", "practice", "decision", "APAR")
UNCITED = {"Where the pages are": "no rule cites it"}
"""Sections that nobody cites, and the words with which each says so."""


def text() -> str:
    return PAGE.read_text(encoding="utf-8")


def sections() -> dict[str, str]:
    """Return the text of each section by its heading; no two headings are the same."""
    parts = re.split(r"^## (.+)\n", text(), flags=re.MULTILINE)
    assert len(set(parts[1::2])) == len(parts[1::2])
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def cited() -> set[str]:
    of_rules = {source.section for rule in catalogue.rules() for source in rule.source if source.document == "facts"}
    reasons = [entry.first for entry in choices.choices().values()]
    return of_rules | {name for name in sections() if any(f"facts, {name}" in reason for reason in reasons)}


def facts() -> Iterator[tuple[str, str]]:
    """Yield each fact, which is an item of a list or a row of a table with a source, and its section."""
    for name, part in sections().items():
        for item in re.findall(r"^- (.*\n(?:  .*\n)*)", part, flags=re.MULTILINE):
            yield name, " ".join(item.split())
        for table in re.findall(r"^\|.*\| source \|\n.*\n((?:\|.*\n)+)", part, flags=re.MULTILINE):
            yield from ((name, f"({row.split('|')[-2].strip()})") for row in table.splitlines())


def test_every_section_that_is_cited_is_on_the_page() -> None:
    assert cited() - {*sections()} == set()
    assert len(cited()) > 30


def test_choices_cite_sections_of_the_page() -> None:
    entries = [entry.first for entry in choices.choices().values() if re.search(r"\bfacts\b", entry.first)]
    assert len(entries) > 20
    names = "|".join(map(re.escape, sections()))
    assert [first for first in entries if not re.search(rf"\bfacts, ({names})\b", first)] == []


def test_every_section_is_cited_or_says_that_it_is_not() -> None:
    assert {*sections()} - cited() == {*UNCITED}
    for name, words in UNCITED.items():
        assert words in sections()[name]


def test_every_fact_says_where_it_comes_from() -> None:
    found = list(facts())
    assert len(found) > 150
    for name, fact in found:
        source = re.search(r"\(((?:[^()]|\([^()]*\))*)\)$", fact)
        assert source, (name, fact)
        assert "][" in source[1] or any(word in source[1] for word in WORDS) or "pages of" in source[1], (name, fact)


def test_every_page_that_is_linked_has_its_address_once() -> None:
    used = set(re.findall(r"\]\[([a-z0-9]+)\]", text()))
    addresses = dict(re.findall(r"^\[([a-z0-9]+)\]: (https?://\S+)$", text(), flags=re.MULTILINE))
    assert used == {*addresses}
    assert len(set(addresses.values())) == len(addresses)


def test_links_within_the_page_and_beside_it_lead_somewhere() -> None:
    anchors = {re.sub(r"[^a-z0-9 -]", "", name.lower()).replace(" ", "-") for name in sections()}
    for link in re.findall(r"\]\(([^)]+)\)", text()):
        assert link.removeprefix("#") in anchors if link.startswith("#") else (PAGE.parent / link).is_file(), link


def test_every_document_has_an_address_or_a_reason_for_having_none() -> None:
    found = catalogue.documents()
    without = {name for name, document in found.items() if document.address is None}
    assert without == {"program-design", "facts", "contracts"}
    for name in ("facts", "contracts"):
        for page in re.findall(r"docs/[a-z-]+\.md", found[name].title):
            assert (ROOT / page).is_file()
        assert "docs/" in found[name].title


@pytest.mark.parametrize(
    "members", [{}, {"address": "https://x.org/a", "no_address": "none"}, {"address": "www.x.org"}]
)
def test_a_document_with_neither_or_both_is_refused(members: dict[str, str]) -> None:
    with pytest.raises(ValidationError, match="address"):
        catalogue.Document.model_validate({"id": "some", "title": "A page", "about": "Something.", **members})


def test_a_rule_names_its_sources_and_each_address_once() -> None:
    lines = list(catalogue.rule("LCK-03").source_lines())
    assert sum(line.startswith("Source: ") for line in lines) == len(catalogue.rule("LCK-03").source)
    addresses = [line.strip() for line in lines if not line.startswith("Source: ")]
    assert addresses == [catalogue.documents()["get-options"].address]
