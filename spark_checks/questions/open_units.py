"""The puts and gets in units of work that were open at a time."""

from __future__ import annotations

from oracle.model.requests.option_matrix import BROWSE
from oracle.mqi.constants import MQCC, MQGMO, MQRC
from oracle.mqi.without_outputs import WITHOUT_OUTPUTS
from spark_checks.frames import Frame, Window
from spark_checks.frames import functions as fn
from spark_checks.preparation.capture import GETS, PUTS
from spark_checks.preparation.columns import has, holds
from spark_checks.preparation.connections import completed, unit_by_options
from spark_checks.questions.evidence import Evidence, ends_something


def open_moves(evidence: Evidence, until: Frame) -> tuple[Frame, Frame]:
    """Return the puts and gets in open units of work, and the gets that skipped the backout of their message's put.

    Whether a get with MQGMO_MARK_SKIP_BACKOUT keeps a message that the same unit of work had put is open (AMB-102).
    """
    ends = _last_ends(until)
    others = holds(has("options", BROWSE | MQGMO.UNLOCK) | fn.col("reason").is_in(*WITHOUT_OUTPUTS))
    gets = fn.col("call").is_in(*GETS) & ~others
    moved = until.where((fn.col("call").is_in(*PUTS) | gets) & completed())
    in_unit = holds(unit_by_options(evidence.facts.platform, fn.col("call").is_in(*GETS)))
    short = fn.col("reason") == MQRC.TRUNCATED_MSG_FAILED
    open_ = moved.where(in_unit & ~holds(short)).join(fn.broadcast(ends), ["qmgr", "conn"], "left")
    skipped = holds(has("options", MQGMO.MARK_SKIP_BACKOUT) & fn.col("backed_out")) & ~fn.col("call").is_in(*PUTS)
    skipped &= fn.lit(evidence.facts.platform == "zos")
    skipped &= fn.col("before").is_null() | (fn.col("seq") > fn.col("before"))
    later = fn.col("ended").is_null() | (fn.col("seq") > fn.col("ended"))
    own = (
        open_.where(fn.col("call").is_in(*PUTS) & fn.col("msg_id").is_not_null())
        .select("qmgr", "conn", "queue", "msg_id", fn.col("seq").alias("put_seq"))
        .where("queue is not null")
    )
    keys = ["qmgr", "conn", "queue", "msg_id"]
    skips = open_.where(skipped & ~later).select(*keys, "seq", "before").join(own, keys)
    within = (fn.col("put_seq") < fn.col("seq")) & ~holds(fn.col("put_seq") <= fn.col("before"))
    undone = skips.where(within).select("qmgr", "conn", "seq").distinct().kept()
    return open_.where(later | skipped).join(undone, ["qmgr", "conn", "seq"], "left_anti"), undone


def _last_ends(until: Frame) -> Frame:
    """Return the last end of a unit of work by connection, as `ended`, with the one `before` it.

    `backed_out` says whether it was an MQBACK, which a message got with MQGMO_MARK_SKIP_BACKOUT skips (MSB-04).
    """
    order = Window.partition_by("qmgr", "conn").order_by("seq")
    backed_out = holds((fn.col("call") == "MQBACK") & (fn.col("comp_code") == MQCC.OK))
    ends = until.where(ends_something()).select("qmgr", "conn", "seq", backed_out.alias("backed_out"))
    last = fn.struct("seq", fn.lag("seq").over(order).alias("before"), "backed_out")
    latest = ends.with_column("end", last).group_by("qmgr", "conn").agg(fn.max("end").alias("end"))
    named = [fn.col("end")[name].alias(name) for name in ("before", "backed_out")]
    return latest.select("qmgr", "conn", fn.col("end")["seq"].alias("ended"), *named)
