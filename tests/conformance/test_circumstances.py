"""Histories of other checks under other circumstances."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from random import Random

import pytest

from bench.circumstances import ConditionalMutant, Recorder, Talk, fewest, text_of
from bench.moments import CONDITIONS, Moment, conditions_at
from bench.mutants import Mutant
from conformance.checks.circumstances import CIRCUMSTANCES
from conformance.checks.generated import circumstances
from conformance.checks.generated.circumstances import Given, chosen, histories, played
from conformance.checks.rig import Budget
from conformance.running.worker import Options, Worker
from conformance.sensitivity.patches import Patch
from conformance.sessions.dialogue import Dialogue
from conformance.sessions.session import History, Session, Setup
from conformance.targets import InProcessTarget
from oracle.histories.notation import parse, write
from oracle.judging.follow import TooManyStatesError
from oracle.judging.verdicts import Verdict
from oracle.mqi.profile import PLATFORMS, PlatformName
from oracle.serve import Server
from oracle.text.yaml_files import parse_yaml

CHECKS = {check.id: check for check in circumstances.checks()}
SAMPLE = 12
"""The number of histories that are tried under each circumstance."""


def sample(name: str, platform: PlatformName = "distributed") -> Iterator[tuple[Given, Given]]:
    """Yield some histories, always the same, in their original form and under a circumstance."""
    found = ((each, each.under((name,))) for each in Random(name).sample(list(histories(platform).values()), 200))
    changed = [(each, other) for each, other in found if other is not None]
    yield from changed[:SAMPLE]


def written(steps: str, name: str, *queues: str) -> list[str]:
    """Return the lines of a history under a circumstance."""
    setup = Setup(tuple({"name": queue} for queue in queues or ("Q",)))
    changed = CIRCUMSTANCES[name].of(History(setup, parse(steps)))
    assert changed is not None
    return [write(line) for line in changed.lines]


STEPS = "h = open Q INPUT_SHARED+OUTPUT; put h m1 NO_SYNCPOINT; get h NO_SYNCPOINT"


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("alias", ["h = open Q.ALIAS INPUT_SHARED+OUTPUT", "put h m1 NO_SYNCPOINT", "get h NO_SYNCPOINT"]),
        (
            "put-during-wait",
            [
                "h = open Q INPUT_SHARED+OUTPUT",
                "h_of_p = P.open Q INPUT_SHARED+OUTPUT",
                "get h WAIT+NO_SYNCPOINT WaitInterval=1000",
                "put h_of_p m1 NO_SYNCPOINT",
            ],
        ),
        (
            "unit-each",
            ["h = open Q INPUT_SHARED+OUTPUT", "put h m1 SYNCPOINT", "cmit", "get h SYNCPOINT", "cmit"],
        ),
        (
            "backed-out-before",
            [
                "h = open Q INPUT_SHARED+OUTPUT",
                "put h m1 NO_SYNCPOINT",
                "get h SYNCPOINT",
                "back",
                "get h NO_SYNCPOINT",
            ],
        ),
        (
            "two-connections",
            [
                "h = open Q INPUT_SHARED+OUTPUT",
                "h_2 = A2.open Q INPUT_SHARED+OUTPUT",
                "put h m1 NO_SYNCPOINT",
                "get h_2 NO_SYNCPOINT",
            ],
        ),
        (
            "segments",
            [
                "h = open Q INPUT_SHARED+OUTPUT",
                "put h m1 NO_SYNCPOINT+LOGICAL_ORDER MsgFlags=SEGMENT",
                "put h m1b NO_SYNCPOINT+LOGICAL_ORDER MsgFlags=LAST_SEGMENT",
                "get h NO_SYNCPOINT",
            ],
        ),
    ],
)
def test_a_circumstance_changes_a_history(name: str, lines: list[str]) -> None:
    assert written(STEPS, name) == lines


@pytest.mark.parametrize("name", CIRCUMSTANCES)
def test_what_a_circumstance_makes_is_of_the_notation_and_another_history(name: str) -> None:
    found = list(sample(name))
    assert len(found) > 5
    for given, changed in found:
        assert changed.history != given.history
        assert changed.features >= given.features
        for line in changed.history.lines:
            assert parse(write(line)) == (line,)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_model_agrees_with_itself_under_every_circumstance(platform: PlatformName) -> None:
    dialogue = Dialogue(InProcessTarget("model", lambda: Server(platform)))
    for name in CIRCUMSTANCES:
        for given, changed in sample(name, platform):
            session = Session(dialogue, changed.history.setup)
            with suppress(TooManyStatesError):  # the check leaves it at that, too
                circumstances.play(session, given.history, changed.history)
            assert session.departures == [], (name, [write(line) for line in changed.history.lines])


def test_what_is_chosen_is_there_and_changed_on_some_platform() -> None:
    for names, sources in chosen().items():
        for source in sources:
            given = next(every[source] for platform in PLATFORMS if source in (every := histories(platform)))
            assert given.under(names) is not None, (names, source)


def test_greater_budgets_play_more_of_the_same() -> None:
    for name in list(CIRCUMSTANCES)[::9]:
        quick, standard, deep = (list(played(name, budget, "distributed")) for budget in Budget)
        assert len(quick) < len(standard) < len(deep)
        assert all(each in standard for each in quick)
        assert all(each in deep for each in standard)


def test_a_target_without_a_feature_is_not_judged_by_a_history_that_needs_it() -> None:
    class Plain(Server):
        def answer(self, line: str) -> dict[str, object]:
            reply = super().answer(line)
            if "features" in reply:
                reply["features"] = ["browse", "inquire", "syncpoint", "match"]
            elif json.loads(line).get("verb") == "MQPUT":
                assert json.loads(line)["MQMD"].get("Persistence", 2) == 2, "persistence is not claimed"
            return reply

    check = next(check for name, check in CHECKS.items() if name.endswith("/persistent"))
    result = Worker(InProcessTarget("plain", Plain), Options()).perform(check)
    assert (result.verdict, result.steps) == (Verdict.NOT_APPLICABLE, 0)


SETUP = Setup(({"name": "Q", "MaxQDepth": 2}, {"name": "A", "type": "alias", "target": "Q"}))


def moment(steps: str) -> Moment:
    """Return the last call of a history, and the state before it."""
    session = Session(Dialogue(InProcessTarget("model", Server)), SETUP)
    *before, last = parse("conn; " + steps)
    for line in before:
        session.play(line)
    return Moment(session.state, session.bindings.call(last, 0))


@pytest.mark.parametrize(
    ("steps", "met"),
    [
        ("h = open A OUTPUT; put h m1", {"an alias is used", "nothing is there"}),
        ("put1 Q m1 Persistence=1; put1 Q m2 SYNCPOINT", {"the put is an MQPUT1", "something is persistent"}),
        ("h = open Q INPUT_SHARED+BROWSE; put1 Q m1; get h BROWSE_FIRST; get h WAIT", {"the cursor stands somewhere"}),
        ("put1 Q m1 SYNCPOINT; cmit", {"the unit of work has a put", "one message is there"}),
        ("put1 Q m1 Expiry=10 NO_SYNCPOINT; advance 2s; cmit", {"something has expired", "time has passed"}),
    ],
)
def test_conditions_are_what_is_so_when_a_call_is_made(steps: str, met: set[str]) -> None:
    assert met <= set(conditions_at(moment(steps)))


def test_no_condition_is_always_so_or_never() -> None:
    seen = [set(conditions_at(moment(steps))) for steps in ("cmit", "h = open Q INPUT_SHARED+OUTPUT; get h WAIT")]
    assert seen[0] & seen[1] < set(CONDITIONS)
    assert seen[0] != seen[1]


def talk_of(steps: str) -> Talk:
    """Return the dialogue of a history."""
    server = Recorder()
    session = Session(Dialogue(InProcessTarget("model", lambda: server)), SETUP)
    for line in parse("conn; " + steps):
        session.play(line)
    (found,) = server.talks(("alias",), "some")
    return found


NEVER_FULL = Patch("oracle.model.limits.depth:is_full", "current_depth(step, queue) < most", "True")


@pytest.mark.parametrize(("queue", "wrong"), [("A", True), ("Q", False)])
def test_a_mutant_is_wrong_only_where_its_condition_is_met(queue: str, wrong: bool) -> None:
    mutant = ConditionalMutant(Mutant(NEVER_FULL, "", "", frozenset()), "an alias is used")
    talk = talk_of(f"h = open {queue} OUTPUT; put h m1; put h m2; put h m3")
    requests = mutant.requests(talk)
    assert bool(requests) == wrong
    assert mutant.is_noticed(talk, requests) == wrong


def test_a_reply_that_the_model_also_allows_shows_nothing_wrong() -> None:
    first = Patch("oracle.model.objects.attributes:_inquire_definition", "(True, False)", "(False, True)")
    mutant = ConditionalMutant(Mutant(first, "", "", frozenset()), "an alias is used")
    talk = talk_of("h = open A INQUIRE; inq h CurrentQDepth")
    assert mutant.requests(talk)
    assert not mutant.is_noticed(talk, mutant.requests(talk))


def test_the_fewest_histories_notice_everything() -> None:
    one, other, third = (("alias",), "a/1"), (("alias", "waiting"), "a/2"), (("waiting",), "a/3")
    assert fewest([[one, other], [other], [other, third], [third]]) == [other, third]
    text = text_of([third, other])
    assert parse_yaml(text, "chosen", circumstances.ChosenFile).chosen == {
        "alias+waiting": ("a/2",),
        "waiting": ("a/3",),
    }
