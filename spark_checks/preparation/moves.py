"""The effect of each put and get on its queue, as far as its record shows it.

| role | record |
| --- | --- |
| `put` | a message was put |
| `maybe put` | a put of unknown outcome, one whose outcome was not awaited or not learnt, or one to several queues |
| `take` | a message was removed from the queue |
| `sight` | a message was shown and stayed: a browse, or a get that ended with MQRC_TRUNCATED_MSG_FAILED |
| `touch` | a message was returned, or perhaps was, and whether it was removed or locked is not known or not modelled |
| `empty` | a get or browse ended with MQRC_NO_MSG_AVAILABLE |
| `glance` | a browse of unknown outcome: it may have moved the browse cursor |

A call that failed in another way, and one that returns no message, moved nothing and is left out.
"""

from __future__ import annotations

from collections.abc import Sequence

from oracle.model.groups.put_groups import SEGMENT_FLAGS
from oracle.model.requests.option_matrix import BROWSE, SCANS
from oracle.mqi.constants import MQCC, MQFMT, MQGMO, MQMF, MQMO, MQMT, MQPMO, MQRC
from oracle.mqi.without_outputs import WITHOUT_OUTPUTS
from spark_checks.frames import Column, Frame
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import has, holds, is_null_id, unknown_or
from spark_checks.preparation.connections import (
    BACKED_OUT,
    CARRIED,
    COMMITTED,
    IN_CONTEXT,
    REF_FIELDS,
    call_row,
    completed,
    cut_short,
    has_unknown_effect,
    unit_by_options,
)

PUT, MAYBE_PUT, TAKE, SIGHT, TOUCH, EMPTY, GLANCE = "put", "maybe put", "take", "sight", "touch", "empty", "glance"
PUTS = (PUT, MAYBE_PUT)
RETURNS = (TAKE, SIGHT, TOUCH)

KEPT = (
    "qmgr", "queue", *REF_FIELDS, "start_us", "end_us", "comp_code", "reason", "hobj", "options", "match_options",
    "wait_ms", "object_name", "msg_id", "correl_id", "sel_msg_id", "sel_correl_id", "msg_type", "msg_flags",
    "segment_status", "format", "priority", "persistence", "expiry", "put_us", "backout_count", "group_id",
    "msg_seq_number", "offset", "length", "report", "feedback", "digest", "original_length", "reply_to_q",
)  # fmt: skip  # names
"""The columns of the log that the checks use."""

ANY, BY_MSG_ID, BY_CORREL_ID, BY_BOTH, OTHERWISE = "any", "MsgId", "CorrelId", "MsgId and CorrelId", "otherwise"
NEXT_GROUP, NEXT_WHOLE = "next group", "next whole group or message"
"""The selections of a get: the next suitable message, by identifiers, or in a way that no check follows.

`NEXT_GROUP` is the selection of gets in logical order: a message in no group, or the first one of a group, suits it if
the handle has no current group. `NEXT_WHOLE` is the selection of gets that need the other messages of the group or
logical message: a message in none suits it in any case.
"""

UNMARKED = "any unmarked"
"""The selection of browses with MQGMO_UNMARKED_BROWSE_MSG: a message that no call can have marked has no mark."""

IN_GROUPS = (NEXT_GROUP, NEXT_WHOLE)
SUITED_BY_SEVERAL = (ANY, BY_CORREL_ID, *IN_GROUPS)
"""The selections that several messages may suit; a get returns the first of these. Several may share a CorrelId."""

IN_PIECES = MQMF.SEGMENTATION_ALLOWED | SEGMENT_FLAGS
"""The flags of a message that a queue may hold in several pieces."""

HEADED = tuple(name.strip() for name in (MQFMT.RF_HEADER_2, MQFMT.XMIT_Q_HEADER, MQFMT.MD_EXTENSION))
"""Formats of messages whose descriptor or data a queue manager changes or reads."""

_NOT_IN_PHYSICAL_ORDER = (
    MQGMO.BROWSE_MSG_UNDER_CURSOR | MQGMO.MSG_UNDER_CURSOR | MQGMO.SET_SIGNAL | MQGMO.UNMARKED_BROWSE_MSG
)
_WHOLE = MQGMO.ALL_MSGS_AVAILABLE | MQGMO.ALL_SEGMENTS_AVAILABLE
Queues = Sequence[tuple[str, str]]
"""Queues by queue manager and name."""
_DONE = (*REF_FIELDS, "lo", "hi", "loose")
_WITHOUT_WILDCARD = MQMO.MATCH_MSG_SEQ_NUMBER | MQMO.MATCH_OFFSET | MQMO.MATCH_MSG_TOKEN


def _not_awaited(asynchronous: Queues) -> Column:
    """Return whether a put ends before its outcome is known: it asks for that, or DEFPRESP of its queue does."""
    asked = has("options", MQPMO.ASYNC_RESPONSE)
    plain = (fn.col("call") == "MQPUT") & ~has("options", MQPMO.SYNC_RESPONSE)
    by_name = unknown_or(fn.col("object_name") == fn.col("queue"))
    by_queue = fn.concat_ws("|", "qmgr", "queue").is_in(*(f"{qmgr}|{queue}" for qmgr, queue in asynchronous))
    return holds(asked) | (holds(plain & by_name & by_queue) if asynchronous else fn.lit(False))


def _role(asynchronous: Queues) -> Column:
    done = completed()
    put, get = fn.col("call").is_in("MQPUT", "MQPUT1"), fn.col("call").is_in("MQGET", "CALLBACK")
    asked = fn.col("call") == "MQGET"
    reason = fn.coalesce("reason", fn.lit(MQRC.NONE))
    awaited = ~_not_awaited(asynchronous) & (reason != MQRC.MULTIPLE_REASONS)
    returned = done & ~reason.is_in(*WITHOUT_OUTPUTS) & ~holds(has("options", MQGMO.UNLOCK))
    cut = cut_short()
    stayed = has("options", BROWSE) & ~has("options", MQGMO.LOCK)
    return (
        fn.when(put & has_unknown_effect(), MAYBE_PUT)
        .when(asked & has_unknown_effect() & holds(stayed), GLANCE)
        .when(asked & has_unknown_effect(), TOUCH)
        .when(put & done & awaited, PUT)
        .when(put & (done | fn.col("comp_code").is_null()), MAYBE_PUT)
        .when(get & fn.col("comp_code").is_null(), TOUCH)
        .when(get & returned & cut, SIGHT)
        .when(get & returned & stayed, SIGHT)
        .when(get & returned & ~has("options", BROWSE) & ~cut, TAKE)
        .when(get & returned, TOUCH)
        .when(asked & (fn.col("comp_code") == MQCC.FAILED) & (reason == MQRC.NO_MSG_AVAILABLE), EMPTY)
    )


def may_remove() -> Column:
    """Return whether a move may take its message off the queue: a browse does not, whatever became of it."""
    return fn.col("role").is_in(TAKE, TOUCH) & ~holds(has("options", BROWSE))


def _selection() -> Column:
    """Return the selection of a get; null if the record does not show it.

    The null identifier matches any message. Without match options, as in a version 1 MQGMO, MsgId and CorrelId select,
    unless they were not captured and something else is asked for.
    """
    options, match = fn.col("options"), fn.col("match_options")
    both = fn.lit(MQMO.MATCH_MSG_ID | MQMO.MATCH_CORREL_ID)
    asked = fn.coalesce(match, both)
    groupless = fn.when(asked.bit_and(fn.lit(MQMO.MATCH_GROUP_ID)) == 0, True).otherwise(is_null_id("sel_group_id"))
    any_id = fn.when(asked.bit_and(fn.lit(MQMO.MATCH_MSG_ID)) == 0, True).otherwise(is_null_id("sel_msg_id"))
    any_correl = fn.when(asked.bit_and(fn.lit(MQMO.MATCH_CORREL_ID)) == 0, True).otherwise(is_null_id("sel_correl_id"))
    return (
        fn.when(options.is_null() | (match.is_null() & _asks_for_more()), None)
        .when(_unmarked() & any_id & any_correl & groupless & ~_not_wild(asked), UNMARKED)
        .when(has("options", _NOT_IN_PHYSICAL_ORDER), OTHERWISE)
        .when(_not_wild(asked), OTHERWISE)
        .when(groupless.is_null(), None)
        .when(~groupless, OTHERWISE)
        .when(any_id & any_correl & has("options", _WHOLE), NEXT_WHOLE)
        .when(any_id & any_correl & has("options", MQGMO.LOGICAL_ORDER), NEXT_GROUP)
        .when(has("options", _WHOLE | MQGMO.LOGICAL_ORDER), OTHERWISE)
        .when(any_id & any_correl, ANY)
        .when(~any_id & any_correl, BY_MSG_ID)
        .when(any_id & ~any_correl, BY_CORREL_ID)
        .when(~any_id & ~any_correl, BY_BOTH)
    )


def _not_wild(asked: Column) -> Column:
    """Return whether match options select by a field for which no value matches any message."""
    return asked.bit_and(fn.lit(_WITHOUT_WILDCARD)) != 0


def _unmarked() -> Column:
    """Return whether a call browses for unmarked messages without any other condition that a message may fail."""
    others = (_NOT_IN_PHYSICAL_ORDER & ~MQGMO.UNMARKED_BROWSE_MSG) | _WHOLE | MQGMO.LOGICAL_ORDER | MQGMO.COMPLETE_MSG
    return has("options", MQGMO.UNMARKED_BROWSE_MSG) & has("options", SCANS) & ~has("options", others)


def _asks_for_more() -> Column:
    """Return whether a get shows more selections than a version 1 MQGMO allows, which has no MsgToken."""
    group, later_version = ~is_null_id("sel_group_id"), fn.col("sel_token").is_not_null()
    return holds(group) | holds(fn.col("sel_seq_number") > 1) | holds(fn.col("sel_offset") > 0) | later_version


def _effect() -> Column:
    """Return the call that settles a move, and whether it put, removed or restored a message.

    A `visible` put is seen by all from then on, an `undone` one never; a `final` take can no longer be backed out; a
    `released` message is on the queue again. Null if that is not known or never happened.
    """
    itself = fn.struct(*_DONE)
    end = fn.col("unit_end")
    at_end = fn.struct(*(end[name].alias(name) for name in _DONE))
    unlocked = fn.struct(*(fn.col("lock_end")[name].alias(name) for name in _DONE))
    role, in_unit, outcome = fn.col("role"), fn.col("in_unit"), end["outcome"]
    skipped = has("options", MQGMO.MARK_SKIP_BACKOUT)

    def effect(kind: str, by: Column) -> Column:
        return fn.struct(fn.lit(kind).alias("kind"), by.alias("by"))

    return (
        fn.when((role == PUT) & ~in_unit, effect("visible", itself))
        .when((role == PUT) & (outcome == COMMITTED), effect("visible", at_end))
        .when((role == PUT) & (outcome == BACKED_OUT), effect("undone", at_end))
        .when(role == SIGHT, effect("released", itself))
        .when((role == TOUCH) & fn.col("lock_end").is_not_null(), effect("released", unlocked))
        .when((role == TAKE) & ~in_unit, effect("final", itself))
        .when((role == TAKE) & (outcome == COMMITTED), effect("final", at_end))
        .when((role == TAKE) & in_unit & ~skipped & (outcome == BACKED_OUT), effect("released", at_end))
    )


def _why_released() -> Column:
    """Return the rule by which a returned message stayed on or came back to the queue, as far as recorded."""
    role, truncated = fn.col("role"), ~has("options", BROWSE) | holds(cut_short())
    return (
        fn.when((role == SIGHT) & truncated, fn.when(has("options", MQGMO.COMPLETE_MSG), "CMP-04").otherwise("TRN-05"))
        .when(role == SIGHT, "BRW-02")
        .when(role == TOUCH, fn.col("lock_end")["why"])
        .when(has("options", MQGMO.SYNCPOINT_IF_PERSISTENT), "SIP-01")
        .otherwise("SYN-03")
    )


def _held_until() -> Column:
    """Return the time until which a returned message was surely kept from all others; null if it was not."""
    skipped = has("options", MQGMO.MARK_SKIP_BACKOUT)
    taken = (fn.col("role") == TAKE) & fn.col("in_unit") & ~skipped
    return fn.when(taken, fn.col("open_until")).when(fn.col("role") == TOUCH, fn.col("lock_until"))


def _public_hi() -> Column:
    """Return the time by which a returned message without a put in the log was surely visible to all.

    A connection sees what it has put itself (VIS-02), perhaps in a unit of work that it opened before the log began.
    """
    ended = fn.col("unit_end.outcome").is_in(COMMITTED, BACKED_OUT)
    return fn.when(fn.col("unit_begun"), fn.col("hi")).when(ended, fn.col("unit_end.hi"))


def from_front() -> Column:
    """Return whether a call that selects looked for its message from the front of the queue, by its options."""
    in_group = has("options", MQGMO.LOGICAL_ORDER) & ~has("options", MQGMO.BROWSE_FIRST)
    return ~has("options", MQGMO.BROWSE_NEXT) & ~in_group


def goes_on() -> Column:
    """Return whether an MQGET looked for a message, and by its options perhaps from its handle's position."""
    looked = fn.col("comp_code").is_in(MQCC.OK, MQCC.WARNING) | (fn.col("reason") == MQRC.NO_MSG_AVAILABLE)
    return holds((fn.col("call") == "MQGET") & looked & ~from_front())


def in_open_unit() -> Column:
    """Return whether a row put or got in a unit of work whose end is not known."""
    return holds(fn.col("in_unit")) & fn.col("effect").is_null()


def tells_its_message() -> Column:
    """Return whether a row is a get or browse that surely returned a message, which a browse may have locked."""
    locks = (fn.col("role") == TOUCH) & completed() & has("options", MQGMO.LOCK)
    return fn.col("role").is_in(TAKE, SIGHT) | holds(locks)


def wanted(selection: Column, msg_id: Column, correl_id: Column) -> Column:
    """Return the selection of a call with its values, as one text; null if it asks in another way."""
    in_groups = [fn.when(selection == each, fn.lit(f"g{number}")) for number, each in enumerate(IN_GROUPS)]
    return fn.coalesce(
        fn.when(selection == ANY, fn.lit(""))
        .when(selection == UNMARKED, fn.lit("u"))
        .when(selection == BY_MSG_ID, fn.concat(fn.lit("m"), msg_id))
        .when(selection == BY_CORREL_ID, fn.concat(fn.lit("c"), correl_id))
        .when(selection == BY_BOTH, fn.concat(fn.lit("b"), msg_id, correl_id)),
        *in_groups,
    )


def moves_of(calls: Frame, platform: str, asynchronous: Queues = ()) -> Frame:
    """Return the calls that put, returned or did not find a message, with the effect of each.

    `asynchronous` are the queues whose DEFPRESP is ASYNC.

    The columns that some check uses are kept. Added and narrowed columns are those of
    spark_checks.preparation.schemas.moves.OfMove.
    """
    moving = fn.col("role").is_not_null() & ~fn.col(CARRIED).same_as(IN_CONTEXT)
    roles = calls.with_column("role", _role(asynchronous)).where(moving)
    units = roles.with_column("in_unit", unit_by_options(platform, fn.col("role").is_in(*RETURNS))).with_column(
        "selection", fn.when(~fn.col("role").is_in(*PUTS), _selection())
    )
    as_passed = (fn.col("role") == MAYBE_PUT) & has_unknown_effect() & holds(has("options", MQPMO.NEW_MSG_ID))
    narrowed = {
        "msg_id": fn.when(~is_null_id("msg_id") & ~as_passed, fn.col("msg_id")),
        "original_length": fn.when(fn.col("msg_type") == MQMT.REPORT, fn.col("original_length")),
        "reply_to_q": fn.when((fn.col("report") != 0) | (fn.col("msg_type") == MQMT.REQUEST), fn.col("reply_to_q")),
    }
    return units.select(
        *(name for name in KEPT if name not in narrowed),
        *(column.alias(name) for name, column in narrowed.items()),
        CARRIED,
        call_row().alias("row"),
        "lo", "hi", "loose", "since", "until_lo", "connected", "lives_left", "role", "in_unit", "selection",
        fn.when(fn.col("role").is_in(*RETURNS), _public_hi()).alias("public_hi"),
        fn.col("unit_end").is_null().alias("endless"),
        fn.when(fn.col("in_unit"), fn.col("unit_end")).alias("unit_end"),
        fn.when(fn.col("in_unit"), fn.col("open_until")).alias("open_until"),
        _effect().alias("effect"),
        fn.when(fn.col("role").is_in(*RETURNS), _why_released()).alias("why_released"),
        _held_until().alias("held_until"),
    )  # fmt: skip  # columns
