"""The GroupId, MsgSeqNumber and Offset that a put uses: the put table, and inconsistent puts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal

from oracle.model.handles import GroupInformation, ends_group
from oracle.mqi.constants import MQMF, MQMT, MQOL, MQRC, NULL_ID
from oracle.mqi.structures import MessageDescriptor

GROUP_FLAGS: Final = MQMF.MSG_IN_GROUP | MQMF.LAST_MSG_IN_GROUP
SEGMENT_FLAGS: Final = MQMF.SEGMENT | MQMF.LAST_SEGMENT

Yes, No, Either = True, False, None


@dataclass(frozen=True, slots=True)
class PutRow:
    """A row of the put table: the state of call and handle, None for either, and the values that are used."""

    rule: str
    """The rule that the row is from."""
    logical_order: bool
    """Whether the put has MQPMO_LOGICAL_ORDER."""
    group: bool | None
    """Whether its flags put the message in a group."""
    segment: bool | None
    """Whether its flags make the message a segment."""
    segmentation_allowed: bool | None
    """Whether it has MQMF_SEGMENTATION_ALLOWED."""
    current_group: bool | None
    """Whether the handle is within a group before the put."""
    current_message: bool | None
    """Whether the handle is within a logical message before the put."""
    group_id: Literal["none", "new", "previous", "field"]
    """The GroupId: null, a new one, that of the put before, or the MQMD's; if that is null, a new one."""
    msg_seq_number: Literal["one", "previous", "next", "field"]
    """The MsgSeqNumber: 1, that of the put before, one more, or the MQMD's."""
    offset: Literal["zero", "next", "field"]
    """The Offset: 0, where the segment before ended, or the MQMD's."""

    def fits(self, facts: tuple[bool, ...]) -> bool:
        """Return whether the row is about this call. The facts come in the order of the row's columns."""
        columns = (
            self.logical_order,
            self.group,
            self.segment,
            self.segmentation_allowed,
            self.current_group,
            self.current_message,
        )
        return all(column is None or column == fact for column, fact in zip(columns, facts, strict=True))


PUT_TABLE: Final = (
    PutRow("PTB-01", Yes, No, No, No, No, No, "none", "one", "zero"),
    PutRow("PTB-02", Yes, No, No, Yes, No, No, "new", "one", "zero"),
    PutRow("PTB-03", Yes, No, Yes, Either, No, No, "new", "one", "zero"),
    PutRow("PTB-04", Yes, No, Yes, Either, No, Yes, "previous", "one", "next"),
    PutRow("PTB-05", Yes, Yes, Either, Either, No, No, "new", "one", "zero"),
    PutRow("PTB-06", Yes, Yes, Either, Either, Yes, No, "previous", "next", "zero"),
    PutRow("PTB-07", Yes, Yes, Yes, Either, Yes, Yes, "previous", "previous", "next"),
    PutRow("PTB-08", No, No, No, No, Either, Either, "none", "one", "zero"),
    PutRow("PTB-09", No, No, No, Yes, Either, Either, "field", "one", "zero"),
    PutRow("PTB-10", No, No, Yes, Either, Either, Either, "field", "one", "field"),
    PutRow("PTB-11", No, Yes, No, Either, Either, Either, "field", "field", "zero"),
    PutRow("PTB-12", No, Yes, Yes, Either, Either, Either, "field", "field", "field"),
)


def put_row(md: MessageDescriptor, info: GroupInformation, *, logical_order: bool) -> PutRow | None:
    """Return the row of the put table for a put, or None if the put is inconsistent with the current group."""
    flags = md.msg_flags
    facts = (
        logical_order,
        bool(flags & GROUP_FLAGS),
        bool(flags & SEGMENT_FLAGS),
        bool(flags & MQMF.SEGMENTATION_ALLOWED),
        info.in_group,
        info.in_logical_message,
    )
    return _row_about(facts)


@cache
def _row_about(facts: tuple[bool, ...]) -> PutRow | None:
    return next((row for row in PUT_TABLE if row.fits(facts)), None)


def fields_used(
    row: PutRow, md: MessageDescriptor, info: GroupInformation, new_group_id: Callable[[], bytes]
) -> dict[str, Any]:
    """Return the group fields that the row gives, and the flags with those that others imply (PUT-21)."""
    if row.group_id == "new" or (row.group_id == "field" and md.group_id == NULL_ID):
        group_id = new_group_id()
    else:
        group_id = {"none": NULL_ID, "previous": info.group_id, "field": md.group_id}[row.group_id]
    msg_seq_number, offset = numbers_used(row, md, info)
    implied = MQMF.MSG_IN_GROUP if md.msg_flags & MQMF.LAST_MSG_IN_GROUP else 0
    implied |= MQMF.SEGMENT if md.msg_flags & MQMF.LAST_SEGMENT else 0
    return {
        "group_id": group_id,
        "msg_seq_number": msg_seq_number,
        "offset": offset,
        "msg_flags": md.msg_flags | implied,
    }


def numbers_used(row: PutRow, md: MessageDescriptor, info: GroupInformation) -> tuple[int, int]:
    """Return the MsgSeqNumber and the Offset that the row gives."""
    msg_seq_number = {
        "one": 1,
        "previous": info.msg_seq_number,
        "next": info.msg_seq_number + 1,
        "field": md.msg_seq_number,
    }[row.msg_seq_number]
    offset = {"zero": 0, "next": info.next_offset, "field": md.offset}[row.offset]
    return msg_seq_number, offset


def inconsistencies(
    md: MessageDescriptor, info: GroupInformation, *, in_unit_of_work: bool, persistence: int
) -> list[tuple[int, str]]:
    """Return the reasons for which a put does not continue the unfinished group or logical message.

    MQRC_INCOMPLETE_MSG takes the place of MQRC_INCOMPLETE_GROUP where both apply (PTB-20).
    """
    if not info.unfinished:
        return []
    reasons = _incomplete(md, info)
    if persistence != info.persistence:
        reasons.append((MQRC.INCONSISTENT_PERSISTENCE, "PTB-21"))
    if in_unit_of_work != info.in_unit_of_work:
        reasons.append((MQRC.INCONSISTENT_UOW, "PTB-22"))
    return reasons


def _incomplete(md: MessageDescriptor, info: GroupInformation) -> list[tuple[int, str]]:
    """Return why a put leaves a group or a logical message unfinished; none if it continues both.

    A segment that continues the logical message but not its group leaves the group; because both are unfinished then,
    MQRC_INCOMPLETE_MSG applies too (AMB-42).
    """
    in_group, is_segment = bool(md.msg_flags & GROUP_FLAGS), bool(md.msg_flags & SEGMENT_FLAGS)
    last_in_group = bool(md.msg_flags & MQMF.LAST_MSG_IN_GROUP)
    if info.in_logical_message and (not is_segment or (info.in_group and last_in_group != info.last_in_group)):
        return [(MQRC.INCOMPLETE_MSG, "PTB-19")]
    if info.in_logical_message and in_group != info.in_group:
        return [(MQRC.INCOMPLETE_MSG, "PTB-19"), (MQRC.INCOMPLETE_GROUP, "PTB-18")]
    if info.in_group and not in_group:
        return [(MQRC.INCOMPLETE_GROUP, "PTB-18")]
    return []


def unordered_warnings(
    md: MessageDescriptor, info: GroupInformation, *, in_unit_of_work: bool, persistence: int
) -> list[tuple[int, str]]:
    """Return the warnings of a put without LOGICAL_ORDER that follows one with it in an unfinished group (PTB-14).

    A put that happens to continue the group exactly may end either way (AMB-41); MQRC_NONE stands for MQCC_OK.
    """
    if not (info.logical_order and info.unfinished):
        return []
    reasons = inconsistencies(md, info, in_unit_of_work=in_unit_of_work, persistence=persistence)
    if not reasons and _continues(md, info):
        reasons.append((MQRC.NONE, "PTB-14"))
    mixed = (MQRC.INCOMPLETE_MSG, "PTB-19") if info.in_logical_message else (MQRC.INCOMPLETE_GROUP, "PTB-18")
    if not any(reason in (MQRC.INCOMPLETE_MSG, MQRC.INCOMPLETE_GROUP) for reason, _ in reasons):
        reasons.append(mixed)
    return reasons


def _continues(md: MessageDescriptor, info: GroupInformation) -> bool:
    """Return whether a put without LOGICAL_ORDER uses exactly the fields that one with it would use."""
    ordered, unordered = put_row(md, info, logical_order=True), put_row(md, info, logical_order=False)
    if ordered is None or unordered is None or md.group_id != info.group_id:
        return False
    return numbers_used(ordered, md, info) == numbers_used(unordered, md, info)


def information_after_put(
    md: MessageDescriptor, length: int, *, logical_order: bool, in_unit_of_work: bool
) -> GroupInformation:
    """Return the retained information after a message was put: the stored descriptor and its data's length.

    A segment of a report message advances the offset by its OriginalLength where that is given.
    """
    is_report = md.msg_type == MQMT.REPORT and md.original_length != MQOL.UNDEFINED
    return GroupInformation(
        group_id=md.group_id,
        msg_seq_number=md.msg_seq_number,
        next_offset=md.offset + (md.original_length if is_report else length),
        in_group=bool(md.msg_flags & MQMF.MSG_IN_GROUP) and not ends_group(md.msg_flags),
        in_logical_message=bool(md.msg_flags & MQMF.SEGMENT) and not md.msg_flags & MQMF.LAST_SEGMENT,
        in_unit_of_work=in_unit_of_work,
        logical_order=logical_order,
        persistence=md.persistence,
        last_in_group=bool(md.msg_flags & MQMF.LAST_MSG_IN_GROUP),
    )
