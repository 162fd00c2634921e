"""A history of the oracle from which an activity trace can be written, and what the trace can carry of it."""

from __future__ import annotations

from typing import Any

from fixtures.activity_traces import HIGH, MEDIUM, Tracing, connection_id
from oracle import MQGMO, MQMF, MQMO, MQOO, MQPMO, GetMessageOptions, PutMessageOptions, QueueManager
from oracle.histories.event_log import Event
from oracle.histories.history import observed_of
from oracle.histories.recording import Interval, Recorder
from oracle.mqi import calls
from oracle.mqi.constants import MQCC
from oracle.mqi.structures import MessageDescriptor

_CALL = {
    "qmgr",
    "call",
    "comp_code",
    "reason",
    "hobj",
    "object_name",
    "options",
}
_MEDIUM = {
    "msg_id", "correl_id", "priority", "persistence", "expiry", "report", "msg_type", "format", "reply_to_q", "put_us",
}  # fmt: skip  # names
_GROUP = {"group_id", "msg_seq_number", "offset", "msg_flags", "original_length"}
_SELECTION = {"sel_msg_id", "sel_correl_id", "sel_group_id", "sel_seq_number", "sel_offset", "sel_token"}
_MOVES = ("MQPUT", "MQPUT1", "MQGET")


def played() -> list[Event]:
    """Return a history with groups, units of work, browsing, selection, truncation and failures."""
    qm, recorder, events = QueueManager(["Q", "R"]), Recorder("QM1"), []
    effect = 0

    def call(one: calls.MqiCall) -> int | None:
        nonlocal effect
        qm.call(calls.Advance(250))
        effect = max((qm.state.epoch_ms + qm.state.now_ms) * 1000, effect + 1)
        reply = qm.call(one)
        events.append(recorder.record(one, observed_of(reply), Interval(effect - 120, effect + 77)))
        return reply.hobj

    def put(conn: str, hobj: int, options: int, **members: Any) -> None:
        data = b"x" * (len(events) + 1)
        call(calls.Put(conn, hobj, MessageDescriptor(**members), PutMessageOptions(options=options), data))

    def get(conn: str, hobj: int, options: int, size: int = 1000, match: int = 0, **members: Any) -> None:
        asked = GetMessageOptions(version=2, options=options, match_options=match)
        call(calls.Get(conn, hobj, MessageDescriptor(version=2, **members), asked, size))

    for conn in ("ann", "bob"):
        call(calls.Connect(conn))
    put_to = call(calls.Open("ann", "Q", MQOO.OUTPUT)) or 0
    get_from = call(calls.Open("bob", "Q", MQOO.INPUT_SHARED | MQOO.BROWSE)) or 0
    call(calls.Open("bob", "MISSING", MQOO.INPUT_SHARED))
    for number in range(4):
        put("ann", put_to, MQPMO.SYNCPOINT | MQPMO.NEW_MSG_ID, priority=number, persistence=1, expiry=90_000)
    call(calls.Commit("ann"))
    put("ann", put_to, MQPMO.SYNCPOINT, priority=1, persistence=0, format="MQSTR", reply_to_q="R")
    call(calls.Back("ann"))
    for flags in (MQMF.MSG_IN_GROUP, MQMF.LAST_MSG_IN_GROUP):
        options = MQPMO.NO_SYNCPOINT | MQPMO.LOGICAL_ORDER
        put("ann", put_to, options, version=2, priority=2, persistence=0, msg_flags=flags)
    own = {"version": 2, "group_id": b"g" * 24, "msg_id": b"\x11" * 24, "correl_id": b"\x22" * 24}
    put("ann", put_to, MQPMO.NO_SYNCPOINT, **own, msg_seq_number=7, msg_flags=8, priority=0, persistence=0)
    get("bob", get_from, MQGMO.BROWSE_FIRST)
    get("bob", get_from, MQGMO.SYNCPOINT, size=3)
    get("bob", get_from, MQGMO.SYNCPOINT | MQGMO.ACCEPT_TRUNCATED_MSG, size=3)
    get("bob", get_from, MQGMO.SYNCPOINT, match=MQMO.MATCH_MSG_ID, msg_id=b"\x11" * 24)
    get("bob", get_from, MQGMO.SYNCPOINT, match=MQMO.MATCH_CORREL_ID, correl_id=b"\x77" * 24)
    call(calls.Commit("bob"))
    for _ in range(6):
        get("bob", get_from, MQGMO.NO_SYNCPOINT)
    call(calls.Close("ann", put_to, 0))
    for conn in ("ann", "bob"):
        call(calls.Disconnect(conn))
    return events


def carried(event: Event, tracing: Tracing) -> dict[str, Any]:
    """Return the columns that a trace can carry of a record, with null for those that it cannot."""
    names = set(_CALL)
    failed = event.comp_code == MQCC.FAILED
    move, get = event.call in _MOVES, event.call == "MQGET"
    if tracing.level >= MEDIUM:
        names |= {"queue", "buffer_length"}
        names |= (_MEDIUM | {"length"}) if move and not (get and failed) else set()
    if tracing.level == HIGH and move:
        names |= {"wait_ms", "match_options"}
        returned = get and not failed
        names |= _SELECTION if get and (failed or tracing.dumps == "before") else set()
        names |= _GROUP | {"feedback"} if not returned or tracing.dumps == "after" else set()
        names |= {"group_status", "segment_status"} if returned and tracing.dumps == "after" else set()
    found = {name: value if name in names else None for name, value in event.model_dump().items()}
    if tracing.level < MEDIUM and event.call in ("MQPUT", "MQPUT1") and not failed:
        found["length"] = event.length
    if tracing.level < MEDIUM and get and not failed:
        found["length"] = event.length
    if event.reason in (2079, 2080):
        found["length"] = None
    options = event.options or 0
    after = tracing.dumps == "after" and options & MQPMO.NEW_MSG_ID
    if event.call == "MQPUT" and options & MQPMO.LOGICAL_ORDER and not after:
        found |= dict.fromkeys(("group_id", "msg_seq_number", "offset"))
    return found


def conn_of(event: Event) -> str:
    """Return the connection's name that the trace gives."""
    return connection_id(event.conn).hex()
