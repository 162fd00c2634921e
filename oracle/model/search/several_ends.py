"""Groups and logical messages with several ends, which contradict one another (AMB-107).

Two messages of a group are each the last of it, with different numbers, or two segments of a logical message are, with
different offsets; or one segment says that its message is the last of the group, and another does not (AMB-116). The
documents do not say which of them counts.
"""

from __future__ import annotations

from collections.abc import Iterator

from oracle.model.messages.logical_messages import is_report, is_segment, related
from oracle.model.messages.messages import Message, Messages
from oracle.model.step import Step
from oracle.mqi.constants import MQMF


def several_ends(message: Message, queue: Messages, *, of_group: bool) -> bool:
    """Return whether a message's logical message, or `of_group` its group or a message of it, has several ends."""
    of_group = of_group and bool(message.descriptor.msg_flags & MQMF.MSG_IN_GROUP)
    end_of: dict[object, int] = {}
    return any(
        end_of.setdefault(whole, end) != end
        for each in related(message, queue, of_group=of_group)
        for whole, end in _ends(each, of_group=of_group)
    )


def _ends(message: Message, *, of_group: bool) -> Iterator[tuple[object, int]]:
    """Yield what a message ends, its logical message or its group, with its Offset or MsgSeqNumber there.

    And for a segment whether its logical message is the last of the group, which all its segments must say.
    """
    md = message.descriptor
    if of_group and is_segment(message):
        yield ("last", md.msg_seq_number), md.msg_flags & MQMF.LAST_MSG_IN_GROUP
    if md.msg_flags & MQMF.LAST_SEGMENT:
        yield (md.msg_seq_number, md.feedback if is_report(message) else None), md.offset
    if of_group and md.msg_flags & MQMF.LAST_MSG_IN_GROUP:
        yield None, md.msg_seq_number


def by_one_end(
    step: Step, parts: tuple[Message, ...] | None, message: Message, queue: Messages, *, of_group: bool = False
) -> tuple[Message, ...] | None:
    """Return the parts of something that is whole by one of its ends; None if they are withheld because of others."""
    if parts is None or not several_ends(message, queue, of_group=of_group):
        return parts
    withheld = step.choose("is something withheld that is whole by one of several ends", (False, True))
    return None if withheld else parts
