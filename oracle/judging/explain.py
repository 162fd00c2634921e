"""Explanations of departures: a sentence and rule ids.

What is wrong is told by the message that a get returned or missed, and otherwise by the first output that differs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from oracle.judging.bearing import bearing_on
from oracle.judging.compare import CODES, KEY_MEMBERS, Difference
from oracle.judging.departure import Departure
from oracle.judging.depths import lacking, of_expired, of_right_attributes, of_triggering
from oracle.judging.message_names import MessageNames
from oracle.judging.needless import FEW, about_reason, of_needless_reason, of_signal
from oracle.judging.suspects import DIFFERS, EFFECT, FAR, LEFT_ALONE, OF_REASON, REST, SAID, SURE, ordered
from oracle.judging.timeline import TrailStep, last_change, rules_of_step
from oracle.judging.wrong_messages import Finding, not_made, of_message, restored
from oracle.model.messages.messages import MessageKey
from oracle.model.requests.option_matrix import BROWSE, UNDER_CURSOR
from oracle.model.search.get_rules import rules_of_options
from oracle.model.state import State
from oracle.model.step import Outcome
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

_LEAVES_ALONE = ("BRW-08", "UOW-08")
"""The rules by which a call has no effect on the cursor of a handle."""


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
    nearest, found = one or min(judged, key=lambda pair: _distance(observed, *pair))
    timeline = [*trail, (call, states[0], ())]
    aside = one is not None and not any(item.member in (CODES, *KEY_MEMBERS) for item in found)
    finding = None if aside else of_message(call, observed, nearest, timeline, names)
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
    kept = of_right_attributes(call, observed, nearest)
    rules = tuple(entry for entry in rules if entry not in kept)
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


def _distance(observed: ObservedReply, outcome: Outcome, found: list[Difference]) -> tuple[bool, bool, int]:
    """Return how far an outcome is from a reply: by the codes, by whether a message was found at all, by the rest."""
    reply = outcome.reply
    other = any(item.member == CODES for item in found)
    found_none = reply.pending or not _found(reply.comp_code, reply.reason)
    return other, other and _found(observed.comp_code, observed.reason) and found_none, len(found)


def _found(comp_code: int, reason: int) -> bool:
    """Return whether an MQGET that ended so had found a message."""
    return comp_code != MQCC.FAILED or reason in TRUNCATED


def _by_difference(
    call: Call, observed: ObservedReply, item: Difference, nearest: Outcome, timeline: Sequence[TrailStep]
) -> Finding:
    against = _against_reason(call, observed, nearest)
    finding = Finding(f"{in_words(name_of(call))}: {item}", against, sure=against[:1])
    missing = lacking(call, observed, nearest, timeline[-1][1])
    if missing is not None and missing.made is not None:
        return replace(not_made(missing, missing.made, timeline), sentence=finding.sentence)
    told = of_expired(call, observed, nearest, timeline) or of_triggering(call, observed, nearest, timeline)
    if told:
        return replace(finding, said=told, sure=told)
    if isinstance(call, Get) and call.options.options & MQGMO.UNLOCK:
        unlocked = last_change(timeline, lambda state: _locked(state, call))
        return replace(finding, effects=rules_of_step(timeline, unlocked))
    if any(MQRC.describe(reason) in f"{item.observed} {item.allowed}" for reason in _ABOUT_GROUPS):
        return replace(finding, effects=restored(call, timeline))
    return finding


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


def _of_ended_unit(call: Call, rules: tuple[str, ...], timeline: Sequence[TrailStep]) -> tuple[str, ...]:
    """Return the rules for what the end of a unit of work leaves alone, if that was the step before a get."""
    if not isinstance(call, Get) or len(timeline) < 2 or not isinstance(timeline[-2][0], (Commit, Back)):
        return ()
    of_others = ("UOW-06",) if set(rules) & {"VIS-01", "SYN-01"} else ()
    kept = "LCK-01" in rules or call.options.options & _BY_CURSOR_OR_LOCK
    return (*of_others, "UOW-08") if kept else of_others


def _locked(state: State, call: Get) -> object:
    return state.handles[call.conn, call.hobj].locked
