"""The page `docs/pairs.md` is what its table says, and the checks that it names show what is said of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random

import pytest

from bench import pairs_page
from bench.meetings import Lead, joined, leads, look
from bench.pairs_page import (
    Cell,
    Pairs,
    Reasons,
    Refusing,
    by_kind,
    calls_of,
    kind_of,
    read,
    reasons_given,
    sessions,
    sessions_of,
)
from conformance.checks.selection import all_checks
from conformance.sessions.session import History, Setup
from oracle.histories.notation import parse, write
from oracle.mqi.constants import MQCC
from oracle.mqi.profile import PLATFORMS

TOLD = read(pairs_page.TABLE.read_text(encoding="utf-8"))
REASONS = reasons_given()
CHECKS = {check.id: check for check in all_checks()}
SAMPLE = Random(6).sample(TOLD.cells, 40)


def shows(cell: Cell) -> bool:
    """Return whether the check of a cell has a call on which the two rules bear."""
    (platform,) = (each for each in PLATFORMS if each == cell.platform)
    return any(
        write(line) == cell.call and set(cell.rules) <= rules
        for session in sessions_of(CHECKS[cell.check], platform)
        for line, rules in calls_of(session)
    )


def test_the_page_is_that_table() -> None:
    page = pairs_page.PAGE.read_text(encoding="utf-8")
    assert page == pairs_page.page(TOLD, REASONS), "python -m bench.pairs_page writes both anew"


def test_every_check_that_is_named_is_there() -> None:
    assert {cell.check for cell in TOLD.cells} <= CHECKS.keys(), "python -m bench.pairs_page writes both anew"


@pytest.mark.parametrize("cell", SAMPLE, ids=["-".join(cell.areas) for cell in SAMPLE])
def test_what_is_said_to_meet_does(cell: Cell) -> None:
    assert shows(cell)


def test_what_does_not_meet_is_noticed() -> None:
    assert not shows(replace(SAMPLE[0], rules=("LCK-99", "LCK-98")))


def test_no_pair_is_open_and_no_reason_is_stale() -> None:
    met = {cell.areas for cell in TOLD.cells}
    pairs = [(a, b) for a in TOLD.verbs for b in TOLD.verbs if a < b]
    apart = {pair for pair in pairs if pair not in met and not by_kind(*pair, TOLD.verbs, REASONS)}
    searched = {(name[:3], name[4:]) for name in REASONS.searched}
    assert not searched & REASONS.given().keys()
    assert apart == searched | REASONS.given().keys(), (
        "bench.meetings --write searches what is new; delete what is stale"
    )


def test_every_kind_of_refusal_is_the_reason_of_some_pair() -> None:
    page = pairs_page.page(TOLD, REASONS)
    assert [each.area for each in REASONS.refusing if f"{each.area} fails the call, as {each.why}" not in page] == []


def test_what_is_said_to_refuse_calls_does() -> None:
    refusing = {(each.area, call) for each in REASONS.refusing for call in each.calls}
    areas = {area for area, _ in refusing}
    about = [check for check in CHECKS.values() if areas & {rule[:3] for rule in check.rules} and not check.by_budget]
    seen = set()
    for platform, check, session in sessions(about):
        for exchange, (line, rules) in zip(session.exchanges, calls_of(session), strict=True):
            if here := {(rule[:3], kind_of(line)) for rule in rules} & refusing:
                assert exchange.reply["CompCode"] == MQCC.FAILED, (check.id, platform, write(line))
                seen |= here
    assert {area for area, _ in seen} == areas


def test_areas_whose_calls_differ_cannot_meet_and_others_are_open() -> None:
    cells = (Cell(("ACT", "LCK"), 5, ("ACT-02", "LCK-15"), "lock/a", "distributed", "get h UNLOCK"),)
    told = Pairs(cells, {"ACT": ("MQGET",), "LCK": ("MQGET",), "OPN": ("MQOPEN",), "TRN": ("MQGET",)})
    page = pairs_page.page(told, Reasons(searched={"LCK TRN": 7}))
    assert "Of 6 pairs of 4 areas 1 meet, 0 of them in fewer than 3 pairs of rules, 3 cannot, 1 were searched" in page
    assert "| LCK | 5 | ACT-02 and LCK-15 in `lock/a`: `get h UNLOCK` |" in page
    assert "| OPN | 0 | cannot: ACT bears on MQGET, OPN on MQOPEN |" in page
    assert "| TRN | 0 | open |" in page
    assert "| TRN | 0 | searched: not in 7 tries |" in page
    assert read(pairs_page.as_json(told)) == told


def test_what_fails_a_call_does_not_meet_what_is_about_its_message() -> None:
    told = Pairs((), {"INQ": ("MQGET", "MQINQ"), "TRN": ("MQGET",), "WAI": ("MQGET",), "EXP": ("MQGET", "MQINQ")})
    refusing = (Refusing(area="INQ", calls=("MQGET",), why="gets are inhibited"),)
    page = pairs_page.page(told, Reasons(refusing=refusing))
    assert "| TRN | 0 | cannot: INQ fails the call, as gets are inhibited |" in page
    assert "| WAI | 0 | open |" in page, "a wait may be what ends so"
    assert "| INQ | 0 | open |" in page, "inquiring goes on"


def lead(steps: str, *queues: Mapping[str, object]) -> Lead:
    return Lead(History(Setup(queues or ({"name": "Q"},)), parse(steps)), "distributed")


def test_two_histories_become_one_in_which_both_last_calls_are_one() -> None:
    one = lead("h = open Q INPUT_SHARED; put1 Q m NO_SYNCPOINT Priority=3; get h NO_SYNCPOINT")
    other = lead("g = open R INPUT_SHARED+BROWSE; put1 R m Expiry=50; get g SYNCPOINT BufferLength=1", {"name": "R"})
    both = joined(one, other)
    assert both is not None
    assert [queue["name"] for queue in both.history.setup.queues] == ["Q"]
    assert both.text.splitlines() == [
        "h = open Q INPUT_SHARED+BROWSE",
        "put1 Q m NO_SYNCPOINT Expiry=50 Priority=3",
        "get h SYNCPOINT BufferLength=1",
    ]


def test_calls_of_two_kinds_and_queues_of_two_types_are_not_joined() -> None:
    get = lead("h = open Q INPUT_SHARED; get h")
    assert joined(get, lead("h = open Q OUTPUT; put h m")) is None
    alias = {"name": "Q", "type": "alias", "target": "R"}
    assert joined(lead("h = open Q OUTPUT; put h m", {"name": "Q", "MaxQDepth": 1}), lead("put1 Q m", alias)) is None
    assert joined(lead("put1 Q m", {"name": "Q", "MaxQDepth": 1}), lead("put1 Q m", alias)) is None


def test_a_search_finds_the_meeting_of_two_areas() -> None:
    names = ("example/TRN-04", "example/USR-03")
    found = look(("TRN", "USR"), leads(sessions(CHECKS[name] for name in names)))
    assert found.found is not None
    assert {rule[:3] for rule in found.rules} == {"TRN", "USR"}
    assert "ALTERNATE_USER_AUTHORITY" in found.found.text
    assert look(("TRN", "ZOS"), {}).tries == 0
