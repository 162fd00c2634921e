"""The explanation of a call: what the log shows of its queue and handle, and what follows by the model's rules."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any, Final

from oracle.histories.event_log import Event
from oracle.model.queue_manager import outcomes
from oracle.model.requests.option_matrix import UNDER_CURSOR
from oracle.mqi.constants import MQCC, MQGMO, MQRC
from oracle.mqi.unknown_effect import has_unknown_effect
from oracle.mqi.without_outputs import WITHOUT_OUTPUTS
from oracle.rules import catalogue
from spark_checks.questions.asked import Point
from spark_checks.questions.evidence import Evidence
from spark_checks.questions.handles import History, history_of
from spark_checks.questions.missing import hints
from spark_checks.questions.modelling import Modelled, modelled
from spark_checks.questions.outcomes import outcome
from spark_checks.questions.points import points_of
from spark_checks.questions.replaying import Replayed, replayed
from spark_checks.questions.stock import Held, Moment, Stock, stock_at
from spark_checks.questions.suits import Cause, Judged, judged
from spark_checks.questions.whereabouts import surely_later
from spark_checks.times import duration, moment

_MOST_NAMED: Final = 5
"""The number of messages that are named, of those that a call of unknown outcome may have taken."""
_SEARCHES: Final = (MQRC.NO_MSG_AVAILABLE, MQRC.NO_MSG_UNDER_CURSOR)


@dataclass
class Answer:
    """The explanation of a call."""

    event: Event
    """The call."""
    points: list[Point]
    """The facts that decided it."""
    stock: Stock | None = None
    """The messages on the queue. None if that was not asked."""
    messages: list[Judged] = field(default_factory=list)
    """The messages on the queue that the call may have met, in its order."""
    assumed: list[str] = field(default_factory=list)
    """The assumptions about what the log does not show: sentences."""
    model: Replayed | None = None
    """The oracle's explanation from following the queue's calls. None if that was not tried."""
    hints: list[str] = field(default_factory=list)
    """What the log lacks, and how to capture it: sentences."""

    @property
    def counts(self) -> Counter[str]:
        """The number of messages that did not suit, by the first cause of each."""
        return Counter(each.causes[0].kind if each.causes else "suited" for each in self.messages)


def why(evidence: Evidence, event: Event, replay_calls: int) -> Answer:
    """Explain why a call ended as it did. The oracle follows at most `replay_calls` calls on its queue up to there."""
    history = history_of(evidence, event)
    answer = Answer(event, [])
    _explain(answer, evidence, history)
    known = event.queue is not None and event.comp_code is not None
    if known and not has_unknown_effect(event.comp_code, event.reason):
        answer.model = replayed(evidence, event, replay_calls)
    answer.hints = _hints(answer, evidence, history)
    return answer


def _explain(answer: Answer, evidence: Evidence, history: History) -> None:
    """Give the facts that decided a call, and the messages on its queue if they did."""
    event = answer.event
    if event.comp_code is None:
        answer.points.append(Point("how the call ended was not captured, so there is nothing to explain"))
    elif has_unknown_effect(event.comp_code, event.reason):
        answer.points += points_of(evidence, event, history, None)
        if event.call == "MQGET" and event.queue is not None:
            answer.points += _perhaps_taken(answer, evidence)
    elif event.call in ("MQGET", "CALLBACK") and event.queue is not None and not _refused(event):
        _ask_the_queue(answer, evidence, history)
    elif event.call in ("MQPUT", "MQPUT1") and event.reason == MQRC.Q_FULL and event.queue is not None:
        answer.stock = stock_at(evidence, event.qmgr, event.queue, _moment(evidence, event))
        answer.points += points_of(evidence, event, history, answer.stock)
    else:
        answer.points += points_of(evidence, event, history, None)


def _hints(answer: Answer, evidence: Evidence, history: History) -> list[str]:
    """Return what the log lacks about a call, its handle and the messages on its queue."""
    event = answer.event
    concerned = [event, *(deed.event for deed in history.before[-20:])]
    concerned += [] if answer.stock is None else [each.shown for each in answer.stock.held[-20:]]
    if all(each.comp_code == MQCC.FAILED for each in concerned):
        concerned += evidence.sample()
    needs = set()
    if answer.stock is not None:
        needs |= set() if _begins_known(evidence, event) else {"depth"}
        needs |= {"MQPUT"} if any(each.put is None for each in answer.stock.held) else set()
    defined = [event.queue] if event.queue is not None else []
    return hints(evidence, concerned, needs=needs, defined=defined)


def _perhaps_taken(answer: Answer, evidence: Evidence) -> list[Point]:
    """Name the messages that a get of unknown outcome may have taken: they were there, and were not seen again."""
    event = answer.event
    when = Moment(event.start_us, event.start_us, evidence.margin, (event.conn, event.seq), evidence.facts.complete)
    answer.stock = stock_at(evidence, event.qmgr, str(event.queue), when)
    free = [one for one in answer.stock.held if one.put_by is one.got_by is one.locked_by is None]
    lost = [one for one in free if all(deed.lo <= event.end_us for deed in one.deeds)]
    sentence = "was on the queue, and no later call returned it: it may be the one that this call took"
    points = [Point(f"message {one.msg_id} {sentence}", ("DLV-03",)) for one in lost[:_MOST_NAMED]]
    if len(lost) > _MOST_NAMED:
        points.append(Point(f"{len(lost) - _MOST_NAMED:,} more messages were there and not seen again"))
    if free and not lost:
        points.append(Point("each message that was on the queue was returned by a later call: it took none of them"))
    return points


def _begins_known(evidence: Evidence, event: Event) -> bool:
    return any(
        (queue.qmgr, queue.queue) == (event.qmgr, event.queue) and queue.depths for queue in evidence.facts.queues
    )


def _refused(event: Event) -> bool:
    """Return whether an MQGET ended before it looked for a message, or did something else."""
    other = event.reason in WITHOUT_OUTPUTS or bool((event.options or 0) & MQGMO.UNLOCK)
    return other or (event.comp_code == MQCC.FAILED and event.reason not in _SEARCHES)


def _moment(evidence: Evidence, event: Event) -> Moment:
    """Return when a call took effect: a call that waited and found nothing had to take what came until the end."""
    waited = (event.options or 0) & MQGMO.WAIT and event.reason == MQRC.NO_MSG_AVAILABLE and event.wait_ms != 0
    lo = event.end_us if waited else event.start_us
    return Moment(lo, event.end_us, evidence.margin, (event.conn, event.seq), evidence.facts.complete)


def _ask_the_queue(answer: Answer, evidence: Evidence, history: History) -> None:
    """Explain which messages were on the queue for an MQGET, and why they did not suit."""
    event = answer.event
    when = _moment(evidence, event)
    stock = stock_at(evidence, event.qmgr, str(event.queue), when)
    answer.stock = stock
    found = modelled(evidence, event, stock, history, when)
    answer.assumed = found.assumed
    own = [each for each in judged(found, history) if each.held.msg_id == event.msg_id]
    others = [each for each in judged(found, history) if each.held.msg_id != event.msg_id]
    failed = event.comp_code == MQCC.FAILED
    answer.points += points_of(evidence, event, history, stock)
    if failed:
        answer.messages = others + own
        answer.points += _of_nothing(answer, found)
        return
    before = [_perhaps_behind(each, own[0], evidence.margin) for each in others if own and each.place < own[0].place]
    answer.messages = before
    under_cursor = (event.options or 0) & UNDER_CURSOR and own
    answer.points += (
        _under_cursor(event, history) if under_cursor else _of_message(event, before, own[0].held if own else None)
    )


def _perhaps_behind(each: Judged, own: Judged, margin: int) -> Judged:
    """Return a message with a doubt if it may stand behind another one of its priority: their puts overlap."""
    put, other = each.held.put, own.held.put
    if put is None or other is None or each.place[0] != own.place[0] or surely_later(other, put, margin):
        return each
    return replace(each, doubts=(*each.doubts, "it may have been put after the one returned: their puts overlap"))


def _of_nothing(answer: Answer, found: Modelled) -> list[Point]:
    """Explain a call that found nothing."""
    points: list[Point] = []
    suited = [each for each in answer.messages if not each.causes]
    sure = [each for each in suited if not each.doubts]
    expired = "" if answer.stock is None or not answer.stock.expired else " but expired ones"
    if not answer.messages:
        points.append(Point(f"no message was on the queue{expired}, as far as the log shows", ("WAI-10",)))
    elif sure:
        sentence = f"message {sure[0].held.msg_id} would have suited, as far as the log shows"
        points.append(Point(f"{sentence}: mq-audit run says whether that is a violation", ("DLV-05",)))
    elif suited:
        sentence = f"message {suited[0].held.msg_id} may have suited, but {suited[0].doubts[0]}"
        points.append(Point(sentence, ("DLV-05",)))
    else:
        number = len(answer.messages)
        sentence = (
            f"none of the {number:,} messages on the queue suited"
            if number > 1
            else "the message on the queue did not suit"
        )
        points.append(Point(sentence, _rules_of(found)))
    return points


def _rules_of(found: Modelled) -> tuple[str, ...]:
    """Return the rules by which the model ends the call as it does."""
    first = next(iter(outcomes(found.state, found.call)), None)
    wanted = ("WAI-01", "WAI-10", "CUR-04", "CUR-05", "CUR-13")
    return () if first is None else tuple(rule for rule in first.rules if rule in wanted)


def _under_cursor(event: Event, history: History) -> list[Point]:
    """Say of a call that returned the message under its cursor which call had put the cursor there."""
    cursor = history.cursor
    if cursor is None or cursor.event.msg_id != event.msg_id:
        return [Point("it asked for the message under the browse cursor; where that was the log does not show")]
    sentence = f"message {event.msg_id} was under the browse cursor, since {cursor.event.call}, call {cursor.event.seq}"
    return [Point(sentence, ("CUR-03",))]


def _of_message(event: Event, before: list[Judged], own: Held | None) -> list[Point]:
    """Explain a call that returned a message; `own` is that message, None if it was not on the queue by the log."""
    if event.msg_id is None:
        return [Point("it returned a message whose MsgId was not captured, so what stood before it is not known")]
    if own is None:
        sentence = f"it returned message {event.msg_id}; how that came to the queue the log does not show"
        return [Point(sentence, ("DLV-01",))]
    if not before and own.put is None:
        return [Point(f"message {event.msg_id} stood first of all, as it seems: the log does not show its put")]
    if not before:
        return [Point(f"message {event.msg_id} stood first of all on the queue", ("PRI-03", "PRI-04"))]
    return [Point(_of_those_before(before), ("PRI-03", "PRI-04"))]


def _of_those_before(before: list[Judged]) -> str:
    """Say whether the messages before the one that a call returned did not suit."""
    suited = [each for each in before if not each.causes]
    if suited and suited[0].doubts:
        return f"message {suited[0].held.msg_id} stands before the one returned, but {suited[0].doubts[0]}"
    if suited:
        sentence = f"message {suited[0].held.msg_id} stands before the one returned and suited, as far as the log shows"
        return f"{sentence}: mq-audit run says whether that is a violation"
    if len(before) > 1:
        return f"none of the {len(before):,} messages before the one that it returned suited"
    return "the message before the one that it returned did not suit"


def headline(event: Event) -> str:
    """Return a line that identifies the call."""
    queue = "" if event.queue is None else f" on {event.queue}"
    took = duration(event.end_us - event.start_us)
    return (
        f"{event.call} of connection {event.conn}, call {event.seq}{queue}, {moment(event.start_us)}, took {took}: "
        f"{outcome(event)}"
    )


def title_of(rule: str) -> str:
    """Return a rule with its title."""
    return f"{rule} {catalogue.rule(rule).title}"


def document_of(answer: Answer) -> dict[str, Any]:
    """Return an answer as plain data for JSON."""
    return {
        "call": answer.event.model_dump(exclude_none=True),
        "points": [{"sentence": point.sentence, "rules": list(point.rules)} for point in answer.points],
        "messages": [
            {
                "msg_id": each.held.msg_id,
                "causes": [_cause(cause) for cause in each.causes],
                "doubts": list(each.doubts),
                "put": None if each.held.put is None else _place(each.held.put.event),
            }
            for each in answer.messages
        ],
        "counts": dict(answer.counts),
        "left_out": 0 if answer.stock is None else answer.stock.left_out,
        "expired": 0 if answer.stock is None else answer.stock.expired,
        "last_taken": [] if answer.stock is None else [_place(event) for event in answer.stock.gone],
        "next_put": None if answer.stock is None or answer.stock.next is None else _place(answer.stock.next),
        "assumed": answer.assumed,
        "model": None
        if answer.model is None
        else {"followed": answer.model.followed, "sentence": answer.model.sentence, "rules": list(answer.model.rules)},
        "hints": answer.hints,
    }


def _cause(cause: Cause) -> dict[str, Any]:
    return {"kind": cause.kind, "sentence": cause.sentence, "rules": list(cause.rules)}


def _place(event: Event) -> dict[str, Any]:
    wanted = {"qmgr", "conn", "seq", "call", "msg_id", "start_us", "end_us", "source", "line"}
    return event.model_dump(include=wanted)
