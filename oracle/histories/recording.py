"""Calls and their replies as records of the event log.

The conformance suite writes its histories so, and the audit's demonstration its day of traffic.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from oracle.histories.event_log import MESSAGE_COLUMNS, Event
from oracle.mqi import calls
from oracle.mqi.constants import MQCC, MQFMT, TRUNCATED
from oracle.mqi.layouts import MQMDE
from oracle.mqi.put_times import put_time_us
from oracle.mqi.structures import MD_VERSION_2_MEMBERS, MessageDescriptor
from oracle.protocol import ObservedReply

_INITIAL: Final = MessageDescriptor()


@dataclass(frozen=True, slots=True)
class Interval:
    """The time of a call in the queue manager, in microseconds since 1970."""

    start_us: int
    """The time at which the call came in."""
    end_us: int
    """The time at which its reply left."""


@dataclass
class Recorder:
    """A recorder of one queue manager's calls; it resolves handles to queues and numbers the calls."""

    qmgr: str
    """The queue manager's name in the records."""
    queues: Mapping[str, str] = field(default_factory=dict)
    """The base queue of each object name, if it is another one."""
    _opened: dict[tuple[str, int], tuple[str, str]] = field(default_factory=dict)
    """The name that was opened and the base queue behind it, by connection and handle."""
    _numbers: dict[str, int] = field(default_factory=dict)
    """The number of the latest call, by connection."""

    def record(self, call: calls.MqiCall, observed: ObservedReply, interval: Interval) -> Event:
        """Return the record of a call and its reply. An MQGET that waited is recorded with its end."""
        number = self._numbers[call.conn] = self._numbers.get(call.conn, 0) + 1
        name, queue = self._names(call, observed)
        return Event(
            qmgr=self.qmgr,
            conn=call.conn,
            seq=number,
            start_us=interval.start_us,
            end_us=interval.end_us,
            call=calls.VERBS[type(call)],
            comp_code=observed.comp_code,
            reason=observed.reason,
            hobj=observed.members.get("Hobj", getattr(call, "hobj", None)),
            object_name=name,
            queue=queue,
            options=_options(call),
            **_columns(call, observed),
        )

    def _names(self, call: calls.MqiCall, observed: ObservedReply) -> tuple[str | None, str | None]:
        """Return the name that the application gave, and the base queue; opening a model queue returns its name."""
        if not isinstance(call, (calls.Open, calls.Put1)):
            return self._opened.get((call.conn, getattr(call, "hobj", -1)), (None, None))
        name = call.object_name
        names = name, self.queues.get(name, str(observed.members.get("ObjectName", name)))
        if "Hobj" in observed.members:
            self._opened[call.conn, observed.members["Hobj"]] = names
        return names


def _options(call: calls.MqiCall) -> int | None:
    if isinstance(call, (calls.Open, calls.Close)):
        return call.options
    if isinstance(call, (calls.Put, calls.Put1, calls.Get)):
        return call.options.options
    return None


def _columns(call: calls.MqiCall, observed: ObservedReply) -> dict[str, Any]:
    if isinstance(call, calls.Get):
        columns = _selection(call)
        if observed.comp_code != MQCC.FAILED and "MQMD.MsgId" in observed.members:
            columns.update(_message_columns(call.descriptor, observed))
            columns.update(_returned(observed))
            if call.descriptor.version == 1:
                columns.update(_as_version_1_shows(columns))
        return columns
    if isinstance(call, (calls.Put, calls.Put1)):
        columns = _message_columns(call.descriptor, observed)
        columns["msg_flags"] = call.descriptor.msg_flags
        if call.descriptor.version == 1:
            columns.update({name: getattr(_INITIAL, name) for name in MD_VERSION_2_MEMBERS})
            columns["group_id"] = _INITIAL.group_id.hex()
        return {**columns, "length": len(call.data), "digest": hashlib.sha256(call.data).hexdigest()}
    return {}


def _selection(call: calls.Get) -> dict[str, Any]:
    """Return the selection of an MQGET."""
    md, gmo = call.descriptor, call.options
    columns: dict[str, Any] = {
        "wait_ms": gmo.wait_interval,
        "match_options": gmo.match_options if gmo.version > 1 else None,
        "buffer_length": call.buffer_length,
        "sel_msg_id": md.msg_id.hex(),
        "sel_correl_id": md.correl_id.hex(),
    }
    if md.version > 1:
        columns.update(sel_group_id=md.group_id.hex(), sel_seq_number=md.msg_seq_number, sel_offset=md.offset)
    if gmo.version > 2:
        columns["sel_token"] = gmo.msg_token.hex()
    return columns


def _message_columns(passed: MessageDescriptor, observed: ObservedReply) -> dict[str, Any]:
    """Return the descriptor's columns: from the reply or, for members that it lacks, from the call."""
    c_names = MessageDescriptor.c_names()
    values = {name: observed.members.get(f"MQMD.{c_names[name]}", getattr(passed, name)) for name in MESSAGE_COLUMNS}
    date, time = (observed.members.get(f"MQMD.{name}", "") for name in ("PutDate", "PutTime"))
    columns = {name: value.hex() if isinstance(value, bytes) else value for name, value in values.items()}
    return {**columns, "put_us": put_time_us(date, time)}


def _returned(observed: ObservedReply) -> dict[str, Any]:
    data = observed.members.get("data", b"")
    length = observed.members.get("DataLength", len(data))
    whole = observed.reason not in TRUNCATED
    return {
        "length": length,
        "digest": hashlib.sha256(data).hexdigest() if whole else None,
        "group_status": observed.members.get("MQGMO.GroupStatus"),
        "segment_status": observed.members.get("MQGMO.SegmentStatus"),
    }


def _as_version_1_shows(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that a get with a version 1 descriptor does not show; an MQMDE is not part of the data."""
    hidden: dict[str, Any] = dict.fromkeys(MD_VERSION_2_MEMBERS)
    if columns["format"] == MQFMT.MD_EXTENSION:
        hidden.update(format=None, digest=None, length=columns["length"] - MQMDE.length(2))
    return hidden
