"""What a put decided about members that MQGET shows later: the rules behind them, and which other values are as good.

The put returns most of these members itself, so that the same notes explain its own outputs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from oracle.model.context import Context
from oracle.model.made import PutNotes
from oracle.model.put_groups import PutRow
from oracle.model.put_request import PutRequest
from oracle.model.reply import Latitude, OneOf
from oracle.mqi.constants import MQEI, MQFB, MQFMT, MQMT, MQPER, MQPRI, NULL_ID
from oracle.mqi.structures import MD_VERSION_2_MEMBERS, MessageDescriptor

_Note = tuple[str, str]
"""A member of the descriptor and a rule behind it."""

_C_NAMES: Final = MessageDescriptor.c_names()
_OF_THE_ROW: Final = ("MQMD.GroupId", "MQMD.MsgSeqNumber", "MQMD.Offset")

_ROW: Final[Mapping[str, tuple[str, ...]]] = {
    "PTB-01": ("TRM-06",),
    "PTB-02": ("TRM-05",),
    "PTB-03": ("TRM-04",),
    "PTB-04": ("TRM-04",),
    "PTB-05": ("TRM-07",),
    "PTB-06": ("TRM-07",),
    "PTB-07": ("TRM-04", "TRM-07"),
    "PTB-08": ("TRM-06",),
    "PTB-09": ("TRM-05",),
    "PTB-10": ("TRM-04",),
    "PTB-11": ("TRM-07",),
    "PTB-12": ("TRM-04", "TRM-07"),
}
"""What the GroupId of each row of the put table means."""


def notes_of(
    request: PutRequest, stored: MessageDescriptor, row: PutRow, context: Context, *, max_priority: int
) -> PutNotes:
    """Return what is to be noted about a put: `stored` is the descriptor that goes with the message."""
    given, queue = request.call.descriptor, request.queue.definition
    notes = [
        *_identifier_notes(given, stored, row),
        *(_default_notes(request, given) if len(request.path) > 1 else ()),
        *_type_notes(stored),
    ]
    if stored.expiry == MQEI.UNLIMITED:
        notes.append(("Expiry", "EXP-29"))
    else:
        notes += [("Expiry", rule) for rule in ("EXP-01", "EXP-03", "EXP-04")]
        notes += [("PutDate", "EXP-03"), ("PutTime", "EXP-03")]
        notes += [("Expiry", "EXP-17")] if request.in_unit_of_work else []
    latitude: dict[str, Latitude] = {}
    if queue.msg_delivery_sequence == "FIFO":
        notes.append(("Priority", "PRI-05"))
        latitude["MQMD.Priority"] = OneOf((stored.priority, queue.def_priority))
    elif stored.priority > max_priority:
        notes += [("Priority", rule) for rule in ("PRI-01", "PUT-14", "VIS-10")]
    for name in context.noted:
        notes += [(_C_NAMES[name], rule) for rule in context.rules]
        if context.putter is None:
            latitude[f"MQMD.{_C_NAMES[name]}"] = OneOf((context.members[name],))
    return PutNotes(_behind(tuple(notes)), latitude, context.putter)


@lru_cache(maxsize=1024)
def _behind(notes: tuple[_Note, ...]) -> Mapping[str, tuple[str, ...]]:
    """Return the rules behind each member, which the notes alone decide: few combinations of them ever occur."""
    behind: dict[str, tuple[str, ...]] = {}
    for name, rule in notes:
        member = f"MQMD.{name}"
        behind[member] = (*behind.get(member, ()), rule)
    return behind


def behind_reply(row: PutRow, notes: PutNotes) -> Mapping[str, tuple[str, ...]]:
    """Return the rules behind what a put returns: those that go with the message, and its row of the put table."""
    return {**notes.behind, **{member: (row.rule, *notes.behind.get(member, ())) for member in _OF_THE_ROW}}


def _identifier_notes(given: MessageDescriptor, stored: MessageDescriptor, row: PutRow) -> Iterator[_Note]:
    """Yield the rules for identifiers and group fields."""
    for rule in _ROW[row.rule]:
        yield "GroupId", rule
    if given.msg_id != NULL_ID:
        yield "MsgId", "PUT-26"
    if given.correl_id != NULL_ID or stored.correl_id != given.correl_id:
        yield "CorrelId", "PUT-26"
    if stored.msg_flags != given.msg_flags and given.version > 1:
        yield "MsgFlags", "PUT-21"
    if given.version == 1:
        c_names, initial = given.c_names(), MessageDescriptor()
        ignored = any(getattr(given, name) != getattr(initial, name) for name in MD_VERSION_2_MEMBERS)
        for name in MD_VERSION_2_MEMBERS:
            yield c_names[name], "PUT-22"
            if ignored:
                yield c_names[name], "MDE-03"


def _default_notes(request: PutRequest, given: MessageDescriptor) -> Iterator[_Note]:
    """Yield the rule for a default that comes from the first of several definitions."""
    if len(request.path) > 1:
        if given.priority == MQPRI.PRIORITY_AS_Q_DEF:
            yield "Priority", "PUT-27"
        if given.persistence == MQPER.PERSISTENCE_AS_Q_DEF:
            yield "Persistence", "PUT-27"


def _type_notes(stored: MessageDescriptor) -> Iterator[_Note]:
    """Yield the rules for what a message is for: to request, to reply, to report, to be a dead letter."""
    if stored.msg_type == MQMT.REQUEST:
        yield "ReplyToQ", "RPY-01"
        yield "ReplyToQMgr", "RPY-01"
    elif stored.msg_type == MQMT.REPLY:
        yield "Expiry", "RPY-04"
        if stored.correl_id != NULL_ID:
            yield "CorrelId", "RPY-03"
    elif stored.msg_type == MQMT.REPORT and stored.feedback == MQFB.EXPIRATION:
        yield "Feedback", "RPT-06"
    if stored.format == MQFMT.DEAD_LETTER_HEADER:
        yield "Expiry", "DLQ-01"
