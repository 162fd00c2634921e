"""Identifiers that the queue manager makes: a generated MsgId (IDS-03) or CorrelId (IDS-09) never occurs twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from oracle.constants import MQPMO
from spark_checks.checks.base import Check, Concern, absent
from spark_checks.findings import Statement, this_call
from spark_checks.preparation.columns import has, holds, text
from spark_checks.preparation.connections import REF_FIELDS
from spark_checks.preparation.log import Log
from spark_checks.preparation.moves import PUT
from spark_checks.preparation.queues import Use


@dataclass(frozen=True)
class Kind:
    """A kind of identifier: the rule about it, the option by which a put asks for one, its column and its name."""

    rule: str
    option: int
    column: str
    name: str


KINDS = (
    Kind("IDS-03", MQPMO.NEW_MSG_ID, "msg_id", "MsgId"),
    Kind("IDS-09", MQPMO.NEW_CORREL_ID, "correl_id", "CorrelId"),
)


def _generated(log: Log) -> DataFrame:
    """Return each identifier that a put had generated, with the put `before` it that got the same, if any."""
    made = [
        fn.when(
            holds((fn.col("role") == PUT) & has("options", kind.option)),
            fn.struct(fn.lit(number).alias("kind"), fn.col(kind.column).alias("id")),
        )
        for number, kind in enumerate(KINDS)
    ]
    rows = log.moves.withColumn("made", fn.explode(fn.array_compact(fn.array(*made)))).where("made.id is not null")
    same = Window.partitionBy("qmgr", "made.kind", "made.id").orderBy("lo", "conn", "seq")
    return rows.withColumn("before", fn.lag(fn.struct(*REF_FIELDS)).over(same))


def _of_kind(member: str) -> Column:
    return fn.element_at(fn.array(*(fn.lit(getattr(kind, member)) for kind in KINDS)), fn.col("made.kind") + 1)


def _repeated() -> Statement:
    """Find generated identifiers that were generated before: a violation by itself."""
    return Statement(
        rule=_of_kind("rule"),
        where=fn.col("before").isNotNull(),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[fn.col("before"), this_call()],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), " was given a ", _of_kind("name"),
            " that had been generated before, for another message",
        ),
    )  # fmt: skip


def _concerns(log: Log) -> Sequence[Concern]:
    del log
    return [
        Concern(kind.rule, (fn.col("role") == PUT) & has("options", kind.option), absent(kind.column)) for kind in KINDS
    ]


def _of_frames(log: Log) -> Sequence[tuple[DataFrame, Sequence[Statement]]]:
    return [(_generated(log), [_repeated()])] if Use.GENERATED in log.uses else []


IDENTIFIERS = Check("identifiers", _concerns, of_frames=_of_frames)
