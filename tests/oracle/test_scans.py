"""Scans for expired messages on z/OS: when they may discard messages, and when they must not."""

from __future__ import annotations

import pytest

from oracle.protocol import ObservedReply
from oracle.protocol.setup import state_of_setup
from oracle.replay.history import replay_history
from tests.oracle.conftest import Play
from tests.oracle.test_follow import Session

START = "h = open Q INPUT_SHARED+OUTPUT+INQUIRE; put h m NO_SYNCPOINT Expiry=10;"


@pytest.mark.parametrize(
    ("interval", "history", "depths"),
    [
        (60, "advance 61s", {0, 1}),
        (60, "advance 30s; advance 31s", {0, 1}),
        (60, "advance 50s", {1}),
        (0, "advance 600s", {1}),
        (60, "alter qmgr ExpiryInterval=0; advance 600s", {1}),
        (0, "alter qmgr ExpiryInterval=60; advance 50s", {0, 1}),  # nobody says from when the interval counts (AMB-133)
        (0, "advance 50s; alter qmgr ExpiryInterval=60", {1}),
        (0, "advance 50s; alter qmgr ExpiryInterval=60; advance 60s", {0, 1}),
        (60, "put h n SYNCPOINT Expiry=10; advance 61s; cmit", {1, 2}),
    ],
)
def test_a_scan_discards_at_its_interval_and_not_otherwise(interval: int, history: str, depths: set[int]) -> None:
    for depth in range(3):
        told = Session(history, start=START, qmgr={"ExpiryInterval": interval}, platform="zos")
        followed = told.instead("inq h CurrentQDepth", ObservedReply(members={"values": {"CurrentQDepth": depth}}))
        assert (followed.departure is None) == (depth in depths), depth


def test_intervals_mean_nothing_on_other_platforms(play: Play) -> None:
    played = play(START + "advance 61s", qmgr={"ExpiryInterval": 60})
    assert "ZOS-02" not in played.rules


def test_a_message_is_not_discarded_before_its_time(play: Play) -> None:
    text = "h = open Q INPUT_SHARED+OUTPUT; put h m NO_SYNCPOINT Expiry=1000; advance 61s; get h -> m"
    played = play(text, qmgr={"ExpiryInterval": 60}, platform="zos")
    assert "ZOS-02" in played.rules


def test_a_scan_brings_the_report(play: Play) -> None:
    text = """
    h = open Q INPUT_SHARED+OUTPUT; r = B.open R INPUT_SHARED
    put h m NO_SYNCPOINT Expiry=10 Report=EXPIRATION ReplyToQ=R
    w = get r NO_SYNCPOINT WAIT WaitInterval=-1 -> pending
    advance 61s => w OK
    """
    queues = ({"name": "Q"}, {"name": "R"})
    assert "RPT-01" in play(text, queues=queues, qmgr={"ExpiryInterval": 60}, platform="zos").rules


EXPIRING = "put h m Expiry=10 NO_SYNCPOINT Report=EXPIRATION ReplyToQ=R;"
GET = "get r NO_SYNCPOINT"


def test_a_report_has_the_time_of_the_scan_or_of_the_get_that_discarded() -> None:
    """Scans at 60, 120 and 180 seconds; the get comes at 200 seconds, and nothing else looks at the message."""
    for seconds, conforms in ((60, True), (180, True), (200, True), (59, False), (201, False)):
        text = f"{EXPIRING} advance 200s; get h NO_SYNCPOINT -> 2033; {GET} -> OK Feedback=258 {put_at(seconds)}"
        assert is_accepted(text, zos=True) == conforms, seconds


def test_without_a_scan_a_report_has_the_time_of_the_get_that_discarded() -> None:
    for seconds, conforms in ((50, True), (49, False), (10, False), (51, False)):
        text = f"{EXPIRING} advance 50s; get h NO_SYNCPOINT -> 2033; advance 10s; {GET} -> OK Feedback=258"
        assert is_accepted(f"{text} {put_at(seconds)}", zos=True) == conforms, seconds


def test_elsewhere_a_report_may_have_any_time_from_the_expiry_on() -> None:
    for seconds, conforms in ((1, True), (7, True), (50, True), (51, False)):
        text = f"{EXPIRING} advance 50s; get h NO_SYNCPOINT -> 2033; {GET} -> OK Feedback=258 {put_at(seconds)}"
        assert is_accepted(text) == conforms, seconds
        assert is_accepted(f"{EXPIRING} advance 50s; {GET} -> OK Feedback=258 {put_at(seconds)}") == conforms, seconds


def test_what_a_report_causes_has_a_time_like_it() -> None:
    triggered = "i = open I INPUT_SHARED; put h m Expiry=10 Report=EXPIRATION ReplyToQ=T; advance 50s; get h -> 2033;"
    dead = "i = open DLQ INPUT_SHARED; put h m Expiry=10 Report=EXPIRATION ReplyToQ=NONE; advance 50s; get h -> 2033;"
    for text in (triggered, dead):
        for seconds, conforms in ((7, True), (50, True), (51, False)):
            assert is_accepted(f"{text} get i -> OK {put_at(seconds)}") == conforms, (text, seconds)


FIRED = "put h m Expiry=10 Report=EXPIRATION ReplyToQ=T; advance 50s;"


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        (f"i = open I INPUT_SHARED; {FIRED} get i", {"OK", "2033"}),
        (f"i = open I INPUT_SHARED; {FIRED} t = open T INPUT_SHARED; get t -> OK; get i", {"OK", "2033"}),
        (f"t = open T INPUT_SHARED; i = open I INPUT_SHARED; {FIRED} close t; get i", {"OK", "2033"}),
        (f"{FIRED} alter T InhibitPut=1; t = open T INPUT_SHARED; get t", {"OK", "2033"}),
        (f"alter T InhibitPut=1; {FIRED} alter T InhibitPut=0; d = open DLQ INPUT_SHARED; get d", {"OK", "2033"}),
        ("i = open I INPUT_SHARED; put h m; advance 50s; t = open T INPUT_SHARED; get i", {"2033"}),
    ],
)
def test_what_a_report_meets_is_what_there_was_when_it_came(text: str, answers: set[str]) -> None:
    assert {answer for answer in ("OK", "2033") if is_accepted(f"{text} -> {answer}", first=True)} == answers


def put_at(seconds: int) -> str:
    return f"PutTime=00{seconds // 60:02}{seconds % 60:02}00"


def is_accepted(text: str, *, zos: bool = False, first: bool = False) -> bool:
    trigger = {"TriggerControl": 1, "TriggerType": 1 if first else 2, "InitiationQName": "I", "ProcessName": "P"}
    names: list[dict[str, object]] = [{"name": name} for name in ("Q", "R", "I", "DLQ")]
    manager = {"ExpiryInterval": 60, "DeadLetterQName": "DLQ"}
    setup = {"queues": [*names, {"name": "T", **trigger}], "qmgr": manager}
    state = state_of_setup(setup, "zos" if zos else "distributed")
    text = f"h = open Q INPUT_SHARED+OUTPUT; r = open R INPUT_SHARED; {text}"
    return not any(step.departs for step in replay_history(text, "history", state))


IN_ANY_ORDER = """
h = open Q OUTPUT; r = open F INPUT_SHARED
put h m1 Expiry=50 NO_SYNCPOINT Report=EXPIRATION ReplyToQ=F
put h m2 Expiry=50 NO_SYNCPOINT Report=EXPIRATION ReplyToQ=F Priority=5
put1 O m3 Expiry=50 NO_SYNCPOINT Report=EXPIRATION ReplyToQ=F
advance 7s; scan
"""


@pytest.mark.parametrize("first", ["m1", "m2", "m3"])
@pytest.mark.parametrize("scan", ["scan", "scan Q"])
def test_a_scan_discards_in_an_order_of_its_own(first: str, scan: str) -> None:
    state = state_of_setup(
        {"queues": [{"name": "Q"}, {"name": "F", "MsgDeliverySequence": "FIFO"}, {"name": "O"}]}, "zos"
    )
    text = f"{IN_ANY_ORDER.replace('scan', scan)}; get r NO_SYNCPOINT MatchOptions=NONE -> OK CorrelId=@{first}.MsgId"
    conforms = not any(step.departs for step in replay_history(text, "history", state))
    assert conforms == (first != "m3" or scan == "scan")
