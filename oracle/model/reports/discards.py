"""Discarding expired messages: by the call that would have returned one, by a scan, or unseen by the queue manager.

An expired message is never returned (EXP-09). The call that would have returned it discards it (EXP-11); it is open
when else that happens: on z/OS calls and scans discard messages (ZOS-01), elsewhere the queue manager may do so at any
time (EXP-31). Such unseen discards are decided only when their effect is observed: at a depth, or at the queue to which
their reports go.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import chain, islice, permutations
from typing import Final

from oracle.model.browsing.marks import rules_of_expired_marks
from oracle.model.expiry import expires_at_ms, may_have_expired
from oracle.model.messages.messages import Message, Position
from oracle.model.reports.reply_queues import route_of_reply
from oracle.model.reports.reports import asks_for, report_if_asked
from oracle.model.state import Queue, State
from oracle.model.step import Step, as_many_as_followed
from oracle.mqi.constants import MQFB
from oracle.mqi.structures import MessageDescriptor

Doubtful = tuple[Queue, Message]

_ANY_ORDER: Final = 3
"""The number of messages up to which each order of unseen discards is an alternative."""

_IN_ANY_SUBSET: Final = 4
"""The number of messages with reports up to which z/OS decides those of several queues together."""


def discard(step: Step, queue: Queue, message: Message, rule: str = "EXP-11") -> None:
    """Discard an expired message, for which a report may be due; neither is part of a unit of work (EXP-26).

    `rule` demands the discard: by default the one about the call that would have returned the message.
    """
    step.because(*rules_of_expired_marks(step, queue, message))
    queue.messages = queue.messages.without(message)
    if asks_for(message.descriptor, MQFB.EXPIRATION):
        settle_reports_of(step, message.descriptor)
    report_if_asked(step, message, MQFB.EXPIRATION, None)
    step.because("EXP-09", rule, "EXP-26")
    if queue.is_transmission_queue and message.made:
        step.because("EXP-16")


def settle_depth(step: Step, queue: Queue) -> None:
    """Decide which expired messages have been discarded, before the depth is used.

    Expired messages count until they are discarded (EXP-24, DEP-05).
    """
    settle_reports(step, queue.name)
    doubtful = [(queue, message) for message in queue.messages if _may_have_gone(step.state, message)]
    _settle(step, doubtful, "EXP-24", "DEP-05")


def settle_places(step: Step, queue: Queue, places: Container[Position]) -> None:
    """Decide which expired messages at some places have been discarded, before these places are used (EXP-31)."""
    doubtful = [
        (queue, each) for each in queue.messages if each.position in places and _may_have_gone(step.state, each)
    ]
    _settle(step, doubtful, "EXP-31")


def settle_reports(step: Step, name: str) -> bool:
    """Decide which messages with reports to a queue have been discarded, before that queue is used.

    Returns whether any has been.
    """
    state = step.state
    if not state.expiration_reports:
        return False
    state.expiration_reports = tuple(
        (queue, position)
        for queue, position in state.expiration_reports
        if queue in state.queues and state.queues[queue].messages.at(position) is not None
    )
    path = state.resolve(name)
    due = [] if path is None else list(_reporting_to(state, path[-1]))
    if due:
        step.because("RPT-03")
    doubtful = [(queue, message) for queue, message in due if _may_have_gone(state, message)]
    return _settle(step, doubtful, "EXP-31", there="" if path is None else path[-1])


def settle_all_reports(step: Step, of: Queue | None = None) -> None:
    """Decide which messages with reports have been discarded, before it changes where reports go.

    With `of` only messages on that queue are meant, and those whose reports go to the same queues.
    """
    by_queue: dict[str, list[Doubtful]] = {}
    for queue, message, reply_queue in _reporting(step.state):
        if of in (None, queue) and _may_have_gone(step.state, message):
            by_queue.setdefault(reply_queue, []).append((queue, message))
    for reply_queue, doubtful in by_queue.items():
        _settle(step, doubtful, "EXP-31", there=reply_queue)


def settle_reports_of(step: Step, md: MessageDescriptor) -> None:
    """Decide which reports have come before one about this message, on the queue to which that goes."""
    route = route_of_reply(step.state, md)
    if route is not None:
        settle_reports(step, route.path[-1])


def _reporting_to(state: State, name: str) -> Iterable[Doubtful]:
    """Yield the messages that may have expired and whose reports would be put on a queue."""
    dead_letters = state.resolve(state.definition.dead_letter_q_name)
    for queue, message, reply_queue in _reporting(state):
        if name in (reply_queue, (dead_letters or ("",))[-1], _announced_on(state, reply_queue)):
            yield queue, message


def _reporting(state: State) -> Iterator[tuple[Queue, Message, str]]:
    """Yield the messages with reports that may have expired, and the queue that each report would be put on, if any."""
    for place, position in state.expiration_reports:
        queue = state.queues.get(place)
        message = None if queue is None else queue.messages.at(position)
        if queue is not None and message is not None and may_have_expired(state, message):
            route = route_of_reply(state, message.descriptor)
            yield queue, message, "" if route is None else route.path[-1]


def _announced_on(state: State, name: str) -> str:
    """Return the initiation queue on which an arrival on a queue may be announced; nothing if there is none."""
    queue = state.queues.get(name)
    return queue.definition.initiation_q_name if queue is not None and queue.definition.trigger_control else ""


def _may_have_gone(state: State, message: Message) -> bool:
    return (
        (message.discardable_ms is not None or not state.profile.zos)
        and may_have_expired(state, message)
        and message.put_by is None
        and message.got_by is None
    )


def _settle(step: Step, doubtful: list[Doubtful], *rules: str, there: str = "") -> bool:
    """Decide which of these messages have been discarded. `there` is the queue that is used, if reports go to it."""
    if not doubtful:
        return False
    answers = _answers(step.state, doubtful, there)
    others = _reporting_beside(step.state, doubtful)
    if others:
        answers = _each_once(answers, _answers(step.state, doubtful + others, there))
    gone = step.choose("which expired messages have been discarded", answers, *rules)
    for queue, message in gone:
        queue.messages = queue.messages.without(message)
        report_if_asked(step, message, MQFB.EXPIRATION, None)
    return bool(gone)


def _answers(state: State, doubtful: list[Doubtful], there: str) -> list[list[Doubtful]]:
    """Return which of some messages may have been discarded by now, in order, as alternatives.

    `there` is the queue that is used, if reports go to it.
    """
    in_time = sorted(doubtful, key=lambda each: (expires_at_ms(each[1]) or 0, each[1].position))
    if state.profile.zos:
        return _as_scanned(in_time)
    orders = [in_time]
    as_freed = sorted(doubtful, key=lambda each: (_since_ms(each[1]), each[1].position))
    if as_freed != in_time:
        orders.append(as_freed)
    if _shows(doubtful):
        orders.append(sorted(doubtful, key=lambda each: (expires_at_ms(each[1]) or 0, _arrival(each))))
    return _each_once(*map(_unseen, orders), _on_the_way(doubtful, there))


def _each_once(*answers: list[list[Doubtful]]) -> list[list[Doubtful]]:
    """Return each of the alternatives once. The first list has none twice, and all are made of the same pairs."""
    if not any(answers[1:]):
        return answers[0]
    return list({tuple(map(id, each)): each for each in chain.from_iterable(answers)}.values())


def _reporting_beside(state: State, doubtful: list[Doubtful]) -> list[Doubtful]:
    """Return the messages that may have been discarded before these, and whose reports go to the same queues.

    The place of a report tells which was discarded first, so it is decided together.
    """
    reporting = [message for _, message in doubtful if _reports(message)]
    if not reporting or len(state.expiration_reports) < 2:
        return []
    routes = [route for message in reporting if (route := route_of_reply(state, message.descriptor)) is not None]
    beside = [
        each
        for name in dict.fromkeys(route.path[-1] for route in routes)
        for each in _reporting_to(state, name)
        if _may_have_gone(state, each[1]) and each not in doubtful
    ]
    return [] if state.profile.zos and len(reporting) + len(beside) > _IN_ANY_SUBSET else beside


def _since_ms(message: Message) -> int:
    """Return since when a message may be discarded: it has expired, and no unit of work holds it any more."""
    return max(expires_at_ms(message) or 0, message.freed_ms or 0)


def _unseen(in_time: list[Doubtful]) -> list[list[Doubtful]]:
    """Return the messages that may have been discarded by now, in order, as alternatives, none first.

    A queue manager that discards unseen takes messages as they expire; one that discards what calls scan takes those.
    One that looks from time to time may go by place, by arrival or, as long as they are few, in any order (AMB-98).
    """
    scanned = [each for each in in_time if each[1].discardable_ms is not None]
    alike = next(
        (
            number
            for number, (one, other) in enumerate(zip(scanned, in_time, strict=False))
            if one[1].position != other[1].position
        ),
        len(scanned),
    )
    answers = [in_time[:count] for count in range(len(in_time) + 1)]
    answers += [scanned[:count] for count in range(alike + 1, len(scanned) + 1)]
    if not _shows(in_time):
        return answers
    shown = [gone for gone in answers if _shows(gone)]
    swept = [sorted(gone, key=_place) for gone in shown] + [sorted(gone, key=_arrival) for gone in shown]
    return _each_once(answers, swept, _any_few(in_time))


def _any_few(in_time: list[Doubtful]) -> list[list[Doubtful]]:
    """Return some of the messages in any order, as long as few of them report: it may pass over others (AMB-98).

    Those without a report may have gone beside them, or not.
    """
    reporting = [each for each in in_time if _reports(each[1])]
    if len(reporting) > _ANY_ORDER:
        return []
    silent = [each for each in in_time if not _reports(each[1])]
    orders = [list(order) for size in range(1, len(reporting) + 1) for order in permutations(reporting, size)]
    return orders + [[*order, *silent] for order in orders if silent]


def _on_the_way(doubtful: list[Doubtful], there: str) -> list[list[Doubtful]]:
    """Return the messages that a get may meet and discard on the queue that their reports go to, as alternatives.

    It may then find such a report behind them, whatever has expired elsewhere.
    """
    met = sorted((each for each in doubtful if each[0].name == there), key=_place)
    return [met[:count] for count in range(1, len(met) + 1)]


def _place(each: Doubtful) -> tuple[str, Position]:
    """Return the place of a message."""
    return each[0].name, each[1].position


def _arrival(each: Doubtful) -> int:
    """Return the number of the put of a message."""
    return each[1].arrival


def _shows(gone: list[Doubtful]) -> bool:
    """Return whether the order of these discards can be observed, because more than one has a report."""
    return len(list(islice((each for each in gone if _reports(each[1])), 2))) > 1


def _as_scanned(in_time: list[Doubtful]) -> list[list[Doubtful]]:
    """Return the scanned messages on z/OS that may have been discarded by now, in order, as alternatives, all first.

    Any may have been: calls and scans meet them in orders and on queues of the queue manager's choice (ZOS-03, VIS-12).
    The order of those that ask for a report can be observed, for others only their number.
    """
    reporting = [each for each in in_time if _reports(each[1])]
    silent = [each for each in in_time if not _reports(each[1])]
    orders = (
        [*reported, *silent[:count]]
        for count in range(len(silent), -1, -1)
        for size in range(len(reporting), -1, -1)
        for reported in permutations(reporting, size)
    )
    return as_many_as_followed(orders)


def orders_of_discard(messages: Sequence[Message]) -> list[list[Message]]:
    """Return the orders in which all of these may be discarded, as far as their reports show them."""
    reporting = [message for message in messages if _reports(message)]
    silent = [message for message in messages if not _reports(message)]
    return as_many_as_followed([*reported, *silent] for reported in permutations(reporting))


def orders_of_scan(due: list[Doubtful]) -> list[list[Doubtful]]:
    """Return the orders in which a scan may discard all of these, as far as their reports show them (AMB-123).

    Queue by queue, as the messages stand there, as they were put, or as they expire; up to three in any order.
    """
    if not _shows(due):
        return [due]
    orders = [
        due,
        sorted(due, key=_place),
        sorted(due, key=_arrival),
        sorted(due, key=lambda each: (expires_at_ms(each[1]) or 0, _arrival(each))),
    ]
    reporting = [each for each in due if _reports(each[1])]
    if len(reporting) <= _ANY_ORDER:
        silent = [each for each in due if not _reports(each[1])]
        orders += [[*order, *silent] for order in permutations(reporting)]
    shown: dict[tuple[int, ...], list[Doubtful]] = {}
    for order in orders:
        shown.setdefault(tuple(id(message) for _, message in order if _reports(message)), order)
    return list(shown.values())


def _reports(message: Message) -> bool:
    return asks_for(message.descriptor, MQFB.EXPIRATION)
