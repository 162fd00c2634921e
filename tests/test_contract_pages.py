"""The pages of the contracts and of the notation are complete and correct, and so are their samples."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest

from conformance.sessions.dialogue import DEFAULT_TIME_LIMIT_S, Hello
from oracle.errors import BadInputError, Place
from oracle.histories.event_log import CALLS, COLUMNS, DepthHeader, Event, Header, LogHeader, QueueHeader, parse_line
from oracle.histories.notation import _PARSERS as PARSERS
from oracle.histories.notation import HEADERS, parse
from oracle.model.objects.attributes import SETTABLE
from oracle.mqi.definitions import QueueDefinition, QueueManagerDefinition
from oracle.mqi.structures import (
    GetMessageOptions,
    MessageDescriptor,
    ObjectDescriptor,
    PutMessageOptions,
    Structure,
)
from oracle.mqi.without_outputs import WITHOUT_OUTPUTS
from oracle.protocol import CLAIMED_DETAILS, FEATURES, FOUND_QMGR
from oracle.protocol.schemas import schemas
from oracle.replay import replay
from oracle.replay.log import _NEEDED as NEEDED_TO_FOLLOW
from oracle.rules import catalogue
from spark_checks.frames.schema import LONG_COLUMNS, REQUIRED_COLUMNS, TEXT_COLUMNS
from spark_checks.preparation.facts import _ATTRIBUTES as USED_BY_THE_AUDIT
from tests.conformance.test_documents import options

DOCS = Path(__file__).parents[1] / "docs"
LOG, PROTOCOL, NOTATION = (DOCS / name for name in ("event-log.md", "target-protocol.md", "notation.md"))
PAGES = (LOG, PROTOCOL, NOTATION)
EXAMPLE_LOG = DOCS / "examples" / "orders.jsonl"

STRUCTURES: Mapping[str, type[Structure]] = {
    "MQMD": MessageDescriptor,
    "MQGMO": GetMessageOptions,
    "MQPMO": PutMessageOptions,
    "MQOD": ObjectDescriptor,
}
NOT_OF_VERSION_1 = {"QSGDISP"}
"""Attributes that the model knows and the protocol does not."""


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


def test_what_the_catalogue_cites_is_a_section() -> None:
    pages = {"target protocol": PROTOCOL, "event log": LOG}
    cited = {source.section for rule in catalogue.rules() for source in rule.source if source.document == "contracts"}
    assert len(cited) > 8
    for name in cited:
        page, _, place = name.partition(": ")
        known = {heading.lower() for heading in headings(pages[page])}
        place = re.sub(r" \(.*?\)", "", place.lower())
        assert place in known or set(place.split(" and ")) <= known, name


# The event log


def test_every_column_has_a_row_with_its_type() -> None:
    found = tables(section(LOG, "Columns"))
    assert tuple(first_cells(found[0])) == REQUIRED_COLUMNS
    types = {name: row[1] for table in found for row in table for name in quoted(row[0])}
    assert sum(len(first_cells(table)) for table in found) == len(types)
    assert set(types) == set(COLUMNS)
    right = {name: "string" if name in TEXT_COLUMNS else "long" if name in LONG_COLUMNS else "int" for name in COLUMNS}
    assert types == right


def test_every_call_is_named() -> None:
    (row,) = (row for table in tables(section(LOG, "Columns")) for row in table if quoted(row[0]) == ["call"])
    assert quoted(row[2]) == list(CALLS)


def test_every_member_of_a_header_has_a_row() -> None:
    parts = re.split(r"^`(\w+)`: ", section(LOG, "Headers"), flags=re.MULTILINE)
    found = dict(zip(parts[1::2], parts[2::2], strict=True))
    kinds = {kind.model_fields["header"].default: kind for kind in get_args(Header)}
    assert set(found) == set(kinds)
    for name, kind in kinds.items():
        (table,) = tables(found[name])
        assert set(first_cells(table)) == set(kind.model_fields) - {"header"}, name
    assert ["attributes" in row for row in tables(found["queue"])[0]] == [False, True]


def test_the_attributes_that_are_used_are_named() -> None:
    used = section(LOG, "Headers").partition("The audit uses")[2]
    by_the_audit, _, to_follow = used.partition("To replay a queue")
    assert set(quoted(by_the_audit)) == set(USED_BY_THE_AUDIT.values())
    without = set(quoted(to_follow.partition(".")[0]))
    assert set(quoted(by_the_audit)) - without == set(NEEDED_TO_FOLLOW)


def test_the_example_log_is_one_and_conforms() -> None:
    lines = text_of(EXAMPLE_LOG).splitlines()
    records = [parse_line(line, Place(EXAMPLE_LOG.name, number)) for number, line in enumerate(lines, 1)]
    assert {type(record) for record in records} == {Event, LogHeader, QueueHeader, DepthHeader}
    steps = list(replay(text_of(EXAMPLE_LOG), EXAMPLE_LOG.name))
    assert len(steps) > sum(isinstance(record, Event) for record in records) > 10
    assert [step.text for step in steps if step.departs] == []
    (shown,) = samples(LOG, "json")
    assert [line for line in shown.splitlines() if line not in lines] == []


# The target protocol


def requests() -> Iterator[tuple[str, set[str]]]:
    """Yield each op but `call`, and each verb, with its members."""
    for form in schemas()["request"]["oneOf"]:
        members = form["properties"]
        name = members.get("verb", members["op"])["const"]
        yield name, set(members) - {"seq", "op", "verb"} - ({"conn"} if "verb" in members else set())


def test_every_op_and_every_verb_has_a_row_with_its_members() -> None:
    ops = {row[0].strip("`"): set(quoted(row[1])) for row in tables(section(PROTOCOL, "Shape"))[0]}
    verbs = {row[0].strip("`"): set(quoted(row[1])) for row in tables(section(PROTOCOL, "Verbs"))[0]}
    assert ops.pop("call") == {"conn", "verb"}
    assert {**ops, **verbs} == dict(requests())


def test_every_member_of_a_reply_is_named() -> None:
    shape, verbs = tables(section(PROTOCOL, "Shape")), tables(section(PROTOCOL, "Verbs"))[0]
    (hello,) = (row[2] for row in shape[0] if row[0] == "`hello`")
    of_hello = {field.alias or name for name, field in Hello.model_fields.items()}
    assert of_hello == set(schemas()["reply"]["anyOf"][0]["properties"]) - {"seq"}
    beside = {FOUND_QMGR, CLAIMED_DETAILS}
    assert of_hello - beside <= set(quoted(hello))
    assert all(name in text_of(PROTOCOL) for name in beside)
    named = {name for row in verbs for name in quoted(row[2])}
    named |= {name for row in shape[0] for name in quoted(row[2])} | set(first_cells(shape[1]))
    forms = schemas()["reply"]["anyOf"][1:]
    assert {name for form in forms for name in form["properties"]} - {"seq"} <= named
    outputs = next(set(form["properties"]) for form in forms if "Hobj" in form["properties"])
    assert {name for row in verbs for name in quoted(row[2])} <= outputs


def test_warnings_without_outputs_and_attributes_of_mqset_are_named() -> None:
    verbs = section(PROTOCOL, "Verbs")
    assert all(f"{reason:d}" in verbs for reason in WITHOUT_OUTPUTS)
    assert quoted(verbs.partition("MQSET knows")[2].partition(".")[0]) == list(SETTABLE)


@pytest.mark.parametrize("name", STRUCTURES)
def test_every_member_of_a_structure_is_named_with_its_initial_value(name: str) -> None:
    (row,) = (row for row in tables(section(PROTOCOL, "Values"))[0] if row[0] == f"`{name}`")
    kind = STRUCTURES[name]
    assert quoted(row[1]) == list(kind.c_names().values())
    initial = {c_name: getattr(kind(), member) for member, c_name in kind.c_names().items()}
    said = {member: int(number) for member, number in re.findall(r"(\w+) (-?\d+)", row[2])}
    if name != "MQOD":
        assert said == {member: value for member, value in initial.items() if isinstance(value, int) and value}


@pytest.mark.parametrize(("number", "kind"), [(0, QueueDefinition), (1, QueueManagerDefinition)])
def test_every_attribute_has_a_row_with_its_default(
    number: int, kind: type[QueueDefinition | QueueManagerDefinition]
) -> None:
    table = tables(section(PROTOCOL, "Queue and queue manager attributes"))[number]
    defaults = {field.alias or name: field.default for name, field in kind.model_fields.items()}
    assert set(first_cells(table)) == set(defaults) - NOT_OF_VERSION_1
    for row in table:
        for name in quoted(row[0]):
            wanted = defaults[name]
            if isinstance(wanted, int):
                assert row[2] == str(wanted).lower(), name
            elif wanted and name not in ("name", "type", "DefinitionType"):
                assert row[2] == f"`{wanted}`", name
    assert all(name in text_of(PROTOCOL) for name in NOT_OF_VERSION_1)


def test_every_feature_has_a_row() -> None:
    (table,) = tables(section(PROTOCOL, "Features"))
    assert sorted(first_cells(table)) == sorted(FEATURES)


def test_the_time_limit_is_the_one_that_holds() -> None:
    assert DEFAULT_TIME_LIMIT_S == 10
    assert "ten seconds" in section(PROTOCOL, "A broken target")


def served(lines: list[str]) -> list[Any]:
    """Return the replies of `mq-oracle serve`, which must end by itself with 0."""
    command = [sys.executable, "-c", "from oracle.cli import main; main()", "serve"]
    done = subprocess.run(
        command, input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def shows(shown: Any, whole: Any) -> bool:
    """Return whether a reply is as shown, where outputs and features may be left out."""
    if isinstance(shown, dict):
        return isinstance(whole, dict) and all(name in whole and shows(shown[name], whole[name]) for name in shown)
    if isinstance(shown, list) and all(isinstance(each, str) for each in shown):
        return set(shown) <= set(whole)
    if isinstance(shown, list):
        return len(shown) == len(whole) and all(map(shows, shown, whole))
    return bool(shown == whole)


@pytest.mark.parametrize("number", [0, 1])
def test_the_dialogues_are_what_the_model_answers(number: int) -> None:
    lines = samples(PROTOCOL, "json")[number].splitlines()
    replies = served(lines[::2])
    assert len(replies) == len(lines) // 2
    for line, reply in zip(lines[1::2], replies, strict=True):
        shown = json.loads(line)
        shown.get("implementation", {}).pop("version", None)
        assert shows(shown, reply), reply
        assert {*shown, "ObjectName", "MQMD", "MQGMO"} >= set(reply), "only outputs that did not change are left out"


def test_what_the_dialogue_shows_conforms() -> None:
    """Nothing but outputs that the calls did not change is left out, or the model would miss it."""
    steps = list(replay(samples(PROTOCOL, "json")[0], PROTOCOL.name))
    assert len(steps) > 10
    assert [step.text for step in steps if step.departs] == []


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
