"""Reports that the queue manager makes: of expiration (RPT-01 to RPT-03), of arrival, of delivery (RPM-01 to RPM-10).

Each report is compared with the only put of its original (spark_checks.checks.reports_made).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from oracle.model.groups.put_groups import SEGMENT_FLAGS
from oracle.mqi.constants import MQEI, MQFB, MQFMT, MQGMO, MQMF, MQMT, MQPER, MQRO
from spark_checks.checks.base import Check, Concern, absent
from spark_checks.checks.exclusion import of_transaction_manager
from spark_checks.checks.reports_made import MADE, made_reports
from spark_checks.frames import Column, Frame
from spark_checks.frames import functions as fn
from spark_checks.preparation.absence import EXPIRY_TOLERANCE_US
from spark_checks.preparation.columns import Of, has, holds, is_null_id, text, unknown_or
from spark_checks.preparation.connections import BACKED_OUT
from spark_checks.preparation.doubts import Doubt
from spark_checks.preparation.identity import from_before
from spark_checks.preparation.log import Log
from spark_checks.preparation.messages import HIGHEST_PRIORITY
from spark_checks.preparation.moves import IN_PIECES, RETURNS
from spark_checks.preparation.uses import Use
from spark_checks.results.findings import Statement, ref, this_call
from spark_checks.times import NEVER

_FIRST_BYTES: Final = 100
_PASSED_ON = MQRO.DISCARD_MSG | MQRO.PASS_DISCARD_AND_EXPIRY
_CHANGED = tuple(
    name.strip() for name in (MQFMT.RF_HEADER_2, MQFMT.XMIT_Q_HEADER, MQFMT.MD_EXTENSION, MQFMT.DEAD_LETTER_HEADER)
)
"""Formats of messages whose length differs from that of the data."""


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
    """Return the statement about reports; `also` is another call that proves it."""
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
    """Find expiration reports that must not exist (RPT-02, RPT-03), or two where one was due (RPT-01)."""
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
    """Find confirmations of arrival on messages that were never put, and reports on no message at all (RPM-01).

    So are confirmations of delivery on messages that were neither put nor got: a get brings them about.
    """
    delivered = (fn.col("feedback") == MQFB.COD) & fn.col("got").is_null()
    arrived, null = fn.col("feedback") == MQFB.COA, is_null_id("of")
    return _statement(
        "RPM-01",
        (arrived | delivered | null) & fn.col("original").is_null() & fn.col("pinned"),
        [
            fn.when(arrived, "a confirmation of arrival")
            .when(delivered, "a confirmation of delivery")
            .otherwise("a report"),
            fn.when(null, " whose CorrelId is null").otherwise(
                " whose CorrelId is the MsgId of no message that was put"
            ),
            fn.when(~null & delivered, " or got").otherwise(""),
        ],
        [
            _passed(),
            Doubt(fn.col("nameless"), "it is about a message whose MsgId the log lacks"),
            Doubt(
                delivered & fn.col("nameless_gets"), "it is about a message that was got and whose MsgId the log lacks"
            ),
            Doubt(delivered & fn.col("whole_gets"), "it is about a segment of a message that was got whole"),
            Doubt(fn.col("splits"), "it is about a segment that the queue manager made"),
            Doubt(fn.lit(log.facts.stretch.forgets), "it is about a message whose calls are no longer remembered"),
        ],
    )


@dataclass(frozen=True)
class Member:
    """A field that a report must have. Conditions and values are columns of a report with its one original."""

    rule: str
    """The id of the rule."""
    column: str
    """The column of the event log that has the field."""
    name: str
    """The name of the field in an explanation."""
    due: Column
    """The required value. Null demands nothing."""
    where: Column
    """The reports that must have it."""


def _of_original(name: str) -> Column:
    return fn.col("original")[name]


def _asked(bits: int) -> Column:
    return _of_original("report").bit_and(fn.lit(bits)) != 0


def _due_length() -> Column:
    """Return the length of data that a report must have by the option that asked for it; null if none did (RPM-02)."""
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


def _priority_of(of: Of) -> Column:
    """Return whether a report may have the priority of a queue, its own or its original's, which may be FIFO."""
    return unknown_or(of("sequence") == "FIFO") & unknown_or(fn.col("priority") == of("def_priority"))


def _members() -> Sequence[Member]:
    """Return the members of a report that are compared."""
    priority, persistence = _of_original("priority"), _of_original("persistence")
    changed = fn.rtrim("format").is_in(*_CHANGED) | fn.rtrim(_of_original("format")).is_in(*_CHANGED)
    in_one = ~fn.col("may_be_split")
    as_it_stands = ~has("options", MQGMO.CONVERT | MQGMO.COMPLETE_MSG) & ~unknown_or(changed) & in_one
    joined = unknown_or(has("options", MQGMO.COMPLETE_MSG))
    one_length = ~unknown_or(changed) & ~joined & (_of_original("msg_type") != MQMT.REPORT)
    segment = in_one & (_of_original("msg_flags").bit_and(fn.lit(SEGMENT_FLAGS)) != 0)
    both = _of_original("report").bit_and(fn.lit(_PASSED_ON)) == _PASSED_ON
    ranked = priority.between(0, HIGHEST_PRIORITY)
    of_queue, of_originals_queue = _priority_of(fn.col), _priority_of(_of_original)
    uncapped = holds(fn.col("cap_expiry") == 0)
    unlimited = fn.lit(int(MQEI.UNLIMITED))
    return (
        Member("RPM-02", "length", "bytes of data", _due_length(), as_it_stands),
        Member("RPM-04", "priority", "Priority", priority, ranked & ~of_queue & ~of_originals_queue),
        Member(
            "RPM-04",
            "persistence",
            "Persistence",
            persistence,
            persistence.is_in(int(MQPER.NOT_PERSISTENT), int(MQPER.PERSISTENT)),
        ),
        Member("RPM-05", "expiry", "Expiry", unlimited, ~_asked(MQRO.PASS_DISCARD_AND_EXPIRY) & uncapped),
        Member("RPM-07", "group_id", "GroupId", _of_original("group_id"), segment),
        Member("RPM-07", "msg_seq_number", "MsgSeqNumber", _of_original("msg_seq_number"), segment),
        Member("RPM-07", "offset", "Offset", _of_original("offset"), segment),
        Member("RPM-07", "original_length", "OriginalLength", _of_original("length"), segment & one_length),
        Member("RPM-10", "report", "Report", fn.lit(int(MQRO.DISCARD_MSG)), both),
        Member("RPM-10", "report", "Report", fn.lit(int(MQRO.NONE)), ~_asked(_PASSED_ON)),
    )


def _unlike(member: Member) -> Statement:
    """Find reports with a value that differs from what their original requires."""
    one = fn.col("originals") == 1
    return _statement(
        member.rule,
        holds(one & member.where & (fn.col(member.column) != member.due)),
        ["a report with ", member.name, " ", fn.col(member.column), ", where its original makes ", member.due, " due"],
        [_older(), _passed()],
    )


def _report_field() -> Statement:
    """Find reports whose Report field has a value that no report may have (RPM-10), whatever they are about."""
    strange = ~fn.col("report").is_in(int(MQRO.NONE), int(MQRO.DISCARD_MSG))
    return _statement(
        "RPM-10",
        holds(strange) & fn.col("original").is_null(),
        ["a report whose Report field is ", fn.col("report")],
        [from_before(fn.col("pinned"))],
    )


def _as_segment(over: Column) -> Column:
    """Return whether an original is a segment, and no get of its whole message can have been committed by `over`."""
    flags = _of_original("msg_flags")
    segment = (flags.bit_and(fn.lit(int(IN_PIECES))) != 0) & (flags.bit_and(int(MQMF.SEGMENTATION_ALLOWED)) == 0)
    by_others = ~fn.coalesce(fn.array_contains("whole_getters", fn.col("conn")), fn.lit(False))
    not_as_whole = ~fn.col("groupless_gets") & (over < fn.coalesce("whole_delivered", fn.lit(NEVER))) & by_others
    return holds(segment) & not_as_whole


def _too_early(log: Log) -> Sequence[Statement]:
    """Find confirmations of puts or gets that had not been committed, or never were (RPM-03).

    It is left open whether a connection finds those of its own puts and gets before the commit.
    """
    original, one = fn.col("original"), fn.col("originals") == 1
    over = fn.col("hi") + log.margin
    undone = original["unit_end"]["outcome"] == BACKED_OUT
    uncommitted = original["in_unit"] & (undone | (over < original["open_until"]))
    whole = ~unknown_or(original["msg_flags"].bit_and(fn.lit(int(IN_PIECES))) != 0)
    ungot = ~fn.col("nameless_gets") & (over < fn.coalesce("delivered", fn.lit(NEVER)))
    undelivered = ungot & (whole | _as_segment(over))
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


def _without_correl_id() -> Statement:
    """Find reports with the MsgId of their original as CorrelId, which has MQRO_PASS_CORREL_ID (RPM-01)."""
    passed = _asked(MQRO.PASS_CORREL_ID) & (_of_original("correl_id") != fn.col("of"))
    return _statement(
        "RPM-01",
        holds((fn.col("originals") == 1) & passed),
        ["a report whose CorrelId is the MsgId of its original, which was put with MQRO_PASS_CORREL_ID"],
        [_older(), _passed()],
    )


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
        _without_correl_id(),
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
        Concern("RPM-05", kind & made, needs | absent("expiry") | {"CAPEXPRY": fn.col("cap_expiry").is_null()}),
        Concern("RPM-06", kind & made, needs | absent("format")),
        Concern("RPM-07", kind & made & of_segment, needs | absent("group_id", "original_length")),
        Concern("RPM-10", kind & made, needs | absent("report")),
    ]


def _of_frames(log: Log) -> Sequence[tuple[Frame, Sequence[Statement]]]:
    return [(made_reports(log), _of_reports(log))] if Use.REPORTS in log.uses else []


REPORTS = Check("reports", _concerns, of_frames=_of_frames)
