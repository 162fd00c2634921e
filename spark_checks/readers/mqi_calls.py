"""MQI calls from the flows of a client channel: requests with their replies, handles with their queues.

Calls of a conversation are sequential, so a reply belongs to the latest open request of its type. A put that asked for
an asynchronous response is skipped, because it need not be answered. Earlier requests have then ended, with an unknown
outcome. Where the capture has gaps in both directions since a request, a reply may be that of another request, which
was lost: the two are not paired. A conversation carries one connection to the queue manager after another; each MQCONN
begins a new one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from oracle.errors import BadInputError, Place
from oracle.mqi.constants import MQCC, MQOT, MQPMO
from oracle.wire import bodies
from oracle.wire.bodies import Body, Delivery
from oracle.wire.headers import CONFIRM_REQUEST, REPLY, Kind
from spark_checks.readers.repeated import fits
from spark_checks.readers.tsh import SeenFlow, Sighting

_CALLS = frozenset(range(Kind.MQCONN, Kind.SPI + 1))
_XA = range(0xA1, 0xB0)


@dataclass(slots=True)
class Consumer:
    """The requests of a consumer of messages."""

    since: Sighting | None
    """The place of its first request for messages. A delivery to it begins there at the earliest.

    None if an earlier request may be missing.
    """
    selection: int | None
    """The number that the client gave its selection. None if the request has none."""
    columns: dict[str, int | str | None]
    """The columns of the event log from its MQGMO. Null where requests of this selection disagree."""
    gaps: int
    """The gaps on the client's side before its latest request."""


@dataclass(slots=True)
class Handle:
    """An object handle."""

    object_name: str | None = None
    """The object as the application named it. None if that was not captured."""
    queue: str | None = None
    """The queue behind it. None if it is not known, or the object is not a queue."""
    consumer: Consumer | None = None
    """Its consumer of messages. None if it has none."""
    selects: bool = False
    """Whether it was opened with a selection string, by which its gets select besides their match options."""
    gaps: tuple[int, int] = (0, 0)
    """The gaps on each side before it was known."""
    opened: bool = False
    """Whether the capture shows that it was opened."""


@dataclass(slots=True)
class Connection:
    """One connection handle: returned by an MQCONN, or in use when the capture began."""

    name: str
    """Its identity: the name of the channel, the conversation, and a number."""
    handles: dict[int, Handle] = field(default_factory=dict)
    """Its open handles by their numbers."""
    foreign_units: bool = False
    """Whether a transaction manager, or calls that are not read, may end its units of work."""
    copy: bool = False
    """Whether it is captured a second time, at another point of the network. If so, its calls are skipped."""


@dataclass(slots=True)
class Call:
    """An MQI call as far as it was captured."""

    kind: Kind
    """The segment type of the request.

    `Kind.SPI` is an MQOPEN through the service interface; `Kind.ASYNC_MESSAGE` is a message delivered to a consumer.
    """
    connection: Connection
    """The connection that made it."""
    seq: int
    """The number, among the channel's flows, of the flow that ended it, or else of the one that began it."""
    place: Place
    """The place of the request in the capture, or else of the reply or the delivered message."""
    began: Sighting | None = None
    """The place at which it was first seen. None if no captured flow shows when it began."""
    after: Sighting | None = None
    """The place of the call before it, after which it began. None if that is not known."""
    ended: Sighting | None = None
    """The place at which it was last seen. None if no captured flow shows when it ended."""
    request: Body | None = None
    """The request. None if it was not captured, or for a delivered message."""
    reply: Body | None = None
    """The reply. None if it was not captured, or for a delivered message."""
    delivery: Delivery | None = None
    """The delivered message. None for all other calls."""
    consumer: Consumer | None = None
    """For a delivered message, its consumer. None if it is not known."""
    handle: Handle | None = None
    """The object handle that it used or opened. None if it has none, or it is not known."""


@dataclass(slots=True)
class _Open:
    call: Call
    request_number: int
    gaps: tuple[int, int]
    asynchronous: bool


@dataclass(slots=True)
class _Conversation:
    connection: Connection
    count: int = 0
    open: list[_Open] = field(default_factory=list)
    latest: Sighting | None = None
    """The place of the latest request or reply of a call: its calls are sequential."""


class Channel:
    """The calls of one client channel, that is of one TCP connection.

    `name` is that of the TCP connection, `qmgr` the queue manager's once it is known, `server` the side on which that
    is. `identifiers` is shared by the channels of a capture; it tells a connection that was captured twice.
    """

    __slots__ = (
        "_conversations", "_gaps", "_identifiers", "_repeats", "_reported", "_seq", "_source", "name", "qmgr", "server",
    )  # fmt: skip  # names

    def __init__(self, source: str, name: str, identifiers: dict[bytes, str]) -> None:
        self.name = name
        self.qmgr: str | None = None
        self.server: int | None = None
        self._source = source
        self._identifiers = identifiers
        self._conversations: dict[int, _Conversation] = {}
        self._gaps = [0, 0]
        self._seq = 0
        self._repeats: set[tuple[str, str]] = set()
        self._reported: set[str] = set()

    def gap(self, side: int) -> None:
        """Note that bytes of one side are missing."""
        self._gaps[side] += 1

    def gap_on_both_sides(self) -> None:
        """Note that bytes of both sides may be missing."""
        self._gaps = [one + 1 for one in self._gaps]

    @property
    def _gaps_now(self) -> tuple[int, int]:
        return self._gaps[0], self._gaps[1]

    def _gaps_on_both_sides_since(self, then: tuple[int, int]) -> bool:
        """Return whether whole calls may be missing since a place that had so many gaps before it."""
        return self._gaps[0] > then[0] and self._gaps[1] > then[1]

    def _handle(self, connection: Connection, hobj: int | None) -> Handle | None:
        """Return the handle with a number, if it is open.

        Where whole calls may be missing, it may have been closed, and its number given to another object.
        """
        found = connection.handles.get(hobj or 0)
        if found is not None and self._gaps_on_both_sides_since(found.gaps):
            found = connection.handles[hobj or 0] = Handle(gaps=self._gaps_now)
        return found

    def _used(self, connection: Connection, hobj: int) -> Handle:
        """Return the handle with a number, which may have been opened before the capture."""
        return self._handle(connection, hobj) or connection.handles.setdefault(hobj, Handle(gaps=self._gaps_now))

    def flow(self, side: int, flow: SeenFlow) -> Iterator[Call | BadInputError]:
        """Take the next flow, and yield the calls that it completes, or an error."""
        self._seq += 1
        try:
            yield from (call for call in self._take(side, flow) if not call.connection.copy)
        except BadInputError as error:
            yield BadInputError(str(error), self._place(flow))

    def _place(self, flow: SeenFlow) -> Place:
        return flow.first.where(self._source)

    def finish(self) -> Iterator[Call]:
        """Yield the calls whose end no flow shows."""
        for conversation in self._conversations.values():
            yield from (each.call for each in conversation.open if not each.call.connection.copy)
            conversation.open.clear()

    def _take(self, side: int, flow: SeenFlow) -> Iterator[Call]:
        if flow.kind == Kind.INITIAL:
            self._initial(side, flow)
        elif flow.kind in _CALLS:
            self.server = 1 - side
            self._request(flow)
        elif flow.kind - REPLY in _CALLS:
            self.server = side
            yield from self._reply(flow)
        elif flow.kind == Kind.REQUEST_MSGS:
            self.server = 1 - side
            self._asking(flow)
        elif flow.kind == Kind.ASYNC_MESSAGE:
            self.server = side
            yield self._delivery(flow)
        elif flow.kind in _XA:
            self._conversation(flow).connection.foreign_units = True
        elif flow.kind == Kind.MESSAGE:
            self._once("messages of a channel between queue managers are not read")

    def _once(self, message: str) -> None:
        if message not in self._reported:
            self._reported.add(message)
            raise BadInputError(message)

    def _initial(self, side: int, flow: SeenFlow) -> None:
        if flow.control & CONFIRM_REQUEST:
            self.server = 1 - side
        else:
            self.server = side
            self.qmgr = bodies.server_name(flow) or self.qmgr

    def _conversation(self, flow: SeenFlow) -> _Conversation:
        found = self._conversations.get(flow.conversation)
        if found is None:
            found = self._conversations[flow.conversation] = _Conversation(self._connection(flow, 0))
        return found

    def _connection(self, flow: SeenFlow, count: int) -> Connection:
        return Connection(f"{self.name}/{flow.conversation}/{count}")

    def _connect(self, conversation: _Conversation, flow: SeenFlow) -> None:
        conversation.count += 1
        conversation.connection = self._connection(flow, conversation.count)

    def _read(self, flow: SeenFlow, connection: Connection) -> Body | None:
        """Read an MQI flow; None for one that is not a call of the record."""
        if flow.kind & ~REPLY != Kind.SPI:
            return bodies.read_body(flow)
        verb = bodies.spi_verb(flow)
        if verb == bodies.SPI_OPEN:
            return bodies.read_spi_open(flow)
        if verb not in bodies.SPI_HARMLESS:
            connection.foreign_units = True
            self._once(f"calls of the service interface with verb {verb} are not read")
        return None

    def _request(self, flow: SeenFlow) -> None:
        conversation = self._conversation(flow)
        if flow.kind == Kind.MQCONN:
            self._connect(conversation, flow)
        connection = conversation.connection
        body = self._read(flow, connection)
        if body is None:
            return
        call = Call(Kind(flow.kind), connection, self._seq, self._place(flow), began=flow.first, request=body)
        for each in conversation.open:
            _forget_closed(each.call)
        call.handle = self._handle(connection, body.hobj)
        asynchronous = bool((body.long("MQPMO", "Options") or 0) & MQPMO.ASYNC_RESPONSE)
        conversation.open.append(_Open(call, flow.request, self._gaps_now, asynchronous))
        conversation.latest = flow.first

    def _reply(self, flow: SeenFlow) -> Iterator[Call]:
        conversation = self._conversation(flow)
        body = self._read(flow, conversation.connection)
        if body is None:
            return
        call, earlier = self._answered(conversation, flow, body)
        for each in earlier:
            each.ended = flow.last
            _forget_closed(each)
            yield each
        if call is None:
            if flow.kind - REPLY == Kind.MQCONN:
                self._connect(conversation, flow)
            call = Call(Kind(flow.kind - REPLY), conversation.connection, self._seq, self._place(flow))
            call.handle = self._handle(call.connection, body.hobj)
            call.after = conversation.latest
        conversation.latest = flow.first
        call.seq, call.reply, call.ended = self._seq, body, flow.last
        if body.comp_code != MQCC.FAILED:
            if call.kind == Kind.MQCONN:
                self._connected(call.connection, flow)
            _apply(call, self._gaps_now)
        yield call

    def _answered(self, conversation: _Conversation, flow: SeenFlow, body: Body) -> tuple[Call | None, list[Call]]:
        """Remove from the open requests the one that a reply answers, and those before it."""
        fitting = [
            index
            for index, each in enumerate(conversation.open)
            if each.call.kind == flow.kind - REPLY
            and each.request_number == flow.request
            and not self._gaps_on_both_sides_since(each.gaps)
            and fits(each.call.kind, each.call.request, body, self._repeats)
        ]
        waiting = [index for index in fitting if not conversation.open[index].asynchronous]
        # If asynchronous puts are answered after all, then in their order.
        answered = waiting[-1:] or fitting[:1]
        count = answered[0] if answered else len(conversation.open)
        earlier = [each.call for each in conversation.open[:count]]
        call = conversation.open[count].call if answered else None
        del conversation.open[: count + 1]
        return call, earlier

    def _connected(self, connection: Connection, flow: SeenFlow) -> None:
        """Learn what the reply to a successful MQCONN says."""
        identifier = bodies.connection_id(flow)
        name = bodies.connect_name(flow)
        if identifier is not None:
            first = self._identifiers.setdefault(identifier, self.name)
            if first != self.name:
                connection.copy = True
                self._once(f"this channel was captured twice; it is read as {first} only")
            short = identifier[4:16].decode(flow.charset, errors="replace").rstrip(" ")
            if len(short) < 12:  # a longer name is cut
                name = name or short
        self.qmgr = self.qmgr or name or None

    def _asking(self, flow: SeenFlow) -> None:
        asking = bodies.read_asking(flow)
        handle = self._used(self._conversation(flow).connection, asking.hobj)
        consumer, gaps = handle.consumer, self._gaps[1 - (self.server or 0)]
        known = consumer.gaps if consumer else handle.gaps[1 - (self.server or 0)] if handle.opened else None
        if consumer is None or asking.selection not in (None, consumer.selection):
            since = consumer.since if consumer and consumer.selection is None else flow.first
            handle.consumer = Consumer(since if gaps == known else None, asking.selection, asking.columns, gaps)
            return
        agreed = {**asking.columns, **consumer.columns}
        for column, value in agreed.items():
            if asking.columns.get(column, value) != value:
                agreed[column] = None
        if gaps != known:
            agreed["wait_ms"] = None  # each request has its own, and one may be missing
        consumer.columns, consumer.gaps = agreed, gaps

    def _delivery(self, flow: SeenFlow) -> Call:
        delivery = bodies.read_delivery(flow)
        connection = self._conversation(flow).connection
        handle = self._used(connection, delivery.hobj)
        handle.queue = delivery.queue or handle.queue
        call = Call(Kind.ASYNC_MESSAGE, connection, self._seq, self._place(flow), ended=flow.last)
        call.delivery, call.handle = delivery, handle
        consumer = handle.consumer
        if consumer and consumer.selection in (None, delivery.selection):
            call.began, call.consumer = consumer.since, consumer
            if self._gaps[1 - (self.server or 0)] != consumer.gaps:
                consumer.columns["wait_ms"] = None  # it may answer a request that is missing
        return call


def _forget_closed(call: Call) -> None:
    """Forget the handle of an MQCLOSE without a reply: its number may be given to another object."""
    if call.kind == Kind.MQCLOSE and call.request:
        call.connection.handles.pop(call.request.hobj or 0, None)


def _apply(call: Call, gaps: tuple[int, int]) -> None:
    """Update the handles after a successful call; `gaps` are those before its reply."""
    reply, request = call.reply, call.request
    handles = call.connection.handles
    if call.kind in (Kind.MQOPEN, Kind.SPI) and reply and reply.hobj is not None:
        call.handle = handles[reply.hobj] = _opened(reply, request)
        call.handle.gaps, call.handle.opened = gaps, True
    elif call.kind == Kind.MQCLOSE and request and request.hobj is not None:
        handles.pop(request.hobj, None)
    elif call.kind == Kind.MQDISC:
        handles.clear()


def _opened(reply: Body, request: Body | None) -> Handle:
    named = (request or reply).text("MQOD", "ObjectName")
    if (request or reply).long("MQOD", "ObjectType") != MQOT.Q:
        return Handle(named)
    # The reply has another name than the request for a dynamic queue.
    queue = reply.text("MQOD", "ResolvedQName") or reply.text("MQOD", "ObjectName") or named
    selects = bool((request or reply).long("MQOD", "SelectionString.VSLength"))
    return Handle(named, queue, selects=selects)


KEPT = (Channel, _Conversation, _Open, Call, Connection, Handle, Consumer, Body, Delivery, Kind)
"""The classes of a channel's state."""
