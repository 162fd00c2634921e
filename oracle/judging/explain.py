"""Explanations of departures: a sentence and rule ids.

The sentence is built from the model's state: which message came back although something hides it, or which one did not
although nothing hides it, and which earlier call caused that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from oracle.judging.bearing import bearing_on
from oracle.judging.compare import CODES, KEY_MEMBERS, Difference, key_of
from oracle.judging.departure import Departure
from oracle.judging.depths import lacking, of_expired
from oracle.judging.message_names import MessageNames
from oracle.judging.needless import FEW, NOTHING_FOUND, about_reason, of_needless_reason, of_signal
from oracle.judging.suspects import DIFFERS, EFFECT, FAR, LEFT_ALONE, OF_REASON, REST, SAID, SURE, ordered
from oracle.judging.timeline import TrailStep, last_change, rules_of_change, rules_of_step, verb_at
from oracle.model.browsing.marks import is_marked
from oracle.model.get.notes import rules_of_order
from oracle.model.messages.made import Made
from oracle.model.messages.messages import Message, MessageKey
from oracle.model.requests.get import GetRequest, request_of
from oracle.model.requests.option_matrix import BROWSE, UNDER_CURSOR
from oracle.model.search.get_rules import rules_of_options
from oracle.model.search.search_rules import selection_rules
from oracle.model.search.selection import explain_absence
from oracle.model.state import State
from oracle.model.step import Outcome, Step
from oracle.mqi.calls import (
    Back,
    Call,
    Commit,
    Connect,
    Disconnect,
    Fail,
    Get,
    Inquire,
    MqiCall,
    Put,
    Put1,
    in_words,
    name_of,
)
from oracle.mqi.constants import MQCC, MQEC, MQGMO, MQRC, TRUNCATED
from oracle.protocol.replies import ObservedReply
from oracle.rules.catalogue import rule
from oracle.rules.reason_rules import rules_of

Judged = tuple[Outcome, list[Difference]]

_ABOUT_GROUPS = (
    MQRC.INCOMPLETE_GROUP,
    MQRC.INCOMPLETE_MSG,
    MQRC.INCONSISTENT_UOW,
    MQRC.INCONSISTENT_PERSISTENCE,
)
"""The reasons that depend on the group information which a handle retains."""

_BY_CURSOR_OR_LOCK = BROWSE | UNDER_CURSOR | MQGMO.UNLOCK

_ENDS_OF_UNITS = (Commit, Back, Disconnect, Fail)

_OF_OTHER_THINGS = ("VIS-07", "DEP-04", "UOW-02", "UOW-05", "UOW-08", "PTB-24", "CON-08")
"""The rules by which a unit of work ends for other things than a message that was got in it."""

_NOT_COMPLETED = "TRN-04"
"""The rule by which a get of a message that does not fit leaves everything unchanged."""

_LEAVES_ALONE = ("BRW-08", "UOW-08")
"""The rules by which a call has no effect on the cursor of a handle."""


@dataclass(frozen=True, slots=True)
class _Finding:
    """A sentence about what is wrong, with the rules that it states, and those of the earlier call that caused it.

    `sure` is the stated rule that is broken in any case; `cause` is the earlier call.
    """

    sentence: str
    said: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    sure: tuple[str, ...] = ()
    cause: str = ""


def explain(
    call: Call,
    observed: ObservedReply,
    judged: Sequence[Judged],
    trail: Sequence[TrailStep],
    states: Sequence[State],
    *,
    names: MessageNames,
    one: Judged | None = None,
) -> Departure:
    """Explain why none of the allowed outcomes fits an observed reply.

    `names` gives the names of messages. If `one` is given, only its differences are explained: those of one mistake in
    a reply that has the effect of its outcome. If they are in outputs with rules of their own, only the rules that show
    there are in doubt.
    """
    nearest, found = one or min(judged, key=lambda pair: (_codes_differ(pair[1]), len(pair[1])))
    timeline = [*trail, (call, states[0], ())]
    aside = one is not None and not any(item.member in (CODES, *KEY_MEMBERS) for item in found)
    finding = None if aside else _by_message(call, observed, nearest, timeline, names)
    differing: list[tuple[str, ...]] = []
    if finding is None:
        finding = _by_difference(call, observed, found[0], nearest, timeline)
        differing = [item.rules for item in found if _tells(item, nearest)]
    members = tuple(chain.from_iterable(differing))
    said, before = finding.said, _before(trail)
    effects = (*finding.effects, *_of_ended_unit(call, (*said, *finding.effects, *nearest.rules), timeline))
    needless = () if finding.sure else of_needless_reason(call, observed, nearest)
    rules = ordered(
        [
            (of_signal(observed, nearest, before), SURE),
            (finding.sure, SURE),
            (said, SAID),
            (effects, EFFECT),
            (_left_alone(call, timeline), LEFT_ALONE),
            (differing[0] if differing else (), DIFFERS),
            (nearest.rules, REST),
            (before, REST),
            (_of_reasons(observed, nearest), OF_REASON),
            ([entry for entry in members if entry not in nearest.rules], FAR),
            (_of_puts(call, nearest, trail), FAR),
            (needless, OF_REASON if observed.comp_code == MQCC.WARNING or len(needless) <= FEW else FAR),
        ]
    )
    if one is not None and differing:
        bearing = bearing_on(name_of(call), [item.member for item in found])
        own = ordered([(said, SAID), (differing[0], DIFFERS), (members, REST)])
        rules = tuple(dict.fromkeys((*own, *(entry for entry in rules if entry in bearing))))
        before = tuple(entry for entry in before if entry in bearing)
    allowed = tuple(dict.fromkeys(summary(outcome, names) for outcome, _ in judged))
    title = f" ({rule(rules[0]).title})" if rules else ""
    about = tuple(dict.fromkeys((*finding.sure, *said, *finding.effects, *members)))
    told, sentence = tuple(dict.fromkeys((*finding.sure, *said, *members))), f"{finding.sentence}{title}."
    sentence += about_reason(observed, [outcome.reply.reason for outcome, _ in judged], rules)
    return Departure(call, observed, allowed, tuple(found), rules, sentence, before, about, finding.cause, told)


def _tells(item: Difference, nearest: Outcome) -> bool:
    """Return whether a difference has rules of its own: those of a member, or of the end of a call that waits."""
    return item.rules != nearest.rules or item.member.startswith("the waiting call")


def _against_reason(call: Call, observed: ObservedReply, nearest: Outcome) -> tuple[str, ...]:
    """Return the rules that forbid a get to end with its reason, if such rules are known."""
    against: tuple[str, ...] = ()
    if isinstance(call, Get) and observed.reason == MQRC.OPTIONS_ERROR:
        against = rules_of_options(call.options.options)
    elif observed.reason in TRUNCATED:
        against = ("TRN-08",)
    elif observed.reason == MQRC.SECOND_MARK_NOT_ALLOWED:
        against = ("MSB-06",)
    return tuple(entry for entry in against if entry in nearest.rules)


def _of_reasons(observed: ObservedReply, nearest: Outcome) -> tuple[str, ...]:
    """Return the rules of the nearest outcome that decide about its reason, and about the observed one."""
    reasons = {int(nearest.reply.reason), int(observed.reason)} - {MQRC.NONE}
    if len(reasons) == 1 and nearest.reply.reason == observed.reason:
        return ()
    deciding = {each.id for reason in reasons for each in rules_of(reason).decide}
    return tuple(entry for entry in nearest.rules if entry in deciding)


def _of_puts(call: Call, nearest: Outcome, trail: Sequence[TrailStep]) -> tuple[str, ...]:
    """Return the rules behind puts only, if the call is a get."""
    puts = (noted for earlier, _, noted in trail if isinstance(call, Get) and isinstance(earlier, (Put, Put1)))
    return tuple(dict.fromkeys(entry for noted in puts for entry in noted if entry not in nearest.rules))


def summary(outcome: Outcome, names: MessageNames) -> str:
    """Return an allowed outcome on one line."""
    text = str(outcome.reply)
    md = outcome.reply.descriptor
    if outcome.reply.data is not None and md is not None:
        text += f", message {names.of(MessageKey.of(md))} with {len(outcome.reply.data)} bytes of data"
    if outcome.completed:
        ended = ", ".join(f"{done.identity}: {done.reply}" for done in outcome.completed)
        text += f"; ends waiting calls {ended}"
    if outcome.posted:
        posted = ", ".join(f"{each.identity}: {MQEC.name_of(each.code)}" for each in outcome.posted)
        text += f"; delivers the signals of {posted}"
    return text


def _before(trail: Sequence[TrailStep]) -> tuple[str, ...]:
    """Return the rules of the latest call with any, but for MQCONN and MQINQ, which have no effect that could show.

    If that call ended a unit of work, the rules of its connection's call before it follow, whose effect it settled.
    """
    telling = (
        number for number, (call, _, rules) in enumerate(trail) if rules and not isinstance(call, (Connect, Inquire))
    )
    latest = max(telling, default=None)
    if latest is None:
        return ()
    call = trail[latest][0]
    before: tuple[str, ...] = ()
    if isinstance(call, (Commit, Back, Disconnect, Fail)):
        own = (step for step in reversed(trail[:latest]) if isinstance(step[0], MqiCall) and step[0].conn == call.conn)
        before = next((rules for _, _, rules in own if rules), ())
    return tuple(dict.fromkeys((*trail[latest][2], *before)))


def _codes_differ(found: list[Difference]) -> bool:
    return any(item.member == CODES for item in found)


def _by_difference(
    call: Call, observed: ObservedReply, item: Difference, nearest: Outcome, timeline: Sequence[TrailStep]
) -> _Finding:
    against = _against_reason(call, observed, nearest)
    finding = _Finding(f"{in_words(name_of(call))}: {item}", against, sure=against[:1])
    missing = lacking(call, observed, nearest, timeline[-1][1])
    if missing is not None and missing.made is not None:
        return replace(_not_made(missing, missing.made, timeline), sentence=finding.sentence)
    expired = of_expired(call, observed, nearest, timeline)
    if expired:
        return replace(finding, said=expired, sure=expired)
    if isinstance(call, Get) and call.options.options & MQGMO.UNLOCK:
        unlocked = last_change(timeline, lambda state: _locked(state, call))
        return replace(finding, effects=rules_of_step(timeline, unlocked))
    if any(MQRC.describe(reason) in f"{item.observed} {item.allowed}" for reason in _ABOUT_GROUPS):
        return replace(finding, effects=_restored(call, timeline))
    return finding


def _by_message(
    call: Call, observed: ObservedReply, nearest: Outcome, timeline: Sequence[TrailStep], names: MessageNames
) -> _Finding | None:
    """Explain a get that returned a message it must not, or missed one that it must."""
    state = timeline[-1][1]
    if not isinstance(call, Get) or observed.pending:
        return None
    handle = state.handles.get((call.conn, call.hobj))
    if handle is None or handle.queue_deleted:
        return None
    key = key_of(observed) if observed.comp_code != MQCC.FAILED else None
    expected = nearest.reply.descriptor
    wanted = None if expected is None else MessageKey.of(expected)
    if key is None:
        if observed.reason in NOTHING_FOUND and wanted is not None:
            return _missed(call, wanted, timeline, names)
        return None
    return None if key == wanted else _wrong_message(call, key, nearest, timeline, names)


def _wrong_message(
    call: Get, key: MessageKey, nearest: Outcome, timeline: Sequence[TrailStep], names: MessageNames
) -> _Finding:
    state = timeline[-1][1]
    request = request_of(state, call)
    name = f"message {names.of(key)}"
    message = _find(request, key)
    if message is None:
        gone = last_change(timeline, lambda earlier: _find(request_of(earlier, call), key) is not None)
        removed = rules_of_change(timeline, lambda earlier: _find(request_of(earlier, call), key) is not None)
        if removed:
            sentence = f"MQGET returned {name}, which was no longer on the queue"
            return _Finding(sentence, ("DLV-02",), removed, cause=verb_at(timeline, gone))
        return _Finding(f"MQGET returned {name}, which was never on the queue", ("DLV-01",), sure=("DLV-01",))
    ended = _Finding(f"MQGET returned {name}, but must have ended {nearest.reply}", nearest.rules)
    if nearest.reply.failed and nearest.reply.reason not in NOTHING_FOUND:
        return ended
    hidden = tuple(explain_absence(Step(state.copy()), request, message))
    if hidden:
        made = rules_of_change(timeline, lambda earlier: _hidden(earlier, call, key))
        sentence = f"MQGET returned {name}, which this call must not return"
        return _Finding(sentence, hidden, (*_restored(call, timeline), *made))
    if nearest.reply.descriptor is None:
        return ended
    first, *others = *selection_rules(state, request), *rules_of_order(state, request.queue, message)
    due = _find(request, MessageKey.of(nearest.reply.descriptor))
    by_place = request.asks(MQGMO.BROWSE_NEXT) and due is not None and due.rank == message.rank
    sure = () if by_place else (first,)
    sentence = f"MQGET returned {name}, but message {names.of(MessageKey.of(nearest.reply.descriptor))} comes before it"
    return _Finding(sentence, (*sure, *others), sure=sure)


def _missed(call: Get, key: MessageKey, timeline: Sequence[TrailStep], names: MessageNames) -> _Finding:
    made_unseen = next(_unseen(request_of(timeline[-1][1], call), key), None)
    if made_unseen is not None and made_unseen.made is not None:
        return _not_made(made_unseen, made_unseen.made, timeline)
    number = last_change(timeline, lambda earlier: _hidden(earlier, call, key))
    made, nothing_missed = rules_of_change(timeline, lambda earlier: _hidden(earlier, call, key)), "DLV-05"
    untouched = number is None or isinstance(timeline[number][0], (Put, Put1))
    sure = (nothing_missed,) if untouched and not _got_since(timeline, number) else _left_there(timeline, number)
    ended = number == len(timeline) - 2 and isinstance(timeline[number][0], _ENDS_OF_UNITS)
    said = tuple(entry for entry in rules_of_step(timeline, number) if entry not in _OF_OTHER_THINGS) if ended else sure
    sentence = f"MQGET found nothing although message {names.of(key)} is available to it"
    effects = (*_restored(call, timeline), *made, nothing_missed, "DLV-03")
    return _Finding(sentence, said, effects, sure, verb_at(timeline, number))


def _not_made(message: Message, made: Made, timeline: Sequence[TrailStep]) -> _Finding:
    """Explain that a get missed a message that nobody has seen: the queue manager probably did not make it."""
    number = last_change(timeline, lambda earlier: _has_come(earlier, message))
    verb = verb_at(timeline, number)
    areas = {rule(entry).area for entry in made.rules}
    demanding = tuple(
        entry for entry in rules_of_step(timeline, number) if rule(entry).area in areas and entry not in made.rules
    )
    after = f" by {verb}" if verb else ""
    sentence = f"MQGET found nothing although the queue manager must have put a message of its own there{after}"
    return _Finding(sentence, demanding, (*rules_of_step(timeline, number), "DLV-05", "DLV-03"), demanding[:1], verb)


def _has_come(state: State, message: Message) -> bool:
    return any(each.position == message.position for queue in state.queues.values() for each in queue.messages)


def _left_alone(call: Call, timeline: Sequence[TrailStep]) -> tuple[str, ...]:
    """Return the rules by which the call before left the cursor alone, if a get uses the cursor.

    That call need not be listed unless it changed the cursor.
    """
    if not isinstance(call, Get) or not call.options.options & (MQGMO.BROWSE_NEXT | UNDER_CURSOR) or len(timeline) < 2:
        return ()
    before, after = (timeline[place][1].handles.get((call.conn, call.hobj)) for place in (-2, -1))
    if before is None or after is None or before.cursor != after.cursor:
        return ()
    return tuple(entry for entry in timeline[-2][2] if entry in after.grounds.cursor and entry in _LEAVES_ALONE)


def _left_there(timeline: Sequence[TrailStep], number: int | None) -> tuple[str, ...]:
    """Return the rule by which a get after a step left a message there that did not fit, if there was one."""
    since = timeline[0 if number is None else number : -1]
    return (
        (_NOT_COMPLETED,) if any(isinstance(call, Get) and _NOT_COMPLETED in rules for call, _, rules in since) else ()
    )


def _got_since(timeline: Sequence[TrailStep], number: int | None) -> bool:
    """Return whether another get came after a step, or ever: a message that is missed now may have been lost by it."""
    return any(isinstance(call, Get) for call, _, _ in timeline[0 if number is None else number : -1])


def _restored(call: Call, timeline: Sequence[TrailStep]) -> tuple[str, ...]:
    """Return the rule by which backout restored the group information that a call uses, if it did."""
    if isinstance(call, Get) and call.options.options & MQGMO.LOGICAL_ORDER:
        number = last_change(timeline, lambda state: state.handles[call.conn, call.hobj].removing)
        rule_of_kind = "UOW-05"
    elif isinstance(call, Put):
        number = last_change(timeline, lambda state: state.handles[call.conn, call.hobj].putting)
        rule_of_kind = "PTB-24"
    else:
        return ()
    return (rule_of_kind,) if number is not None and isinstance(timeline[number][0], Back) else ()


def _of_ended_unit(call: Call, rules: tuple[str, ...], timeline: Sequence[TrailStep]) -> tuple[str, ...]:
    """Return the rules for what the end of a unit of work leaves alone, if that was the step before a get."""
    if not isinstance(call, Get) or len(timeline) < 2 or not isinstance(timeline[-2][0], (Commit, Back)):
        return ()
    of_others = ("UOW-06",) if set(rules) & {"VIS-01", "SYN-01"} else ()
    kept = "LCK-01" in rules or call.options.options & _BY_CURSOR_OR_LOCK
    return (*of_others, "UOW-08") if kept else of_others


def _hidden(state: State, call: Get, key: MessageKey) -> object:
    """Return what may hide a message from the call, also before its handle was open."""
    for queue in state.queues.values():
        for message in queue.messages:
            if message.key == key and not message.msg_id_is_open:
                lockers = (handle for handle in state.handles_of(queue.name) if handle.key != (call.conn, call.hobj))
                locked = any(message.position in handle.locked for handle in lockers)
                marked = call.options.options & MQGMO.UNMARKED_BROWSE_MSG and is_marked(state, queue, message)
                return message.put_by, message.got_by, locked, bool(marked)
    return "absent"


def _locked(state: State, call: Get) -> object:
    return state.handles[call.conn, call.hobj].locked


def _find(request: GetRequest, key: MessageKey) -> Message | None:
    return next(_matching(request, key), None)


def _unseen(request: GetRequest, key: MessageKey) -> Iterator[Message]:
    """Yield the reports and other messages of the queue manager's own whose MsgId nobody has seen."""
    for message in request.queue.messages:
        if message.key == key and message.msg_id_is_open and message.made is not None and message.made.piece is None:
            yield message


def _matching(request: GetRequest, key: MessageKey) -> Iterator[Message]:
    for message in request.queue.messages:
        if message.key == key and not message.msg_id_is_open:
            yield message
