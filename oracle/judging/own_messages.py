"""Explanations of a get that returned, or missed, a message which the queue manager made itself.

Such a message is a report, a trigger message or a dead letter. Nobody knows its MsgId before it is first returned, so
it is recognized by what it is about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from oracle.judging.finding import Finding
from oracle.judging.kept import refuses
from oracle.judging.message_names import MessageNames
from oracle.judging.timeline import TrailStep, last_change, rules_of_step, verb_at
from oracle.model.messages.messages import Message
from oracle.model.reply import Latitude, Reply
from oracle.model.state import Queue, State
from oracle.mqi.calls import Disconnect, Put, Put1
from oracle.mqi.constants import MQFB, MQFMT, MQMT
from oracle.mqi.structures import MessageDescriptor
from oracle.protocol.replies import ObservedReply
from oracle.rules.catalogue import rule


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of message that queue managers make."""

    name: str
    """Its name, with the article."""
    decide: frozenset[str]
    """The rules that say when one is made, and where it is put."""
    undue: str
    """The rule against one that nothing calls for."""
    due: tuple[str, ...] = ()
    """The rules by which there must be one that tell more than the others, if they were decisive."""


_TRIGGER: Final = _Kind(
    "a trigger message",
    frozenset({f"TRI-{number:02}" for number in (*range(1, 6), *range(8, 16))}),
    "TRI-01",
    ("TRI-08", "TRI-09", "TRI-10", "TRI-12", "TRI-13", "TRI-15"),
)
_DEAD_LETTER: Final = _Kind("a dead letter", frozenset({"RPM-06"}), "DLV-01")
_CONFIRMING: Final = frozenset({"RPM-03", "RPM-06"})
_REPORTS: Final = {
    int(MQFB.EXPIRATION): _Kind(
        "an expiration report",
        frozenset({"RPM-06", *(f"RPT-0{number}" for number in range(1, 7))}),
        "RPT-02",
        ("RPT-01",),
    ),
    int(MQFB.COA): _Kind("a COA report", _CONFIRMING, "DLV-01"),
    int(MQFB.COD): _Kind("a COD report", _CONFIRMING, "DLV-01"),
}

_OTHER: Final = "a message of its own"

_STORES_NOTHING: Final = "PUT-25"
"""The rule by which a put that fails has no effect."""

_COMMITS: Final = "CON-04"
"""The rule by which MQDISC commits."""

_TELLING: Final = ("MQMD.MsgType", "MQMD.Feedback", "MQMD.Format", "MQMD.CorrelId")
"""The members that tell such messages from one another."""

_C_NAMES: Final = {f"MQMD.{c_name}": name for name, c_name in MessageDescriptor.c_names().items()}


def in_words(md: MessageDescriptor, names: MessageNames) -> str:
    """Return what a message that the queue manager made is, such as `a COA report about m1`."""
    kind = _kind(md.format, md.msg_type, md.feedback)
    return _OTHER if kind is None else _named(kind, md.correl_id, names)


def undue(observed: ObservedReply, timeline: Sequence[TrailStep], names: MessageNames) -> Finding | None:
    """Explain a returned message that looks like one of the queue manager's own, though there must be none.

    None if it looks like a message of an application. The rules are those by which an earlier call made none, as far as
    that call shows: the latest for which such rules were decisive.
    """
    members = observed.members
    kind = _kind(members.get("MQMD.Format"), members.get("MQMD.MsgType"), members.get("MQMD.Feedback"))
    if kind is None:
        return None
    number = next((place for place in range(len(timeline) - 1, -1, -1) if _deciding(kind, timeline[place][2])), None)
    deciding = _deciding(kind, rules_of_step(timeline, number)) or (kind.undue,)
    name = _named(kind, members.get("MQMD.CorrelId"), names)
    sentence = f"MQGET returned {name}, which the queue manager must not have put there"
    failed = _failed_put(kind, timeline)
    if failed:
        return Finding(sentence, (*failed, *deciding, "DLV-01"), sure=failed, own=kind.name)
    sure = deciding if len(deciding) == 1 else ()
    return Finding(sentence, (*deciding, "DLV-01"), sure=sure, own=kind.name)


def _failed_put(kind: _Kind, timeline: Sequence[TrailStep]) -> tuple[str, ...]:
    """Return the rule by which a put that fails stores nothing, if the latest put has failed and none made a report."""
    puts = [rules for call, _, rules in timeline if isinstance(call, (Put, Put1))]
    made = any(entry in kind.decide for rules in puts for entry in rules)
    return (_STORES_NOTHING,) if puts and not made and _STORES_NOTHING in puts[-1] else ()


def alike(queue: Queue, observed: ObservedReply) -> Message | None:
    """Return the message of the queue manager, not returned so far, that a returned one must be.

    None if there is none, or if a log does not hold what would tell.
    """
    if observed.members.keys().isdisjoint(_TELLING):
        return None
    return next((message for message in _unseen(queue) if _is_like(message, observed)), None)


def differs(reply: Reply, observed: ObservedReply) -> bool:
    """Return whether an allowed reply has another message of the queue manager's own than the one returned."""
    md = reply.descriptor
    return md is not None and not _is_about(md, reply.latitude, observed)


def is_own(message: Message) -> bool:
    """Return whether the queue manager made a message itself, other than by splitting one of an application."""
    return message.made is not None and message.made.piece is None


def not_made(message: Message, timeline: Sequence[TrailStep], names: MessageNames) -> Finding:
    """Explain that a get missed a message that nobody has seen: the queue manager probably did not make it."""
    number = last_change(timeline, lambda state: _has_come(state, message))
    verb = verb_at(timeline, number)
    md, noted = message.descriptor, rules_of_step(timeline, number)
    kind = _kind(md.format, md.msg_type, md.feedback)
    itself = () if message.made is None else message.made.rules
    areas = {rule(entry).area for entry in itself}
    demanding = tuple(entry for entry in noted if rule(entry).area in areas and entry not in itself)
    if kind is not None:
        telling = (entry for entry in kind.due if entry in noted)
        demanding = (*telling, *(entry for entry in demanding if entry != kind.undue))
    demanding = (*_of_ended_connection(message, timeline), *demanding)
    after = f" by {verb}" if verb else ""
    sentence = f"MQGET found nothing although the queue manager must have put {in_words(md, names)} there{after}"
    effects = (*(entry for entry in noted if not refuses(entry)), "DLV-05", "DLV-03")
    own = _OTHER if kind is None else kind.name
    return Finding(sentence, demanding, effects, demanding[:1], verb, own)


def _of_ended_connection(message: Message, timeline: Sequence[TrailStep]) -> tuple[str, ...]:
    """Return the rule by which the end of a connection committed the unit of work that a message was part of."""
    number = last_change(timeline, lambda state: _unit_of(state, message))
    if number is None or not isinstance(timeline[number][0], Disconnect):
        return ()
    return tuple(entry for entry in timeline[number][2] if entry == _COMMITS)


def _unit_of(state: State, message: Message) -> tuple[str | None] | None:
    """Return the connection whose unit of work has put a message, in brackets; None if the message is not there."""
    there = (queue.messages.at(message.position) for queue in state.queues.values())
    return next(((each.put_by,) for each in there if each is not None and is_own(each)), None)


def _kind(form: object, msg_type: object, feedback: object) -> _Kind | None:
    if form == MQFMT.TRIGGER:
        return _TRIGGER
    if form == MQFMT.DEAD_LETTER_HEADER:
        return _DEAD_LETTER
    return _REPORTS.get(feedback) if msg_type == MQMT.REPORT and isinstance(feedback, int) else None


def _deciding(kind: _Kind, rules: Sequence[str]) -> tuple[str, ...]:
    return tuple(entry for entry in rules if entry in kind.decide)


def _unseen(queue: Queue) -> Iterator[Message]:
    return (message for message in queue.messages if is_own(message) and message.msg_id_is_open)


def _is_like(message: Message, observed: ObservedReply) -> bool:
    return _is_about(message.descriptor, {} if message.made is None else message.made.latitude, observed)


def _is_about(md: MessageDescriptor, latitude: Mapping[str, Latitude], observed: ObservedReply) -> bool:
    """Return whether the members of a returned message that tell what it is about are those of another."""
    for member in _TELLING:
        if member not in observed.members and observed.partial:
            continue
        seen, value = observed.members.get(member), getattr(md, _C_NAMES[member])
        if not (latitude[member].admits(seen) if member in latitude else seen == value):
            return False
    return True


def _named(kind: _Kind, correl_id: object, names: MessageNames) -> str:
    about = names.of_msg_id(correl_id) if kind in _REPORTS.values() and isinstance(correl_id, bytes) else ""
    return f"{kind.name} about {about}" if about else kind.name


def _has_come(state: State, message: Message) -> bool:
    return any(each.position == message.position for queue in state.queues.values() for each in queue.messages)
