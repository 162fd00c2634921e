"""Marks of the cooperating set, while MarkBrowseInterval keeps them: MRK-15 and MRK-09.

The queue manager may drop such a mark once MarkBrowseInterval has passed since it was made (MRK-12), and not before. So
where the interval is known, a message that was marked less long ago is neither returned to a browse for unmarked
messages by a handle of the set, nor marked again. Messages whose mark may have ended otherwise are left out: by a get,
by unmarking, or because the set's handles were closed. So is what the documents leave open (spark_checks.checks.marks).
"""

from __future__ import annotations

from collections.abc import Sequence

from oracle.model.requests.option_matrix import BROWSE, SCANS
from oracle.mqi.constants import MQCC, MQGMO, MQMT, MQOO, MQRC
from spark_checks.checks.base import Check, Concern, absent
from spark_checks.checks.delivery import likely
from spark_checks.frames import Column, Frame, Window
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import has, holds, text, unknown_or
from spark_checks.preparation.connections import REF_FIELDS
from spark_checks.preparation.identity import elsewhere, from_before, sole_origin
from spark_checks.preparation.lives import LIFE, lives
from spark_checks.preparation.log import Log
from spark_checks.preparation.messages import MESSAGE
from spark_checks.preparation.moves import RETURNS, SIGHT
from spark_checks.results.findings import Statement, ref, this_call
from spark_checks.times import NEVER

_OF_THE_SET = int(MQGMO.MARK_BROWSE_CO_OP | MQGMO.UNMARK_BROWSE_CO_OP)


def _interval(log: Log) -> Column:
    """Return MarkBrowseInterval of a row's queue manager in microseconds; null if unknown."""
    known: Column = fn.lit(None).cast("long")
    for qmgr, interval_ms in log.facts.mark_intervals.items():
        interval_us = NEVER if interval_ms < 0 else interval_ms * 1000
        known = fn.when(fn.col("qmgr") == qmgr, interval_us).otherwise(known)
    return known


def _with_marks(log: Log) -> Frame:
    """Return what handles of cooperating sets returned, each with the last `mark` of the message for the set before.

    A call that marked or unmarked for the set shows that its handle belongs to the set (OPT-01).
    """
    whole = (fn.col("comp_code") == MQCC.OK) | (fn.col("reason") == MQRC.TRUNCATED_MSG_ACCEPTED)
    marks = has("options", MQGMO.MARK_BROWSE_CO_OP) & ~has("options", MQGMO.UNMARK_BROWSE_CO_OP) & whole
    left_there = (fn.col("role") == SIGHT) & unknown_or(~has("options", BROWSE))
    of_message = Window.partition_by(*MESSAGE)
    before = of_message.order_by("lo", "hi", "conn", "seq").rows_between(Window.unbounded, -1)
    itself = fn.struct("lo", "hi", *REF_FIELDS, "hobj", "lives_left", "lasts_until")
    named = fn.col("queue").is_not_null() & fn.col("msg_id").is_not_null()
    returned = log.moves.where(fn.col("role").is_in(*RETURNS) & named)
    placed = returned.with_column("life", fn.col("lives_left")).join(lives(log.calls), [*LIFE], "left")
    opened_so = holds(fn.col("opened.options").bit_and(fn.lit(int(MQOO.CO_OP))) != 0)
    rows = placed.with_columns(
        {
            "left_lo": fn.min(fn.when(left_there, fn.col("lo"))).over(of_message),
            "was_unmarked": fn.max(unknown_or(has("options", MQGMO.UNMARK_BROWSE_CO_OP))).over(of_message),
            "mark": fn.last(fn.when(holds(marks), itself), ignorenulls=True).over(before),
            "of_set": opened_so | holds(has("options", _OF_THE_SET)),
            "interval": _interval(log),
        }
    )
    return rows.where(fn.col("mark").is_not_null() & fn.col("of_set"))


def _set_lasts(margin: int) -> Column:
    """Return whether a handle of the set was surely open from the mark to the call: the marker's or the caller's."""
    mark = fn.col("mark")
    same = (fn.col("conn") == mark["conn"]) & (fn.col("hobj") == mark["hobj"])
    same_life = same & (fn.col("lives_left") == mark["lives_left"])
    opened_before = fn.col("opened.hi") + margin < mark["lo"]
    return holds(same_life) | holds(opened_before) | holds(mark["lasts_until"] > fn.col("hi") + margin)


def _still_marked(log: Log) -> Column:
    """Return whether the message of a row surely bore the mark of the set throughout the call."""
    mark = fn.col("mark")
    in_connection = (fn.col("conn") == mark["conn"]) & (fn.col("seq") > mark["seq"])
    after = (fn.col("lo") > mark["hi"] + log.margin) | in_connection
    in_time = fn.col("hi") + log.margin < mark["lo"] + fn.col("interval")
    alone = fn.col("next_lo").is_null() | (fn.col("next_lo") > fn.col("hi") + log.margin)
    never_left = unknown_or(fn.col("left_lo") > fn.col("hi") + log.margin)
    got_unseen = ~fn.col("whole") & holds(fn.col("backout_count") > 0)
    never_got = (fn.col("backouts") + fn.col("perhaps_backouts") == 0) & alone & never_left & ~got_unseen
    one = (fn.col("n_puts") <= 1) & ~holds(fn.col("msg_type") == MQMT.REPORT) & likely()
    return holds(after & in_time) & ~fn.col("was_unmarked") & never_got & _set_lasts(log.margin) & one


def _statements(log: Log) -> Sequence[Statement]:
    mark = fn.col("mark")
    asks, marks = has("options", MQGMO.UNMARKED_BROWSE_MSG), has("options", MQGMO.MARK_BROWSE_CO_OP)
    age = fn.floor((fn.col("hi") - mark["lo"]) / 1000).cast("long") + 1
    keeps = fn.when(fn.col("interval") >= NEVER, "without end").otherwise(
        text("for ", fn.floor(fn.col("interval") / 1000).cast("long"), " ms")
    )
    browsed = " browsed for unmarked messages and returned one that connection "
    cases = (
        ("MRK-15", asks & has("options", SCANS), browsed),
        (
            "MRK-09",
            ~asks & marks & has("options", BROWSE),
            " marked for the cooperating set a message that connection ",
        ),
    )
    return [
        Statement(
            rule=rule,
            where=holds(where) & _still_marked(log),
            call=this_call(),
            msg_id=fn.col("msg_id"),
            calls=[ref(mark), this_call()],
            sentence=text(
                fn.col("call"), " by connection ", fn.col("conn"), what, mark["conn"],
                " had marked for the cooperating set at most ", age,
                " ms before, and MarkBrowseInterval keeps a mark ", keeps,
            ),
            doubts=[elsewhere(), from_before(sole_origin())],
            once=fn.concat(fn.lit("marked "), fn.col("msg_id")),
            rank=rank,
        )
        for rank, (rule, where, what) in enumerate(cases)
    ]  # fmt: skip  # a sentence


def _concerns(log: Log) -> Sequence[Concern]:
    marks = fn.col("role").is_in(*RETURNS) & has("options", MQGMO.MARK_BROWSE_CO_OP)
    asks = has("options", MQGMO.UNMARKED_BROWSE_MSG)
    origin = {"complete": ~fn.col("whole"), "depth": ~sole_origin()}
    unknown = {"MarkBrowseInterval": ~fn.col("qmgr").is_in(*log.facts.mark_intervals, "")}
    needs = absent("queue", "hobj", "msg_id", "comp_code") | origin | unknown
    return [Concern("MRK-15", marks & asks & has("options", SCANS), needs), Concern("MRK-09", marks & ~asks, needs)]


def _of_frames(log: Log) -> Sequence[tuple[Frame, Sequence[Statement]]]:
    return [(_with_marks(log), _statements(log))] if log.facts.mark_intervals else []


CO_OP_MARKS = Check("marks of the cooperating set", _concerns, of_frames=_of_frames)
