"""Object handles, and the group information that the queue manager retains for each."""

from __future__ import annotations

from dataclasses import dataclass, field

from oracle.model.grounds import Grounds
from oracle.model.messages.messages import FRONT, Position
from oracle.mqi.calls import Get
from oracle.mqi.constants import INPUT_OPTIONS, MQMF, MQOO, NULL_ID
from oracle.mqi.definitions import QueueDefinition
from oracle.values import quickly_made

HandleKey = tuple[str, int]
"""The identity of a handle: the name of its connection, and its number."""


@quickly_made
@dataclass(frozen=True, slots=True)
class GroupInformation:
    """The group and segment information that the queue manager retains for one kind of call on a handle.

    There is one for removing, one for browsing and one for putting (LOG-05, LOG-30, LOG-31).
    """

    group_id: bytes = NULL_ID
    """The GroupId of the current group or logical message."""
    msg_seq_number: int = 0
    """The MsgSeqNumber of the last call within it."""
    next_offset: int = 0
    """The offset at which the next segment must begin, in bytes."""
    in_group: bool = False
    """Whether the group continues."""
    in_logical_message: bool = False
    """Whether the logical message continues."""
    in_unit_of_work: bool = False
    """Whether the call that set the information was in a unit of work."""
    logical_order: bool = False
    """Whether that call specified LOGICAL_ORDER."""
    persistence: int = 0
    """The Persistence of the message of that call."""
    last_in_group: bool = False
    """Whether that message was in the last logical message of its group."""
    of_segment: bool = False
    """Whether that message was a segment."""
    partial: bool = False
    """Whether only leading segments were reassembled (CMP-18)."""
    start: Position = FRONT
    """The position of the group's first message on the queue (LOG-21)."""

    @property
    def unfinished(self) -> bool:
        """Whether there is a current group or a current logical message."""
        return self.in_group or self.in_logical_message


NOTHING_CURRENT = GroupInformation()
"""No current group and no current logical message, as after MQOPEN (LOG-06)."""


def ends_group(msg_flags: int) -> bool:
    """Return whether a message with these flags ends its group (LOG-08)."""
    segment, last_segment = msg_flags & MQMF.SEGMENT, msg_flags & MQMF.LAST_SEGMENT
    return bool(msg_flags & MQMF.LAST_MSG_IN_GROUP) and (not segment or bool(last_segment))


@dataclass(slots=True)
class Handle:
    """An object handle, with what its queue manager remembers for it."""

    conn: str
    """The name of its connection."""
    hobj: int
    """Its number."""
    path: tuple[str, ...]
    """The names of the definitions from the one that was opened to the base queue."""
    options: int
    """The MQOO options that it was opened with."""
    cursor: Position | None = None
    """The position of the browse cursor; None before the first message."""
    goes_on_behind: Position | None = None
    """The place behind which a sweep goes on, if that is not the cursor's (AMB-66)."""
    locked: tuple[Position, ...] = ()
    """The places of the one message, or of all segments of the one logical message, that it has locked (LCK-02)."""
    marked: frozenset[Position] = frozenset()
    """The places of the messages that it has marked for itself (MRK-01)."""
    removing: GroupInformation = NOTHING_CURRENT
    """The group information for gets that remove."""
    browsing: GroupInformation = NOTHING_CURRENT
    """The group information for gets that browse."""
    putting: GroupInformation = NOTHING_CURRENT
    """The group information for puts."""
    browse_orders: frozenset[bool | None] = frozenset()
    """The orders, logical or not, that BROWSE_NEXT may have to keep; None among them stands for none."""
    failed_orders: frozenset[bool] = frozenset()
    """The orders of the browses that have not completed since the last that has: one may count (AMB-78)."""
    got_in_order: bool | None = None
    """The order of a get that removed a message since its last browse; None if there was none (S6)."""
    created_queue: bool = False
    """Whether its MQOPEN created the dynamic queue."""
    queue_deleted: bool = False
    """Whether the queue has been deleted since (CLO-08)."""
    last_definition: QueueDefinition | None = None
    """The definition of that queue when it was deleted; what it refused may still be reported (AMB-63)."""
    was_full: bool = False
    """Whether that queue was full then."""
    alternate_user: str | None = None
    """The user that it was opened for; None for the connection's own (USR-02)."""
    signal: Signal | None = None
    """The signal that is outstanding on it (SIG-12)."""
    had_signal: bool = False
    """Whether a signal was outstanding when its queue was deleted, which has not been delivered for that (AMB-138)."""
    grounds: Grounds = field(default=Grounds(), compare=False)
    """The rules by which its cursor, lock and browsed group are what they are."""

    @property
    def key(self) -> HandleKey:
        """The handle's identity: its connection and its number."""
        return (self.conn, self.hobj)

    @property
    def queue(self) -> str:
        """The name of the base queue."""
        return self.path[-1]

    @property
    def passed(self) -> Position | None:
        """The place up to which a sweep in physical order has come; None before the first message."""
        return self.cursor if self.goes_on_behind is None else self.goes_on_behind

    @property
    def open_for_input(self) -> bool:
        """Whether the handle may remove messages."""
        return bool(self.options & INPUT_OPTIONS)

    @property
    def open_for_browse(self) -> bool:
        """Whether the handle may browse messages."""
        return bool(self.options & MQOO.BROWSE)

    @property
    def in_cooperating_set(self) -> bool:
        """Whether the handle belongs to the cooperating set of its queue."""
        return bool(self.options & MQOO.CO_OP)


@dataclass(frozen=True, slots=True)
class Signal:
    """A signal that is outstanding on a handle."""

    call: Get
    """The MQGET that asked for it."""
    handle: Handle
    """The handle as it was then."""
    due_ms: int | None
    """The time at which it is posted without a message, in milliseconds of the virtual clock; None for never."""
    due_code: int
    """The MQEC code with which it is posted then."""
    passed_over: frozenset[Position] = frozenset()
    """The places of messages that were there already, or whose arrival activated another call instead."""
