"""Groups and logical messages as wholes: what the log shows of the parts that belong together."""

from __future__ import annotations

from oracle.model.groups.put_groups import GROUP_FLAGS, SEGMENT_FLAGS
from oracle.mqi.constants import MQGMO, MQMF, MQMT
from spark_checks.frames import Column, Frame, Window, WindowSpec
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import has, holds, is_null_id
from spark_checks.preparation.connections import EXPLICIT_ENDS, REF_FIELDS
from spark_checks.preparation.log import Log, never_ended
from spark_checks.preparation.moves import HEADED, PUT, PUTS, TAKE
from spark_checks.times import NEVER


def of_groups(log: Log) -> Frame:
    """Return the moves of messages with a GroupId, with the facts of their group and logical message.

    The columns are those of spark_checks.preparation.schemas.groups: PutAvailable, OfGroup and OfLogicalMessage.
    """
    of_group = fn.col("queue").is_not_null() & ~is_null_id("group_id")
    rows = log.moves.where(of_group & (_is_put() | _was_put()))
    pending = (fn.col("role") == PUT) & fn.col("in_unit") & never_ended(log, fn.col("unit_end"))
    available_lo = fn.when(pending, fn.lit(NEVER)).otherwise(_available_lo())
    rows = rows.with_column("available_lo", available_lo)
    return rows.select("*", *_facts_of_group(), *_facts_of_message())


def _was_put() -> Column:
    """Return whether a message is not a report that a queue manager made, under its original's GroupId (RPM-07)."""
    return holds((fn.col("msg_type") != MQMT.REPORT) | (fn.col("put.msg_type") == MQMT.REPORT))


def _is_put() -> Column:
    return fn.col("role").is_in(*PUTS)


def _final() -> Column:
    return (fn.col("role") == TAKE) & (fn.col("effect.kind") == "final")


def _facts_of_group() -> list[Column]:
    group = Window.partition_by("qmgr", "queue", "group_id")
    number = fn.col("msg_seq_number")
    is_put = _is_put() & _in_group()
    is_last = is_put & has("msg_flags", MQMF.LAST_MSG_IN_GROUP)
    numbers = fn.different(fn.when(is_put, number)).over(group)
    last_numbers = fn.different(fn.when(is_last, number)).over(group)
    highest = fn.max(fn.when(is_put, number)).over(group)
    last_number = fn.max(fn.when(is_last, number)).over(group)
    return [
        fn.min(fn.when(is_last, fn.col("lo"))).over(group).alias("g_last_lo"),
        (numbers < last_number).alias("g_hole"),
        fn.when(last_number == highest, _latest_put(group, is_put)).alias("g_all_lo"),
        (_each_put_once(group, is_put) & (last_numbers <= 1) & ~_strays(group)).alias("g_once"),
        _first_removal(group).alias("g_gone"),
        *_commits("g", group, is_put, is_last),
    ]


def _facts_of_message() -> list[Column]:
    message = Window.partition_by("qmgr", "queue", "group_id", "msg_seq_number")
    is_put, by = _is_put(), fn.col("effect.by")
    is_last = is_put & has("msg_flags", MQMF.LAST_SEGMENT)
    size = fn.when(holds(fn.col("msg_type") != MQMT.REPORT), fn.col("length")).when(
        fn.col("original_length") >= 0, fn.col("original_length")
    )  # a report stands for its segment, and may have less than all of its data (CMP-23)
    length = fn.sum(fn.when(is_put, size)).over(message)
    lengths_known = ~fn.max(fn.when(is_put, size.is_null())).over(message)
    end = fn.col("offset") + size
    highest = fn.max(fn.when(is_put, end)).over(message)
    last_end = fn.max(fn.when(is_last, end)).over(message)
    last_segments = fn.count(fn.when(is_last, 1)).over(message)
    as_put = has("options", MQGMO.COMPLETE_MSG) & ~has("options", MQGMO.CONVERT)
    taken = fn.struct(by["hi"].alias("hi"), "lo", *REF_FIELDS, "msg_id", "length", "reason", "in_unit")
    return [
        fn.min(fn.when(is_last, fn.col("lo"))).over(message).alias("m_last_lo"),
        fn.when(last_end == highest, (length < highest) & lengths_known).alias("m_hole"),
        fn.when(last_end == highest, _latest_put(message, is_put)).alias("m_all_lo"),
        (_each_put_once(message, is_put) & (last_segments <= 1) & ~_mixed(message)).alias("m_once"),
        _first_removal(message).alias("m_gone"),
        *_commits("m", message, is_put, is_last),
        fn.min(fn.when(is_put, has("msg_flags", SEGMENT_FLAGS))).over(message).alias("m_cut"),
        ((length == highest) & lengths_known & (last_end == highest) & _as_long_as_put(message)).alias("m_whole"),
        fn.when(lengths_known, length).alias("m_length"),
        fn.min(fn.when(_final() & as_put & (fn.col("offset") == 0), taken)).over(message).alias("m_taken"),
    ]


def _commits(of: str, parts: WindowSpec, is_put: Column, is_last: Column) -> list[Column]:
    """Return when the parts can first have been available to connections other than the putter's; see of_groups."""
    in_unit = is_put & fn.col("in_unit")
    putter, end = fn.when(in_unit, fn.col("conn")), fn.col("unit_end")
    putters = fn.min(putter).over(parts), fn.max(putter).over(parts)
    ended = fn.struct("available_lo", *(end[name].alias(name) for name in REF_FIELDS))
    return [
        fn.min(fn.when(is_last, fn.col("available_lo"))).over(parts).alias(f"{of}_last_from"),
        fn.max(fn.when(is_put, fn.col("available_lo"))).over(parts).alias(f"{of}_all_from"),
        fn.when(putters[0] == putters[1], putters[0]).alias(f"{of}_putter"),
        fn.max(fn.when(in_unit & end.is_not_null(), ended)).over(parts).alias(f"{of}_ended"),
    ]


def _available_lo() -> Column:
    """Return the time before which a message was surely not available to connections other than its putter's.

    A unit of work without an explicit end may have been ended before by a transaction manager.
    """
    explicit = fn.col("in_unit") & fn.col("unit_end.call").is_in(*EXPLICIT_ENDS)
    kind = fn.col("effect.kind")
    return (
        fn.when(explicit & (kind == "undone"), fn.lit(NEVER))
        .when(explicit & (kind == "visible"), fn.greatest("lo", "effect.by.lo"))
        .otherwise(fn.col("lo"))
    )


def _as_long_as_put(parts: WindowSpec) -> Column:
    """Return whether no part is a report or has a header that a queue manager takes off or adds; false if unknown."""
    plain = (fn.col("msg_type") != MQMT.REPORT) & ~fn.rtrim("format").is_in(*HEADED)
    return fn.min(fn.when(_is_put(), holds(plain))).over(parts)


def _in_group() -> Column:
    return has("msg_flags", GROUP_FLAGS)


def _each_put_once(parts: WindowSpec, is_put: Column) -> Column:
    part = fn.struct(fn.col("msg_seq_number"), fn.coalesce("offset", fn.lit(0)).alias("offset"))
    puts, different = fn.count(fn.when(is_put, 1)), fn.different(fn.when(is_put, part))
    return puts.over(parts) == different.over(parts)


def _mixed(parts: WindowSpec) -> Column:
    """Return whether parts were put in a group, and others with its GroupId in none: they may not belong together."""
    return fn.different(fn.when(_is_put(), _in_group())).over(parts) > 1


def _strays(group: WindowSpec) -> Column:
    """Return whether a group may have a segment beside a whole message of its number, which it may lack (AMB-81)."""
    is_put, segment = _is_put() & _in_group(), has("msg_flags", SEGMENT_FLAGS)
    numbers = fn.different(fn.when(is_put, fn.col("msg_seq_number"))).over(group)
    parts = fn.count(fn.when(is_put, 1)).over(group)
    return (parts > numbers) & (fn.different(fn.when(is_put, segment)).over(group) > 1)


def _latest_put(parts: WindowSpec, is_put: Column) -> Column:
    return fn.max(fn.when(is_put, fn.col("lo"))).over(parts)


def _first_removal(parts: WindowSpec) -> Column:
    by = fn.col("effect.by")
    gone = fn.struct(by["hi"].alias("hi"), by["seq"].alias("until"), *REF_FIELDS, "msg_id")
    return fn.min(fn.when(_final(), gone)).over(parts)
