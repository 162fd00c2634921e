"""Every sequence of calls up to a bound, over a small alphabet, keeps every invariant whatever the choices.

The alphabets hold two handles of two connections, two messages, lock, browse, units of work, expiry, a group of two.
The model is pure, so the sequences are a tree of states that share their beginnings.
"""

from __future__ import annotations

import pytest

from oracle.definitions import QueueDefinition, define
from oracle.errors import UsageError
from oracle.history import Bindings, observed_of, with_connections
from oracle.model.queue_manager import new_state, outcomes
from oracle.model.state import State
from oracle.notation import Line, parse, write
from tests.oracle.invariants import INVARIANTS, Taken

OPENED = "h = open Q BROWSE+INPUT_SHARED+OUTPUT+INQUIRE; g = B.open Q BROWSE+INPUT_SHARED"

LENGTH = 4

ALPHABETS = {
    "units of work and locks": ("", """
        put h m1; put h m2 SYNCPOINT Priority=5; get h SYNCPOINT; get g; get g BROWSE_NEXT+LOCK; get g UNLOCK;
        get g MSG_UNDER_CURSOR+SYNCPOINT; cmit; back; back B; inq h CurrentQDepth
    """),
    "a group being put": ("", """
        put h a1 LOGICAL_ORDER MsgFlags=MSG_IN_GROUP; put h a2 LOGICAL_ORDER MsgFlags=LAST_MSG_IN_GROUP;
        put h x SYNCPOINT; get g LOGICAL_ORDER MatchOptions=0; get g LOGICAL_ORDER+SYNCPOINT MatchOptions=0;
        get g MatchOptions=0; get g BROWSE_NEXT+LOGICAL_ORDER MatchOptions=0; get g ALL_MSGS_AVAILABLE; back B; cmit
    """),
    "a group that arrived out of order": ("""
        put h a3 MsgFlags=LAST_MSG_IN_GROUP GroupId=aa MsgSeqNumber=3; put h x
        put h a2 MsgFlags=MSG_IN_GROUP GroupId=aa MsgSeqNumber=2; put h a1 MsgFlags=MSG_IN_GROUP GroupId=aa
    """, """
        get g LOGICAL_ORDER MatchOptions=0; get g LOGICAL_ORDER+SYNCPOINT MatchOptions=0; get g MatchOptions=0;
        get h BROWSE_NEXT+LOGICAL_ORDER MatchOptions=0; get h BROWSE_FIRST; get h MSG_UNDER_CURSOR;
        get h ALL_MSGS_AVAILABLE+LOGICAL_ORDER MatchOptions=0; back B; cmit B
    """),
    "expiry and waits": ("", """
        put h m1 Expiry=20; put h m2; get g; get g WAIT WaitInterval=3000; get h BROWSE_FIRST+LOCK;
        get h MSG_UNDER_CURSOR; get h BROWSE_NEXT; advance 2s; advance 5s; inq h CurrentQDepth; close h
    """),
    "segments": ("", """
        put h s1 LOGICAL_ORDER MsgFlags=SEGMENT; put h s2 LOGICAL_ORDER MsgFlags=LAST_SEGMENT; get g COMPLETE_MSG;
        get g COMPLETE_MSG+SYNCPOINT; get g LOGICAL_ORDER MatchOptions=0; get g BROWSE_FIRST+COMPLETE_MSG+LOCK;
        get h ALL_SEGMENTS_AVAILABLE; back B; back
    """),
}  # fmt: skip
"""By name: what the histories begin with, and the calls of which they are made."""


def begun(text: str) -> tuple[State, Bindings]:
    """Return a queue manager with the two handles open, after some calls."""
    state, bindings = new_state([define(QueueDefinition, {"name": "Q"})]), Bindings()
    for line in with_connections(parse(f"{OPENED}\n{text}")):
        call = bindings.call(line, 0)
        outcome = next(outcomes(state, call))
        bindings.bind(line, call, observed_of(outcome.reply))
        state = outcome.state
    return state, bindings


def explore(state: State, bindings: Bindings, letters: tuple[Line, ...], depth: int, path: tuple[Line, ...]) -> int:
    """Take every call in every allowed way, and go on from each state reached; return how many steps that were."""
    if depth == 0:
        return 0
    steps = 0
    for line in letters:
        try:
            call = bindings.call(line, len(path) + 1)
        except UsageError:
            continue
        if (connection := state.connections.get(getattr(call, "conn", ""))) is not None and connection.waiting:
            continue
        for outcome in outcomes(state, call):
            steps += 1
            taken = Taken(state, call, outcome)
            check(taken, (*path, line))
            steps += explore(outcome.state, bindings, letters, depth - 1, (*path, line))
    return steps


def check(taken: Taken, path: tuple[Line, ...]) -> None:
    """Assert every invariant of a step; what is broken is told with the history that led to it."""
    for invariant in INVARIANTS:
        try:
            invariant(taken)
        except AssertionError as error:  # noqa: PERF203 - the history is worth it
            raise AssertionError(f"{invariant.__doc__} {'; '.join(map(write, path))}") from error


@pytest.mark.parametrize("name", ALPHABETS)
def test_every_short_history_keeps_every_invariant(name: str) -> None:
    beginning, letters = ALPHABETS[name]
    state, bindings = begun(beginning)
    assert explore(state, bindings, parse(letters), LENGTH, ()) > 1000
