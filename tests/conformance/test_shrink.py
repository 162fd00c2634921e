"""Shrinking: how short counterexamples get, and that they still show the same defect."""

from __future__ import annotations

import pytest

from conformance.checks.rig import Rig
from conformance.sessions.session import History, Session, Setup, Sighting
from conformance.sessions.shrink import Shrinker
from fixtures.miniatures import MINIATURES
from oracle.errors import MqOracleError
from oracle.histories.notation import parse, write
from tests.conformance.conftest import rig_of

TWO_QUEUES = Setup(queues=({"name": "Q", "MaxQDepth": 9}, {"name": "F", "MsgDeliverySequence": "FIFO"}))

LONG_WAYS = {
    "priority_ignored": """
        f = B.open F OUTPUT
        put f m0 Priority=3
        h = open Q INPUT_SHARED+OUTPUT+INQUIRE
        put h m1 Priority=1 Persistence=1 SYNCPOINT
        put h m2 Priority=5 Expiry=50
        inq h CurrentQDepth
        cmit
        g = C.open Q INPUT_SHARED+BROWSE
        get g WAIT+NO_SYNCPOINT WaitInterval=1000
        close g
    """,
    "lock_survives_unlock": """
        h = open Q BROWSE+INPUT_SHARED+OUTPUT
        g = B.open Q INPUT_SHARED
        put h m1 Priority=1
        put1 F m2
        get h BROWSE_FIRST+LOCK
        get g
        get h UNLOCK
        advance 3s
        get g SYNCPOINT
        back B
    """,
    "wait_restarts": """
        h = open Q INPUT_SHARED+BROWSE
        w = get h WAIT WaitInterval=5000 CorrelId=c1
        g = B.open F OUTPUT
        advance 3s
        put g m1 Priority=2
        advance 3s
    """,
}
SHORTEST = {
    "priority_ignored": ["conn", "open", "put", "put", "get"],
    "lock_survives_unlock": ["conn", "open", "put", "get", "get", "get"],
    "wait_restarts": ["conn", "open", "get", "advance", "conn", "open", "put", "advance"],
}


def shrunk(session: Session, rig: Rig, runs: int = 500) -> tuple[Sighting, int]:
    """Shrink a session, and say how many runs that took."""
    played = 0

    def play(history: History) -> Session | None:
        nonlocal played
        played += 1
        try:
            return rig.play(history)
        except MqOracleError:
            return None

    return Shrinker(play, session.sightings[0], runs).shrink(), played


def departed(name: str) -> tuple[Session, Rig]:
    rig = rig_of(MINIATURES[name].server)
    session = rig.play(History(TWO_QUEUES, parse(LONG_WAYS[name])))
    assert session.departure is not None
    return session, rig


@pytest.mark.parametrize("name", LONG_WAYS)
def test_counterexamples_come_down_to_very_few_calls(name: str) -> None:
    session, rig = departed(name)
    best, _ = shrunk(session, rig)
    assert sorted(exchange.line.verb for exchange in best.transcript.exchanges) == sorted(SHORTEST[name])


@pytest.mark.parametrize("name", ["priority_ignored", "lock_survives_unlock"])
def test_nothing_is_left_that_the_defect_does_not_need(name: str) -> None:
    session, rig = departed(name)
    best, _ = shrunk(session, rig)
    assert best.history.setup == Setup()
    assert not any("Expiry" in write(line) or "WAIT" in write(line) for line in best.history.lines)


@pytest.mark.parametrize("name", LONG_WAYS)
def test_what_is_left_shows_the_same_defect_again(name: str) -> None:
    session, rig = departed(name)
    assert session.departure is not None
    best, _ = shrunk(session, rig)
    again = rig.play(best.history)
    assert again.departure is not None
    assert set(again.departure.rules[:3]) & set(session.departure.rules[:3])


@pytest.mark.parametrize("runs", [0, 1, 7])
def test_the_work_is_bounded(runs: int) -> None:
    session, rig = departed("priority_ignored")
    best, played = shrunk(session, rig, runs)
    assert played <= runs
    assert best.departure is not None


def test_what_cannot_be_played_again_stays_as_it_was() -> None:
    session, _ = departed("priority_ignored")
    sighting = session.sightings[0]
    assert Shrinker(lambda history: None, sighting, 500).shrink() is sighting
