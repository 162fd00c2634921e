"""What the log as a whole tells of each queue: the ground on which a check may argue from absence.

That a message was never got in the log proves nothing while some call may be missing. These facts say for
which queues nothing is missing, and what else could have taken a message away.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as fn
from pyspark.sql.types import ArrayType, BooleanType, IntegerType, LongType, StringType, StructField, StructType

from oracle.constants import MQCC, MQCO, MQFMT
from spark_checks.preparation.columns import has, holds, unknown_or
from spark_checks.preparation.facts import LogFacts, QueueFacts
from spark_checks.preparation.messages import capped_priority
from spark_checks.preparation.moves import EMPTY, RETURNS, TAKE

QUEUE = ("qmgr", "queue")

_FACTS = StructType(
    [
        StructField("qmgr", StringType()),
        StructField("queue", StringType()),
        StructField("whole", BooleanType()),
        StructField("pinned", BooleanType()),
        StructField("sequence", StringType()),
        StructField("index_type", StringType()),
        StructField("cap_expiry", IntegerType()),
        StructField("transmission", BooleanType()),
        StructField("unmatched", BooleanType()),
        StructField("may_vanish", BooleanType()),
        StructField("asked", ArrayType(StringType())),
        StructField("taken_ranks", ArrayType(IntegerType())),
        StructField("log_lo", LongType()),
    ]
)
"""
`whole`: every put and get of the queue is in the log, with its queue and its message.
`pinned`: the queue is known to have been empty before its first move in the log.
`sequence`, `index_type`, `cap_expiry`: the definition; null where unknown.
`transmission`: messages may be on the queue under another MsgId, inside a transmission header.
`unmatched`: messages were got that no put in the log explains.
`may_vanish`: the queue may have been deleted within the log, and its messages with it.
`asked`: the kinds of selection of the calls that found no message.
`taken_ranks`: the priorities of the messages that were taken.
`log_lo`: the time of the log's first call.
"""


def _from_calls(calls: DataFrame) -> list[Row]:
    """Gather by queue what opens and closes tell; a null queue has those whose queue was not captured."""
    done = unknown_or(fn.col("comp_code") != MQCC.FAILED)
    deleted = (fn.col("call") == "MQCLOSE") & fn.coalesce(
        has("options", MQCO.DELETE | MQCO.DELETE_PURGE), fn.col("queue").isNotNull()
    )
    renamed = (fn.col("call") == "MQOPEN") & (fn.col("object_name") != fn.col("queue"))
    return (
        calls.groupBy(*QUEUE)
        .agg(fn.max(holds(done & (deleted | renamed))).alias("may_vanish"), fn.min("start_us").alias("first_us"))
        .collect()
    )


def _from_moves(moves: DataFrame) -> list[Row]:
    """Gather by queue what its puts and gets tell; a null queue has those whose queue was not captured."""
    returned = fn.col("role").isin(*RETURNS)
    taken_rank = capped_priority(fn.coalesce("priority", "rank"))
    nameless = (fn.col("role") != EMPTY) & fn.col("msg_id").isNull()
    return (
        moves.groupBy(*QUEUE)
        .agg(
            fn.min("start_us").alias("first_us"),
            fn.max(nameless).alias("blind"),
            fn.max(returned & (fn.col("n_puts") == 0)).alias("unmatched"),
            fn.max(holds(fn.col("format") == MQFMT.XMIT_Q_HEADER)).alias("transmission"),
            fn.collect_set(fn.when(fn.col("role") == EMPTY, fn.col("selection"))).alias("asked"),
            fn.collect_set(fn.when(fn.col("role") == TAKE, taken_rank)).alias("taken_ranks"),
        )
        .collect()
    )


def queue_facts(calls: DataFrame, moves: DataFrame, facts: LogFacts) -> DataFrame:
    """Return one row per queue that was put to or got from, with the columns described above."""
    margin = 2 * facts.clock_us
    of_calls = {(row["qmgr"], row["queue"]): row for row in _from_calls(calls)}
    of_moves = {(row["qmgr"], row["queue"]): row for row in _from_moves(moves)}
    defined = {(known.qmgr, known.queue): known for known in facts.queues}
    first = min(row["first_us"] for row in of_calls.values())
    rows: list[tuple[Any, ...]] = []
    for (qmgr, queue), row in of_moves.items():
        if queue is None:
            continue
        known = defined.get((qmgr, queue), QueueFacts(qmgr, queue))
        own, shared = of_calls.get((qmgr, queue)), of_calls.get((qmgr, None))
        vanish = any(other is not None and other["may_vanish"] for other in (own, shared))
        rows.append(
            (
                qmgr,
                queue,
                facts.complete and not row["blind"] and (qmgr, None) not in of_moves,
                known.empty_at_us is not None and known.empty_at_us <= row["first_us"] + margin,
                known.sequence if known.sequence in {"PRIORITY", "FIFO"} else None,
                known.index_type,
                known.cap_expiry,
                row["transmission"] or known.usage == "TRANSMISSION",
                row["unmatched"],
                vanish and known.definition_type != "PREDEFINED",
                sorted(row["asked"]),
                sorted(row["taken_ranks"]),
                first,
            )
        )
    return calls.sparkSession.createDataFrame(rows, _FACTS)
