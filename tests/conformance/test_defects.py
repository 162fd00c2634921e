"""Departures under headings: subject and best rule separate defects, not a rule that two share."""

from __future__ import annotations

from conformance.checks.check import Counterexample
from conformance.results.defects import Defect, defects_of
from conformance.results.document import CheckSeen, CounterexampleSeen, SubjectSeen
from conformance.sessions.subjects import MESSAGE, REASON, WAIT, subject_of
from oracle.judging.verdicts import Verdict
from tests.conformance.test_texts import on_a_stranger

_MUST_FAIL = "FAILED 2046 OPTIONS_ERROR"


def check(
    name: str,
    rule: str,
    what: str = MESSAGE,
    *,
    own: tuple[str, ...] = (),
    said: tuple[str, ...] = (),
    calls: int = 5,
    **changed: str,
) -> CheckSeen:
    """Return a check that departs by a rule, in a subject, and is about some rules."""
    subject = {"verb": "MQGET", "allowed": "no message", "observed": "a message", "cause": "", **changed}
    found = CounterexampleSeen(
        requests=({},) * calls,
        expected="",
        observed="",
        explanation="",
        calls=("get h",) * calls,
        rules=(*own, rule),
        subject=SubjectSeen(what=what, rule=rule, said=said, text=f"{what} departs", **subject),
    )
    return CheckSeen(
        id=name, rules=own or (rule,), verdict=Verdict.VIOLATES, steps=1, seconds=0.0, counterexample=found
    )


def under(*checks: CheckSeen) -> list[tuple[str, int]]:
    return [(defect.rule, defect.checks) for defect in defects_of(checks)]


def test_what_departs_by_the_same_rule_is_one_defect_and_the_commonest_comes_first() -> None:
    assert under(check("a", "VIS-01"), check("b", "LCK-16"), check("c", "LCK-16")) == [("LCK-16", 2), ("VIS-01", 1)]


def test_a_rule_that_two_departures_share_does_not_bring_them_together() -> None:
    one = check("a", "VIS-01", own=("DLV-01",))
    other = check("b", "LCK-16", own=("DLV-01",))
    assert under(one, other) == [("LCK-16", 1), ("VIS-01", 1)]


def test_the_same_rule_in_another_member_or_call_is_another_defect() -> None:
    assert len(under(check("a", "PRI-02", "MQMD.Priority"), check("b", "PRI-02"))) == 2
    assert len(under(check("a", "PRI-02"), check("b", "PRI-02", verb="MQINQ"))) == 2
    assert len(under(check("a", "PRI-02", verb="MQPUT1"), check("b", "PRI-02", verb="MQPUT"))) == 1


def test_what_the_end_of_a_unit_of_work_has_done_stands_apart() -> None:
    one, other = check("a", "SYN-03", cause="MQBACK"), check("b", "SYN-03", cause="fail")
    assert len(under(one, other)) == 2


def test_many_rules_for_one_reason_are_one_defect_and_few_are_not() -> None:
    rules = ("OPT-08", "OPT-09", "OPT-12", "OPT-13", "OPT-25")
    checks = [check(rule, rule, REASON, allowed=_MUST_FAIL, observed="OK 0 NONE") for rule in rules]
    assert under(*checks) == [("OPT-08", 5)]
    (defect,) = defects_of(checks)
    assert "and 4 more rules" in defect.title
    assert set(defect.others) == set(rules[1:])
    assert len(under(*checks[:4])) == 4


def test_many_rules_for_messages_stay_apart() -> None:
    assert len(under(*(check(rule, rule) for rule in ("VIS-01", "LCK-16", "EXP-09", "MTC-05", "CUR-05")))) == 5


def plain_and_special() -> tuple[CheckSeen, CheckSeen]:
    plain = check("plain", "EXP-09", own=("EXP-09",), calls=3)
    return plain, check("special", "EXP-28", own=("EXP-28",), said=("EXP-09", "EXP-28"))


def test_a_general_rule_whose_own_check_departs_explains_its_special_case() -> None:
    plain, special = plain_and_special()
    assert under(plain, special) == [("EXP-09", 2)]
    (defect,) = defects_of((plain, special))
    assert list(defect.others) == ["EXP-28"]


def test_a_special_case_is_the_defect_where_the_general_rule_is_kept() -> None:
    _, special = plain_and_special()
    elsewhere = check("elsewhere", "EXP-09", "MQMD.Expiry", own=("EXP-09",), calls=3)
    assert ("EXP-28", 1) in under(special)
    assert ("EXP-28", 1) in under(special, elsewhere)


def test_the_shortest_of_those_about_the_rule_itself_is_shown() -> None:
    short = check("short", "LCK-16", own=("BRW-01",), calls=3)
    about = check("about", "LCK-16", own=("LCK-16",), calls=6)
    (defect,) = defects_of((short, about))
    assert defect.check == "about"


def test_a_document_of_before_has_its_departures_by_rule_and_way() -> None:
    def old(name: str, way: str) -> CheckSeen:
        seen = check(name, "VIS-01")
        assert seen.counterexample is not None
        return seen.model_copy(
            update={"counterexample": seen.counterexample.model_copy(update={"subject": None, "way": way})}
        )

    assert len(under(old("a", "OK 0 NONE"), old("b", "FAILED 2033"))) == 2
    (defect,) = defects_of((old("a", "OK 0 NONE"), old("b", "OK 0 NONE")))
    assert isinstance(defect, Defect)
    assert defect.what == "OK 0 NONE"


def told(found: Counterexample) -> tuple[str, str]:
    subject = subject_of(found.departure)
    return subject.what, str(subject)


def test_the_subject_says_what_departs() -> None:
    assert told(on_a_stranger("put h low Priority=1; put h high Priority=5; get h"))[1] == (
        "MQGET returned a message, but another one is due"
    )
    assert told(on_a_stranger("put h m Priority=1; get h SYNCPOINT; back; get h"))[1] == (
        "MQGET found nothing although a message is available"
    )
    assert told(on_a_stranger("put h m Priority=1; get h CorrelId=c1")) == (
        MESSAGE,
        "MQGET returned a message that it must not return",
    )
    assert told(on_a_stranger("put h m; get h")) == (
        "MQMD.Priority",
        "MQGET: expected MQMD.Priority to be 0, got -1",
    )
    assert told(on_a_stranger("put h m Priority=1; get h LOCK")) == (
        REASON,
        "MQGET: expected MQCC_FAILED 2046 MQRC_OPTIONS_ERROR, got MQCC_OK 0",
    )
    waiting = "g = B.open Q INPUT_SHARED; w = get g WAIT WaitInterval=-1 CorrelId=c1; put h m Priority=1"
    assert told(on_a_stranger(waiting)) == (WAIT, "MQPUT ended the wait of an MQGET that must go on waiting")


def test_an_output_of_a_get_that_waited_is_told_of_the_get() -> None:
    found = on_a_stranger("g = B.open Q INPUT_SHARED; w = get g WAIT WaitInterval=-1; put h m")
    assert told(found) == ("MQMD.Priority", "MQGET: expected MQMD.Priority to be 0, got -1")
