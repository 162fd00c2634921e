"""Groups and segments as wholes: a call that asks for all of them returns none while another has not been put.

AMA-01 and AMA-05 speak of the messages of a group, ASA-01 and ASA-06 of the segments of a logical message, CMP-05 of a
reassembled message. All argue from absence: they need a complete log that shows for every put whether it was of a
group, and a queue that was empty at the log's beginning. So does what is found of segments that stayed behind when
their logical message was removed as a whole (CMP-04, CMP-09, DLV-02), and of the length of one (CMP-01). Whether a
message breaks CMP-02 or CMP-19 is seen from its put.
"""

from __future__ import annotations

from collections.abc import Sequence

from oracle.model.groups.put_groups import GROUP_FLAGS, SEGMENT_FLAGS
from oracle.mqi.constants import MQCC, MQGMO, MQMF, MQPER, MQRC
from spark_checks.checks.base import Check, Concern, absent
from spark_checks.checks.delivery import likely
from spark_checks.frames import Column, Frame
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import has, holds, text
from spark_checks.preparation.groups import of_groups
from spark_checks.preparation.identity import elsewhere, from_before, sole_origin
from spark_checks.preparation.log import Log
from spark_checks.preparation.moves import HEADED, RETURNS
from spark_checks.preparation.uses import Use
from spark_checks.results.findings import Statement, ref, this_call

_UNDER_CURSOR = MQGMO.MSG_UNDER_CURSOR | MQGMO.BROWSE_MSG_UNDER_CURSOR
_PARTIAL = (MQRC.INCONSISTENT_CCSIDS, MQRC.INCONSISTENT_ENCODINGS)


def _known() -> Column:
    """Return whether the log holds all of each group and message on the queue of a row that returned one."""
    return fn.col("role").is_in(*RETURNS) & fn.col("whole") & fn.col("pinned") & ~fn.col("ungrouped")


def _begins() -> Column:
    """Return whether an option for wholes had effect whatever the handle did before."""
    first = (fn.col("msg_seq_number") == 1) & (fn.col("offset") == 0)
    return ~has("options", _UNDER_CURSOR) & (~has("options", MQGMO.LOGICAL_ORDER) | first)


def _always() -> Column:
    return ~has("options", _UNDER_CURSOR | MQGMO.LOGICAL_ORDER)


def _asks_for_group() -> Column:
    return has("options", MQGMO.ALL_MSGS_AVAILABLE) & has("msg_flags", GROUP_FLAGS)


def _asks_for_message() -> Column:
    all_messages = has("options", MQGMO.ALL_MSGS_AVAILABLE) & ~has("options", MQGMO.LOGICAL_ORDER)
    return (
        (has("options", MQGMO.ALL_SEGMENTS_AVAILABLE) | all_messages)
        & has("msg_flags", MQMF.SEGMENT)
        & fn.col("m_cut")
        & ~has("options", MQGMO.COMPLETE_MSG)
    )


def _asks_for_whole() -> Column:
    return has("options", MQGMO.COMPLETE_MSG) & fn.col("m_cut") & ~fn.col("reason").is_in(*_PARTIAL)


def _statement(rule: str, where: Column, what: str, proof: Sequence[Column]) -> Statement:
    return Statement(
        rule=rule,
        where=_known() & where,
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[*proof, this_call()],
        sentence=text(fn.col("call"), " by connection ", fn.col("conn"), what),
    )


def _incomplete(of: str, margin: int) -> Column:
    """Return whether some part was surely not put before the call was over."""
    last_lo, over = fn.col(f"{of}_last_lo"), fn.col("hi") + margin
    late = last_lo.is_null() | (last_lo > over)
    return late | holds((fn.col(f"{of}_hole") | (fn.col(f"{of}_all_lo") > over)) & fn.col(f"{of}_once"))


def _uncommitted(of: str, margin: int) -> Column:
    """Return whether all parts were put, and some surely not committed before the call of another was over."""
    over, other = fn.col("hi") + margin, fn.col(f"{of}_putter") != fn.col("conn")
    needed = fn.col(f"{of}_once") & fn.col(f"{of}_all_lo").is_not_null()  # none is behind the last one
    late = (fn.col(f"{of}_last_from") > over) | ((fn.col(f"{of}_all_from") > over) & needed)
    return ~_incomplete(of, margin) & holds(other & late)


def _broken_up(of: str, margin: int) -> Column:
    """Return whether another part had surely been removed before the call began, and none was put behind the last."""
    gone, ended = fn.col(f"{of}_gone"), fn.col(f"{of}_all_lo").is_not_null()
    in_connection = (gone["conn"] == fn.col("conn")) & (gone["until"] < fn.col("seq"))
    before = (gone["hi"] + margin < fn.col("lo")) | in_connection
    return fn.col(f"{of}_once") & ended & before & (gone["msg_id"] != fn.col("msg_id"))


def _of_wholes(log: Log) -> Sequence[Statement]:
    of_group = _asks_for_group() & _begins() & _incomplete("g", log.margin)
    of_message = _asks_for_message() & _begins() & _incomplete("m", log.margin)
    whole = _asks_for_whole() & _incomplete("m", log.margin)
    whole_broken = _asks_for_whole() & _always() & _broken_up("m", log.margin)
    group_gone, message_gone = fn.col("g_gone"), fn.col("m_gone")
    group_broken = _asks_for_group() & _always() & _broken_up("g", log.margin)
    message_broken = _asks_for_message() & _always() & _broken_up("m", log.margin)
    asked = " asked for messages of complete groups only, and returned one of a group"
    put = [fn.col("put")]
    return [
        *_of_uncommitted(log.margin),
        _statement("AMA-01", holds(of_group), f"{asked} that had not been put as a whole", put),
        _statement("AMA-05", holds(group_broken & ~of_group), f"{asked} that had lost a message", [ref(group_gone)]),
        _statement(
            "ASA-01",
            holds(of_message),
            " asked for segments of complete messages only, and returned one of a message that was not put whole",
            put,
        ),
        _statement(
            "ASA-06",
            holds(message_broken & ~of_message),
            " asked for segments of complete messages only, and returned one of a message that had lost a segment",
            [ref(message_gone)],
        ),
        _statement(
            "CMP-05",
            holds(whole),
            " asked for a complete logical message, and returned one whose segments had not all been put",
            put,
        ),
        _statement(
            "CMP-05",
            holds(whole_broken & ~whole),
            " asked for a complete logical message, and returned one that had lost a segment to another get",
            [ref(message_gone)],
        ),
    ]


def _of_uncommitted(margin: int) -> Sequence[Statement]:
    """Find what was returned of a group or logical message whose puts were not all committed."""
    asked = (
        ("AMA-01", "g", _asks_for_group() & _begins(), "messages of complete groups only", "group"),
        ("ASA-01", "m", _asks_for_message() & _begins(), "segments of complete messages only", "message"),
        ("CMP-05", "m", _asks_for_whole(), "a complete logical message", "message"),
    )
    return [
        _statement(
            rule,
            holds(asks & _uncommitted(of, margin)),
            f" asked for {what}, and returned one of a {whole} that was not committed as a whole",
            [fn.col("put"), ref(fn.col(f"{of}_ended"))],
        )
        for rule, of, asks, what, whole in asked
    ]


def _other_length() -> Statement:
    """Find logical messages that were reassembled with more or less data than their segments have (CMP-01).

    A warning may hide that only some of the segments were reassembled.
    """
    length, of_segments = fn.col("length"), fn.col("m_length")
    as_put = ~has("options", MQGMO.CONVERT) & ~fn.rtrim("format").is_in(*HEADED) & (fn.col("offset") == 0)
    all_of_them = (fn.col("comp_code") == MQCC.OK) | (length > of_segments)
    other = fn.col("m_whole") & fn.col("m_once") & (length != of_segments) & all_of_them
    return Statement(
        rule="CMP-01",
        where=_known() & holds(_asks_for_whole() & as_put & other),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[fn.col("put"), this_call()],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), " returned a complete logical message with ", length,
            " bytes, whose segments were put with ", of_segments, " together",
        ),
    )  # fmt: skip  # a sentence


def _left_behind(margin: int) -> Statement:
    """Find segments returned after their logical message had been removed as a whole.

    A get that returned as many bytes as all segments have together returned each that has any.
    """
    put, taken = fn.col("put"), fn.col("m_taken")
    truncated = taken["reason"] == MQRC.TRUNCATED_MSG_ACCEPTED
    at_once = ~taken["in_unit"] & (put["persistence"] == MQPER.PERSISTENT)
    held = (taken["length"] == fn.col("m_length")) & (put["length"] > 0) & (put["visible"]["hi"] + margin < taken["lo"])
    again = (fn.col("msg_id") != taken["msg_id"]) & (taken["hi"] + margin < fn.col("lo"))
    return Statement(
        rule=fn.when(truncated, "CMP-04").when(at_once, "CMP-09").otherwise("DLV-02"),
        where=_known() & holds((fn.col("n_puts") == 1) & fn.col("m_cut") & fn.col("m_once") & held & again),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[put, ref(taken), this_call()],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), " returned a segment of a logical message that ",
            "connection ", taken["conn"], " had removed as a whole before, with all of its ", taken["length"], " bytes",
        ),
    )  # fmt: skip  # a sentence


def _put_together() -> Sequence[Statement]:
    """Find segments returned with other segments' data (CMP-02) and wholes with another segment's MsgId (CMP-19)."""
    put, complete = fn.col("put"), has("options", MQGMO.COMPLETE_MSG)
    segment = put["msg_flags"].bit_and(SEGMENT_FLAGS) != 0
    returned = fn.col("role").is_in(*RETURNS) & (fn.col("n_puts") == 1) & likely()
    longer = ~complete & ~has("options", MQGMO.CONVERT) & segment & (fn.col("length") > put["length"])
    later = complete & segment & (put["offset"] > 0) & (fn.col("offset") == 0)
    cases = (
        (
            "CMP-02",
            holds(longer),
            text(
                fn.col("call"),
                " by connection ",
                fn.col("conn"),
                " did not ask for complete messages, and returned a segment with ",
                fn.col("length"),
                " bytes that was put with ",
                put["length"],
            ),
        ),
        (
            "CMP-19",
            holds(later),
            text(
                fn.col("call"),
                " by connection ",
                fn.col("conn"),
                " returned a complete logical message with the MsgId of its segment at offset ",
                put["offset"],
                " instead of the first",
            ),
        ),
    )
    return [
        Statement(
            rule=rule,
            where=returned & where,
            call=this_call(),
            msg_id=fn.col("msg_id"),
            calls=[put, this_call()],
            sentence=sentence,
            doubts=[elsewhere(), from_before(sole_origin())],
        )
        for rule, where, sentence in cases
    ]  # fmt: skip  # a sentence


def _concerns(log: Log) -> Sequence[Concern]:
    del log
    returned = fn.col("role").is_in(*RETURNS)
    complete = {"complete": ~fn.col("whole"), "depth": ~fn.col("pinned"), "group_id": fn.col("ungrouped")}
    group = returned & has("options", MQGMO.ALL_MSGS_AVAILABLE)
    segments = returned & has("options", MQGMO.ALL_SEGMENTS_AVAILABLE | MQGMO.ALL_MSGS_AVAILABLE)
    whole = returned & has("options", MQGMO.COMPLETE_MSG)
    always = ~has("options", MQGMO.LOGICAL_ORDER)
    needs = complete | absent("queue", "msg_flags", "msg_seq_number", "offset", "msg_type")
    no_put = {"MQPUT": fn.col("n_puts") == 0} | absent("queue", "msg_id")
    segment = fn.col("put.msg_flags").bit_and(SEGMENT_FLAGS) != 0
    return [
        Concern("AMA-01", group, needs),
        Concern("AMA-05", group & always, needs),
        Concern("ASA-01", segments, needs),
        Concern("ASA-06", segments & always, needs),
        Concern("CMP-05", whole, needs),
        Concern("CMP-02", returned & ~has("options", MQGMO.COMPLETE_MSG) & segment, no_put | absent("length")),
        Concern("CMP-19", whole & segment, no_put | absent("offset")),
    ]


def _of_frames(log: Log) -> Sequence[tuple[Frame, Sequence[Statement]]]:
    found = [*_of_wholes(log), _other_length(), _left_behind(log.margin)]
    return [(of_groups(log), found)] if Use.WHOLES in log.uses else []


GROUPS = Check("groups", _concerns, lambda _: _put_together(), of_frames=_of_frames)
