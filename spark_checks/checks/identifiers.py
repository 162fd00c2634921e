"""Identifiers that the queue manager makes: a generated MsgId (IDS-03) or CorrelId (IDS-09) never occurs twice.

One call may be recorded twice if traffic was captured at two points or captures overlap. The two records show different
connections, with the times of two clocks. Only a complete log has each call once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Final

from oracle.mqi.constants import MQPMO
from spark_checks.checks.base import Check, Concern, absent
from spark_checks.frames import Column, Frame, Window
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import has, holds, text, unknown_or
from spark_checks.preparation.connections import REF_FIELDS
from spark_checks.preparation.doubts import Doubt
from spark_checks.preparation.log import Log
from spark_checks.preparation.moves import PUT
from spark_checks.preparation.uses import Use
from spark_checks.results.findings import Statement, ref, this_call


@dataclass(frozen=True)
class Kind:
    """A kind of identifier that a put can have generated."""

    rule: str
    """The rule that says that each is different."""
    option: int
    """The option of a put that asks for it."""
    column: str
    """The column of the event log that contains it."""
    name: str
    """Its name in an explanation."""


KINDS = (
    Kind("IDS-03", MQPMO.NEW_MSG_ID, "msg_id", "MsgId"),
    Kind("IDS-09", MQPMO.NEW_CORREL_ID, "correl_id", "CorrelId"),
)


_OF_THE_CALL = (
    "queue", "call", "options", "correl_id", "msg_id", "group_id", "msg_seq_number", "offset", "msg_flags", "priority",
    "persistence", "expiry", "report", "msg_type", "feedback", "format", "length", "digest", "put_us",
)  # fmt: skip  # names
"""The columns that two records of one call have in common, as far as both show them."""
_APART_US: Final = 60_000_000
"""The greatest difference between two clocks that record one call."""


def _generated(log: Log) -> Frame:
    """Return each identifier that was generated for a put, with the put `before` it that got the same, if any."""
    made = [
        fn.when(
            holds((fn.col("role") == PUT) & has("options", kind.option)),
            fn.struct(fn.lit(number).alias("kind"), fn.col(kind.column).alias("id")),
        )
        for number, kind in enumerate(KINDS)
    ]
    rows = log.moves.with_column("made", fn.explode(fn.array_compact(fn.array(*made)))).where("made.id is not null")
    same = Window.partition_by("qmgr", "made.kind", "made.id").order_by("lo", "conn", "seq")
    itself = fn.struct(*REF_FIELDS, "lo", *(name for name in _OF_THE_CALL if name not in REF_FIELDS))
    return rows.with_column("before", fn.lag(itself).over(same))


def _of_kind(member: str) -> Column:
    return fn.element_at(fn.array(*(fn.lit(getattr(kind, member)) for kind in KINDS)), fn.col("made.kind") + 1)


def _alike() -> Column:
    """Return whether a put and the one before it may be one call that was recorded twice."""
    before = fn.col("before")
    near = fn.col("lo") - before["lo"] < _APART_US
    same = [unknown_or(fn.col(name) == before[name]) for name in _OF_THE_CALL]
    return reduce(and_, same, (before["conn"] != fn.col("conn")) & near)


def _repeated(log: Log) -> Statement:
    """Find generated identifiers that were generated before: a violation by itself, unless it may be the same call.

    If it may be, all such puts of two connections are one finding.
    """
    before, alike = fn.col("before"), _alike() & fn.lit(not log.facts.complete)
    return Statement(
        rule=_of_kind("rule"),
        where=before.is_not_null(),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[ref(before), this_call()],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), " was given a ", _of_kind("name"),
            " that had been generated before, for another message",
        ),
        doubts=[Doubt(alike, "the two records are of one call, which was captured at two points or in two captures")],
        once=fn.when(alike, fn.concat_ws(" ", fn.lit("captured twice"), before["conn"], "conn")).otherwise(
            fn.concat_ws("|", _of_kind("rule"), "conn", fn.col("seq").cast("string"))
        ),
    )  # fmt: skip  # a sentence


def _concerns(log: Log) -> Sequence[Concern]:
    del log
    return [
        Concern(kind.rule, (fn.col("role") == PUT) & has("options", kind.option), absent(kind.column)) for kind in KINDS
    ]


def _of_frames(log: Log) -> Sequence[tuple[Frame, Sequence[Statement]]]:
    return [(_generated(log), [_repeated(log)])] if Use.GENERATED in log.uses else []


IDENTIFIERS = Check("identifiers", _concerns, of_frames=_of_frames)
