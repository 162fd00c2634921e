"""A message arrives on a queue: its place, its time, and the unit of work that it belongs to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import lru_cache

from oracle.model.messages.made import NO_NOTES, Made, PutNotes
from oracle.model.messages.messages import Message
from oracle.model.reply import Anything, Latitude, OneOf
from oracle.model.state import Queue, State
from oracle.model.step import Arrival, Step
from oracle.model.units.units import note_behind_cursors, unit_of_work
from oracle.mqi.constants import MQEI, MQMF, MQRO
from oracle.mqi.profile import PlatformName
from oracle.mqi.structures import MessageDescriptor
from oracle.values import replace

_ZOS_LEAST = 2
_DAY = 24 * 60 * 60 * 100
_PROGRAM_LENGTH = 28


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

    `put_by` is the connection whose unit of work puts it; None outside a unit of work.
    """
    state = step.state
    fifo = queue.definition.msg_delivery_sequence == "FIFO"
    step.because("VIS-08", "VIS-09" if fifo else "PRI-03", "DEP-01")
    rank = queue.definition.def_priority if fifo else _rank_by_priority(step, queue, md)
    message = Message(md, data, rank, state.next_arrival, state.now_ms, put_by=put_by, made=made, notes=notes)
    if made is not None and _may_have_been_scanned(state, md, made):
        message = replace(message, discardable_ms=state.now_ms)
    state.next_arrival += 1
    queue.messages = queue.messages.having(message)
    note_behind_cursors(step.state, queue.name, message, "BRW-21")
    if md.report & MQRO.EXPIRATION and md.expiry != MQEI.UNLIMITED:
        state.expiration_reports += ((queue.name, message.position),)
    step.arrived.append(Arrival(queue.name, message))
    if put_by is not None:
        unit_of_work(step, put_by).touched[queue.name, message.position] = None
        step.because("VIS-01")
    return message


def _may_have_been_scanned(state: State, md: MessageDescriptor, made: Made) -> bool:
    """Return whether a message that was made unseen may have expired before the last scan of z/OS (ZOS-03)."""
    if made.since_ms is None or md.expiry == MQEI.UNLIMITED or not state.definition.expiry_interval:
        return False
    return made.since_ms + md.expiry * 100 - state.profile.expiry_tolerance_ms <= state.scanned_ms


def _rank_by_priority(step: Step, queue: Queue, md: MessageDescriptor) -> int:
    """Return the priority at which the message is placed; on z/OS the first of a group may rank at least 2."""
    rank = min(md.priority, step.state.definition.max_priority)
    if rank < md.priority:
        step.because("VIS-10")
    first = md.msg_flags & MQMF.MSG_IN_GROUP and md.msg_seq_number == 1
    if step.state.profile.zos and queue.definition.index_type == "GROUP_ID" and first and rank < _ZOS_LEAST:
        return _ZOS_LEAST if _raises_groups(step) else rank
    return rank


def _raises_groups(step: Step) -> bool:
    """Return whether groups of low priority rank at 2; a queue manager ranks them so always or never (VIS-11)."""
    step.because("VIS-11")
    return step.choose_for_good("does a group of low priority rank at 2", (True, False), "VIS-11")


def put_date_and_time(step: Step) -> tuple[str, str]:
    """Return the present time as PutDate (YYYYMMDD) and PutTime (HHMMSSTH), both UTC (PUT-24)."""
    return _date_and_time(step.state.epoch_ms + step.state.now_ms)


@lru_cache(maxsize=1024)
def _date_and_time(milliseconds: int) -> tuple[str, str]:
    """Return the date and the time of milliseconds since 1970. Cached: many calls share a virtual time."""
    moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=milliseconds)
    hundredths = moment.microsecond // 10_000
    return (
        f"{moment.year:04d}{moment.month:02d}{moment.day:02d}",
        f"{moment.hour:02d}{moment.minute:02d}{moment.second:02d}{hundredths:02d}",
    )


@dataclass(frozen=True, slots=True)
class TimeBetween:
    """A PutTime within an interval, which may include midnight."""

    earliest: str
    """The earliest time of day, HHMMSSTH."""
    hundredths: int
    """The length of the interval in hundredths of a second."""

    def admits(self, value: object) -> bool:
        """Return whether the value is such a time."""
        if not isinstance(value, str) or len(value) != len(self.earliest) or not value.isdecimal():
            return False
        return (_hundredths(value) - _hundredths(self.earliest)) % _DAY <= self.hundredths

    def __str__(self) -> str:
        return f"{self.earliest!r} or up to {self.hundredths / 100:g} seconds later"


def _hundredths(time: str) -> int:
    hours, minutes, seconds, rest = (int(time[at : at + 2]) for at in range(0, 8, 2))
    return ((hours * 60 + minutes) * 60 + seconds) * 100 + rest


def latitude_of_time(step: Step, since_ms: int | None = None) -> dict[str, Latitude]:
    """Return the latitude of PutDate and PutTime of a message that the queue manager makes.

    It may have made the message at any time since `since_ms`, if that is given, and it may use a clock of its own.
    """
    state, tolerance = step.state, step.state.profile.clock_tolerance_ms
    since = state.now_ms if since_ms is None else min(since_ms, state.now_ms)
    if since == state.now_ms and not tolerance:
        return {}
    first, last = state.epoch_ms + since - tolerance, state.epoch_ms + state.now_ms + tolerance
    date, time = _date_and_time(first)
    hundredths = last // 10 - first // 10
    any_date = tolerance or hundredths >= _DAY
    return {
        "MQMD.PutDate": Anything() if any_date else OneOf(tuple(dict.fromkeys((date, _date_and_time(last)[0])))),
        "MQMD.PutTime": TimeBetween(time, hundredths),
    }


def make_identifier(step: Step, number: int) -> bytes:
    """Return an identifier in the queue manager's form: prefix, its name and a number (IDS-04)."""
    return identifier(step.state.definition.name, step.state.profile.platform, number)


def identifier(name: str, platform: PlatformName, number: int) -> bytes:
    """Return an identifier in the form of the queue manager of a name."""
    return _identifier_prefix(name, platform) + number.to_bytes(8, "big")


@lru_cache(maxsize=1024)
def _identifier_prefix(name: str, platform: PlatformName) -> bytes:
    """Return the prefix of all identifiers of a queue manager, by its name and platform."""
    prefix = b"CSQ " if platform == "zos" else b"AMQ "
    return prefix + name.encode("ascii", "replace")[:12].ljust(12)


def name_as_program(step: Step) -> str:
    """Return the PutApplName of a message that the queue manager puts: its own name, as far as the field holds it."""
    return step.state.definition.name[:_PROGRAM_LENGTH]


def own_identifier(step: Step) -> bytes:
    """Return a new identifier that no call has shown yet."""
    number = step.state.next_number
    step.state.next_number += 1
    return make_identifier(step, number)
