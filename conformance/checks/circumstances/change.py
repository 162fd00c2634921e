"""A circumstance, and the helpers with which changes of histories are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from conformance.sessions.session import History, Setup
from oracle.histories.notation import Line, Value, parse
from oracle.model.requests.option_matrix import BROWSE, UNDER_CURSOR
from oracle.mqi.constants import MQGMO, MQPMO
from oracle.values import replace

Change = Callable[[History], History]
"""A function that returns a history under a circumstance; one that it does not affect is returned unchanged."""

WAITS: Final = MQGMO.WAIT | MQGMO.SET_SIGNAL
# The options that say whether a call is part of a unit of work.
GET_UNITS: Final = MQGMO.SYNCPOINT | MQGMO.NO_SYNCPOINT | MQGMO.SYNCPOINT_IF_PERSISTENT
PUT_UNITS: Final = MQPMO.SYNCPOINT | MQPMO.NO_SYNCPOINT
IN_A_GROUP: Final = frozenset({"MsgFlags", "GroupId", "MsgSeqNumber", "Offset"})
"""The members that place a put in a group or a logical message."""


@dataclass(frozen=True, slots=True)
class Circumstance:
    """One circumstance under which any history can be played."""

    name: str
    """Its name, as a part of a check's id."""
    what: str
    """Its description, which follows "where"."""
    change: Change
    """The change that it makes to a history."""

    def of(self, history: History) -> History | None:
        """Return a history under this circumstance; None if that is the same."""
        changed = self.change(history)
        return None if changed == history else changed


def is_put(line: Line) -> bool:
    """Return whether a line is an MQPUT or MQPUT1."""
    return line.verb in ("put", "put1")


def removes(line: Line) -> bool:
    """Return whether a line is an MQGET that takes the first message that suits it from its queue."""
    return line.verb == "get" and not line.options & (BROWSE | UNDER_CURSOR | MQGMO.UNLOCK)


def members(line: Line) -> Mapping[str, Value]:
    """Return the members of the structures that a line sets, by C name."""
    return dict(line.members)


def with_members(line: Line, **given: Value) -> Line:
    """Return a line that sets these members too."""
    return replace(line, members=tuple({**members(line), **given}.items()))


def with_options(line: Line, options: int, instead_of: int = 0) -> Line:
    """Return a line with further options, without those that they stand for."""
    return replace(line, options=line.options & ~int(instead_of) | int(options))


def with_lines(history: History, lines: Iterable[Line]) -> History:
    """Return a history of other lines on the same queue manager."""
    return History(history.setup, tuple(lines))


def each(history: History, change: Callable[[Line], Line]) -> History:
    """Return a history in which each line is changed by itself."""
    return with_lines(history, map(change, history.lines))


def opens(history: History) -> Mapping[str, Line]:
    """Return the lines that open queues, by the names of the handles."""
    return {handle_of(line): line for line in history.lines if line.verb == "open" and line.queue}


def handle_of(line: Line) -> str:
    """Return the name of the handle that an open makes."""
    return line.name or line.queue or ""


def opened_by(line: Line, opened: Mapping[str, Line]) -> Line | None:
    """Return the line that opened the handle which a call uses."""
    return None if line.handle is None else opened.get(line.handle)


def connection_of(line: Line, opened: Mapping[str, Line]) -> str:
    """Return the connection that makes a call."""
    opening = opened_by(line, opened)
    return line.by or (line.conn if opening is None else opening.conn)


def connections(history: History) -> tuple[str, ...]:
    """Return the connections that open queues."""
    return tuple(dict.fromkeys(line.conn for line in opens(history).values()))


def local_queues(history: History) -> tuple[str, ...]:
    """Return the names of the initial local queues."""
    return tuple(queue["name"] for queue in history.setup.queues if queue.get("type", "local") == "local")


def with_queues(history: History, *queues: Mapping[str, Any], **attributes: Any) -> History:
    """Return a history with further queues, and with attributes of its local queues where these are not set."""
    local = local_queues(history)
    given = tuple({**attributes, **each} if each["name"] in local else each for each in history.setup.queues)
    return History(Setup((*given, *queues), history.setup.qmgr), history.lines)


def begun_by(history: History, steps: str) -> History:
    """Return a history that begins with further lines; `{queue}` in them is its first local queue."""
    local = local_queues(history)
    return with_lines(history, (*parse(steps.format(queue=local[0])), *history.lines)) if local else history
