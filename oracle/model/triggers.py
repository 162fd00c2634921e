"""Triggering: the trigger messages that the queue manager puts on an initiation queue when messages arrive.

The conditions are from memory (TRI-01 to TRI-05), and the documents leave open whether messages of open units of work
count. So where that makes a difference, or where a condition comes true only after the arrival, both outcomes stand.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from oracle.constants import MQAT, MQENC, MQFMT, MQRC
from oracle.layouts import MQTM
from oracle.model.arrival import latitude_of_time, own_identifier, place, put_date_and_time
from oracle.model.dead_letters import put_dead_letter, why_not
from oracle.model.depth import current_depth
from oracle.model.discards import settle_depth
from oracle.model.made import Header, Made
from oracle.model.messages import Message
from oracle.model.reply import Anything
from oracle.model.state import Queue
from oracle.model.step import Step
from oracle.structures import MessageDescriptor
from oracle.values import replace

_FIRST, _EVERY, _DEPTH = 1, 2, 3

_OPEN: Final = (
    "MsgType", "Feedback", "Report", "Priority", "Persistence", "CorrelId", "CodedCharSetId", "ReplyToQMgr",
)  # fmt: skip
"""Members of a trigger message's descriptor about which the documents say nothing (TRI-06)."""

_BEHIND: Final[Mapping[str, tuple[str, ...]]] = {
    "MQMD.Format": ("TRI-06",),
    "MQMD.Expiry": ("TRG-01", "TRI-06"),
    "data": ("TRI-06", "TRI-07"),
    "DataLength": ("TRI-06",),
}


def fire_triggers(step: Step) -> None:
    """Put the trigger messages that the arrivals and other events of this step cause."""
    while step.arrived or step.stirred:
        arrived, step.arrived = step.arrived, []
        stirred, step.stirred = step.stirred, {}
        for name in dict.fromkeys([*(name for name, _ in arrived), *stirred]):
            queue = step.state.queues.get(name)
            if queue is None:
                continue
            if queue.definition.trigger_control:
                step.because("TRI-01")
            if _is_ready(step, queue):
                least = queue.definition.trigger_msg_priority
                new = [message for place, message in arrived if place == name and message.descriptor.priority >= least]
                _fire(step, queue, new, stirred.get(name))


def _is_ready(step: Step, queue: Queue) -> bool:
    """Whether the conditions hold that do not depend on messages (TRI-01)."""
    definition = queue.definition
    if not definition.trigger_control or definition.trigger_type not in (_FIRST, _EVERY, _DEPTH):
        return False
    if not any(handle.open_for_input for handle in step.state.handles_of(definition.initiation_q_name)):
        return False
    served = any(handle.open_for_input for handle in step.state.handles_of(queue.name))
    return definition.trigger_type == _EVERY or not served


def _fire(step: Step, queue: Queue, new: list[Message], withdrawn: int | None) -> None:
    """Make the trigger messages of one queue: `new` messages have arrived.

    `withdrawn` is None unless something else has happened that may trigger; then it is how many messages have been
    backed out, which may have counted.
    """
    kind = queue.definition.trigger_type
    if kind == _EVERY:
        count = len(new)
        step.because("TRI-03", "TRI-05")
        if not count and withdrawn is not None and _counted(queue, uncommitted=False):
            count = step.choose("is there a trigger message for what waits already", (0, 1), "TRI-01", "TRI-05")
        for _ in range(count):
            _put_trigger_message(step, queue)
        return
    if kind == _DEPTH:
        current_depth(step, queue)
    else:
        settle_depth(step, queue)
    rule = "TRI-02" if kind == _FIRST else "TRI-04"
    fires: bool = step.choose("is a trigger message made", _answers(queue, new, withdrawn), rule, "TRI-05")
    if fires:
        _put_trigger_message(step, queue)
        if kind == _DEPTH:
            queue.definition = queue.definition.model_copy(update={"trigger_control": 0})


def _answers(queue: Queue, new: list[Message], withdrawn: int | None) -> list[bool]:
    """Return whether a trigger message is made by type first or depth: as read here, then as it may be read."""
    depth = queue.definition.trigger_type == _DEPTH
    needed = queue.definition.trigger_depth if depth else 1
    committed, every = _counted(queue, uncommitted=False), _counted(queue, uncommitted=True)
    if not new:
        met = withdrawn is not None and len(committed) + withdrawn >= needed
        return [False, True] if met else [False]
    plainly = len(committed) - len(new) < needed <= len(committed)
    oldest = min(message.arrival for message in every) in {message.arrival for message in new} if every else False
    otherwise = len(every) >= needed if depth else oldest
    return list(dict.fromkeys((plainly, otherwise)))


def _counted(queue: Queue, *, uncommitted: bool) -> list[Message]:
    """Return the messages that count for triggering, with or without those of open units of work (TRI-05)."""
    least = queue.definition.trigger_msg_priority
    return [
        message
        for message in queue.messages
        if message.descriptor.priority >= least and message.got_by is None and (uncommitted or message.put_by is None)
    ]


def _put_trigger_message(step: Step, queue: Queue) -> None:
    """Put a trigger message on the initiation queue; what becomes of one that does not fit there, is not said."""
    md, header, made = _trigger_message(step, queue)
    data = header.encode(md.encoding)
    step.because("TRI-06", "TRI-07", "TRG-01")
    name = queue.definition.initiation_q_name
    reason = why_not(step, step.state.resolve(name), md, len(data))
    if reason == MQRC.NONE:
        place(step, step.state.queues[name], md, data, put_by=None, made=replace(made, header=header))
    elif step.choose("does a trigger message that cannot be put become a dead letter", (True, False)):
        put_dead_letter(step, md, data, made, put_by=None, reason=reason, meant_for=(name, ""))


def _trigger_message(step: Step, queue: Queue) -> tuple[MessageDescriptor, Header, Made]:
    definition = queue.definition
    date, time = put_date_and_time(step)
    md = MessageDescriptor(
        format=MQFMT.TRIGGER,
        encoding=MQENC.NATIVE,
        coded_char_set_id=step.state.definition.coded_char_set_id,
        priority=step.state.queues[definition.initiation_q_name].definition.def_priority,
        persistence=0,
        msg_id=own_identifier(step),
        put_appl_type=MQAT.QMGR,
        put_date=date,
        put_time=time,
    )
    values: dict[str, int | str] = {
        "QName": queue.name,
        "ProcessName": definition.process_name,
        "TriggerData": definition.trigger_data,
    }
    latitude = {**{f"MQMD.{member}": Anything() for member in _OPEN}, **latitude_of_time(step, time)}
    return md, Header(MQTM, values, ("ApplType",)), Made(latitude, _BEHIND, new_msg_id=True)
