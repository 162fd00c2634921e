"""Browsing in physical order: BROWSE_NEXT goes forward (BRW-13, BRW-20, BRW-21) and skips nothing (BRW-05).

The message that BROWSE_NEXT returns must stand behind the one under the cursor, which is the one that the handle
browsed last, and no message that was available throughout the call stands between the two, or behind the cursor if none
was returned. One message surely stands before another if its priority is higher, or if the priorities are equal and it
was visible before the other's put began. So it does not matter whether a message's place is that of its put or of its
commit.
"""

from __future__ import annotations

from collections.abc import Sequence

from oracle.model.requests.option_matrix import SCANS
from oracle.mqi.constants import MQCC, MQGMO, MQMO, MQMT, MQRC
from spark_checks.checks.base import Check, Concern, absent
from spark_checks.checks.delivery import likely
from spark_checks.checks.order import left_open
from spark_checks.frames import Column, Frame, Window
from spark_checks.frames import functions as fn
from spark_checks.preparation.absence import OF_QUEUE, absence_doubts, still_there
from spark_checks.preparation.columns import QUEUE, has, holds, text, unknown_or
from spark_checks.preparation.connections import REF_FIELDS, call_row, judged_now
from spark_checks.preparation.doubts import Doubt
from spark_checks.preparation.identity import elsewhere, from_before, put_in_log, stayed
from spark_checks.preparation.log import Log
from spark_checks.preparation.messages import own_rank
from spark_checks.preparation.moves import ANY, BY_CORREL_ID, EMPTY, GLANCE, RETURNS, SIGHT, wanted
from spark_checks.preparation.passes import asked_for, gap, put_of_gap, unseen
from spark_checks.preparation.uses import Use
from spark_checks.results.findings import Statement, this_call
from spark_checks.times import NEVER

_OTHER_ORDERS = MQGMO.LOGICAL_ORDER | MQGMO.COMPLETE_MSG | MQGMO.UNMARKED_BROWSE_MSG
_OF_CURSOR = (
    *REF_FIELDS, "options", "lives_left", "physical", "msg_id", "rank", "put", "put_us", "n_puts",
)  # fmt: skip  # names

_OF_PUT = (
    *REF_FIELDS, "lo", "hi", "until_lo", "expiry", "persistence", "msg_flags", "object_name", "options", "put_us",
    "in_unit",
)  # fmt: skip  # names


def _in_physical_order(log: Log) -> Column:
    """Return whether a browse surely moved the cursor to the message returned, in physical order."""
    token = unknown_or(has("match_options", MQMO.MATCH_MSG_TOKEN)) & fn.lit(log.facts.platform == "zos")
    moved = (fn.col("call") == "MQGET") & ((fn.col("comp_code") == MQCC.OK) | _truncated_for_good())
    plain = ~has("options", _OTHER_ORDERS) & fn.col("comp_code").is_not_null()
    return holds(moved & plain & ~token & (fn.col("msg_type") != MQMT.REPORT))


def _truncated_for_good() -> Column:
    return (fn.col("reason") == MQRC.TRUNCATED_MSG_ACCEPTED) | has("options", MQGMO.ACCEPT_TRUNCATED_MSG)


def _may_move_cursor() -> Column:
    """Return whether a call returned a message, or may have done, and may have left its handle's cursor there."""
    stayed = has("options", MQGMO.BROWSE_NEXT) & (fn.col("reason") == MQRC.TRUNCATED_MSG_FAILED)
    return fn.col("role").is_in(*RETURNS, GLANCE) & unknown_or(has("options", SCANS)) & ~holds(stayed)


def _browses(log: Log) -> Frame:
    """Return the browses of each handle, each with the one before it as `cursor`, and whether it is the `last`."""
    handle = Window.partition_by("qmgr", "conn", "hobj").order_by("seq")
    moving = log.moves.where(_may_move_cursor() & fn.col("hobj").is_not_null())
    rows = moving.with_columns({"physical": _in_physical_order(log), "rank": own_rank()})
    return rows.select(
        "*",
        fn.lag(fn.struct(*_OF_CURSOR)).over(handle).alias("cursor"),
        fn.lead("seq").over(handle).is_null().alias("last"),
    )


def _stands_before(margin: int) -> Column:
    """Return whether the message returned surely stands before the cursor's; both have the same rank."""
    cursor, put, later = fn.col("cursor"), fn.col("put"), fn.col("cursor.put")
    by_time = put["visible"]["hi"] + margin < later["lo"]
    ordered = (put["seq"] < later["seq"]) & (put["visible"]["seq"] <= later["visible"]["seq"])
    by_seq = (put["conn"] == later["conn"]) & ordered & (later["in_unit"] | ~put["in_unit"])
    return (cursor["n_puts"] == 1) & (fn.col("n_puts") == 1) & (holds(by_time) | holds(by_seq))


def _backwards(log: Log) -> Statement:
    """Find BROWSE_NEXTs that returned the message under the cursor again, or one that stands before it.

    A violation in a complete log if both messages can only be those put in the log.
    """
    cursor = fn.col("cursor")
    same_sweep = (cursor["lives_left"] == fn.col("lives_left")) & cursor["physical"] & fn.col("physical")
    again = (fn.col("msg_id") == cursor["msg_id"]) & (fn.col("n_puts") <= 1)
    by_priority, fifo = fn.col("sequence") == "PRIORITY", fn.col("sequence") == "FIFO"
    higher = holds(by_priority & (fn.col("rank") > cursor["rank"]))
    level = holds(fifo) | holds(fn.col("rank") == cursor["rank"])
    behind = level & _stands_before(log.margin)
    what = (
        fn.when(again, "the message that it had returned before")
        .when(higher, "a message of higher priority than the one that it had returned before")
        .otherwise("a message that stands on the queue before the one that it had returned before")
    )
    open_, perhaps_open = left_open(log, fn.col("index_type"))
    in_log = put_in_log(log.margin)
    return Statement(
        rule=fn.when(again, "BRW-05").when(higher, "BRW-21").when(fifo, "BRW-20").otherwise("BRW-13"),
        where=has("options", MQGMO.BROWSE_NEXT)
        & judged_now()
        & fn.col("queue").is_not_null()
        & holds(same_sweep)
        & (holds(again) | (~open_ & (higher | behind)))
        & likely(),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[fn.when(~again, cursor["put"]), fn.col("put"), cursor, this_call()],
        sentence=text("BROWSE_NEXT by connection ", fn.col("conn"), " went back: it returned ", what),
        doubts=[
            elsewhere(),
            from_before(in_log & (again | put_in_log(log.margin, _of_cursor))),
            Doubt(~again & perhaps_open.applies, perhaps_open.unless),
        ],
        once=fn.concat_ws(" ", fn.lit("back"), "conn", "hobj", fn.col("lives_left").cast("string")),
    )  # fmt: skip  # a sentence


def _behind_cursor(log: Log, rows: Frame) -> Frame:
    """Return the BROWSE_NEXTs without selection or by CorrelId, each with the gap of the next message.

    That is the first behind the cursor of those that suit the call. A message stands surely before the one returned if
    it was available before that was put. Of those before it, the one put last is the nearest; `nearest` has the first
    time of its put and the end of its gap, and the row itself. `level` is the rank at which it was looked for. A
    BROWSE_NEXT that found nothing stands here once for each level.
    """
    returned, empty = fn.col("role").is_in(*RETURNS), fn.col("role") == EMPTY
    handle = Window.partition_by("qmgr", "conn", "hobj").order_by("seq").rows_between(Window.unbounded, -1)
    moved = _may_move_cursor()
    physical = _in_physical_order(log) | (empty & ~has("options", _OTHER_ORDERS))
    plain = fn.col("selection").is_in(ANY, BY_CORREL_ID) & fn.col("physical") & fn.col("hobj").is_not_null()
    asks = holds(has("options", MQGMO.BROWSE_NEXT) & plain)
    browses = rows.with_columns({"physical": holds(physical), "rank": own_rank()}).where(moved | asks)
    itself = fn.struct(*_OF_CURSOR)
    with_cursor = browses.with_column("cursor", fn.last(fn.when(moved, itself), ignorenulls=True).over(handle))
    level = fn.when(fn.col("sequence") == "FIFO", fn.lit(0))
    behind = fn.when(fn.col("sequence") == "PRIORITY", fn.sequence(fn.lit(0), "cursor.rank"))
    levels = fn.when(empty & level.is_null(), fn.coalesce(behind, fn.array("cursor.rank")))
    at_call = fn.when(returned, fn.col("put_since")).when(empty, fn.col("lo"))
    asked = with_cursor.where(asks).with_columns({"at": at_call, "wanted": asked_for()})
    asked = asked.with_column("level", fn.explode(fn.coalesce(levels, fn.array(fn.coalesce(level, "rank")))))
    offers = rows.where(gap() & (fn.col("n_puts") <= 1)).select(
        *QUEUE,
        fn.coalesce(level, "rank").alias("level"),
        (fn.col("gap_from") + log.margin).alias("at"),
        _offer(log.margin).alias("offer"),
        fn.explode(_offered(correl_ids=_by_correl_id(log))).alias("wanted"),
    )
    placed = asked.union_by_name(offers, missing_as_null=True).where(fn.col("at").is_not_null())
    order = Window.partition_by(*QUEUE, "level", "wanted").order_by("at").range_between(Window.unbounded, -1)
    return placed.with_column("nearest", fn.max("offer").over(order)).where(fn.col("offer").is_null())


def _by_correl_id(log: Log) -> bool:
    """Return whether some call browsed on by CorrelId."""
    return Use.BROWSE_NEXT_BY_CORREL_ID in log.uses


def _offered(*, correl_ids: bool) -> Column:
    """Return the texts of calls that the message of a gap suits."""
    nothing = fn.lit(None).cast("string")
    correl_id = put_of_gap("correl_id") if correl_ids else nothing
    ways = [wanted(fn.lit(selection), nothing, correl_id) for selection in (ANY, BY_CORREL_ID)]
    return fn.array_compact(fn.array(*ways))


def _offer(margin: int) -> Column:
    """Return the columns of a gap that a pass needs: a message put later is nearer to what follows.

    The message surely `stayed` until it was seen, or what was seen may be another one.
    """
    ends = fn.when(unseen(), fn.lit(NEVER)).otherwise(fn.col("lo"))
    put = fn.struct(*(fn.col(f"put.{name}").alias(name) for name in _OF_PUT))
    return fn.struct(
        fn.col("put.lo").alias("put_lo"), ends.alias("ends"), "msg_id", put.alias("put"), unseen().alias("unseen"),
        fn.struct(*REF_FIELDS).alias("seen_by"), (unseen() | stayed(margin)).alias("stayed"),
    )  # fmt: skip  # columns


def _passes_over(log: Log) -> Column:
    """Return whether a BROWSE_NEXT passed over the nearest message behind the cursor, if that was there throughout."""
    cursor, other, empty = fn.col("cursor"), fn.col("nearest"), fn.col("role") == EMPTY
    same = (fn.col("sequence") == "FIFO") | (cursor["rank"] == fn.col("level"))
    lower = (fn.col("sequence") == "PRIORITY") & (fn.col("level") < cursor["rank"])
    same_sweep = (cursor["lives_left"] == fn.col("lives_left")) & cursor["physical"]
    later = (cursor["n_puts"] == 1) & (cursor["put"]["visible"]["hi"] + log.margin < other["put_lo"])
    through = other["ends"] > fn.col("hi") + log.margin
    other_one = empty | (fn.col("n_puts") == 1)
    return fn.col("whole") & holds(same_sweep & ((same & later) | lower) & through & other_one)


def _passed_over(log: Log) -> Statement:
    """Find BROWSE_NEXTs that passed over a message which was available throughout, or found none although one was.

    Only complete logs show this: in another one, an application outside the log may have held the message for a while.
    """
    cursor, other, empty = fn.col("cursor"), fn.col("nearest"), fn.col("role") == EMPTY
    itself = fn.struct("hi", "since", "selection", *OF_QUEUE)
    there = still_there(other["put"], itself, log.margin)
    open_, perhaps_open = left_open(log, fn.col("index_type"))
    known = put_in_log(log.margin, _of_cursor) & (empty | put_in_log(log.margin))
    absent = [
        Doubt(other["unseen"] & doubt.applies, doubt.unless) for doubt in absence_doubts(other["put"], itself, log)
    ]
    what = fn.when(empty, "found none").otherwise("returned another one")
    return Statement(
        rule="BRW-05",
        where=judged_now() & ~open_ & _passes_over(log) & (~other["unseen"] | holds(there)),
        call=this_call(),
        msg_id=other["msg_id"],
        calls=[other["put"], cursor, this_call(), fn.when(~other["unseen"], other["seen_by"])],
        sentence=text(
            "BROWSE_NEXT by connection ", fn.col("conn"), " skipped message ", other["msg_id"],
            ", which was available and behind the one that it had returned before, and ", what,
        ),
        doubts=[
            from_before(known & other["stayed"]),
            perhaps_open,
            *absent,
        ],
        once=fn.concat_ws(" ", fn.lit("over"), "conn", "hobj", fn.col("lives_left").cast("string")),
    )  # fmt: skip  # a sentence


def _of_cursor(name: str) -> Column:
    """Return a column of the message under the cursor, or the row's own for what both share: the queue and the log."""
    return fn.col("cursor")[name] if name in _OF_CURSOR else fn.col(name)


def _concerns(log: Log) -> Sequence[Concern]:
    del log
    browses = (fn.col("role") == SIGHT) & has("options", MQGMO.BROWSE_NEXT) & ~has("options", _OTHER_ORDERS)
    fifo = holds(fn.col("sequence") == "FIFO")
    needs = absent("queue", "hobj", "msg_id", "comp_code") | {
        "MQPUT": fn.col("n_puts") == 0,
        "complete": ~fn.col("whole"),
    }
    unordered = {"MsgDeliverySequence": fn.col("sequence").is_null()}
    return [
        Concern("BRW-05", browses, needs),
        Concern("BRW-13", browses & ~fifo, needs | absent("priority")),
        Concern("BRW-20", browses & (fifo | fn.col("sequence").is_null()), needs | unordered),
        Concern("BRW-21", browses & ~fifo, needs | absent("priority") | unordered),
    ]


def _browsed(log: Log) -> Frame | None:
    """Return the moves on the queues that were browsed on, and those on queues not captured; None if there are none.

    A browse whose queue was not captured moves the cursor of its handle too.
    """
    queues = [name for name, of_queue in log.gathered.moves.items() if of_queue[Use.BROWSE_NEXT.name]]
    if not queues:
        return None
    known = log.moves.engine.frame(queues, "qmgr string, queue string")
    return log.moves.join(fn.broadcast(known), [*QUEUE]).union_by_name(log.moves.where(fn.col("queue").is_null()))


def cursors(log: Log) -> Frame | None:
    """Return the browses of a log by `row`, each with the row of its `cursor` and its place, for a later day.

    `last` marks the one that left the handle's cursor where it is; `open` marks one that passed over a message which
    has not been seen again, so that a later day may show more.
    """
    rows = _browsed(log)
    if rows is None:
        return None
    named = ("qmgr", "conn", "row", call_row("cursor").alias("cursor"))
    open_ = _passes_over(log) & fn.col("nearest.unseen")
    moving = _browses(log).select(*named, "last", fn.lit(False).alias("open"))
    return moving.union_by_name(
        _behind_cursor(log, rows).select(*named, fn.lit(False).alias("last"), open_.alias("open"))
    )


def _of_frames(log: Log) -> Sequence[tuple[Frame, Sequence[Statement]]]:
    rows = _browsed(log)
    if rows is None:
        return []
    return [(_browses(log), [_backwards(log)]), (_behind_cursor(log, rows), [_passed_over(log)])]


BROWSE = Check("browse", _concerns, of_frames=_of_frames)
