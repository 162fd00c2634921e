"""Reader of traces of the MQ classes for Java and JMS: the same channel segments as in a packet capture.

A call's interval begins with the millisecond in which its request was sent and ends with the one in which its reply was
received, on the clock of the traced program. `line` is the first line of the dump of the request, or of the delivered
message. Intervals, missing replies, CALLBACK records and errors are as in a capture (spark_checks.readers.pcap), except
for TLS: the trace shows the data before they are encrypted.

Files into which one trace was rotated are read as one (spark_checks.readers.java_rotation), and a remark says so.

The connection's name is `FILE:@OBJECT/conversation/n`: the client's connection object, the file that showed it first,
and the n-th MQCONN of the conversation. A trace holds the calls of one program, so its header never says `complete`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from oracle.errors import BadInputError, Place
from oracle.histories.event_log import Event, Header, LogHeader
from spark_checks.readers.detect import Source
from spark_checks.readers.java_dumps import SERVER, Dump, DumpReader, Hole
from spark_checks.readers.java_rotation import joins
from spark_checks.readers.mqi_calls import Call, Channel
from spark_checks.readers.remarks import Remark
from spark_checks.readers.tsh import FlowStream, SeenFlow
from spark_checks.readers.wire_events import to_event

_DAY_US = 24 * 60 * 60 * 10**6


Found = Iterator[tuple[Channel, Call] | BadInputError]


@dataclass(slots=True)
class _Link:
    """One connection of the client to a queue manager."""

    channel: Channel
    streams: tuple[FlowStream, FlowStream]


@dataclass(slots=True)
class _Trace:
    """The connections of a trace. One may reuse the object number of another that has ended; MQCONN separates them."""

    links: dict[str, _Link] = field(default_factory=dict)
    identifiers: dict[bytes, str] = field(default_factory=dict)

    def take(self, dump: Dump | Hole) -> Found:
        """Take the next bytes of a connection, and yield the calls that they complete.

        Where lines are missing, whole dumps of both sides may be missing too.
        """
        if isinstance(dump, Hole):
            yield BadInputError(dump.message, dump.place)
            for each in self.links.values():
                for side, stream in enumerate(each.streams):
                    yield from self._flows(each, side, stream.lose())
                each.channel.gap_on_both_sides()
            return
        link = self.links.get(dump.connection) or self._open(dump)
        stream = link.streams[dump.side]
        yield from self._flows(link, dump.side, stream.feed(dump.data, dump.seen))
        if dump.missing:
            message = f"{dump.missing} bytes of a channel are not in the trace, which cuts dumps here"
            yield BadInputError(message, dump.seen.place)
            yield from self._flows(link, dump.side, stream.lose())
            link.channel.gap_on_both_sides()

    def _open(self, dump: Dump) -> _Link:
        source = dump.seen.where("").source
        channel = Channel(source, f"{source}:@{dump.connection}", self.identifiers)
        streams = FlowStream(source, may_lack=True), FlowStream(source, may_lack=True)
        link = self.links[dump.connection] = _Link(channel, streams)
        return link

    def _flows(self, link: _Link, side: int, flows: Iterator[SeenFlow | BadInputError] | Iterator[SeenFlow]) -> Found:
        for flow in flows:
            if isinstance(flow, BadInputError):
                yield flow
                continue
            for call in link.channel.flow(side, flow):
                yield call if isinstance(call, BadInputError) else (link.channel, call)

    def finish(self) -> Found:
        """Yield the remaining calls at the end of the trace."""
        for link in self.links.values():
            for side, stream in enumerate(link.streams):
                yield from self._flows(link, side, stream.finish())
            yield from ((link.channel, call) for call in link.channel.finish())


def read_java_trace(sources: Sequence[Source]) -> Iterator[Event | Header | Remark | BadInputError]:
    """Yield the records of a trace and an error for each unreadable thing.

    `sources` are its files in order. If the trace does not give its time zone, its times count as UTC, and its header
    says that they cannot be compared with other clocks.
    """
    dumps, trace = DumpReader(sources), _Trace()
    waiting: list[tuple[Channel, Call]] = []
    found_any = answered = False

    def event(call: Call, qmgr: str | None) -> Event:
        return to_event(call, qmgr, since_ns=dumps.first_ns or 0, until_ns=dumps.last_ns)

    for dump in dumps:
        answered |= isinstance(dump, Dump) and dump.side == SERVER
        for item in [dump] if isinstance(dump, BadInputError) else trace.take(dump):
            if isinstance(item, BadInputError):
                yield item
                continue
            found_any = True
            if item[1].ended is None or item[0].qmgr is None:
                waiting.append(item)
            else:
                yield event(item[1], item[0].qmgr)
    for item in trace.finish():
        if isinstance(item, BadInputError):
            yield item
        else:
            waiting.append(item)
    names = {link.channel.qmgr for link in trace.links.values()} - {None}
    only = next(iter(names)) if len(names) == 1 else None
    for channel, call in waiting:
        yield event(call, channel.qmgr or only or call.connection.name)
    if not found_any and not waiting:
        yield BadInputError(dumps.failures.why_no_call(answered=answered), Place(sources[0].name))
    yield LogHeader(complete=False, clock_us=0 if dumps.clock.zone else _DAY_US)
    yield from joins(sources)
