"""Marks of a handle: a browse for unmarked messages does not return what its handle has marked (MRK-14).

Marks of the cooperating set are in spark_checks.checks.co_op_marks. Cases that the documents leave open are left out:
UNMARKED_BROWSE_MSG of a get that does not browse (AMB-16) or asks for the message under the cursor (AMB-66), marking
and unmarking in one call (AMB-15), and whether a get that ended with MQRC_TRUNCATED_MSG_FAILED unmarks its message
(AMB-35).
"""

from __future__ import annotations

from collections.abc import Sequence

from oracle.model.groups.put_groups import SEGMENT_FLAGS
from oracle.model.requests.option_matrix import BROWSE, SCANS
from oracle.mqi.constants import MQCC, MQGMO, MQMT, MQRC
from spark_checks.checks.base import Check, Concern, absent
from spark_checks.checks.delivery import likely
from spark_checks.frames import Column, Frame, Window
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import has, holds, text, unknown_or
from spark_checks.preparation.connections import REF_FIELDS
from spark_checks.preparation.identity import elsewhere, from_before, sole_origin
from spark_checks.preparation.log import Log
from spark_checks.preparation.messages import MESSAGE
from spark_checks.preparation.moves import RETURNS, SIGHT
from spark_checks.preparation.uses import Use
from spark_checks.results.findings import Statement, ref, this_call

_ASKS = MQGMO.UNMARKED_BROWSE_MSG | MQGMO.MARK_BROWSE_HANDLE
"""The options of a browse that returns a message without a mark and marks it."""
_CHANGES = MQGMO.MARK_BROWSE_HANDLE | MQGMO.UNMARK_BROWSE_HANDLE


def _with_marks(log: Log) -> Frame:
    """Return what handles returned, each with the call `mark` that last marked or unmarked the message for its handle.

    A call that was truncated and left the message where it was may have marked it or not, and counts as unmarking.
    """
    whole = (fn.col("comp_code") == MQCC.OK) | (fn.col("reason") == MQRC.TRUNCATED_MSG_ACCEPTED)
    marks = holds(has("options", MQGMO.MARK_BROWSE_HANDLE) & ~has("options", MQGMO.UNMARK_BROWSE_HANDLE) & whole)
    changes = unknown_or(has("options", _CHANGES))
    left_there = (fn.col("role") == SIGHT) & unknown_or(~has("options", BROWSE))
    of_message = Window.partition_by(*MESSAGE)
    before = Window.partition_by("qmgr", "conn", "hobj", "msg_id").order_by("seq").rows_between(Window.unbounded, -1)
    itself = fn.struct(*REF_FIELDS, "lives_left", marks.alias("marks"))
    returned = log.moves.where(fn.col("role").is_in(*RETURNS) & fn.col("msg_id").is_not_null())
    rows = returned.with_column("left_lo", fn.min(fn.when(left_there, fn.col("lo"))).over(of_message))
    asked = fn.col("hobj").is_not_null() & unknown_or(has("options", _CHANGES | MQGMO.UNMARKED_BROWSE_MSG))
    of_handle = Window.partition_by("qmgr", "conn", "hobj", "lives_left", "msg_id").order_by("seq")
    up_to_now = of_handle.rows_between(Window.unbounded, Window.current_row)
    fresh = marks & holds(fn.col("options").bit_and(fn.lit(int(_ASKS))) == _ASKS) & holds(has("options", SCANS))
    return rows.where(asked).with_columns(
        {
            "mark": fn.last(fn.when(changes, itself), ignorenulls=True).over(before),
            "freshly_marked": fn.count(fn.when(fresh, 1)).over(up_to_now),
            "unmarked": fn.max(unknown_or(has("options", MQGMO.UNMARK_BROWSE_HANDLE))).over(up_to_now),
            "fresh": fresh,
        }
    )


def _never_got(log: Log) -> Column:
    """Return whether no get had returned the message of a row before its call ended, nor left it there.

    COMPLETE_MSG returns the first segment of a message alone, and gets all of them.
    """
    segment = unknown_or(fn.col("msg_flags").bit_and(SEGMENT_FLAGS) != 0)
    alone = fn.col("next_lo").is_null() | (fn.col("next_lo") > fn.col("hi") + log.margin)
    never_left = unknown_or(fn.col("left_lo") > fn.col("hi") + log.margin)
    as_part = segment & fn.col("reassembles")
    return (fn.col("backouts") + fn.col("perhaps_backouts") == 0) & alone & never_left & ~as_part


def _returned_although_marked(log: Log) -> Statement:
    """Find browses for unmarked messages that returned one that their handle had marked.

    A get of the message ends the mark even if it is backed out (MRK-05). So there must have been none, nor one that
    left the message there because the buffer was too small.
    """
    mark = fn.col("mark")
    unmarked = has("options", MQGMO.UNMARKED_BROWSE_MSG) & has("options", SCANS)
    marked = mark["marks"] & (mark["lives_left"] == fn.col("lives_left"))
    return Statement(
        rule="MRK-14",
        where=holds(unmarked & marked)
        & (fn.col("n_puts") <= 1)
        & _never_got(log)
        & ~holds(fn.col("msg_type") == MQMT.REPORT)
        & likely(),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[ref(mark), this_call()],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), " browsed for unmarked messages and returned one that"
            " its handle had marked before",
        ),
        doubts=[elsewhere(), from_before(sole_origin())],
    )  # fmt: skip  # a sentence


def _marked_too_often(log: Log) -> Statement:
    """Find browses for unmarked messages that marked more messages with one MsgId for their handle than were put."""
    return Statement(
        rule="MRK-14",
        where=holds(fn.col("fresh") & ~fn.col("unmarked") & (fn.col("freshly_marked") > fn.col("n_puts")))
        & (fn.col("n_puts") > 1)
        & fn.col("whole")
        & _never_got(log)
        & ~holds(fn.col("msg_type") == MQMT.REPORT),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[ref(fn.col("mark")), this_call()],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), " browsed for unmarked messages and marked the ",
            fn.col("freshly_marked"), "th with this identifier for its handle, where only ", fn.col("n_puts"),
            " were put",
        ),
        doubts=[from_before(fn.col("pinned"))],
        once=fn.concat_ws(" ", fn.lit("marked too often"), "conn", "msg_id"),
    )  # fmt: skip  # a sentence


def _concerns(log: Log) -> Sequence[Concern]:
    del log
    asked = fn.col("role").is_in(*RETURNS) & has("options", MQGMO.UNMARKED_BROWSE_MSG) & has("options", SCANS)
    needs = absent("queue", "hobj", "msg_id", "comp_code") | {"complete": ~fn.col("whole"), "depth": ~sole_origin()}
    return [Concern("MRK-14", asked, needs)]


def _of_frames(log: Log) -> Sequence[tuple[Frame, Sequence[Statement]]]:
    return (
        [(_with_marks(log), [_returned_although_marked(log), _marked_too_often(log)])] if Use.MARKS in log.uses else []
    )


MARKS = Check("marks", _concerns, of_frames=_of_frames)
