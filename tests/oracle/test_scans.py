"""Scans for expired messages on z/OS: when they may discard, and when nothing may."""

from __future__ import annotations

import pytest

from oracle.protocol import ObservedReply
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
        (0, "alter qmgr ExpiryInterval=60; advance 50s", {1}),
        (0, "advance 50s; alter qmgr ExpiryInterval=60; advance 59s", {1}),
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
