"""Groups and segments on MQGET: Table 2 (what is looked for), Table 3 (inconsistent calls), and what is retained.

The functions are pure: they read the retained information and a message, and return the consequence.
"""

from __future__ import annotations

from dataclasses import dataclass

from oracle.model.handles import GroupInformation, ends_group
from oracle.model.messages.logical_messages import Found
from oracle.model.messages.messages import FRONT, Message
from oracle.mqi.constants import MQGS, MQMF, MQRC, MQSEG, MQSS
from oracle.values import quickly_made


@quickly_made
@dataclass(frozen=True, slots=True)
class Criteria:
    """What a message must have to be returned; None admits any value."""

    msg_id: bytes | None = None
    """Its MsgId."""
    correl_id: bytes | None = None
    """Its CorrelId."""
    group_id: bytes | None = None
    """Its GroupId."""
    msg_seq_number: int | None = None
    """Its MsgSeqNumber."""
    offset: int | None = None
    """Its Offset in bytes."""
    msg_token: bytes | None = None
    """Its MsgToken."""

    def admits(self, message: Message) -> bool:
        """Return whether the message has all the values looked for (MTC-01).

        No call can look for a MsgId that the queue manager has made and not shown yet.
        """
        md = message.descriptor
        return (
            (self.msg_id is None or (md.msg_id == self.msg_id and not message.msg_id_is_open))
            and (self.correl_id is None or md.correl_id == self.correl_id)
            and (self.group_id is None or md.group_id == self.group_id)
            and (self.msg_seq_number is None or md.msg_seq_number == self.msg_seq_number)
            and (self.offset is None or md.offset == self.offset)
            and (self.msg_token is None or message.token == self.msg_token)
        )


def table_2(logical_order: bool, info: GroupInformation, matching: Criteria) -> tuple[Criteria, str]:
    """Return what MQGET looks for, and the row of Table 2 that says so.

    `matching` is what MatchOptions alone would look for.
    """
    if not logical_order:
        return matching, "LOG-19"
    if not info.in_group and not info.in_logical_message:
        wanted = Criteria(matching.msg_id, matching.correl_id, matching.group_id, 1, 0, matching.msg_token)
        return wanted, "LOG-15"
    if not info.in_group:
        return Criteria(group_id=info.group_id, msg_seq_number=1, offset=info.next_offset), "LOG-16"
    if not info.in_logical_message:
        wanted = Criteria(group_id=info.group_id, msg_seq_number=info.msg_seq_number + 1, offset=0)
        return wanted, "LOG-17"
    wanted = Criteria(group_id=info.group_id, msg_seq_number=info.msg_seq_number, offset=info.next_offset)
    return wanted, "LOG-18"


def continues(info: GroupInformation, message: Message) -> bool:
    """Return whether a message is exactly the one that logical order would return next."""
    return info.unfinished and table_2(True, info, Criteria())[0].admits(message)


def information_after(
    info: GroupInformation, found: Found, *, logical_order: bool, in_unit_of_work: bool
) -> GroupInformation:
    """Return the group and segment information after a message was returned (LOG-07 to LOG-09, LOG-33).

    A logical message that was returned whole is not current; if only its leading segments were returned, it stays
    current behind them (CMP-18, AMB-49).
    """
    md = found.descriptor
    first = not continues(info, found.first)
    return GroupInformation(
        group_id=md.group_id,
        msg_seq_number=md.msg_seq_number,
        next_offset=md.offset + found.span,
        in_group=bool(md.msg_flags & MQMF.MSG_IN_GROUP) and not ends_group(md.msg_flags),
        in_logical_message=bool(md.msg_flags & MQMF.SEGMENT) and not md.msg_flags & MQMF.LAST_SEGMENT,
        in_unit_of_work=in_unit_of_work,
        logical_order=logical_order,
        last_in_group=bool(md.msg_flags & MQMF.LAST_MSG_IN_GROUP),
        of_segment=bool(md.msg_flags & MQMF.SEGMENT),
        partial=bool(found.unlike),
        start=found.first.position if first or info.start == FRONT else info.start,
    )


def table_3_warnings(info: GroupInformation, message: Message, *, in_unit_of_work: bool) -> list[tuple[int, str]]:
    """Return the warnings that an MQGET without LOGICAL_ORDER may give when it removes this message.

    Applies where the previous call specified LOGICAL_ORDER and left a group or logical message unfinished (Table 3,
    LOG-37). An empty list means that MQCC_OK is the only outcome. MQRC_NONE stands for MQCC_OK if a call that happens
    to continue the group may end either way (AMB-41).
    """
    if not (info.logical_order and info.unfinished):
        return []
    reasons: list[tuple[int, str]] = []
    if info.in_logical_message:
        reasons.append((MQRC.INCOMPLETE_MSG, "LOG-37"))
    if info.in_group:
        reasons.append((MQRC.INCOMPLETE_GROUP, "LOG-37"))
    if info.in_unit_of_work != in_unit_of_work:
        reasons.append((MQRC.INCONSISTENT_UOW, "LOG-37"))
    elif continues(info, message):
        reasons.insert(0, (MQRC.NONE, "LOG-37"))
    return reasons


def close_warnings(info: GroupInformation) -> list[int]:
    """Return the warnings of MQCLOSE for unfinished information, the preferred one first.

    There are none when the last call did not specify LOGICAL_ORDER (LOG-40, PTB-17).
    """
    if not (info.logical_order and info.unfinished):
        return []
    reasons: list[int] = []
    if info.in_logical_message:
        reasons.append(MQRC.INCOMPLETE_MSG)
    if info.in_group:
        reasons.append(MQRC.INCOMPLETE_GROUP)
    return reasons


def group_status(msg_flags: int) -> str:
    """Return MQGMO.GroupStatus for a message (GST-01)."""
    if msg_flags & MQMF.LAST_MSG_IN_GROUP:
        return MQGS.LAST_MSG_IN_GROUP
    return MQGS.MSG_IN_GROUP if msg_flags & MQMF.MSG_IN_GROUP else MQGS.NOT_IN_GROUP


def segment_status(msg_flags: int, *, zos: bool) -> str:
    """Return MQGMO.SegmentStatus for a message (GST-02, GST-04)."""
    if zos:
        return MQSS.NOT_A_SEGMENT
    if msg_flags & MQMF.LAST_SEGMENT:
        return MQSS.LAST_SEGMENT
    return MQSS.SEGMENT if msg_flags & MQMF.SEGMENT else MQSS.NOT_A_SEGMENT


def segmentation(msg_flags: int, *, zos: bool) -> str:
    """Return MQGMO.Segmentation for a message (GST-03, GST-04)."""
    allowed = msg_flags & MQMF.SEGMENTATION_ALLOWED and not zos
    return MQSEG.ALLOWED if allowed else MQSEG.INHIBITED
