"""Signals of z/OS: the signal that an MQGET with MQGMO_SET_SIGNAL sets, and its delivery."""

from __future__ import annotations

from typing import Any

import pytest

from oracle.errors import BadInputError
from oracle.histories.history import with_connections
from oracle.histories.notation import parse
from oracle.model.queue_manager import new_state
from oracle.mqi.constants import MQEC
from oracle.mqi.definitions import QueueDefinition, define
from oracle.mqi.profile import Profile
from oracle.replay.history import replay_history
from oracle.serve import Server
from tests.oracle.conftest import Play

SIGNAL = "SET_SIGNAL+NO_SYNCPOINT WaitInterval=5000"
SHARED = {"name": "Q", "QSGDISP": "SHARED"}
OPEN = "h = open Q BROWSE+INPUT_SHARED+OUTPUT+SET; g = B.open Q BROWSE+INPUT_SHARED;"
SET = f"{OPEN} s = get h {SIGNAL} -> 2070;"


def departs(text: str, queue: dict[str, Any] | None = None, **qmgr: Any) -> tuple[str, ...]:
    """Return the rules that a history on z/OS breaks with its last line, none if all of it conforms."""
    state = new_state([define(QueueDefinition, queue or {"name": "Q"})], None, Profile(platform="zos"))
    steps = list(replay_history(text, "test", state))
    assert all(not step.departs for step in steps[:-1]), steps[-1].followed.departure
    assert len(steps) == len(list(with_connections(parse(text)))), steps[-1].followed.departure
    departure = steps[-1].followed.departure
    return () if departure is None else departure.rules


@pytest.mark.parametrize(
    "after",
    [
        "put h m1 NO_SYNCPOINT => s MSG_ARRIVED",
        "put h m1 SYNCPOINT => s pending; cmit => s MSG_ARRIVED",
        "put h m1 NO_SYNCPOINT CorrelId=c2 => s MSG_ARRIVED; t = get h SET_SIGNAL+NO_SYNCPOINT CorrelId=c3 -> 2070",
        "quiesce => s pending; put h m1 NO_SYNCPOINT => s MSG_ARRIVED",
        "put h m1 NO_SYNCPOINT => s MSG_ARRIVED; get g -> m1; t = get h SET_SIGNAL -> 2070; back B => t MSG_ARRIVED",
        "advance 4s => s pending; advance 1s => s WAIT_INTERVAL_EXPIRED",
        "advance 5s => s pending; advance 1s => s WAIT_INTERVAL_EXPIRED",
        "get h NO_SYNCPOINT -> 2033 => s pending",
        "advance 1s => s WAIT_CANCELED",
        "alter Q InhibitGet=1 => s pending; put h m1 NO_SYNCPOINT => s pending; alter Q InhibitGet=0 => s MSG_ARRIVED",
        "alter Q InhibitGet=1 => s WAIT_CANCELED",
        "put h m1 SYNCPOINT => s MSG_ARRIVED",
        "put h m1 SYNCPOINT => s pending",
        "close h => s WAIT_CANCELED",
        "close h => s pending",
    ],
)
def test_a_signal_may_be_delivered_or_go_on_like_this(after: str) -> None:
    assert departs(f"{SET} {after}") == ()


@pytest.mark.parametrize(
    ("after", "rule"),
    [
        ("advance 3s => s WAIT_INTERVAL_EXPIRED", "SIG-07"),
        ("quiesce => s Q_MGR_QUIESCING", "QSC-05"),
        ("put h m1 NO_SYNCPOINT => s WAIT_INTERVAL_EXPIRED", "SIG-05"),
        ("w = get h WAIT+NO_SYNCPOINT WaitInterval=1000 -> pending", "SIG-12"),
        (
            "put h m1 NO_SYNCPOINT; get h SET_SIGNAL+NO_SYNCPOINT MatchOptions=MATCH_CORREL_ID CorrelId=c9 -> 2069",
            "SIG-03",
        ),
        ("advance 10s; get h SET_SIGNAL+NO_SYNCPOINT -> 2069", "SIG-03"),
    ],
)
def test_a_signal_must_not_be_delivered_or_kept_like_this(after: str, rule: str) -> None:
    assert rule in departs(f"{SET} {after}")


def test_a_signal_with_criteria_waits_for_a_message_that_meets_them() -> None:
    text = f"{OPEN} s = get h {SIGNAL} MatchOptions=MATCH_CORREL_ID CorrelId=c2 -> 2070; put h m1 NO_SYNCPOINT"
    assert departs(f"{text} => s pending") == ()
    assert "SIG-05" in departs(f"{text} => s MSG_ARRIVED")
    assert departs(f"{text}; put h m2 NO_SYNCPOINT CorrelId=c2 => s MSG_ARRIVED") == ()


def test_quiescing_ends_a_signal_that_asked_for_it_with_either_code() -> None:
    text = f"{OPEN} s = get h FAIL_IF_QUIESCING+{SIGNAL} -> 2070; quiesce"
    for code in ("Q_MGR_QUIESCING", "CONNECTION_QUIESCING"):
        assert departs(f"{text} => s {code}") == ()
    assert "QSC-04" in departs(f"{text} => s pending")
    assert "QSC-04" in departs(f"{text} => s WAIT_INTERVAL_EXPIRED")


def test_a_wait_passed_over_for_a_signal_may_be_served_later_or_not_at_all() -> None:
    text = f"{SET} w = get g WAIT+NO_SYNCPOINT WaitInterval=5000 -> pending"
    text += "; put h m1 NO_SYNCPOINT => s MSG_ARRIVED w pending"
    assert departs(f"{text}; advance 1s => w m1") == ()
    assert departs(f"{text}; advance 10s => w 2033") == ()
    assert departs(f"{text}; get h NO_SYNCPOINT -> m1 => w pending") == ()
    assert departs(f"{text}; put h m2 NO_SYNCPOINT => w m1") == ()
    assert departs(f"{text}; put h m2 NO_SYNCPOINT => w pending") != ()


def test_a_signal_for_a_browse_is_delivered_beside_a_browse_that_waits() -> None:
    text = f"{OPEN} s = get h BROWSE_NEXT+SET_SIGNAL WaitInterval=5000 -> 2070;"
    text += "w = get g BROWSE_NEXT+WAIT WaitInterval=5000 -> pending; put h m1 NO_SYNCPOINT"
    assert departs(f"{text} => s MSG_ARRIVED w m1") == ()
    assert "ACT-02" in departs(f"{text} => s pending w m1")
    assert "ACT-02" in departs(f"{text} => s MSG_ARRIVED w pending")


@pytest.mark.parametrize("given", ["BROWSE_FIRST+SET_SIGNAL", "LOGICAL_ORDER+SET_SIGNAL+NO_SYNCPOINT"])
def test_on_a_shared_queue_some_signals_come_early(given: str) -> None:
    queue = {**SHARED, "IndexType": "GROUP_ID"}
    text = f"h = open Q BROWSE+INPUT_SHARED; s = get h {given} MatchOptions=NONE WaitInterval=5000 -> 2070; advance 1s"
    assert departs(f"{text} => s MSG_ARRIVED", queue) == ()
    assert "SIG-13" in departs(f"{text} => s pending", queue)
    assert "SIG-05" in departs(f"{text} => s MSG_ARRIVED", {"name": "Q", "IndexType": "GROUP_ID"})
    by_identifier = text.replace("MatchOptions=NONE", "MatchOptions=MATCH_MSG_ID MsgId=c1")
    assert departs(f"{by_identifier} => s pending", queue) == ()


def test_where_the_order_is_open_an_arrival_may_stand_before_the_cursor_of_a_signal() -> None:
    text = f"""{OPEN} put h m1 NO_SYNCPOINT; get h BROWSE_NEXT -> m1
    s = get h BROWSE_NEXT+SET_SIGNAL WaitInterval=5000 -> 2070; put h m2 NO_SYNCPOINT"""
    queue = {"name": "Q", "IndexType": "GROUP_ID"}
    assert departs(f"{text} => s MSG_ARRIVED", queue) == ()
    assert departs(f"{text} => s pending", queue) == ()
    assert departs(f"{text} => s pending") != ()


def test_an_accepted_signal_sets_no_output_even_in_the_descriptor() -> None:
    assert departs(f"{OPEN} get h {SIGNAL} MsgId=c1 -> 2070 MsgId=c1") == ()
    assert "SIG-04" in departs(f"{OPEN} get h {SIGNAL} MsgId=c1 -> 2070 MsgId=c2")


def test_setting_a_signal_ends_the_lock_because_it_completes_with_a_warning() -> None:
    text = f"{OPEN} put h m1 NO_SYNCPOINT; get h BROWSE_NEXT+LOCK -> m1; s = get h BROWSE_NEXT+SET_SIGNAL -> 2070;"
    assert departs(f"{text} get g NO_SYNCPOINT -> m1") == ()
    assert departs(f"{text} get g NO_SYNCPOINT -> 2033")[0] == "LCK-09"


def test_elsewhere_the_option_fails_or_does_nothing(play: Play) -> None:
    play(f"h = open Q INPUT_SHARED+OUTPUT; get h {SIGNAL} -> 2046; put h m1 NO_SYNCPOINT; get h NO_SYNCPOINT -> m1")


def test_by_hand_the_signal_is_in_the_outcome_and_the_protocol_does_not_report_it(play: Play) -> None:
    played = play(f"{SET} put h m1 NO_SYNCPOINT", platform="zos")
    (posted,) = played.last.posted
    assert (posted.conn, posted.code) == ("A", MQEC.MSG_ARRIVED)
    assert {"SIG-05", "SIG-06"} <= set(posted.rules)
    assert "completed" not in Server("zos").answer('{"seq": 1, "op": "hello", "protocol": 1}')


def test_a_code_that_does_not_exist_is_refused() -> None:
    with pytest.raises(BadInputError, match="no name of MQEC"):
        departs(f"{SET} put h m1 NO_SYNCPOINT => s ARRIVED")
