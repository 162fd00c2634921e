"""Delivery: nothing comes from nowhere (DLV-01), and nothing is delivered twice (DLV-02, SYN-02, SYN-08).

Identifiers prove less than they seem to: applications use them twice, a log may begin with messages on the
queue, and a report may carry the identifier of its original.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column
from pyspark.sql import functions as fn

from oracle.constants import MQFMT, MQGMO, MQMF, MQMT, MQSS
from spark_checks.checks.base import Check, Concern, absent
from spark_checks.findings import Doubt, Statement, this_call
from spark_checks.preparation.columns import has, holds, text
from spark_checks.preparation.identity import elsewhere, from_before, sole_origin
from spark_checks.preparation.log import Log
from spark_checks.preparation.moves import RETURNS, TAKE, TOUCH

_GENERATED = ("414d5120", "c3e2d840", "43535120")
"""How identifiers begin that queue managers generate: `AMQ `, and `CSQ ` in both code pages."""


def _made_by_queue_manager(log: Log) -> Column:
    """Return whether the queue manager may have made the message: a report, a trigger message or a segment."""
    by_flags = has("msg_flags", MQMF.SEGMENT | MQMF.LAST_SEGMENT)
    segment = fn.coalesce(by_flags, fn.col("segment_status") != MQSS.NOT_A_SEGMENT)
    return (
        (fn.col("msg_type") == MQMT.REPORT)
        | fn.col("format").isin(MQFMT.TRIGGER, MQFMT.XMIT_Q_HEADER)
        | (fn.lit(False) if log.facts.platform == "zos" else segment)
        | has("options", MQGMO.COMPLETE_MSG)
    )


def _from_nowhere(log: Log) -> Statement:
    """Find returned messages that were not put (DLV-01).

    A violation if the log is complete, the queue was empty at its beginning, and the record shows that the
    queue manager did not make the message itself. A suspicion if the record lacks the columns that show it.
    """
    never_put = fn.col("n_puts") == 0
    too_early = fn.col("first_put_lo") > fn.col("hi") + log.margin
    made = _made_by_queue_manager(log)
    what = fn.when(
        never_put, " returned a message that no call had put on the queue, which was empty when the log began"
    ).otherwise(" returned a message before the first put of a message with its identifier on this queue began")
    return Statement(
        rule="DLV-01",
        where=fn.col("role").isin(*RETURNS)
        & fn.col("whole")
        & fn.col("pinned")
        & (never_put | too_early)
        & ~holds(made),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[this_call(), fn.when(too_early, fn.col("put"))],
        sentence=text(fn.col("call"), " by connection ", fn.col("conn"), what),
        doubts=[Doubt(made, "the queue manager made the message itself: a report, a trigger message or a segment")],
    )


def _likely() -> Column:
    """Return whether a repeated identifier means something: in a log that is not whole, only a generated one."""
    return (fn.col("whole") & sole_origin()) | fn.substring("msg_id", 1, 8).isin(*_GENERATED)


def _twice() -> Column:
    """Return the key under which a message that was delivered twice is reported once."""
    return fn.concat(fn.lit("twice "), fn.col("msg_id"))


def _returned_again(log: Log) -> Statement:
    """Find messages that came back after their final get (SYN-02, SYN-08; DLV-02 if it is not known which).

    A violation in a complete log if no second message can have had the identifier: the queue was empty at
    the log's beginning, or the put had the queue manager generate the identifier. Otherwise a suspicion if
    the identifier looks generated, because then two messages share it only by an application's doing.
    """
    first = fn.col("first_final")
    later = fn.col("lo") > first["hi"] + log.margin
    later_in_connection = (fn.col("conn") == first["by"]["conn"]) & (fn.col("seq") > first["at_seq"])
    report = holds(fn.col("msg_type") == MQMT.REPORT)
    in_unit = first["in_unit"]
    how = fn.when(in_unit, " had got under syncpoint and committed before").otherwise(" had removed for good before")
    return Statement(
        rule=fn.when(in_unit, "SYN-02").when(~in_unit, "SYN-08").otherwise("DLV-02"),
        where=fn.col("role").isin(*RETURNS)
        & (fn.col("n_puts") <= 1)
        & ~report
        & (later | later_in_connection)
        & _likely(),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[
            fn.col("put"),
            first["take"],
            fn.when(first["by"]["seq"] != first["take"]["seq"], first["by"]),
            this_call(),
        ],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), " returned a message that connection ",
            first["take"]["conn"], how,
        ),
        doubts=[elsewhere(), from_before(sole_origin())],
        once=_twice(),
    )  # fmt: skip


def _too_often() -> Statement:
    """Find messages that were got for good more often than they were put, in whatever order (DLV-02).

    Violation and suspicion as for messages that came back.
    """
    first = fn.col("first_final.take")
    final = (fn.col("effect.kind") == "final") & ~holds(fn.col("msg_type") == MQMT.REPORT)
    itself = (fn.col("conn") == first["conn"]) & (fn.col("seq") == first["seq"])
    times = fn.when(fn.col("n_puts") == 1, " time").otherwise(" times")
    return Statement(
        rule="DLV-02",
        where=(fn.col("role") == TAKE)
        & final
        & ~itself
        & (fn.col("n_puts") >= 1)
        & (fn.col("n_final") > fn.col("n_puts"))
        & _likely(),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[fn.col("put"), first, this_call()],
        sentence=text(
            "the messages with this identifier were got for good ", fn.col("n_final"), " times, but put only ",
            fn.col("n_puts"), times,
        ),
        doubts=[elsewhere(), from_before(sole_origin())],
        once=_twice(),
        rank=1,
    )  # fmt: skip


def _of_moves(log: Log) -> Sequence[Statement]:
    return [_from_nowhere(log), _returned_again(log), _too_often()]


def _concerns(log: Log) -> Sequence[Concern]:
    returned = fn.col("role").isin(*RETURNS)
    taken = fn.col("role").isin(TAKE, TOUCH)
    known = absent("queue", "msg_id")
    outcome = {"comp_code": fn.col("comp_code").isNull(), "options": fn.col("options").isNull()}
    complete = {"complete": ~fn.col("whole")}
    origin = complete | {"depth": ~sole_origin()}
    in_unit = fn.col("in_unit")
    kind = absent("msg_type", "format")
    if log.facts.platform != "zos":
        kind["msg_flags"] = fn.col("msg_flags").isNull() & fn.col("segment_status").isNull()
    return [
        Concern("DLV-01", returned, known | complete | {"depth": ~fn.col("pinned")} | kind),
        Concern("DLV-02", taken, known | outcome | origin),
        Concern("SYN-02", taken & in_unit, known | outcome | origin),
        Concern("SYN-08", taken & ~in_unit, known | outcome | origin),
    ]


DELIVERY = Check("delivery", _concerns, _of_moves)
