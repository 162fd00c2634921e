"""Every sequence of calls up to a bound, over small alphabets, keeps every invariant whatever the choices.

The alphabets hold two handles of two connections, two messages, lock, browse, units of work, expiry, a group of two.
The model is pure: what can follow depends on the state alone. So a state that several histories reach is continued
once, from where the fewest calls led to it, and "every history of six calls" takes thousands of steps, not millions.

The bounds are beside the alphabets, four or five calls, and take some ten seconds. MORE_CALLS=1 in the environment
makes each longer by one call, which takes about a minute on one core: tox does so. MORE_CALLS=2 takes some eight.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

import pytest

from oracle.errors import UsageError
from oracle.histories.history import Bindings, observed_of, with_connections
from oracle.histories.notation import Line, parse, write
from oracle.model.queue_manager import new_state, outcomes
from oracle.model.state import State
from oracle.mqi.definitions import QueueDefinition, define
from oracle.mqi.profile import PlatformName, Profile
from tests.oracle.invariants import INVARIANTS, Taken

OPENED = "h = open Q BROWSE+INPUT_SHARED+OUTPUT+INQUIRE; g = B.open Q BROWSE+INPUT_SHARED+CO_OP"

MORE_CALLS = int(os.environ.get("MORE_CALLS", "0"))

ALPHABETS = {
    "a little of everything": ((4, 3), "", """
        put h m1 Expiry=20; put h m2 SYNCPOINT Priority=5; put h a1 LOGICAL_ORDER MsgFlags=MSG_IN_GROUP;
        put h a2 LOGICAL_ORDER MsgFlags=LAST_MSG_IN_GROUP; get g SYNCPOINT; get h LOGICAL_ORDER MatchOptions=0;
        get g BROWSE_NEXT+LOCK; get g MSG_UNDER_CURSOR; get h BROWSE_FIRST; cmit; back; back B; advance 3s;
        inq h CurrentQDepth
    """),
    "units of work and locks": ((5, 5), "", """
        put h m1; put h m2 SYNCPOINT Priority=5; get h SYNCPOINT; get g; get g BROWSE_NEXT+LOCK; get g UNLOCK;
        get g MSG_UNDER_CURSOR+SYNCPOINT; cmit; back; back B; inq h CurrentQDepth
    """),
    "a group being put": ((4, 4), "", """
        put h a1 LOGICAL_ORDER MsgFlags=MSG_IN_GROUP; put h a2 LOGICAL_ORDER MsgFlags=LAST_MSG_IN_GROUP;
        put h x SYNCPOINT; get g LOGICAL_ORDER MatchOptions=0; get g LOGICAL_ORDER+SYNCPOINT MatchOptions=0;
        get g MatchOptions=0; get g BROWSE_NEXT+LOGICAL_ORDER MatchOptions=0; get g ALL_MSGS_AVAILABLE; back B; cmit
    """),
    "a group that arrived out of order": ((5, 5), """
        put h a3 MsgFlags=LAST_MSG_IN_GROUP GroupId=aa MsgSeqNumber=3; put h x
        put h a2 MsgFlags=MSG_IN_GROUP GroupId=aa MsgSeqNumber=2; put h a1 MsgFlags=MSG_IN_GROUP GroupId=aa
    """, """
        get g LOGICAL_ORDER MatchOptions=0; get g LOGICAL_ORDER+SYNCPOINT MatchOptions=0; get g MatchOptions=0;
        get h BROWSE_NEXT+LOGICAL_ORDER MatchOptions=0; get h BROWSE_FIRST; get h MSG_UNDER_CURSOR;
        get h ALL_MSGS_AVAILABLE+LOGICAL_ORDER MatchOptions=0; back B; cmit B
    """),
    "expiry and waits": ((5, 4), "", """
        put h m1 Expiry=20; put h m2; get g; get g WAIT WaitInterval=3000; get h BROWSE_FIRST+LOCK;
        get h MSG_UNDER_CURSOR; get h BROWSE_NEXT; advance 2s; advance 5s; inq h CurrentQDepth; close h
    """),
    "segments": ((5, 5), "", """
        put h s1 LOGICAL_ORDER MsgFlags=SEGMENT; put h s2 LOGICAL_ORDER MsgFlags=LAST_SEGMENT; get g COMPLETE_MSG;
        get g COMPLETE_MSG+SYNCPOINT; get g LOGICAL_ORDER MatchOptions=0; get g BROWSE_FIRST+COMPLETE_MSG+LOCK;
        get h ALL_SEGMENTS_AVAILABLE; back B; back
    """),
    "marks": ((4, 4), "put h m1; put h m2", """
        put h m3 SYNCPOINT; get h BROWSE_NEXT+MARK_BROWSE_HANDLE+UNMARKED_BROWSE_MSG; get g SYNCPOINT; back B; cmit;
        get g BROWSE_FIRST+MARK_BROWSE_CO_OP+UNMARKED_BROWSE_MSG; get g BROWSE_FIRST+UNMARK_BROWSE_CO_OP;
        get h BROWSE_FIRST+UNMARK_BROWSE_HANDLE; get g BROWSE_FIRST+MARK_BROWSE_CO_OP; advance 5s; close g
    """),
    "skipping backout": ((5, 4), "put h m1 NO_SYNCPOINT; put h m2 NO_SYNCPOINT", """
        get g SYNCPOINT+MARK_SKIP_BACKOUT; get g SYNCPOINT; put h m3 SYNCPOINT; get h SYNCPOINT+MARK_SKIP_BACKOUT;
        get h NO_SYNCPOINT; back B; back; cmit B; cmit; fail B
    """),
}  # fmt: skip  # calls
"""By name, the numbers of calls, also on z/OS; the beginning of the histories.

And the calls from which they are made.
"""


@dataclass
class States:
    """A set of states. Those that have little in common are distinguished by a summary, the others in full."""

    found: defaultdict[Hashable, list[State]] = field(default_factory=lambda: defaultdict(list))

    def add(self, state: State) -> bool:
        """Add a state, and return whether it is new."""
        alike = self.found[_gist(state)]
        if state in alike:
            return False
        alike.append(state)
        return True


def _gist(state: State) -> Hashable:
    messages = tuple(
        (
            name,
            message.arrival,
            message.put_ms,
            message.put_by,
            message.got_by,
            message.token,
            message.discardable_ms,
        )
        for name, queue in state.queues.items()
        for message in queue.messages
    )
    handles = tuple(
        (each.key, each.cursor, each.locked, each.marked, each.removing, each.browsing, each.putting)
        for each in state.handles.values()
    )
    waits = tuple(each.waiting for each in state.connections.values())
    return (state.now_ms, state.next_number, messages, handles, waits)


def begun(text: str, platform: PlatformName) -> tuple[State, Bindings]:
    """Return a queue manager with the two handles open, after some calls."""
    index = "GROUP_ID" if platform == "zos" else "NONE"
    queue = define(QueueDefinition, {"name": "Q", "IndexType": index})
    state, bindings = new_state([queue], profile=Profile(platform=platform)), Bindings()
    for line in with_connections(parse(f"{OPENED}\n{text}")):
        call = bindings.call(line, 0)
        outcome = next(outcomes(state, call))
        bindings.bind(line, call, observed_of(outcome.reply))
        state = outcome.state
    return state, bindings


def steps_from(state: State, bindings: Bindings, letters: tuple[Line, ...]) -> Iterator[tuple[Line, Taken]]:
    """Yield every call that can be made now, in every allowed way; a letter identifies its waits."""
    for identity, line in enumerate(letters, start=1):
        try:
            call = bindings.call(line, identity)
        except UsageError:
            continue
        connection = state.connections.get(getattr(call, "conn", ""))
        if connection is not None and connection.waiting is not None and line.verb != "fail":
            continue
        for outcome in outcomes(state, call):
            yield line, Taken(state, call, outcome)


def explore(state: State, bindings: Bindings, letters: tuple[Line, ...], length: int) -> int:
    """Take every history of a number of calls; return the number of steps."""
    steps, states = 0, States()
    states.add(state)
    reached: list[tuple[State, tuple[Line, ...]]] = [(state, ())]
    for _ in range(length):
        further: list[tuple[State, tuple[Line, ...]]] = []
        for before, path in reached:
            for line, taken in steps_from(before, bindings, letters):
                steps += 1
                check(taken, (*path, line))
                if states.add(taken.after):
                    further.append((taken.after, (*path, line)))
        reached = further
    return steps


def check(taken: Taken, path: tuple[Line, ...]) -> None:
    """Assert every invariant of a step; a broken one is reported with a history that leads to it."""
    for invariant in INVARIANTS:
        try:
            invariant(taken)
        except AssertionError as error:  # the history is worth it
            raise AssertionError(f"{invariant.__doc__} {'; '.join(map(write, path))}") from error


@pytest.mark.parametrize("platform", ["distributed", "zos"])
@pytest.mark.parametrize("name", ALPHABETS)
def test_every_short_history_keeps_every_invariant(name: str, platform: PlatformName) -> None:
    (distributed, zos), beginning, letters = ALPHABETS[name]
    state, bindings = begun(beginning, platform)
    length = (zos if platform == "zos" else distributed) + MORE_CALLS
    assert explore(state, bindings, parse(letters), length) > 300
