"""The page of the notation names what there is, all of it and no more; its samples are right."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from oracle.errors import BadInputError
from oracle.notation import _PARSERS as PARSERS
from oracle.notation import HEADERS, parse
from oracle.replay import replay
from oracle.structures import (
    GetMessageOptions,
    MessageDescriptor,
)
from tests.conformance.test_documents import options

DOCS = Path(__file__).parents[1] / "docs"
NOTATION = DOCS / "notation.md"
PAGES = (NOTATION,)


@cache
def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def section(page: Path, heading: str) -> str:
    """Return what stands below a heading, up to the next one."""
    parts = re.split(r"^## (.+)$", text_of(page), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))[heading]


def tables(text: str) -> list[list[list[str]]]:
    """Return the tables of a text, each as its rows of cells, without their heads."""
    found: list[list[list[str]]] = [[]]
    for line in text.splitlines():
        if line.startswith("|"):
            found[-1].append([cell.strip() for cell in line.strip("|").split("|")])
        elif found[-1]:
            found.append([])
    return [table[2:] for table in found if table]


def quoted(text: str) -> list[str]:
    return re.findall("`([^`\n]+)`", re.sub("^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL))


def first_cells(table: list[list[str]]) -> list[str]:
    return [name for row in table for name in quoted(row[0])]


def samples(page: Path, kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", text_of(page), flags=re.MULTILINE | re.DOTALL)


def headings(page: Path) -> list[str]:
    return re.findall(r"^#+ (.+)$", text_of(page), flags=re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_options_exist(page: Path) -> None:
    for link in re.findall(r"\]\(([^)]+)\)", text_of(page)):
        name, _, anchor = link.partition("#")
        target = DOCS / name if name else page
        assert target.is_file(), link
        anchors = {re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-") for heading in headings(target)}
        assert not anchor or anchor in anchors, link
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text_of(page))) <= options()


# The notation


def test_every_verb_has_a_row_with_a_line_of_it() -> None:
    (table,) = tables(section(NOTATION, "Verbs"))
    assert first_cells(table) == list(PARSERS)
    for row in table:
        for sample in quoted(row[1]):
            (line,) = parse(sample)
            assert f"`{line.verb}`" == row[0]


def test_every_line_on_the_page_is_of_the_notation() -> None:
    verbs = "|".join(PARSERS)
    found = [each for each in quoted(text_of(NOTATION)) if re.match(rf"(\w+ = )?(\w+\.)?({verbs}) (?!\.\.\.)", each)]
    assert len(found) > 20
    for each in found:
        assert len(parse(each)) == 1, each


def members(heading: str) -> list[str]:
    """Return what a section writes as a member with a value."""
    found = [each for each in quoted(section(NOTATION, heading)) if re.fullmatch(r"[\w.]+=\S+", each)]
    return [each for each in found if each != "Name=value"]


def test_every_member_on_the_page_is_one_of_a_put_or_a_get() -> None:
    found = members("Options and members")
    assert len(found) > 8
    for each in found:
        assert any(is_of_the_notation(f"{call} {each}") for call in ("put h m", "get h")), each


def is_of_the_notation(line: str) -> bool:
    try:
        return len(parse(line)) == 1
    except BadInputError:
        return False


def test_every_output_on_the_page_is_one_of_a_get() -> None:
    known = {"data", "DataLength", *MessageDescriptor.c_names().values(), *GetMessageOptions.c_names().values()}
    found = members("What was seen")
    assert len(found) > 3
    for each in found:
        name = each.partition("=")[0]
        assert name in known or name.partition(".")[0] in HEADERS, each
        assert is_of_the_notation(f"get h -> {each}"), each


def test_every_header_that_data_can_begin_with_is_named() -> None:
    assert all(name in section(NOTATION, "Options and members") for name in HEADERS)


def test_the_history_on_the_page_conforms() -> None:
    (history,) = samples(NOTATION, "text")
    steps = list(replay(history, NOTATION.name))
    assert len(steps) > 10
    assert [step.text for step in steps if step.departs] == []
