"""The differences of an allowed outcome from what was observed: of the reply, and of what it tells beside its call.

A reply may report calls that waited and have ended, and signals that were delivered. A value that the queue manager
generates must be new.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from oracle.judging.compare import ENDED, Difference, differences, differences_of_waiting, in_full
from oracle.model.step import Outcome
from oracle.mqi.calls import Call, Get, Put, Put1
from oracle.mqi.constants import MQEC, NULL_ID, NULL_TOKEN
from oracle.mqi.structures import MessageDescriptor
from oracle.protocol.replies import ObservedReply

Generated = Mapping[str, Collection[object]]
"""The values that the queue manager has generated so far, by output, as `MQMD.MsgId`."""


def outcome_differences(
    call: Call, outcome: Outcome, observed: ObservedReply, waiting: Mapping[int, Get], generated: Generated
) -> list[Difference]:
    """Return where an allowed outcome differs from what was observed; nothing if it fits.

    `waiting` are the calls that wait, by identity.
    """
    found = differences(call, outcome.reply, outcome.rules, observed)
    if outcome.completed or observed.completed:
        found += _completion_differences(outcome, observed, waiting)
    if observed.posted is not None:
        found += _posting_differences(outcome, observed.posted)
    if not found and outcome.generated:
        found += freshness_differences(call, outcome, observed, generated)
    return found


def _completion_differences(
    outcome: Outcome, observed: ObservedReply, waiting: Mapping[int, Get]
) -> Iterator[Difference]:
    """Compare which waiting calls have ended, and how."""
    expected = {done.identity: done for done in outcome.completed}
    for identity, done in expected.items():
        seen = observed.completed.get(identity)
        if seen is None:
            yield Difference(
                f"the waiting call {identity}",
                "still waiting",
                f"ended with {in_full(str(done.reply))}",
                done.rules,
            )
        else:
            yield from differences_of_waiting(waiting[identity], done.reply, done.rules, seen)
    ended = {entry for done in outcome.completed for entry in done.rules}
    staying = ("WAI-01", *(entry for entry in outcome.rules if entry not in ended))
    for identity in observed.completed:
        if identity not in expected:
            yield Difference(f"the waiting call {identity}", ENDED, "still waiting", staying)


def _posting_differences(outcome: Outcome, posted: Mapping[int, int]) -> Iterator[Difference]:
    """Compare the signals that were delivered, and their codes, if they can be observed."""
    expected = {each.identity: each for each in outcome.posted}
    for identity in expected.keys() | posted.keys():
        seen, wanted = posted.get(identity), expected.get(identity)
        if wanted is None:
            yield Difference(
                f"the signal of call {identity}", seen, "not delivered", _UNDUE.get(seen or 0, ("SIG-08",))
            )
        elif seen != wanted.code:
            yield Difference(f"the signal of call {identity}", seen, f"delivered with {wanted.code}", wanted.rules)


_UNDUE: Final[Mapping[int, tuple[str, ...]]] = {
    MQEC.MSG_ARRIVED: ("SIG-05", "SIG-09", "SIG-11"),
    MQEC.WAIT_INTERVAL_EXPIRED: ("SIG-07",),
    MQEC.Q_MGR_QUIESCING: ("QSC-05",),
    MQEC.CONNECTION_QUIESCING: ("QSC-05",),
}
"""The rules against a signal that is delivered at the wrong time, by its code."""


def freshness_differences(
    call: Call, outcome: Outcome, observed: ObservedReply, generated: Generated
) -> Iterator[Difference]:
    """Refuse generated identifiers and tokens that are null or were used before (IDS-03, IDS-09, GST-05).

    An identifier that the application passed to the call is not new either; a log need not show it as it was
    passed.
    """
    for member, value in outcome.generated:
        if member in observed.unasked or (observed.partial and member not in observed.members):
            continue
        given = None if observed.partial else _given(call, member)
        used = value in (NULL_ID, NULL_TOKEN, given) or value in generated.get(member, ())
        if isinstance(value, bytes) and used:
            rules = _GENERATED.get(member.rpartition(".")[2], outcome.rules)
            yield Difference(member, value, "a value that is not null and was not used before", rules)


_GENERATED: Final = {"MsgId": ("IDS-03",), "CorrelId": ("IDS-09",), "MsgToken": ("GST-05",)}
"""The rules by which a generated value differs from all others, if a rule is about that alone."""


_NAMES: Final = {f"MQMD.{c_name}": name for name, c_name in MessageDescriptor.c_names().items()}


def _given(call: Call, member: str) -> object:
    """Return the value that a put passed in a member of its descriptor.

    None if the call is not a put or has no such member.
    """
    return getattr(call.descriptor, _NAMES[member]) if isinstance(call, (Put, Put1)) and member in _NAMES else None
