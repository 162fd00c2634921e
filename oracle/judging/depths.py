"""Explanations of an MQINQ that returned wrong values, most of all a wrong depth.

A wrong depth is explained by the message that is missing, or by the expired message that is there or gone.
"""

from __future__ import annotations

from collections.abc import Mapping

from oracle.judging.case import Case
from oracle.judging.timeline import last_change, rules_of_step
from oracle.model.expiry import may_have_expired, must_have_expired
from oracle.model.messages.messages import Message
from oracle.model.objects.attributes import RULES_OF_ATTRIBUTES
from oracle.model.state import Queue, State
from oracle.mqi.calls import Disconnect, Fail, Inquire
from oracle.rules.catalogue import rule

_STAYS = "ZOS-01"
"""The rule by which an expired message stays on a queue of z/OS."""
_DISCARDED = ("EXP-11", "ZOS-06")
"""The rules by which a get, or a scan on request, discards an expired message."""
_LIVES, _GONE = "EXP-02", "EXP-09"
"""The rules by which a message lives for its time, and by which one that has expired is discarded."""
_ENDS = ("CON-04", "CON-05")
"""The rules by which the end of a connection ends its unit of work."""
_TRIGGERS = "TRI"
"""The area of the rules by which trigger messages are made."""
_NOT_COMPLETED = "TRN-04"
"""The rule by which a get of a message that does not fit leaves everything unchanged."""
_SWITCHED_OFF = "TRI-04"
"""The rule by which a trigger message for a depth switches triggering off."""


def lacking(case: Case) -> Message | None:
    """Return the message of the queue manager that nobody has seen, if an inquired depth is too small by one."""
    queue = _queue(case)
    if queue is None or _more(case) != -1:
        return None
    unseen = [each for each in queue.messages if each.made is not None and each.made.new_msg_id]
    return unseen[-1] if unseen else None


def of_ended_connection(case: Case) -> tuple[str, ...]:
    """Return the rule by which a connection ended, if its unit of work held a message that a wrong depth is about."""
    queue, timeline = _queue(case), case.timeline
    if queue is None or not _more(case) or len(timeline) < 2:
        return ()
    end, before, rules = timeline[-2]
    if not isinstance(end, (Disconnect, Fail)) or queue.name not in before.queues:
        return ()
    held = any(end.conn in (each.put_by, each.got_by) for each in before.queues[queue.name].messages)
    return tuple(entry for entry in rules if entry in _ENDS) if held else ()


def of_expired(case: Case) -> tuple[str, ...]:
    """Return the rule about expired messages that explains a wrong depth, if one does.

    A depth that is too small lacks an expired message that must stay, or another beside those that have expired. One
    that is too large has an expired message that the latest change of the queue discards.
    """
    shown, more = _shown_depth(case.observed.members.get("values")), _more(case)
    queue, state, timeline = _queue(case), case.state, case.timeline
    if queue is None or shown is None or not more:
        return ()
    changed = rules_of_step(timeline, last_change(timeline, lambda earlier: _places(queue.name, earlier)))
    if more < 0:
        there = any(must_have_expired(state, each) for each in queue.messages)
        if (there or _GONE in changed) and shown < _lasting(state, queue):
            return (_LIVES,)
        return (_STAYS,) if there and _STAYS in case.nearest.rules else ()
    return tuple(each for each in _DISCARDED if each in changed)[:1]


def of_left_there(case: Case) -> tuple[str, ...]:
    """Return the rule by which a get left a message there that did not fit, if a depth lacks one."""
    lacks = _queue(case) is not None and _more(case) < 0
    return (_NOT_COMPLETED,) if lacks and any(_NOT_COMPLETED in rules for _, _, rules in case.timeline[:-1]) else ()


def of_triggering(case: Case) -> tuple[str, ...]:
    """Return the rule by which triggering was switched off, if an MQINQ tells that it is still on."""
    both = case.observed.members.get("values"), case.nearest.reply.values
    shown, due = ((values or {}).get("TriggerControl") for values in both)
    queue, timeline = _queue(case), case.timeline
    if queue is None or (shown, due) != (1, 0):
        return ()
    rules = rules_of_step(timeline, last_change(timeline, lambda earlier: _triggering(queue.name, earlier)))
    return (_SWITCHED_OFF,) if any(rule(entry).area == _TRIGGERS for entry in rules) else ()


def of_right_attributes(case: Case) -> frozenset[str]:
    """Return the rules about attributes that an MQINQ has returned rightly, beside others."""
    call, values, allowed = case.call, case.observed.members.get("values"), case.nearest.reply.values
    if not isinstance(call, Inquire) or not isinstance(values, dict) or allowed is None:
        return frozenset()
    right = {name for name in call.attributes if name in allowed and values.get(name) == allowed[name]}
    of_wrong = {entry for name in set(call.attributes) - right for entry in RULES_OF_ATTRIBUTES.get(name, ())}
    return frozenset(entry for name in right for entry in RULES_OF_ATTRIBUTES.get(name, ())) - of_wrong


def _more(case: Case) -> int:
    """Return how many messages too many a reply tells; 0 if it tells no depth."""
    shown, due = _shown_depth(case.observed.members.get("values")), _shown_depth(case.nearest.reply.values)
    return 0 if shown is None or due is None else shown - due


def _shown_depth(values: Mapping[str, object] | None) -> int | None:
    """Return the depth among inquired values, if it is there."""
    shown = (values or {}).get("CurrentQDepth")
    return shown if isinstance(shown, int) else None


def _lasting(state: State, queue: Queue) -> int:
    """Return how many messages are surely there: no unit of work holds them, and they cannot have expired."""
    return sum(
        each.put_by is None and each.got_by is None and not may_have_expired(state, each) for each in queue.messages
    )


def _queue(case: Case) -> Queue | None:
    """Return the queue that an MQINQ is about; None for other calls, and without a handle of a queue."""
    call, state = case.call, case.state
    handle = state.handles.get((call.conn, call.hobj)) if isinstance(call, Inquire) else None
    return None if handle is None else state.queues.get(handle.queue)


def _triggering(name: str, state: State) -> int | None:
    queue = state.queues.get(name)
    return None if queue is None else queue.definition.trigger_control


def _places(name: str, state: State) -> frozenset[object] | None:
    queue = state.queues.get(name)
    return None if queue is None else frozenset(each.position for each in queue.messages)
