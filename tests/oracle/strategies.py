"""Random histories in the notation, over a small alphabet so that calls often concern each other."""

from __future__ import annotations

from hypothesis import strategies as st

OPENS = """
h = open Q BROWSE+INPUT_SHARED+OUTPUT+INQUIRE+SET
i = open Q BROWSE+INPUT_SHARED
g = B.open Q BROWSE+INPUT_SHARED+OUTPUT+CO_OP
r = open R BROWSE+INPUT_SHARED+INQUIRE
s = B.open R BROWSE+INPUT_SHARED
put h m1 Expiry=60
put h m2 SYNCPOINT Priority=5
cmit
"""


def _often(plain: str, times: int, others: list[str]) -> st.SearchStrategy[str]:
    return st.sampled_from([plain] * times + others)


_messages = st.integers(1, 6).map(lambda number: f"m{number}")
_flags = _often(
    "",
    12,
    [
        "MsgFlags=MSG_IN_GROUP",
        "MsgFlags=LAST_MSG_IN_GROUP",
        "MsgFlags=SEGMENT",
        "MsgFlags=LAST_SEGMENT",
        "MsgFlags=MSG_IN_GROUP+SEGMENT",
        "MsgFlags=LAST_MSG_IN_GROUP+LAST_SEGMENT",
    ],
)
_put_options = st.sampled_from(
    ["", "SYNCPOINT", "SYNCPOINT", "NO_SYNCPOINT", "LOGICAL_ORDER", "LOGICAL_ORDER+SYNCPOINT"]
)
_expiry = _often("", 3, ["Expiry=30", "Expiry=100"])
_priority = st.sampled_from(["", "Priority=0", "Priority=5", "Priority=9"])
_reports = _often(
    "",
    9,
    [
        "Report=EXPIRATION ReplyToQ=R Expiry=20",
        "Report=EXPIRATION_WITH_DATA+PASS_DISCARD_AND_EXPIRY ReplyToQ=R Expiry=30",
        "Report=COA+PASS_MSG_ID ReplyToQ=R",
        "Report=COD_WITH_FULL_DATA ReplyToQ=R",
        "Report=COA+COD ReplyToQ=NOWHERE",
    ],
)
puts = st.builds(
    "put {} {} {} {} {} {} {}".format,
    st.sampled_from("hg"),
    _messages,
    _put_options,
    _flags,
    _expiry,
    _priority,
    _reports,
)

_get_options = st.sampled_from([
    "", "SYNCPOINT", "SYNCPOINT", "SYNCPOINT", "NO_SYNCPOINT", "SYNCPOINT_IF_PERSISTENT", "BROWSE_FIRST", "BROWSE_NEXT",
    "BROWSE_FIRST+LOCK", "BROWSE_FIRST+LOCK", "BROWSE_NEXT+LOCK", "BROWSE_MSG_UNDER_CURSOR", "UNLOCK",
    "BROWSE_MSG_UNDER_CURSOR+LOCK", "MSG_UNDER_CURSOR", "MSG_UNDER_CURSOR+SYNCPOINT", "LOGICAL_ORDER",
    "LOGICAL_ORDER+SYNCPOINT", "BROWSE_FIRST+LOGICAL_ORDER", "BROWSE_NEXT+LOGICAL_ORDER", "COMPLETE_MSG",
    "COMPLETE_MSG+SYNCPOINT", "BROWSE_FIRST+COMPLETE_MSG+LOCK", "ALL_MSGS_AVAILABLE", "ALL_SEGMENTS_AVAILABLE",
    "ALL_MSGS_AVAILABLE+LOGICAL_ORDER", "BROWSE_FIRST+UNMARKED_BROWSE_MSG+MARK_BROWSE_HANDLE",
    "BROWSE_NEXT+UNMARKED_BROWSE_MSG", "BROWSE_FIRST+MARK_BROWSE_CO_OP", "BROWSE_FIRST+UNMARK_BROWSE_CO_OP",
])  # fmt: skip  # each as often as it is drawn
_matches = _often(
    "",
    12,
    [
        "MatchOptions=NONE",
        "MatchOptions=MATCH_MSG_ID MsgId=@m1",
        "MatchOptions=MATCH_GROUP_ID GroupId=@m2",
        "MatchOptions=MATCH_MSG_SEQ_NUMBER MsgSeqNumber=2",
        "BufferLength=1",
        "BufferLength=1 MatchOptions=NONE",
    ],
)
gets = st.builds("get {} {} {}".format, st.sampled_from("hig"), _get_options, _matches)
waits = st.builds(
    "get {} {} {}".format,
    st.sampled_from("hig"),
    st.sampled_from(
        ["WAIT", "BROWSE_NEXT+WAIT", "BROWSE_NEXT+WAIT+LOCK", "SYNCPOINT+WAIT", "BROWSE_NEXT+WAIT+UNMARKED_BROWSE_MSG"]
    ),
    st.sampled_from(["WaitInterval=0", "WaitInterval=2000", "WaitInterval=-1"]),
)

units = st.sampled_from(["cmit", "cmit B", "back", "back", "back B"])
others = st.sampled_from([
    "inq h CurrentQDepth", "inq h CurrentQDepth", "advance 1s", "advance 5s", "advance 9s", "close i",
    "i = open Q BROWSE+INPUT_SHARED", "set h InhibitGet=1", "set h InhibitGet=0", "alter Q InhibitPut=1",
    "alter Q InhibitPut=0", "alter Q MaxQDepth=3", "fail B", "g = B.open Q BROWSE+INPUT_SHARED+OUTPUT+CO_OP", "quiesce",
    "alter Q MsgDeliverySequence=FIFO", "get r", "get s BROWSE_NEXT", "get s SYNCPOINT", "get s WAIT WaitInterval=4000",
    "inq r CurrentQDepth", "get r COMPLETE_MSG", "scan",
])  # fmt: skip  # each as often as it is drawn

histories = st.lists(st.one_of(puts, gets, gets, gets, units, waits, others), min_size=8, max_size=25).map(
    lambda rows: OPENS + "\n".join(rows)
)
