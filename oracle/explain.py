"""Why an observed reply departs from the documents, in a sentence and in rule ids.

The sentence is built from the facts of the model's state: which message came back although something hides it, or
which one did not although nothing does, and which earlier call made that so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from oracle.calls import Back, Call, Commit, Disconnect, Fail, Get, MqiCall, Put, Put1
from oracle.catalogue import rule
from oracle.compare import Difference, identity_of
from oracle.constants import MQCC, MQEC, MQGMO, MQRC
from oracle.model.get_notes import rules_of_order
from oracle.model.get_request import GetRequest, request_of
from oracle.model.get_rules import rules_of_options
from oracle.model.messages import Message
from oracle.model.option_matrix import BROWSE, UNDER_CURSOR
from oracle.model.search_rules import selection_rules
from oracle.model.selection import explain_absence
from oracle.model.state import State
from oracle.model.step import Outcome, Step
from oracle.protocol.replies import ObservedReply
from oracle.protocol.requests import VERB_NAMES

Judged = tuple[Outcome, list[Difference]]
TrailStep = tuple[Call, State, tuple[str, ...]]

_SAID_OF_MOST_CALLS = (
    "LOG-19", "PRI-03", "PRI-04", "TRN-08", "EXP-07", "EXP-10", "PRI-02", "PER-02", "PUT-07", "PUT-23", "IDS-03",
    "IDS-08", "VIS-08", "VIS-09", "DEP-01", "CHK-01", "CHK-02", "LOG-05", "LOG-47", "LOG-48", "CON-08", "DLV-01",
    "DLV-02", "DLV-03", "DLV-04", "DLV-05", "TRM-01", "MTC-02", "MTC-03", "MTC-06", "MTC-09", "TYP-01", "FMT-01",
    "PER-01", "BOC-02", "BOC-03", "BOC-04", "GST-01", "GST-02", "GST-03", "GST-04", "GST-08", "TRN-09", "CNV-07",
    "SYN-06", "SYN-07", "BRW-20", "OPT-01", "OPT-02", "OPT-03", "OPT-04", "OPT-36", "PUT-24", "TRM-06", "EXP-29",
    "CTX-01", "USR-01",
)  # fmt: skip
"""Rules that nearly every MQGET or MQPUT rests on, which therefore tell least about what went wrong."""

_ABOUT_GROUPS = (
    MQRC.INCOMPLETE_GROUP, MQRC.INCOMPLETE_MSG, MQRC.INCONSISTENT_UOW, MQRC.INCONSISTENT_PERSISTENCE,
)  # fmt: skip
"""The reasons that rest on the group information which a handle retains."""

_BY_CURSOR_OR_LOCK = BROWSE | UNDER_CURSOR | MQGMO.UNLOCK

_NOTHING_FOUND = (MQRC.NO_MSG_AVAILABLE, MQRC.NO_MSG_UNDER_CURSOR)


@dataclass(frozen=True, slots=True)
class Departure:
    """An observed reply that no order of the documents' rules explains.

    `rules` begins with the rule that was broken as far as it can be told, and ends with all that the nearest allowed
    outcome rests on; `before` are those of the latest call before, which may have gone wrong unnoticed so that it
    shows only now. `allowed` lists what was allowed, a line each; `differences` are those from that outcome.
    """

    call: Call
    observed: ObservedReply
    allowed: tuple[str, ...]
    differences: tuple[Difference, ...]
    rules: tuple[str, ...]
    sentence: str
    before: tuple[str, ...] = ()


def explain(
    call: Call,
    observed: ObservedReply,
    judged: Sequence[Judged],
    trail: Sequence[TrailStep],
    states: Sequence[State],
) -> Departure:
    """Explain why none of the allowed outcomes fits an observed reply."""
    nearest, found = min(judged, key=lambda pair: (_codes_differ(pair[1]), len(pair[1])))
    timeline = [*trail, (call, states[0], ())]
    sentence, rules = _by_message(call, observed, nearest, timeline)
    differing = tuple(entry for item in found for entry in item.rules)
    if sentence:
        rules += _telling(nearest.rules)
    else:
        sentence, rules = _by_difference(call, found[0], timeline)
        rules = (*_against_reason(call, observed, nearest), *rules)
    ended = _of_ended_unit(call, rules, timeline)
    rules = _in_order((*rules, *ended, *differing, *_telling(nearest.rules)), call, nearest, trail)
    allowed = tuple(dict.fromkeys(summary(outcome) for outcome, _ in judged))
    title = f" ({rule(rules[0]).title})" if rules else ""
    return Departure(call, observed, allowed, tuple(found), rules, f"{sentence}{title}.", _before(trail))


def _against_reason(call: Call, observed: ObservedReply, nearest: Outcome) -> tuple[str, ...]:
    """Return the rules by which a get must not end with the reason that it ended with, where such rules are known."""
    against: tuple[str, ...] = ()
    if isinstance(call, Get) and observed.reason == MQRC.OPTIONS_ERROR:
        against = rules_of_options(call.options.options)
    elif observed.reason in (MQRC.TRUNCATED_MSG_ACCEPTED, MQRC.TRUNCATED_MSG_FAILED):
        against = ("TRN-08",)
    return tuple(entry for entry in against if entry in nearest.rules)


def _in_order(rules: Sequence[str], call: Call, nearest: Outcome, trail: Sequence[TrailStep]) -> tuple[str, ...]:
    """Return rules once each: the first, the telling ones, and last for a get those that only puts rested on."""
    ordered = tuple(dict.fromkeys(rules))
    puts = [noted for earlier, _, noted in trail if isinstance(call, Get) and isinstance(earlier, (Put, Put1))]
    of_puts = frozenset().union(*puts) - frozenset(nearest.rules)
    return (*ordered[:1], *sorted(_telling(ordered[1:]), key=lambda entry: entry in of_puts))


def summary(outcome: Outcome) -> str:
    """Return an allowed outcome on one line."""
    text = str(outcome.reply)
    md = outcome.reply.descriptor
    if outcome.reply.data is not None and md is not None:
        text += f", message {_short(md.msg_id)} with {len(outcome.reply.data)} bytes of data"
    if outcome.completed:
        ended = ", ".join(f"{done.identity}: {done.reply}" for done in outcome.completed)
        text += f"; ends waiting calls {ended}"
    if outcome.posted:
        posted = ", ".join(f"{each.identity}: {MQEC.name_of(each.code)}" for each in outcome.posted)
        text += f"; delivers the signals of {posted}"
    return text


def _before(trail: Sequence[TrailStep]) -> tuple[str, ...]:
    """Return the rules of the latest call that rested on any, the telling ones first.

    Where that ended a unit of work, those of its connection's call before it follow, whose effect it settled.
    """
    latest = next((number for number in reversed(range(len(trail))) if trail[number][2]), None)
    if latest is None:
        return ()
    call = trail[latest][0]
    before: tuple[str, ...] = ()
    if isinstance(call, (Commit, Back, Disconnect, Fail)):
        own = (step for step in reversed(trail[:latest]) if isinstance(step[0], MqiCall) and step[0].conn == call.conn)
        before = next((rules for _, _, rules in own if rules), ())
    return (*_telling(trail[latest][2]), *_telling(before))


def _codes_differ(found: list[Difference]) -> bool:
    return any(item.member == "CompCode and Reason" for item in found)


def _by_difference(call: Call, item: Difference, timeline: Sequence[TrailStep]) -> tuple[str, tuple[str, ...]]:
    sentence = f"{_verb(call)}: {item}"
    rules = _telling(item.rules)
    if isinstance(call, Get) and call.options.options & MQGMO.UNLOCK:
        return sentence, (*rules, *_rules_of(timeline, _last_change(timeline, lambda state: _locked(state, call))))
    if any(MQRC.describe(reason) in str(item) for reason in _ABOUT_GROUPS):
        return sentence, (*_restored(call, timeline), *rules)
    return sentence, rules


def _by_message(
    call: Call, observed: ObservedReply, nearest: Outcome, timeline: Sequence[TrailStep]
) -> tuple[str, tuple[str, ...]]:
    """Explain a get that returned a message it must not, or missed one that it must."""
    state = timeline[-1][1]
    if not isinstance(call, Get) or observed.pending:
        return "", ()
    handle = state.handles.get((call.conn, call.hobj))
    if handle is None or handle.queue_deleted:
        return "", ()
    identity = identity_of(observed) if observed.comp_code != MQCC.FAILED else None
    expected = nearest.reply.descriptor
    if identity is None:
        if observed.reason in _NOTHING_FOUND and expected is not None:
            wanted = (expected.msg_id, expected.msg_seq_number, expected.offset)
            return _missed(call, wanted, timeline)
        return "", ()
    if expected is not None and identity == (expected.msg_id, expected.msg_seq_number, expected.offset):
        return "", ()
    return _wrong_message(call, identity, nearest, timeline)


def _wrong_message(
    call: Get, identity: tuple[bytes, int, int], nearest: Outcome, timeline: Sequence[TrailStep]
) -> tuple[str, tuple[str, ...]]:
    state = timeline[-1][1]
    request = request_of(state, call)
    name = f"message {_short(identity[0])}"
    message = _find(request, identity)
    if message is None:
        removed = _rules_of_change(timeline, lambda earlier: _find(request_of(earlier, call), identity) is not None)
        if removed:
            return f"MQGET returned {name}, which was no longer on the queue", (*removed, "DLV-02")
        return f"MQGET returned {name}, which was never on the queue", ("DLV-01",)
    if nearest.reply.failed and nearest.reply.reason not in _NOTHING_FOUND:
        return f"MQGET returned {name}, but must have ended {nearest.reply}", _telling(nearest.rules)
    hidden = tuple(explain_absence(Step(state.copy()), request, message))
    if hidden:
        made = _rules_of_change(timeline, lambda earlier: _hidden(earlier, call, identity))
        rules = (*_restored(call, timeline), *hidden, *made)
        return f"MQGET returned {name}, which this call must not return", rules
    order = (*selection_rules(state, request), *rules_of_order(state, request.queue, message))
    if nearest.reply.descriptor is None:
        return f"MQGET returned {name}, but must have ended {nearest.reply}", _telling(nearest.rules)
    other = _short(nearest.reply.descriptor.msg_id)
    return f"MQGET returned {name}, but message {other} comes before it", order


def _missed(call: Get, identity: tuple[bytes, int, int], timeline: Sequence[TrailStep]) -> tuple[str, tuple[str, ...]]:
    number = _last_change(timeline, lambda earlier: _hidden(earlier, call, identity))
    made, nothing_missed = _rules_of_change(timeline, lambda earlier: _hidden(earlier, call, identity)), "DLV-05"
    if number is None or isinstance(timeline[number][0], (Put, Put1)):
        made = (nothing_missed, *made)
    sentence = f"MQGET found nothing although message {_short(identity[0])} is available to it"
    return sentence, (*_restored(call, timeline), *made, nothing_missed, "DLV-03")


def _restored(call: Call, timeline: Sequence[TrailStep]) -> tuple[str, ...]:
    """Return the rule by which backout made the group information that a call goes by what it is, if it did."""
    if isinstance(call, Get) and call.options.options & MQGMO.LOGICAL_ORDER:
        number = _last_change(timeline, lambda state: state.handles[call.conn, call.hobj].removing)
        rule_of_kind = "UOW-05"
    elif isinstance(call, Put):
        number = _last_change(timeline, lambda state: state.handles[call.conn, call.hobj].putting)
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


def _last_change(timeline: Sequence[TrailStep], look: Callable[[State], object]) -> int | None:
    """Return the number of the latest step after which a look at the state differs from before.

    States in which there is nothing to look at, because the handle was not open, do not count.
    """
    for number in range(len(timeline) - 2, -1, -1):
        before, after = (_look(look, timeline[place][1]) for place in (number, number + 1))
        if None not in (before, after) and before != after:
            return number
    return None


def _rules_of(timeline: Sequence[TrailStep], number: int | None) -> tuple[str, ...]:
    """Return the rules of a step, the telling ones first."""
    return () if number is None else _telling(timeline[number][2])


def _rules_of_change(timeline: Sequence[TrailStep], look: Callable[[State], object]) -> tuple[str, ...]:
    """Return the rules of the latest change of what a look shows, the telling ones first.

    Where that was the end of a unit of work, those of the change that it made final or undid follow.
    """
    number = _last_change(timeline, look)
    rules = _rules_of(timeline, number)
    if number is not None and isinstance(timeline[number][0], (Commit, Back)):
        rules += _rules_of(timeline, _last_change(timeline[: number + 1], look))
    return rules


def _telling(rules: Sequence[str]) -> tuple[str, ...]:
    """Return rules with those last that nearly every call rests on."""
    return tuple(sorted(rules, key=lambda entry: entry in _SAID_OF_MOST_CALLS))


def _look(look: Callable[[State], object], state: State) -> object:
    try:
        return look(state)
    except KeyError:
        return None


def _hidden(state: State, call: Get, identity: tuple[bytes, int, int]) -> object:
    """Return what may hide a message from the call, also before its handle was open."""
    for queue in state.queues.values():
        for message in queue.messages:
            md = message.descriptor
            if (md.msg_id, md.msg_seq_number, md.offset) == identity:
                lockers = (handle for handle in state.handles_of(queue.name) if handle.key != (call.conn, call.hobj))
                locked = any(message.position in handle.locked for handle in lockers)
                return message.put_by, message.got_by, locked
    return "absent"


def _locked(state: State, call: Get) -> object:
    return state.handles[call.conn, call.hobj].locked


def _find(request: GetRequest, identity: tuple[bytes, int, int]) -> Message | None:
    return next(_matching(request, identity), None)


def _matching(request: GetRequest, identity: tuple[bytes, int, int]) -> Iterator[Message]:
    for message in request.queue.messages:
        md = message.descriptor
        if (md.msg_id, md.msg_seq_number, md.offset) == identity:
            yield message


def _verb(call: Call) -> str:
    return VERB_NAMES.get(type(call).__name__, type(call).__name__.lower())


def _short(msg_id: bytes) -> str:
    """Return an identifier as reports print it: the end of it, which tells generated ones apart."""
    return f"...{msg_id.hex()[-12:]}"
