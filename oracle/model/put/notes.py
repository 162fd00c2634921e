"""The notes of a put about members that MQGET shows later: the rules behind them, and other values that are as good.

The put returns most of these members itself, so that the same notes explain its own outputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from operator import attrgetter
from typing import Final, NamedTuple

from oracle.model.messages.made import PutNotes
from oracle.model.reply import Latitude, OneOf
from oracle.model.reports.reply_queues import ReplyQueue
from oracle.model.requests.context import Context
from oracle.model.requests.put import PutRequest
from oracle.mqi.constants import MQEI, MQFB, MQFMT, MQMT, MQPER, MQPRI, NULL_ID
from oracle.mqi.structures import MD_VERSION_2_MEMBERS, MessageDescriptor

Note = tuple[str, str]
"""A member of the descriptor and a rule behind it."""

_C_NAMES: Final = MessageDescriptor.c_names()
_of_version_2: Final = attrgetter(*MD_VERSION_2_MEMBERS)
_INITIAL: Final = _of_version_2(MessageDescriptor())
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
"""The rules about the GroupId for each row of the put table."""


class Noted(NamedTuple):
    """The notes of a put."""

    notes: PutNotes
    """The notes that are stored with the message."""
    rules: tuple[str, ...]
    """All rules of that."""
    behind_reply: Mapping[str, tuple[str, ...]]
    """The rules behind each output of the put, as `MQMD.Expiry`."""


class _Facts(NamedTuple):
    """The values that decide the notes of a put, so that each distinct kind of put is judged once.

    `row` is the rule of the put table. `msg_id`, `correl_id`: one was given; `correl_id_made`: it was replaced by a new
    one, `correl_id_stored`: there is one; `flags_changed`: others were stored than were given, which the caller sees.
    `version_1` is whether a version 1 descriptor has members of version 2, which are ignored; it is None for other
    versions. `default_priority`, `default_persistence`: they are from the first of several definitions. `limited`: the
    message expires, `capped`: earlier than was asked for. `fifo` is the queue's default priority if its messages stand
    in the order of their arrival.
    """

    row: str
    msg_id: bool
    correl_id: bool
    correl_id_made: bool
    correl_id_stored: bool
    flags_changed: bool
    version_1: bool | None
    default_priority: bool
    default_persistence: bool
    msg_type: int
    feedback: int
    format: str
    limited: bool
    capped: bool
    in_unit_of_work: bool
    fifo: int | None
    priority: int
    max_priority: int
    reply_queue: ReplyQueue
    context: tuple[str, ...]
    context_rules: tuple[str, ...]
    context_values: tuple[object, ...]
    putter: int | None


def notes_of(
    request: PutRequest, stored: MessageDescriptor, context: Context, reply_queue: ReplyQueue, *, max_priority: int
) -> Noted:
    """Return the notes of a put. `stored` is the descriptor that goes with the message."""
    given, queue, several = request.call.descriptor, request.queue.definition, len(request.path) > 1
    assert request.row is not None  # a put that fits no row has been refused as inconsistent
    return _noted(
        _Facts(
            row=request.row.rule,
            msg_id=given.msg_id != NULL_ID,
            correl_id=given.correl_id != NULL_ID,
            correl_id_made=stored.correl_id != given.correl_id,
            correl_id_stored=stored.correl_id != NULL_ID,
            flags_changed=stored.msg_flags != given.msg_flags and given.version > 1,
            version_1=_of_version_2(given) != _INITIAL if given.version == 1 else None,
            default_priority=several and given.priority == MQPRI.PRIORITY_AS_Q_DEF,
            default_persistence=several and given.persistence == MQPER.PERSISTENCE_AS_Q_DEF,
            msg_type=stored.msg_type,
            feedback=stored.feedback,
            format=stored.format,
            limited=stored.expiry != MQEI.UNLIMITED,
            capped=stored.expiry != given.expiry,
            in_unit_of_work=request.in_unit_of_work,
            fifo=queue.def_priority if queue.msg_delivery_sequence == "FIFO" else None,
            priority=stored.priority,
            max_priority=max_priority,
            reply_queue=reply_queue,
            context=context.noted,
            context_rules=context.rules,
            context_values=context.values_noted,
            putter=context.putter,
        )
    )


@lru_cache(maxsize=1024)
def _noted(put: _Facts) -> Noted:
    """Return the notes for these few values, which many puts share. Cached."""
    reply_queue = put.reply_queue
    notes = PutNotes(_behind((*_rules_of_members(put), *reply_queue.rules)), _latitude(put), put.putter)
    behind_reply = {**notes.behind, **{member: (put.row, *notes.behind.get(member, ())) for member in _OF_THE_ROW}}
    return Noted(notes, notes.rules, behind_reply)


def _rules_of_members(put: _Facts) -> Iterator[Note]:
    yield from _identifier_notes(put)
    if put.default_priority:
        yield "Priority", "PUT-27"
    if put.default_persistence:
        yield "Persistence", "PUT-27"
    yield from _type_notes(put)
    yield from _expiry_notes(put)
    if put.fifo is not None:
        yield "Priority", "PRI-05"
    elif put.priority > put.max_priority:
        for rule in ("PRI-01", "PUT-14", "VIS-10"):
            yield "Priority", rule
    for name in put.context:
        for rule in put.context_rules:
            yield _C_NAMES[name], rule


def _latitude(put: _Facts) -> dict[str, Latitude]:
    """Return the other values of members that are as good as the stored ones."""
    latitude: dict[str, Latitude] = {}
    if put.fifo is not None:
        latitude["MQMD.Priority"] = OneOf((put.priority, put.fifo))
    if put.putter is None:
        for name, value in zip(put.context, put.context_values, strict=True):
            latitude[f"MQMD.{_C_NAMES[name]}"] = OneOf((value,))
    return {**latitude, **{f"MQMD.{name}": OneOf(values) for name, values in put.reply_queue.open}}


def _behind(notes: Iterable[Note]) -> Mapping[str, tuple[str, ...]]:
    """Return the rules behind each member."""
    behind: dict[str, tuple[str, ...]] = {}
    for name, rule in notes:
        member = f"MQMD.{name}"
        behind[member] = (*behind.get(member, ()), rule)
    return behind


def _identifier_notes(put: _Facts) -> Iterator[Note]:
    """Yield the rules for identifiers and group fields."""
    for rule in _ROW[put.row]:
        yield "GroupId", rule
    if put.msg_id:
        yield "MsgId", "PUT-26"
    if put.correl_id or put.correl_id_made:
        yield "CorrelId", "PUT-26"
    if put.flags_changed:
        yield "MsgFlags", "PUT-21"
    if put.version_1 is not None:
        for name in MD_VERSION_2_MEMBERS:
            yield _C_NAMES[name], "PUT-22"
            if put.version_1:
                yield _C_NAMES[name], "MDE-03"


def _expiry_notes(put: _Facts) -> Iterator[Note]:
    """Yield the rules for how long a message lives."""
    if not put.limited:
        yield "Expiry", "EXP-29"
        return
    for rule in ("EXP-01", "EXP-03", "EXP-04"):
        yield "Expiry", rule
    yield "PutDate", "EXP-03"
    yield "PutTime", "EXP-03"
    if put.capped:
        yield "Expiry", "CAP-01"
        yield "Expiry", "CAP-03"
    if put.in_unit_of_work:
        yield "Expiry", "EXP-17"


def _type_notes(put: _Facts) -> Iterator[Note]:
    """Yield the rules for the purpose of a message: request, reply, report, dead letter."""
    if put.msg_type == MQMT.REQUEST:
        yield "ReplyToQ", "RPY-01"
        yield "ReplyToQMgr", "RPY-01"
    elif put.msg_type == MQMT.REPLY:
        yield "Expiry", "RPY-04"
        if put.correl_id_stored:
            yield "CorrelId", "RPY-03"
    elif put.msg_type == MQMT.REPORT and put.feedback == MQFB.EXPIRATION:
        yield "Feedback", "RPT-06"
    if put.format == MQFMT.DEAD_LETTER_HEADER:
        yield "Expiry", "DLQ-01"
