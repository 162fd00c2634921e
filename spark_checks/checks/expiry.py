"""Expiry: late delivery (EXP-09) and remaining time (EXP-07, EXP-29, CAP-01).

Expiry is in tenths of a second and approximate: one second of tolerance on every time (EXP-08), none on a
value that must never occur.
"""

from __future__ import annotations

from collections.abc import Sequence

from oracle.mqi.constants import MQEI, MQMT
from spark_checks.checks.base import Check, Concern, absent
from spark_checks.checks.delivery import another_report, likely, the_one_put
from spark_checks.frames import Column
from spark_checks.frames import functions as fn
from spark_checks.preparation.absence import EXPIRY_TOLERANCE_US
from spark_checks.preparation.columns import holds, text, unknown_or
from spark_checks.preparation.doubts import Doubt
from spark_checks.preparation.facts import ALTERED
from spark_checks.preparation.identity import elsewhere, from_before, perhaps_another
from spark_checks.preparation.log import Log
from spark_checks.preparation.messages import LONGEST_EXPIRY
from spark_checks.preparation.moves import RETURNS
from spark_checks.results.findings import Statement, ref, this_call
from spark_checks.times import NEVER


def _returned(log: Log) -> Column:
    """Return whether a row shows what a get or browse returned of a message that was put in the log."""
    report = holds(fn.col("msg_type") == MQMT.REPORT)
    return fn.col("role").is_in(*RETURNS) & (fn.col("n_puts") >= 1) & the_one_put(log.margin) & ~report


def _another(log: Log) -> list[Doubt]:
    """Return what may explain a message that differs from its put: it is another message, or a report about it."""
    return [*perhaps_another(log.margin), another_report()]


def _late(log: Log) -> Statement:
    """Find messages returned after they had expired (EXP-09).

    The latest possible put and the earliest possible return count. A violation in a complete log if the message can
    only be one put in the log, a suspicion otherwise.
    """
    late = fn.col("lo") > fn.col("expires_us") + EXPIRY_TOLERANCE_US + log.margin
    seconds = fn.round((fn.col("lo") - fn.col("expires_us")) / 1_000_000, 1)
    return Statement(
        rule="EXP-09",
        where=_returned(log) & late,
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[fn.col("put"), this_call()],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), " returned a message ", seconds,
            " seconds after its Expiry had passed",
        ),
        doubts=_another(log),
    )  # fmt: skip  # a sentence


def _late_by_another_call(log: Log) -> Statement:
    """Find messages whose put the log lacks, returned after the lifetime that another call showed was over (EXP-09).

    A suspicion, because there may have been another message with the same identifier. The identifier must be a
    generated one.
    """
    deadline = fn.col("deadline")
    late = fn.col("lo") > deadline["us"] + EXPIRY_TOLERANCE_US + log.margin
    seconds = fn.round((fn.col("lo") - deadline["us"]) / 1_000_000, 1)
    return Statement(
        rule="EXP-09",
        where=fn.col("role").is_in(*RETURNS) & holds(late) & likely() & ~holds(fn.col("msg_type") == MQMT.REPORT),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[ref(deadline), this_call()],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), " returned a message ", seconds,
            " seconds after the end of its lifetime as connection ", deadline["conn"], " had been shown it",
        ),
        doubts=[elsewhere(), from_before(fn.lit(False)), another_report()],
    )  # fmt: skip  # a sentence


def _too_much_left(log: Log) -> Statement:
    """Find messages returned with more time left than they can have had (EXP-07), unless they were late anyway.

    The remaining time may be rounded up to a whole tenth of a second. Violation and suspicion as for late ones.
    """
    limited = fn.col("expires_us") < NEVER
    left = fn.col("expiry").cast("long")
    at_most = fn.col("expires_us") - fn.col("lo") + EXPIRY_TOLERANCE_US + log.margin
    late = at_most < 0
    too_much = (left == MQEI.UNLIMITED) | (left > fn.col("largest_expiry")) | ((left - 1) * 100_000 > at_most)
    return Statement(
        rule="EXP-07",
        where=_returned(log) & limited & ~late & too_much,
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[fn.col("put"), this_call()],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), " returned a message with Expiry ", fn.col("expiry"),
            ", which is more than was left of the ", fn.col("largest_expiry"),
            " tenths of a second that it was put with",
        ),
        doubts=_another(log),
    )  # fmt: skip  # a sentence


def _too_little_left(log: Log) -> Statement:
    """Find messages returned with less time left than they must have had (EXP-07).

    The earliest possible put and the latest possible return count. Violation and suspicion as for those with an Expiry
    that were put without one (EXP-29).
    """
    put, left = fn.col("put"), fn.col("expiry").cast("long")
    was = put["expiry"].cast("long")
    gone = fn.col("hi") - put["lo"] + EXPIRY_TOLERANCE_US + log.margin
    limited = (was > 0) & (was <= LONGEST_EXPIRY) & (left > 0)
    return Statement(
        rule="EXP-07",
        where=_returned(log) & limited & ((left + 1) * 100_000 + gone < was * 100_000) & _uncapped(),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[put, this_call()],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), " returned a message with Expiry ", fn.col("expiry"),
            ", which is less than was left of the ", was, " tenths of a second that it was put with",
        ),
        doubts=_doubts_of_caps(log),
    )  # fmt: skip  # a sentence


def _over_the_cap(log: Log) -> Statement:
    """Find messages returned with more time left than CAPEXPRY of their queue leaves any message (CAP-01).

    A suspicion, because the queue may have been altered after the put. The documents do not say whether a cap applies
    to unlimited messages.
    """
    return Statement(
        rule="CAP-01",
        where=_returned(log) & (fn.col("cap_expiry") > 0) & (fn.col("expiry") > fn.col("cap_expiry")),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[fn.col("put"), this_call()],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), " returned a message with Expiry ", fn.col("expiry"),
            " from a queue whose CAPEXPRY is ", fn.col("cap_expiry"),
        ),
        doubts=[Doubt(fn.lit(True), ALTERED), *_another(log)],
    )  # fmt: skip  # a sentence


def _uncapped() -> Column:
    """Return whether CAPEXPRY of the queue is known to be 0.

    The record of a put may show the Expiry that the application passed, not the value that CAPEXPRY reduced it to
    (CAP-01): the activity trace does.
    """
    return holds(fn.col("cap_expiry") == 0)


def _doubts_of_caps(log: Log) -> list[Doubt]:
    """Return what may explain that less time is left of a message than its put shows."""
    by_its_name = fn.col("put")["object_name"] == fn.col("queue")
    return [
        Doubt(~by_its_name, "CAPEXPRY of what it was put to limited it"),
        *_another(log),
    ]


def _limited_by_itself(log: Log) -> Statement:
    """Find messages put without expiry and returned with one (EXP-29).

    The queue must be known to have no cap. Violation and suspicion as for late ones.
    """
    return Statement(
        rule="EXP-29",
        where=_returned(log) & fn.col("put_unlimited") & (fn.col("expiry") > 0) & _uncapped(),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[fn.col("put"), this_call()],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), " returned a message with Expiry ", fn.col("expiry"),
            " that was put without a limit (MQEI_UNLIMITED)",
        ),
        doubts=_doubts_of_caps(log),
    )  # fmt: skip  # a sentence


def _of_moves(log: Log) -> Sequence[Statement]:
    late = [_late(log), _late_by_another_call(log)]
    return [*late, _too_much_left(log), _too_little_left(log), _limited_by_itself(log), _over_the_cap(log)]


def _concerns(log: Log) -> Sequence[Concern]:
    del log
    returned = fn.col("role").is_in(*RETURNS)
    known = absent("queue", "msg_id")
    no_put = {"MQPUT": fn.col("n_puts") == 0}
    no_definition = {"CAPEXPRY": fn.col("cap_expiry").is_null()}
    return [
        Concern("EXP-07", returned, known | absent("expiry") | no_put),
        Concern("EXP-09", returned, known | no_put),
        Concern(
            "CAP-01", returned & unknown_or(fn.col("cap_expiry") > 0), known | absent("expiry") | no_put | no_definition
        ),
        Concern("EXP-29", returned & fn.col("put_unlimited"), known | absent("expiry") | no_definition),
    ]


EXPIRY = Check("expiry", _concerns, _of_moves)
