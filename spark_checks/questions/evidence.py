"""The evidence for questions: the calls and headers of a log, and lookups of a few calls among millions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import or_
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from oracle.histories.event_log import COLUMNS, Event, Header
from oracle.mqi.constants import MQCC, MQRC
from oracle.mqi.unknown_effect import UNKNOWN_EFFECT
from spark_checks.frames import Column, Engine, Frame, Row
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import holds
from spark_checks.preparation.facts import LogFacts, log_facts
from spark_checks.readers.detect import Format
from spark_checks.readers.inputs import Inputs

if TYPE_CHECKING:
    from spark_checks.readers.load import ReadLog

Conn = tuple[str, str]
"""A connection: its queue manager and its name."""

Span = tuple[int, int]
"""A stretch of the calls of a connection, by the first and the last `seq`."""

KEYS: Final = ("msg_id", "correl_id", "group_id", "sel_msg_id", "sel_correl_id", "digest")
"""The columns by which messages are looked up."""

_NO_EVENT: Final = Event(qmgr="", conn="", seq=0, start_us=0, end_us=0, call="MQCONN")
"""A template for copies with the columns of a row, which were validated when the log was read."""

_SAMPLE: Final = 200
_MOST_APART: Final = 200
"""The number of connections that are queried one by one; for more, all calls between the bounds are read."""


def event_of(row: Row | Mapping[str, Any]) -> Event:
    """Return the call of a row."""
    return _NO_EVENT.model_copy(update={name: row[name] for name in COLUMNS})


def in_order(event: Event) -> tuple[int, int, str, int]:
    """Return the key that sorts calls for display."""
    return event.start_us, event.end_us, event.conn, event.seq


@dataclass(frozen=True)
class Evidence:
    """The log that questions are asked about."""

    calls: Frame
    """All calls, with the columns of an event log."""
    by_queue: Frame
    """The same calls, arranged so that those of a queue are found quickly."""
    headers: tuple[Header, ...]
    """The headers."""
    formats: frozenset[Format]
    """The formats of the inputs."""
    records: int
    """The number of call records that were read."""
    unreadable: int
    """The number of records that could not be read."""
    keys: Frame | None = None
    """The calls that show a value in one of KEYS: `key`, `kind`, `qmgr`, `conn` and `seq`. None without an index."""
    moves: Frame | None = None
    """All puts and gets, as `moves_among` of spark_checks.questions.stock makes them. None without an index."""
    bounds: tuple[int, int] | None = None
    """The start of the first call and the end of the last, in microseconds since 1970-01-01 UTC.

    None if not known yet.
    """
    looked_up: dict[tuple[str, str, int], Event] = field(default_factory=dict)
    """The calls that were found so far, by queue manager, connection and `seq`."""

    @cached_property
    def facts(self) -> LogFacts:
        """The facts of the headers."""
        return log_facts(self.headers, self.unreadable)

    @property
    def engine(self) -> Engine:
        """The engine that looks things up."""
        return self.calls.engine

    @property
    def margin(self) -> int:
        """The difference, in microseconds, that two times must have for their order to be sure."""
        return 2 * self.facts.clock_us

    @cached_property
    def span(self) -> tuple[int, int]:
        """The start of the first call and the end of the last."""
        if self.bounds is not None:
            return self.bounds
        row = self.calls.agg(fn.min("start_us").alias("first"), fn.max("end_us").alias("last")).collect()[0]
        return row["first"], row["last"]

    @cached_property
    def connections(self) -> dict[Conn, Row]:
        """All connections: `first_us`, `last_us`, `first_seq`, `last_seq` and `calls` of each."""
        found = self.calls.group_by("qmgr", "conn").agg(
            fn.min("start_us").alias("first_us"),
            fn.max("end_us").alias("last_us"),
            fn.min("seq").alias("first_seq"),
            fn.max("seq").alias("last_seq"),
            fn.count("*").alias("calls"),
        )
        return {(row["qmgr"], row["conn"]): row for row in found.collect()}

    @cached_property
    def queues(self) -> list[tuple[str, str]]:
        """The queues that calls name."""
        named = self.calls.where(fn.col("queue").is_not_null()).select("qmgr", "queue").distinct()
        return sorted((row["qmgr"], row["queue"]) for row in named.collect())

    def showing(self, values: Mapping[str, Iterable[str]], *, ending: str | None = None) -> list[Event]:
        """Return the calls that show one of the values in its column, which is one of KEYS.

        With `ending` also those whose MsgId or CorrelId ends so.
        """
        wanted = {kind: sorted(set(found)) for kind, found in values.items() if found}
        if not wanted and ending is None:
            return []
        if self.keys is not None and ending is None:
            return self._by_keys(wanted)
        conditions = [fn.col(kind).is_in(*found) for kind, found in wanted.items()]
        if ending is not None:
            start = 49 - len(ending)
            conditions += [fn.substring(name, start, len(ending)) == ending for name in ("msg_id", "correl_id")]
        return self.where(reduce(or_, map(holds, conditions)))

    def _by_keys(self, wanted: Mapping[str, Sequence[str]]) -> list[Event]:
        assert self.keys is not None  # asked before
        conditions = [(fn.col("kind") == kind) & fn.col("key").is_in(*found) for kind, found in wanted.items()]
        rows = self.keys.where(reduce(or_, conditions)).select("qmgr", "conn", "seq").distinct().collect()
        return self.named((row["qmgr"], row["conn"], row["seq"]) for row in rows)

    def named(self, names: Iterable[tuple[str, str, int]]) -> list[Event]:
        """Return the calls of these connections and places."""
        asked = set(names)
        wanted = asked - self.looked_up.keys()
        bounds: dict[Conn, tuple[int, int]] = {}
        for qmgr, conn, seq in wanted:
            low, high = bounds.get((qmgr, conn), (seq, seq))
            bounds[qmgr, conn] = min(low, seq), max(high, seq)
        if not wanted:
            return sorted((self.looked_up[name] for name in asked), key=in_order)
        between = self.within(list(bounds.items()))
        exact = fn.col("seq").is_in(*sorted({seq for _, _, seq in wanted})) if len(wanted) <= _MOST_APART else None
        rows = (between if exact is None else between.where(exact)).collect()
        found = [event_of(row) for row in rows if (row["qmgr"], row["conn"], row["seq"]) in wanted]
        self.looked_up.update({(event.qmgr, event.conn, event.seq): event for event in found})
        known = (self.looked_up[name] for name in asked & self.looked_up.keys())
        return sorted(known, key=in_order)

    def sample(self) -> list[Event]:
        """Return some puts and gets: columns that they lack, the whole log may lack."""
        moving = self.calls.where(fn.col("call").is_in("MQPUT", "MQPUT1", "MQGET", "CALLBACK"))
        return [event_of(row) for row in moving.select(*COLUMNS).limit(_SAMPLE).collect()]

    def where(self, condition: Column, *, of_queue: bool = False) -> list[Event]:
        """Return the calls for which a condition holds. `of_queue` says that the condition names queues."""
        rows = (self.by_queue if of_queue else self.calls).where(condition).select(*COLUMNS).collect()
        return sorted(map(event_of, rows), key=in_order)

    def within(self, spans: Collection[tuple[Conn, Span]]) -> Frame:
        """Return the calls of stretches of connections, each once."""
        if len(spans) > _MOST_APART:
            rows = [(qmgr, conn, first, last) for (qmgr, conn), (first, last) in spans]
            wanted = self.engine.frame(rows, "qmgr string, conn string, from_seq long, to_seq long")
            joined = self.calls.join(fn.broadcast(wanted), ["qmgr", "conn"])
            in_span = (fn.col("seq") >= fn.col("from_seq")) & (fn.col("seq") <= fn.col("to_seq"))
            return joined.where(in_span).select(*COLUMNS).distinct()
        conditions = [
            (fn.col("qmgr") == qmgr) & (fn.col("conn") == conn) & fn.col("seq").between(first, last)
            for (qmgr, conn), (first, last) in sorted(spans)
        ]
        return self.calls.where(reduce(or_, conditions)).select(*COLUMNS)


def ends_something() -> Column:
    """Return whether a call ends a unit of work, or may have."""
    unknown = (fn.col("comp_code") == MQCC.FAILED) & (
        fn.col("reason").is_null() | fn.col("reason").is_in(*UNKNOWN_EFFECT)
    )
    ends = fn.col("call").is_in("MQCMIT", "MQBACK", "MQDISC", "MQCONN")
    return ends | holds(fn.col("reason") == MQRC.BACKED_OUT) | holds(unknown)


def evidence_of(log: ReadLog) -> Evidence:
    """Return a log that was read as evidence for questions."""
    return Evidence(log.calls, log.calls, log.headers, log.formats, log.records, log.unreadable)


def read_evidence(engine: Engine, inputs: Inputs | Iterable[Path]) -> Evidence:
    """Read inputs as evidence for questions. Raises BadInputError as read_log does."""
    from spark_checks.readers.load import read_log  # heavy, and not needed with an index

    return evidence_of(read_log(engine, inputs))
