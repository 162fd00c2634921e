"""Trigger messages: what the queue manager puts on an initiation queue after a trigger event (TRI-06, TRI-07)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from oracle.model.messages.made import Header, Made
from oracle.model.messages.messages import Position
from oracle.model.reply import Anything
from oracle.model.reports.dead_letters import put_dead_letter, why_not, with_capped_expiry
from oracle.model.step import Step
from oracle.model.units.arrival import latitude_of_time, name_as_program, own_identifier, place, put_date_and_time
from oracle.mqi.constants import MQAT, MQENC, MQFMT, MQRC
from oracle.mqi.definitions import QueueDefinition
from oracle.mqi.layouts import MQTM
from oracle.mqi.structures import MessageDescriptor
from oracle.values import replace

_OPEN: Final = (
    "MsgType",
    "Feedback",
    "Report",
    "Priority",
    "Persistence",
    "CorrelId",
    "CodedCharSetId",
    "ReplyToQMgr",
)
"""Members of a trigger message's descriptor about which the documents say nothing (TRI-06)."""

_BEHIND: Final[Mapping[str, tuple[str, ...]]] = {
    "MQMD.Format": ("TRI-06",),
    "MQMD.Expiry": ("TRG-01", "TRI-06"),
    "data": ("TRI-06", "TRI-07"),
    "DataLength": ("TRI-06",),
}


def put_trigger_message(
    step: Step, definition: QueueDefinition, since_ms: int | None = None, *, put_by: str | None = None
) -> Position | None:
    """Put the trigger message of a queue, as it was defined at the trigger event, on the initiation queue.

    One that cannot be put there becomes a dead letter, or is lost. The event was now, or since `since_ms`. `put_by` is
    the connection in whose unit of work the message is put, if any. Return its place on the initiation queue.
    """
    md, header, made = _trigger_message(step, definition, since_ms)
    data = header.encode(md.encoding)
    step.because("TRI-06", "TRI-07", "TRG-01")
    name = definition.initiation_q_name
    reason = why_not(step, step.state.resolve(name), md, len(data))
    if reason == MQRC.NONE:
        md, made = with_capped_expiry(step, (name,), md, made)
        made = replace(made, header=header)
        return place(step, step.state.queues[name], md, data, put_by=put_by, made=made).position
    if step.choose("does a trigger message that cannot be put become a dead letter", (True, False)):
        put_dead_letter(step, md, data, made, put_by=put_by, reason=reason, meant_for=(name, ""), inner=header)
    return None


def _trigger_message(
    step: Step, definition: QueueDefinition, since_ms: int | None
) -> tuple[MessageDescriptor, Header, Made]:
    initiation_queue = step.state.queues.get(definition.initiation_q_name)
    date, time = put_date_and_time(step)
    md = MessageDescriptor(
        format=MQFMT.TRIGGER,
        encoding=MQENC.NATIVE,
        coded_char_set_id=step.state.definition.coded_char_set_id,
        priority=0 if initiation_queue is None else initiation_queue.definition.def_priority,
        persistence=0,
        msg_id=own_identifier(step),
        reply_to_q_mgr=step.state.definition.name,
        put_appl_type=MQAT.QMGR,
        put_appl_name=name_as_program(step),
        put_date=date,
        put_time=time,
    )
    values: dict[str, int | str] = {
        "QName": definition.name,
        "ProcessName": definition.process_name,
        "TriggerData": definition.trigger_data,
    }
    latitude = {**{f"MQMD.{member}": Anything() for member in _OPEN}, **latitude_of_time(step, since_ms)}
    return md, Header(MQTM, values, ("ApplType",)), Made(latitude, _BEHIND, new_msg_id=True, since_ms=since_ms)
