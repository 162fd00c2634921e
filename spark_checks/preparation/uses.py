"""The uses of MQ that a log may have: a check that looks for what needs one is left out without it."""

from __future__ import annotations

from enum import Enum
from typing import Final

from oracle.model.groups.put_groups import SEGMENT_FLAGS
from oracle.mqi.constants import MQGMO, MQMF, MQMT, MQPER, MQPMO
from spark_checks.frames import Column
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import has
from spark_checks.preparation.moves import (
    BY_CORREL_ID,
    EMPTY,
    NEXT_WHOLE,
    OTHERWISE,
    PUT,
    RETURNS,
    TAKE,
    goes_on,
)


class Use(Enum):
    """A use of MQ that a log must have for a check to find anything; the check is left out without it."""

    BROWSE_NEXT = "browses that go on"
    BROWSE_NEXT_BY_CORREL_ID = "browses that go on to the next message with a CorrelId"
    WHOLES = "gets for whole groups or logical messages"
    REPORTS = "report messages"
    GENERATED = "puts that had their MsgId or CorrelId generated"
    LIMITS = "queues to which as many messages were put as they may hold"
    MARKS = "browses that mark messages for a handle"
    SIDE_WORK = "puts and gets outside a unit of work that need one, and gets that skip backout"
    SPLITS = "segments that no application put"
    GIVEN_BACK = "messages that were got or locked and came back"
    WHOLES_MISSED = "gets for whole groups or logical messages that found none"
    GOES_ON = "calls that may have looked from where their handle was before"


USES: Final = "uses_"
"""The prefix of the columns for a queue's uses: an engine may not distinguish names by their case."""


def uses_of_moves() -> dict[Use, Column]:
    """Return for each use, except those that definitions show, whether a put or get shows it."""
    marks, skips = MQGMO.MARK_BROWSE_HANDLE, MQGMO.MARK_SKIP_BACKOUT
    wholes = MQGMO.ALL_MSGS_AVAILABLE | MQGMO.ALL_SEGMENTS_AVAILABLE | MQGMO.COMPLETE_MSG
    returned, put, take = fn.col("role").is_in(*RETURNS), fn.col("role") == PUT, fn.col("role") == TAKE
    long_put = put & has("msg_flags", MQMF.SEGMENTATION_ALLOWED)
    whole_get = take & has("options", MQGMO.COMPLETE_MSG) & (fn.col("persistence") == MQPER.PERSISTENT)
    split = returned & has("msg_flags", SEGMENT_FLAGS) & (fn.col("n_puts") == 0)
    return {
        Use.BROWSE_NEXT: (returned | (fn.col("role") == EMPTY)) & has("options", MQGMO.BROWSE_NEXT),
        Use.BROWSE_NEXT_BY_CORREL_ID: (returned | (fn.col("role") == EMPTY))
        & has("options", MQGMO.BROWSE_NEXT)
        & (fn.col("selection") == BY_CORREL_ID),
        Use.WHOLES: returned & has("options", wholes),
        Use.REPORTS: returned & (fn.col("msg_type") == MQMT.REPORT),
        Use.GENERATED: put & has("options", MQPMO.NEW_MSG_ID | MQPMO.NEW_CORREL_ID),
        Use.MARKS: returned & has("options", marks),
        Use.SIDE_WORK: ((long_put | whole_get) & ~fn.col("in_unit")) | (take & has("options", skips)),
        Use.SPLITS: split,
        Use.WHOLES_MISSED: (fn.col("role") == EMPTY)
        & ((fn.col("selection") == NEXT_WHOLE) | has("options", MQGMO.COMPLETE_MSG)),
        Use.GOES_ON: goes_on() & (fn.col("selection") != OTHERWISE),
        Use.GIVEN_BACK: fn.col("gap_from").is_not_null() & ~fn.col("gap_first"),
    }
