"""Exclusion: no other call gets a message that is held (SYN-01, LCK-01 and its kin) or not committed (VIS-01).

A message was surely held from the end of the call that took or locked it until the first call began that can have
released it. Two holders are a violation even if it is unknown which was first.
"""

from __future__ import annotations

from collections.abc import Sequence

from oracle.mqi.constants import MQGMO, MQMF, MQMT
from spark_checks.checks.base import Check, Concern, absent
from spark_checks.checks.delivery import another_report, likely, twice
from spark_checks.frames import Column
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import has, holds, text
from spark_checks.preparation.connections import BACKED_OUT, COMMITTED, EXPLICIT_ENDS
from spark_checks.preparation.doubts import Doubt, end_unseen
from spark_checks.preparation.identity import from_before, sole_origin
from spark_checks.preparation.log import Log, never_ended
from spark_checks.preparation.moves import RETURNS, TAKE, TOUCH
from spark_checks.preparation.sweep import Pass, Spot
from spark_checks.results.findings import Statement, ref, this_call
from spark_checks.times import NEVER

_HELD = "held"


def _has(call: Column, bits: int) -> Column:
    return holds(call["options"].bit_and(bits) != 0)


def _passes(log: Log) -> Sequence[Pass]:
    """Compare each return with the holds of its message: by time, holds with each other, and by `seq`."""
    until, msg_id = fn.col("held_until"), fn.col("msg_id")
    again = fn.col("n_returned") > 1
    holder = fn.col("role").is_in(TAKE, TOUCH) & until.is_not_null() & again
    returned = fn.col("role").is_in(*RETURNS) & again
    over, both_hold = fn.col("hi") + log.margin, until > fn.col("hi") + log.margin
    endless = fn.col("unit_end").is_null()
    own_unit = (fn.col("role") == TAKE) & fn.col("in_unit") & (fn.col("loose") | endless) & again
    unit_until = fn.when(endless, fn.lit(NEVER)).otherwise(fn.col("unit_end.seq"))
    return [
        Pass(
            _HELD,
            "held before",
            Spot(holder, over, until, (msg_id,)),
            Spot(returned, fn.col("lo"), over, (msg_id,)),
        ),
        Pass(
            _HELD,
            "held at once",
            Spot(holder & both_hold, fn.col("hi"), until, (msg_id,)),
            Spot(holder & both_hold, fn.col("hi"), over, (msg_id,)),
        ),
        Pass(
            _HELD,
            "held by itself",
            Spot(holder & own_unit, fn.col("seq"), unit_until, (msg_id, fn.col("conn"))),
            Spot((fn.col("role") == TAKE) & again, fn.col("seq"), fn.col("seq"), (msg_id, fn.col("conn"))),
        ),
    ]


def of_transaction_manager(end: Column, pending: Column | None = None) -> Doubt:
    """Return the doubt that the queue manager itself ended the unit of work earlier than the log shows.

    It does not apply where the log shows by `pending` that nothing ended it.
    """
    unseen = ~holds(end["call"].is_in(*EXPLICIT_ENDS))
    return Doubt(
        unseen if pending is None else unseen & ~holds(pending),
        "the unit of work ended earlier, by a transaction manager whose calls are not in the log",
    )


def _taken_while_held(log: Log) -> Statement:
    """Find messages returned while another get held them in its unit of work (SYN-01; DLV-02 to the same connection).

    Violation and suspicion as for messages that came back; see also of_transaction_manager.
    """
    call, holder = fn.col("asker"), fn.col("answer")
    own = call["conn"] == holder["conn"]
    end = fn.when(~holds(holder["unit_end"]["call"] == "MQDISC"), ref(holder["unit_end"]))
    return Statement(
        rule=fn.when(own, "DLV-02").otherwise("SYN-01"),
        where=(fn.col("family") == _HELD)
        & (holder["role"] == TAKE)
        & (~own | (call["role"] == TAKE))
        & (call["n_puts"] <= 1)
        & ~holds(call["msg_type"] == MQMT.REPORT)
        & likely(call.get_field),
        call=call,
        msg_id=call["msg_id"],
        calls=[call["put"], holder, call, end],
        sentence=text(
            call["call"], " by connection ", call["conn"], " returned a message that connection ", holder["conn"],
            " had got under syncpoint and neither committed nor backed out",
        ),
        doubts=[
            end_unseen(call["whole"]),
            from_before(sole_origin(call.get_field)),
            another_report(call.get_field),
            of_transaction_manager(holder["unit_end"], own & call["whole"] & never_ended(log, holder["unit_end"])),
        ],
        once=twice(call["msg_id"]),
    )  # fmt: skip  # a sentence


def _returned_while_locked() -> Statement:
    """Find messages returned through one handle while another had them locked (LCK-01 and its kin)."""
    call, holder = fn.col("asker"), fn.col("answer")
    own = call["conn"] == holder["conn"]
    other_handle = ~own | (call["hobj"] != holder["hobj"])
    both_wait = _has(call, MQGMO.LOCK) & _has(call, MQGMO.WAIT) & _has(holder, MQGMO.WAIT)
    segment = holder["msg_flags"].bit_and(MQMF.SEGMENT) != 0
    return Statement(
        rule=fn.when(own, "LCK-20")
        .when(both_wait, "ACT-05")
        .when(segment & _has(call, MQGMO.COMPLETE_MSG) & ~_has(holder, MQGMO.COMPLETE_MSG), "LCK-05")
        .when(_has(holder, MQGMO.BROWSE_MSG_UNDER_CURSOR), "CUR-07")
        .otherwise("LCK-01"),
        where=(fn.col("family") == _HELD)
        & (holder["role"] == TOUCH)
        & holds(other_handle)
        & (call["n_puts"] <= 1)
        & ~holds(call["msg_type"] == MQMT.REPORT)
        & likely(call.get_field),
        call=call,
        msg_id=call["msg_id"],
        calls=[call["put"], holder, call],
        sentence=text(
            call["call"], " by connection ", call["conn"], " returned a message that connection ", holder["conn"],
            " had locked with another handle, and nothing had released the lock",
        ),
        doubts=[
            Doubt(~call["whole"], "a call that released the lock is not in the log"),
            from_before(sole_origin(call.get_field)),
            another_report(call.get_field),
        ],
        once=twice(call["msg_id"]),
    )  # fmt: skip  # a sentence


def _seen_uncommitted(log: Log) -> Statement:
    """Find messages returned before their put was committed (VIS-01), or although it was backed out (UOW-02)."""
    put = fn.col("put")
    end, own = put["unit_end"], fn.col("conn") == put["conn"]
    backed_out = end["outcome"] == BACKED_OUT
    after_end = fn.when(own, fn.col("seq") > end["seq"]).otherwise(fn.col("lo") > end["hi"] + log.margin)
    pending = fn.col("whole") & never_ended(log, end)
    too_early = ~own & (holds(fn.col("hi") + log.margin < put["open_until"]) | pending)
    never = backed_out & (~own | after_end)
    still = holds(backed_out & after_end)
    what = fn.when(still, " although that had been backed out").otherwise(" before that was committed")
    return Statement(
        rule=fn.when(still, "UOW-02").otherwise("VIS-01"),
        where=fn.col("role").is_in(*RETURNS)
        & put["in_unit"]
        & (holds(never) | holds(too_early))
        & ~holds(fn.col("msg_type") == MQMT.REPORT)
        & likely(),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[put, fn.when(end.is_not_null() & ~holds(end["call"] == "MQDISC"), ref(end)), this_call()],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), " returned a message that connection ", put["conn"],
            " had put in its unit of work,", what,
        ),
        doubts=[
            end_unseen(fn.col("whole")),
            from_before(sole_origin()),
            another_report(),
            of_transaction_manager(end, pending),
        ],
        once=fn.concat(fn.lit("too early "), fn.col("msg_id")),
    )  # fmt: skip  # a sentence


def _of_answers(log: Log) -> Sequence[Statement]:
    return [_taken_while_held(log), _returned_while_locked()]


def _concerns(log: Log) -> Sequence[Concern]:
    del log
    returned, taken = fn.col("role").is_in(*RETURNS), fn.col("role") == TAKE
    origin = {"complete": ~fn.col("whole"), "depth": ~sole_origin()}
    needs = absent("queue", "msg_id", "comp_code", "options") | origin
    locked = holds(has("options", MQGMO.LOCK)) & returned
    locks = needs | absent("hobj")
    in_unit = fn.col("put.in_unit")
    return [
        Concern("SYN-01", taken & fn.col("in_unit"), needs),
        Concern("LCK-01", locked, locks),
        Concern("LCK-05", locked & has("msg_flags", MQMF.SEGMENT), locks),
        Concern("LCK-20", locked, locks),
        Concern("CUR-07", locked & has("options", MQGMO.BROWSE_MSG_UNDER_CURSOR), locks),
        Concern("ACT-05", locked & has("options", MQGMO.WAIT), locks),
        Concern("VIS-01", returned & in_unit, needs),
        Concern("UOW-02", returned & in_unit & (fn.col("put.unit_end.outcome") != COMMITTED), needs),
    ]


EXCLUSION = Check(
    "exclusion",
    _concerns,
    lambda log: [_seen_uncommitted(log)],
    passes=_passes,
    families=(_HELD,),
    of_answers=_of_answers,
)
