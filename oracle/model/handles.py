"""Object handles, and the group information that the queue manager retains for each."""

from __future__ import annotations

from dataclasses import dataclass, field

from oracle.model.grounds import Grounds
from oracle.model.messages.messages import FRONT, Position
from oracle.mqi.calls import Get
from oracle.mqi.constants import MQMF, MQOO, NULL_ID
from oracle.values import quickly_made

HandleKey = tuple[str, int]
"""What tells a handle from others: the name of its connection, and its number."""


@quickly_made
@dataclass(frozen=True, slots=True)
class GroupInformation:
    """The group and segment information that the queue manager retains for one kind of call on a handle.

    There is one for removing, one for browsing and one for putting (LOG-05, LOG-30, LOG-31). `next_offset`
    is where the next segment must begin; `logical_order` says whether the call that set the information
    specified LOGICAL_ORDER. `last_in_group` and `of_segment` say that the message was in the last logical message of
    its group, and a segment; `partial` that only leading segments were put together (CMP-18). `start` is where the
    group's first message stood on the queue (LOG-21).
    """

    group_id: bytes = NULL_ID
    msg_seq_number: int = 0
    next_offset: int = 0
    in_group: bool = False
    in_logical_message: bool = False
    in_unit_of_work: bool = False
    logical_order: bool = False
    persistence: int = 0
    last_in_group: bool = False
    of_segment: bool = False
    partial: bool = False
    start: Position = FRONT

    @property
    def unfinished(self) -> bool:
        """Whether there is a current group or a current logical message."""
        return self.in_group or self.in_logical_message


NOTHING_CURRENT = GroupInformation()
"""No current group and no current logical message, as after MQOPEN (LOG-06)."""


def ends_group(msg_flags: int) -> bool:
    """Whether a message with these flags ends its group (LOG-08)."""
    segment, last_segment = msg_flags & MQMF.SEGMENT, msg_flags & MQMF.LAST_SEGMENT
    return bool(msg_flags & MQMF.LAST_MSG_IN_GROUP) and (not segment or bool(last_segment))


@dataclass(slots=True)
class Handle:
    """An object handle. `path` lists the definitions from the name that was opened to the base queue.

    `locked` are the places of the one message, or of all segments of the one logical message, that it has locked
    (LCK-02, LCK-03); `marked` those of the messages that it has marked for itself (MRK-01). `signal` is the one that is
    outstanding on the handle (SIG-12). `browse_orders` are those, logical or not, that BROWSE_NEXT may have to keep;
    None among them stands for none.
    `created_queue`: its MQOPEN created the dynamic queue; `queue_deleted`: the queue has been deleted since (CLO-08).
    `grounds` are the rules by which cursor, lock and browsed group are what they are.
    """

    conn: str
    hobj: int
    path: tuple[str, ...]
    options: int
    cursor: Position | None = None
    locked: tuple[Position, ...] = ()
    marked: frozenset[Position] = frozenset()
    removing: GroupInformation = NOTHING_CURRENT
    browsing: GroupInformation = NOTHING_CURRENT
    putting: GroupInformation = NOTHING_CURRENT
    browse_orders: frozenset[bool | None] = frozenset()
    created_queue: bool = False
    queue_deleted: bool = False
    alternate_user: str | None = None
    signal: Signal | None = None
    grounds: Grounds = field(default=Grounds(), compare=False)

    @property
    def key(self) -> HandleKey:
        """The handle's identity: its connection and its number."""
        return (self.conn, self.hobj)

    @property
    def queue(self) -> str:
        """The name of the base queue."""
        return self.path[-1]

    @property
    def open_for_input(self) -> bool:
        """Whether the handle may remove messages."""
        return bool(self.options & (MQOO.INPUT_AS_Q_DEF | MQOO.INPUT_SHARED | MQOO.INPUT_EXCLUSIVE))

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
    """A signal that is outstanding on a handle: the MQGET that asked for it, and the handle as it was then.

    `due_ms` is when it is posted without a message (None: never), `due_code` the completion code of that. `passed_over`
    are the places of messages that were there already, or whose arrival activated another call instead.
    """

    call: Get
    handle: Handle
    due_ms: int | None
    due_code: int
    passed_over: frozenset[Position] = frozenset()
