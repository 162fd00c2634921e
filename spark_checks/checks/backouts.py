"""The backout count: from 0 (BOC-04) it rises with each backout of a get (BOC-01, BOC-03) and nothing else (BOC-02)."""

from __future__ import annotations

from collections.abc import Sequence

from oracle.model.groups.put_groups import SEGMENT_FLAGS
from oracle.mqi.constants import MQMT
from spark_checks.checks.base import Check, Concern, absent
from spark_checks.checks.delivery import likely
from spark_checks.frames import Column
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import holds, text, unknown_or
from spark_checks.preparation.doubts import Doubt
from spark_checks.preparation.identity import elsewhere, from_before, sole_origin
from spark_checks.preparation.log import Log
from spark_checks.preparation.moves import RETURNS, SIGHT, TAKE
from spark_checks.results.findings import Statement, ref, this_call


def _counted() -> Column:
    """Return whether a row shows the backout count of a message that was put at most once in the log."""
    report = holds(fn.col("msg_type") == MQMT.REPORT)
    return fn.col("role").is_in(*RETURNS) & (fn.col("n_puts") <= 1) & ~report & fn.col("backout_count").is_not_null()


def _why_there() -> Column:
    """Return the rule by which the message of a row was last backed out, or stayed on the queue when it was shown."""
    return fn.greatest("given_back", "shown")["why"]


def _last_of_all() -> Column:
    """Return whether a row is the only one that removed its message for good.

    All other gets of the message came before it. This holds whatever their times are: a get that waits begins before
    gets that are backed out while it waits.
    """
    return (fn.col("role") == TAKE) & holds((fn.col("effect.kind") == "final") & (fn.col("n_final") == 1))


def _of_others() -> list[Doubt]:
    return [elsewhere(), from_before(sole_origin())]


def _not_hardened(log: Log) -> Doubt:
    restarted = "the queue does not harden the count and the queue manager was restarted"
    return Doubt(fn.lit(log.facts.platform == "zos"), restarted)


def _too_low(log: Log) -> Statement:
    """Find messages whose count is less than the number of backouts that had surely ended before the call began."""
    over = fn.col("gap_from") + log.margin < fn.col("lo")
    last = _last_of_all()
    backouts = fn.when(last, fn.col("all_backouts")).otherwise(fn.col("backouts"))
    return Statement(
        rule=fn.when(fn.col("role") == TAKE, "BOC-01").otherwise("BOC-03"),
        where=_counted() & (holds(over) | last) & (fn.col("backout_count") < backouts) & likely(),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[fn.col("put"), ref(fn.col("given_back.by")), this_call()],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), " returned a message with BackoutCount ",
            fn.col("backout_count"), " although gets of it had been backed out ", backouts, " times before",
        ),
        doubts=[*_of_others(), _not_hardened(log)],
    )  # fmt: skip  # a sentence


def _fell(log: Log) -> Statement:
    """Find messages whose count is less than an earlier call had shown, whenever and wherever they were put."""
    shown = fn.col("highest_count")
    before = shown["hi"] + log.margin < fn.col("lo")
    return Statement(
        rule=fn.when(fn.col("role") == TAKE, "BOC-01").otherwise("BOC-03"),
        where=_counted() & holds(before & (fn.col("backout_count") < shown["backout_count"])) & likely(),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[fn.col("put"), ref(shown), this_call()],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), " returned a message with BackoutCount ",
            fn.col("backout_count"), " although that had been ", shown["backout_count"], " before",
        ),
        doubts=[*_of_others(), _not_hardened(log)],
        once=fn.concat(fn.lit("count fell "), fn.col("msg_id")),
        rank=1,
    )  # fmt: skip  # a sentence


def _too_high(log: Log) -> Statement:
    """Find messages whose count is more than the gets that can have been backed out.

    Messages that had been removed for good before are left out: their return is a finding of its own and explains the
    count. So are messages that a call for a whole logical message can have held without naming them. Only complete logs
    are judged: in another one, an application outside the log may well have backed out.
    """
    alone = fn.col("next_lo").is_null() | (fn.col("next_lo") > fn.col("hi") + log.margin)
    at_most = fn.when(alone, fn.col("backouts") + fn.col("perhaps_backouts")).otherwise(
        fn.col("all_backouts") + fn.col("all_perhaps_backouts")
    )
    segment = unknown_or(fn.col("put.msg_flags").bit_and(SEGMENT_FLAGS) != 0)
    why = _why_there()
    only_seen = why.startswith("BRW") | why.startswith("LCK")
    return Statement(
        rule=fn.when(at_most > 0, "BOC-01").when(why.is_null(), "BOC-04").when(only_seen, "BOC-02").otherwise("BOC-01"),
        where=_counted()
        & (fn.col("n_puts") == 1)
        & fn.col("whole")
        & ~(segment & fn.col("reassembles"))
        & (fn.col("backout_count") > at_most)
        & ~holds(fn.col("first_final.hi") + log.margin < fn.col("lo"))
        & likely(),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[fn.col("put"), this_call()],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), " returned a message with BackoutCount ",
            fn.col("backout_count"), " although gets of it can have been backed out at most ", at_most, " times before",
        ),
        doubts=_of_others(),
    )  # fmt: skip  # a sentence


def _concerns(log: Log) -> Sequence[Concern]:
    del log
    returned, why = fn.col("role").is_in(*RETURNS), _why_there()
    needs = absent("queue", "msg_id", "comp_code", "options", "backout_count") | {
        "MQPUT": fn.col("n_puts") == 0,
        "complete": ~fn.col("whole"),
        "depth": ~sole_origin(),
    }
    seen = why.startswith("BRW") | why.startswith("LCK")
    return [
        Concern("BOC-01", (fn.col("role") == TAKE) & why.is_not_null() & ~seen, needs),
        Concern("BOC-02", returned & seen, needs),
        Concern("BOC-03", (fn.col("role") == SIGHT) & why.is_not_null(), needs),
        Concern("BOC-04", returned & why.is_null(), needs),
    ]


BACKOUTS = Check("backouts", _concerns, lambda log: [_too_low(log), _fell(log), _too_high(log)])
