"""Waiting MQGETs: which of them end when something becomes available (Table 1), is forbidden, or time passes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import chain, combinations
from typing import Final

from oracle.calls import Advance, Back, Call, Commit, Disconnect, Fail, Quiesce
from oracle.constants import MQCC, MQGMO, MQRC
from oracle.model.checks import Refusal, any_inhibited, find_handle
from oracle.model.discards import settle_reports
from oracle.model.get import attempt, empty_handed
from oracle.model.get_request import GetRequest, request_of
from oracle.model.groups import Criteria
from oracle.model.marks import is_co_op_marked, mark_may_lapse
from oracle.model.messages import Position
from oracle.model.reply import Completion, Reply, failure
from oracle.model.scans import move_clock
from oracle.model.selection import first_available
from oracle.model.state import Connection, State
from oracle.model.step import Step
from oracle.model.triggers import fire_triggers

_TICK_MS = 100
"""The protocol's clock moves in tenths of a second: an interval between two ticks may be taken for either."""


_FREEING: Final = (Commit, Back, Disconnect, Fail)
"""What ends a unit of work, and so may make messages available that were put or got before (WAI-15)."""


def serve_waiters(step: Step, call: Call) -> None:
    """End every wait that cannot go on after what has just happened."""
    _cancel_waits(step, call)
    for connection in step.state.connections.values():
        if connection.waiting is not None:
            request = _request(step.state, connection)
            settle_reports(step, request.queue.name)
            _note_unsuitable_arrivals(step, request)
    freed = ("WAI-15",) if isinstance(call, _FREEING) else ()
    passed_over: set[tuple[str, Position]] = set()
    while True:
        fire_triggers(step)
        ready = {
            connection.name: position
            for connection in step.state.connections.values()
            if (position := _next_for(step.state, connection)) is not None
            and (connection.name, position) not in passed_over
        }
        if not ready:
            return
        _activate(step, ready, passed_over, freed)


def _note_unsuitable_arrivals(step: Step, request: GetRequest) -> None:
    """Note that messages which do not match leave a waiting call waiting (WAI-04)."""
    arrived = (message for queue, message in step.arrived if queue == request.queue.name)
    if any(not request.matching().admits(message) for message in arrived):
        step.because("WAI-04")


def perform_advance(step: Step, call: Advance) -> Reply:
    """Let time pass; waits whose interval ends on the way end at their own moment."""
    state = step.state
    end = state.now_ms + call.milliseconds
    still_waiting: set[str] = set()
    while (connection := _next_due(state, end, still_waiting)) is not None:
        deadline = _deadline(connection)
        move_clock(step, max(state.now_ms, min(deadline, end)))
        serve_waiters(step, call)
        if connection.waiting is None:
            continue
        if _interval_is_over(step, deadline, end):
            _finish(step, connection, empty_handed, "WAI-01", "WAI-12")
        else:
            still_waiting.add(connection.name)
    move_clock(step, end)
    _drop_old_marks(step)
    for connection in state.connections.values():
        if connection.waiting is not None:
            step.because("WAI-12" if connection.waiting.deadline_ms is None else "WAI-01")
    return Reply()


def _drop_old_marks(step: Step) -> None:
    """Decide which old cooperative marks the queue manager drops, where a waiting call would show it (MRK-12)."""
    for connection in step.state.connections.values():
        if connection.waiting is None:
            continue
        request = _request(step.state, connection)
        if not request.asks(MQGMO.UNMARKED_BROWSE_MSG):
            continue
        for message in request.queue.messages:
            if mark_may_lapse(step.state, message) and not is_co_op_marked(step, message):
                request.queue.messages = request.queue.messages.having(replace(message, co_op_marked_ms=None))


def _activate(
    step: Step, ready: dict[str, Position], passed_over: set[tuple[str, Position]], freed: tuple[str, ...]
) -> None:
    """Activate waiting calls by Table 1: one that competes, and all browsers, or any of them beside a competitor.

    `freed` is the rule that applies in addition where a unit of work has ended.
    """
    connections = step.state.connections
    requests = {name: _request(step.state, connections[name]) for name in ready}
    competitors = [name for name, request in requests.items() if request.competes]
    browsers = [name for name, request in requests.items() if not request.competes]
    if not competitors:
        step.because("ACT-02")
        for name in browsers:
            _finish(step, connections[name], attempt, "ACT-02", "WAI-03", *freed)
        passed_over.update((name, ready[name]) for name in browsers)
        return
    winner = step.choose(
        "which of the waiting calls is served",
        sorted(competitors, key=lambda name: not _specific(requests[name])),
        "ACT-03" if browsers else "ACT-01",
        *_rules_of_competition([requests[name] for name in competitors]),
    )
    subsets = list(chain.from_iterable(combinations(browsers, size) for size in range(len(browsers), -1, -1)))
    activated = step.choose(
        "which of the browsing calls are served as well", subsets, *(("ACT-04",) if browsers else ())
    )
    for name in activated:
        _finish(step, connections[name], attempt, "ACT-04", *freed)
    passed_over.update((name, ready[name]) for name in browsers if name not in activated)
    if requests[winner].asks(MQGMO.LOCK):
        step.because("ACT-05")
    why = ("ACT-11",) if _alike([requests[name] for name in competitors]) else ()
    _finish(step, connections[winner], attempt, "ACT-03" if browsers else "ACT-01", "WAI-03", *why, *freed)
    passed_over.add((winner, ready[winner]))


def _rules_of_competition(competitors: list[GetRequest]) -> tuple[str, ...]:
    """Return the rules for several calls that could be served: specific ones first, with no further grades (ACT-07)."""
    if len(competitors) == 1:
        return ()
    grades = {_grade(request) for request in competitors} - {0}
    rules = ("ACT-06", "ACT-08", *(("ACT-07",) if len(grades) > 1 else ()))
    return (*rules, "ACT-11") if _alike(competitors) else rules


def _alike(requests: list[GetRequest]) -> bool:
    """Whether any two calls have the same criteria, so that each message serves one of them (ACT-11)."""
    criteria = [request.matching() for request in requests]
    return any(criteria.count(each) > 1 for each in criteria)


def _cancel_waits(step: Step, call: Call) -> None:
    """End the waits that an inhibited queue (WAI-07) or a quiescing queue manager (QSC-03) cancels."""
    for connection in step.state.connections.values():
        if connection.waiting is None:
            continue
        handle = find_handle(step, connection.name, connection.waiting.call.hobj)
        if isinstance(handle, Refusal):
            step.because(*handle.rules)
            _complete(step, connection, failure(handle.reason), handle.rules)
            continue
        request = _request(step.state, connection)
        refusals: list[tuple[int, str]] = []
        if any_inhibited(step, request.handle.path, "inhibit_get"):
            refusals.append((MQRC.GET_INHIBITED, "WAI-07"))
        if step.state.quiescing:
            if request.asks(MQGMO.FAIL_IF_QUIESCING):
                refusals.append((MQRC.Q_MGR_QUIESCING, "QSC-03"))
            elif isinstance(call, Quiesce):
                step.because("QSC-05")
        if refusals:
            reason, rule = step.choose("which of the reasons ends the wait", refusals)
            step.because(rule)
            _complete(step, connection, failure(reason), (rule,))


def _finish(
    step: Step, connection: Connection, carry_out: Callable[[Step, GetRequest], Reply | None], *why: str
) -> None:
    """Carry the waiting call out and report its end, with the rules that this rests on: `why`, and its own."""
    request = _request(step.state, connection)
    if carry_out is attempt and request.matching() == Criteria() and not request.logical_order:
        why = (*why, "WAI-05")
    if step.state.quiescing:
        why = (*why, "QSC-05")
    before, step.rules, step.identity = step.rules, dict.fromkeys(why), request.call.identity
    reply = carry_out(step, request)
    if reply is not None and reply.comp_code == MQCC.WARNING:
        step.because("CHK-03")
    rules, step.rules, step.identity = tuple(step.rules), before, None
    if reply is not None:
        step.because(*rules)
        _complete(step, connection, reply, rules)


def _complete(step: Step, connection: Connection, reply: Reply, rules: tuple[str, ...]) -> None:
    assert connection.waiting is not None  # noqa: S101 - callers end only waits that exist
    step.completed.append(Completion(connection.name, connection.waiting.call.identity, reply, rules))
    connection.waiting = None


def _next_for(state: State, connection: Connection) -> Position | None:
    """Return the position of the message that a waiting call would get now, or None."""
    if connection.waiting is None:
        return None
    message = first_available(state, _request(state, connection))
    return None if message is None else message.position


def _request(state: State, connection: Connection) -> GetRequest:
    assert connection.waiting is not None  # noqa: S101 - callers ask only for connections that wait
    return request_of(state, connection.waiting.call)


def _specific(request: GetRequest) -> bool:
    """Whether a waiting call asks for a particular MsgId or CorrelId, which is served first if possible (ACT-06)."""
    return _grade(request) > 0


def _grade(request: GetRequest) -> int:
    """Return how many of MsgId and CorrelId a call asks for by value."""
    criteria = request.matching()
    return (criteria.msg_id is not None) + (criteria.correl_id is not None)


def _deadline(connection: Connection) -> int:
    assert connection.waiting is not None  # noqa: S101 - callers ask only for connections that wait
    assert connection.waiting.deadline_ms is not None  # noqa: S101 - and whose wait has an end
    return connection.waiting.deadline_ms


def _next_due(state: State, end_ms: int, still_waiting: set[str]) -> Connection | None:
    """Return the connection whose wait may end first until then, or None."""
    due = [
        connection
        for connection in state.connections.values()
        if connection.name not in still_waiting
        and connection.waiting is not None
        and connection.waiting.deadline_ms is not None
        and connection.waiting.deadline_ms < end_ms + _TICK_MS
    ]
    return min(due, key=_deadline, default=None)


def _interval_is_over(step: Step, deadline_ms: int, end_ms: int) -> bool:
    """Whether the wait has ended by then: intervals are approximate (WAI-01)."""
    if deadline_ms + step.state.profile.wait_tolerance_ms <= end_ms:
        return True
    plainly = deadline_ms <= end_ms
    return step.choose("has the wait interval ended", (plainly, not plainly), "WAI-01")
