"""What an MQINQ shows that returns wrong values, most of all a wrong depth.

Of a wrong depth it is the message that is missing, or the expired message that is there or gone.
"""

from __future__ import annotations

from collections.abc import Sequence

from oracle.judging.timeline import TrailStep, last_change, rules_of_step
from oracle.model.expiry import must_have_expired
from oracle.model.messages.messages import Message
from oracle.model.objects.attributes import RULES_OF_ATTRIBUTES
from oracle.model.state import Queue, State
from oracle.model.step import Outcome
from oracle.mqi.calls import Call, Inquire
from oracle.protocol.replies import ObservedReply

_STAYS = "ZOS-01"
"""The rule by which an expired message stays on a queue of z/OS."""
_DISCARDED = ("EXP-11", "ZOS-06")
"""The rules by which a get, or a scan on request, discards an expired message."""
_SWITCHED_OFF = "TRI-04"
"""The rule by which a trigger message for a depth switches triggering off."""


def lacking(call: Call, observed: ObservedReply, nearest: Outcome, state: State) -> Message | None:
    """Return the message of the queue manager that nobody has seen, if an inquired depth is too small by one."""
    queue = _queue(call, state)
    if queue is None or _more(observed, nearest) != -1:
        return None
    unseen = [each for each in queue.messages if each.made is not None and each.made.new_msg_id]
    return unseen[-1] if unseen else None


def of_expired(call: Call, observed: ObservedReply, nearest: Outcome, timeline: Sequence[TrailStep]) -> tuple[str, ...]:
    """Return the rule about expired messages that explains a wrong depth, if one does.

    A depth that is too small lacks an expired message that must stay. One that is too large has an expired message that
    the latest change of the queue discards.
    """
    state, more = timeline[-1][1], _more(observed, nearest)
    queue = _queue(call, state)
    if queue is None or not more:
        return ()
    if more < 0:
        there = any(must_have_expired(state, each) for each in queue.messages)
        return (_STAYS,) if there and _STAYS in nearest.rules else ()
    number = last_change(timeline, lambda earlier: _places(call, earlier))
    return tuple(each for each in _DISCARDED if each in rules_of_step(timeline, number))[:1]


def of_triggering(
    call: Call, observed: ObservedReply, nearest: Outcome, timeline: Sequence[TrailStep]
) -> tuple[str, ...]:
    """Return the rule by which triggering was switched off, if an MQINQ tells that it is still on."""
    told, due = (
        (values or {}).get("TriggerControl") for values in (observed.members.get("values"), nearest.reply.values)
    )
    if (told, due) != (1, 0):
        return ()
    number = last_change(timeline, lambda earlier: _triggering(call, earlier))
    return (_SWITCHED_OFF,) if _SWITCHED_OFF in rules_of_step(timeline, number) else ()


def of_right_attributes(call: Call, observed: ObservedReply, nearest: Outcome) -> frozenset[str]:
    """Return the rules about attributes that an MQINQ has returned rightly, beside others."""
    values, allowed = observed.members.get("values"), nearest.reply.values
    if not isinstance(call, Inquire) or not isinstance(values, dict) or allowed is None:
        return frozenset()
    right = {name for name in call.attributes if name in allowed and values.get(name) == allowed[name]}
    of_wrong = {rule for name in set(call.attributes) - right for rule in RULES_OF_ATTRIBUTES.get(name, ())}
    return frozenset(rule for name in right for rule in RULES_OF_ATTRIBUTES.get(name, ())) - of_wrong


def _more(observed: ObservedReply, nearest: Outcome) -> int:
    """Return how many messages too many a reply tells; 0 if it tells no depth."""
    told, due = (
        (values or {}).get("CurrentQDepth") for values in (observed.members.get("values"), nearest.reply.values)
    )
    return told - due if isinstance(told, int) and isinstance(due, int) else 0


def _queue(call: Call, state: State) -> Queue | None:
    handle = state.handles.get((call.conn, call.hobj)) if isinstance(call, Inquire) else None
    return None if handle is None else state.queues.get(handle.queue)


def _triggering(call: Call, state: State) -> int | None:
    queue = _queue(call, state)
    return None if queue is None else queue.definition.trigger_control


def _places(call: Call, state: State) -> frozenset[object] | None:
    queue = _queue(call, state)
    return None if queue is None else frozenset(each.position for each in queue.messages)
