"""Long random histories over everything that the model contains, three connections and a dozen queues.

Each step takes any of the allowed outcomes, and every invariant is asserted after it. A history has a few hundred
calls, so that what one feature leaves behind is still there when another is used.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from oracle.errors import NotModelledError
from oracle.model.handles import Handle
from oracle.model.queue_manager import new_state, outcomes
from oracle.model.state import State
from oracle.mqi import calls
from oracle.mqi.constants import MQCO, MQFMT, MQGMO, MQMF, MQMO, MQOO, MQPMO, MQRO
from oracle.mqi.definitions import QueueDefinition, QueueManagerDefinition, define
from oracle.mqi.profile import PlatformName, Profile
from oracle.mqi.structures import GetMessageOptions, MessageDescriptor, PutMessageOptions
from tests.oracle.invariants import INVARIANTS, Taken
from tests.oracle.invariants_of_features import INVARIANTS_OF_FEATURES

MOST_OUTCOMES = 24
"""The number of allowed outcomes of a call that are drawn from."""

QUEUES: tuple[dict[str, Any], ...] = (
    {"name": "Q"},
    {"name": "FIFO", "MsgDeliverySequence": "FIFO"},
    {"name": "SMALL", "MaxQDepth": 3},
    {"name": "REPLIES"},
    {"name": "DEAD"},
    {"name": "INIT"},
    {"name": "EVERY", "InitiationQName": "INIT", "ProcessName": "P", "TriggerControl": 1, "TriggerType": 2},
    {
        "name": "DEPTH",
        "InitiationQName": "INIT",
        "ProcessName": "P",
        "TriggerControl": 1,
        "TriggerType": 3,
        "TriggerDepth": 2,
    },
    {"name": "XMIT", "Usage": "TRANSMISSION"},
    {"name": "REMOTE", "type": "remote", "rqmname": "QM2", "rname": "FAR", "xmitq": "XMIT"},
    {"name": "ALIAS", "type": "alias", "target": "Q"},
    {"name": "MODEL", "type": "model", "DefinitionType": "PERMANENT_DYNAMIC"},
    {"name": "BRIEF", "type": "model", "DefinitionType": "TEMPORARY_DYNAMIC"},
)
NAMES = [each["name"] for each in QUEUES] + ["Q"] * 8
CONNECTIONS = ("A", "B", "C")


def options_of(family: type, *texts: str) -> st.SearchStrategy[int]:
    """Return a choice among sets of options, written `SYNCPOINT+WAIT`."""
    names = [[name for name in text.split("+") if name] for text in texts]
    return st.sampled_from([sum(getattr(family, name) for name in each) for each in names])


OPENS = options_of(
    MQOO,
    "INPUT_SHARED+BROWSE+OUTPUT",
    "INPUT_SHARED+BROWSE+OUTPUT+CO_OP",
    "BROWSE+CO_OP",
    "OUTPUT",
    "INPUT_SHARED",
    "INPUT_EXCLUSIVE",
    "OUTPUT+INQUIRE+SET",
)
PUTS = options_of(MQPMO, "", "", "SYNCPOINT", "SYNCPOINT", "NO_SYNCPOINT", "LOGICAL_ORDER", "LOGICAL_ORDER+SYNCPOINT")
FLAGS = options_of(
    MQMF, "", "", "", "", "MSG_IN_GROUP", "LAST_MSG_IN_GROUP", "SEGMENT", "LAST_SEGMENT", "MSG_IN_GROUP+SEGMENT",
    "LAST_MSG_IN_GROUP+LAST_SEGMENT",
)  # fmt: skip  # each as often as it is drawn
REPORTS = options_of(
    MQRO, "", "", "", "COA", "COD", "COA+COD", "EXPIRATION", "EXPIRATION_WITH_FULL_DATA+PASS_DISCARD_AND_EXPIRY",
    "COA_WITH_FULL_DATA+DISCARD_MSG", "COD_WITH_DATA+PASS_MSG_ID",
)  # fmt: skip  # each as often as it is drawn
GETS = options_of(
    MQGMO, "", "", "SYNCPOINT", "SYNCPOINT", "SYNCPOINT", "NO_SYNCPOINT", "SYNCPOINT_IF_PERSISTENT", "LOGICAL_ORDER",
    "LOGICAL_ORDER+SYNCPOINT", "COMPLETE_MSG", "COMPLETE_MSG+SYNCPOINT", "ALL_MSGS_AVAILABLE+LOGICAL_ORDER",
    "ALL_SEGMENTS_AVAILABLE", "MSG_UNDER_CURSOR", "MSG_UNDER_CURSOR+SYNCPOINT", "UNLOCK", "ACCEPT_TRUNCATED_MSG",
    "SYNCPOINT+MARK_SKIP_BACKOUT", "SYNCPOINT+MARK_SKIP_BACKOUT", "FAIL_IF_QUIESCING",
)  # fmt: skip  # each as often as it is drawn
BROWSES = options_of(
    MQGMO, "BROWSE_FIRST", "BROWSE_NEXT", "BROWSE_FIRST+LOCK", "BROWSE_NEXT+LOCK", "BROWSE_MSG_UNDER_CURSOR",
    "BROWSE_FIRST+MARK_BROWSE_HANDLE", "BROWSE_NEXT+MARK_BROWSE_HANDLE+UNMARKED_BROWSE_MSG",
    "BROWSE_FIRST+MARK_BROWSE_CO_OP+UNMARKED_BROWSE_MSG", "BROWSE_FIRST+MARK_BROWSE_CO_OP",
    "BROWSE_FIRST+UNMARK_BROWSE_CO_OP", "BROWSE_FIRST+UNMARK_BROWSE_HANDLE", "BROWSE_NEXT+UNMARKED_BROWSE_MSG",
    "BROWSE_FIRST+LOGICAL_ORDER", "BROWSE_NEXT+LOGICAL_ORDER", "BROWSE_FIRST+COMPLETE_MSG+LOCK",
)  # fmt: skip  # each as often as it is drawn
WAITS = options_of(
    MQGMO,
    "WAIT",
    "WAIT+SYNCPOINT",
    "WAIT+BROWSE_NEXT",
    "WAIT+BROWSE_NEXT+LOCK",
    "WAIT+COMPLETE_MSG",
    "WAIT+BROWSE_NEXT+UNMARKED_BROWSE_MSG",
    "WAIT+FAIL_IF_QUIESCING",
)
MESSAGES = st.builds(
    MessageDescriptor,
    priority=st.sampled_from([-1, -1, 0, 5, 9]),
    persistence=st.sampled_from([2, 0, 1]),
    expiry=st.sampled_from([-1, -1, -1, 30, 100]),
    report=REPORTS,
    reply_to_q=st.sampled_from(["REPLIES", "REPLIES", "SMALL", "NOWHERE"]),
    msg_flags=FLAGS,
    format=st.just(MQFMT.NONE),
)
SETTINGS = st.sampled_from(
    [{"InhibitGet": 1}, {"InhibitGet": 0}, {"InhibitGet": 0}, {"InhibitPut": 1}, {"InhibitPut": 0}, {"InhibitPut": 0},
     {"TriggerControl": 1}, {"TriggerControl": 0}, {"TriggerDepth": 1}]
)  # fmt: skip  # each as often as it is drawn
CLOSES = options_of(MQCO, "NONE", "NONE", "DELETE", "DELETE_PURGE")
EVENTS = (
    calls.Fail("B"),
    calls.Disconnect("C"),
    calls.ScanExpired(),
    calls.ScanExpired(),
    calls.Quiesce(),
    calls.Alter("Q", {"InhibitGet": 0}),
    calls.Alter("Q", {"InhibitPut": 0}),
    calls.Alter("SMALL", {"MaxQDepth": 6}),
    calls.Alter(None, {"ExpiryInterval": 5}),
)
CONNECTION = st.sampled_from(CONNECTIONS)
NAME = st.sampled_from(NAMES)
WHICH = st.integers(0, 11)
OFTEN = {"get": 16, "put": 8, "end": 4, "put1": 2, "advance": 2}
SELDOM = ("open", "close", "set", "inquire", "event")
KINDS = st.sampled_from([*(kind for kind, times in OFTEN.items() for _ in range(times)), *SELDOM])

ENOUGH = 6
"""The number of handles that stay open, and of events before the queue manager may quiesce."""

Draw = Callable[[st.SearchStrategy[Any]], Any]


class Histories(RuleBasedStateMachine):
    """A queue manager, and everything that can happen to it."""

    platform: PlatformName = "distributed"

    def __init__(self) -> None:
        super().__init__()
        self.state: State
        self.made_calls = 0
        self.events = 0

    @initialize()
    def begin(self) -> None:
        index = {"IndexType": "GROUP_ID"} if self.platform == "zos" else {}
        queues = [define(QueueDefinition, {**each, **(index if each["name"] == "Q" else {})}) for each in QUEUES]
        qmgr = define(QueueManagerDefinition, {"DeadLetterQName": "DEAD", "MarkBrowseInterval": 4000})
        self.state = new_state(queues, qmgr, Profile(platform=self.platform))
        everything = MQOO.INPUT_SHARED | MQOO.BROWSE | MQOO.OUTPUT | MQOO.CO_OP
        for conn in CONNECTIONS:
            self.take(calls.Connect(conn), 0)
            self.take(calls.Open(conn, "Q", everything), 0)
        self.take(calls.Open("C", "INIT", MQOO.INPUT_SHARED), 0)

    def take(self, call: calls.Call, which: int) -> None:
        """Carry a call out, with one of the allowed outcomes, unless its connection waits."""
        connection = self.state.connections.get(getattr(call, "conn", ""))
        if connection is not None and connection.waiting is not None and not isinstance(call, calls.Fail):
            return
        try:
            allowed = list(islice(outcomes(self.state, call), MOST_OUTCOMES))
        except NotModelledError:
            return
        taken = Taken(self.state, call, allowed[which % len(allowed)])
        for invariant in (*INVARIANTS, *INVARIANTS_OF_FEATURES):
            invariant(taken)
        self.state = taken.after

    def handle(self, number: int, options: int = -1) -> Handle | None:
        """Return one of the handles that are open with any of some options."""
        handles = [handle for handle in self.state.handles.values() if handle.options & options]
        return handles[number % len(handles)] if handles else None

    @rule(data=st.data())
    def happen(self, data: st.DataObject) -> None:
        """Carry out one call of a kind; each kind is as frequent as its name in the table."""
        call = getattr(self, data.draw(KINDS))(data.draw)
        if call is not None:
            self.take(call, data.draw(WHICH))

    def put(self, draw: Draw) -> calls.Call | None:
        """Return a put on some handle that is open for output."""
        handle = self.handle(draw(WHICH), MQOO.OUTPUT)
        data = b"x" * draw(st.sampled_from([0, 3, 120]))
        return (
            None
            if handle is None
            else calls.Put(*handle.key, draw(MESSAGES), PutMessageOptions(options=draw(PUTS)), data)
        )

    def put1(self, draw: Draw) -> calls.Call | None:
        """Return a put by MQPUT1."""
        options = PutMessageOptions(options=draw(PUTS) & ~MQPMO.LOGICAL_ORDER)
        return calls.Put1(draw(CONNECTION), draw(NAME), draw(MESSAGES), options, b"one")

    def get(self, draw: Draw) -> calls.Call | None:
        """Return a get or a browse, with or without waiting, on some handle that is open for it."""
        handle = self.handle(draw(WHICH), MQOO.INPUT_SHARED | MQOO.BROWSE)
        self.made_calls += 1
        gmo = GetMessageOptions(
            options=draw(st.one_of(GETS, BROWSES, WAITS)),
            wait_interval=draw(st.sampled_from([1000, 3000, -1])),
            match_options=draw(st.sampled_from([MQMO.NONE, MQMO.NONE, MQMO.NONE, MQMO.MATCH_MSG_SEQ_NUMBER])),
        )
        room = draw(st.sampled_from([4096, 4096, 4096, 1]))
        return None if handle is None else calls.Get(*handle.key, MessageDescriptor(), gmo, room, self.made_calls)

    def end(self, draw: Draw) -> calls.Call | None:
        """Return a commit or a backout."""
        conn: str = draw(CONNECTION)
        return calls.Commit(conn) if draw(st.booleans()) else calls.Back(conn)

    def open(self, draw: Draw) -> calls.Call | None:
        """Return an open of some queue, or a connect where its connection is gone."""
        conn = draw(CONNECTION)
        return calls.Open(conn, draw(NAME), draw(OPENS)) if conn in self.state.connections else calls.Connect(conn)

    def close(self, draw: Draw) -> calls.Call | None:
        """Return a close of some handle, as long as enough are open."""
        handle = self.handle(draw(WHICH)) if len(self.state.handles) > ENOUGH else None
        return None if handle is None else calls.Close(*handle.key, draw(CLOSES))

    def set(self, draw: Draw) -> calls.Call | None:
        """Return an MQSET on some handle that is open for it."""
        handle = self.handle(draw(WHICH), MQOO.SET)
        return None if handle is None else calls.Set(*handle.key, draw(SETTINGS))

    def inquire(self, draw: Draw) -> calls.Call | None:
        """Return an MQINQ of the depth on some handle that is open for it."""
        handle = self.handle(draw(WHICH), MQOO.INQUIRE)
        return None if handle is None else calls.Inquire(*handle.key, ("CurrentQDepth",))

    def advance(self, draw: Draw) -> calls.Call | None:
        """Let time pass."""
        return calls.Advance(draw(st.sampled_from([100, 900, 2500, 6000])))

    def event(self, draw: Draw) -> calls.Call | None:
        """Return an event from outside; the queue manager quiesces in few histories, and late."""
        self.events += 1
        call = draw(st.sampled_from(EVENTS))
        return None if isinstance(call, calls.Quiesce) and self.events < ENOUGH else call


@pytest.mark.parametrize("platform", ["distributed", "zos"])
def test_every_invariant_holds_through_long_histories(platform: PlatformName) -> None:
    machine = type("OnPlatform", (Histories,), {"platform": platform})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=8, stateful_step_count=250, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
