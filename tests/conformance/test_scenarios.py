"""The scenarios, as files and as checks; each is compared with the oracle."""

from __future__ import annotations

from contextlib import suppress

import pytest

from conformance.checks.scenarios import Scenario, parse_scenarios, scenarios
from oracle.errors import BadInputError, UsageError
from oracle.histories.history import disagreement
from oracle.histories.notation import write
from oracle.mqi.profile import PlatformName
from oracle.protocol import parse_reply
from oracle.serve import Server
from tests.conformance.conftest import ChoosingServer, rig_of

GOOD = """
area: priority
scenarios:
  - id: priority/higher-first
    title: The higher priority comes first
    rules: [PRI-03]
    features: [priority]
    steps: |
      h = open Q INPUT_SHARED+OUTPUT
      put h m1
      put h m2 Priority=5
      get h -> m2
"""


def test_a_file_of_scenarios_becomes_checks() -> None:
    (scenario,) = parse_scenarios(GOOD, "good.yaml")
    check = scenario.check()
    assert (check.id, check.area, check.kind) == ("priority/higher-first", "priority", "scenario")
    assert (check.rules, check.features, check.platforms) == (
        ("PRI-03",),
        ("priority",),
        ("distributed", "zos", "ibmi"),
    )
    assert check.perform(rig_of()) is None


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("area: priority", "area: [priority"), "bad.yaml:3: not YAML"),
        (("area: priority", "area: match"), "priority/higher-first is in the file of area match"),
        (("title: The", "tilte: The"), "scenarios.0.title"),
        (("title: The", "author: me\n    title: The"), "scenarios.0.author"),
        (("[PRI-03]", "[]"), "scenarios.0.rules"),
        (("[PRI-03]", "[PRI-99]"), "no rule 'PRI-99'"),
        (("[priority]", "[flying]"), "scenarios.0.features.0"),
        (("higher-first", "Higher First"), "scenarios.0.id"),
        (("get h -> m2", "fetch h"), "scenario priority/higher-first:4: 'fetch h'"),
        (("features:", "queues: [{name: Q, MaxQDepth: many}]\n    features:"), "attribute MaxQDepth of Q"),
        (("features:", "qmgr: {MaxPriority: 12}\n    features:"), "attribute MaxPriority"),
        (("features:", "platforms: [os2]\n    features:"), "scenarios.0.platforms.0"),
    ],
)
def test_a_file_with_errors_is_refused_with_the_place(change: tuple[str, str], told: str) -> None:
    with pytest.raises(BadInputError) as caught:
        parse_scenarios(GOOD.replace(*change), "bad.yaml")
    assert told in str(caught.value)
    assert str(caught.value).startswith("bad.yaml")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "bad.yaml:1: the file is empty"),
        ("[]", "the file must have members by name"),
        ("area: x\nscenarios: []", "scenarios must have at least 1"),
        (GOOD + GOOD.partition("scenarios:")[2], "priority/higher-first is defined twice"),
    ],
)
def test_an_empty_file_or_a_scenario_defined_twice_is_refused(text: str, told: str) -> None:
    with pytest.raises(BadInputError, match=told):
        parse_scenarios(text, "bad.yaml")


def test_ids_are_unique_over_all_files() -> None:
    ids = [scenario.id for scenario in scenarios()]
    assert len(ids) > 100
    assert len(set(ids)) == len(ids)


def test_no_scenario_defines_a_local_queue_as_dynamic() -> None:
    """Only MQOPEN of a model makes a dynamic queue: the protocol gives a local one no other DefinitionType."""
    defined = [(each.id, queue) for each in scenarios() for queue in each.history().setup.queues]
    strange = [
        identity
        for identity, queue in defined
        if queue.get("type", "local") == "local" and queue.get("DefinitionType", "PREDEFINED") != "PREDEFINED"
    ]
    assert strange == []


def area_of(scenario: Scenario) -> str:
    return scenario.id.partition("/")[0]


def complaints(scenario: Scenario, platform: PlatformName) -> list[str]:
    """Return the outcomes of a scenario that the oracle contradicts."""
    session = rig_of(lambda: Server(platform)).play(scenario.history(platform))
    found = [] if session.departure is None else [f"departs: {session.departure.sentence}"]
    cited: set[str] = set()
    for exchange in session.exchanges:
        cited.update(exchange.followed.rules)
        difference = disagreement(exchange.line, parse_reply(exchange.reply), session.bindings)
        if difference is not None:
            found.append(f"{write(exchange.line)}: {difference}")
    return found + [f"no step rests on {rule}" for rule in scenario.rules if rule not in cited]


@pytest.mark.parametrize("platform", ["distributed", "zos", "ibmi"])
@pytest.mark.parametrize("area", sorted({area_of(scenario) for scenario in scenarios()}))
def test_every_scenario_agrees_with_the_oracle_and_rests_on_its_rules(area: str, platform: PlatformName) -> None:
    found = {
        scenario.id: said
        for scenario in scenarios()
        if area_of(scenario) == area and platform in scenario.platforms and (said := complaints(scenario, platform))
    }
    assert found == {}


@pytest.mark.parametrize("platform", ["distributed", "zos"])
def test_no_scenario_accuses_a_target_that_uses_the_freedom_of_the_documents(platform: PlatformName) -> None:
    rig = rig_of(lambda: ChoosingServer(platform))
    for scenario in scenarios():
        if platform in scenario.platforms:
            with suppress(UsageError):  # the choice left nothing to go on with
                assert rig.play(scenario.history()).departure is None, scenario.id


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("-> m2", "-> m1"), "get h -> m1: m1 was not returned"),
        (("[PRI-03]", "[PRI-03, EXP-09]"), "no step rests on EXP-09"),
    ],
)
def test_the_test_of_scenarios_sees_a_wrong_one(change: tuple[str, str], told: str) -> None:
    (scenario,) = parse_scenarios(GOOD.replace(*change), "bad.yaml")
    assert complaints(scenario, "distributed") == [told]
