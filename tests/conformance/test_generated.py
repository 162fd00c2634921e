"""The checks made from tables: every row is visited, and catches a queue manager that breaks it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import combinations
from typing import Any

import pytest

from conformance.checks.check import Check, blamed
from conformance.checks.generated import generated_checks
from conformance.checks.generated.activation import TABLE_1
from conformance.checks.generated.inconsistent_calls import TABLE_3
from conformance.checks.generated.option_pairs import OPTIONS, companions_of, history, pairs
from conformance.checks.generated.put_table import CASES
from conformance.checks.generated.search_values import TABLE_2
from conformance.checks.generated.undefined_options import TABLE as UNDEFINED_OPTIONS
from conformance.sensitivity.miniatures import Miniature
from conformance.sensitivity.patches import Patch
from conformance.sessions.details import DETAILS
from conformance.sessions.session import Session
from oracle.model.groups.put_groups import PUT_TABLE
from oracle.model.requests.option_matrix import EXCLUSIONS, KNOWN, REQUIREMENTS
from oracle.mqi.constants import MQCC, MQGMO, MQRC
from oracle.mqi.profile import PLATFORMS, PlatformName
from oracle.protocol import FEATURES
from oracle.serve import Server
from tests.conformance.conftest import ChoosingServer, ClaimingServer, rig_of

ALL = frozenset(FEATURES).union(DETAILS)
TABLES = tuple(check for check in generated_checks() if check.area == "tables")
"""The checks made of the documents' own tables; those of what meets are tested in test_meetings.py."""


def the_check(name: str) -> Check:
    return next(check for check in generated_checks() if check.id == f"tables/{name}")


def test_every_row_of_a_table_has_a_check_that_decides_its_rule() -> None:
    decided = {rule for check in generated_checks() for rule in check.rules}
    rows = {rule for entry in TABLE_1 for rule in entry.rules}
    rows |= {entry.rule for entry in (*TABLE_2, *TABLE_3, *PUT_TABLE, *EXCLUSIONS, *REQUIREMENTS, *UNDEFINED_OPTIONS)}
    assert rows <= decided


def test_every_combination_of_the_put_table_is_visited_once_at_most_by_a_row() -> None:
    fitting = [[entry.rule for entry in PUT_TABLE if entry.fits(case.facts)] for case in CASES]
    assert len({case.facts for case in CASES}) == 2**6
    assert max(map(len, fitting)) == 1
    assert [] in fitting


def test_every_pair_of_options_is_given() -> None:
    bits = [1 << number for number in range(31) if KNOWN >> number & 1]
    assert sorted(OPTIONS.values()) == bits
    given = {options for name in OPTIONS for options in pairs(name, ALL, "zos")}
    for one, other in combinations(bits, 2):
        assert one | other in given
        assert one | other | companions_of(one | other) in given


def test_a_target_is_not_told_options_of_features_that_it_does_not_claim() -> None:
    given = list(pairs("WAIT", frozenset({"wait", "browse"}), "distributed"))
    assert MQGMO.WAIT | MQGMO.BROWSE_NEXT in given
    assert not any(options & (MQGMO.LOCK | MQGMO.SYNCPOINT | MQGMO.SET_SIGNAL) for options in given)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_oracle_agrees_with_every_row_and_each_rests_on_its_rules(platform: PlatformName) -> None:
    found = {}
    for check in TABLES:
        if platform in check.platforms:
            rig = rig_of(lambda: ClaimingServer({"features": list(FEATURES)}, platform))
            session = check.perform(rig)
            missing = set(check.rules) - rig.tally.rules.keys()
            if session is not None or missing:
                found[check.id] = missing if session is None else session.departure
    assert found == {}


@pytest.mark.parametrize("platform", PLATFORMS)
def test_no_row_accuses_a_target_that_uses_the_freedom_of_the_documents(platform: PlatformName) -> None:
    for check in TABLES:
        if platform in check.platforms:
            assert check.perform(rig_of(lambda: ChoosingServer(platform))) is None, check.id


class Misjudging(ClaimingServer):
    """The reference server, which treats some options of MQGET as valid, or as invalid, against the rules."""

    def __init__(self, options: int, *, valid: bool, platform: PlatformName) -> None:
        super().__init__({"features": list(FEATURES)}, platform)
        self._options, self._valid = options, valid

    def answer(self, line: str) -> dict[str, Any]:
        """Return the server's reply, except for those options."""
        request = json.loads(line)
        if request.get("MQGMO", {}).get("Options") != self._options:
            return super().answer(line)
        if self._valid:
            return super().answer(json.dumps({**request, "MQGMO": {"Options": MQGMO.NO_SYNCPOINT}}))
        return {"seq": request["seq"], "CompCode": MQCC.FAILED, "Reason": int(MQRC.OPTIONS_ERROR)}


ROWS = [*((row.option, row.excludes, row.rule) for row in EXCLUSIONS)]


@pytest.mark.parametrize(("option", "excludes", "rule"), ROWS, ids=[row[2] for row in ROWS])
def test_a_target_that_accepts_an_excluded_pair_is_caught(option: int, excludes: int, rule: str) -> None:
    name = next(name for name, bit in OPTIONS.items() if bit == option)
    for other in (bit for bit in OPTIONS.values() if bit & excludes):
        if other == MQGMO.PROPERTIES_IN_HANDLE:  # which fails anyway, because there is no message handle
            continue
        options = option | other
        session = performed(options, valid=True)
        assert session.departure is not None, MQGMO.name_of(other)
        assert session.exchanges[-1].line.options == options
        assert rule in blamed(the_check_of(name), session.departure), (MQGMO.name_of(other), session.departure.rules)


@pytest.mark.parametrize("row", REQUIREMENTS, ids=lambda row: row.rule)
def test_a_target_that_does_not_ask_for_what_an_option_needs_is_caught(row: Any) -> None:
    name = next(name for name, bit in OPTIONS.items() if bit == row.option)
    options = row.option | MQGMO.WAIT
    session = performed(options, valid=True)
    assert session.departure is not None
    assert row.rule in blamed(the_check_of(name), session.departure)


@pytest.mark.parametrize("name", ["LOGICAL_ORDER", "WAIT", "CONVERT", "LOCK"])
def test_a_target_that_refuses_a_valid_pair_is_caught(name: str) -> None:
    options = OPTIONS[name] | (MQGMO.BROWSE_FIRST if name == "LOCK" else MQGMO.NO_SYNCPOINT)
    assert options in pairs(name, ALL, "zos")
    assert performed(options, valid=False).departure is not None


def the_check_of(name: str) -> Check:
    return the_check(f"options-{name.lower().replace('_', '-')}")


def performed(options: int, *, valid: bool) -> Session:
    return rig_of(lambda: Misjudging(options, valid=valid, platform="zos")).play(history([options]))


def test_the_check_of_an_option_catches_a_target_that_accepts_one_pair() -> None:
    options = MQGMO.LOCK | MQGMO.SYNCPOINT | MQGMO.BROWSE_FIRST
    session = the_check("options-lock").perform(rig_of(lambda: Misjudging(options, valid=True, platform="zos")))
    assert session is not None
    assert session.exchanges[-1].line.options == options


class Replacing(Server):
    """The reference server, with some outputs of its replies replaced."""

    def __init__(self, verb: str, needs: int, structure: str, changed: Mapping[str, object]) -> None:
        super().__init__()
        self._verb, self._needs, self._structure, self._changed = verb, needs, structure, changed

    def answer(self, line: str) -> dict[str, Any]:
        """Return the server's reply, changed if the call has the options."""
        reply, request = super().answer(line), json.loads(line)
        options = request.get("MQPMO" if self._verb == "MQPUT" else "MQGMO", {}).get("Options", 0)
        if request.get("verb") == self._verb and options & self._needs == self._needs and self._structure in reply:
            reply[self._structure] = {**reply[self._structure], **self._changed}
        return reply


@pytest.mark.parametrize("number", range(1, len(PUT_TABLE) + 1))
@pytest.mark.parametrize(("member", "value"), [("MsgSeqNumber", 9), ("Offset", 99), ("GroupId", "77" * 24)])
def test_a_wrong_value_in_a_cell_of_the_put_table_is_caught(number: int, member: str, value: object) -> None:
    session = the_check(f"put-table-row-{number}").perform(
        rig_of(lambda: Replacing("MQPUT", 0, "MQMD", {member: value}))
    )
    assert session is not None


ROWS_OF_TABLE_2 = {
    1: "Criteria(matching.msg_id, matching.correl_id, matching.group_id, 1, 0, matching.msg_token)",
    2: "Criteria(group_id=info.group_id, msg_seq_number=1, offset=info.next_offset)",
    3: "Criteria(group_id=info.group_id, msg_seq_number=info.msg_seq_number + 1, offset=0)",
    4: "Criteria(group_id=info.group_id, msg_seq_number=info.msg_seq_number, offset=info.next_offset)",
    5: "matching",
}
"""The model's search criteria for each row."""


@pytest.mark.parametrize(("row", "other"), [(1, 3), (2, 1), (3, 4), (4, 2), (4, 3), (5, 1)])
def test_a_target_that_answers_as_another_row_of_table_2_is_caught_by_the_check_of_its_row(
    row: int, other: int
) -> None:
    right, wrong = (f"return {ROWS_OF_TABLE_2[number]}, " for number in (row, other))
    if row not in (2, 5):
        right, wrong = (f"wanted = {ROWS_OF_TABLE_2[number]}" for number in (row, other))
    assert_caught(
        f"table-2-row-{row}", f"LOG-{14 + row}", Patch("oracle.model.groups.get_groups:table_2", right, wrong)
    )


PASSED_OVER = "if not competitors or {}:\n        _pass_over_unserved(step, competitors, ready)"
"""The condition by which browsing calls alone are served."""

ROWS_OF_TABLES_1_AND_3 = {
    "table-1-row-1": ("ACT-01", "waiting.waiting:_activate", "if not competitors:", PASSED_OVER.format("not browsers")),
    "table-1-row-2": ("ACT-02", "waiting.waiting:_activate", "in _in_turn(step, browsers):", "in browsers[:1]:"),
    "table-1-row-3": ("ACT-03", "waiting.waiting:_activate", "if not competitors:", PASSED_OVER.format("browsers")),
    "table-3-cell-1": (
        "LOG-35",
        "get.checks:inconsistent_unit_of_work",
        "in_unit_of_work:",
        "in_unit_of_work or info.logical_order:",
    ),
    "table-3-cell-2": (
        "LOG-36",
        "get.checks:inconsistent_unit_of_work",
        "in_unit_of_work:",
        "in_unit_of_work or not info.logical_order:",
    ),
    "table-3-cell-3": ("LOG-37", "groups.get_groups:table_3_warnings", "not (info.logical_order and", "(True and"),
    "table-3-cell-4": ("LOG-38", "groups.get_groups:table_3_warnings", "info.logical_order and", "True and"),
    "table-3-cell-5": ("LOG-39", "groups.get_groups:close_warnings", "not (info.logical_order and", "(True and"),
    "table-3-cell-6": ("LOG-40", "groups.get_groups:close_warnings", "info.logical_order and", "True and"),
}
"""For each row its rule, and what to change in the model so that it answers there as another row has it."""


@pytest.mark.parametrize("name", ROWS_OF_TABLES_1_AND_3)
def test_a_target_that_answers_as_another_row_of_tables_1_and_3_is_caught_by_the_check_of_its_row(name: str) -> None:
    rule, place, right, wrong = ROWS_OF_TABLES_1_AND_3[name]
    assert_caught(name, rule, Patch(f"oracle.model.{place}", right, wrong))


def assert_caught(name: str, rule: str, change: Patch) -> None:
    """Assert that the check of a row says that the model with a change breaks the row's rule."""
    wrong = Miniature("one_row_as_another", "A row is answered as another.", (rule,), "distributed", change)
    check = the_check(name)
    session = check.perform(rig_of(wrong.server))
    assert session is not None
    assert session.departure is not None
    assert rule in blamed(check, session.departure)
