"""Messages whose browse marks have surely ended, and that a browse for unmarked messages did not find.

The mark of a handle ends when the handle is closed (MRK-03), at MQDISC, or with MQGMO_UNMARK_BROWSE_HANDLE on it
(MRK-04); that of the cooperating set with MQGMO_UNMARK_BROWSE_CO_OP (MRK-11). MarkBrowseInterval may end it and need
not (MRK-12). A message all of whose marks have ended is like one that was never marked, so the findings are those of
spark_checks.checks.emptiness, which has the messages that no call can have marked. Marks end surely only by what a
complete log shows: unmarking and marking in one call (AMB-15), a get of the message (AMB-35) and calls for whole
logical messages, which may mark segments without naming them, end none here.
"""

from __future__ import annotations

from collections.abc import Sequence

from oracle.model.groups.put_groups import GROUP_FLAGS, SEGMENT_FLAGS
from oracle.mqi.constants import MQCC, MQGMO, MQMF, MQRC
from spark_checks.checks.base import Check
from spark_checks.checks.emptiness import LOST_UNMARKED, PRESENT_UNMARKED, false_emptiness, latest_moment, lost
from spark_checks.frames import Column, Frame, Window
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import QUEUE, has, holds, listed, unknown_or
from spark_checks.preparation.connections import completed
from spark_checks.preparation.locks import life
from spark_checks.preparation.log import Log
from spark_checks.preparation.messages import MESSAGE
from spark_checks.preparation.moves import EMPTY, PUT, RETURNS, UNMARKED, from_front
from spark_checks.preparation.passes import gap
from spark_checks.preparation.uses import Use
from spark_checks.results.findings import Statement
from spark_checks.times import NEVER

_HANDLE_MARKS = MQGMO.MARK_BROWSE_HANDLE
_SET_MARKS = MQGMO.MARK_BROWSE_CO_OP
_MARKS = _HANDLE_MARKS | _SET_MARKS
_IN_PIECES = int(GROUP_FLAGS | SEGMENT_FLAGS | MQMF.SEGMENTATION_ALLOWED)
_LIFE = ("qmgr", "conn", "hobj", "life")
_FOLLOWING = (1, Window.unbounded)


def _whole() -> Column:
    """Return whether a call returned its message and was not cut short."""
    return (fn.col("comp_code") == MQCC.OK) | (fn.col("reason") == MQRC.TRUNCATED_MSG_ACCEPTED)


def _ends(log: Log) -> tuple[Frame, Frame]:
    """Return the ends of handles and connections: by life the end of MQCLOSE, by connection the first MQDISC."""
    closes = log.calls.where((fn.col("call") == "MQCLOSE") & completed() & fn.col("hobj").is_not_null())
    of_handles = closes.with_column("life", life()).group_by(*_LIFE).agg(fn.min("hi").alias("closed_hi"))
    leaves = log.calls.where((fn.col("call") == "MQDISC") & completed())
    of_connections = leaves.group_by("qmgr", "conn").agg(fn.min(fn.struct("seq", "hi")).alias("left"))
    return of_handles, of_connections


def _unmarked_since(log: Log) -> Frame:
    """Return the rows of messages that were marked, each with the time since which no mark of earlier calls is left.

    On the row of a put the marks of all calls count. NEVER is for a mark that may last.
    """
    named = fn.col("queue").is_not_null() & fn.col("msg_id").is_not_null()
    rows = log.moves.where(named & (fn.col("role").is_in(*RETURNS) | (fn.col("role") == PUT)))
    returned = fn.col("role").is_in(*RETURNS)
    marked = returned & unknown_or(has("options", int(_MARKS)))
    of_handles, of_connections = _ends(log)
    placed = rows.with_column("life", fn.col("lives_left")).join(of_handles, [*_LIFE], "left")
    ended = placed.join(of_connections, ["qmgr", "conn"], "left")
    of_handle = Window.partition_by(*MESSAGE, "conn", "hobj", "lives_left").order_by("seq").rows_between(*_FOLLOWING)
    of_message = Window.partition_by(*MESSAGE)
    in_order = of_message.order_by("lo", "hi", "conn", "seq")
    alone = returned & _whole() & ~has("options", int(_MARKS))
    unmarks = holds(alone & has("options", int(MQGMO.UNMARK_BROWSE_HANDLE)) & fn.col("hobj").is_not_null())
    unmarks_set = holds(alone & has("options", int(MQGMO.UNMARK_BROWSE_CO_OP)))
    with_unmarks = ended.with_columns(
        {
            "unmarked_hi": fn.min(fn.when(unmarks, fn.col("hi"))).over(of_handle),
            "set_unmarked": fn.min(fn.when(unmarks_set, fn.struct("lo", "hi"))).over(
                in_order.rows_between(*_FOLLOWING)
            ),
        }
    )
    left = fn.when(fn.col("left.seq") > fn.col("seq"), fn.col("left.hi"))
    of_own = fn.coalesce(fn.least("closed_hi", "unmarked_hi", left), fn.lit(NEVER))
    after = fn.col("set_unmarked.lo") > fn.col("hi") + log.margin
    of_set = fn.when(after, fn.col("set_unmarked.hi")).otherwise(fn.lit(NEVER))
    nothing = fn.lit(-NEVER)
    ends = fn.greatest(
        fn.when(unknown_or(has("options", int(_HANDLE_MARKS))), of_own).otherwise(nothing),
        fn.when(unknown_or(has("options", int(_SET_MARKS))), of_set).otherwise(nothing),
    )
    with_ends = with_unmarks.with_column("mark_ends", fn.when(marked, ends))
    earlier = fn.max("mark_ends").over(in_order.rows_between(Window.unbounded, -1))
    since = fn.when(returned, earlier).otherwise(fn.max("mark_ends").over(of_message))
    return with_ends.with_column("unmarked_since", since).select(*log.moves.columns, "unmarked_since")


def _spots(log: Log) -> Frame:
    """Return browses that found no unmarked message, and the gaps of messages that were unmarked, each in its time."""
    put = fn.col("put")
    in_one = holds(put["msg_flags"].bit_and(fn.lit(_IN_PIECES)) == 0)
    in_log = put.is_not_null() & ~holds(listed(lambda name: put[name]))
    fit = fn.col("whole") & gap() & in_one & in_log & holds(fn.col("unmarked_since") < NEVER)
    ends = fn.when(fn.col("role") == PUT, NEVER).otherwise(fn.col("lo"))
    begins = fn.greatest("gap_from", "unmarked_since", fn.when(fn.col("role") == PUT, fn.col("shown.by.lo")))
    gaps = _spot(_unmarked_since(log).where(fit), log, begins, ends, is_gap=True)
    asks = (fn.col("role") == EMPTY) & holds(fn.col("selection") == UNMARKED) & from_front() & fn.col("whole")
    at = latest_moment() - log.margin
    return gaps.union_by_name(_spot(log.moves.where(asks), log, at, fn.lit(0).cast("long"), is_gap=False))


def _spot(rows: Frame, log: Log, at: Column, ends: Column, *, is_gap: bool) -> Frame:
    """Return the time at which rows begin to count, and when they end."""
    spot = fn.struct(ends.alias("ends"), fn.struct(*log.moves.columns).alias("row"))
    return rows.select(*QUEUE, at.alias("at"), fn.lit(is_gap).alias("is_gap"), spot.alias("spot"))


def _missed(log: Log) -> Frame:
    """Return browses that found nothing although a message without a mark was there, as the sweep returns answers.

    Of the messages that were there already, the one that was there longest counts; one that was seen again is better.
    """
    spot, by_time = fn.col("spot"), Window.partition_by(*QUEUE).order_by("at", fn.desc("is_gap"))
    before = by_time.rows_between(Window.unbounded, -1)
    unseen = fn.col("is_gap") & (spot["ends"] == NEVER)
    best = _spots(log).with_columns(
        {
            "seen": fn.max(fn.when(fn.col("is_gap") & ~unseen, spot)).over(before),
            "unseen": fn.max(fn.when(unseen, spot)).over(before),
        }
    )
    call = spot["row"]
    over = fn.col("seen")["ends"] > call["hi"] + log.margin
    asked = best.where(~fn.col("is_gap"))
    seen = asked.where(holds(over)).select(
        *QUEUE, fn.lit(PRESENT_UNMARKED).alias("family"), call.alias("asker"), fn.col("seen")["row"].alias("answer")
    )
    never_seen = asked.where(~holds(over) & fn.col("unseen").is_not_null()).select(
        *QUEUE, fn.lit(LOST_UNMARKED).alias("family"), fn.col("unseen")["row"].alias("asker"), call.alias("answer")
    )
    return seen.union_by_name(never_seen)


def _of_frames(log: Log) -> Sequence[tuple[Frame, Sequence[Statement]]]:
    marks = Use.MARKS in log.uses or log.facts.mark_intervals
    return [(_missed(log), [false_emptiness(), lost(log)])] if marks else []


ENDED_MARKS = Check("marks that ended", lambda _: (), of_frames=_of_frames)
