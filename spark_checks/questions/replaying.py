"""The oracle's explanation of a call: it follows the queue's calls up to there, if the log allows it.

It follows as the audit does (spark_checks.replay): a queue whose definition is known and that was empty when a complete
log began, as far as the order of its calls is certain. It begins anew wherever the queue was surely empty and at rest.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any, Final

from oracle.errors import BadInputError, MqOracleError
from oracle.histories.event_log import COLUMNS, Event, QueueHeader
from oracle.judging.explain import summary
from oracle.judging.message_names import MessageNames
from oracle.replay.log import definition_of
from oracle.rules.reason_rules import rules_of
from spark_checks.frames import Column
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import QUEUE
from spark_checks.preparation.connections import IN_OPEN_UNIT, has_unknown_effect, with_open_units
from spark_checks.preparation.facts import attributes_of
from spark_checks.preparation.log import Log, prepare
from spark_checks.questions.evidence import Evidence, event_of
from spark_checks.replay.certain import Placed
from spark_checks.replay.followable import followable
from spark_checks.replay.moments import AFTER_CONN, AFTER_SEQ, BY_MOMENT, IN_VAIN, after_of, at_their_moments
from spark_checks.replay.piece import OF_CONNECTIONS, Reached, follow_to, without_reports
from spark_checks.replay.rest import Rest
from spark_checks.replay.rests import Rests

_NAMED: Final = ("MQOPEN", "MQCLOSE", "MQPUT", "MQPUT1", "MQGET", "MQSET", "CALLBACK")


@dataclass(frozen=True)
class Replayed:
    """The oracle's explanation of a call."""

    followed: bool
    """Whether it could follow the calls on the queue up to there."""
    sentence: str
    """The explanation, or the reason why there is none."""
    rules: tuple[str, ...] = ()
    """The rules behind it."""


def replayed(evidence: Evidence, event: Event, most_calls: int) -> Replayed:
    """Follow the calls on the queue of a call up to it, and return what the model allowed there."""
    unfit = _unfit(evidence, event, most_calls)
    if unfit is not None:
        return Replayed(False, f"the oracle did not follow the queue: {unfit}")
    users = _users(evidence, event)
    log = _log(evidence, event, users)
    known = followable(log, evidence.headers, Rests())
    circumstances = known.queues.get((event.qmgr, str(event.queue)))
    if circumstances is None:
        whys = [why for why, count in known.unknown.items() if count]
        return Replayed(False, f"the oracle did not follow the queue: {whys[0] if whys else 'it has no definition'}")
    placed = _placed(log, event, evidence.margin, _in_open_units(evidence, event, users))
    before = [call for call in placed if _key(call.event) != _key(event)]
    until = next((number for number, call in enumerate(placed) if _key(call.event) == _key(event)), None)
    if until is None:
        return Replayed(False, "the oracle did not follow the queue: the call does not move its messages")
    return _told(follow_to(before[:until], placed[until], circumstances), event)


def _unfit(evidence: Evidence, event: Event, most_calls: int) -> str | None:
    """Return why the oracle is not to follow the queue of a call, None if it may."""
    if most_calls == 0:
        return "--replay-calls is 0"
    if not evidence.facts.complete:
        return "the log does not say that it has every call"
    mine = _on_queue_of(event)
    number = evidence.by_queue.where(mine & (fn.col("start_us") <= event.end_us)).count()
    if number > most_calls:
        return f"{number:,} calls on it came before, more than --replay-calls {most_calls:,}"
    return _undefined(evidence, event)


def _undefined(evidence: Evidence, event: Event) -> str | None:
    """Return what the definition of a call's queue lacks; None if the oracle can follow the queue."""
    attributes: dict[str, Any] = {}
    for header in evidence.headers:
        if isinstance(header, QueueHeader) and (header.qmgr, header.queue) == (event.qmgr, event.queue):
            attributes |= attributes_of(header)
    if not attributes:
        return "the log has no header for it"
    try:
        found = definition_of(QueueHeader(qmgr=event.qmgr, queue=str(event.queue), **attributes))
    except BadInputError as error:
        return str(error)
    return found if isinstance(found, str) else None


def _key(event: Event) -> tuple[str, str, int]:
    return event.qmgr, event.conn, event.seq


def _on_queue_of(event: Event) -> Column:
    return (fn.col("qmgr") == event.qmgr) & (fn.col("queue") == event.queue)


def _users(evidence: Evidence, event: Event) -> list[str]:
    """Return the connections that use the queue of a call."""
    return [row["conn"] for row in evidence.by_queue.where(_on_queue_of(event)).select("conn").distinct().collect()]


def _in_open_units(evidence: Evidence, event: Event, users: Sequence[str]) -> set[tuple[str, int]]:
    """Return the calls on the queue of a call before which their connections had a unit of work open."""
    theirs = evidence.calls.where((fn.col("qmgr") == event.qmgr) & fn.col("conn").is_in(*users))
    marked = with_open_units(theirs, evidence.facts.platform).where(_on_queue_of(event) & fn.col(IN_OPEN_UNIT))
    return {(row["conn"], row["seq"]) for row in marked.select("conn", "seq").collect()}


def _log(evidence: Evidence, event: Event, users: Sequence[str]) -> Log:
    """Return the log up to a call: the calls on its queue, those that may be, and those that touch all queues."""
    mine = _on_queue_of(event)
    of_all = fn.col("call").is_in(*OF_CONNECTIONS) | has_unknown_effect()
    nameless = fn.col("call").is_in(*_NAMED) & fn.col("queue").is_null()
    conditions = [mine, (fn.col("qmgr") == event.qmgr) & ((of_all & fn.col("conn").is_in(*users)) | nameless)]
    until = fn.col("start_us") <= event.end_us
    return prepare(evidence.calls.where(reduce(or_, conditions) & until).select(*COLUMNS), evidence.facts)


def _placed(log: Log, event: Event, margin: int, in_open_units: Container[tuple[str, int]]) -> list[Placed]:
    """Return the calls in the order of their earliest times, with where the queue was surely empty and at rest."""
    on_queue = (fn.col("queue") == event.queue) | fn.col("call").is_in(*OF_CONNECTIONS) | has_unknown_effect()
    bounds = ("lo", "hi", "since", "until_lo")
    calls = at_their_moments(log.calls.where(on_queue), log.moves)
    rows = calls.select(*COLUMNS, *bounds, AFTER_CONN, AFTER_SEQ, IN_VAIN).order_by(*BY_MOMENT).collect()
    rest = Rest(log.facts.platform, margin)
    placed = []
    for row in rows:
        since_us = rest.since_us
        cut = since_us is not None and since_us <= row["lo"]
        members = row.as_dict()
        rest.note({**members, **dict(zip(QUEUE, (event.qmgr, event.queue), strict=True))})
        in_unit = (row["conn"], row["seq"]) in in_open_units
        times = row["lo"], row["hi"], row["since"], row["until_lo"]
        placed.append(Placed(event_of(row), *times, cut, in_unit, after=after_of(members), in_vain=bool(row[IN_VAIN])))
    return placed


def _told(found: Reached, event: Event) -> Replayed:
    """Return what the model allowed for a call in the state after the calls before it."""
    if found.follower is None:
        return Replayed(False, f"the oracle could not follow the queue up to the call: {found.trouble}")
    try:
        steps = list(found.follower.follow(without_reports(event)))
        allowed = [outcome for step in steps for outcome in step.followed.allowed]
    except MqOracleError as error:
        return Replayed(False, f"the oracle cannot say what the call had to return: {str(error).partition(': ')[2]}")
    departing = next((step for step in steps if step.departs), None)
    if departing is not None and departing.followed.departure is not None:
        departure = departing.followed.departure
        return Replayed(True, f"the model does not allow it: {departure.sentence}", departure.rules[:3])
    rules = _telling(dict.fromkeys(rule for step in steps for rule in step.followed.rules), event)
    ways = list(dict.fromkeys(summary(outcome, MessageNames()) for outcome in allowed))
    only = "nothing else" if len(ways) == 1 else f"{len(ways)} outcomes, this among them"
    return Replayed(True, f"the oracle followed the queue up to the call: the model allows {only}", rules)


def _telling(rules: Iterable[str], event: Event) -> tuple[str, ...]:
    """Return the rules behind an outcome that mention its reason; without any, the first few."""
    spoken = rules_of(event.reason or 0)
    about = {rule.id for rule in (*spoken.decide, *spoken.mention)}
    known = tuple(rules)
    return tuple(rule for rule in known if rule in about)[:_MOST_RULES] if event.reason else known[:_MOST_RULES]


_MOST_RULES: Final = 4
