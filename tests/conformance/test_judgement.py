"""The verdicts on rules from the results of checks."""

from __future__ import annotations

from dataclasses import replace

from conformance.checks.check import Check, CheckResult, Counterexample, Departed, blamed
from conformance.results.judgement import RuleResult, judge
from fixtures.miniatures import MINIATURES
from oracle.judging.verdicts import Verdict
from tests.conformance.conftest import play

SESSION = play(
    "h = open Q INPUT_SHARED+OUTPUT; put h m1; put h m2 Priority=5; get h", MINIATURES["priority_ignored"].server
)
assert SESSION.departure is not None
FOUND = Counterexample(SESSION.transcript, replace(SESSION.departure, rules=("PRI-03", "DLV-04")))


def result(
    verdict: Verdict, *rules: str, name: str = "area/one", exercised: str = "", missing: str = ""
) -> CheckResult:
    check = Check(name, "A title", "scenario", lambda rig: None, rules=rules)
    found = (Departed(FOUND, blamed(check, FOUND.departure)),) if verdict is Verdict.VIOLATES else ()
    return CheckResult(check, verdict, exercised=frozenset(exercised.split()), departures=found, missing=missing)


def judged(*results: CheckResult) -> dict[str, RuleResult]:
    return {each.rule.id: each for each in judge(results)}


def test_a_rule_that_a_conforming_check_rested_on_conforms() -> None:
    rule = judged(result(Verdict.CONFORMS, "PRI-03", exercised="PRI-03"))["PRI-03"]
    assert (rule.verdict, rule.checks) == (Verdict.CONFORMS, ("area/one",))


def test_a_rule_that_no_step_rested_on_is_undecided() -> None:
    rule = judged(result(Verdict.CONFORMS, "PRI-03", "EXP-09", exercised="PRI-03"))["EXP-09"]
    assert rule.verdict is Verdict.UNDECIDED
    assert rule.missing == "not exercised: no call reached the rule (area/one)"


def test_a_rule_that_a_counterexample_names_first_is_violated_though_others_conform() -> None:
    conforming = result(Verdict.CONFORMS, "PRI-03", exercised="PRI-03", name="area/two")
    rule = judged(result(Verdict.VIOLATES, "EXP-09"), conforming)["PRI-03"]
    assert (rule.verdict, rule.checks) == (Verdict.VIOLATES, ("area/one", "area/two"))


def test_a_tagged_rule_is_violated_if_the_counterexample_names_it_at_all() -> None:
    assert judged(result(Verdict.VIOLATES, "DLV-04"))["DLV-04"].verdict is Verdict.VIOLATES
    assert "DLV-04" not in judged(result(Verdict.VIOLATES, "EXP-09"))


def test_a_tagged_rule_is_undecided_if_its_check_departed_by_another_and_was_lost() -> None:
    lost = replace(result(Verdict.VIOLATES, "EXP-09", exercised="EXP-09"), lost="no handle 'h' is open")
    rule = judged(lost)["EXP-09"]
    assert rule.verdict is Verdict.UNDECIDED
    assert (
        "not tested: another rule failed first, PRI-03, and the steps after it cannot be judged: no handle 'h' is open"
        in rule.missing
    )


def test_a_tagged_rule_conforms_if_its_check_went_on_after_another_departure() -> None:
    rule = judged(result(Verdict.VIOLATES, "EXP-09", exercised="EXP-09"))["EXP-09"]
    assert rule.verdict is Verdict.CONFORMS


def test_a_rule_is_undecided_after_a_target_error_and_where_the_oracle_could_not_follow() -> None:
    rule = judged(result(Verdict.TARGET_ERROR, "EXP-09"), result(Verdict.UNDECIDED, "EXP-09", missing="too much"))[
        "EXP-09"
    ]
    assert rule.verdict is Verdict.UNDECIDED
    assert rule.missing == "not tested: the target failed (area/one); too much (area/one)"


def test_a_rule_is_not_applicable_only_if_all_its_checks_are() -> None:
    absent = result(Verdict.NOT_APPLICABLE, "EXP-09", missing="no expiry")
    assert judged(absent)["EXP-09"].verdict is Verdict.NOT_APPLICABLE
    assert judged(absent, result(Verdict.TARGET_ERROR, "EXP-09"))["EXP-09"].verdict is Verdict.UNDECIDED
    assert judged(absent, result(Verdict.CONFORMS, "EXP-09", exercised="EXP-09"))["EXP-09"].verdict is Verdict.CONFORMS


def test_rules_that_a_check_only_came_upon_are_not_claimed_to_conform() -> None:
    assert list(judged(result(Verdict.CONFORMS, "PRI-03", exercised="PRI-03 TYP-01 LOG-06"))) == ["PRI-03"]


def test_a_rule_does_not_conform_by_a_check_that_only_rests_on_it() -> None:
    resting = result(Verdict.CONFORMS, "TRN-08", name="delivery/an-empty-message", exercised="TRN-08")
    rule = judged(resting)["TRN-08"]
    assert rule.verdict is Verdict.UNDECIDED
    assert rule.missing.startswith("the checks that ran would pass")
    telling = result(Verdict.NOT_APPLICABLE, "TRN-08", missing="the target does not claim truncation")
    assert judged(resting, telling)["TRN-08"].verdict is Verdict.NOT_APPLICABLE
    through = result(Verdict.CONFORMS, "TRN-08", exercised="TRN-08")
    assert judged(resting, through)["TRN-08"].verdict is Verdict.CONFORMS


def test_rules_come_in_the_order_of_the_catalogue() -> None:
    assert list(judged(result(Verdict.CONFORMS, "PRI-03", "EXP-09", "LCK-02"))) == ["EXP-09", "LCK-02", "PRI-03"]


CHOICE = "which of the reasons that apply is returned"


def test_a_rule_to_which_the_target_lawfully_never_comes_is_undecided_by_its_choice() -> None:
    chosen = replace(result(Verdict.UNDECIDED, "EXP-09", missing="not exercised"), choices=(CHOICE,), by_choice=True)
    elsewhere = result(Verdict.CONFORMS, "EXP-09", "PRI-03", name="area/two", exercised="PRI-03")
    assert judged(chosen, elsewhere)["EXP-09"].by_choice
    assert judged(chosen, elsewhere)["EXP-09"].verdict is Verdict.UNDECIDED
    assert not judged(elsewhere)["EXP-09"].by_choice
    shown = result(Verdict.CONFORMS, "EXP-09", name="area/two", exercised="EXP-09")
    assert (judged(chosen, shown)["EXP-09"].verdict, judged(chosen, shown)["EXP-09"].by_choice) == (
        Verdict.CONFORMS,
        False,
    )


def test_a_check_that_goes_through_by_another_way_gives_the_choice_as_the_reason() -> None:
    through = replace(result(Verdict.CONFORMS, "EXP-09", "PRI-03", exercised="PRI-03"), choices=(CHOICE,))
    rule = judged(through)["EXP-09"]
    assert rule.by_choice
    assert f"the target made another choice that the documents allow: {CHOICE} (area/one)" in rule.missing


def test_what_is_undecided_for_other_reasons_too_is_not_undecided_by_choice() -> None:
    chosen = replace(result(Verdict.UNDECIDED, "EXP-09"), choices=(CHOICE,), by_choice=True)
    for verdict in (Verdict.UNDECIDED, Verdict.TARGET_ERROR, Verdict.VIOLATES):
        assert not judged(chosen, result(verdict, "EXP-09", name="area/two"))["EXP-09"].by_choice
