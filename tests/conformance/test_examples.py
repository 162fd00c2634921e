"""The checks made from the examples of rules; every rule that calls can show has a check."""

from __future__ import annotations

import pytest

from conformance.checks.beyond_protocol import MISSING_REQUESTS
from conformance.checks.check import AT_THE_MQI, Check
from conformance.checks.examples import example_checks, histories, told_by_signals
from conformance.checks.rig import Rig
from conformance.checks.scenarios import as_scenario, parse_scenarios, write_scenarios
from conformance.checks.selection import all_checks, select
from conformance.sessions.session import History
from fixtures.miniatures import MINIATURES
from oracle.errors import UsageError
from oracle.examples.rule_examples import Example, examples_of, parse_examples
from oracle.histories.notation import write
from oracle.mqi.profile import PLATFORMS, PlatformName
from oracle.rules import catalogue
from oracle.serve import Server
from tests.conformance.conftest import ChoosingServer, rig_of


def the_check(check_id: str) -> Check:
    return next(check for check in example_checks() if check.id == check_id)


def observable(rule: catalogue.Rule) -> bool:
    return bool(set(rule.observed_by).intersection(AT_THE_MQI))


def test_every_rule_that_calls_can_show_has_a_check_or_lacks_a_request() -> None:
    decided = {rule for check in all_checks() for rule in check.rules}
    undecided = {rule.id for rule in catalogue.rules() if observable(rule)} - decided
    assert undecided <= set(MISSING_REQUESTS)


def test_a_rule_that_lacks_a_request_is_in_no_check() -> None:
    decided = {rule for check in all_checks() for rule in check.rules}
    assert decided.isdisjoint(MISSING_REQUESTS)
    assert {catalogue.rule(rule).id for rule in MISSING_REQUESTS} == set(MISSING_REQUESTS)


def test_an_example_becomes_a_check_of_its_rule() -> None:
    check = the_check("example/LCK-12")
    assert (check.area, check.kind, check.rules) == ("example", "scenario", ("LCK-12",))
    assert check.title == catalogue.rule("LCK-12").title
    assert {"browse", "lock"} <= set(check.features)
    assert check in select(all_checks(), ["LCK-12"])


def test_ids_are_unique_and_tell_a_second_example_of_a_rule() -> None:
    ids = [check.id for check in example_checks()]
    assert len(set(ids)) == len(ids)
    assert {"example/BRW-20", "example/BRW-20-2"} <= set(ids)


def test_only_rules_that_calls_show_have_a_check() -> None:
    assert all(observable(catalogue.rule(rule)) for check in example_checks() for rule in check.rules)
    assert all("SIG-13" not in check.rules for check in example_checks())


@pytest.mark.parametrize("platform", PLATFORMS)
def test_every_example_agrees_with_the_oracle_and_rests_on_its_rule(platform: PlatformName) -> None:
    found = {}
    for check in example_checks():
        if platform in check.platforms:
            rig = rig_of(lambda: Server(platform))
            session = check.perform(rig)
            if session is not None or not set(check.rules) <= rig.tally.rules.keys():
                found[check.id] = "vacuous" if session is None else session.departure
    assert found == {}


@pytest.mark.parametrize("platform", ["distributed", "zos"])
def test_no_example_accuses_a_target_that_uses_the_freedom_of_the_documents(platform: PlatformName) -> None:
    for check in example_checks():
        if platform in check.platforms:
            assert departs(check, rig_of(lambda: ChoosingServer(platform))) is False, check.id


def departs(check: Check, rig: Rig) -> bool:
    try:
        return check.perform(rig) is not None
    except UsageError:  # the choice left nothing to go on with
        return False


@pytest.mark.parametrize(
    ("miniature", "check_id"),
    [
        ("priority_ignored", "example/PRI-03"),
        ("lock_survives_unlock", "example/LCK-15"),
        ("cursor_moves_on_failed_browse", "example/BRW-09"),
    ],
)
def test_a_wrong_queue_manager_is_caught_by_the_example_of_the_rule(miniature: str, check_id: str) -> None:
    assert the_check(check_id).perform(rig_of(MINIATURES[miniature].server)) is not None


def example(steps: str) -> Example:
    (found,) = parse_examples(f"area: LCK\nexamples:\n  - rule: LCK-01\n{steps}", "test")
    return found


def test_the_line_that_departs_is_played_too_if_it_is_another_call() -> None:
    same = example("    given: h = open Q INPUT_SHARED\n    accepts: get h -> 2033\n    rejects: get h -> OK")
    other = example("    given: h = open Q INPUT_SHARED\n    accepts: get h -> 2033\n    rejects: close h -> 2019")
    assert [written(history) for history in histories(same)] == [["h = open Q INPUT_SHARED", "get h -> 2033"]]
    assert [written(history)[-1] for history in histories(other)] == ["get h -> 2033", "close h -> 2019"]


def written(history: History) -> list[str]:
    return [write(line) for line in history.lines]


def test_on_zos_the_syncpoint_option_is_named_and_a_queue_of_groups_has_its_index() -> None:
    (history,) = histories(examples_of("LOG-02")[0], "zos")
    assert history.setup.queues[0]["IndexType"] == "GROUP_ID"
    assert all("NO_SYNCPOINT" in text for text in written(history) if text.startswith(("put", "get")))
    (plain,) = histories(examples_of("LCK-02")[0], "zos")
    assert "IndexType" not in plain.setup.queues[0]
    assert "NO_SYNCPOINT" not in str([written(each) for each in histories(examples_of("SYN-06")[0], "zos")])
    assert "NO_SYNCPOINT" not in str([written(each) for each in histories(examples_of("LCK-02")[0])])


def test_an_example_that_a_scenario_plays_is_left_out() -> None:
    ids = {check.id for check in all_checks()}
    assert "inquire/current-values" in ids
    assert "example/INQ-03" not in ids


def test_what_only_a_signal_tells_is_no_check() -> None:
    assert told_by_signals(examples_of("SIG-05")[0])
    assert not told_by_signals(examples_of("SIG-06")[0])
    assert not told_by_signals(examples_of("QSC-05")[0])


def test_a_counterexample_of_an_example_can_be_written_as_a_scenario() -> None:
    check = the_check("example/PRI-03")
    session = check.perform(rig_of(MINIATURES["priority_ignored"].server))
    assert session is not None
    text = write_scenarios("found", [as_scenario(session.history, check, check.rules)])
    assert [scenario.id for scenario in parse_scenarios(text, "found.yaml")] == ["found/example-pri-03"]
