"""Lawful and unlawful outcomes that only several calls show: waits that meet, locks and cursors left over.

Each history ends with the call in question, and its observed outcome after the arrow.
"""

from __future__ import annotations

from typing import Any

import pytest

from oracle.replay import replay

Case = tuple[str, dict[str, Any]]

ZOS = {"platform": "zos"}

MARKING = """
p = C.open Q OUTPUT
h = open Q BROWSE+CO_OP
g = B.open Q BROWSE+CO_OP
v = get h BROWSE_FIRST+UNMARKED_BROWSE_MSG+MARK_BROWSE_CO_OP+WAIT WaitInterval=-1
w = get g BROWSE_FIRST+UNMARKED_BROWSE_MSG+MARK_BROWSE_CO_OP+WAIT WaitInterval=-1
"""

MARKED = """
p = C.open Q OUTPUT
h = open Q BROWSE+CO_OP
g = B.open Q BROWSE+CO_OP
put p m1
get h BROWSE_FIRST+MARK_BROWSE_CO_OP -> m1
"""
SHORT = MARKED + "w = get g BROWSE_FIRST+UNMARKED_BROWSE_MSG+WAIT WaitInterval=10000;"
LONG = MARKED + "w = get g BROWSE_FIRST+UNMARKED_BROWSE_MSG+MARK_BROWSE_CO_OP+WAIT WaitInterval=60000;"

HANDLES = "h = open Q BROWSE+INPUT_SHARED+OUTPUT+INQUIRE; g = B.open Q INPUT_SHARED;"
SCANNED = "put h m2 NO_SYNCPOINT; advance 60s; get g NO_SYNCPOINT MatchOptions=MATCH_MSG_ID MsgId=@m2 -> m2;"
UNCOMMITTED = HANDLES + "put h m1 SYNCPOINT Expiry=10;" + SCANNED + "cmit;"
GOT = HANDLES + "put h m1 NO_SYNCPOINT Expiry=10; get h SYNCPOINT -> m1;" + SCANNED + "back;"
WITH_PROPERTIES = (
    "h = open Q INPUT_SHARED+OUTPUT; put h m1 LOGICAL_ORDER MsgFlags=SEGMENT Format=MQHRF2 Data="
    "524648200200000048000000110100003303000" + "04d5153545220202000000000b804000020000000"
    "3c7573723e3c636f6c6f75723e7265643c2f636f6c6f75723e3c2f7573723e206869; put h x LOGICAL_ORDER MsgFlags=LAST_SEGMENT;"
)
LOCKED = HANDLES + "put h m1 NO_SYNCPOINT Expiry=10; get h BROWSE_FIRST+LOCK -> m1;" + SCANNED

ON_SEGMENT = """
h = open Q BROWSE+OUTPUT
g = B.open Q BROWSE+INPUT_SHARED
put h s1 MsgFlags=SEGMENT GroupId=a1
put h s2 MsgFlags=LAST_SEGMENT GroupId=a1 Offset=2 Expiry=100
get h BROWSE_FIRST MatchOptions=MATCH_OFFSET Offset=2 -> s2
"""
TAKEN = ON_SEGMENT + "get g SYNCPOINT MatchOptions=MATCH_OFFSET Offset=2 -> s2;"
HELD = ON_SEGMENT + "get g BROWSE_FIRST+LOCK MatchOptions=MATCH_OFFSET Offset=2 -> s2;"
OFFSET_AT_CURSOR = HANDLES + "put h m1; get h BROWSE_FIRST -> m1; get h MatchOptions=MATCH_OFFSET COMPLETE_MSG+"
UNDER_CURSOR = "get h BROWSE_MSG_UNDER_CURSOR+COMPLETE_MSG"

IN_GROUP = """
h = open Q INPUT_SHARED+OUTPUT
put h m1 MsgFlags=MSG_IN_GROUP GroupId=a1 Persistence=1
put h s1 MsgFlags=LAST_MSG_IN_GROUP+SEGMENT GroupId=a1 MsgSeqNumber=2 Persistence=1
put h s2 MsgFlags=LAST_MSG_IN_GROUP+LAST_SEGMENT GroupId=a1 MsgSeqNumber=2 Offset=2 Persistence=1
get h LOGICAL_ORDER -> m1
"""
UNFIT = "MatchOptions=MATCH_MSG_SEQ_NUMBER MsgSeqNumber=7"
WAITING = "h = open Q INPUT_SHARED+OUTPUT; put h m1; get h LOGICAL_ORDER+WAIT WaitInterval=5000 " + UNFIT

LOCK_EXPIRES = "h = open Q BROWSE+OUTPUT+INQUIRE; put h m1 Expiry=100; get h BROWSE_FIRST+LOCK -> m1;"

MEANINGLESS = "h = open Q INPUT_SHARED+OUTPUT; put h m1 OriginalLength=50; get h -> OK OriginalLength="

PREFIX = """
h = open Q BROWSE+OUTPUT
g = B.open Q INPUT_SHARED
put h s1 MsgFlags=SEGMENT GroupId=a1 CodedCharSetId=850
put h s2 MsgFlags=LAST_SEGMENT GroupId=a1 Offset=2 CodedCharSetId=819
get h BROWSE_FIRST+COMPLETE_MSG+LOCK -> 2243 Offset=0
"""

FIRST_EXPIRED = """
h = open Q INPUT_SHARED+OUTPUT+INQUIRE
put h m1 MsgFlags=MSG_IN_GROUP GroupId=a1 Expiry=10
put h m2 MsgFlags=LAST_MSG_IN_GROUP GroupId=a1 MsgSeqNumber=2
advance 60s
get h ALL_MSGS_AVAILABLE -> 2033
"""

UNFIT_SCAN = f"""
h = open Q BROWSE+OUTPUT; put h m1; put h m2
get h BROWSE_FIRST+LOGICAL_ORDER+LOCK -> m1
get h BROWSE_NEXT+LOGICAL_ORDER {UNFIT} -> 2033
"""

LAWFUL: list[Case] = [
    (MARKING + "put p m1 => v m1 w pending", {}),
    (MARKING + "put p m1 => v pending w m1", {}),
    (WITH_PROPERTIES + "get h COMPLETE_MSG+NO_PROPERTIES -> OK data=686978 OriginalLength=3", {}),
    (WITH_PROPERTIES + "get h COMPLETE_MSG+NO_PROPERTIES -> OK data=686978 OriginalLength=75", {}),
    (LOCKED + "inq h CurrentQDepth -> CurrentQDepth=0", ZOS),
    (LOCKED + "inq h CurrentQDepth -> CurrentQDepth=1", ZOS),
    (SHORT + "advance 20s => w m1", {}),
    (SHORT + "advance 20s => w 2033", {}),
    (LONG + "advance 11s => w m1; get h BROWSE_FIRST+UNMARKED_BROWSE_MSG -> m1", {}),
    (LONG + "advance 11s => w m1; get h BROWSE_FIRST+UNMARKED_BROWSE_MSG -> 2033", {}),
    *[(before + f"{UNDER_CURSOR} -> 2246", {}) for before in (ON_SEGMENT, TAKEN, HELD, ON_SEGMENT + "advance 60s;")],
    *[(before + f"{UNDER_CURSOR} -> 2034", {}) for before in (TAKEN, HELD, ON_SEGMENT + "advance 60s;")],
    (OFFSET_AT_CURSOR + "MSG_UNDER_CURSOR -> m1", {}),
    (OFFSET_AT_CURSOR + "BROWSE_MSG_UNDER_CURSOR -> 2247", {}),
    (LOCK_EXPIRES + "advance 60s; get h UNLOCK -> OK", {}),
    (LOCK_EXPIRES + "advance 60s; get h UNLOCK -> 2209", {}),
    (MEANINGLESS + "50", {}),
    (MEANINGLESS + "-1", {}),
    (PREFIX + "get g -> 2033", {}),
    (PREFIX + "get g -> s2", {}),
    (FIRST_EXPIRED + "inq h CurrentQDepth -> CurrentQDepth=1", {}),
    (UNFIT_SCAN + "get h UNLOCK -> 2209", {}),
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

UNLAWFUL: list[tuple[Case, str]] = [
    ((MARKING + "put p m1 => v m1 w m1", {}), "MRK-07"),
    ((MARKING + "put p m1 => v pending w pending", {}), "ACT-02"),
    ((SHORT + "advance 4s => w m1", {}), "WAI-01"),
    ((LONG + "advance 9s => w m1; get h BROWSE_FIRST+UNMARKED_BROWSE_MSG -> m1", {}), "MRK-15"),
    ((ON_SEGMENT + f"{UNDER_CURSOR} -> 2034", {}), "CUR-12"),
    ((LOCK_EXPIRES + "get h UNLOCK -> 2209", {}), "LCK-15"),
    ((LOCK_EXPIRES + "advance 60s; get h UNLOCK -> 2209; inq h CurrentQDepth -> CurrentQDepth=1", {}), "EXP-31"),
    ((MEANINGLESS + "2", {}), "MTC-09"),
    ((PREFIX + "get g -> s1", {}), "LCK-03"),
    ((FIRST_EXPIRED + "inq h CurrentQDepth -> CurrentQDepth=2", {}), "EXP-11"),
    ((UNFIT_SCAN + "get h UNLOCK -> OK", {}), "LCK-12"),
    ((WAITING + " -> 2033", {}), "WAI-01"),
    ((UNCOMMITTED + "inq h CurrentQDepth -> CurrentQDepth=0", ZOS), "EXP-24"),
    ((GOT + "inq h CurrentQDepth -> CurrentQDepth=0", ZOS), "EXP-24"),
    (("h = open Q INPUT_SHARED; get h WAIT+SYNCPOINT+NO_SYNCPOINT WaitInterval=5000 -> 2033", {}), "OPT-05"),
    (("h = open Q INPUT_SHARED; get h SET_SIGNAL+SYNCPOINT+NO_SYNCPOINT WaitInterval=5000 -> 2033", ZOS), "OPT-05"),
]


@pytest.mark.parametrize("case", LAWFUL)
def test_what_is_seen_at_last_is_lawful(case: Case) -> None:
    history, setup = case
    assert [step.text for step in replay(history, "history", **setup) if step.departs] == []


@pytest.mark.parametrize(("case", "rule"), UNLAWFUL)
def test_what_is_seen_at_last_departs_because_of_the_rule(case: Case, rule: str) -> None:
    history, setup = case
    steps = list(replay(history, "history", **setup))
    assert [step.departs for step in steps[:-1]] == [False] * (len(steps) - 1)
    departure = steps[-1].followed.departure
    assert departure is not None
    assert rule in (*departure.rules, *departure.before)
