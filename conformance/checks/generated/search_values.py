"""Table 2: the message that a get looks for, by the order that it asks for and what is current on the handle."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Final

from conformance.checks.check import Check
from conformance.checks.generated.rows import row


@dataclass(frozen=True, slots=True)
class SearchRow:
    """A row of Table 2."""

    number: int
    """Its number in the table."""
    rule: str
    """The rule of the row."""
    logical_order: bool
    """Whether the get has MQGMO_LOGICAL_ORDER."""
    current_group: bool | None
    """Whether the handle is within a group before the get. None for either."""
    current_message: bool | None
    """Whether the handle is within a logical message before the get. None for either."""


TABLE_2: Final = (
    SearchRow(1, "LOG-15", True, False, False),
    SearchRow(2, "LOG-16", True, False, True),
    SearchRow(3, "LOG-17", True, True, False),
    SearchRow(4, "LOG-18", True, True, True),
    SearchRow(5, "LOG-19", False, None, None),
)

MESSAGES: Final = """
h = open Q BROWSE+INPUT_SHARED+OUTPUT
put h k2 NO_SYNCPOINT MsgFlags=LAST_MSG_IN_GROUP GroupId=c0 MsgSeqNumber=2
put h t2 NO_SYNCPOINT MsgFlags=LAST_SEGMENT GroupId=b0 Offset=2 CorrelId=c1
put h s1 NO_SYNCPOINT MsgFlags=SEGMENT GroupId=a0
put h s2 NO_SYNCPOINT MsgFlags=LAST_SEGMENT GroupId=a0 Offset=2 CorrelId=c1
put h g1 NO_SYNCPOINT MsgFlags=MSG_IN_GROUP GroupId=d0
put h m1 NO_SYNCPOINT CorrelId=c1
put h g3 NO_SYNCPOINT MsgFlags=LAST_MSG_IN_GROUP GroupId=d0 MsgSeqNumber=3 CorrelId=c1
put h g2 NO_SYNCPOINT MsgFlags=MSG_IN_GROUP GroupId=d0 MsgSeqNumber=2
put h u1 NO_SYNCPOINT MsgFlags=MSG_IN_GROUP GroupId=e0
put h u2 NO_SYNCPOINT MsgFlags=MSG_IN_GROUP+SEGMENT GroupId=e0 MsgSeqNumber=2
put h u3 NO_SYNCPOINT MsgFlags=MSG_IN_GROUP+LAST_SEGMENT GroupId=e0 MsgSeqNumber=2 Offset=2
put h u4 NO_SYNCPOINT MsgFlags=LAST_MSG_IN_GROUP GroupId=e0 MsgSeqNumber=3 CorrelId=c1
"""
"""Two groups and a segmented message, none of them in order, with a plain one and two ends without a beginning."""

CURRENT: Final = {(False, False): ("", 0), (False, True): ("a0", 1), (True, False): ("d0", 1), (True, True): ("e0", 2)}
"""The GroupId, and the number of messages that make a group, a logical message, both or none current."""

MATCHES: Final = (
    "MatchOptions=0",
    "MatchOptions=MATCH_CORREL_ID CorrelId=c1",
    "MatchOptions=MATCH_GROUP_ID GroupId=d0",
    "MatchOptions=MATCH_GROUP_ID GroupId=e0",
    "MatchOptions=MATCH_MSG_SEQ_NUMBER MsgSeqNumber=2",
    "MatchOptions=MATCH_OFFSET Offset=2",
)


def checks() -> Iterator[Check]:
    """Yield a check for each row."""
    for entry in TABLE_2:
        yield row(f"table-2-row-{entry.number}", f"Table 2, row {entry.number}", (entry.rule,), _histories(entry))


def _histories(entry: SearchRow) -> Iterator[str]:
    groups = (False, True) if entry.current_group is None else (entry.current_group,)
    messages = (False, True) if entry.current_message is None else (entry.current_message,)
    order = "+LOGICAL_ORDER" if entry.logical_order else ""
    for group, message, browses, match in product(groups, messages, (False, True), MATCHES):
        kind = "BROWSE_NEXT" if browses else "NO_SYNCPOINT"
        start = "BROWSE_FIRST" if browses else kind
        first, count = CURRENT[group, message]
        begun = f"get h {start}+LOGICAL_ORDER MatchOptions=MATCH_GROUP_ID GroupId={first}\n" if first else ""
        begun += f"get h {kind}+LOGICAL_ORDER MatchOptions=0\n" * (count - 1)
        again = f"get h {kind}{order} MatchOptions=0\n" * 2
        begin = kind if first else start
        yield f"{MESSAGES}{begun}get h {begin}{order} {match}\n{again}"
