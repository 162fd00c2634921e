"""Names in C, RPG and COBOL, values, and the rules that speak of a reason code."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from oracle.cli import main
from oracle.errors import UsageError
from oracle.mqi import constants, names
from oracle.mqi.constants import MQRC
from oracle.mqi.names import every_name, look_up, reason_code
from oracle.rules import catalogue
from oracle.rules.reason_rules import rules_of


def c_names(text: str) -> list[str]:
    return [found.c_name for found in look_up(text)]


@pytest.mark.parametrize(
    ("text", "c_name"),
    [
        ("GMLK", "MQGMO_LOCK"),
        ("MQGMO_LOCK", "MQGMO_LOCK"),
        ("MQGMO-LOCK", "MQGMO_LOCK"),
        ("RC2033", "MQRC_NO_MSG_AVAILABLE"),
        ("2033", "MQRC_NO_MSG_AVAILABLE"),
        ("RCNONE", "MQRC_NONE"),
        ("MDEXP", "MQMD.Expiry"),
        ("MQMD-EXPIRY", "MQMD.Expiry"),
        ("MQMD.Expiry", "MQMD.Expiry"),
        ("BUFLEN", "MQGET.BufferLength"),
        ("MTKNON", "MQMTOK_NONE"),
    ],
)
def test_a_name_is_found_in_every_language_and_letter_case(text: str, c_name: str) -> None:
    for written in (text, text.lower(), text.upper()):
        assert c_names(written) == [c_name]


def test_a_short_name_and_a_value_find_all_that_have_it() -> None:
    assert {"MQGMO.Options", "MQPMO.Options"} <= set(c_names("Options"))
    assert {"MQGMO_LOCK", "MQOO_PASS_ALL_CONTEXT"} <= set(c_names("512"))
    assert c_names("0x200") == c_names("512")


def test_a_full_name_goes_before_a_short_one() -> None:
    assert c_names("MQRC_NONE") == ["MQRC_NONE"]


def test_names_from_memory_are_marked() -> None:
    certain = {alias.name: alias.certain for name in every_name() for alias in name.aliases}
    assert certain["GMLK"]
    assert certain["MQMD-EXPIRY"]
    assert not certain["GMFIQ"]
    assert not certain["MQGMO-LOCK"]


@given(st.sampled_from(list(every_name())))
def test_every_name_is_found_by_each_of_its_names(name: names.Name) -> None:
    for text in (name.c_name, *(alias.name for alias in name.aliases)):
        assert name in look_up(text)


def test_every_constant_of_the_header_is_known_once() -> None:
    known = [name.c_name for name in every_name()]
    assert len(known) == len(set(known))
    assert {f"MQGMO_{name}" for name in constants.MQGMO.members()} <= set(known)
    assert {f"MQRC_{name}" for name in MQRC.__members__} <= set(known)


def test_every_rpg_name_of_the_table_belongs_to_something_that_exists() -> None:
    table = names._data()  # noqa: SLF001 - the table itself is looked at
    known = {name.c_name for name in every_name()}
    assert not {*table.certain, *table.from_memory} - known
    assert not set(table.certain) & set(table.from_memory)
    aliases = [*table.certain.values(), *table.from_memory.values()]
    assert len(aliases) == len(set(aliases))


@pytest.mark.parametrize("text", ["GMLKK", "MQGMO_LOKC", "9999999", "", "  ", "ключ"])
def test_an_unknown_name_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=f"no constant, field or parameter of the MQI is called {text!r}"):
        look_up(text)


def test_near_names_are_offered() -> None:
    with pytest.raises(UsageError, match="MQGMO_LOCK"):
        look_up("MQGMO_LOKC")
    with pytest.raises(UsageError, match="NO_MSG_AVAILABLE"):
        reason_code("NO_MSG_AVAILABEL")


@pytest.mark.parametrize(
    "text", ["2033", "NO_MSG_AVAILABLE", "MQRC_NO_MSG_AVAILABLE", "mqrc-no-msg-available", "rc2033"]
)
def test_a_reason_is_understood_in_every_form(text: str) -> None:
    assert reason_code(text) == 2033


@pytest.mark.parametrize("text", ["1", "GMLK", "MQGMO_LOCK", "reason"])
def test_what_is_no_reason_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=f"{text!r} is not a reason code"):
        reason_code(text)


def test_the_rules_of_a_reason_are_those_whose_texts_name_it() -> None:
    found = rules_of(2209)
    assert "LCK-17" in {rule.id for rule in found.decide}
    for rule in found.decide:
        assert "2209" in rule.statement + rule.outcome or "MQRC_NO_MSG_LOCKED" in rule.statement + rule.outcome
    assert not {rule.id for rule in found.decide} & {rule.id for rule in found.mention}
    assert rules_of(2604).decide == ()


def test_a_range_of_reasons_names_each_of_them() -> None:
    assert "CVP-10" in {rule.id for rule in rules_of(2115).decide}


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, arguments)
    return result.exit_code, result.output


def test_the_command_name_prints_the_names_and_the_rules_of_a_reason() -> None:
    code, output = run("name", "gmfiq")
    assert code == 0
    for part in (
        "MQGMO_FAIL_IF_QUIESCING",
        "8192",
        "GMFIQ (unverified)",
        "MQGMO-FAIL-IF-QUIESCING",
        "Get-message options",
    ):
        assert part in output
    code, output = run("name", "RC2209", "--json")
    (found,) = json.loads(output)
    assert (found["c_name"], found["value"]) == ("MQRC_NO_MSG_LOCKED", 2209)
    assert "LCK-17" in found["rules"]


def test_the_command_explain_prints_the_rules_with_their_titles() -> None:
    code, output = run("explain", "NO_MSG_LOCKED")
    assert code == 0
    assert "LCK-17" in output
    assert catalogue.rule("LCK-17").title in output
    code, output = run("explain", "2209", "--json")
    found = json.loads(output)
    assert found["name"] == "MQRC_NO_MSG_LOCKED"
    assert {"id": "LCK-17", "title": catalogue.rule("LCK-17").title} in found["decide"]


@pytest.mark.parametrize("arguments", [["name", "GMLKK"], ["name"], ["explain", "12"], ["explain", "GMLK"]])
def test_bad_usage_is_exit_status_2(arguments: list[str]) -> None:
    code, output = run(*arguments)
    assert code == 2
    assert "Traceback" not in output


@pytest.mark.parametrize("command", ["name", "explain", "replay"])
def test_help_has_an_example(command: str) -> None:
    code, output = run(command, "--help")
    assert code == 0
    assert "Example" in output
