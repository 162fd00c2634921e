"""Limits of a queue's definition: no gets (WAI-06) or puts (PUT-09) while inhibited, no puts at MaxQDepth (DEP-06)."""

from __future__ import annotations

from collections.abc import Sequence

from oracle.mqi.constants import MQEI, MQPER
from spark_checks.checks.base import Check, Concern, absent
from spark_checks.frames import Column, Frame, Window
from spark_checks.frames import functions as fn
from spark_checks.preparation.absence import by_another_name, connected_since, uncapped_as_known
from spark_checks.preparation.columns import QUEUE, holds, text
from spark_checks.preparation.connections import completed, judged_now
from spark_checks.preparation.doubts import Doubt
from spark_checks.preparation.log import Log
from spark_checks.preparation.moves import PUT, RETURNS, may_remove
from spark_checks.preparation.uses import Use
from spark_checks.results.findings import Statement, this_call


def _inhibited() -> Sequence[Statement]:
    """Find messages got from or put to queues that were inhibited for that."""
    altered = Doubt(~fn.col("whole"), "the queue's definition was altered by a command")
    return [
        Statement(
            rule=rule,
            where=where,
            call=this_call(),
            msg_id=fn.col("msg_id"),
            calls=[this_call()],
            sentence=text(fn.col("call"), " by connection ", fn.col("conn"), what),
            doubts=[altered],
        )
        for rule, where, what in (
            (
                "WAI-06",
                fn.col("role").is_in(*RETURNS) & completed() & fn.col("get_inhibited"),
                " returned a message although gets are inhibited on the queue",
            ),
            (
                "PUT-09",
                (fn.col("role") == PUT) & fn.col("put_inhibited"),
                " put a message although puts are inhibited on the queue",
            ),
        )
    ]


def _counted(log: Log) -> Frame:
    """Return the puts to queues with a limit, each with `depth`: how many messages the queue surely held before it.

    It counts the messages whose puts had surely ended, except those that may have been got by then; each get counts as
    if its message had never come back. Messages that may expire, or for which that is unknown, do not count.
    """
    unlimited = (fn.col("expiry") == MQEI.UNLIMITED) & uncapped_as_known(fn.col("cap_expiry"))
    lasting = (fn.col("effect.kind") == "visible") & unlimited
    put, removed = fn.col("role") == PUT, may_remove()
    limited = log.moves.where(fn.col("limit").is_not_null() & fn.col("whole") & ~fn.col("reassembles"))

    def point(line: str, at: Column, step: int, rank: int) -> Column:
        return fn.struct(
            fn.lit(line).alias("line"), at.alias("at"), fn.lit(step).alias("step"), fn.lit(rank).alias("rank")
        )

    points = fn.array_compact(
        fn.array(
            fn.when(put & lasting, point("in", fn.col("hi") + log.margin, 1, 1)),
            fn.when(removed, point("out", fn.col("lo"), 1, 0)),
            fn.when(put, point("in", fn.col("lo"), 0, 0)),
            fn.when(put, point("out", fn.col("hi") + log.margin, 0, 1)),
        )
    )
    order = Window.partition_by(*QUEUE, "point.line").order_by("point.at", "point.rank")
    so_far = fn.sum("point.step").over(order.rows_between(Window.unbounded, Window.current_row))
    counted = (
        limited.select(*QUEUE, "row", fn.explode(points).alias("point"))
        .select("*", so_far.alias("count"))
        .where("point.step = 0")
        .group_by(*QUEUE, "row")
        .agg(fn.sum(fn.when(fn.col("point.line") == "in", fn.col("count")).otherwise(-fn.col("count"))).alias("depth"))
    )
    first = Window.partition_by(*QUEUE)
    puts = limited.select(
        "*",
        fn.min("lo").over(first).alias("first_lo"),
        fn.min(fn.coalesce(fn.col("persistence") == MQPER.PERSISTENT, fn.lit(False))).over(first).alias("persistent"),
        fn.max(put & by_another_name(fn.col("object_name"), fn.col("queue"))).over(first).alias("by_alias"),
    ).where(put)
    return puts.join(counted.where("depth is not null"), [*QUEUE, "row"])


def _too_deep(log: Log) -> Statement:
    """Find puts that succeeded although the queue surely held as many messages as it may (DEP-06)."""
    return Statement(
        rule="DEP-06",
        where=judged_now() & (fn.col("depth") >= fn.col("limit")),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[this_call()],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), " put a message on the queue although it held at least ",
            fn.col("depth"), " messages and its MaxQDepth is ", fn.col("limit"),
        ),
        doubts=[
            Doubt(fn.col("may_vanish"), "the queue was deleted in between"),
            Doubt(fn.col("cap_expiry") != 0, "CAPEXPRY of the queue made messages expire"),
            Doubt(fn.col("by_alias"), "CAPEXPRY of an alias queue made messages expire"),
            Doubt(
                ~fn.col("persistent") & ~holds(connected_since(log, fn.col("since")) < fn.col("first_lo")),
                "the queue manager was restarted in between and dropped nonpersistent messages",
            ),
        ],
        once=fn.lit("too deep"),
    )  # fmt: skip  # a sentence


def _concerns(log: Log) -> Sequence[Concern]:
    del log
    returned, put = fn.col("role").is_in(*RETURNS), fn.col("role") == PUT
    complete = {"complete": ~fn.col("whole")}
    return [
        Concern("WAI-06", returned, absent("queue", "comp_code") | {"InhibitGet": fn.col("get_inhibited").is_null()}),
        Concern("PUT-09", put, absent("queue") | {"InhibitPut": fn.col("put_inhibited").is_null()}),
        Concern("DEP-06", put & fn.col("limit").is_not_null(), absent("queue", "expiry", "options") | complete),
    ]


def _of_frames(log: Log) -> Sequence[tuple[Frame, Sequence[Statement]]]:
    return [(_counted(log), [_too_deep(log)])] if Use.LIMITS in log.uses else []


LIMITS = Check("limits", _concerns, lambda _: _inhibited(), of_frames=_of_frames)
