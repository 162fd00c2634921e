"""Moments: conditions at a call, with which `bench.circumstances` makes a mutant wrong only at some calls.

A moment is a call and the state before it. Each condition is a question about a moment, such as whether the handle is
of an alias, or whether a message of another's unit of work is on the queue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from conformance.checks.circumstances.change import GET_UNITS
from oracle.model.handles import Handle
from oracle.model.messages.messages import Message
from oracle.model.requests.option_matrix import BROWSE
from oracle.model.state import Queue, State
from oracle.mqi.calls import Call, Get, Put, Put1
from oracle.mqi.constants import MQGMO, MQMF, MQMO, MQPMO, NULL_ID
from oracle.mqi.structures import MessageDescriptor

_AVAILABLE: Final = MQGMO.ALL_MSGS_AVAILABLE | MQGMO.ALL_SEGMENTS_AVAILABLE
_BY_GROUP: Final = MQMO.MATCH_GROUP_ID | MQMO.MATCH_MSG_SEQ_NUMBER | MQMO.MATCH_OFFSET
_CONTEXT: Final = MQPMO.SET_ALL_CONTEXT | MQPMO.SET_IDENTITY_CONTEXT | MQPMO.NO_CONTEXT
_NEW: Final = MQPMO.NEW_MSG_ID | MQPMO.NEW_CORREL_ID
_MEMBER: Final = MQMF.MSG_IN_GROUP | MQMF.LAST_MSG_IN_GROUP
_SEGMENT: Final = MQMF.SEGMENT | MQMF.LAST_SEGMENT
_SHORT: Final = 100
"""The limit below which a buffer, a depth or a message length was set by the author of the history."""


@dataclass(frozen=True)
class Moment:
    """A call, and the state before it."""

    state: State
    """The state of the queue manager."""
    call: Call
    """The call."""

    @cached_property
    def conn(self) -> str:
        """The connection that makes the call; empty where none does."""
        return getattr(self.call, "conn", "")

    @cached_property
    def handle(self) -> Handle | None:
        """The handle that the call uses."""
        return self.state.handles.get((self.conn, getattr(self.call, "hobj", 0)))

    @cached_property
    def path(self) -> tuple[str, ...]:
        """The names from the one that the call or its handle used to the queue."""
        if self.handle is not None:
            return self.handle.path
        return self.state.resolve(getattr(self.call, "object_name", "")) or ()

    @cached_property
    def queues(self) -> tuple[Queue, ...]:
        """The queue that the call is about; all queues if it is about none."""
        queue = self.state.queues.get(self.path[-1]) if self.path else None
        return tuple(self.state.queues.values()) if queue is None else (queue,)

    @cached_property
    def messages(self) -> tuple[Message, ...]:
        """The messages on them."""
        return tuple(message for queue in self.queues for message in queue.messages)

    @cached_property
    def others(self) -> tuple[Handle, ...]:
        """The other handles of the same queue."""
        if self.handle is None:
            return ()
        every = self.state.handles.values()
        return tuple(each for each in every if each is not self.handle and each.path[-1] == self.handle.path[-1])

    @property
    def descriptor(self) -> MessageDescriptor:
        """The MQMD of a put or get; the initial one of other calls."""
        return self.call.descriptor if isinstance(self.call, Get | Put | Put1) else MessageDescriptor()

    def gets(self, options: int) -> bool:
        """Return whether the call is an MQGET with any of these options."""
        return isinstance(self.call, Get) and self.call.options.options & options != 0

    def puts(self, options: int) -> bool:
        """Return whether the call is an MQPUT or MQPUT1 with any of these options."""
        return isinstance(self.call, Put | Put1) and self.call.options.options & options != 0

    def some(self, question: Callable[[Message], Any]) -> bool:
        """Return whether a condition holds for any message on the queue."""
        return any(map(question, self.messages))

    def put_with(self, question: Callable[[MessageDescriptor], Any]) -> bool:
        """Return whether the call is a put, and a condition holds for its MQMD."""
        return isinstance(self.call, Put | Put1) and bool(question(self.descriptor))


def _expired(at: Moment, message: Message) -> bool:
    expiry = message.descriptor.expiry
    return expiry >= 0 and message.put_ms + 100 * expiry <= at.state.now_ms


def _by_id(at: Moment) -> bool:
    if not isinstance(at.call, Get):
        return False
    match, md = at.call.options.match_options, at.descriptor
    by_msg_id = match & MQMO.MATCH_MSG_ID and md.msg_id != NULL_ID
    return bool(by_msg_id or (match & MQMO.MATCH_CORREL_ID and md.correl_id != NULL_ID))


CONDITIONS: Final[Mapping[str, Callable[[Moment], bool]]] = {
    "an alias is used": lambda at: len(at.path) > 1,
    "the connection has another handle": lambda at: any(each.conn == at.conn for each in at.others),
    "another connection has the queue open": lambda at: any(each.conn != at.conn for each in at.others),
    "the cursor stands somewhere": lambda at: at.handle is not None and at.handle.cursor is not None,
    "the handle has marks": lambda at: at.handle is not None and bool(at.handle.marked),
    "a group is being got": lambda at: at.handle is not None and at.handle.removing.unfinished,
    "a group is being browsed": lambda at: at.handle is not None and at.handle.browsing.unfinished,
    "a group is being put": lambda at: at.handle is not None and at.handle.putting.unfinished,
    "something is locked": lambda at: any(each.locked for each in at.state.handles.values()),
    "something waits": lambda at: any(each.waiting is not None for each in at.state.connections.values()),
    "the unit of work has a put": lambda at: at.some(lambda message: message.put_by == at.conn),
    "the unit of work has a get": lambda at: at.some(lambda message: message.got_by == at.conn),
    "another's put is uncommitted": lambda at: at.some(lambda message: message.put_by not in (None, at.conn)),
    "another's get is uncommitted": lambda at: at.some(lambda message: message.got_by not in (None, at.conn)),
    "something is marked for the set": lambda at: at.some(lambda message: message.co_op_marked_ms is not None),
    "a member is there": lambda at: at.some(lambda message: message.descriptor.msg_flags & _MEMBER),
    "a segment is there": lambda at: at.some(lambda message: message.descriptor.msg_flags & _SEGMENT),
    "something may expire": lambda at: at.some(lambda message: message.descriptor.expiry >= 0),
    "something has expired": lambda at: at.some(lambda message: _expired(at, message)),
    "something is persistent": lambda at: at.some(lambda message: message.descriptor.persistence == 1),
    "something was backed out": lambda at: at.some(lambda message: message.descriptor.backout_count),
    "something asks for reports": lambda at: at.some(lambda message: message.descriptor.report),
    "priorities differ": lambda at: len({message.rank for message in at.messages}) > 1,
    "nothing is there": lambda at: not at.messages,
    "one message is there": lambda at: len(at.messages) == 1,
    "two messages are there": lambda at: len(at.messages) == 2,
    "many messages are there": lambda at: len(at.messages) > 2,
    "the queue is FIFO": lambda at: any(each.definition.msg_delivery_sequence == "FIFO" for each in at.queues),
    "the queue is dynamic": lambda at: any("DYNAMIC" in each.definition.definition_type for each in at.queues),
    "the queue triggers": lambda at: any(each.definition.trigger_control for each in at.queues),
    "the queue caps expiry": lambda at: any(each.definition.cap_expiry for each in at.queues),
    "the queue is limited": lambda at: any(each.definition.max_q_depth < _SHORT for each in at.queues),
    "messages are limited": lambda at: any(each.definition.max_msg_length < _SHORT for each in at.queues),
    "the queue manager quiesces": lambda at: at.state.quiescing,
    "time has passed": lambda at: at.state.now_ms > 0,
    "the get may wait": lambda at: at.gets(MQGMO.WAIT),
    "the get is in a unit of work": lambda at: at.gets(MQGMO.SYNCPOINT | MQGMO.SYNCPOINT_IF_PERSISTENT),
    "the get browses": lambda at: at.gets(BROWSE),
    "the get locks": lambda at: at.gets(MQGMO.LOCK),
    "the get converts": lambda at: at.gets(MQGMO.CONVERT),
    "the get is in logical order": lambda at: at.gets(MQGMO.LOGICAL_ORDER),
    "the get wants a whole message": lambda at: at.gets(MQGMO.COMPLETE_MSG),
    "the get wants what is all there": lambda at: at.gets(_AVAILABLE),
    "the get is at the cursor": lambda at: at.gets(MQGMO.MSG_UNDER_CURSOR | MQGMO.BROWSE_MSG_UNDER_CURSOR),
    "the get names an identifier": _by_id,
    "the get names a group": lambda at: isinstance(at.call, Get) and at.call.options.match_options & _BY_GROUP != 0,
    "the buffer is short": lambda at: isinstance(at.call, Get) and at.call.buffer_length < _SHORT,
    "the unit is left to the default": lambda at: isinstance(at.call, Get) and not at.gets(GET_UNITS),
    "the put is in a unit of work": lambda at: at.puts(MQPMO.SYNCPOINT),
    "the put is in logical order": lambda at: at.puts(MQPMO.LOGICAL_ORDER),
    "the put wants new identifiers": lambda at: at.puts(_NEW),
    "the put sets the context": lambda at: at.puts(_CONTEXT),
    "the put is an MQPUT1": lambda at: isinstance(at.call, Put1),
    "the put is persistent": lambda at: at.put_with(lambda md: md.persistence == 1),
    "the put may expire": lambda at: at.put_with(lambda md: md.expiry >= 0),
    "the put asks for reports": lambda at: at.put_with(lambda md: md.report),
    "a member is put": lambda at: at.put_with(lambda md: md.msg_flags & _MEMBER),
    "a segment is put": lambda at: at.put_with(lambda md: md.msg_flags & _SEGMENT),
    "the MQMD is of version 1": lambda at: at.descriptor.version == 1,
}
"""The conditions of a moment, by a clause that describes them."""


def conditions_at(moment: Moment) -> Iterator[str]:
    """Yield the conditions that are met at a moment."""
    return (name for name, question in CONDITIONS.items() if question(moment))
