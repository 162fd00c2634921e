"""Continuing after a departure: what one deviation must not hide, and what cannot be followed."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from functools import cache
from typing import Any

import pytest

from conformance.checks.check import CheckResult
from conformance.checks.machines import CHECKS as MACHINES
from conformance.checks.scenarios import parse_scenarios
from conformance.checks.selection import all_checks, select
from conformance.results.document import results_of
from conformance.results.events import RunFinished
from conformance.running.runner import Runner
from conformance.running.worker import Options
from fixtures.miniatures import MINIATURES
from oracle.judging.deviations import Deviation
from oracle.judging.verdicts import Verdict
from oracle.serve import Server
from tests.conformance.conftest import play, target_of

START = "h = open Q INPUT_SHARED+OUTPUT+BROWSE"


class Changing:
    """A target with every reply to some verb changed."""

    def __init__(
        self, verb: str, change: Callable[[dict[str, Any]], None], make: Callable[[], Server] = Server
    ) -> None:
        self._verb, self._change, self._server = verb, change, make()

    def answer(self, line: str) -> dict[str, Any]:
        """Return the reply, changed if the verb is meant."""
        reply = self._server.answer(line)
        if json.loads(line).get("verb", "").startswith(self._verb) and reply.get("CompCode") == 0:
            self._change(reply)
        return reply


def changing(
    verb: str, change: Callable[[dict[str, Any]], None], make: Callable[[], Server] = Server
) -> Callable[[], Any]:
    """Return a function that makes a target with every reply to some verb changed."""
    return lambda: Changing(verb, change, make)


def of_puts(member: str, value: object, make: Callable[[], Server] = Server) -> Callable[[], Any]:
    """Return a target whose puts return a wrong member."""
    return changing("MQPUT", lambda reply: reply["MQMD"].update({member: value}), make)


def of_gets(member: str, value: object) -> Callable[[], Any]:
    """Return a target whose gets return a wrong member."""

    def change(reply: dict[str, Any]) -> None:
        if "MQMD" in reply:
            reply["MQMD"][member] = value

    return changing("MQGET", change)


def run(*patterns: str, make: Callable[[], Any] = Server, known: tuple[Deviation, ...] = ()) -> RunFinished:
    return Runner(target_of(make), Options(known=known)).run(select(all_checks(), patterns))


def verdicts(finished: RunFinished) -> dict[str, Verdict]:
    return {each.rule.id: each.verdict for each in finished.rules}


SOME = ("lock/*", "priority/*", "backout/*", "put-consistency/*", "wait/*")


@cache
def right() -> dict[str, Verdict]:
    """Return the verdicts of a target without a deviation."""
    return verdicts(run(*SOME))


@pytest.mark.parametrize(
    ("make", "blamed"),
    [
        (of_puts("Priority", 7), {"PRI-01", "PRI-02", "PRI-05", "PUT-14", "PUT-23", "PUT-27", "VIS-10"}),
        (of_puts("PutDate", "19700101"), {"PUT-24", "EXP-03"}),
        (of_gets("BackoutCount", 9), {"BOC-01", "BOC-02", "BOC-03", "BOC-04"}),
    ],
    ids=["Priority", "PutDate", "BackoutCount"],
)
def test_a_deviation_that_is_everywhere_changes_no_other_verdict(make: Callable[[], Any], blamed: set[str]) -> None:
    wrong = run(*SOME, make=make)
    changed = {rule for rule, verdict in verdicts(wrong).items() if verdict is not right().get(rule)}
    assert changed
    assert changed <= blamed
    assert not any(result.lost for result in wrong.results)


@pytest.mark.parametrize(
    ("miniature", "check", "rule"),
    [
        ("lock_survives_unlock", "lock/*", "LCK-15"),
        ("priority_ignored", "priority/*", "PRI-03"),
    ],
)
def test_a_defect_behind_one_that_is_everywhere_is_found_under_its_own_rule(
    miniature: str, check: str, rule: str
) -> None:
    alone = run(check, make=MINIATURES[miniature].server)
    both = run(check, make=of_puts("PutDate", "19700101", MINIATURES[miniature].server))
    assert verdicts(alone)[rule] is Verdict.VIOLATES
    assert verdicts(both)[rule] is Verdict.VIOLATES
    changed = {each for each, verdict in verdicts(both).items() if verdict is not verdicts(alone).get(each)}
    assert changed <= {"PUT-24", "EXP-03"}


def test_what_is_known_is_followed_through_to_the_next_layer() -> None:
    entry = Deviation(rule="PUT-24", target="*", observed="*", reason="so it is", review=date(2999, 1, 1))
    finished = run(
        "priority/*", make=of_puts("PutDate", "19700101", MINIATURES["priority_ignored"].server), known=(entry,)
    )
    told = [result for result in finished.results if result.departures]
    excused = [result for result in told if result.excused]
    assert excused
    assert excused != told
    assert {"PRI-03"} < {rule for result in told for rule in new(result)}
    assert not any("PUT-24" in new(result) for result in told)
    assert finished.known[0].checks == tuple(result.check.id for result in told)


def new(result: CheckResult) -> tuple[str, ...]:
    """Return the rules that a check shows to be broken by new departures."""
    return tuple(rule for each in result.departures if each.known is None for rule in each.rules)


def test_everything_that_is_wrong_with_a_reply_is_told_by_itself() -> None:
    def change(reply: dict[str, Any]) -> None:
        reply["DataLength"] += 1
        reply["MQMD"].update(BackoutCount=9, Persistence=1)

    session = play(f"{START}; put h m1; get h", changing("MQGET", change))
    told = [(met.departs, met.departure.rules[0]) for met in session.departures]
    assert told == [
        (("MQMD.Persistence",), "PER-02"),
        (("MQMD.BackoutCount",), "BOC-01"),
        (("DataLength",), "TRN-06"),
    ]
    assert not session.lost


def answering(comp_code: int, reason: int, verb: str, when: int) -> Callable[[], Any]:
    """Return a target that answers one call, counted from 1 among those of its verb, with other codes."""

    class Odd(Server):
        asked = 0

        def answer(self, line: str) -> dict[str, Any]:
            request = json.loads(line)
            self.asked += request.get("verb") == verb
            if request.get("verb") != verb or self.asked != when:
                return super().answer(line)
            reply = super().answer(line) if comp_code < 2 else {"seq": request["seq"]}
            return {**reply, "CompCode": comp_code, "Reason": reason}

    return Odd


@pytest.mark.parametrize(
    ("text", "make"),
    [
        (f"{START}; get h BROWSE_NEXT+MSG_UNDER_CURSOR; put h m1; get h", answering(2, 2045, "MQGET", 1)),
        (f"{START}; put h m1 Priority=11; get h", answering(0, 0, "MQPUT", 1)),
        (f"{START}; put h m1; get h", answering(1, 2110, "MQPUT", 1)),
        (f"{START}; put h m1; get h LOCK+BROWSE_FIRST; get h", answering(2, 2046, "MQGET", 1)),
    ],
    ids=["another reason", "a warning is missing", "a warning too many", "refused although it may be done"],
)
def test_other_codes_than_are_due_are_followed_where_their_effect_is_known(text: str, make: Callable[[], Any]) -> None:
    session = play(text, make)
    assert [met.departs for met in session.departures] == [("CompCode and Reason",)]
    assert not session.lost
    assert session.exchanges[-1].line.verb == "get"


@pytest.mark.parametrize(
    ("text", "make", "steps"),
    [
        (f"{START}; put h m1; get h; put h m2", answering(2, 2033, "MQGET", 1), 4),
        (f"{START}; get h BROWSE_FIRST+MSG_UNDER_CURSOR; put h m2", answering(0, 0, "MQGET", 1), 3),
        (f"{START}; g = open Q OUTPUT; put g m1; put h m2", answering(2, 2035, "MQOPEN", 2), 3),
    ],
    ids=["a message is missed", "it succeeds though it must not", "there is no handle to go on with"],
)
def test_what_nobody_can_follow_ends_the_check_and_says_so(text: str, make: Callable[[], Any], steps: int) -> None:
    session = play(text, make)
    assert len(session.departures) == 1
    assert session.lost
    assert len(session.exchanges) == steps


def test_another_message_than_was_due_is_followed_and_what_comes_next_is_judged() -> None:
    wrong = MINIATURES["priority_ignored"].server
    session = play(f"{START}; put h m1; put h m2 Priority=5; put h m3 Priority=4; get h; get h; get h; get h", wrong)
    assert [(met.step, met.departure.rules[0]) for met in session.departures] == [(5, "PRI-03")]
    assert not session.lost
    assert session.exchanges[-1].reply["Reason"] == 2033


TEXT = """
area: test
scenarios:
  - id: test/lost
    title: The rest cannot be judged
    rules: [UOW-02]
    steps: h = open Q INPUT_SHARED+OUTPUT; put h m0; get h; put h m1 SYNCPOINT; back
"""


def test_rules_behind_what_cannot_be_followed_are_undecided_with_the_reason() -> None:
    checks = [scenario.check() for scenario in parse_scenarios(TEXT, "test")]
    finished = Runner(target_of(answering(2, 2033, "MQGET", 1)), Options()).run(checks)
    rule = next(each for each in finished.rules if each.rule.id == "UOW-02")
    assert rule.verdict is Verdict.UNDECIDED
    assert "the steps after it cannot be judged: MQGET found nothing although message" in rule.missing
    seen = results_of(finished).checks[0]
    assert seen.lost
    assert [(each.verb, each.members, each.step) for each in seen.departures] == [
        ("MQGET", ("CompCode and Reason",), len(seen.departures[0].counterexample.calls) - 1)
    ]


def test_a_machine_goes_on_after_a_departure_and_finds_what_is_behind_it() -> None:
    machine = next(check for check in MACHINES if check.id == "machine/delivery")
    make = of_puts("PutDate", "19700101", MINIATURES["priority_ignored"].server)
    blamed = set()
    for seed in range(8):  # the four departures of a search depend on what it draws
        found = Runner(target_of(make), Options(seed=seed)).run([machine]).results[0]
        assert len({each.met.look for each in found.departures}) == len(found.departures)
        blamed |= set(found.blamed)
        if {"PUT-24", "PRI-03"} <= blamed:
            return
    raise AssertionError(blamed)


def test_a_machine_leaves_out_what_the_target_cannot_express() -> None:
    class WithoutPersistence(Server):
        def answer(self, line: str) -> dict[str, Any]:
            request = json.loads(line)
            lacks = "Persistence" in request.get("MQMD", {})
            return {"seq": request["seq"], "unsupported": "persistence"} if lacks else super().answer(line)

    machine = next(check for check in MACHINES if check.id == "machine/delivery")
    assert Runner(target_of(WithoutPersistence), Options()).run([machine]).results[0].verdict is Verdict.CONFORMS
