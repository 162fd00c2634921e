"""Continuing after a departure: the allowed outcomes that have the effect of a departing reply.

A reply may be wrong although the queue manager did what it must: a member is wrong, a warning is missing, the call
failed with another reason. Later calls can then be judged as if the reply had been right. A get that returned another
message than expected has left the queue as if that message had been asked for. After anything else the state of the
queue manager is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import Final

from oracle.judging.compare import CODES, LENGTHS, Difference, every_difference, key_of
from oracle.model.messages.messages import Message
from oracle.model.reply import Reply
from oracle.model.state import State
from oracle.model.step import Outcome
from oracle.mqi.calls import Call, Get, Inquire, MqiCall
from oracle.mqi.constants import MQCC, MQMO, MQRC
from oracle.protocol.replies import ObservedReply

_NOTHING_FOUND = (MQRC.NO_MSG_AVAILABLE, MQRC.NO_MSG_UNDER_CURSOR)


class _Effect(Enum):
    """The effect of a call, as far as its codes show it."""

    NOTHING = "nothing"
    LEFT_THERE = "the message was too long and has been left where it was"
    SIGNAL_SET = "a signal has been set"
    DONE = "what was asked for"


_EFFECTS: Final = {
    int(MQRC.TRUNCATED_MSG_FAILED): _Effect.LEFT_THERE,
    int(MQRC.SIGNAL_REQUEST_ACCEPTED): _Effect.SIGNAL_SET,
}
"""The warnings with which a call has not done what was requested."""


_BODY: Final = (
    "MQMD.Format",
    "data",
    "DataLength",
    "MQGMO.ReturnedLength",
    "MQMD.Encoding",
    "MQMD.CodedCharSetId",
)
"""The members that hold, describe and count the data of a message."""


def alike(
    call: Call, observed: ObservedReply, allowed: Sequence[Outcome], state: State, waiting: Mapping[int, Get]
) -> dict[int, list[Difference]]:
    """Return the places of the allowed outcomes that have the effect of a reply, with their differences from it.

    `state` is a state before the call, `waiting` are the calls that waited then.
    """
    return {
        place: list(_every_difference(call, outcome, observed, waiting))
        for place, outcome in enumerate(allowed)
        if _has_effect(call, outcome, observed, state, waiting)
    }


def as_if_asked_for(call: Call, observed: ObservedReply, state: State) -> Get | None:
    """Return a get that asks for exactly the message that this one returned, though another was expected.

    None if the call is not a get, or if the model has no such message or cannot identify it by its MsgId.
    """
    key = key_of(observed)
    if not isinstance(call, Get) or key is None or observed.comp_code == MQCC.FAILED or observed.completed:
        return None
    found = [message for message in _messages(state) if message.descriptor.msg_id == key.msg_id]
    if [message.key for message in found] != [key] or found[0].data[: call.buffer_length] != observed.members.get(
        "data"
    ):
        return None
    return replace(
        call,
        descriptor=replace(call.descriptor, msg_id=key.msg_id),
        options=replace(call.options, match_options=int(MQMO.MATCH_MSG_ID)),
    )


def leaves_all(call: Call, observed: ObservedReply) -> bool:
    """Return whether a call changed nothing in any allowed outcome: it failed (CHK-01), or only inquired attributes.

    A get that found nothing is not such a call, because the message that it missed may be lost.
    """
    if not isinstance(call, MqiCall) or observed.pending or observed.completed:
        return False
    if isinstance(call, Inquire):
        return True
    missed = isinstance(call, Get) and observed.reason in _NOTHING_FOUND
    return observed.comp_code == MQCC.FAILED and not missed


def apart(found: Iterable[Difference]) -> list[list[Difference]]:
    """Return the differences of one reply in groups, by their first rule.

    Other data are one mistake with the lengths that count them, and other data of another Format with all that
    describes them; the Format tells most.
    """
    found = list(found)
    data = next((item.observed for item in found if item.member == "data"), None)
    other_body = data is not None and any(item.member == "MQMD.Format" for item in found)
    groups: dict[object, list[Difference]] = {}
    for item in found:
        of_body = item.member in _BODY if other_body else item.member == "data" or _counts(item, data)
        groups.setdefault(item.member if item.member == CODES else _BODY if of_body else item.rules[:1], []).append(
            item
        )
    if other_body:
        groups[_BODY].sort(key=lambda item: _BODY.index(item.member))
    return list(groups.values())


def _counts(item: Difference, data: object) -> bool:
    """Return whether a difference is that of a length, which is the number of bytes of the data that came."""
    return isinstance(data, bytes) and item.member in LENGTHS and item.observed == len(data)


def _has_effect(
    call: Call, outcome: Outcome, observed: ObservedReply, state: State, waiting: Mapping[int, Get]
) -> bool:
    ended = {done.identity: done.reply for done in outcome.completed}
    if ended.keys() != observed.completed.keys():
        return False
    if isinstance(call, MqiCall) and not _ends_alike(call, outcome.reply, observed, state):
        return False
    return all(_ends_alike(waiting[each], ended[each], seen, state) for each, seen in observed.completed.items())


def _ends_alike(call: MqiCall, reply: Reply, observed: ObservedReply, state: State) -> bool:
    if reply.pending or observed.pending:
        return reply.pending == observed.pending
    effect = _effect(reply.comp_code, reply.reason)
    if effect is not _effect(observed.comp_code, observed.reason):
        return False
    returned = isinstance(call, Get) and effect in (_Effect.DONE, _Effect.LEFT_THERE)
    return not returned or _is_the_message(reply, observed, state)


def _effect(comp_code: int, reason: int) -> _Effect:
    if comp_code == MQCC.FAILED:
        return _Effect.NOTHING
    return _EFFECTS.get(int(reason), _Effect.DONE)


def _is_the_message(reply: Reply, observed: ObservedReply, state: State) -> bool:
    """Return whether a get returned the message of a reply, however wrong its members are.

    It is recognized by its MsgId if no other message has that, and otherwise by its data.
    """
    if reply.descriptor is None:
        return "data" not in observed.members
    seen_id, seen_data = observed.members.get("MQMD.MsgId"), observed.members.get("data")
    same_data = seen_data == reply.data
    others = [message for message in _messages(state) if message.descriptor.msg_id == seen_id]
    if seen_id == reply.descriptor.msg_id:
        return len(others) <= 1 or (same_data and _is_numbered_alike(reply, observed))
    alike = [message for message in _messages(state) if message.data == reply.data]
    return not others and bool(reply.data) and same_data and len(alike) == 1


def _is_numbered_alike(reply: Reply, observed: ObservedReply) -> bool:
    members = reply.members()
    return all(
        observed.members.get(member, members[member]) == members[member]
        for member in ("MQMD.MsgSeqNumber", "MQMD.Offset")
    )


def _messages(state: State) -> Iterator[Message]:
    for queue in state.queues.values():
        yield from queue.messages


def _every_difference(
    call: Call, outcome: Outcome, observed: ObservedReply, waiting: Mapping[int, Get]
) -> Iterator[Difference]:
    yield from every_difference(call, outcome.reply, outcome.rules, observed)
    for done in outcome.completed:
        of_done = every_difference(waiting[done.identity], done.reply, done.rules, observed.completed[done.identity])
        yield from (replace(item, waited=True) for item in of_done)
