"""The tables of meetings: they are played as far as the budget allows, and report no conforming queue manager."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest

from conformance.checks.check import Check
from conformance.checks.generated import meetings
from conformance.checks.generated.meetings import Table, TableFile, meetings_of, tables
from conformance.checks.rig import Budget
from conformance.sessions.session import Session
from oracle.errors import BadInputError
from oracle.mqi.profile import PLATFORMS, PlatformName
from oracle.protocol import FEATURES
from oracle.serve import Server
from oracle.text.yaml_files import parse_yaml
from tests.conformance.conftest import ChoosingServer, ClaimingServer, rig_of

CHECKS = tuple(meetings.checks())
PART = {"distributed": len(CHECKS), "zos": 40, "ibmi": 40}
"""The fraction of the checks that the model is tried with, by platform: all on one, a sample on the others."""

SMALL = """
tables:
  - name: small
    title: Something that meets
    queues: [{name: Q}]
    steps: |
      h = open Q INPUT_SHARED+OUTPUT
      {what}
      {see.before}
      put h m1 NO_SYNCPOINT
      {see.after}
    ways:
      what:
        nothing: ''
        full: {text: put h m0 NO_SYNCPOINT, rules: [DEP-06], queues: [{name: Q, MaxQDepth: 1}, {name: R}]}
      see:
        once: {before: inq h CurrentQDepth, after: get h NO_SYNCPOINT}
        never: {qmgr: {MaxPriority: 5}}
        later: {after: advance 5s; get h NO_SYNCPOINT}
      end: {one: '', other: ''}
"""


def small() -> Table:
    """Return a table with two ways, three ways and two."""
    (table,) = parse_yaml(SMALL, "small.yaml", TableFile).tables
    return table


def sample(platform: PlatformName) -> list[Check]:
    """Return the checks that are tried on a platform."""
    there = [check for check in CHECKS if platform in check.platforms]
    return Random(3).sample(there, min(len(there), PART[platform]))


def test_a_way_fills_its_place_in_two_parts_and_brings_what_it_needs() -> None:
    history = small().history(("full", "once", "one"))
    assert [line.verb for line in history.lines] == ["open", "put", "inq", "put", "get"]
    assert history.setup.queues == ({"name": "Q", "MaxQDepth": 1}, {"name": "R"})
    assert small().history(("nothing", "never", "one")).setup.qmgr == {"MaxPriority": 5}


def test_quick_lets_every_way_meet_each_way_of_the_first_place() -> None:
    chosen = small().chosen(Budget.QUICK)
    for first in ("nothing", "full"):
        for place, ways in enumerate((("once", "never", "later"), ("one", "other")), start=1):
            assert {each[place] for each in chosen if each[0] == first} == set(ways)
    assert len(chosen) == 6


def test_standard_lets_any_two_others_meet_it_together_and_deep_plays_all() -> None:
    standard = small().chosen(Budget.STANDARD)
    for first in ("nothing", "full"):
        assert {each[1:] for each in standard if each[0] == first} == {
            (one, other) for one in ("once", "never", "later") for other in ("one", "other")
        }
    assert len(small().chosen(Budget.DEEP)) == 12


@pytest.mark.parametrize("table", tables(), ids=lambda table: table.name)
def test_standard_covers_every_two_ways_of_a_table(table: Table) -> None:
    others = list(table.ways.values())[1:]
    first = next(iter(next(iter(table.ways.values()))))
    played = [each[1:] for each in table.chosen(Budget.STANDARD) if each[0] == first]
    for one, other in combinations(range(len(others)), 2):
        wanted = {(a, b) for a in others[one] for b in others[other]}
        assert {(each[one], each[other]) for each in played} == wanted


def test_a_history_that_is_not_of_the_notation_is_told_with_its_ways() -> None:
    table = small().model_copy(update={"steps": "fetch {what}"})
    with pytest.raises(BadInputError, match=r"meetings/small: nothing, once, one:1"):
        table.history(("nothing", "once", "one"))


@pytest.mark.parametrize("table", tables(), ids=lambda table: table.name)
def test_every_place_of_a_table_is_filled(table: Table) -> None:
    for chosen in table.chosen(Budget.QUICK):
        assert "{" not in "".join(str(line) for line in table.history(chosen).lines)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_oracle_agrees_with_every_meeting_and_each_rests_on_its_rules(platform: PlatformName) -> None:
    found = {}
    for check in sample(platform):
        rig = rig_of(lambda: ClaimingServer({"features": list(FEATURES)}, platform))
        session = check.perform(rig)
        missing = set(check.rules) - rig.tally.rules.keys()
        if session is not None or missing:
            found[check.id] = missing if session is None else session.departure
    assert found == {}


@pytest.mark.parametrize("platform", PLATFORMS)
def test_no_meeting_accuses_a_target_that_uses_the_freedom_of_the_documents(platform: PlatformName) -> None:
    for check in Random(4).sample(sample(platform), 40):
        assert check.perform(rig_of(lambda: ChoosingServer(platform))) is None, check.id


def test_a_target_without_a_feature_is_not_told_of_it() -> None:
    (check,) = (each for each in CHECKS if each.id == "meetings/lock-ends-by-unlock")
    table = next(each for each in tables() if each.name == "lock-ends")
    playable = [each for each in meetings_of(table, "by-unlock", Budget.QUICK) if "wait" not in each.features]
    features = [feature for feature in FEATURES if feature != "wait"]
    rig = rig_of(lambda: ClaimingServer({"features": features}, "distributed"))
    kept: list[Session] = []
    rig.keep = kept.append
    assert check.perform(rig) is None
    rig.finish()
    assert 0 < len(kept) == len(playable)


def test_a_departure_is_returned() -> None:
    (check,) = (each for each in CHECKS if each.id == "meetings/unit-ends-by-commit")

    class Forgetful(Server):
        """A server whose commits are backouts."""

        def answer(self, line: str) -> dict[str, object]:
            return super().answer(line.replace("MQCMIT", "MQBACK"))

    session = check.perform(rig_of(Forgetful))
    assert session is not None
    assert session.departure is not None
