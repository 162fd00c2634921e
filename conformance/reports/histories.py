"""The sessions of a run as event logs, which `mq-oracle replay` and the audit read: one file for each session.

Every session has a queue manager of its own. Its log says that it is complete unless something was done that no log
records: attributes altered by command, a queue manager that quiesces, a scan for expired messages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Protocol

from conformance.reports.files import write_report
from conformance.sessions.session import Session, Setup
from oracle.errors import UsageError
from oracle.histories.event_log import DepthHeader, Event, LogHeader, QueueHeader, Record, to_line
from oracle.histories.recording import Interval, Recorder
from oracle.mqi import calls
from oracle.mqi.constants import MQRC
from oracle.mqi.definitions import QueueDefinition, define
from oracle.mqi.profile import PlatformName
from oracle.protocol import ObservedReply, parse_call, parse_reply

_NOT_IN_A_LOG: Final = (calls.Alter, calls.Quiesce, calls.ScanExpired)
"""The events of a queue manager without a record."""


class Done(Protocol):
    """A request and its reply; see `conformance.sessions.session.Exchange`."""

    @property
    def request(self) -> Mapping[str, Any]:
        """The request."""

    @property
    def reply(self) -> Mapping[str, Any]:
        """The reply, empty if there was none."""

    @property
    def interval(self) -> Interval:
        """The interval of the call."""

    @property
    def ended(self) -> Mapping[int, ObservedReply]:
        """The waiting calls, by their `seq`, that were reported outside replies."""


class Played(Protocol):
    """The calls on a fresh queue manager, by a session or otherwise."""

    @property
    def setup(self) -> Setup:
        """The initial queue manager."""

    @property
    def platform(self) -> PlatformName:
        """The platform of the queue manager."""

    @property
    def exchanges(self) -> Sequence[Done]:
        """The requests and replies."""


@dataclass
class Histories:
    """A writer of one check's sessions into a folder."""

    folder: Path
    """The folder."""
    check: str
    """The id of the check, from which the names of the files are made."""
    written: int = 0
    """The number of sessions that it has written."""
    trouble: UsageError | None = None
    """The error after which it writes no more."""

    def keep(self, session: Session) -> None:
        """Write a session, unless nothing was done in it."""
        if self.trouble is not None or not session.exchanges:
            return
        self.written += 1
        more = f".{self.written}" if self.written > 1 else ""
        path = self.folder / f"{self.check}{more}.jsonl"
        records = event_log(session, f"{self.check}{more}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_report(path, "".join(f"{to_line(record)}\n" for record in records))
        except OSError as error:
            self.trouble = UsageError(f"{path} cannot be written: {error.strerror}")
        except UsageError as error:
            self.trouble = error


def event_log(played: Played, name: str) -> Iterator[Record]:
    """Yield a session as the records of an event log, whose queue manager has this name."""
    made = [(exchange, parse_call(exchange.request)) for exchange in played.exchanges]
    complete = not any(isinstance(call, _NOT_IN_A_LOG) for _, call in made)
    yield LogHeader(complete=complete, platform=played.platform)
    bases: dict[str, str] = {}
    for attributes in played.setup.queues:
        definition = define(QueueDefinition, attributes)
        if definition.type == "alias":
            bases[definition.name] = str(definition.target)
            yield QueueHeader(qmgr=name, queue=definition.name, **_attributes(definition))
        elif definition.type == "local":
            yield from _headers(name, definition, played.exchanges[0].interval.start_us)
        elif definition.type == "model":
            yield QueueHeader(qmgr=name, queue=definition.name, **_attributes(definition))
    recorder = _Waits(Recorder(name, bases))
    for exchange, call in made:
        yield from recorder.records(exchange, call)


def _headers(qmgr: str, definition: QueueDefinition, at_us: int) -> Iterator[Record]:
    yield QueueHeader(qmgr=qmgr, queue=definition.name, **_attributes(definition))
    yield DepthHeader(qmgr=qmgr, queue=definition.name, at_us=at_us, depth=0)


def _attributes(definition: QueueDefinition) -> dict[str, Any]:
    return {name: value for name, value in definition.attributes().items() if value is not None}


@dataclass
class _Waits:
    """A maker of records from exchanges; a call that waits gets its record when it ends.

    A call on a name that is not connected has no connection to record.
    """

    recorder: Recorder
    waiting: dict[int, tuple[calls.MqiCall, int]] = field(default_factory=dict)
    connected: Counter[str] = field(default_factory=Counter)

    def records(self, exchange: Done, call: calls.Call) -> Iterator[Event]:
        """Yield the record of a call, and those of the waits that have ended with it."""
        observed = parse_reply(exchange.reply) if exchange.reply else ObservedReply()
        if isinstance(call, calls.MqiCall) and observed.reason != MQRC.HCONN_ERROR:
            call = self._by_connection(call, observed)
            if observed.pending:
                self.waiting[int(exchange.request["seq"])] = call, exchange.interval.start_us
            else:
                yield self.recorder.record(call, observed, exchange.interval)
        yield from self._ended({**observed.completed, **exchange.ended}, exchange.interval.end_us)

    def _by_connection(self, call: calls.MqiCall, observed: ObservedReply) -> calls.MqiCall:
        """Return a call under the log's name of its connection; in a log each name is one connection.

        An MQCONN that warns of an existing connection makes no other.
        """
        if isinstance(call, calls.Connect) and observed.reason != MQRC.ALREADY_CONNECTED:
            self.connected[call.conn] += 1
        number = self.connected[call.conn]
        return call if number <= 1 else replace(call, conn=f"{call.conn}-{number}")

    def _ended(self, completed: Mapping[int, ObservedReply], now_us: int) -> Iterator[Event]:
        for seq, done in completed.items():
            if seq in self.waiting:
                call, began_us = self.waiting.pop(seq)
                yield self.recorder.record(call, done, Interval(began_us, now_us))


def histories_of(folder: Path | None, check: str) -> Histories | None:
    """Return the writer of a check's sessions, if they are to be kept."""
    return None if folder is None else Histories(folder, check)
