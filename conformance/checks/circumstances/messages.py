"""Circumstances of the messages that are put."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import count
from typing import Final

from conformance.checks.circumstances.change import (
    IN_A_GROUP,
    PUT_UNITS,
    Change,
    Circumstance,
    each,
    is_put,
    members,
    opened_by,
    opens,
    with_lines,
    with_members,
    with_options,
    with_queues,
)
from conformance.sessions.session import History
from oracle.histories.notation import Line, Value, bytes_of
from oracle.model.requests.option_matrix import PROPERTIES
from oracle.mqi.constants import MQGMO, MQMF, MQOO, MQPMO, MQRO
from oracle.values import replace

_CONTEXT: Final = (
    MQPMO.NO_CONTEXT
    | MQPMO.DEFAULT_CONTEXT
    | MQPMO.SET_ALL_CONTEXT
    | MQPMO.SET_IDENTITY_CONTEXT
    | MQPMO.PASS_ALL_CONTEXT
    | MQPMO.PASS_IDENTITY_CONTEXT
)
_PROPERTIES: Final = (
    "52464820020000004800000022020000b8040000202020202020202000000000b8040000"
    "200000003c7573723e3c636f6c6f75723e7265643c2f636f6c6f75723e3c2f7573723e20"
)
"""An MQRFH2 with <usr><colour>red</colour></usr>, which describes the data behind it as a put does by default."""
_OF_DATA: Final = IN_A_GROUP | {"Report", "Format", "CodedCharSetId", "Encoding", "Length", "Data"}
_PRIORITIES: Final = (0, 3, 6, 9, 2, 5, 8, 1, 4, 7)
"""Priorities that are above and below earlier ones, for consecutive puts."""


def _puts(made: Callable[[int], dict[str, Value]], unless: Collection[str] = ()) -> Change:
    """Return a change by which each put sets members, unless it sets one of them or of some others itself."""

    def change(history: History) -> History:
        number = count(1)

        def changed(line: Line) -> Line:
            if not is_put(line) or members(line).keys() & {*made(1), *unless}:
                return line
            return with_members(line, **made(next(number)))

        return each(history, changed)

    return change


def _reported(history: History) -> History:
    asked = int(MQRO.COA | MQRO.COD | MQRO.EXPIRATION)
    return with_queues(_puts(lambda _: {"Report": asked, "ReplyToQ": "REPLIES"})(history), {"name": "REPLIES"})


def _as_members(history: History) -> History:
    """Make the puts members of one group, if they do not mention groups."""
    if any(line.options & MQPMO.LOGICAL_ORDER for line in history.lines if is_put(line)):
        return history
    member = int(MQMF.MSG_IN_GROUP)
    return _puts(lambda number: {"GroupId": "0a", "MsgSeqNumber": number, "MsgFlags": member}, IN_A_GROUP)(history)


def in_segments(history: History) -> History:
    """Split each put into two, of a segment and the last segment of one logical message."""

    def pieces(line: Line) -> Iterator[Line]:
        if line.verb != "put" or members(line).keys() & IN_A_GROUP or line.options & MQPMO.LOGICAL_ORDER:
            yield line
            return
        ordered = with_options(line, MQPMO.LOGICAL_ORDER)
        yield with_members(ordered, MsgFlags=int(MQMF.SEGMENT))
        yield with_members(replace(ordered, message=f"{line.message}b"), MsgFlags=int(MQMF.LAST_SEGMENT))

    return with_lines(history, (piece for line in history.lines for piece in pieces(line)))


def _by_put1(history: History) -> History:
    opened = opens(history)

    def changed(line: Line) -> Line:
        to = opened_by(line, opened)
        if line.verb != "put" or to is None or line.by or line.options & MQPMO.LOGICAL_ORDER:
            return line
        return replace(line, verb="put1", handle=None, conn=to.conn, queue=to.queue)

    return each(history, changed)


def _with_new_identifiers(history: History) -> History:
    new = MQPMO.NEW_MSG_ID | MQPMO.NEW_CORREL_ID
    return each(history, lambda line: with_options(line, new) if is_put(line) else line)


def _with_context(history: History) -> History:
    """Let the puts set all context."""
    context: dict[str, Value] = {"UserIdentifier": "anna", "PutDate": "20240101", "PutTime": "10000000"}

    def changed(line: Line) -> Line:
        if line.verb == "open" and line.options & MQOO.OUTPUT:
            return with_options(line, MQOO.SET_ALL_CONTEXT)
        if line.verb == "put" and not line.options & _CONTEXT:
            return with_members(with_options(line, MQPMO.SET_ALL_CONTEXT), **context)
        return line

    return each(history, changed)


def _with_properties(history: History) -> History:
    """Let messages begin with properties, which gets do not request, if puts do not specify their data.

    A segment cannot have properties, and the documents do not say what a report shows of them.
    """

    def changed(line: Line) -> Line:
        if is_put(line):
            given = members(line).keys()
            if given & _OF_DATA or any("." in name for name in given):
                return line
            return with_members(
                line, Format="MQHRF2", CodedCharSetId=1208, Data=_PROPERTIES + bytes_of(line.message or "").hex()
            )
        is_get = line.verb == "get" and not line.options & MQGMO.UNLOCK
        return with_options(line, MQGMO.NO_PROPERTIES) if is_get and not line.options & PROPERTIES else line

    return each(history, changed)


def _by_default(history: History) -> History:
    """Remove from calls whether they are part of a unit of work: gets and puts have the same default."""
    return each(
        history,
        lambda line: with_options(line, 0, PUT_UNITS) if is_put(line) or line.verb == "get" else line,
    )


MESSAGES: Final = (
    Circumstance("persistent", "messages are persistent", _puts(lambda _: {"Persistence": 1})),
    Circumstance("ranked", "priorities differ", _puts(lambda number: {"Priority": _PRIORITIES[number % 10]})),
    Circumstance("expiring", "messages would expire in a long time", _puts(lambda _: {"Expiry": 100_000})),
    Circumstance("reported", "reports are asked for", _reported),
    Circumstance("members", "messages are members of a group", _as_members),
    Circumstance("segments", "messages are put in two segments", in_segments),
    Circumstance("put1", "messages are put by MQPUT1", _by_put1),
    Circumstance("alike", "messages have the same identifiers", _puts(lambda _: {"MsgId": "a1", "CorrelId": "c1"})),
    Circumstance("new-identifiers", "new identifiers are asked for", _with_new_identifiers),
    Circumstance("context", "applications set the context", _with_context),
    Circumstance("properties", "messages have properties that gets do not want", _with_properties),
    Circumstance("by-default", "calls do not say whether they are in a unit of work", _by_default),
)
