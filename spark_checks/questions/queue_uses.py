"""The use that each connection makes of each queue: how many messages it puts, gets, backs out and browses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from oracle.model.requests.option_matrix import BROWSE
from oracle.mqi.constants import MQGMO, MQRC
from oracle.mqi.without_outputs import WITHOUT_OUTPUTS
from spark_checks.frames import Column, Frame
from spark_checks.frames import functions as fn
from spark_checks.preparation.capture import GETS, PUTS
from spark_checks.preparation.columns import has, holds
from spark_checks.preparation.connections import completed
from spark_checks.questions.evidence import Evidence
from spark_checks.questions.holdings import Use
from spark_checks.questions.stock import moves_among

_MANY: Final = 1_000_000
"""In a log with more calls, backouts are counted only for one queue, or with an index."""


def queue_uses(evidence: Evidence, moves: Frame, moment_us: int, queue: str | None) -> Iterator[Use]:
    """Yield the use that each connection had made of each queue by a time. With `queue`, `moves` are those of it."""
    browses = holds(has("options", BROWSE))
    gets = fn.col("call").is_in(*GETS)

    def number(where: Column) -> Column:
        return fn.count(fn.when(where, 1))

    stays = holds(fn.col("reason").is_in(MQRC.TRUNCATED_MSG_FAILED, *WITHOUT_OUTPUTS))
    stays |= holds(has("options", MQGMO.UNLOCK))
    returned = gets & completed() & ~stays
    rows = (
        moves.where(fn.col("call").is_in(*PUTS, *GETS))
        .group_by("qmgr", "queue", "conn")
        .agg(
            number(fn.col("call").is_in(*PUTS) & completed()).alias("puts"),
            number(returned & ~browses).alias("gets"),
            number(returned & browses).alias("browses"),
            number(holds(fn.col("reason") == MQRC.NO_MSG_AVAILABLE)).alias("empty"),
            fn.min("start_us").alias("first_us"),
            fn.max("end_us").alias("last_us"),
        )
    )
    ordered = sorted(rows.collect(), key=lambda row: (str(row["queue"]), -row["gets"], -row["puts"], row["conn"]))
    undone = _backed_out(evidence, moves, moment_us, queue)
    for row in ordered:
        came_back = None if undone is None else undone.get((row["qmgr"], row["queue"], row["conn"]), 0)
        yield Use(**row.as_dict(), backed_out=came_back)


def _backed_out(
    evidence: Evidence, moves: Frame, moment_us: int, queue: str | None
) -> dict[tuple[str, str | None, str], int] | None:
    """Return the number of gets that were backed out, by queue and connection; None if that would take too long."""
    if evidence.moves is None and queue is None and evidence.records > _MANY:
        return None
    prepared = moves_among(evidence, moves) if evidence.moves is None else evidence.moves
    mine = prepared if queue is None else prepared.where(fn.col("queue") == queue)
    end = fn.col("end")
    ended = holds((end["how"] == "released") & (end["start_us"] <= moment_us)) & (fn.col("start_us") <= moment_us)
    zos = fn.lit(evidence.facts.platform == "zos")
    skips = zos & holds(has("options", MQGMO.MARK_SKIP_BACKOUT))  # that goes into the next unit of work (MSB-04)
    undone = mine.where(fn.col("took") & holds(fn.col("in_unit")) & ended & ~skips)
    rows = undone.group_by("qmgr", "queue", "conn").count().collect()
    return {(row["qmgr"], row["queue"], row["conn"]): row["count"] for row in rows}
