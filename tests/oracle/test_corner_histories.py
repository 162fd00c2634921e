"""What is lawful, and what is not, where only several calls tell: waits that meet, locks and cursors left over.

Each history ends with the call in question, and what is seen of it stands after its arrow.
"""

from __future__ import annotations

from typing import Any

import pytest

from oracle.replay import replay

ZOS = {"platform": "zos"}

MARKING = """
p = C.open Q OUTPUT
h = open Q BROWSE+CO_OP
g = B.open Q BROWSE+CO_OP
v = get h BROWSE_FIRST+UNMARKED_BROWSE_MSG+MARK_BROWSE_CO_OP+WAIT WaitInterval=-1
w = get g BROWSE_FIRST+UNMARKED_BROWSE_MSG+MARK_BROWSE_CO_OP+WAIT WaitInterval=-1
"""

IN_GROUP = """
h = open Q INPUT_SHARED+OUTPUT
put h m1 MsgFlags=MSG_IN_GROUP GroupId=a1 Persistence=1
put h s1 MsgFlags=LAST_MSG_IN_GROUP+SEGMENT GroupId=a1 MsgSeqNumber=2 Persistence=1
put h s2 MsgFlags=LAST_MSG_IN_GROUP+LAST_SEGMENT GroupId=a1 MsgSeqNumber=2 Offset=2 Persistence=1
get h LOGICAL_ORDER -> m1
"""
UNFIT = "MatchOptions=MATCH_MSG_SEQ_NUMBER MsgSeqNumber=7"
WAITING = "h = open Q INPUT_SHARED+OUTPUT; put h m1; get h LOGICAL_ORDER+WAIT WaitInterval=5000 " + UNFIT

LAWFUL: list[tuple[str, dict[str, Any]]] = [
    (MARKING + "put p m1 => v m1 w pending", {}),
    (MARKING + "put p m1 => v pending w m1", {}),
    (WAITING + " -> pending", {}),
    (WAITING + " -> 2247", {}),
    (IN_GROUP + f"get h LOGICAL_ORDER+SYNCPOINT {UNFIT} -> 2245", {}),
    (IN_GROUP + f"get h LOGICAL_ORDER+SYNCPOINT {UNFIT} -> 2247", {}),
    (IN_GROUP + "alter Q InhibitGet=1; get h LOGICAL_ORDER+SYNCPOINT -> 2016", {}),
    (IN_GROUP + "alter Q InhibitGet=1; get h LOGICAL_ORDER+SYNCPOINT -> 2245", {}),
    (IN_GROUP + "get h LOGICAL_ORDER+SYNCPOINT+WAIT WaitInterval=-5 -> 2090", {}),
    (IN_GROUP + "get h LOGICAL_ORDER+SYNCPOINT+WAIT WaitInterval=-5 -> 2245", {}),
    (IN_GROUP + f"put h m2 SYNCPOINT; get h LOGICAL_ORDER+COMPLETE_MSG {UNFIT} -> 2255", {}),
    (IN_GROUP + f"put h m2 SYNCPOINT; get h LOGICAL_ORDER+COMPLETE_MSG {UNFIT} -> 2247", {}),
]

UNLAWFUL: list[tuple[str, dict[str, Any], str]] = [
    (MARKING + "put p m1 => v m1 w m1", {}, "MRK-07"),
    (MARKING + "put p m1 => v pending w pending", {}, "ACT-02"),
    (WAITING + " -> 2033", {}, "WAI-01"),
    ("h = open Q INPUT_SHARED; get h WAIT+SYNCPOINT+NO_SYNCPOINT WaitInterval=5000 -> 2033", {}, "OPT-05"),
    ("h = open Q INPUT_SHARED; get h SET_SIGNAL+SYNCPOINT+NO_SYNCPOINT WaitInterval=5000 -> 2033", ZOS, "OPT-05"),
]


@pytest.mark.parametrize(("history", "setup"), LAWFUL)
def test_what_is_seen_at_last_is_lawful(history: str, setup: dict[str, Any]) -> None:
    assert [step.text for step in replay(history, "history", **setup) if step.departs] == []


@pytest.mark.parametrize(("history", "setup", "rule"), UNLAWFUL)
def test_what_is_seen_at_last_departs_because_of_the_rule(history: str, setup: dict[str, Any], rule: str) -> None:
    steps = list(replay(history, "history", **setup))
    assert [step.departs for step in steps[:-1]] == [False] * (len(steps) - 1)
    departure = steps[-1].followed.departure
    assert departure is not None
    assert rule in (*departure.rules, *departure.before)
