"""Reasons that are not allowed: the rules that say when a call ends with one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from oracle.judging.case import Case
from oracle.judging.timeline import last_change, rules_of_step
from oracle.model.state import State
from oracle.mqi.calls import Get, Open, name_of
from oracle.mqi.constants import INPUT_OPTIONS, MQCC, MQGMO, MQRC
from oracle.protocol.replies import ObservedReply
from oracle.rules.catalogue import rule
from oracle.rules.reason_rules import reasons_of, rules_of

NOTHING_FOUND: Final = (MQRC.NO_MSG_AVAILABLE, MQRC.NO_MSG_UNDER_CURSOR)
"""The reasons of a get that finds nothing, which say nothing about the call."""

FEW: Final = 2
"""The number of rules deciding about a reason up to which a failure that is not allowed is explained by them."""

_SET_OR_WAIT: Final = MQGMO.SET_SIGNAL | MQGMO.WAIT
_SECOND: Final = "SIG-12"
"""The rule by which a second signal, or a wait, is refused on a handle with one."""

_STAYS: Final = "QSC-05"
"""The rule by which quiescing leaves waits and signals alone that did not ask to fail."""

_MANY: Final = 5
"""The number of rules deciding about a reason above which a needless reason says nothing about any of them."""

_VERB: Final = re.compile(r"\bMQ(?:BACK|CLOSE|CMIT|CONN|DISC|GET|INQ|OPEN|PUT1?|SET)\b")
_OPTIONS_OF: Final = {"MQGMO_": ("MQGET",), "MQPMO_": ("MQPUT", "MQPUT1"), "MQOO_": ("MQOPEN",)}


def of_needless_reason(case: Case) -> tuple[str, ...]:
    """Return the rules that say when a call ends with a reason, for a call that must not have ended with one.

    Rules that name other verbs, or their options, do not say it of this call; of many rules only those that name the
    verb do. If one of the rules is behind the allowed outcome, it says why the call must not end so, and the others are
    left out. Those that name the fewest reasons come first.
    """
    call, observed, nearest = case.call, case.observed, case.nearest
    if nearest.reply.reason != MQRC.NONE or observed.reason in (MQRC.NONE, *NOTHING_FOUND):
        return ()
    deciding = [each.id for each in rules_of(observed.reason).decide]
    if not set(deciding).isdisjoint(nearest.rules):
        return ()
    named = {entry: verbs_in(rule(entry).statement) for entry in deciding}
    of_this = tuple(entry for entry in deciding if name_of(call) in named[entry])
    if len(deciding) > _MANY:
        return of_this if len(of_this) <= _MANY else ()
    about = [entry for entry in deciding if not named[entry] or entry in of_this]
    return tuple(sorted(about, key=lambda entry: len(reasons_of(entry))))


def verbs_in(statement: str) -> set[str]:
    """Return the calls that a statement names, or options of which it names."""
    by_options = (verb for prefix, verbs in _OPTIONS_OF.items() if prefix in statement for verb in verbs)
    return {*_VERB.findall(statement), *by_options}


def of_signal(case: Case) -> tuple[str, ...]:
    """Return the rule against MQRC_SIGNAL_OUTSTANDING on a handle without a signal.

    It is the one by which a signal of the handle was over, and otherwise the one that demands a signal for this reason.
    """
    call = case.call
    if not isinstance(call, Get) or case.observed.reason != MQRC.SIGNAL_OUTSTANDING:
        return ()

    def outstanding(state: State) -> bool:
        return state.handles[call.conn, call.hobj].signal is not None

    if case.nearest.reply.failed and outstanding(case.state):
        return () if call.options.options & _SET_OR_WAIT else (_SECOND,)
    over = rules_of_step(case.timeline, last_change(case.timeline, outstanding))
    return (next((entry for entry in ("SIG-05", "SIG-08", "SIG-07") if entry in over), _SECOND),)


def of_lost_signal(case: Case) -> tuple[str, ...]:
    """Return the rule by which quiescing leaves a signal alone, if a call was not refused for one that is set.

    The queue manager has begun to quiesce since the signal was set.
    """
    call, state = case.call, case.state
    due = case.nearest.reply.reason == MQRC.SIGNAL_OUTSTANDING != case.observed.reason
    if not isinstance(call, Get) or not due or not state.quiescing:
        return ()
    signal = state.handles[call.conn, call.hobj].signal
    if signal is None or signal.call.options.options & MQGMO.FAIL_IF_QUIESCING:
        return ()
    began = last_change(case.timeline, lambda earlier: earlier.quiescing)
    set_before = began is not None and (call.conn, call.hobj) in (handles := case.timeline[began][1].handles)
    return (_STAYS,) if set_before and handles[call.conn, call.hobj].signal is not None else ()


def of_shut_out(case: Case) -> tuple[str, ...]:
    """Return the rule against MQRC_OBJECT_IN_USE for a queue that no handle has open for input."""
    call, state = case.call, case.state
    if not isinstance(call, Open) or case.observed.reason != MQRC.OBJECT_IN_USE or case.nearest.reply.failed:
        return ()
    path = state.resolve(call.object_name)
    if path is None or not call.options & INPUT_OPTIONS:
        return ()
    if any(handle.open_for_input for handle in state.handles_of(path[-1])):
        return ()
    queue = state.queues.get(path[-1])
    return ("OPN-11",) if queue is None or queue.definition.shareability else ("OPN-12",)


def about_reason(observed: ObservedReply, allowed: Sequence[int], rules: Sequence[str]) -> str:
    """Return a sentence about the rules of a reason that no allowed outcome has, unless they are named first."""
    if observed.comp_code != MQCC.FAILED or observed.reason in {*allowed, *NOTHING_FOUND}:
        return ""
    deciding = rules_of(observed.reason).decide
    if not 0 < len(deciding) <= FEW or any(each.id in rules[:1] for each in deciding):
        return ""
    named = " and ".join(f"{each.id} ({each.title})" for each in deciding)
    return f" {MQRC.describe(observed.reason)} belongs to {named}."
