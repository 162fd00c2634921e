"""The effect of a put or get: columns of `Log.moves`."""

from __future__ import annotations

from spark_checks.frames.described import Boolean, Columns, Int, Long, String
from spark_checks.preparation.schemas.calls import BoundedCall, UnitEnd


class Effect(Columns):
    """The settlement of a put or get."""

    kind: String
    """`visible` or `undone` for a put, `final` or `released` for a get.

    A `visible` put is seen by all from then on, an `undone` one never. A `final` get can no longer be backed out. A
    `released` message is on the queue again.
    """
    by: BoundedCall
    """The call that settled it: the put or get itself, or the end of its unit of work or lock."""


class OfMove(Columns):
    """The effect of a put or get on its queue, and other columns that `moves_of` adds."""

    row: Long
    """The value that refers to the call in other frames."""
    role: String
    """Its effect: PUT, MAYBE_PUT, TAKE, SIGHT, TOUCH, EMPTY or GLANCE of spark_checks.preparation.moves."""
    in_unit: Boolean
    """Whether it was within a unit of work."""
    selection: String
    """The selection of a get: ANY, BY_MSG_ID and so on of spark_checks.preparation.moves. Null for a put."""
    effect: Effect
    """How it was settled. Null if that is not known, or it never was."""
    why_released: String
    """The rule by which a returned message stayed on the queue or came back. Null if no message was returned."""
    held_until: Long
    """The time until which a returned message was surely kept from all others. Null if it was not surely kept."""
    public_hi: Long
    """The time by which a returned message that the log has no put of was surely visible to all.

    Its own connection may have put it before the log began, and sees it before the commit. Null if it is not known.
    """
    endless: Boolean
    """Whether no later call of its connection ends a unit of work."""
    unit_end: UnitEnd
    """The end of its unit of work. Null also outside a unit of work."""
    open_until: Long
    """The time until which its unit of work was surely open. Null also outside a unit of work."""
    msg_id: String
    """The MsgId of the message. Null also for the null identifier, which no message on a queue has.

    Null also if the put had one generated and its record does not show it.
    """
    original_length: Int
    """The OriginalLength of a report. Null for other messages."""
    reply_to_q: String
    """The ReplyToQ of a message that asks for a reply or a report. Null for others."""
