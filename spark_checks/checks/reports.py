"""Reports that the queue manager makes: of expiration (RPT-01 to RPT-03), of arrival, of delivery (RPM-01 to RPM-10).

A report that no call put was made by the queue manager, and its CorrelId is the MsgId of its original; unless that was
put with MQRO_PASS_CORREL_ID, which a log may show only of puts that it holds. What a report must be like is compared
with the one put of its original.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from oracle.model.groups.put_groups import SEGMENT_FLAGS
from oracle.mqi.constants import MQEI, MQFB, MQFMT, MQGMO, MQMF, MQMT, MQPER, MQPMO, MQRO
from spark_checks.checks.base import Check, Concern, absent
from spark_checks.checks.exclusion import of_transaction_manager
from spark_checks.frames import Column, Frame, Window
from spark_checks.frames import functions as fn
from spark_checks.preparation.absence import EXPIRY_TOLERANCE_US
from spark_checks.preparation.columns import has, holds, is_null_id, text, unknown_or
from spark_checks.preparation.connections import BACKED_OUT, REF_FIELDS
from spark_checks.preparation.doubts import Doubt
from spark_checks.preparation.identity import from_before
from spark_checks.preparation.log import Log
from spark_checks.preparation.messages import HIGHEST_PRIORITY
from spark_checks.preparation.moves import IN_PIECES, PUTS, RETURNS, TAKE, TOUCH
from spark_checks.preparation.queues import Use
from spark_checks.results.findings import Statement, ref, this_call
from spark_checks.times import NEVER

_FIRST_BYTES: Final = 100
_EXPIRATION = MQRO.EXPIRATION_WITH_FULL_DATA
_PASSED_ON = MQRO.DISCARD_MSG | MQRO.PASS_DISCARD_AND_EXPIRY
_CHANGED = tuple(
    name.strip() for name in (MQFMT.RF_HEADER_2, MQFMT.XMIT_Q_HEADER, MQFMT.MD_EXTENSION, MQFMT.DEAD_LETTER_HEADER)
)
"""Formats of messages whose length is not that of the data."""

MADE: Final = {
    MQFB.EXPIRATION: (MQRO.EXPIRATION, MQRO.EXPIRATION_WITH_DATA, MQRO.EXPIRATION_WITH_FULL_DATA),
    MQFB.COA: (MQRO.COA, MQRO.COA_WITH_DATA, MQRO.COA_WITH_FULL_DATA),
    MQFB.COD: (MQRO.COD, MQRO.COD_WITH_DATA, MQRO.COD_WITH_FULL_DATA),
}
"""By the Feedback of a report: the options that ask for it without data, with the first bytes, and with all of it."""

_ORIGINAL = (
    "lo", *REF_FIELDS, "priority", "persistence", "report", "reply_to_q", "length", "format", "group_id",
    "msg_seq_number", "offset", "msg_flags", "in_unit", "unit_end", "open_until",
)  # fmt: skip  # names


def made_report(*feedback: int) -> Column:
    """Return whether a row shows a report that the queue manager made, as far as a complete log tells."""
    report = (fn.col("msg_type") == MQMT.REPORT) & fn.col("feedback").is_in(*feedback)
    put = (fn.col("n_puts") > 0) | ~fn.col("whole")
    return fn.col("role").is_in(*RETURNS) & report & ~put & fn.col("correl_id").is_not_null()


def is_put() -> Column:
    """Return whether a row put a message, or perhaps did."""
    return fn.col("role").is_in(*PUTS)


def _passes() -> Column:
    """Return whether a row put a message whose reports may have its CorrelId."""
    return is_put() & unknown_or(has("report", MQRO.PASS_CORREL_ID))


def _may_be_split() -> Column:
    """Return whether the queue manager may make segments of the message that a row put."""
    return unknown_or(has("msg_flags", MQMF.SEGMENTATION_ALLOWED))


def _may_confirm() -> Column:
    """Return whether a row removed a message that may have asked for a report of its delivery."""
    return fn.col("role").is_in(TAKE, TOUCH) & unknown_or(has("report", MQRO.COD))


def _originals(log: Log) -> Frame:
    """Return by queue manager and MsgId what the puts of messages with it have in common.

    `original` is the put if there is just one, `delivered` the earliest time from which a get of it can have been
    committed, and `getters` are the connections that got it. If one `may_be_split`, reports may be about its segments.
    """
    expiry, kind = fn.col("expiry").cast("long"), fn.col("effect.kind")
    cap = fn.when(fn.col("cap_expiry") > 0, fn.col("cap_expiry").cast("long"))
    tenths = fn.when(expiry > 0, fn.least(expiry, cap)).when(expiry == MQEI.UNLIMITED, cap)
    endless = (expiry == MQEI.UNLIMITED) & cap.is_null()
    expires = fn.when(endless, fn.lit(NEVER)).otherwise(fn.col("lo") + tenths * 100_000)
    committed = fn.when(kind == "final", fn.col("effect.by.lo")).when(kind == "released", fn.lit(NEVER))

    def of_puts(value: Column) -> Column:
        return fn.when(is_put(), value)

    return (
        log.moves.where((is_put() | _may_confirm()) & fn.col("msg_id").is_not_null())
        .group_by("qmgr", fn.col("msg_id").alias("of"))
        .agg(
            fn.max(of_puts(fn.coalesce(has("report", _EXPIRATION), fn.lit(True)))).alias("requested"),
            fn.min(of_puts(fn.coalesce(expires, fn.lit(-NEVER)))).alias("expires"),
            fn.min(of_puts(holds(has("options", MQPMO.NEW_MSG_ID)))).alias("generated"),
            fn.max(of_puts(_may_be_split())).alias("may_be_split"),
            fn.min(of_puts(fn.struct(*_ORIGINAL))).alias("original"),
            fn.count(of_puts(fn.lit(1))).alias("originals"),
            fn.min(fn.when(_may_confirm(), fn.coalesce(committed, "lo"))).alias("delivered"),
            fn.collect_set(fn.when(_may_confirm(), fn.col("conn"))).alias("getters"),
        )
        .where("originals > 0")
    )


def _reports(log: Log) -> Frame:
    """Return the reports that the queue manager made, with what is known of the messages that they may be about.

    A report whose CorrelId may be that of its original, rather than its original's MsgId, tells too little.
    """
    told = (
        log.moves.where(is_put() | fn.col("role").is_in(TAKE, TOUCH))
        .group_by("qmgr")
        .agg(
            fn.max(_passes() & fn.col("correl_id").is_null()).alias("passes"),
            fn.max(is_put() & fn.col("msg_id").is_null()).alias("nameless"),
            fn.max(~is_put() & fn.col("msg_id").is_null()).alias("nameless_gets"),
            fn.max(is_put() & _may_be_split()).alias("splits"),
        )
    )
    about_one = Window.partition_by("qmgr", "of", "feedback")
    made = log.moves.where(made_report(*MADE)).renamed("correl_id", "of")
    passed_on = log.moves.where(_passes()).select("qmgr", fn.col("correl_id").alias("of"))
    named = fn.struct("msg_id", *REF_FIELDS)
    reports = made.with_columns(
        {
            "reports": fn.different("msg_id").over(about_one),
            "one": fn.min(named).over(about_one),
            "another": fn.max(named).over(about_one),
        }
    )
    return (
        reports.join(passed_on, ["qmgr", "of"], "left_anti")
        .join(_originals(log), ["qmgr", "of"], "left")
        .join(fn.broadcast(told), ["qmgr"], "left")
        .join(fn.broadcast(_defined(log)), (fn.col("qmgr") == fn.col("r_qmgr")) & _is_reply_queue(), "left")
    )


def _defined(log: Log) -> Frame:
    """Return the queues of which the log has the definition, so that their names are of no alias."""
    names = [(queue.qmgr, queue.queue) for queue in log.facts.queues if queue.sequence is not None]
    return log.moves.engine.frame(names, "r_qmgr string, r_queue string")


def _is_reply_queue() -> Column:
    return fn.trim("original.reply_to_q") == fn.col("r_queue")


def _passed() -> Doubt:
    return Doubt(fn.col("passes"), "its CorrelId is that of another message, put with MQRO_PASS_CORREL_ID")


def _older() -> Doubt:
    return Doubt(~fn.col("generated"), "it is about another message with the same MsgId, from before the log began")


def _said(*what: str | Column) -> Column:
    return text(fn.col("call"), " by connection ", fn.col("conn"), " returned ", *what)


def _statement(
    rule: str,
    where: Column,
    what: Sequence[str | Column],
    doubts: Sequence[Doubt],
    *,
    also: Column | None = None,
    once: Column | None = None,
) -> Statement:
    """Return what is found of reports; `also` is another call that proves it."""
    original = fn.col("original")
    return Statement(
        rule=rule,
        where=where,
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[fn.when(original.is_not_null(), ref(original)), this_call(), *([] if also is None else [ref(also)])],
        sentence=_said(*what),
        doubts=doubts,
        once=once,
    )


def _of_expiration(log: Log) -> Sequence[Statement]:
    """Find expiration reports that must not be (RPT-02, RPT-03), or two where one was due (RPT-01)."""
    expired = fn.col("feedback") == MQFB.EXPIRATION
    early = fn.col("expires") > fn.col("hi") + EXPIRY_TOLERANCE_US + log.margin
    when = fn.when(fn.col("expires") == NEVER, "whose original has unlimited expiry").otherwise(
        "before its original can have expired"
    )
    doubts = [_older(), _passed()]
    return [
        _statement(
            "RPT-02",
            expired & ~fn.col("requested") & ~early,
            ["an expiration report on a message that was put without MQRO_EXPIRATION"],
            doubts,
        ),
        _statement("RPT-03", expired & early, ["an expiration report ", when], doubts),
        _statement(
            "RPT-01",
            expired & (fn.col("reports") > fn.col("originals")) & ~fn.col("may_be_split"),
            ["one of ", fn.col("reports"), " expiration reports on one message"],
            doubts,
            also=fn.when(fn.col("one.msg_id") == fn.col("msg_id"), fn.col("another")).otherwise(fn.col("one")),
            once=fn.concat(fn.lit("reports on "), fn.col("of")),
        ),
    ]


def _on_nothing(log: Log) -> Statement:
    """Find confirmations of arrival on messages that were never put, and reports on no message at all (RPM-01)."""
    arrived, null = fn.col("feedback") == MQFB.COA, is_null_id("of")
    return _statement(
        "RPM-01",
        (arrived | null) & fn.col("original").is_null() & fn.col("pinned"),
        [
            fn.when(arrived, "a confirmation of arrival").otherwise("a report"),
            fn.when(null, " whose CorrelId is null").otherwise(
                " whose CorrelId is the MsgId of no message that was put"
            ),
        ],
        [
            _passed(),
            Doubt(fn.col("nameless"), "it is about a message whose MsgId the log lacks"),
            Doubt(fn.col("splits"), "it is about a segment that the queue manager made"),
            Doubt(fn.lit(log.facts.stretch.forgets), "it is about a message whose calls are no longer remembered"),
        ],
    )


@dataclass(frozen=True)
class Member:
    """A field that a report must have: the rule, when it speaks, what the field must be, and what else may explain it.

    `where` and `due` are columns of a report with its one original.
    """

    rule: str
    column: str
    name: str
    due: Column
    where: Column
    doubts: tuple[Doubt, ...] = ()


def _of_original(name: str) -> Column:
    return fn.col("original")[name]


def _asked(bits: int) -> Column:
    return _of_original("report").bit_and(fn.lit(bits)) != 0


def _due_length() -> Column:
    """Return how much data a report must have by the option that asked for it; null if none did (RPM-02)."""
    due: Column = fn.lit(None).cast("long")
    for feedback, (plain, first_bytes, full) in MADE.items():
        asked = _of_original("report").bit_and(fn.lit(int(full)))
        length = (
            fn.when(asked == full, _of_original("length"))
            .when(asked == first_bytes, fn.least(_of_original("length"), fn.lit(_FIRST_BYTES)))
            .when(asked == plain, fn.lit(0).cast("long"))
        )
        due = fn.when(fn.col("feedback") == feedback, length).otherwise(due)
    return due


def _members() -> Sequence[Member]:
    """Return what is compared of a report."""
    priority, persistence = _of_original("priority"), _of_original("persistence")
    told = fn.rtrim("format").is_in(*_CHANGED) | fn.rtrim(_of_original("format")).is_in(*_CHANGED)
    in_one = ~fn.col("may_be_split")
    as_it_stands = ~has("options", MQGMO.CONVERT) & ~unknown_or(told) & in_one
    segment = in_one & (_of_original("msg_flags").bit_and(fn.lit(SEGMENT_FLAGS)) != 0)
    both = _of_original("report").bit_and(fn.lit(_PASSED_ON)) == _PASSED_ON
    fifo = Doubt(fn.col("sequence") != "PRIORITY", "the queue is FIFO and the report has the queue's priority")
    capped = Doubt(fn.col("cap_expiry") != 0, "CAPEXPRY of the queue limits it")
    unlimited = fn.lit(int(MQEI.UNLIMITED))
    return (
        Member("RPM-02", "length", "bytes of data", _due_length(), as_it_stands),
        Member("RPM-04", "priority", "Priority", priority, priority.between(0, HIGHEST_PRIORITY), (fifo,)),
        Member(
            "RPM-04",
            "persistence",
            "Persistence",
            persistence,
            persistence.is_in(int(MQPER.NOT_PERSISTENT), int(MQPER.PERSISTENT)),
        ),
        Member("RPM-05", "expiry", "Expiry", unlimited, ~_asked(MQRO.PASS_DISCARD_AND_EXPIRY), (capped,)),
        Member("RPM-07", "group_id", "GroupId", _of_original("group_id"), segment),
        Member("RPM-07", "msg_seq_number", "MsgSeqNumber", _of_original("msg_seq_number"), segment),
        Member("RPM-07", "offset", "Offset", _of_original("offset"), segment),
        Member("RPM-07", "original_length", "OriginalLength", _of_original("length"), segment & ~unknown_or(told)),
        Member("RPM-10", "report", "Report", fn.lit(int(MQRO.DISCARD_MSG)), both),
        Member("RPM-10", "report", "Report", fn.lit(int(MQRO.NONE)), ~_asked(_PASSED_ON)),
    )


def _unlike(member: Member) -> Statement:
    """Find reports with another value than the message that they are about makes due."""
    one = fn.col("originals") == 1
    return _statement(
        member.rule,
        holds(one & member.where & (fn.col(member.column) != member.due)),
        ["a report with ", member.name, " ", fn.col(member.column), ", where its original makes ", member.due, " due"],
        [_older(), _passed(), *member.doubts],
    )


def _report_field() -> Statement:
    """Find reports whose Report field holds what that of no report holds (RPM-10), whatever they are about."""
    strange = ~fn.col("report").is_in(int(MQRO.NONE), int(MQRO.DISCARD_MSG))
    return _statement(
        "RPM-10",
        holds(strange) & fn.col("original").is_null(),
        ["a report whose Report field is ", fn.col("report")],
        [from_before(fn.col("pinned"))],
    )


def _too_early(log: Log) -> Sequence[Statement]:
    """Find confirmations of what had not been committed, or never was (RPM-03).

    Whether a connection finds those of its own puts and gets before the commit is left open.
    """
    original, one = fn.col("original"), fn.col("originals") == 1
    over = fn.col("hi") + log.margin
    undone = original["unit_end"]["outcome"] == BACKED_OUT
    uncommitted = original["in_unit"] & (undone | (over < original["open_until"]))
    whole = ~unknown_or(original["msg_flags"].bit_and(fn.lit(int(IN_PIECES))) != 0)
    undelivered = ~fn.col("nameless_gets") & (over < fn.coalesce("delivered", fn.lit(NEVER))) & whole
    arrived, delivered = fn.col("feedback") == MQFB.COA, fn.col("feedback") == MQFB.COD
    of_others, got_by_others = fn.col("conn") != original["conn"], ~fn.array_contains("getters", fn.col("conn"))
    return [
        _statement(
            "RPM-03",
            holds(one & arrived & uncommitted & of_others),
            ["a confirmation of arrival of a message whose put had not been committed"],
            [_older(), _passed(), of_transaction_manager(original["unit_end"])],
        ),
        _statement(
            "RPM-03",
            holds(one & delivered & undelivered & got_by_others),
            ["a confirmation of delivery of a message that nobody had got and committed"],
            [_older(), _passed()],
        ),
    ]


def _elsewhere() -> Statement:
    """Find reports that are not on the ReplyToQ of their originals (RPM-06), where that is a queue of the log."""
    dead = unknown_or(fn.rtrim("format") == MQFMT.DEAD_LETTER_HEADER.strip())
    other = fn.col("r_queue").is_not_null() & (fn.col("r_queue") != fn.col("queue"))
    return _statement(
        "RPM-06",
        holds((fn.col("originals") == 1) & other & ~dead & ~fn.col("transmission")),
        ["a report from a queue that is not ", _of_original("reply_to_q"), ", the ReplyToQ of its original"],
        [_older(), _passed()],
    )


def _of_reports(log: Log) -> Sequence[Statement]:
    return [
        *_of_expiration(log),
        _on_nothing(log),
        *(_unlike(member) for member in _members()),
        _report_field(),
        *_too_early(log),
        _elsewhere(),
    ]


def _concerns(log: Log) -> Sequence[Concern]:
    del log
    kind = (fn.col("msg_type") == MQMT.REPORT) & fn.col("role").is_in(*RETURNS)
    expired, arrived = fn.col("feedback") == MQFB.EXPIRATION, fn.col("feedback") == MQFB.COA
    made = fn.col("feedback").is_in(*MADE)
    needs = absent("queue", "msg_id", "correl_id") | {"complete": ~fn.col("whole")}
    of_segment = has("msg_flags", SEGMENT_FLAGS)
    return [
        Concern("RPT-01", kind & expired, needs),
        Concern("RPT-02", kind & expired, needs),
        Concern("RPT-03", kind & expired, needs),
        Concern("RPM-01", kind & arrived, needs | {"depth": ~fn.col("pinned")}),
        Concern("RPM-02", kind & made, needs | absent("length", "format", "options", "msg_flags")),
        Concern("RPM-03", kind & made & ~expired, needs),
        Concern("RPM-04", kind & made, needs | absent("priority", "persistence")),
        Concern("RPM-05", kind & made, needs | absent("expiry")),
        Concern("RPM-06", kind & made, needs | absent("format")),
        Concern("RPM-07", kind & made & of_segment, needs | absent("group_id", "original_length")),
        Concern("RPM-10", kind & made, needs | absent("report")),
    ]


def _of_frames(log: Log) -> Sequence[tuple[Frame, Sequence[Statement]]]:
    return [(_reports(log), _of_reports(log))] if Use.REPORTS in log.uses else []


REPORTS = Check("reports", _concerns, of_frames=_of_frames)
