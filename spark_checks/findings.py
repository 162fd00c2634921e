"""Findings: what a check says of a few calls, and how sure it is.

A finding is a violation unless one of the check's doubts applies. A doubt is a way in which a conforming
queue manager could have produced the log after all; the finding is then a suspicion, and names the doubt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from oracle.verdicts import FindingKind
from spark_checks.preparation.columns import each_of, text, unknown_or
from spark_checks.preparation.connections import REF_FIELDS
from spark_checks.preparation.queues import QUEUE


@dataclass(frozen=True)
class Doubt:
    """When `applies`, the log has an innocent explanation: `unless` completes "... unless".

    A null condition counts as doubt: what is not known is not excluded.
    """

    applies: Column
    unless: str


@dataclass(frozen=True)
class Statement:
    """What is found of the rows of a frame for which `where` holds.

    `call` is the call that is wrong, `calls` those that prove it, in their order, of which null ones are left out;
    `sentence` is the explanation without its full stop. Of the findings of a queue with the same `once` only one is
    kept, that of the lowest `rank` and then of the earliest call; without `once` there is one for a rule and a call.
    """

    rule: str | Column
    where: Column
    call: Column
    msg_id: Column
    calls: Sequence[Column]
    sentence: Column
    doubts: Sequence[Doubt] = ()
    once: Column | None = None
    rank: int = 0


def ref(call: Column) -> Column:
    """Return a call as findings name it, from a struct that has at least those fields."""
    return fn.struct(*(call[name].alias(name) for name in REF_FIELDS))


def this_call() -> Column:
    """Return the call of a row of the log's moves as findings name it, with its earliest time."""
    return fn.struct(*REF_FIELDS, "lo")


def committed_by(put: Column) -> Column:
    """Return the call that committed a put, null if the put was visible by itself."""
    return fn.when(put["visible"]["seq"] != put["seq"], ref(put["visible"]))


def _doubt(doubts: Sequence[Doubt]) -> Column:
    unless: Column = fn.lit(None).cast("string")
    for doubt in reversed(doubts):
        unless = fn.when(unknown_or(doubt.applies), fn.lit(doubt.unless)).otherwise(unless)
    return unless


def _found(statement: Statement) -> tuple[Column, Column]:
    """Return whether a row is a finding, and the finding as the one element of an array."""
    rule = fn.lit(statement.rule) if isinstance(statement.rule, str) else statement.rule
    call = statement.call
    itself = fn.concat_ws("|", rule, call["conn"], call["seq"].cast("string"))
    proof = fn.array(*(ref(each) for each in statement.calls))
    found = fn.struct(
        rule.alias("rule"),
        statement.msg_id.alias("msg_id"),
        call["conn"].alias("conn"),
        call["seq"].alias("seq"),
        call["lo"].alias("lo"),
        fn.filter(proof, lambda each: each["call"].isNotNull()).alias("calls"),
        statement.sentence.alias("sentence"),
        _doubt(statement.doubts).alias("doubt"),
        (itself if statement.once is None else statement.once).alias("once"),
        fn.lit(statement.rank).alias("rank"),
    )
    return statement.where, fn.array(found)


def candidates(rows: DataFrame, statements: Sequence[Statement]) -> DataFrame:
    """Return what the statements find in the rows of a frame that has `qmgr` and `queue`, in one pass."""
    found = each_of(*(_found(statement) for statement in statements))
    return rows.select(*QUEUE, found.alias("found")).select(*QUEUE, "found.*")


def findings(found: DataFrame) -> DataFrame:
    """Make findings of candidates, leaving out those that say again what another one says.

    The columns are those of the report: `rule`, `verdict`, `qmgr`, `queue`, `msg_id`, `conn`, `calls` and
    `explanation`.
    """
    first = Window.partitionBy(*QUEUE, "once").orderBy("rank", "lo", "conn", "seq", "msg_id")
    sure = fn.col("doubt").isNull()
    ending = fn.when(sure, ".").otherwise(text(", unless ", fn.col("doubt"), "."))
    kept = found.withColumn("nth", fn.row_number().over(first)).where("nth = 1")
    return kept.select(
        "rule",
        fn.when(sure, FindingKind.VIOLATION.value).otherwise(FindingKind.SUSPICION.value).alias("verdict"),
        *QUEUE,
        "msg_id",
        "conn",
        "calls",
        fn.concat("sentence", ending).alias("explanation"),
    )
