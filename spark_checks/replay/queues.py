"""Following all queues of a log that can be followed, as one Spark plan: cut into pieces, then piece by piece."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)
from pyspark.storagelevel import StorageLevel

from oracle.constants import MQCC
from oracle.definitions import QueueDefinition
from oracle.errors import BadInputError
from oracle.event_log import COLUMNS, Event, Header, LogHeader, QueueHeader
from oracle.replay.log import definition_of
from spark_checks.preparation.columns import holds, text, unknown_or
from spark_checks.preparation.connections import REF_FIELDS
from spark_checks.preparation.log import Log
from spark_checks.preparation.queues import QUEUE
from spark_checks.replay.certain import Placed
from spark_checks.replay.first_calls import first_calls
from spark_checks.replay.piece import OF_CONNECTIONS, Circumstances, Finding, Told, follow_piece
from spark_checks.replay.pieces import BEFORE, CUT, LEFT_OUT, PIECE, Cutter
from spark_checks.replay.replayed import Replayed

if TYPE_CHECKING:
    import pyarrow as pa

Queue = tuple[str, str]

_ON_QUEUES: Final = ("MQOPEN", "MQCLOSE", "MQPUT", "MQPUT1", "MQGET", "MQINQ", "MQSET", "CALLBACK")
_BOUNDS: Final = ("lo", "hi", "since", "until_lo")

_CUT_FIELDS: Final = (
    StructField(PIECE, IntegerType()),
    StructField(CUT, BooleanType()),
    StructField(BEFORE, BooleanType()),
    StructField(LEFT_OUT, LongType()),
)

_REF: Final = StructType(
    [
        StructField("conn", StringType()),
        StructField("seq", LongType()),
        StructField("call", StringType()),
    ]
)

_TOLD: Final = StructType(
    [
        StructField("kind", StringType()),
        StructField("what", StringType()),
        StructField("number", LongType()),
        StructField("qmgr", StringType()),
        StructField("queue", StringType()),
        StructField("rules", ArrayType(StringType())),
        StructField("conn", StringType()),
        StructField("seq", LongType()),
        StructField("lo", LongType()),
        StructField("msg_id", StringType()),
        StructField("calls", ArrayType(_REF)),
        StructField("sentence", StringType()),
        StructField("doubt", StringType()),
    ]
)
"""What following tells: findings, and counts of calls that were followed, of those that were not, and of rules."""

FINDING, FOLLOWED, NOT_FOLLOWED, RULE = "finding", "followed", "not followed", "rule"

TOO_MANY: Final = "more calls on one queue than are followed"


@dataclass(frozen=True)
class Replay:
    """What following the log's queues has told.

    `candidates` has the columns of findings' candidates and `rules`, all that the oracle blames; there are none if no
    queue could be followed.
    """

    candidates: DataFrame | None = None
    replayed: Replayed = Replayed()


def replay(log: Log, headers: Iterable[Header], limit: int) -> Replay:
    """Follow every queue of the log that was empty at its beginning; `limit` is how many of its calls are followed."""
    judged, unknown = _judged(log, tuple(headers))
    if not judged:
        return Replay(replayed=Replayed(unknown_queues=unknown))
    platform = log.facts.platform
    chosen = first_calls(_calls_of(log.calls, judged), limit)
    rows = chosen.calls
    schema = StructType([*rows.schema.fields, *_CUT_FIELDS])
    cut = (
        rows.repartition(*QUEUE)
        .sortWithinPartitions(*QUEUE, "lo", "conn", "seq")
        .mapInArrow(Cutter(platform, log.margin, limit).cut, schema)
    )
    told = (
        cut.repartition(*QUEUE, PIECE)
        .sortWithinPartitions(*QUEUE, PIECE, fn.desc(BEFORE), "lo", "conn", "seq")
        .mapInArrow(partial(follow_pieces, judged), _TOLD)
        .persist(StorageLevel.MEMORY_AND_DISK)
    )
    return _replay_of(told, unknown, chosen.left_out)


def _replay_of(told: DataFrame, unknown: Mapping[str, int], left_out: int) -> Replay:
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in (FOLLOWED, NOT_FOLLOWED, RULE)}
    for row in told.where(fn.col("kind") != FINDING).groupBy("kind", "what").agg(fn.sum("number").alias("n")).collect():
        counts[row["kind"]][row["what"] or ""] += row["n"]
    if left_out:
        counts[NOT_FOLLOWED][TOO_MANY] += left_out
    found = told.where(fn.col("kind") == FINDING).select(
        *QUEUE, fn.col("rules")[0].alias("rule"), "msg_id", "conn", "seq", "lo", "calls", "sentence", "doubt",
        text(fn.col("rules")[0], "|", fn.col("conn"), "|", fn.col("seq")).alias("once"), fn.lit(9).alias("rank"),
        "rules",
    )  # fmt: skip
    replayed = Replayed(counts[FOLLOWED].total(), dict(counts[NOT_FOLLOWED]), unknown, dict(counts[RULE]))
    return Replay(found, replayed)


_UNKNOWN: Final = (
    ("whole", "calls on it may be missing from the log"),
    ("pinned", "no header says that it was empty when the log began"),
)


def _judged(log: Log, headers: Sequence[Header]) -> tuple[dict[Queue, Circumstances], Counter[str]]:
    """Return by queue what the queues that can be followed are judged by, and count the others by what is missing."""
    unknown: Counter[str] = Counter()
    definitions = _definitions(headers)
    if not log.facts.complete or not definitions:
        return {}, unknown
    of_managers = _of_managers(log.calls)
    header = LogHeader(clock_us=log.facts.clock_us, complete=True, platform=log.facts.platform)
    judged: dict[Queue, Circumstances] = {}
    for row in log.queues.collect():
        blind, reports = of_managers[row["qmgr"]]
        queue = row["qmgr"], row["queue"]
        definition = definitions.get(queue, "the log has no header for it")
        if isinstance(definition, QueueDefinition):
            definition = next((why for fact, why in _UNKNOWN if not row[fact]), definition)
        if isinstance(definition, QueueDefinition) and (blind or row["may_vanish"]):
            definition = "the log does not name the queue of every call" if blind else "it may have been deleted"
        if isinstance(definition, QueueDefinition):
            judged[queue] = Circumstances(header, definition, reports)
        else:
            unknown[definition] += 1
    return judged, unknown


def _definitions(headers: Sequence[Header]) -> dict[Queue, QueueDefinition | str]:
    found: dict[Queue, QueueDefinition | str] = {}
    said: dict[Queue, QueueHeader] = {}
    for header in headers:
        if not isinstance(header, QueueHeader):
            continue
        queue = header.qmgr, header.queue
        if said.setdefault(queue, header).attributes != header.attributes:
            found[queue] = "its headers contradict each other"
            continue
        try:
            found[queue] = definition_of(header)
        except BadInputError as error:
            found[queue] = str(error)
    return found


def _of_managers(calls: DataFrame) -> dict[str, tuple[bool, bool]]:
    """Return for each queue manager whether a call may have changed an unnamed queue, and whether reports are due."""
    named = ("MQOPEN", "MQCLOSE", "MQPUT", "MQPUT1", "MQGET", "MQSET", "CALLBACK")
    unnamed = fn.col("call").isin(*named) & fn.col("queue").isNull() & unknown_or(fn.col("comp_code") != MQCC.FAILED)
    reports = fn.col("call").isin("MQPUT", "MQPUT1") & unknown_or(fn.col("report") != 0)
    rows = calls.groupBy("qmgr").agg(fn.max(unnamed).alias("unnamed"), fn.max(reports).alias("reports")).collect()
    return {row["qmgr"]: (row["unnamed"], row["reports"]) for row in rows}


def _calls_of(calls: DataFrame, judged: Mapping[Queue, Circumstances]) -> DataFrame:
    """Return the calls on the queues, and for each queue those of its connections that touch all their queues."""
    wanted = calls.sparkSession.createDataFrame(list(judged), ", ".join(f"{name} string" for name in QUEUE))
    columns = (*COLUMNS, *_BOUNDS)
    on_queues = calls.where(fn.col("call").isin(*_ON_QUEUES)).join(fn.broadcast(wanted), [*QUEUE], "left_semi")
    users = on_queues.select("qmgr", "conn", "queue").distinct()
    of_connections = calls.where(fn.col("call").isin(*OF_CONNECTIONS)).drop("queue").join(users, ["qmgr", "conn"])
    return on_queues.select(*columns).unionByName(of_connections.select(*columns))


def follow_pieces(judged: Mapping[Queue, Circumstances], batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield what following the pieces of queues tells; the calls of a piece come one after the other."""
    rows = (row for batch in batches for row in batch.to_pylist())
    for (qmgr, queue, piece), of_piece in groupby(rows, itemgetter(*QUEUE, PIECE)):
        members = list(of_piece)
        if piece < 0:
            told = Told(not_followed=Counter({TOO_MANY: sum(row[LEFT_OUT] for row in members)}))
        else:
            placed = [(row[BEFORE], _placed(row)) for row in members]
            before = [call for earlier, call in placed if earlier]
            told = follow_piece(before, [call for earlier, call in placed if not earlier], judged[qmgr, queue])
        yield _batch(list(_rows(qmgr, queue, told)))


def _placed(row: Mapping[str, Any]) -> Placed:
    event = Event.model_construct(**{name: row[name] for name in COLUMNS})
    return Placed(event, row["lo"], row["hi"], row["since"], row["until_lo"], row[CUT])


def _rows(qmgr: str, queue: str, told: Told) -> Iterator[dict[str, Any]]:
    yield {"kind": FOLLOWED, "number": told.followed}
    yield from ({"kind": NOT_FOLLOWED, "what": why, "number": number} for why, number in told.not_followed.items())
    yield from ({"kind": RULE, "what": rule, "number": number} for rule, number in told.rules.items())
    yield from ({**_finding_row(finding), "qmgr": qmgr, "queue": queue} for finding in told.findings)


def _finding_row(finding: Finding) -> dict[str, Any]:
    event = finding.call.event
    return {
        "kind": FINDING,
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
    import pyarrow as pa  # noqa: PLC0415 - on the executor
    from pyspark.sql.pandas.types import to_arrow_schema  # noqa: PLC0415

    return pa.RecordBatch.from_pylist(rows, schema=to_arrow_schema(_TOLD))


def not_said_yet(found: DataFrame, candidates: DataFrame) -> DataFrame:
    """Return the candidates of the replay without those of which another check blames the same call for the same."""
    named = found.select(*QUEUE, "rule", fn.explode("calls").alias("one"))
    said = named.groupBy(*QUEUE, fn.col("one.conn").alias("conn"), fn.col("one.seq").alias("seq")).agg(
        fn.collect_set("rule").alias("said")
    )
    compared = candidates.join(said, [*QUEUE, "conn", "seq"], "left")
    return compared.where(~holds(fn.arrays_overlap("said", "rules"))).drop("said", "rules")
