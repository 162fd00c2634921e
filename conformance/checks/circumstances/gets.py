"""Circumstances of getting messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Final

from conformance.checks.circumstances.change import (
    WAITS,
    Change,
    Circumstance,
    each,
    handle_of,
    is_put,
    members,
    opened_by,
    opens,
    removes,
    with_lines,
    with_members,
    with_options,
)
from conformance.checks.circumstances.messages import in_segments
from conformance.sessions.session import History
from oracle.histories.notation import Line
from oracle.model.requests.option_matrix import BROWSE, UNDER_CURSOR
from oracle.mqi.constants import INPUT_OPTIONS, MQGMO, MQOO, MQPMO
from oracle.values import replace

_WAIT_MS: Final = 1000


def _gets(options: int, which: Callable[[Line], bool] = lambda _: True) -> Change:
    """Return a change that gives gets further options, except UNLOCK, which stands alone."""

    def changed(line: Line) -> Line:
        is_get = line.verb == "get" and not line.options & MQGMO.UNLOCK
        return with_options(line, options) if is_get and which(line) else line

    return partial(each, change=changed)


def _browses(line: Line) -> bool:
    return bool(line.options & BROWSE)


def _may_wait(line: Line) -> bool:
    return line.verb == "get" and not line.options & (WAITS | UNDER_CURSOR | MQGMO.UNLOCK)


def _waiting(line: Line) -> Line:
    return with_members(with_options(line, MQGMO.WAIT), WaitInterval=_WAIT_MS)


def _ready_to_wait(history: History) -> History:
    return each(history, lambda line: _waiting(line) if _may_wait(line) else line)


def _put_during_a_wait(history: History) -> History:
    """Move a get that directly follows a put before it, so that it waits for the message.

    A separate connection puts the message, because that of the get may wait.
    """
    opened, lines, other = opens(history), list(history.lines), dict[str, Line]()
    moved = -1
    for place, (put, get) in enumerate(pairwise(history.lines)):
        opening = opened_by(put, opened)
        may_come_later = is_put(put) and not put.options & MQPMO.SYNCPOINT and (opening is not None or not put.handle)
        if not may_come_later or not _may_wait(get) or moved == place:
            continue
        if opening is None:
            later = replace(put, conn="P")
        else:
            later = replace(put, handle=f"{put.handle}_of_p", by=None)
            other[handle_of(opening)] = replace(opening, conn="P", name=later.handle)
        lines[place : place + 2] = _waiting(get), later
        moved = place + 1
    return with_lines(history, _opened_besides(lines, other))


def _opened_besides(lines: list[Line], other: dict[str, Line]) -> Iterator[Line]:
    """Yield lines with further opens after the opens of some handles."""
    for line in lines:
        yield line
        if line.verb == "open" and handle_of(line) in other:
            yield other.pop(handle_of(line))


def _is_whole(line: Line) -> bool:
    refused = line.options & (MQGMO.UNLOCK | MQGMO.ACCEPT_TRUNCATED_MSG)
    return line.verb == "get" and not refused and "BufferLength" not in members(line)


def _too_long(history: History) -> History:
    return each(history, lambda line: with_members(line, BufferLength=1) if _is_whole(line) else line)


def _cut(history: History) -> History:
    short = _too_long(history)
    return each(
        short,
        lambda line: with_options(line, MQGMO.ACCEPT_TRUNCATED_MSG) if "BufferLength" in members(line) else line,
    )


def _before(first: Callable[[Line], Line | None]) -> Change:
    """Return a change that puts another get before those for which `first` returns one."""

    def both(line: Line) -> Iterator[Line]:
        before = first(line)
        if before is not None:
            yield before
        yield line

    return lambda history: with_lines(history, (each for line in history.lines for each in both(line)))


def _refused(line: Line) -> Line | None:
    """Return a get for whose message the buffer is too short."""
    once = _is_whole(line) and not line.options & WAITS
    return with_members(replace(line, name=None), BufferLength=1) if once else None


def _browsing(options: int, history: History) -> History:
    """Browse the queue, with some options, through the handle of a get before the get removes."""

    def to_browse(line: Line) -> Line:
        return with_options(line, MQOO.BROWSE) if line.verb == "open" and line.options & INPUT_OPTIONS else line

    def browse(line: Line) -> Line | None:
        if not removes(line):
            return None
        return Line("get", handle=line.handle, options=int(MQGMO.BROWSE_FIRST | options), by=line.by)

    return _before(browse)(each(history, to_browse))


def _whole_of_segments(history: History) -> History:
    return _gets(int(MQGMO.COMPLETE_MSG))(in_segments(history))


GETS: Final = (
    Circumstance("waiting", "gets may wait", _ready_to_wait),
    Circumstance("put-during-wait", "messages come while a get waits for them", _put_during_a_wait),
    Circumstance("cut", "messages are cut to a byte", _cut),
    Circumstance("too-long", "messages are too long for the buffer", _too_long),
    Circumstance("too-long-before", "each get was tried with too short a buffer before", _before(_refused)),
    Circumstance("logical", "gets are in logical order", _gets(int(MQGMO.LOGICAL_ORDER))),
    Circumstance("complete", "gets want complete messages", _gets(int(MQGMO.COMPLETE_MSG))),
    Circumstance("complete-segments", "gets want messages complete that are in segments", _whole_of_segments),
    Circumstance("available", "gets want messages of groups that are all there", _gets(int(MQGMO.ALL_MSGS_AVAILABLE))),
    Circumstance("browsed", "the handle has browsed before it removes", partial(_browsing, 0)),
    Circumstance("locked", "the handle has locked before it removes", partial(_browsing, MQGMO.LOCK)),
    Circumstance(
        "marked", "the handle has marked before it removes", partial(_browsing, int(MQGMO.MARK_BROWSE_HANDLE))
    ),
    Circumstance("locking", "browses lock", _gets(int(MQGMO.LOCK), _browses)),
    Circumstance("marking", "browses mark", _gets(int(MQGMO.MARK_BROWSE_HANDLE), _browses)),
)
