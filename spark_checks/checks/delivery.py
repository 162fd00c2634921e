"""Delivery: every message was put (DLV-01), and none is delivered twice (DLV-02 and the rules of removal).

Identifiers prove less than they seem to: applications use them twice, a log may begin with messages on the
queue, and a report may carry the identifier of its original.
"""

from __future__ import annotations

from collections.abc import Sequence

from oracle.model.groups.put_groups import SEGMENT_FLAGS
from oracle.mqi.constants import MQFMT, MQGMO, MQMF, MQMT, MQPER, MQRC, MQRO, MQSS
from spark_checks.checks.base import Check, Concern, absent
from spark_checks.frames import Column
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import Of, has, holds, text, unknown_or
from spark_checks.preparation.connections import is_own
from spark_checks.preparation.doubts import Doubt, end_unseen
from spark_checks.preparation.identity import elsewhere, from_before, of_put_time, sole_origin
from spark_checks.preparation.log import Log
from spark_checks.preparation.moves import RETURNS, TAKE, TOUCH
from spark_checks.results.findings import Statement, ref, this_call

_SYNCPOINTS = MQGMO.SYNCPOINT | MQGMO.NO_SYNCPOINT | MQGMO.SYNCPOINT_IF_PERSISTENT
_HEADED = (MQFMT.XMIT_Q_HEADER, MQFMT.DEAD_LETTER_HEADER)
"""The headers before which a queue manager puts what it made on a transmission queue or a dead-letter queue."""

_GENERATED = ("414d5120", "c3e2d840", "43535120")
"""The beginnings of identifiers that queue managers generate: `AMQ `, and `CSQ ` in both code pages."""


def _made_by_queue_manager(log: Log) -> Column:
    """Return whether the queue manager may have made the message: a report, a trigger message or a segment."""
    by_flags = has("msg_flags", SEGMENT_FLAGS)
    segment = fn.coalesce(by_flags, fn.col("segment_status") != MQSS.NOT_A_SEGMENT)
    return (
        (fn.col("msg_type") == MQMT.REPORT)
        | fn.rtrim("format").is_in(*_HEADED, MQFMT.TRIGGER)
        | (fn.lit(False) if log.facts.platform == "zos" else segment)
        | has("options", MQGMO.COMPLETE_MSG)
    )


def from_forgotten_times(log: Log) -> Column:
    """Return whether a call of this log began at a time whose calls are no longer all remembered."""
    return is_own() & (fn.col("lo") <= log.facts.stretch.kept_us + log.margin)


def _from_nowhere(log: Log) -> Statement:
    """Find returned messages that were not put (DLV-01).

    A violation if the log is complete, the queue was empty at its beginning, and the record shows that the
    queue manager did not make the message itself. A suspicion if the record lacks the columns that show it, and the
    identifier does not look like one of the queue manager.
    """
    never_put = (fn.col("n_puts") == 0) & ~from_forgotten_times(log)
    too_early = fn.col("first_put.lo") > fn.col("hi") + log.margin
    made = _made_by_queue_manager(log)
    nowhere = (
        " returned a message that was not on the queue: no call had put it there, or it had been removed or had expired"
        " before the time from which all calls are kept"
        if log.facts.stretch.forgets
        else " returned a message that no call had put on the queue, which was empty when the log began"
    )
    what = fn.when(never_put, nowhere).otherwise(
        " returned a message before the first put of a message with its identifier on this queue began"
    )
    return Statement(
        rule="DLV-01",
        where=fn.col("role").is_in(*RETURNS)
        & fn.col("whole")
        & fn.col("pinned")
        & (never_put | too_early)
        & ~holds(made)
        & ~(made.is_null() & looks_generated(fn.col("msg_id"))),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[this_call(), fn.when(too_early, ref(fn.col("first_put")))],
        sentence=text(fn.col("call"), " by connection ", fn.col("conn"), what),
        doubts=[Doubt(made, "the queue manager made the message itself: a report, a trigger message or a segment")],
    )


def likely(of: Of = fn.col) -> Column:
    """Return whether a repeated identifier is significant: in an incomplete log, only a generated one is."""
    return (of("whole") & sole_origin(of)) | looks_generated(of("msg_id"))


def looks_generated(msg_id: Column) -> Column:
    """Return whether an identifier looks like those that queue managers generate."""
    return fn.substring(msg_id, 1, 8).is_in(*_GENERATED)


def the_one_put(margin: int) -> Column:
    """Return whether a returned message is that of the puts in the log, as far as the log lets one expect.

    Applications use their own identifiers again. In an incomplete log, only the put time shows that the message with
    such an identifier is the one put.
    """
    return fn.col("whole") | likely() | of_put_time(fn.col("put_us"), fn.col, margin)


def another_report(of: Of = fn.col) -> Doubt:
    """Return the doubt for a record that does not show whether it is a report with its original's MsgId."""
    passes = unknown_or(of("put")["report"].bit_and(MQRO.PASS_MSG_ID) != 0)
    return Doubt(of("msg_type").is_null() & passes, "it was a report that has the identifier of its original")


def _by_put_time(margin: int) -> Column:
    """Return whether a call and the first final one of its message both returned the message of the one put in the log.

    Their put times show this for a message with any identifier, on a queue that was not empty when the log began.
    """
    both = of_put_time(fn.col("put_us"), fn.col, margin) & of_put_time(fn.col("first_final.put_us"), fn.col, margin)
    return (fn.col("n_puts") == 1) & both


def twice(msg_id: Column) -> Column:
    """Return the key under which a message that was delivered twice is reported once."""
    return fn.concat(fn.lit("twice "), msg_id)


def _in_segments() -> Column:
    """Return whether the message of a row is the first of several persistent segments put by an application."""
    first = fn.col("put.msg_flags").bit_and(fn.lit(int(SEGMENT_FLAGS))) == MQMF.SEGMENT
    return holds(first & (fn.col("put.persistence") == MQPER.PERSISTENT))


def _removed_by(first: Column) -> Column:
    """Return the rule by which a call removed a message for good; CUR-05 if a cursor was left on it."""
    options, in_unit = first["options"], first["in_unit"]
    if_persistent = options.bit_and(MQGMO.SYNCPOINT_IF_PERSISTENT) != 0
    by_default = options.bit_and(_SYNCPOINTS) == 0
    truncated = first["reason"] == MQRC.TRUNCATED_MSG_ACCEPTED
    under_cursor = has("options", MQGMO.MSG_UNDER_CURSOR | MQGMO.BROWSE_MSG_UNDER_CURSOR)
    put_together = (options.bit_and(MQGMO.COMPLETE_MSG) != 0) & _in_segments()
    return (
        fn.when(under_cursor, "CUR-05")
        .when(~in_unit & put_together, "CMP-09")
        .when(in_unit, "SYN-02")
        .when(~in_unit & truncated, "TRN-03")
        .when(~in_unit & if_persistent, "SIP-02")
        .when(~in_unit & by_default, "SYN-05")
        .when(~in_unit, "SYN-08")
        .otherwise("DLV-02")
    )


def _returned_again(log: Log) -> Statement:
    """Find messages that came back after their final get; the rule is the one by which that get was final.

    A violation in a complete log if no second message can have had the identifier: the queue was empty at the log's
    beginning, or the put had the queue manager generate the identifier. Otherwise a suspicion if the identifier looks
    generated, because then only an application can have given it to two messages.
    """
    first = fn.col("first_final")
    later = fn.col("lo") > first["hi"] + log.margin
    later_in_connection = (fn.col("conn") == first["by"]["conn"]) & (fn.col("seq") > first["at_seq"])
    report = holds(fn.col("msg_type") == MQMT.REPORT)
    in_unit = first["in_unit"]
    how = fn.when(in_unit, " had got under syncpoint and committed before").otherwise(" had removed for good before")
    return Statement(
        rule=_removed_by(first),
        where=fn.col("role").is_in(*RETURNS)
        & (fn.col("n_puts") <= 1)
        & ~report
        & (later | later_in_connection)
        & (likely() | _by_put_time(log.margin)),
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
        doubts=[
            end_unseen(fn.col("whole") | ~in_unit),
            elsewhere(),
            from_before(sole_origin() | _by_put_time(log.margin)),
            another_report(),
        ],
        once=twice(fn.col("msg_id")),
    )  # fmt: skip  # a sentence


def _both_waited(margin: int) -> Column:
    """Return whether this call and the first final one of its message were waiting when that became visible."""
    since, first = fn.col("put.visible.lo"), fn.col("first_final")
    waits = has("options", MQGMO.WAIT) & (first["options"].bit_and(MQGMO.WAIT) != 0)
    return holds(waits & (fn.col("end_us") > since) & (fn.greatest("lo", first["lo"]) + margin < since))


def _too_often(log: Log) -> Statement:
    """Find messages that were got for good more often than they were put, in whatever order.

    That is DLV-02, or ACT-01 where both calls were waiting when the message came. Violation and suspicion as for
    messages that came back.
    """
    first = fn.col("first_final.take")
    final = (fn.col("effect.kind") == "final") & ~holds(fn.col("msg_type") == MQMT.REPORT)
    itself = (fn.col("conn") == first["conn"]) & (fn.col("seq") == first["seq"])
    times = fn.when(fn.col("n_puts") == 1, " time").otherwise(" times")
    return Statement(
        rule=fn.when(_both_waited(log.margin), "ACT-01").otherwise("DLV-02"),
        where=(fn.col("role") == TAKE)
        & final
        & ~itself
        & (fn.col("n_puts") >= 1)
        & (fn.col("n_final") > fn.col("n_puts"))
        & (likely() | _by_put_time(log.margin)),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[fn.col("put"), first, this_call()],
        sentence=text(
            "The messages with this identifier were got for good ", fn.col("n_final"), " times, but put only ",
            fn.col("n_puts"), times,
        ),
        doubts=[elsewhere(), from_before(sole_origin() | _by_put_time(log.margin)), another_report()],
        once=twice(fn.col("msg_id")),
        rank=1,
    )  # fmt: skip  # a sentence


def _by_another_name() -> Column:
    """Return whether a message was put to a transmission queue under another name than that queue's."""
    return fn.col("transmission") & holds(fn.col("put.object_name") != fn.col("queue"))


def _untransmitted(log: Log) -> Statement:
    """Find messages on a transmission queue that were put to a remote queue and have no transmission header (CHN-01).

    A suspicion in any log: a log does not distinguish the name of a remote queue from that of an alias.
    """
    del log
    header = fn.rtrim("format") == MQFMT.XMIT_Q_HEADER.strip()
    return Statement(
        rule="CHN-01",
        where=fn.col("role").is_in(*RETURNS) & _by_another_name() & holds(~header & (fn.col("n_puts") == 1)) & likely(),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[fn.col("put"), this_call()],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), " returned from a transmission queue a message with"
            " Format ", fn.col("format"), " that connection ", fn.col("put.conn"), " had put to ",
            fn.col("put.object_name"),
        ),
        doubts=[Doubt(fn.lit(True), "that name is an alias of the transmission queue")],
    )  # fmt: skip  # a sentence


def _of_moves(log: Log) -> Sequence[Statement]:
    return [_from_nowhere(log), _returned_again(log), _too_often(log), _untransmitted(log)]


def _concerns(log: Log) -> Sequence[Concern]:
    returned = fn.col("role").is_in(*RETURNS)
    taken = fn.col("role").is_in(TAKE, TOUCH)
    known = absent("queue", "msg_id")
    outcome = {"comp_code": fn.col("comp_code").is_null(), "options": fn.col("options").is_null()}
    complete = {"complete": ~fn.col("whole")}
    origin = complete | {"depth": ~sole_origin()}
    in_unit, final = fn.col("in_unit"), taken & ~fn.col("in_unit")
    by_default = ~has("options", _SYNCPOINTS)
    under_cursor = has("options", MQGMO.MSG_UNDER_CURSOR | MQGMO.BROWSE_MSG_UNDER_CURSOR)
    kind = absent("msg_type", "format")
    if log.facts.platform != "zos":
        kind["msg_flags"] = fn.col("msg_flags").is_null() & fn.col("segment_status").is_null()
    return [
        Concern("DLV-01", returned, known | complete | {"depth": ~fn.col("pinned")} | kind),
        Concern("DLV-02", taken, known | outcome | origin),
        Concern("SYN-02", taken & in_unit, known | outcome | origin),
        Concern("SYN-05", final & by_default & fn.lit(log.facts.platform != "zos"), known | outcome | origin),
        Concern("SYN-08", final & has("options", MQGMO.NO_SYNCPOINT), known | outcome | origin),
        Concern("SIP-02", final & has("options", MQGMO.SYNCPOINT_IF_PERSISTENT), known | origin),
        Concern("TRN-03", final & (fn.col("reason") == MQRC.TRUNCATED_MSG_ACCEPTED), known | origin),
        Concern("CUR-05", returned & under_cursor, known | origin),
        Concern("CMP-09", final & has("options", MQGMO.COMPLETE_MSG) & _in_segments(), known | origin),
        Concern("CHN-01", returned & _by_another_name(), known | complete),
        Concern("ACT-01", taken & has("options", MQGMO.WAIT), known | outcome | origin),
    ]


DELIVERY = Check("delivery", _concerns, _of_moves)
