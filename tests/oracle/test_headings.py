"""Which rule a departure names first where its output, or what came before it, tells that rule from others."""

from __future__ import annotations

from typing import Any

import pytest

from oracle.mqi.profile import PlatformName
from oracle.protocol import ObservedReply
from tests.oracle.test_follow import Session

OPEN = "h = open Q INPUT_SHARED+BROWSE+OUTPUT+INQUIRE; "
GROUP = (
    "put h a NO_SYNCPOINT GroupId=01 MsgFlags=MSG_IN_GROUP; "
    "put h b NO_SYNCPOINT CorrelId=c2 GroupId=01 MsgSeqNumber=2 MsgFlags=LAST_MSG_IN_GROUP{more}; "
)
WHOLE = (
    "put h a NO_SYNCPOINT GroupId=01 MsgFlags=SEGMENT; "
    "put h b NO_SYNCPOINT CorrelId=c2 GroupId=01 Offset=1 MsgFlags=LAST_SEGMENT; "
)
INDEXED = ({"name": "Q", "IndexType": "GROUP_ID"},)


def first_rule(session: Session, call: str, reply: ObservedReply | None = None, **members: Any) -> str:
    """Return the rule that a call with another reply, or with other members, is said to break first."""
    departure = session.instead(call, reply, **members).departure
    assert departure is not None
    return departure.rules[0]


@pytest.mark.parametrize("expiry", [-1, 500])
def test_an_expiry_above_the_cap_is_blamed_on_the_cap(expiry: int) -> None:
    session = Session(
        OPEN + "put1 Q m1 NO_SYNCPOINT Expiry=500", start="", queues=({"name": "Q", "CAPEXPRY": 100},), platform="zos"
    )
    assert first_rule(session, "get h NO_SYNCPOINT", MQMD__Expiry=expiry) == "CAP-01"


@pytest.mark.parametrize(
    ("passed", "member", "value"),
    [
        ("MsgFlags=LAST_MSG_IN_GROUP", "MQGMO__GroupStatus", "L"),
        ("MQGMO.Version=2 SegmentStatus=L", "MQGMO__SegmentStatus", "L"),
        ("MQGMO.Version=2 Segmentation=A", "MQGMO__Segmentation", "A"),
    ],
)
def test_an_output_with_the_value_that_was_passed_is_stale(passed: str, member: str, value: str) -> None:
    session = Session(OPEN + "put h m1 NO_SYNCPOINT", start="")
    members: dict[str, Any] = {member: value}
    assert first_rule(session, f"get h NO_SYNCPOINT MatchOptions=NONE {passed}", **members) == "GST-07"


def test_an_output_with_another_value_is_not_stale() -> None:
    session = Session(OPEN + "put h m1 NO_SYNCPOINT", start="")
    call = "get h NO_SYNCPOINT MatchOptions=NONE MsgFlags=LAST_MSG_IN_GROUP"
    assert first_rule(session, call, MQGMO__GroupStatus="G") == "GST-01"


@pytest.mark.parametrize(
    ("history", "call", "rule"),
    [
        (GROUP.format(more=" Expiry=50") + "advance 30s", "get h ALL_MSGS_AVAILABLE+NO_SYNCPOINT", "EXP-25"),
        (
            GROUP.format(more="")
            + "g = B.open Q BROWSE; get g BROWSE_FIRST+LOCK MatchOptions=MATCH_CORREL_ID CorrelId=c2",
            "get h ALL_MSGS_AVAILABLE+NO_SYNCPOINT",
            "LCK-01",
        ),
        (
            WHOLE + "g = B.open Q BROWSE; get g BROWSE_FIRST+LOCK MatchOptions=MATCH_CORREL_ID CorrelId=c2",
            "get h COMPLETE_MSG+NO_SYNCPOINT",
            "LCK-05",
        ),
        (
            WHOLE + "g = B.open Q INPUT_SHARED; get g SYNCPOINT MatchOptions=MATCH_CORREL_ID CorrelId=c2",
            "get h ALL_SEGMENTS_AVAILABLE+NO_SYNCPOINT",
            "SYN-01",
        ),
    ],
)
def test_a_part_that_is_not_whole_is_blamed_on_what_hides_the_rest(history: str, call: str, rule: str) -> None:
    session = Session(OPEN + history, start="")
    assert first_rule(session, call, session.message("a")) == rule


def test_a_part_whose_rest_was_never_put_is_blamed_on_what_withholds_it() -> None:
    session = Session(OPEN + "put h a NO_SYNCPOINT GroupId=01 MsgFlags=MSG_IN_GROUP", start="")
    assert first_rule(session, "get h ALL_MSGS_AVAILABLE+NO_SYNCPOINT", session.message("a")).startswith("AMA")


def test_a_message_that_a_backout_made_available_must_not_be_passed_over() -> None:
    history = OPEN + "put h m1 NO_SYNCPOINT; put h m2 NO_SYNCPOINT; get h SYNCPOINT; back; "
    session = Session(history, start="")
    assert first_rule(session, "get h NO_SYNCPOINT MatchOptions=NONE", session.message("m2")) == "SYN-03"
    session = Session(history + "get h BROWSE_FIRST MatchOptions=NONE", start="")
    assert first_rule(session, "get h NO_SYNCPOINT MatchOptions=NONE", session.message("m2")) != "SYN-03"


SIGNALLED = OPEN + "s = get h NO_SYNCPOINT+SET_SIGNAL WaitInterval=60000 MatchOptions=NONE; "


@pytest.mark.parametrize(("event", "rule"), [("quiesce", "QSC-05"), ("advance 1s", "SIG-12")])
def test_a_signal_that_is_lost_is_blamed_on_what_came_since(event: str, rule: str) -> None:
    session = Session(SIGNALLED + event, start="", platform="zos")
    call = "get h NO_SYNCPOINT+SET_SIGNAL WaitInterval=60000 MatchOptions=NONE"
    assert first_rule(session, call, ObservedReply(1, 2070)) == rule


def test_a_signal_is_no_reason_against_a_call_that_neither_waits_nor_sets_one() -> None:
    session = Session(SIGNALLED, start="", platform="zos")
    call = "get h BROWSE_NEXT MatchOptions=MATCH_CORREL_ID CorrelId=dd"
    assert first_rule(session, call, ObservedReply(2, 2069)) == "SIG-12"


@pytest.mark.parametrize("platform", ["distributed", "zos"])
def test_numbers_that_a_backout_must_have_restored_are_blamed_on_it(platform: PlatformName) -> None:
    history = OPEN + "put h a SYNCPOINT MsgFlags=MSG_IN_GROUP; back; "
    session = Session(history, start="", queues=INDEXED, platform=platform)
    call = "put h b LOGICAL_ORDER+SYNCPOINT MsgFlags=MSG_IN_GROUP"
    assert first_rule(session, call, MQMD__MsgSeqNumber=2) == "PTB-24"


def test_numbers_that_a_commit_must_have_kept_are_blamed_on_it() -> None:
    history = OPEN + "put h a LOGICAL_ORDER+SYNCPOINT MsgFlags=MSG_IN_GROUP; cmit; "
    session = Session(history, start="", queues=INDEXED)
    call = "put h b LOGICAL_ORDER+SYNCPOINT MsgFlags=MSG_IN_GROUP"
    assert first_rule(session, call, MQMD__MsgSeqNumber=1) == "PTB-23"


def test_a_report_that_the_end_of_a_connection_must_have_committed_is_blamed_on_that() -> None:
    history = """
    h = open Q INPUT_SHARED+OUTPUT
    put h m1 NO_SYNCPOINT Report=COD ReplyToQ=R
    get h SYNCPOINT
    r = B.open R INPUT_SHARED
    disc A
    """
    session = Session(history, start="", queues=({"name": "Q"}, {"name": "R"}))
    assert first_rule(session, "get r NO_SYNCPOINT", ObservedReply(2, 2033)) == "CON-04"


def test_a_message_that_did_not_fit_a_waiting_get_is_still_there() -> None:
    history = (
        OPEN
        + """
    inq h CurrentQDepth
    w = get h WAIT+NO_SYNCPOINT BufferLength=0 WaitInterval=9000
    B.put1 Q m1 NO_SYNCPOINT
    """
    )
    session = Session(history, start="")
    assert first_rule(session, "get h NO_SYNCPOINT", ObservedReply(2, 2033)) == "TRN-04"
    assert first_rule(session, "inq h CurrentQDepth", values={"CurrentQDepth": 0}) == "TRN-04"


def test_what_was_not_taken_must_not_be_counted_as_backed_out() -> None:
    history = OPEN + "put h m1 NO_SYNCPOINT; get h SYNCPOINT BufferLength=0; back; "
    session = Session(history, start="")
    assert first_rule(session, "get h NO_SYNCPOINT", MQMD__BackoutCount=1) == "TRN-11"


def test_messages_that_one_backout_returns_must_have_their_order() -> None:
    history = (
        OPEN
        + """
    put h m1 NO_SYNCPOINT
    put h m2 NO_SYNCPOINT
    get h SYNCPOINT
    get h SYNCPOINT MatchOptions=NONE
    back
    """
    )
    session = Session(history, start="")
    assert first_rule(session, "get h NO_SYNCPOINT MatchOptions=NONE", session.message("m2")) == "VIS-04"


def test_a_message_that_a_sister_handle_has_marked_must_be_found() -> None:
    history = (
        OPEN
        + """
    k = open Q BROWSE
    put h m1 NO_SYNCPOINT
    put h m2 NO_SYNCPOINT
    get k BROWSE_FIRST+MARK_BROWSE_HANDLE
    """
    )
    session = Session(history, start="")
    assert first_rule(session, "get h BROWSE_FIRST+UNMARKED_BROWSE_MSG", session.message("m2")) == "MRK-01"
    assert first_rule(session, "get h BROWSE_FIRST+UNMARKED_BROWSE_MSG", ObservedReply(2, 2033)) == "MRK-01"


def test_an_alternate_user_must_not_become_the_user_of_the_connection() -> None:
    history = OPEN + "put h m1 NO_SYNCPOINT; get h NO_SYNCPOINT; put h m2 NO_SYNCPOINT; "
    session = Session(history, start="")
    assert first_rule(session, "get h NO_SYNCPOINT MatchOptions=NONE", MQMD__UserIdentifier="other") == "USR-01"
