"""MaxUncommittedMsgs: the messages of a unit of work that surely count, and those that a queue manager may count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from oracle.protocol.setup import state_of_setup
from oracle.replay.history import replay_history

OPEN = "h = open Q INPUT_SHARED+OUTPUT; r = open R INPUT_SHARED+OUTPUT; i = open I INPUT_SHARED;"
TRIGGERING = {"name": "T", "TriggerControl": 1, "TriggerType": 2, "InitiationQName": "I", "ProcessName": "P"}
QUEUES = [{"name": "Q"}, {"name": "R"}, {"name": "I"}, TRIGGERING, {"name": "S", "MaxMsgLength": 32}]
SEGMENTS = "put h s1 MsgFlags=SEGMENT GroupId=a1; put h s2 MsgFlags=LAST_SEGMENT GroupId=a1 Offset=2;"
SPLIT = "s = open S OUTPUT; put s m1 SYNCPOINT MsgFlags=SEGMENTATION_ALLOWED Length=64 -> OK;"
OWN = "put h m1 SYNCPOINT; get h SYNCPOINT -> m1; put h m2 SYNCPOINT"


def conforms(limit: int, text: str) -> bool:
    setup: Mapping[str, Any] = {"queues": QUEUES, "qmgr": {"MaxUncommittedMsgs": limit}}
    return not any(
        step.departs for step in replay_history(OPEN + text, "history", state_of_setup(setup, "distributed"))
    )


@pytest.mark.parametrize(
    ("limit", "text", "answers"),
    [
        (1, "put h m1 SYNCPOINT; put h m2 SYNCPOINT", ("2024",)),
        (2, "put h m1 SYNCPOINT; put h m2 SYNCPOINT", ("OK",)),
        # one's own message, put and got: twice, once, or not at all
        (2, OWN, ("OK", "2024")),
        (3, OWN, ("OK",)),
        (2, f"{OWN} -> OK; put h m3 SYNCPOINT", ("OK", "2024")),
        (2, f"{OWN} -> OK; put h m3 SYNCPOINT -> OK; put h m4 SYNCPOINT", ("2024",)),
        (1, "put h m1 SYNCPOINT; get h NO_SYNCPOINT -> m1; put h m2 SYNCPOINT", ("OK", "2024")),
        (1, "put h m1 NO_SYNCPOINT; get h SYNCPOINT -> m1; put h m2 SYNCPOINT", ("2024",)),
        # a report counts if there is one
        (1, "put h m1 SYNCPOINT Report=COA ReplyToQ=R", ("2024",)),
        (1, "put h m1 SYNCPOINT Report=COA ReplyToQ=NONE", ("OK", "2024")),
        (2, "put h m1 SYNCPOINT Report=COA ReplyToQ=NONE", ("OK",)),
        # a trigger message that waits for the commit
        (1, "t = open T OUTPUT; put t m1 SYNCPOINT", ("OK", "2024")),
        (2, "t = open T OUTPUT; put t m1 SYNCPOINT; put h m2 SYNCPOINT", ("OK", "2024")),
        (2, "t = open T OUTPUT; put t m1 SYNCPOINT; put h m2 SYNCPOINT -> OK; put h m3 SYNCPOINT", ("2024",)),
        # the put of a message that is split, in however many pieces
        (2, f"{SPLIT} put h m2 SYNCPOINT", ("OK",)),
        (2, f"{SPLIT} put h m2 SYNCPOINT -> OK; put h m3 SYNCPOINT", ("2024",)),
        # segments that are got as one message: each, or all once (AMB-132)
        (1, f"{SEGMENTS} get h COMPLETE_MSG+SYNCPOINT", ("OK", "2024")),
        (2, f"{SEGMENTS} get h COMPLETE_MSG+SYNCPOINT", ("OK",)),
        (2, f"{SEGMENTS} get h COMPLETE_MSG+SYNCPOINT -> OK; put h m3 SYNCPOINT", ("OK", "2024")),
        (2, f"{SEGMENTS} get h COMPLETE_MSG+SYNCPOINT -> OK; put h m3 SYNCPOINT -> OK; put h m4 SYNCPOINT", ("2024",)),
    ],
)
def test_what_counts(limit: int, text: str, answers: tuple[str, ...]) -> None:
    assert tuple(answer for answer in ("OK", "2024") if conforms(limit, f"{text} -> {answer}")) == answers
