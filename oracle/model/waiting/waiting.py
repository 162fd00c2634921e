"""Waiting MQGETs: which of them end when something becomes available (Table 1), is forbidden, or time passes.

Signals are delivered by the same rules (SIG-09, SIG-10).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, combinations, permutations
from typing import Final

from oracle.model.browsing.marks import changes_co_op_marks, is_co_op_marked, mark_may_lapse, may_lapse_ms
from oracle.model.checks import Refusal, any_inhibited, find_handle
from oracle.model.connections import Connection
from oracle.model.expiry import expires_at_ms, note_scanned
from oracle.model.get.get import attempt, empty_handed
from oracle.model.get.signals import cancel_signals, is_held_up, post_arrival, post_when_due
from oracle.model.groups.get_groups import Criteria
from oracle.model.messages.messages import Position
from oracle.model.reply import Completion, Reply, failure
from oracle.model.reports.discards import settle_reports
from oracle.model.reports.scans import move_clock
from oracle.model.requests.get import GetRequest
from oracle.model.state import Queue, State, at_time
from oracle.model.step import Step, as_many_as_followed
from oracle.model.triggers.events import fire_triggers
from oracle.model.waiting.waiters import (
    Waiter,
    connection_of,
    due_ms,
    forget_what_has_gone,
    handle_of,
    is_waiting,
    may_be_activated,
    next_for,
    nobody_waits,
    pass_over,
    request,
    waiters,
)
from oracle.mqi.calls import Advance, Back, Call, Commit, Disconnect, Fail, Quiesce
from oracle.mqi.constants import MQCC, MQGMO, MQRC
from oracle.values import replace

_TICK_MS = 100
"""The protocol's clock moves in tenths of a second: an interval between two ticks may be rounded either way."""

_FREEING: Final = (Commit, Back, Disconnect, Fail)
"""The calls that end a unit of work, and so may make earlier puts or gets available (WAI-15)."""


def serve_waiters(step: Step, call: Call) -> None:
    """End every wait that cannot continue after the step, and deliver the signals that are due."""
    if nobody_waits(step.state):
        fire_triggers(step)
        return
    _cancel_waits(step)
    cancel_signals(step)
    began_before = [waiter for waiter in waiters(step.state) if request(step.state, waiter).call is not call]
    for waiter in began_before:  # what one discards may report to the queue of another
        _note_what_is_scanned(step, request(step.state, waiter), by_signal=waiter.by_signal)
    for waiter in began_before:
        asked = request(step.state, waiter)
        settle_reports(step, asked.queue.name)
        _note_what_does_not_end(step, asked, call)
    _activate_late(step, began_before)
    freed = ("WAI-15",) if isinstance(call, _FREEING) else ()
    while True:
        fire_triggers(step)
        ready = {
            waiter: place
            for waiter in waiters(step.state)
            if not _is_held_up(step, waiter) and (place := next_for(step.state, waiter)) is not None
        }
        if not ready:
            break
        _activate(step, ready, freed)
    forget_what_has_gone(step.state)


def _note_what_is_scanned(step: Step, asked: GetRequest, *, by_signal: bool) -> None:
    """Note that a waiting call may look again, and discard expired messages on its queue (AMB-04, EXP-14).

    So may the queue manager for a signal what is past its time; a message that is not yet delivers it (AMB-117).
    """
    if not step.state.profile.zos:
        return
    for message in asked.queue.messages.mortal():
        end = expires_at_ms(message)
        past = end is not None and step.state.now_ms >= end
        if message.put_by is None and message.got_by is None and (past or not by_signal):
            note_scanned(step, asked.queue, message)


def _note_what_does_not_end(step: Step, asked: GetRequest, call: Call) -> None:
    """Note what does not end a wait: messages that do not match (WAI-04), and quiescing unless requested (QSC-05)."""
    arrived = (each.message for each in step.arrived if each.queue == asked.queue.name and each.available)
    if any(not asked.matching().admits(message) for message in arrived):
        step.because("WAI-04")
    if isinstance(call, Quiesce) and not asked.asks(MQGMO.FAIL_IF_QUIESCING):
        step.because("QSC-05")


def quietly_later(state: State, milliseconds: int) -> State | None:
    """Return the state after a time in which nothing happens; None if something may.

    It is what letting time pass leads to, found without a step. What messages expire and which marks lapse is decided
    when a call meets them.
    """
    scans = state.profile.zos and state.definition.expiry_interval
    return None if scans or not nobody_waits(state) else at_time(state, state.now_ms + milliseconds)


def perform_advance(step: Step, call: Advance) -> Reply:
    """Let time pass. Waits and signals whose interval ends on the way end at their own time."""
    state = step.state
    end = state.now_ms + call.milliseconds
    if nobody_waits(state):
        move_clock(step, end)
        return Reply()
    still_waiting: set[Waiter] = set()
    while (next_due := _next_due(state, end, still_waiting)) is not None:
        deadline, waiter = next_due
        _pass_time(step, call, max(state.now_ms, min(deadline, end)))
        serve_waiters(step, call)
        if not is_waiting(state, waiter):
            continue
        if not _interval_is_over(step, deadline, end, "SIG-07" if waiter.by_signal else "WAI-01"):
            still_waiting.add(waiter)
        elif waiter.by_signal:
            post_when_due(step, handle_of(state, waiter))
        else:
            _finish(step, connection_of(state, waiter), empty_handed, "WAI-01", "WAI-12")
    _pass_time(step, call, end)
    for waiter in waiters(state):
        if not waiter.by_signal:
            step.because("WAI-12" if due_ms(state, waiter) is None else "WAI-01")
    return Reply()


def _pass_time(step: Step, call: Call, until_ms: int) -> None:
    """Let time pass. A waiting call is served as soon as a mark may be dropped, because its own marks age from then on.

    Which old marks are dropped is decided anew at every such moment, and last at the end (MRK-12).
    """
    while (lapse := _next_lapse(step.state, until_ms)) is not None:
        move_clock(step, lapse)
        _drop_old_marks(step)
        serve_waiters(step, call)
    move_clock(step, until_ms)
    _drop_old_marks(step)


def _next_lapse(state: State, until_ms: int) -> int | None:
    """Return when, after now and until then, the next mark becomes old enough that a waiting call may show it."""
    moments = (may_lapse_ms(state, message) for queue in _queues_without_marks(state) for message in queue.messages)
    return min((each for each in moments if each is not None and state.now_ms < each <= until_ms), default=None)


def _drop_old_marks(step: Step) -> None:
    """Decide which old cooperative marks the queue manager drops, if a waiting call would show it (MRK-12)."""
    for queue in _queues_without_marks(step.state):
        for message in queue.messages:
            if mark_may_lapse(step.state, message) and not is_co_op_marked(step, message):
                queue.messages = queue.messages.having(replace(message, co_op_marked_ms=None))


def _queues_without_marks(state: State) -> list[Queue]:
    """Return the queues on which a call waits for a message without mark."""
    requests = (request(state, waiter) for waiter in waiters(state))
    names = dict.fromkeys(asked.queue.name for asked in requests if asked.asks(MQGMO.UNMARKED_BROWSE_MSG))
    return [state.queues[name] for name in names]


def _activate_late(step: Step, began_before: Iterable[Waiter]) -> None:
    """Activate calls that an arrival need not have activated, or not at once: another call was activated instead."""
    for waiter in began_before:
        doubtful = _is_held_up(step, waiter) or next_for(step.state, waiter) is None
        if not doubtful or not may_be_activated(step.state, waiter):
            continue
        if step.choose("is a call activated that need not be", (False, True), "SIG-10"):
            _serve(step, waiter, "SIG-10")


def _is_held_up(step: Step, waiter: Waiter) -> bool:
    return waiter.by_signal and is_held_up(step, handle_of(step.state, waiter))


def _activate(step: Step, ready: Mapping[Waiter, Position], freed: tuple[str, ...]) -> None:
    """Activate waiting calls by Table 1: one that competes, and all browsers, or any of them beside a competitor.

    `freed` is the rule that applies in addition if a unit of work has ended.
    """
    requests = {waiter: request(step.state, waiter) for waiter in ready}
    competitors = [waiter for waiter, asked in requests.items() if asked.competes]
    browsers = [waiter for waiter, asked in requests.items() if not asked.competes]
    step.because(*_rules_of_signals(ready))
    together = (*_rules_of_signals(ready), *freed)
    if not competitors:
        step.because("ACT-02")
        for waiter in _in_turn(step, browsers):
            _serve(step, waiter, "ACT-02", "WAI-03", *together)
        _pass_over_unserved(step, browsers, ready)
        return
    winner = step.choose(
        "which of the waiting calls is served",
        sorted(competitors, key=lambda waiter: not _grade(requests[waiter])),
        "ACT-03" if browsers else "ACT-01",
        *_rules_of_competition([requests[waiter] for waiter in competitors]),
    )
    browsing = step.choose(
        "which of the browsing calls are served as well",
        _subsets(browsers, range(len(browsers), -1, -1)),
        *(("ACT-04",) if browsers else ()),
    )
    signals = [waiter for waiter in competitors if waiter.by_signal and waiter != winner]
    signalled = step.choose(
        "which signals are delivered as well",
        _subsets(signals, range(len(signals) + 1)),
        *(("SIG-11",) if signals else ()),
    )
    together += ("SIG-11",) if signalled else ()
    for waiter in _in_turn(step, browsing):
        _serve(step, waiter, "ACT-04", *together)
    for waiter in signalled:
        _serve(step, waiter, *together)
    if requests[winner].asks(MQGMO.LOCK):
        step.because("ACT-05")
    why = ("ACT-11",) if _alike([requests[waiter] for waiter in competitors]) else ()
    _serve(step, winner, "ACT-03" if browsers else "ACT-01", "WAI-03", *why, *together)
    others = competitors if winner.by_signal else [winner, *signals]
    _pass_over_unserved(step, [*browsers, *others], ready)


def _in_turn(step: Step, browsers: Sequence[Waiter]) -> Sequence[Waiter]:
    """Return the order in which browsing calls are served: any, and it shows if one marks the message (MRK-07)."""
    if not any(changes_co_op_marks(request(step.state, waiter)) for waiter in browsers):
        return browsers
    return step.choose(
        "in which order are the browsing calls served", as_many_as_followed(permutations(browsers)), "MRK-07"
    )


def _pass_over_unserved(step: Step, activated: Iterable[Waiter], ready: Mapping[Waiter, Position]) -> None:
    """Note that the message that has now been offered to these calls is not offered again to those that still wait."""
    for waiter in activated:
        if is_waiting(step.state, waiter):
            pass_over(step.state, waiter, ready[waiter])


def _subsets(of: Sequence[Waiter], sizes: range) -> list[tuple[Waiter, ...]]:
    """Return every choice of so many of the calls, in the order of the sizes."""
    return as_many_as_followed(chain.from_iterable(combinations(of, size) for size in sizes))


def _rules_of_signals(ready: Iterable[Waiter]) -> tuple[str, ...]:
    """Return the rules about several signals, or signals beside waits, for one message (SIG-09, SIG-10)."""
    by_signal = [waiter.by_signal for waiter in ready]
    mixed = any(by_signal) and not all(by_signal)
    return (*(("SIG-09",) if sum(by_signal) > 1 else ()), *(("SIG-10",) if mixed else ()))


def _serve(step: Step, waiter: Waiter, *why: str) -> None:
    """Let an activated call look for its message, or deliver its signal, which returns none (SIG-06)."""
    if waiter.by_signal:
        post_arrival(step, handle_of(step.state, waiter), *(rule for rule in why if not rule.startswith("WAI")))
    else:
        _finish(step, connection_of(step.state, waiter), attempt, *why)


def _rules_of_competition(competitors: list[GetRequest]) -> tuple[str, ...]:
    """Return the rules for several calls that could be served: specific ones first, with no further grades (ACT-07)."""
    if len(competitors) == 1:
        return ()
    grades = {_grade(request) for request in competitors} - {0}
    rules = ("ACT-06", "ACT-08", *(("ACT-07",) if len(grades) > 1 else ()))
    return (*rules, "ACT-11") if _alike(competitors) else rules


def _alike(requests: list[GetRequest]) -> bool:
    """Return whether any two calls have the same criteria, so that each message serves one of them (ACT-11)."""
    criteria = [request.matching() for request in requests]
    return any(criteria.count(each) > 1 for each in criteria)


def _grade(request: GetRequest) -> int:
    """Return how many of MsgId and CorrelId a call asks for by value."""
    criteria = request.matching()
    return (criteria.msg_id is not None) + (criteria.correl_id is not None)


def _cancel_waits(step: Step) -> None:
    """End the waits that an inhibited queue (WAI-07) or a quiescing queue manager (QSC-03) cancels."""
    for connection in step.state.connections.values():
        if connection.waiting is None:
            continue
        handle = find_handle(step, connection.name, connection.waiting.call.hobj)
        if isinstance(handle, Refusal):
            step.because(*handle.rules)
            _complete(step, connection, failure(handle.reason), handle.rules)
            continue
        asked = request(step.state, Waiter(connection.name))
        refusals: list[tuple[int, str]] = []
        if any_inhibited(step, asked.handle.path, "inhibit_get"):
            refusals.append((MQRC.GET_INHIBITED, "WAI-07"))
        if step.state.quiescing and asked.asks(MQGMO.FAIL_IF_QUIESCING):
            refusals.append((MQRC.Q_MGR_QUIESCING, "QSC-03"))
        if refusals:
            reason, rule = step.choose("which of the reasons ends the wait", refusals)
            step.because(rule)
            _complete(step, connection, failure(reason), (rule,))


def _finish(
    step: Step, connection: Connection, carry_out: Callable[[Step, GetRequest], Reply | None], *why: str
) -> None:
    """Carry the waiting call out and report its end, with the rules behind it: `why`, and its own."""
    asked = request(step.state, Waiter(connection.name))
    if carry_out is attempt and asked.matching() == Criteria() and not asked.logical_order:
        why = (*why, "WAI-05")
    if step.state.quiescing:
        why = (*why, "QSC-05")
    before, step.rules, step.identity = step.rules, list(why), asked.call.identity
    reply = carry_out(step, asked)
    if reply is not None and reply.comp_code == MQCC.WARNING:
        step.because("CHK-03")
    rules, step.rules, step.identity = step.rules_since(), before, None
    if reply is not None:
        step.because(*rules)
        _complete(step, connection, reply, rules)


def _complete(step: Step, connection: Connection, reply: Reply, rules: tuple[str, ...]) -> None:
    assert connection.waiting is not None  # callers end only waits that exist
    step.completed.append(Completion(connection.name, connection.waiting.call.identity, reply, rules))
    connection.waiting = None


def _next_due(state: State, end_ms: int, still_waiting: set[Waiter]) -> tuple[int, Waiter] | None:
    """Return which wait or signal may end first until a time, and when, or None."""
    due = [
        (deadline, waiter)
        for waiter in waiters(state)
        if waiter not in still_waiting and (deadline := due_ms(state, waiter)) is not None
    ]
    return min((each for each in due if each[0] < end_ms + _TICK_MS), key=lambda each: each[0], default=None)


def _interval_is_over(step: Step, deadline_ms: int, end_ms: int, rule: str) -> bool:
    """Return whether a wait or a signal has ended by then: intervals are approximate (WAI-01, SIG-07)."""
    if deadline_ms + step.state.profile.wait_tolerance_ms <= end_ms:
        return True
    plainly = deadline_ms <= end_ms
    return step.choose("has the wait interval ended", (plainly, not plainly), rule)
