"""Groups and logical messages that were complete on their queue: when each of their messages was surely available.

A get with ALL_MSGS_AVAILABLE looks for such a group (AMA-01), one with COMPLETE_MSG or ALL_SEGMENTS_AVAILABLE for such
a logical message (CMP-05, ASA-01), here one that an application put in segments. It lasts from when the last of its
messages became available until the first of them was removed or seen for the last time.
"""

from __future__ import annotations

from typing import Final

from oracle.model.groups.put_groups import SEGMENT_FLAGS
from oracle.mqi.constants import MQGMO, MQMF, MQMT
from spark_checks.frames import Column, Frame
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import QUEUE, has, holds, if_few_sent, is_null_id
from spark_checks.preparation.fronts import FROM_FRONT
from spark_checks.preparation.keeping import kept
from spark_checks.preparation.log import Log
from spark_checks.preparation.moves import ANY, EMPTY, IN_PIECES, NEXT_WHOLE, PUTS, RETURNS, wanted
from spark_checks.preparation.passes import gap, unseen
from spark_checks.preparation.sweep import ROW
from spark_checks.preparation.uses import Use

WHOLE_FROM, AFTERWARDS = "whole_from", "afterwards"
SEEN, NEVER_SEEN, OPEN = "seen", "never seen", "open"
"""What the log shows of a whole afterwards: all of its messages, none though they must be there, or neither."""
IN_SEGMENTS: Final = "s"
"""The text, like those of `wanted`, of gets that a complete logical message in segments suits."""
_PARTS: Final = ("msg_seq_number", "offset", "length", "msg_flags", "persistence", "msg_type")


def asked_for_message() -> Column:
    """Return IN_SEGMENTS for a call that found nothing, if any complete logical message on its queue suited it.

    In logical order only the first message of a group may suit, and with ALL_MSGS_AVAILABLE only one whose group was
    complete.
    """
    together = (fn.col("selection") == ANY) & has("options", MQGMO.COMPLETE_MSG)
    in_groups = has("options", MQGMO.ALL_MSGS_AVAILABLE | MQGMO.LOGICAL_ORDER)
    any_one = together | ((fn.col("selection") == NEXT_WHOLE) & ~in_groups)
    return fn.when((fn.col("role") == EMPTY) & fn.col(FROM_FRONT) & any_one, IN_SEGMENTS)


def offered() -> Column:
    """Return what a whole offers, as the text of a get that asks for it."""
    in_segments = fn.col("put.msg_flags").bit_and(fn.lit(int(SEGMENT_FLAGS))) != 0
    return fn.when(in_segments, IN_SEGMENTS).otherwise(wanted(fn.lit(NEXT_WHOLE), fn.lit(None), fn.lit(None)))


def with_wholes(moves: Frame, log: Log) -> Frame:
    """Add to moves of a log WHOLE_FROM and AFTERWARDS, on one row of each whole; null on all others.

    That row ends a gap, as all offers do. It belongs to the message that is seen first; if none is seen again, to one
    that is not persistent, or else to the one that was put first. Nothing is added if no call asked for wholes and
    found none.
    """
    if Use.WHOLES_MISSED not in log.uses:
        return moves
    group = fn.coalesce("put.group_id", "group_id")
    named = log.moves.with_column("group", group).where(~is_null_id("group") & ~fn.col("ungrouped"))
    wholes = _groups(named.where(fn.array_contains("asked", NEXT_WHOLE)))
    if log.facts.platform != "zos":
        flags = fn.coalesce("put.msg_flags", "msg_flags")
        wholes = wholes.union_by_name(_messages(named.where(flags.bit_and(fn.lit(int(SEGMENT_FLAGS))) != 0)))
    found = kept(wholes)
    return moves.join(if_few_sent(found, found.count()), ROW, "left")


def _groups(moves: Frame) -> Frame:
    """Return the groups of messages in one piece with all of their messages in the log, each put exactly once."""
    numbers, size = _of_parts("msg_seq_number"), fn.col("size")
    last = fn.filter("parts", lambda part: part["msg_flags"].bit_and(int(MQMF.LAST_MSG_IN_GROUP)) != 0)
    whole = fn.forall("parts", lambda part: part["msg_flags"].bit_and(int(IN_PIECES)) == 0)
    numbered = (numbers == fn.sequence(fn.lit(1), size)) & (_of_parts("msg_seq_number", last) == fn.array(size))
    return _with_facts(_together(moves, gap(), "group").where(whole & numbered), fn.col("n_unseen") == 0)


def _messages(moves: Frame) -> Frame:
    """Return the logical messages with all their segments in the log, each put just once by an application.

    A call for a whole one holds segments that it does not name, but returns as many bytes as they have.
    """
    starts = fn.transform("parts", lambda part: part["offset"].cast("long"))
    ends = fn.transform("parts", lambda part: part["offset"].cast("long") + part["length"].cast("long"))
    contiguous = starts == fn.concat(fn.array(fn.lit(0).cast("long")), fn.slice(ends, 1, fn.col("size") - 1))
    lasts = fn.transform("parts", lambda part: part["msg_flags"].bit_and(int(MQMF.LAST_SEGMENT)) != 0)
    one_last = fn.array_position(lasts, fn.lit(True)) == fn.col("size")

    def as_put(part: Column) -> Column:
        in_segments = part["msg_flags"].bit_and(int(IN_PIECES))
        segment = in_segments.is_in(int(MQMF.SEGMENT), int(MQMF.LAST_SEGMENT), int(SEGMENT_FLAGS))
        alike = part["persistence"] == fn.element_at("parts", 1)["persistence"]
        return segment & alike & (part["msg_type"] != MQMT.REPORT)

    available = fn.col("gap_from").is_not_null()
    messages = _together(moves, available, "group", "msg_seq_number").where(contiguous & one_last)
    seen = fn.col("seen")
    as_whole = holds(seen["whole"] & (seen["length"] == fn.element_at(ends, -1)))
    return _with_facts(messages.where(fn.forall("parts", as_put)), as_whole | (fn.col("n_unseen") == 0))


def _together(moves: Frame, available: Column, *whole: str) -> Frame:
    """Return the wholes that the columns `whole` identify, if each message was put exactly once and became available.

    `available` selects the rows that end a gap of a message, or stand for one. For each message that is its first gap.
    """
    offers = available & fn.col("gap_first") & fn.col("put").is_not_null()

    def of_gap(value: Column, where: Column = offers) -> Column:
        return fn.max(fn.when(where, value))

    returned = fn.struct("lo", ROW, has("options", MQGMO.COMPLETE_MSG).alias("whole"), "length")
    messages = moves.group_by(*QUEUE, *whole, "msg_id").agg(
        fn.count(fn.when(fn.col("role").is_in(*PUTS), 1)).alias("puts"),
        of_gap(fn.col("gap_from")).alias("from"),
        of_gap(returned, offers & fn.col("role").is_in(*RETURNS)).alias("seen"),
        of_gap(fn.struct("put.persistence", "put.lo", ROW), offers & unseen()).alias("unseen"),
        of_gap(fn.col("put_unlimited")).alias("lasts"),
        of_gap(fn.struct(*(fn.col(f"put.{name}").alias(name) for name in _PARTS))).alias("part"),
    )
    wholes = messages.group_by(*QUEUE, *whole).agg(
        fn.count("*").cast("int").alias("size"),
        fn.sum("puts").alias("puts"),
        fn.count("from").alias("available"),
        fn.max("from").alias("from"),
        fn.min("seen").alias("seen"),
        fn.min("unseen").alias("unseen"),
        fn.count("unseen").alias("n_unseen"),
        fn.min("lasts").alias("lasts"),
        fn.array_sort(fn.collect_list("part")).alias("parts"),
    )
    return wholes.where("puts = size and available = size")


def _of_parts(name: str, parts: Column | str = "parts") -> Column:
    return fn.transform(parts, lambda part: part[name])


def _with_facts(wholes: Frame, seen: Column) -> Frame:
    """Return ROW, WHOLE_FROM and AFTERWARDS of wholes. `seen` selects those that were seen afterwards."""
    unseen_row, seen_row = fn.col(f"unseen.{ROW}"), fn.col(f"seen.{ROW}")
    never_seen = (fn.col("n_unseen") == fn.col("size")) & fn.col("lasts")
    return wholes.select(
        fn.when(seen, seen_row).otherwise(fn.coalesce(unseen_row, seen_row)).alias(ROW),
        fn.col("from").alias(WHOLE_FROM),
        fn.when(seen, SEEN).when(never_seen, NEVER_SEEN).otherwise(OPEN).alias(AFTERWARDS),
    )
