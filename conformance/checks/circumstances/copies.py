"""Circumstances of the same calls on other queues: what belongs to one queue, handle or connection is its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from conformance.checks.circumstances.change import Circumstance, handle_of
from conformance.sessions.session import History, Setup
from oracle.histories.notation import Line, Reference, Value
from oracle.values import replace

_QUEUE, _NAME, _CONN = ".2", "_2", "2"
"""The endings of the queues, handles and messages, and connections of the copies."""

_LONGEST_NAME: Final = 48

_OF_ALL: Final = frozenset({"advance", "quiesce", "scan"})
"""The lines about the whole queue manager, which are not repeated."""

_OF_CONNECTIONS: Final = frozenset({"conn", "disc", "cmit", "back", "fail"})
"""The lines about whole connections."""


def _side_by_side(conn: str, history: History) -> History:
    """Return a history in which each call is repeated at once, on another queue, by a connection with this ending."""
    names = {queue["name"] for queue in history.setup.queues}
    if any(len(name + _QUEUE) > _LONGEST_NAME for name in names):
        return history
    once = _OF_ALL if conn else _OF_ALL | _OF_CONNECTIONS

    def lines() -> Iterator[Line]:
        for line in history.lines:
            yield line
            if line.verb not in once and not (line.verb == "alter" and line.queue not in names):
                yield _copy(line, names, conn)

    copies = (_defined(queue, names) for queue in history.setup.queues)
    return History(Setup((*history.setup.queues, *copies), history.setup.qmgr), tuple(lines()))


def _defined(queue: Mapping[str, Any], names: set[str]) -> Mapping[str, Any]:
    target = {"target": _other(queue["target"], names)} if "target" in queue else {}
    return {**queue, "name": _other(queue["name"], names), **target}


def _copy(line: Line, names: set[str], conn: str) -> Line:
    return replace(
        line,
        conn=line.conn if line.handle or line.verb == "alter" else line.conn + conn,
        by=None if line.by is None else line.by + conn,
        name=_named(handle_of(line) if line.verb == "open" else line.name),
        handle=_named(line.handle),
        message=_named(line.message),
        queue=None if line.queue is None else _other(line.queue, names),
        members=tuple((name, _value(value)) for name, value in line.members),
    )


def _named(name: str | None) -> str | None:
    return None if name is None else name + _NAME


def _other(queue: str, names: set[str]) -> str:
    return queue + _QUEUE if queue in names else queue


def _value(value: Value) -> Value:
    return replace(value, message=value.message + _NAME) if isinstance(value, Reference) else value


COPIES: Final = (
    Circumstance(
        "others-alike", "other connections make the same calls on other queues", partial(_side_by_side, _CONN)
    ),
    Circumstance("both-queues", "each connection makes the same calls on another queue", partial(_side_by_side, "")),
)
