"""Long logs: connections that make no more calls, the memory of a trail, and time in which nothing happens."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.random_histories import draw
from oracle.errors import MqOracleError
from oracle.histories.history import Bindings, observed_of, with_connections
from oracle.histories.notation import parse
from oracle.judging import timeline
from oracle.model.queue_manager import outcomes
from oracle.model.state import State
from oracle.model.waiting.waiting import quietly_later
from oracle.mqi.calls import Advance, Alter, Call, Commit, Fail, Inquire, Open, Set
from oracle.mqi.constants import MQOO
from oracle.mqi.definitions import QueueDefinition
from oracle.mqi.profile import PlatformName
from oracle.protocol.setup import state_of_setup
from oracle.replay import Replayed, replay
from oracle.replay.silent import holds_nothing

Row = dict[str, Any]

HEADERS: tuple[Row, ...] = (
    {"header": "log", "version": 1, "clock_us": 0, "complete": True, "platform": "distributed"},
    {"header": "queue", "qmgr": "QM1", "queue": "Q", **QueueDefinition(name="Q").attributes()},
    {"header": "depth", "qmgr": "QM1", "queue": "Q", "at_us": 0, "depth": 0},
)


def opened(conn: str, at: int, options: int) -> list[Row]:
    """Return the records of a connection that opens Q and never ends."""
    common = {"qmgr": "QM1", "conn": conn, "comp_code": 0, "reason": 0}
    times = [{"start_us": at + each, "end_us": at + each} for each in (0, 5)]
    of_queue = {"queue": "Q", "object_name": "Q", "hobj": 2, "options": options}
    return [
        {**common, "seq": 1, "call": "MQCONN", **times[0]},
        {**common, "seq": 2, "call": "MQOPEN", **times[1], **of_queue},
    ]


def replayed(rows: list[Row]) -> list[Replayed]:
    """Return the steps of the replay of calls."""
    return list(replay("\n".join(json.dumps(row) for row in (*HEADERS, *rows)), "log.jsonl"))


SILENT = [row for number in range(300) for row in opened(f"C{number}", 1000 * number, int(MQOO.INPUT_SHARED))]


def test_a_replay_goes_on_beside_very_many_connections_that_never_ended() -> None:
    steps = replayed(SILENT)
    assert len(steps) == len(SILENT)
    assert not [step for step in steps if step.followed.departure]


def test_one_that_never_ended_may_no_longer_have_the_queue_open() -> None:
    steps = replayed([*SILENT[:6], *opened("X", 9000, int(MQOO.INPUT_EXCLUSIVE))])
    assert steps[-1].followed.departure is None


def test_one_that_calls_again_still_has_it_open() -> None:
    again = {**SILENT[1], "seq": 3, "start_us": 9900, "end_us": 9900, "options": int(MQOO.OUTPUT)}
    *_, last = replayed([*SILENT[:6], *opened("X", 9000, int(MQOO.INPUT_EXCLUSIVE)), again])
    assert last.followed.departure is not None


def after(history: str, platform: PlatformName = "distributed", **attributes: Any) -> State:
    """Return the state after a history on Q, in which each call has its first outcome."""
    setup = {"queues": [{"name": "Q", **attributes}, {"name": "I"}], "qmgr": {}}
    state, bindings = state_of_setup(setup, platform), Bindings()
    for number, line in enumerate(with_connections(parse(history)), start=1):
        call = bindings.call(line, number)
        outcome = next(outcomes(state, call))
        bindings.bind(line, call, observed_of(outcome.reply, {}))
        state = outcome.state
    return state


@pytest.mark.parametrize(
    "history",
    [
        "h = open Q BROWSE+INPUT_SHARED+OUTPUT; put h m1; get h BROWSE_FIRST",
        "h = open Q BROWSE+INPUT_SHARED+OUTPUT; put h m1 SYNCPOINT; cmit; get h WAIT WaitInterval=10",
        "h = open Q OUTPUT; put h m1; get h",
    ],
)
def test_a_connection_at_rest_holds_nothing(history: str) -> None:
    assert holds_nothing(after(history), "A")


TRIGGERS = {"TriggerControl": 1, "TriggerType": 2, "InitiationQName": "I", "ProcessName": "P"}


@pytest.mark.parametrize(
    ("history", "platform", "attributes"),
    [
        ("h = open Q BROWSE+OUTPUT; put h m1; get h BROWSE_FIRST+LOCK", "distributed", {}),
        ("h = open Q OUTPUT; put h m1 SYNCPOINT", "distributed", {}),
        ("h = open Q INPUT_SHARED; get h WAIT WaitInterval=10", "distributed", {}),
        ("h = open Q INPUT_SHARED; get h SET_SIGNAL WaitInterval=10", "zos", {}),
        ("h = open Q BROWSE+OUTPUT+CO_OP; put h m1; get h BROWSE_FIRST+MARK_BROWSE_CO_OP", "distributed", {}),
        ("h = open Q INPUT_EXCLUSIVE", "distributed", {}),
        ("h = open Q INPUT_SHARED", "distributed", TRIGGERS),
        ("h = open Q INPUT_SHARED", "distributed", {"Shareability": 0}),
    ],
)
def test_one_that_others_may_notice_holds_something(
    history: str, platform: PlatformName, attributes: dict[str, Any]
) -> None:
    assert not holds_nothing(after(history, platform, **attributes), "A")


def asks(call: Call) -> bool:
    """Return whether a call may notice handles that hold nothing: a log has no ALTER, and not what these ask."""
    exclusive = isinstance(call, Open) and call.options & (MQOO.INPUT_EXCLUSIVE | MQOO.INPUT_AS_Q_DEF)
    return bool(exclusive) or isinstance(call, (Alter, Inquire, Set))


def goes_on_alike(state: State, victim: str, calls: list[Call]) -> int:
    """Play calls of others with a connection and without it, compare all that is allowed, and return their number."""
    gone = next(outcomes(state, Fail(victim))).state
    played = 0
    for call in calls:
        if asks(call):
            break
        if getattr(call, "conn", None) == victim:
            continue
        try:
            possible, without = list(outcomes(state, call)), list(outcomes(gone, call))
        except MqOracleError:
            break
        assert [(each.reply, each.completed) for each in possible] == [(each.reply, each.completed) for each in without]
        state, gone, played = possible[0].state, without[0].state, played + 1
    return played


def played(seed: int) -> list[tuple[State, Call]]:
    """Return the calls of a random history, in which each call has its first outcome, with the states before them."""
    drawn = draw(Random(seed))
    state, bindings = state_of_setup(drawn.setup, drawn.platform), Bindings()
    found = []
    for number, line in enumerate(with_connections(parse(drawn.text, "history")), start=1):
        try:
            call = bindings.call(line, number)
            outcome = next(outcomes(state, call))
        except MqOracleError:
            break
        found.append((state, call))
        bindings.bind(line, call, observed_of(outcome.reply, {done.identity: done.reply for done in outcome.completed}))
        state = outcome.state
    return found


@settings(deadline=None, max_examples=150, database=None)
@given(st.integers(0, 10**9))
def test_what_holds_nothing_is_not_noticed(seed: int) -> None:
    history = played(seed)
    for place, (before, _) in enumerate(history):
        for victim in before.connections:
            if holds_nothing(before, victim):
                goes_on_alike(before, victim, [call for _, call in history[place:]])


@settings(deadline=None, max_examples=60, database=None)
@given(st.integers(0, 10**9), st.sampled_from((1, 900, 5000, 60_000)))
def test_time_in_which_nothing_happens_passes_as_an_advance_does(seed: int, milliseconds: int) -> None:
    for state, _ in played(seed):
        later = quietly_later(state, milliseconds)
        if later is not None:
            [outcome] = outcomes(state, Advance(milliseconds))
            assert outcome.state == later
            assert not outcome.rules


def test_a_trail_forgets_its_beginning_where_states_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline, "MOST_REMEMBERED", 100)
    state, trail = after("h = open Q OUTPUT"), timeline.Trail()
    for number in range(500):
        trail.add(Commit(str(number)), state, ())
    kept = [int(call.conn) for call, _, _ in trail.steps if isinstance(call, Commit)]
    assert kept == list(range(500 - len(kept), 500))
    assert 20 <= len(kept) <= 50  # each state has one connection and one handle
