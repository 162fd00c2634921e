"""Circumstances of other messages on the queue, and of other handles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Final

from conformance.checks.circumstances.change import (
    WAITS,
    Circumstance,
    begun_by,
    connections,
    each,
    handle_of,
    is_put,
    opened_by,
    opens,
    with_lines,
    with_options,
)
from conformance.sessions.session import History
from oracle.histories.notation import Line
from oracle.mqi.constants import MQGMO, MQOO, MQPMO
from oracle.values import replace

_BEFORE: Final = (
    (
        "others",
        "other messages are on the queue, of higher and lower priority",
        """x = X.open {queue} OUTPUT; put x x1 NO_SYNCPOINT Priority=9 Persistence=0
        put x x2 NO_SYNCPOINT Priority=0 Persistence=0; close x""",
    ),
    (
        "uncommitted",
        "another message is on the queue, which is not committed",
        "x = X.open {queue} OUTPUT; put x x1 SYNCPOINT Priority=9 Persistence=0; close x",
    ),
    (
        "locked-other",
        "another message is on the queue, which is locked",
        "x = X.open {queue} OUTPUT+BROWSE; put x x1 NO_SYNCPOINT Priority=9 Persistence=0; get x BROWSE_FIRST+LOCK",
    ),
    (
        "expired",
        "another message is on the queue, which has expired",
        "x = X.open {queue} OUTPUT; put x x1 NO_SYNCPOINT Priority=9 Persistence=0 Expiry=10; close x; advance 2s",
    ),
    (
        "got-other",
        "another message was got from the queue in a unit of work that is open",
        "x = X.open {queue} OUTPUT+INPUT_SHARED; put x x1 NO_SYNCPOINT Priority=9 Persistence=0; get x SYNCPOINT",
    ),
    (
        "part-of-group",
        "a member of a group is on the queue, and the others are not",
        """x = X.open {queue} OUTPUT
        put x x1 NO_SYNCPOINT Persistence=0 GroupId=0f MsgSeqNumber=1 MsgFlags=MSG_IN_GROUP; close x""",
    ),
)
"""For each circumstance its name, its description, and the first actions of another connection."""


def _by_turns(conn: str, history: History) -> History:
    """Replace each handle by two, one of the connection and one of another with this ending, used by turns."""
    opened, uses = opens(history), Counter[str]()

    def parts(line: Line) -> Iterator[Line]:
        if line.verb == "open" and line.queue:
            yield line
            yield replace(line, name=f"{handle_of(line)}_2", conn=line.conn + conn)
        elif line.verb in ("get", "put") and line.by is None and (opening := opened_by(line, opened)) is not None:
            handle = handle_of(opening)
            uses[handle] += 1
            yield line if uses[handle] % 2 else replace(line, handle=f"{handle}_2")
        else:
            yield line

    return with_lines(history, (part for line in history.lines for part in parts(line)))


def _beside_siblings(history: History) -> History:
    """Let another handle of the connection browse and mark before each put and get, with what the handle has not."""
    opened = opens(history)

    def parts(line: Line) -> Iterator[Line]:
        opening = opened_by(line, opened)
        if line.verb in ("get", "put") and line.by is None and opening is not None:
            marks = MQGMO.BROWSE_NEXT | MQGMO.MARK_BROWSE_HANDLE
            yield Line("get", handle=f"{handle_of(opening)}_s", options=int(marks), members=(("MatchOptions", 0),))
        yield line
        if line.verb == "open" and line.queue:
            others = MQOO.BROWSE | (0 if line.options & MQOO.CO_OP else MQOO.CO_OP)
            yield Line("open", conn=line.conn, name=f"{handle_of(line)}_s", queue=line.queue, options=int(others))

    return with_lines(history, (part for line in history.lines for part in parts(line)))


def _opened_anew(history: History) -> History:
    """Make each put and get with a newly opened handle."""
    opened = opens(history)

    def parts(line: Line) -> Iterator[Line]:
        waits = line.verb == "get" and line.options & WAITS
        opening = opened_by(line, opened)
        if line.verb in ("get", "put") and line.by is None and opening is not None and not waits:
            yield Line("close", handle=line.handle)
            yield replace(opening, name=line.handle)
        yield line

    return with_lines(history, (part for line in history.lines for part in parts(line)))


def _twice(history: History) -> History:
    """Repeat everything after all connections have ended."""
    ends = (Line("disc", conn) for conn in connections(history))
    return with_lines(history, (*history.lines, *ends, *history.lines))


def _failing(history: History) -> History:
    return with_lines(history, (*history.lines, *(Line("fail", conn) for conn in connections(history))))


def _quiescing(history: History) -> History:
    """Let the queue manager quiesce after two thirds of the calls, all of which ask to fail then."""

    def asking(line: Line) -> Line:
        if is_put(line):
            return with_options(line, MQPMO.FAIL_IF_QUIESCING)
        return with_options(line, MQGMO.FAIL_IF_QUIESCING) if line.verb == "get" else line

    lines = each(history, asking).lines
    then = len(lines) * 2 // 3
    return with_lines(history, (*lines[:then], Line("quiesce"), *lines[then:]))


OTHERS: Final = (
    *(Circumstance(name, what, partial(begun_by, steps=steps)) for name, what, steps in _BEFORE),
    Circumstance("two-handles", "a second handle is used by turns", partial(_by_turns, "")),
    Circumstance("two-connections", "a second connection is used by turns", partial(_by_turns, "2")),
    Circumstance("siblings", "another handle of the connection has browsed and marked", _beside_siblings),
    Circumstance("opened-anew", "each handle is opened anew for each call", _opened_anew),
    Circumstance("twice", "all has happened before", _twice),
    Circumstance("failing", "the applications end without MQDISC", _failing),
    Circumstance("quiescing", "the queue manager quiesces in between", _quiescing),
)
