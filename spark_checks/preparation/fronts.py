"""The starting point of calls, where only earlier calls of the handle decide it.

BROWSE_NEXT continues from the browse cursor; a handle that has browsed nothing has none (BRW-06), and looks from the
front of the queue. LOGICAL_ORDER continues with the current group and logical message (LOG-16 to LOG-18); there is none
if nothing was got since the MQOPEN, or if the message got last ended its group (LOG-06, LOG-08), in logical order or
not (LOG-29). A browse in logical order has a current group of its own (BRW-19), that of the browse before.
"""

from __future__ import annotations

from oracle.model.groups.put_groups import GROUP_FLAGS, SEGMENT_FLAGS
from oracle.model.requests.option_matrix import BROWSE, SCANS
from oracle.mqi.constants import MQCC, MQGMO, MQMF, MQMT, MQRC
from spark_checks.frames import Column, Frame
from spark_checks.frames import functions as fn
from spark_checks.preparation.capture import GETS
from spark_checks.preparation.columns import has, holds, if_few_sent, looked_up, unknown_or
from spark_checks.preparation.connections import call_row, has_unknown_effect, is_own
from spark_checks.preparation.handles import HANDLE, last, opens, perhaps_closes
from spark_checks.preparation.keeping import kept
from spark_checks.preparation.log import Log
from spark_checks.preparation.moves import from_front, goes_on
from spark_checks.preparation.sweep import ROW
from spark_checks.preparation.uses import Use

FROM_FRONT, NEXT_PART = "from_front", "next_part"
_OF_GET = (
    "comp_code",
    "reason",
    "options",
    "msg_type",
    "msg_flags",
    "group_id",
    "msg_seq_number",
    "offset",
    "length",
    "lives_left",
)


def fronts(log: Log) -> Frame | None:
    """Return these calls by `row`, with the rows of the calls that prove it: the MQOPEN and earlier gets.

    NEXT_PART is the only part of a group or logical message that a call could return (see `part`); a call without it
    looked from the front. None if the log has no calls for which this matters.
    """
    if Use.GOES_ON not in log.uses:
        return None
    handles = kept(log.moves.where(goes_on() & fn.col("hobj").is_not_null()).select(*HANDLE).distinct())
    calls = looked_up(log.calls, handles, HANDLE, handles.count(), "left_semi")
    with_last = _with_last_calls(calls.with_column(ROW, call_row()))
    start = fn.when(has("options", BROWSE), ~_since_opened("moved")).otherwise(_between_groups())
    next_part = fn.when(has("options", BROWSE), fn.when(_browses_in_order(), _next_part("browsed"))).when(
        ~_undone(), _next_part("got")
    )
    looked = with_last.with_column(NEXT_PART, next_part).where(
        goes_on() & holds((_surely_opened() & start) | fn.col(NEXT_PART).is_not_null())
    )
    behind = [fn.col(f"{name}.{ROW}").alias(name) for name in ("opened", "got")]
    return kept(looked.select(ROW, NEXT_PART, *behind))


def _with_last_calls(calls: Frame) -> Frame:
    """Add to each call the last earlier ones of its handle that opened it, closed it, or left it somewhere."""
    failed = holds((fn.col("comp_code") == MQCC.FAILED) & (fn.col("reason") != MQRC.TRUNCATED_MSG_FAILED))
    gets, browses = fn.col("call").is_in(*GETS) & (~failed | has_unknown_effect()), unknown_or(has("options", BROWSE))
    return calls.select(
        "*",
        last(opens(), "seq", ROW, "lives_left").alias("opened"),
        last(perhaps_closes(), "seq").alias("closed"),
        last(gets & browses, "seq").alias("moved"),
        last(fn.col("call").is_in(*GETS) & browses, "seq", ROW, *_OF_GET).alias("browsed"),
        last(gets & ~holds(has("options", BROWSE)), "seq", ROW, *_OF_GET).alias("got"),
    )


def _since_opened(name: str) -> Column:
    return holds(fn.col(f"{name}.seq") > fn.col("opened.seq"))


def _surely_opened() -> Column:
    """Return whether the MQOPEN of the handle is in the log, and no later one may have reused the handle."""
    again = holds(fn.col("unseen_before") > fn.col("opened.seq"))
    nameless = holds(fn.col("opened.lives_left") != fn.col("lives_left"))
    return fn.col("opened").is_not_null() & ~_since_opened("closed") & ~again & ~nameless


def _between_groups() -> Column:
    """Return whether a handle has no current group and no current logical message for MQGETs."""
    got = fn.col("got")
    whole = (got["comp_code"] == MQCC.OK) | (got["reason"] == MQRC.TRUNCATED_MSG_ACCEPTED)
    return ~_since_opened("got") | (
        whole & _last_segment("got") & _last_message("got") & ~_reassembled("got") & ~_undone()
    )


def _last_segment(name: str) -> Column:
    """Return whether the part that a call returned last left no current logical message."""
    flags = fn.col(f"{name}.msg_flags")
    return (flags.bit_and(SEGMENT_FLAGS) == 0) | (flags.bit_and(MQMF.LAST_SEGMENT) != 0)


def _last_message(name: str) -> Column:
    """Return whether the part returned last left no current group, if it left no current logical message."""
    flags = fn.col(f"{name}.msg_flags")
    return (flags.bit_and(GROUP_FLAGS) == 0) | (flags.bit_and(MQMF.LAST_MSG_IN_GROUP) != 0)


def _reassembled(name: str) -> Column:
    """Return whether a call may have returned segments as one message: the last may tell its group (AMB-124)."""
    flags, complete = fn.col(f"{name}.msg_flags"), fn.col(f"{name}.options").bit_and(fn.lit(int(MQGMO.COMPLETE_MSG)))
    return unknown_or((flags.bit_and(SEGMENT_FLAGS) != 0) & (complete != 0))


def _undone() -> Column:
    """Return whether the message got last may have been backed out."""
    return holds(fn.col("undone_before") > fn.col("got.seq"))


def _browses_in_order() -> Column:
    """Return whether the browse before a BROWSE_NEXT in logical order left its handle a current group, if it has one.

    The last browse before a carried call is not known.
    """
    in_order = fn.col("browsed.options").bit_and(fn.lit(int(MQGMO.LOGICAL_ORDER))) != 0
    scanned = fn.col("browsed.options").bit_and(fn.lit(int(SCANS))) != 0
    return holds(in_order & scanned & has("options", MQGMO.BROWSE_NEXT) & is_own())


def _next_part(name: str) -> Column:
    """Return the part of a group or logical message that comes after the last one, if that was not the end.

    The length of a report does not show where the next segment begins (RPM-07).
    """
    got = fn.col(name)
    number, zero = got["msg_seq_number"], fn.lit(0)
    behind = fn.when(got["msg_type"] != MQMT.REPORT, got["offset"] + got["length"])
    following = fn.when(~_last_segment(name), part(got["group_id"], number, behind)).when(
        ~_last_message(name) & ~_reassembled(name), part(got["group_id"], number + 1, zero)
    )
    of_this_handle = (got["lives_left"] == fn.col("lives_left")) | (_surely_opened() & _since_opened(name))
    return fn.when((got["comp_code"] == MQCC.OK) & holds(of_this_handle), following)


def part(group_id: Column, msg_seq_number: Column, offset: Column) -> Column:
    """Return a part of a group or logical message as one text; null if the part is not known."""
    place = [fn.concat(fn.lit("/"), each.cast("string")) for each in (msg_seq_number, offset)]
    return fn.concat(fn.lit("n"), group_id, *place)


def with_fronts(moves: Frame, found: Frame | None) -> Frame:
    """Return moves with FROM_FRONT, whether a call surely looked from the front of its queue, and with NEXT_PART.

    `found` is the result of `fronts`.
    """
    if found is None:
        return moves.with_columns({FROM_FRONT: from_front(), NEXT_PART: fn.lit(None).cast("string")})
    rows = found.select(ROW, NEXT_PART, fn.col(NEXT_PART).is_null().alias("is_front"))
    joined = moves.join(if_few_sent(rows, found.count()), ROW, "left")
    return joined.with_column(FROM_FRONT, from_front() | holds(fn.col("is_front"))).drop("is_front")
