"""Calls that wait for a message, themselves (MQGMO_WAIT) or by a signal (MQGMO_SET_SIGNAL), on equal terms (SIG-10)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from oracle.model.connections import Connection, Waiting
from oracle.model.expiry import may_have_expired
from oracle.model.groups.get_groups import table_2
from oracle.model.handles import Handle, Signal
from oracle.model.messages.messages import Message, Position
from oracle.model.requests.get import GetRequest, request_of
from oracle.model.search.selection import available_messages
from oracle.model.search.wholeness import certainly_whole, perhaps_whole
from oracle.model.state import State
from oracle.values import replace


@dataclass(frozen=True, slots=True)
class Waiter:
    """A call that waits: a connection's own, or the one that set a handle's signal."""

    conn: str
    """The connection that made it."""
    hobj: int | None = None
    """The handle with the signal; None for a connection's own call."""

    @property
    def by_signal(self) -> bool:
        """Whether the call has returned and a signal waits for it."""
        return self.hobj is not None


def nobody_waits(state: State) -> bool:
    """Return whether no call waits at all, neither itself nor by a signal."""
    calls = [connection for connection in state.connections.values() if connection.waiting is not None]
    return not calls and not [handle for handle in state.handles.values() if handle.signal is not None]


def waiters(state: State) -> Iterator[Waiter]:
    """Yield every call that waits and whose queue still exists, those that wait themselves first."""
    for connection in state.connections.values():
        if connection.waiting is not None:
            yield Waiter(connection.name)
    for handle in state.handles.values():
        if handle.signal is not None and not handle.queue_deleted:
            yield Waiter(handle.conn, handle.hobj)


def is_waiting(state: State, waiter: Waiter) -> bool:
    """Return whether the call still waits."""
    return _wait(state, waiter) is not None


def request(state: State, waiter: Waiter) -> GetRequest:
    """Return the request of a waiting call on its handle as it is now."""
    wait = _wait(state, waiter)
    assert wait is not None  # callers pass only calls that wait
    return request_of(state, wait.call)


def due_ms(state: State, waiter: Waiter) -> int | None:
    """Return the time at which the call ends without a message; None for never."""
    wait = _wait(state, waiter)
    return wait.due_ms if isinstance(wait, Signal) else None if wait is None else wait.deadline_ms


def next_for(state: State, waiter: Waiter) -> Position | None:
    """Return the place of the message whose arrival activates a waiting call now, or None.

    For a signal the message must suit the call as it was made and as it would be made now, not be about to expire, and
    be no part of anything of which it is open whether it is whole: the search of a call that waits itself decides that.
    Nor need it be signalled if match options do not fit it, so that the call might find nothing (MTC-11).
    """
    found = [next(_new_for(state, waiter, view), None) for view in _views(state, waiter)]
    first = found[-1]
    if first is None or None in found:
        return None
    unfit = not all(view.matching().admits(first) for view in _views(state, waiter))
    return None if waiter.by_signal and (unfit or may_have_expired(state, first)) else first.position


def may_be_activated(state: State, waiter: Waiter) -> bool:
    """Return whether a call may be activated that need not be.

    This is the case if an arrival activated another call and the message stayed, or if it is open whether a message
    suits the call that set a signal: the connection's own uncommitted message (AMB-92), or one of what may be whole.
    """
    wait = _wait(state, waiter)
    if wait is None or not (waiter.by_signal or wait.passed_over):
        return False
    if waiter.by_signal and any(
        _is_own(view, message) for view in _views(state, waiter) for message in view.queue.messages
    ):
        return True
    return any(next(_all_for(state, view), None) is not None for view in _views(state, waiter))


def _is_own(asked: GetRequest, message: Message) -> bool:
    criteria, _ = table_2(asked.logical_order, asked.information, asked.matching())
    return message.put_by == asked.call.conn and criteria.admits(message)


def pass_over(state: State, waiter: Waiter, position: Position) -> None:
    """Note that an arrival activated another call than this one."""
    wait = _wait(state, waiter)
    if wait is not None:
        _set_wait(state, waiter, replace(wait, passed_over=wait.passed_over | {position}))


def forget_what_has_gone(state: State) -> None:
    """Let a message count as a new arrival when it becomes available again."""
    for waiter in waiters(state):
        wait = _wait(state, waiter)
        if wait is not None and wait.passed_over:
            there = {message.position for view in _views(state, waiter) for message in _all_for(state, view)}
            _set_wait(state, waiter, replace(wait, passed_over=wait.passed_over & there))


def connection_of(state: State, waiter: Waiter) -> Connection:
    """Return the connection of a waiting call."""
    return state.connections[waiter.conn]


def handle_of(state: State, waiter: Waiter) -> Handle:
    """Return the handle on which a signal is outstanding."""
    assert waiter.hobj is not None  # callers pass only signals
    return state.handles[waiter.conn, waiter.hobj]


def _wait(state: State, waiter: Waiter) -> Waiting | Signal | None:
    if waiter.hobj is None:
        return state.connections[waiter.conn].waiting
    handle = state.handles.get((waiter.conn, waiter.hobj))
    return None if handle is None else handle.signal


def _set_wait(state: State, waiter: Waiter, wait: Waiting | Signal) -> None:
    if isinstance(wait, Signal):
        handle_of(state, waiter).signal = wait
    else:
        state.connections[waiter.conn].waiting = wait


def _views(state: State, waiter: Waiter) -> tuple[GetRequest, ...]:
    """Return the readings of the call: a signal's also with its handle as it was when it was set."""
    now = request(state, waiter)
    wait = _wait(state, waiter)
    return (replace(now, handle=wait.handle), now) if isinstance(wait, Signal) else (now,)


def _all_for(state: State, asked: GetRequest, *, certain: bool = False) -> Iterator[Message]:
    """Yield what suits a waiting call; `certain`: by every reading of what is whole."""
    whole = certainly_whole if certain else perhaps_whole
    return iter(()) if asked.under_cursor else available_messages(state, asked, whole=whole)


def _new_for(state: State, waiter: Waiter, asked: GetRequest) -> Iterator[Message]:
    wait = _wait(state, waiter)
    passed = frozenset[Position]() if wait is None else wait.passed_over
    there = _all_for(state, asked, certain=waiter.by_signal)
    return (message for message in there if message.position not in passed)
