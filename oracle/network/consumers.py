"""Messages that a client asks for in advance: they are sent to it when they arrive.

A client asks for a number of bytes, with the options of MQGET; one byte means one message. Until they have come the
request is outstanding. A request that waits ends silently after its interval: the client measures the time itself, and
then asks whether there is really nothing. Only that question is answered in any case.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from oracle.errors import BadInputError, NotModelledError
from oracle.model.reply import Reply, failure
from oracle.model.state import State
from oracle.mqi import calls
from oracle.mqi.constants import MQGMO, MQMO, MQRC, NULL_ID, NULL_TOKEN
from oracle.mqi.structures import GetMessageOptions, MessageDescriptor
from oracle.standin.connections import Connection
from oracle.standin.manager import RunningQueueManager
from oracle.standin.options import look_at
from oracle.standin.passing import Contexts
from oracle.standin.warning import warn_of_refusal
from oracle.wire.flows import Flow
from oracle.wire.headers import CONFIRM_REQUEST

_WHOLE: Final = 1 << 30
_SELECTS: Final = 0x10
_IDENTIFIERS: Final = (
    (MQMO.MATCH_MSG_ID, "msg_id", 24),
    (MQMO.MATCH_CORREL_ID, "correl_id", 24),
    (MQMO.MATCH_GROUP_ID, "group_id", 24),
    (MQMO.MATCH_MSG_TOKEN, "msg_token", 16),
)


@dataclass(frozen=True, slots=True)
class Selection:
    """The selection of a consumer, and the version of descriptors that it wants."""

    index: int = 0
    """The client's number for it, which delivered messages name."""
    md_version: int = 2
    """The version of their MQMD, 1 or 2."""
    match_options: int = MQMO.NONE
    """The MatchOptions."""
    descriptor: MessageDescriptor = MessageDescriptor()
    """The MQMD to match with, which also states the form that conversion is to make."""
    msg_token: bytes = NULL_TOKEN
    """The MsgToken to match with."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request for messages."""

    hobj: int
    """The client's number for the handle."""
    length: int
    """The number of bytes of messages that it asks for. 1 means one message."""
    longest: int
    """The greatest number of bytes of a message's data. Below 0: no limit."""
    options: int
    """The options of MQGET."""
    interval: int
    """The milliseconds that it waits, if MQGMO_WAIT is among the options."""
    global_index: int
    """The global message index, in the terms of protocol analysers. It is read and not used."""
    selection: Selection | None
    """The selection. None: that of the request before."""
    request: int
    """The number that the answer must have."""
    confirm: bool
    """Whether the client waits for the answer in any case."""


def consumer_on(
    manager: RunningQueueManager,
    connection: Connection | None,
    number: int,
    hobj: int,
    ended: Callable[[Consumer], None],
) -> Consumer | None:
    """Return a consumer on a handle, `number` to its client; None if there is no such handle of a queue."""
    handle = None if connection is None else manager.state.handles.get((connection.conn, hobj))
    if connection is None or handle is None:
        return None
    return Consumer(manager, connection.conn, number, handle.hobj, handle.queue, connection.contexts, ended)


def read_request(flow: Flow) -> Asked:
    """Read a request for messages.

    Raises BadInputError if it is incomplete.
    """
    return Asked(
        hobj=flow.long(4),
        length=flow.long(12),
        longest=flow.long(16),
        options=flow.long(20),
        interval=flow.long(24),
        global_index=flow.long(36),
        selection=_selection(flow) if flow.long(32) & _SELECTS else None,
        request=flow.request,
        confirm=bool(flow.control & CONFIRM_REQUEST),
    )


def _selection(flow: Flow) -> Selection:
    index, version = (int.from_bytes(flow.body[at : at + 2], flow.order) for at in (40, 42))
    match = flow.long(60)
    found: dict[str, bytes] = {}
    at = 64
    for option, member, size in _IDENTIFIERS:
        if match & option:
            found[member] = flow.body[at : at + size]
            if len(found[member]) < size:
                raise BadInputError("a request for messages lacks an identifier that it matches")
            at += size
    version = 1 if version == 1 else 2
    descriptor = MessageDescriptor(
        version=version,
        coded_char_set_id=flow.long(44),
        encoding=flow.long(48),
        msg_seq_number=flow.long(52),
        offset=flow.long(56),
        msg_id=found.get("msg_id", NULL_ID),
        correl_id=found.get("correl_id", NULL_ID),
        group_id=found.get("group_id", NULL_ID),
    )
    return Selection(index, version, match, descriptor, found.get("msg_token", NULL_TOKEN))


Sight = tuple[object, ...]
"""A consumer's view of its queue: while it is unchanged, there is nothing new for the consumer."""


@dataclass(eq=False)
class Consumer:
    """A consumer: it asks for messages on one handle."""

    manager: RunningQueueManager
    """The queue manager."""
    conn: str
    """The connection that has the handle."""
    number: int
    """The client's number for the handle."""
    hobj: int
    """The handle behind it."""
    queue: str
    """The name of the queue."""
    contexts: Contexts
    """The store for the context of a message that it gets."""
    ended: Callable[[Consumer], None]
    """A function that is called with it when the handle is closed."""
    selection: Selection = Selection()
    """Its selection."""
    options: int = 0
    """The options of MQGET of its latest request."""
    longest: int = -1
    """The greatest number of bytes of a message's data. Below 0: no limit."""
    credit: int = 0
    """The number of bytes for which messages may still be sent."""
    due_ms: int | None = None
    """The time at which the request ends without a message; None: never."""
    named: bool = False
    """Whether the client has received the queue's name."""
    seen: Sight = field(default=())
    """Its view when it last looked for a message. Empty if it has not looked since its latest request."""
    number_of_wait: int = 0
    """Its number among the waiters."""
    request: int = 1
    """The number of the request."""
    confirm: bool = False
    """Whether the client waits for the answer to the request in any case."""

    def ask(self, asked: Asked) -> None:
        """Take a request, which replaces an earlier one."""
        self.selection = asked.selection or self.selection
        self.options, self.longest = asked.options, asked.longest
        self.credit = max(1, asked.length)
        if asked.confirm:
            self.due_ms = self.manager.state.now_ms
        elif asked.options & MQGMO.WAIT and asked.interval > 0:
            self.due_ms = self.manager.state.now_ms + asked.interval
        else:
            self.due_ms = None
        self.seen = ()
        self.request = asked.request
        self.confirm = asked.confirm
        if not self.number_of_wait:
            self.number_of_wait = self.manager.note_waiting()

    @property
    def outstanding(self) -> bool:
        """Whether messages may be sent."""
        return self.credit > 0

    def satisfied(self) -> None:
        """Note that the request has ended."""
        self.credit = 0
        if self.number_of_wait:
            self.manager.forget_waiting(self.number_of_wait)
            self.number_of_wait = 0

    def end(self) -> None:
        """Note that the handle is closed."""
        self.satisfied()
        self.ended(self)

    def sight(self, state: State, locks: dict[str, tuple[object, ...]]) -> Sight:
        """Return the values that decide whether there is a message for it.

        `locks` are those of each queue's handles.
        """
        queue = state.queues.get(self.queue)
        clock = state.now_ms if self.options & MQGMO.UNMARKED_BROWSE_MSG else 0
        parts = (None, None) if queue is None else (queue.messages, queue.definition)
        return (*parts, locks.get(self.queue), state.quiescing, clock)

    def attempt(self) -> Reply:
        """Get the next message without waiting.

        A get that the model lacks ends with MQRC_FUNCTION_NOT_SUPPORTED, and a warning that names it.
        """
        options = GetMessageOptions(
            options=self.options & ~MQGMO.WAIT,
            match_options=self.selection.match_options,
            msg_token=self.selection.msg_token,
        )
        length = _WHOLE if self.longest < 0 else self.longest
        call = calls.Get(self.conn, self.hobj, self.selection.descriptor, options, length)
        try:
            look_at("MQGMO", self.options)
            reply = self.manager.get(call)
        except NotModelledError as error:
            warn_of_refusal(str(error))
            return failure(MQRC.FUNCTION_NOT_SUPPORTED)
        self.contexts.got(call, reply)
        return reply
