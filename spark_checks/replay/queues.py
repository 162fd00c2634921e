"""The replay of all queues that can be followed, as frames: cut into pieces, then piece by piece."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from oracle.histories.event_log import COLUMNS, Event, Header
from spark_checks.frames import Frame, Row
from spark_checks.frames import functions as fn
from spark_checks.frames.batch_rows import rows_of
from spark_checks.frames.described import Columns, Long, String, schema_of
from spark_checks.frames.types import arrow_schema
from spark_checks.preparation.columns import QUEUE, holds, text
from spark_checks.preparation.connections import IN_OPEN_UNIT, REF_FIELDS, has_unknown_effect, is_own, with_open_units
from spark_checks.preparation.facts import Stretch
from spark_checks.preparation.log import Log
from spark_checks.preparation.schemas.calls import NamedCall
from spark_checks.replay.certain import Placed
from spark_checks.replay.circumstances import Circumstances
from spark_checks.replay.departures import Finding
from spark_checks.replay.first_calls import FirstCalls, first_calls
from spark_checks.replay.followable import Followable, followable
from spark_checks.replay.moments import AFTER_CONN, AFTER_SEQ, BY_MOMENT, IN_VAIN, after_of, at_their_moments
from spark_checks.replay.piece import OF_CONNECTIONS, PieceResult, follow_piece
from spark_checks.replay.pieces import BEFORE, CUT, EARLIER, JUDGED, LEFT_OUT, OPENING, PIECE, RESTED, Cutter
from spark_checks.replay.replayed import Replayed
from spark_checks.replay.rests import Queue, Rests
from spark_checks.results.findings import REPLAY_RANK

if TYPE_CHECKING:
    import pyarrow as pa

_ON_QUEUES: Final = ("MQOPEN", "MQCLOSE", "MQPUT", "MQPUT1", "MQGET", "MQINQ", "MQSET", "CALLBACK")
_columns_of: Final = itemgetter(*COLUMNS)
_NO_EVENT: Final = Event(qmgr="", conn="", seq=0, start_us=0, end_us=0, call="MQCONN")
"""A template for copies with the columns of a row, which were validated when the log was read."""
_BOUNDS: Final = ("lo", "hi", "since", "until_lo")

_CUT_FIELDS: Final = {PIECE: "int", CUT: "boolean", BEFORE: "boolean", LEFT_OUT: "long", RESTED: "long"}

FINDING, FOLLOWED, NOT_FOLLOWED, RULE, RESTED_SINCE = "finding", "followed", "not followed", "rule", "rested since"


class Following(Columns):
    """The results of following the pieces of queues. Columns after `queue` are those of a FINDING."""

    kind: String
    """FINDING, FOLLOWED, NOT_FOLLOWED, RULE or RESTED_SINCE."""
    what: String
    """The reason why calls were not followed, or the rule that calls bore on."""
    number: Long
    """The number of calls; for RESTED_SINCE, the time since which the queue rests, in microseconds since 1970."""
    qmgr: String
    """The queue manager."""
    queue: String
    """The queue."""
    rule: String
    """The rule under which the finding is reported."""
    rules: list[String]
    """All rules that may have been broken."""
    conn: String
    """The connection that made the wrong call."""
    seq: Long
    """The number of that call in the order of the connection's calls."""
    lo: Long
    """The earliest time at which that call can have taken effect."""
    msg_id: String
    """The MsgId of the message that it is about."""
    calls: list[NamedCall]
    """The calls that prove it, in their order."""
    sentence: String
    """The explanation."""
    doubt: String
    """What else may explain it. Null if nothing can."""


_RESULTS: Final = schema_of(Following)

TOO_MANY: Final = "more calls on one queue than are followed"

_THE_BEGINNING: Final = Rests()


@dataclass(frozen=True)
class Replay:
    """The results of following the log's queues."""

    candidates: Frame | None = None
    """The violations that the oracle found.

    None if no queue could be followed. The columns are those of `candidates` in spark_checks.results.findings, and
    `rules`: all rules that the oracle names.
    """
    replayed: Replayed = Replayed()
    """The extent of the replay, in numbers."""
    rests: Rests | None = None
    """The state for a later day. None if the replay cannot continue, or no day follows."""


def replay(log: Log, headers: Iterable[Header], limit: int, earlier: Rests | None = _THE_BEGINNING) -> Replay:
    """Follow every queue of the log that was empty when the log began, up to `limit` calls of each.

    In daily audits (see LogFacts.stretch) it continues from the state `earlier`, and reports what is to be reported
    now.
    """
    stretch = log.facts.stretch
    known = followable(log, tuple(headers), earlier)
    if not known.queues:
        return Replay(replayed=Replayed(unknown_queues=known.unknown), rests=known.left)
    calls = _calls_of(log, known)
    chosen = FirstCalls(calls, 0) if stretch.goes_on else first_calls(calls, limit)
    rows = chosen.calls
    schema = {**rows.schema, **_CUT_FIELDS}
    cutter = Cutter(log.facts.platform, log.margin, limit, stretch)
    cut = rows.map_batches(cutter.cut, schema, by=QUEUE, order=(fn.desc(EARLIER), *BY_MOMENT))
    follow = partial(follow_pieces, known.queues)
    results = cut.map_batches(follow, _RESULTS, by=(*QUEUE, PIECE), order=(fn.desc(BEFORE), *BY_MOMENT)).kept()
    counted = results.where(fn.col("kind") != FINDING).group_by("kind", "what", *QUEUE).agg(fn.sum("number").alias("n"))
    numbers = counted.collect()
    rests = _rests(numbers, known, stretch) if stretch.goes_on else None
    return Replay(_found(results), _replayed(numbers, known.unknown, chosen.left_out), rests)


def _found(results: Frame) -> Frame:
    itself = text("replay|", fn.col("rule"), "|", fn.col("conn"), "|", fn.col("seq"))
    return results.where(fn.col("kind") == FINDING).select(
        *QUEUE, "rule", "msg_id", "conn", "seq", "lo", "calls", "sentence", "doubt",
        itself.alias("once"), fn.lit(REPLAY_RANK).alias("rank"), "rules",
    )  # fmt: skip  # columns


def _replayed(numbers: Sequence[Row], unknown: Mapping[str, int], left_out: int) -> Replayed:
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in (FOLLOWED, NOT_FOLLOWED, RULE)}
    for row in numbers:
        if row["kind"] in counts:
            counts[row["kind"]][row["what"] or ""] += row["n"]
    counts[NOT_FOLLOWED][TOO_MANY] += left_out
    return Replayed(counts[FOLLOWED].total(), dict(+counts[NOT_FOLLOWED]), unknown, dict(counts[RULE]))


def _rests(numbers: Sequence[Row], known: Followable, stretch: Stretch) -> Rests | None:
    without_calls = dict.fromkeys(known.queues, stretch.until_us)
    rested = {(row["qmgr"], row["queue"]): row["n"] for row in numbers if row["kind"] == RESTED_SINCE}
    return None if known.left is None else known.left.after(without_calls | rested)


def _calls_of(log: Log, known: Followable) -> Frame:
    """Return the calls on the queues, and for each queue those of its connections that touch all their queues.

    A call of unknown outcome on another queue is represented by an MQBACK of unknown outcome, because the state of the
    connection is then open. Remembered calls from before the time from which a queue is followed are included only if
    they opened or closed something.
    """
    calls, stretch = with_open_units(log.calls, log.facts.platform), log.facts.stretch
    wanted = calls.engine.frame(
        [(*queue, since_us) for queue, since_us in known.since_us.items()], "qmgr string, queue string, from_us long"
    )
    of_queues = calls.where(fn.col("call").is_in(*_ON_QUEUES)).join(fn.broadcast(wanted), [*QUEUE])
    on_queues = at_their_moments(of_queues, log.moves)
    users = on_queues.select("qmgr", "conn", "queue", "from_us").distinct()
    of_all = fn.col("call").is_in(*OF_CONNECTIONS)
    touching = calls.where(of_all | has_unknown_effect()).renamed("queue", "on_queue")
    of_connections = (
        touching.join(users, ["qmgr", "conn"])
        .where(of_all | ~fn.col("on_queue").same_as(fn.col("queue")))
        .with_columns(
            {
                "call": fn.when(of_all, fn.col("call")).otherwise("MQBACK"),
                AFTER_CONN: fn.lit(None).cast("string"),
                AFTER_SEQ: fn.lit(None).cast("long"),
                IN_VAIN: fn.lit(False),
            }
        )
    )
    columns = [
        *(fn.col(name) for name in (*COLUMNS, *_BOUNDS, IN_OPEN_UNIT, AFTER_CONN, AFTER_SEQ, IN_VAIN)),
        (~is_own() & (fn.col("lo") < fn.col("from_us"))).alias(EARLIER),
        ((fn.col("hi") > stretch.told_us) & (fn.col("hi") <= stretch.until_us)).alias(JUDGED),
    ]
    both = on_queues.select(*columns).union_by_name(of_connections.select(*columns))
    return both.where(~fn.col(EARLIER) | fn.col("call").is_in(*OPENING) | has_unknown_effect())


def follow_pieces(judged: Mapping[Queue, Circumstances], batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the results of following the pieces of queues; the calls of a piece are consecutive."""
    rows = (row for batch in batches for row in rows_of(batch))
    for (qmgr, queue, piece), of_piece in groupby(rows, itemgetter(*QUEUE, PIECE)):
        members = list(of_piece)
        if piece < 0:
            yield _batch(list(_rows_of_rest(qmgr, queue, members)))
        else:
            placed = [(row[BEFORE], _placed(row)) for row in members]
            before = [call for earlier, call in placed if earlier]
            with _without_collecting():
                result = follow_piece(before, [call for earlier, call in placed if not earlier], judged[qmgr, queue])
            yield _batch(list(_rows(qmgr, queue, result)))


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Turn garbage collection of cycles off while a piece is followed: it finds none and takes a fifth of the time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _placed(row: Mapping[str, Any]) -> Placed:
    event = copy(_NO_EVENT)
    vars(event).update(zip(COLUMNS, _columns_of(row), strict=True))
    bounds = (row[name] for name in _BOUNDS)
    return Placed(*(event, *bounds, row[CUT], row[IN_OPEN_UNIT], row[JUDGED], after_of(row), row[IN_VAIN]))


def _rows_of_rest(qmgr: str, queue: str, members: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for row in members:
        yield {"kind": NOT_FOLLOWED, "what": TOO_MANY, "number": row[LEFT_OUT]}
        yield {"kind": RESTED_SINCE, "qmgr": qmgr, "queue": queue, "number": row[RESTED]}


def _rows(qmgr: str, queue: str, result: PieceResult) -> Iterator[dict[str, Any]]:
    yield {"kind": FOLLOWED, "number": result.followed}
    yield from ({"kind": NOT_FOLLOWED, "what": why, "number": number} for why, number in result.not_followed.items())
    yield from ({"kind": RULE, "what": rule, "number": number} for rule, number in result.rules.items())
    yield from ({**_finding_row(finding), "qmgr": qmgr, "queue": queue} for finding in result.findings)


def _finding_row(finding: Finding) -> dict[str, Any]:
    event = finding.call.event
    return {
        "kind": FINDING,
        "rule": finding.rule,
        "rules": list(finding.rules),
        "conn": event.conn,
        "seq": event.seq,
        "lo": finding.call.lo,
        "msg_id": finding.msg_id,
        "calls": [{name: getattr(call, name) for name in REF_FIELDS} for call in finding.calls],
        "sentence": finding.sentence,
        "doubt": finding.doubt,
    }


def _batch(rows: list[dict[str, Any]]) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.RecordBatch.from_pylist(rows, schema=arrow_schema(_RESULTS))


def not_said_yet(found: Frame, candidates: Frame) -> Frame:
    """Return the candidates of the replay without those that another check reports for the same call.

    The rule under which a candidate is reported need not be one that the oracle considers broken; if it is not, another
    check must be sure of it.
    """
    named = found.select(*QUEUE, "rule", "doubt", fn.explode("calls").alias("one"))
    said = named.group_by(*QUEUE, fn.col("one.conn").alias("conn"), fn.col("one.seq").alias("seq")).agg(
        fn.collect_set("rule").alias("said"),
        fn.collect_set(fn.when(fn.col("doubt").is_null(), fn.col("rule"))).alias("sure"),
    )
    compared = candidates.join(said, [*QUEUE, "conn", "seq"], "left")
    blamed = fn.arrays_overlap("said", "rules") | fn.array_contains("sure", fn.col("rule"))
    return compared.where(~holds(blamed)).drop("said", "sure", "rules")
