"""A message arrives on a queue: its place, its time, and the unit of work that it belongs to."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from oracle.constants import MQEI, MQMF, MQRO
from oracle.model.made import NO_NOTES, Made, PutNotes
from oracle.model.messages import Message
from oracle.model.state import Queue
from oracle.model.step import Step
from oracle.model.units import note_behind_cursors, unit_of_work
from oracle.structures import MessageDescriptor

_ZOS_LEAST = 2


def place(
    step: Step,
    queue: Queue,
    md: MessageDescriptor,
    data: bytes,
    *,
    put_by: str | None,
    made: Made | None = None,
    notes: PutNotes = NO_NOTES,
) -> Message:
    """Place a message on a queue by its priority or by the time of its arrival, and return it.

    `put_by` is the connection whose unit of work puts it, None outside a unit of work.
    """
    state = step.state
    fifo = queue.definition.msg_delivery_sequence == "FIFO"
    step.because("VIS-08", "VIS-09" if fifo else "PRI-03", "DEP-01")
    rank = queue.definition.def_priority if fifo else _rank_by_priority(step, queue, md)
    message = Message(md, data, rank, state.next_arrival, state.now_ms, put_by=put_by, made=made, notes=notes)
    state.next_arrival += 1
    queue.messages = queue.messages.having(message)
    note_behind_cursors(step.state, queue.name, message, "BRW-21")
    if md.report & MQRO.EXPIRATION and md.expiry != MQEI.UNLIMITED:
        state.expiration_reports += ((queue.name, message.position),)
    if put_by is None:
        step.arrived.append((queue.name, message))
    else:
        unit_of_work(step, put_by).touched[queue.name, message.position] = None
        step.because("VIS-01")
    return message


def _rank_by_priority(step: Step, queue: Queue, md: MessageDescriptor) -> int:
    """Return the priority at which the message is placed; on z/OS the first of a group may rank at least 2."""
    rank = min(md.priority, step.state.definition.max_priority)
    if rank < md.priority:
        step.because("VIS-10")
    first = md.msg_flags & MQMF.MSG_IN_GROUP and md.msg_seq_number == 1
    if step.state.profile.zos and queue.definition.index_type == "GROUP_ID" and first and rank < _ZOS_LEAST:
        return step.choose("does a group of low priority rank at 2", (_ZOS_LEAST, rank), "VIS-11")
    return rank


def put_date_and_time(step: Step) -> tuple[str, str]:
    """Return the present time as PutDate (YYYYMMDD) and PutTime (HHMMSSTH), both UTC (PUT-24)."""
    milliseconds = step.state.epoch_ms + step.state.now_ms
    moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=milliseconds)
    hundredths = moment.microsecond // 10_000
    return (
        f"{moment.year:04d}{moment.month:02d}{moment.day:02d}",
        f"{moment.hour:02d}{moment.minute:02d}{moment.second:02d}{hundredths:02d}",
    )


def make_identifier(step: Step, number: int) -> bytes:
    """Return an identifier as a queue manager makes it: prefix, its name and a number (IDS-04)."""
    prefix = b"CSQ " if step.state.profile.zos else b"AMQ "
    name = step.state.definition.name.encode("ascii", "replace")[:12].ljust(12)
    return prefix + name + number.to_bytes(8, "big")


def own_identifier(step: Step) -> bytes:
    """Return a new identifier that nobody has seen yet."""
    number = step.state.next_number
    step.state.next_number += 1
    return make_identifier(step, number)
