"""Explanations of departures: a sentence and rule ids.

What is wrong is told by the message that a get returned or missed, and otherwise by the first output that differs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from oracle.judging.bearing import bearing_on
from oracle.judging.case import Case
from oracle.judging.compare import CALLS_END, CODES, KEY_MEMBERS, Difference
from oracle.judging.departure import Departure
from oracle.judging.depths import (
    lacking,
    of_ended_connection,
    of_expired,
    of_left_there,
    of_right_attributes,
    of_triggering,
)
from oracle.judging.finding import Finding
from oracle.judging.kept import CALL_FAILED, about_something_else, refused, refuses, units_of_later_calls
from oracle.judging.message_names import MessageNames
from oracle.judging.needless import FEW, about_reason, of_lost_signal, of_needless_reason, of_shut_out, of_signal
from oracle.judging.outputs import of_output
from oracle.judging.own_messages import not_made
from oracle.judging.parts import of_parts
from oracle.judging.suspects import DIFFERS, EFFECT, FAR, LEFT_ALONE, OF_REASON, REST, SAID, SURE, ordered
from oracle.judging.timeline import TrailStep, last_change, rules_of_step
from oracle.judging.waits import of_ended_wait, of_lasting_wait
from oracle.judging.wrong_messages import of_message, restored
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

_OF_GROUPS = ("MQMD.GroupId", "MQMD.MsgSeqNumber", "MQMD.Offset", "MQMD.MsgFlags")
"""The outputs of a put that show the group information of its handle."""

_WAITS, _MARKS = "WAI", "MRK"
"""The areas of the rules about waits and about marks."""

_BROWSES_WAIT = "WAI-08"
"""The rule by which browses can wait."""

_OF_UNITS = "UOW-08"
"""The rule by which the end of a unit of work leaves cursors, and groups that are being browsed, alone."""

_LEAVES_ALONE = ("BRW-08", _OF_UNITS)
"""The rules by which a call has no effect on the cursor of a handle."""

_KEPT_BY_COMMIT = "PTB-23"
"""The rule by which a commit leaves the group information of puts alone."""

_KEEPS_GROUP = "LOG-48"
"""The rule by which a get that fails leaves the group information alone."""


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
    case = Case(call, observed, nearest, [*trail, (call, states[0], ())], names)
    aside = one is not None and not any(item.member in (CODES, *KEY_MEMBERS) for item in found)
    finding = of_parts(call, observed, nearest, case.state)
    if finding is None and not aside:
        finding = of_message(case)
    differing: list[tuple[str, ...]] = []
    if finding is None:
        finding = _by_difference(case, found[0])
        differing = [(*_of_value(case, item), *item.rules) for item in found if _tells(item, nearest)]
    members, before = tuple(chain.from_iterable(differing)), _before(trail, nearest)
    pointed_at = _pointed_at(case, finding, before, differing)
    kept = of_right_attributes(case)
    others = about_something_else(call, observed, nearest, found)
    others = others.union(finding.kept, units_of_later_calls(call, observed, before)).difference(of_lost_signal(case))
    suspects = ordered(pointed_at, others)
    rules = tuple(entry for entry in suspects if entry not in kept)
    if one is not None and differing:
        bearing = bearing_on(name_of(call), [item.member for item in found])
        own = ordered([(finding.sure, SURE), (finding.said, SAID), (differing[0], DIFFERS), (members, REST)])
        rules = tuple(dict.fromkeys((*own, *(entry for entry in rules if entry in bearing))))
        before = tuple(entry for entry in before if entry in bearing)
    title = f" ({rule(rules[0]).title})" if rules else ""
    of_reason = about_reason(observed, [outcome.reply.reason for outcome, _ in judged], rules)
    return Departure(
        call,
        observed,
        allowed=tuple(dict.fromkeys(summary(outcome, names) for outcome, _ in judged)),
        differences=tuple(found),
        rules=rules,
        sentence=f"{finding.sentence}{title}.{of_reason}",
        before=before,
        said=tuple(dict.fromkeys((*finding.sure, *finding.said, *finding.effects, *members))),
        cause=finding.cause,
        of_call=tuple(dict.fromkeys((*finding.sure, *finding.said, *members))),
        own=finding.own,
    )


def _pointed_at(
    case: Case, finding: Finding, before: Sequence[str], differing: Sequence[tuple[str, ...]]
) -> list[tuple[Sequence[str], float]]:
    """Return the rules to which a departure points, with the factors of their weights.

    `before` are the rules of the call before, `differing` those behind each output that differs.
    """
    of_nearest = case.nearest.rules
    effects = (*finding.effects, *_of_ended_unit(case, (*finding.said, *finding.effects, *of_nearest)))
    needless = () if finding.sure else of_needless_reason(case)
    few = len(rules_of(case.observed.reason).decide) <= FEW
    return [
        (of_signal(case), SURE),
        (of_lost_signal(case), SURE),
        (of_shut_out(case), SURE),
        (finding.sure, SURE),
        (finding.said, SAID),
        (effects, EFFECT),
        (_left_alone(case), LEFT_ALONE),
        (_kept_by_failure(case), LEFT_ALONE),
        (differing[0] if differing else (), DIFFERS),
        (of_nearest, REST),
        (before, REST),
        ([entry for entry in before if entry not in of_nearest and refuses(entry)], FAR),
        (_of_reasons(case), OF_REASON),
        ([entry for rules in differing for entry in rules if entry not in of_nearest], FAR),
        (_of_puts(case), FAR),
        (needless, OF_REASON if case.observed.comp_code == MQCC.WARNING or few else FAR),
    ]


def _tells(item: Difference, nearest: Outcome) -> bool:
    """Return whether a difference has rules of its own: those of a member, or of the end of a call that waits."""
    return item.rules != nearest.rules or item.of_wait


def _against_reason(case: Case) -> tuple[str, ...]:
    """Return the rules that forbid a get to end with its reason, if such rules are known."""
    call, observed, nearest = case.call, case.observed, case.nearest
    against: tuple[str, ...] = ()
    if observed.reason == MQRC.Q_INDEX_TYPE_ERROR and not nearest.reply.failed:
        return ("LOG-45",)
    if isinstance(call, Get) and observed.reason == MQRC.OPTIONS_ERROR:
        against = rules_of_options(call.options.options)
    elif observed.reason in TRUNCATED:
        against = ("TRN-08",)
    elif observed.reason == MQRC.SECOND_MARK_NOT_ALLOWED:
        against = ("MSB-06",)
    return tuple(entry for entry in against if entry in nearest.rules)


def _of_reasons(case: Case) -> tuple[str, ...]:
    """Return the rules of the nearest outcome that decide about its reason, and about the observed one."""
    due, seen = int(case.nearest.reply.reason), int(case.observed.reason)
    reasons = {due, seen} - {MQRC.NONE}
    if len(reasons) == 1 and due == seen:
        return ()
    deciding = {each.id for reason in reasons for each in rules_of(reason).decide}
    return tuple(entry for entry in case.nearest.rules if entry in deciding)


def _of_puts(case: Case) -> tuple[str, ...]:
    """Return the rules behind puts only, if the call is a get."""
    if not isinstance(case.call, Get):
        return ()
    puts = (noted for earlier, _, noted in case.timeline[:-1] if isinstance(earlier, (Put, Put1)))
    others = (entry for noted in puts for entry in noted if entry not in case.nearest.rules and not refuses(entry))
    return tuple(dict.fromkeys(others))


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


def _before(trail: Sequence[TrailStep], nearest: Outcome) -> tuple[str, ...]:
    """Return the rules of the latest call with any, but for MQCONN and MQINQ, which have no effect that could show.

    If that call ended a unit of work, the rules of its connection's call before it follow, whose effect it settled.
    Rules by which calls fail are left out where the next must not fail: they were kept.
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
    rules = dict.fromkeys((*trail[latest][2], *before))
    if CALL_FAILED in rules or refused(nearest.reply.comp_code, nearest.reply.reason):
        return tuple(rules)
    return tuple(entry for entry in rules if not refuses(entry))


def _distance(observed: ObservedReply, outcome: Outcome, found: list[Difference]) -> tuple[bool, bool, int]:
    """Return how far an outcome is from a reply: by the codes, by whether a message was found at all, by the rest."""
    reply = outcome.reply
    other = any(item.member == CODES for item in found)
    found_none = reply.pending or not _found(reply.comp_code, reply.reason)
    return other, other and _found(observed.comp_code, observed.reason) and found_none, len(found)


def _found(comp_code: int, reason: int) -> bool:
    """Return whether an MQGET that ended so had found a message."""
    return comp_code != MQCC.FAILED or reason in TRUNCATED


def _by_difference(case: Case, item: Difference) -> Finding:
    """Explain a reply by its first difference from the nearest allowed outcome."""
    call, timeline = case.call, case.timeline
    against = _against_reason(case)
    sentence = f"{in_words(name_of(call))}: {item}"
    missing = lacking(case)
    if missing is not None:
        return replace(not_made(missing, timeline, case.names), sentence=sentence)
    by_history = of_ended_connection(case) or of_expired(case) or of_left_there(case) or of_triggering(case)
    of_wait = of_ended_wait(case, item) or of_lasting_wait(call, item) or _of_wait(item, case.nearest)
    said = by_history or of_wait or against
    effects = _effects(case, item)
    of_group = effects if isinstance(call, Put) else ()
    sure = by_history or _of_ended_mark(case) or against[:1] or of_group or _of_value(case, item)
    return Finding(sentence, said, effects, sure)


def _of_value(case: Case, item: Difference) -> tuple[str, ...]:
    """Return the rule that the value of an output tells to be broken; none if it tells of none."""
    call = case.call
    if isinstance(call, Put) and item.member in _OF_GROUPS:
        return restored(call, case.timeline) or tuple(entry for entry in case.nearest.rules if entry == _KEPT_BY_COMMIT)
    return of_output(case, item)


def _of_wait(item: Difference, nearest: Outcome) -> tuple[str, ...]:
    """Return the rules by which a call waits, if it must and has not; of a browse the one about browses."""
    if item.member != CALLS_END or not nearest.reply.pending:
        return ()
    waits = tuple(entry for entry in nearest.rules if rule(entry).area == _WAITS)
    return (_BROWSES_WAIT,) if _BROWSES_WAIT in waits else waits


def _effects(case: Case, item: Difference) -> tuple[str, ...]:
    """Return the rules of the earlier call that decided about a lock which is to end, or about the group."""
    call, timeline = case.call, case.timeline
    if isinstance(call, Get) and call.options.options & MQGMO.UNLOCK:
        return rules_of_step(timeline, last_change(timeline, lambda state: _locked(state, call)))
    about_groups = any(MQRC.describe(reason) in f"{item.observed} {item.allowed}" for reason in _ABOUT_GROUPS)
    return restored(call, timeline) if about_groups else ()


def _left_alone(case: Case) -> tuple[str, ...]:
    """Return the rules by which the call before left the cursor alone, if a get uses the cursor.

    That call need not be listed unless it changed the cursor.
    """
    call, timeline = case.call, case.timeline
    if not isinstance(call, Get) or not call.options.options & (MQGMO.BROWSE_NEXT | UNDER_CURSOR) or len(timeline) < 2:
        return ()
    before, after = (timeline[place][1].handles.get((call.conn, call.hobj)) for place in (-2, -1))
    if after is not None and call.options.options & MQGMO.LOGICAL_ORDER and after.browsing.unfinished:
        ended = isinstance(timeline[-2][0], (Commit, Back)) and _OF_UNITS in timeline[-2][2]
        if ended:
            return (_OF_UNITS,)
    if before is None or after is None or before.cursor != after.cursor:
        return ()
    return tuple(entry for entry in timeline[-2][2] if entry in after.grounds.cursor and entry in _LEAVES_ALONE)


def _kept_by_failure(case: Case) -> tuple[str, ...]:
    """Return the rule by which a get left the group information alone, if it failed before one in logical order."""
    call = case.call
    if not isinstance(call, Get) or not call.options.options & MQGMO.LOGICAL_ORDER:
        return ()
    own = (rules for earlier, _, rules in reversed(case.timeline[:-1]) if _is_get_of(earlier, call))
    return (_KEEPS_GROUP,) if CALL_FAILED in next(own, ()) else ()


def _is_get_of(earlier: Call, call: Get) -> bool:
    return isinstance(earlier, Get) and (earlier.conn, earlier.hobj) == (call.conn, call.hobj)


def _of_ended_unit(case: Case, rules: tuple[str, ...]) -> tuple[str, ...]:
    """Return the rules for what the end of a unit of work leaves alone, if that was the step before a get."""
    call, timeline = case.call, case.timeline
    if not isinstance(call, Get) or len(timeline) < 2 or not isinstance(timeline[-2][0], (Commit, Back)):
        return ()
    of_others = ("UOW-06",) if set(rules) & {"VIS-01", "SYN-01"} else ()
    handle = case.state.handles.get((call.conn, call.hobj))
    unmoved = handle is not None and handle.cursor is None and call.options.options & MQGMO.BROWSE_NEXT
    kept = "LCK-01" in rules or (call.options.options & _BY_CURSOR_OR_LOCK and not unmoved)
    return (*of_others, "UOW-08") if kept else of_others


def _locked(state: State, call: Get) -> object:
    return state.handles[call.conn, call.hobj].locked


def _of_ended_mark(case: Case) -> tuple[str, ...]:
    """Return the rules by which a cooperative mark ended, if a get was refused as if its message still had it."""
    call, md = case.call, case.nearest.reply.descriptor
    if not isinstance(call, Get) or case.observed.reason != MQRC.MSG_MARKED_BROWSE_CO_OP or md is None:
        return ()
    queue = case.state.handles[call.conn, call.hobj].queue

    def marked(state: State) -> bool | None:
        there = (each for each in state.queues[queue].messages if each.key == MessageKey.of(md))
        return next((each.co_op_marked_ms is not None for each in there), None)

    number = last_change(case.timeline, marked)
    return tuple(entry for entry in rules_of_step(case.timeline, number) if rule(entry).area == _MARKS)
