"""Table 3: the outcome of a get or a close that leaves a group or logical message unfinished."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Final, Literal

from conformance.checks.check import Check
from conformance.checks.generated.rows import row


@dataclass(frozen=True, slots=True)
class InconsistencyRow:
    """A cell of Table 3."""

    call: Literal["ordered get", "unordered get", "close"]
    """The kind of the current call."""
    after_ordered: bool
    """Whether the get before it had MQGMO_LOGICAL_ORDER."""
    rule: str
    """The rule of the cell."""


TABLE_3: Final = (
    InconsistencyRow("ordered get", True, "LOG-35"),
    InconsistencyRow("ordered get", False, "LOG-36"),
    InconsistencyRow("unordered get", True, "LOG-37"),
    InconsistencyRow("unordered get", False, "LOG-38"),
    InconsistencyRow("close", True, "LOG-39"),
    InconsistencyRow("close", False, "LOG-40"),
)

_PUTS: Final = """
h = open Q BROWSE+INPUT_SHARED+OUTPUT
put h g1 NO_SYNCPOINT MsgFlags=MSG_IN_GROUP GroupId=d0
put h g2 NO_SYNCPOINT MsgFlags=LAST_MSG_IN_GROUP GroupId=d0 MsgSeqNumber=2
put h s1 NO_SYNCPOINT MsgFlags=SEGMENT GroupId=a0
put h s2 NO_SYNCPOINT MsgFlags=LAST_SEGMENT GroupId=a0 Offset=2
put h u1 NO_SYNCPOINT MsgFlags=MSG_IN_GROUP+SEGMENT GroupId=e0
put h u2 NO_SYNCPOINT MsgFlags=LAST_MSG_IN_GROUP+LAST_SEGMENT GroupId=e0 Offset=2
put h m1 NO_SYNCPOINT
"""

_UNFINISHED: Final = ("d0", "a0", "e0", "00")
"""GroupIds of a group, a logical message and both; the last is of a plain message, after which all is finished."""

_SYNCPOINTS: Final = ("NO_SYNCPOINT", "SYNCPOINT", "BROWSE_NEXT")


def checks() -> Iterator[Check]:
    """Yield a check for each cell."""
    for number, entry in enumerate(TABLE_3, start=1):
        before = "an ordered" if entry.after_ordered else "an unordered"
        title = f"Table 3, {entry.call} after {before} get"
        yield row(f"table-3-cell-{number}", title, (entry.rule,), _histories(entry))


def _histories(entry: InconsistencyRow) -> Iterator[str]:
    order = "+LOGICAL_ORDER" if entry.after_ordered else ""
    afterwards = _SYNCPOINTS if entry.call != "close" else ("",)
    for group, before, after in product(_UNFINISHED, _SYNCPOINTS, afterwards):
        first = "BROWSE_FIRST" if before == "BROWSE_NEXT" else before
        begun = f"{_PUTS}get h {first}{order} MatchOptions=MATCH_GROUP_ID GroupId={group}\n"
        if entry.call == "close":
            yield f"{begun}close h\n"
        else:
            asked = "+LOGICAL_ORDER" if entry.call == "ordered get" else ""
            yield f"{begun}get h {after}{asked} MatchOptions=0\nget h {after}{asked} MatchOptions=0\nclose h\n"
