"""The rules about groups and segments that bear on an MQGET, as a table: each rule beside its situation.

The rules of one row of Table 2, of units of work and of complete messages are named where they are decided. This table
has those about what the queue manager remembers from call to call, and what it must not do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Final

from oracle.model.groups.get_groups import Criteria
from oracle.model.handles import NOTHING_CURRENT, GroupInformation
from oracle.model.messages.logical_messages import Found, is_report, is_segment, span
from oracle.model.messages.messages import Message
from oracle.model.requests.get import GetRequest
from oracle.model.requests.option_matrix import GROUPING
from oracle.model.state import State
from oracle.mqi.constants import MQGMO, MQMF
from oracle.mqi.structures import MessageDescriptor


@dataclass(slots=True)
class Searching:
    """An MQGET that looks for a message, with the group information of its kind and that of the others.

    The values that the rows below use are read once.
    """

    state: State
    """The state that it finds."""
    request: GetRequest
    """What it asks for."""
    ordered: bool = field(init=False)
    """Whether the call specifies MQGMO_LOGICAL_ORDER."""
    info: GroupInformation = field(init=False)
    """The retained information that it uses."""
    other: GroupInformation = field(init=False)
    """The information of the handle's calls of the other kind: browsing for removing, and removing for browsing."""
    continues: bool = field(init=False)
    """Whether it continues a current group or logical message."""
    between_messages: bool = field(init=False)
    """Whether it continues a group, but not a logical message."""
    begins: bool = field(init=False)
    """Whether it begins a group or logical message in logical order."""

    def __post_init__(self) -> None:
        request = self.request
        self.ordered, self.info = request.logical_order, request.information
        self.other = request.handle.removing if request.browses else request.handle.browsing
        self.continues = self.ordered and self.info.unfinished
        self.between_messages = self.continues and not self.info.in_logical_message
        self.begins = self.ordered and not self.info.unfinished

    @property
    def unit_of_work_is_new(self) -> bool:
        """Whether the connection's unit of work does not yet contain a call on this handle."""
        work = self.state.connections[self.request.call.conn].unit_of_work
        return work is None or self.request.handle.hobj not in work.saved

    def asks(self, option: int) -> bool:
        """Return whether the call specifies any of these options."""
        return self.request.options & option != 0


SEARCHING: Final[tuple[tuple[str, Callable[[Searching], bool]], ...]] = (
    ("LOG-02", lambda get: get.between_messages),
    ("LOG-03", lambda get: get.continues and get.info.in_logical_message),
    ("LOG-05", lambda get: get.continues),
    ("LOG-06", lambda get: get.ordered and get.info == NOTHING_CURRENT and not get.asks(MQGMO.BROWSE_FIRST)),
    ("LOG-07", lambda get: get.continues and get.info.in_group),
    ("LOG-08", lambda get: get.ordered and get.info.last_in_group),
    ("LOG-09", lambda get: get.ordered and (get.info.in_logical_message or get.info.of_segment)),
    ("LOG-10", lambda get: get.ordered and (get.info.in_group or get.info.last_in_group)),
    ("LOG-11", lambda get: get.begins and _selects(get.request.matching())),
    ("LOG-12", lambda get: get.continues and _selects(get.request.matching())),
    ("LOG-13", lambda get: get.ordered and get.request.browses),
    ("LOG-23", lambda get: get.continues and get.info.in_unit_of_work and get.unit_of_work_is_new),
    ("LOG-29", lambda get: get.continues and not get.info.logical_order),
    ("LOG-30", lambda get: get.ordered and get.request.handle.putting != NOTHING_CURRENT),
    ("LOG-31", lambda get: get.ordered and get.other != NOTHING_CURRENT),
    ("LOG-32", lambda get: get.info != NOTHING_CURRENT and get.ordered != get.info.logical_order),
    ("LOG-33", lambda get: get.ordered and get.info != NOTHING_CURRENT and not get.info.logical_order),
    ("LOG-34", lambda get: get.ordered and get.other != NOTHING_CURRENT and not get.other.logical_order),
    ("LOG-48", lambda get: get.continues),
    ("LOG-01", lambda get: not get.ordered and get.info.unfinished),
    ("LOG-42", lambda get: get.request.browses and (get.info.unfinished or get.other.unfinished)),
    ("LOG-47", lambda get: not get.request.zos and get.asks(GROUPING) and not _is_indexed_by_group(get.request)),
    ("CMP-18", lambda get: get.info.partial and (get.ordered or get.asks(MQGMO.COMPLETE_MSG))),
    ("CMP-24", lambda get: get.asks(MQGMO.COMPLETE_MSG) and get.asks(MQGMO.ALL_SEGMENTS_AVAILABLE)),
    ("ASA-05", lambda get: get.between_messages and get.asks(MQGMO.ALL_SEGMENTS_AVAILABLE)),
)
"""The rules that bear on a call because of what it asks for and what is current."""

FOUND_NOTHING: Final[tuple[tuple[str, Callable[[Searching], bool]], ...]] = (
    ("LOG-20", lambda get: get.continues),
    ("AMA-02", lambda get: get.asks(MQGMO.ALL_MSGS_AVAILABLE) and not get.continues),
    ("AMA-06", lambda get: get.asks(MQGMO.ALL_MSGS_AVAILABLE) and get.continues),
    ("ASA-02", lambda get: get.asks(MQGMO.ALL_SEGMENTS_AVAILABLE) and (not get.continues or get.between_messages)),
)
"""The rules that bear on a call that finds no message."""


@dataclass(slots=True)
class Returning:
    """An MQGET that returns a message: the physical one, or the first of a logical message."""

    get: Searching
    """The search."""
    found: Found
    """What it has found."""
    in_unit_of_work: bool
    """Whether it gets the message inside a unit of work."""
    message: Message = field(init=False)
    """The physical message, or the first of the logical one."""
    grouped: bool = field(init=False)
    """Whether the message is in a group."""
    segment: bool = field(init=False)
    """Whether it is a segment, or was reassembled from segments."""

    def __post_init__(self) -> None:
        self.message = self.found.first
        self.grouped = self.message.descriptor.msg_flags & MQMF.MSG_IN_GROUP != 0
        self.segment = is_segment(self.message)

    @property
    def outside_of_open_work(self) -> bool:
        """Whether the message is removed outside a unit of work although its connection has one."""
        request = self.get.request
        work = self.get.state.connections[request.call.conn].unit_of_work
        return not request.browses and not self.in_unit_of_work and work is not None


def _selects(criteria: Criteria) -> bool:
    return criteria != Criteria()


def _is_indexed_by_group(request: GetRequest) -> bool:
    return request.queue.definition.index_type == "GROUP_ID"


def _wants_whole(got: Returning) -> bool:
    return got.get.asks(MQGMO.COMPLETE_MSG)


def _needs_no_unit(got: Returning) -> bool:
    persistent = got.message.descriptor.persistence
    return got.outside_of_open_work and got.found.reassembled and not persistent


def _unchecked(got: Returning) -> bool:
    """Return whether a call without LOGICAL_ORDER follows another such call that made a group current."""
    info = got.get.info
    ordered = got.get.ordered or info.logical_order or got.get.request.browses
    return not ordered and info.unfinished


def _begun_elsewhere(got: Returning) -> bool:
    """Return whether another handle has begun the group with the other choice of unit of work."""
    request = got.get.request
    if request.browses:
        return False
    return any(
        other.removing.unfinished
        and other.removing.group_id == got.message.descriptor.group_id
        and other.removing.in_unit_of_work != got.in_unit_of_work
        for other in got.get.state.handles_of(request.handle.queue)
        if other.key != request.handle.key
    )


_SEGMENTS_OWN: Final = ("msg_id", "offset", "msg_flags", "put_date", "put_time", "original_length")
_of_the_whole: Final = attrgetter(*(name for name in MessageDescriptor.c_names() if name not in _SEGMENTS_OWN))


def _differ_otherwise(found: Found) -> bool:
    """Return whether the segments differ in more than their MsgIds, offsets, flags and times of put."""
    whole = _of_the_whole(found.first.descriptor)
    return any(_of_the_whole(segment.descriptor) != whole for segment in found.segments)


RETURNING: Final[tuple[tuple[str, Callable[[Returning], bool]], ...]] = (
    ("LOG-04", lambda got: got.get.begins and not got.grouped and not got.segment),
    ("LOG-21", lambda got: got.get.begins and (got.grouped or got.segment)),
    ("LOG-25", _begun_elsewhere),
    ("LOG-28", lambda got: not got.get.ordered and (got.grouped or got.segment)),
    ("LOG-38", _unchecked),
    ("AMA-07", lambda got: got.grouped and not got.get.asks(MQGMO.ALL_MSGS_AVAILABLE)),
    ("ASA-07", lambda got: got.segment and not got.get.asks(GROUPING & ~MQGMO.LOGICAL_ORDER)),
    ("ASA-08", lambda got: got.segment and got.get.asks(MQGMO.ALL_SEGMENTS_AVAILABLE) and not _wants_whole(got)),
    ("CMP-02", lambda got: got.segment and not _wants_whole(got)),
    ("CMP-03", lambda got: got.segment and not _wants_whole(got)),
    ("CMP-11", lambda got: _wants_whole(got) and got.outside_of_open_work and not got.found.reassembled),
    ("CMP-12", _needs_no_unit),
    ("CMP-17", lambda got: bool(got.found.unlike) and got.get.asks(MQGMO.CONVERT)),
    ("CMP-20", lambda got: got.found.reassembled and _differ_otherwise(got.found)),
    ("CMP-21", lambda got: got.found.reassembled and is_report(got.message)),
    ("CMP-22", lambda got: got.found.reassembled and is_report(got.message)),
    ("CMP-23", lambda got: got.found.reassembled and any(len(each.data) < span(each) for each in got.found.segments)),
)
"""The rules that bear on a call because of the message that it returns."""


def rules_of_search(state: State, request: GetRequest) -> tuple[str, ...]:
    """Return the rules about groups that bear on a call before a message is found."""
    if not request.asks(GROUPING):
        removing, browsing = request.handle.removing, request.handle.browsing
        if not (removing.unfinished or removing.logical_order or browsing.unfinished or browsing.logical_order):
            return ()  # nothing is current, and the call asks for no order that could differ from that before
    get = Searching(state, request)
    return tuple(rule for rule, bears in SEARCHING if bears(get))


def rules_of_nothing_found(state: State, request: GetRequest) -> tuple[str, ...]:
    """Return the rules about groups that bear on a call that found no message."""
    if not request.asks(GROUPING):
        return ()
    get = Searching(state, request)
    return tuple(rule for rule, bears in FOUND_NOTHING if bears(get))


def rules_of_return(state: State, request: GetRequest, found: Found, *, in_unit_of_work: bool) -> tuple[str, ...]:
    """Return the rules about groups that bear on a call that returns a message."""
    plain = not found.descriptor.msg_flags and not request.asks(GROUPING)
    if plain and not request.information.unfinished:
        return ()
    got = Returning(Searching(state, request), found, in_unit_of_work)
    return tuple(rule for rule, bears in RETURNING if bears(got))
