"""A rule conforms only by a check that fails where the rule is broken."""

from __future__ import annotations

import pytest

from bench.telling import checks_by_rule, text, told, told_by_yielding
from conformance.checks.check import Check
from conformance.checks.examples import plays_example_of
from conformance.checks.selection import all_checks, select
from conformance.results.telling import tells_of, untelling
from conformance.running.runner import Runner
from conformance.running.worker import Options
from fixtures.miniatures import MINIATURES
from oracle.judging.verdicts import Verdict
from tests.conformance.conftest import ClaimingServer, target_of

ABOUT = checks_by_rule()


def of_a_target_with(*features: str) -> dict[str, tuple[Verdict, str]]:
    """Return the verdicts on the rules of a right target that claims few features."""
    checks = [check for check in all_checks() if check.kind == "scenario"]
    finished = Runner(target_of(lambda: ClaimingServer({"features": features})), Options()).run(checks)
    return {each.rule.id: (each.verdict, each.missing) for each in finished.rules}


@pytest.mark.parametrize("features", [(), ("priority", "fifo")], ids=" ".join)
def test_what_nothing_could_have_broken_does_not_conform(features: tuple[str, ...]) -> None:
    verdicts = of_a_target_with(*features)
    for rule in ("EXP-07", "CAP-01", "TRN-06", "BOC-01", "LOG-06", "PER-01"):
        verdict, missing = verdicts[rule]
        assert verdict is Verdict.NOT_APPLICABLE, rule
        assert "does not claim" in missing
    for rule, (verdict, _) in verdicts.items():
        applied = {check.id for check in ABOUT[rule] if set(check.features) <= set(features)}
        assert verdict is not Verdict.CONFORMS or any(tells_of(check, rule) for check in applied), rule
    assert verdicts["PRI-03"][0] is (Verdict.CONFORMS if features else Verdict.NOT_APPLICABLE)


def test_a_rule_is_not_exercised_by_checks_that_only_rest_on_it() -> None:
    rule, resting = next(
        (rule, checks[0]) for rule, checks in untelling().items() if not checks[0].startswith("tables/")
    )
    finished = Runner(target_of(), Options()).run(select(all_checks(), [resting]))
    told_of = next(each for each in finished.rules if each.rule.id == rule)
    assert told_of.verdict is Verdict.UNDECIDED
    assert told_of.missing.startswith("the checks that ran would pass even if the rule were broken")


def test_a_check_says_nothing_of_rules_that_it_is_not_about() -> None:
    check = next(check for check in all_checks() if check.id == "lock/unlock-makes-the-message-visible")
    finished = Runner(target_of(), Options()).run([check])
    assert {each.rule.id for each in finished.rules} == set(check.rules)


def test_the_table_names_checks_that_there_are_and_leaves_every_rule_one() -> None:
    for rule, checks in untelling().items():
        about = {check.id for check in ABOUT[rule]}
        assert set(checks) < about, f"python -m bench.telling: {rule}"


@pytest.mark.parametrize("name", ["lock_survives_unlock", "priority_ignored", "wait_restarts"])
def test_a_check_that_fails_where_a_rule_is_broken_tells_of_it(name: str) -> None:
    for rule, checks in told([MINIATURES[name]], ABOUT).items():
        assert all(tells_of(check, rule) for check in checks)


def test_a_check_tells_of_what_a_call_breaks_that_succeeds_though_it_must_not() -> None:
    check = the("open-close/one-input-option")
    assert set(check.rules) & told_by_yielding(check) == set(check.rules)
    assert "TRN-08" not in told_by_yielding(the("delivery/an-empty-message"))


def test_what_was_not_seen_to_fail_is_told_only_beside_what_was() -> None:
    one, other = the("priority/by-priority"), the("priority/a-late-high-priority-overtakes")
    about = {"PRI-03": [one, other]}
    seen = plays_example_of("PRI-03")
    assert text({}, {"PRI-04": [the("priority/from-priority-to-fifo")]}).endswith("untelling: {}\n")
    assert (other.id in text({"PRI-03": {one.id}}, about)) == (other.id not in seen)


def the(name: str) -> Check:
    """Return a check by its id."""
    return next(check for check in all_checks() if check.id == name)
