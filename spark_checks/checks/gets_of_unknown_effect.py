"""Gets that ended with MQRC_UNEXPECTED_ERROR, after which a message is gone: DLV-03.

Such a call may have taken effect (oracle.mqi.unknown_effect), but its application did not receive the message, and no
other will. So a message is reported as a suspicion if it was there for the get, was never seen again, and is not there
for a later call. Nothing is reported for a lost connection, which is known to lose messages that are got outside a unit
of work. Nor is anything reported if the get's unit of work was not surely committed, because the message may then only
be held.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_

from oracle.model.requests.option_matrix import BROWSE
from oracle.mqi.constants import MQGMO, MQRC
from spark_checks.checks.base import Check
from spark_checks.frames import Column, Frame
from spark_checks.frames import functions as fn
from spark_checks.preparation.absence import gone_doubts, still_there_but_for_a_failed_get
from spark_checks.preparation.columns import QUEUE, has, holds, looked_up, text, unknown_or
from spark_checks.preparation.connections import COMMITTED, has_unknown_effect
from spark_checks.preparation.doubts import Doubt
from spark_checks.preparation.gathering import surely_restored
from spark_checks.preparation.keeping import kept
from spark_checks.preparation.log import Log
from spark_checks.preparation.moves import ANY, BY_BOTH, BY_CORREL_ID, BY_MSG_ID, EMPTY, TOUCH, from_front
from spark_checks.preparation.passes import asked_for, gap, suited, unseen
from spark_checks.preparation.sweep import ROW, Pass, Spot, spots, sweep
from spark_checks.results.findings import Statement, committed_by, ref
from spark_checks.times import NEVER

_WAYS = (ANY, BY_MSG_ID, BY_CORREL_ID, BY_BOTH)
_TOOK, _FOUND_NOTHING = "perhaps took it", "found nothing"
_SIDES = ("message", "failed", "empty")


def gave_no_message() -> Column:
    """Return whether a move is a get of unknown outcome: it is unknown whether it took a message, and which."""
    return holds((fn.col("role") == TOUCH) & has_unknown_effect() & fn.col("msg_id").is_null())


def _perhaps_took() -> Column:
    """Return whether a move is a get that failed unexpectedly and may have taken a message for good."""
    final = ~fn.col("in_unit") | (fn.col("unit_end.outcome") == COMMITTED)
    unexpected = fn.col("reason") == MQRC.UNEXPECTED_ERROR
    return gave_no_message() & holds(unexpected & ~has("options", BROWSE) & final)


def _rows(log: Log) -> Frame | None:
    """Return the moves of the queues on which such a get failed and nothing else is open; None if there are none."""
    if not log.facts.complete:
        return None
    failed = gave_no_message() & ~holds(has("options", BROWSE))
    queues = log.moves.where(failed & fn.col("but_for_unknown_effects")).group_by(*QUEUE).agg(
        fn.min(_perhaps_took() | surely_restored()).alias("alone"), fn.max(_perhaps_took()).alias("some")
    )  # fmt: skip  # columns
    found = [(row["qmgr"], row["queue"]) for row in queues.collect() if row["alone"] and row["some"]]
    if not found:
        return None
    known = log.moves.engine.frame(found, dict.fromkeys(QUEUE, "string"))
    asked = fn.when(_perhaps_took() | (fn.col("role") == EMPTY), asked_for())
    suits = fn.array_compact(fn.array(*suited("ways", _WAYS)))
    rows = log.moves.join(fn.broadcast(known), [*QUEUE], "left_semi")
    with_ways = rows.with_column("ways", fn.array(*map(fn.lit, _WAYS)))
    return kept(with_ways.with_columns({"wanted": fn.array_compact(fn.array(asked)), "suits": suits}))


def _passes(margin: int) -> list[Pass]:
    """Find, for each message that is gone, the first get that may have taken it and the last call that missed it."""
    gone = gap() & unseen() & fn.col("whole").same_as(False) & (fn.col("n_puts") == 1)
    since, suits, wanted = fn.col("gap_from") + margin, fn.col("suits"), fn.col("wanted")
    latest = fn.when(has("options", MQGMO.WAIT), fn.col("hi")).otherwise(fn.col("lo"))
    nothing = (fn.col("role") == EMPTY) & from_front() & fn.col("selection").is_in(*_WAYS)
    return [
        Pass(
            _TOOK,
            "after the message came",
            Spot(_perhaps_took(), -latest, -latest, each=wanted),
            Spot(gone, -since, fn.lit(-NEVER), each=suits),
        ),
        Pass(
            _FOUND_NOTHING,
            "at last",
            Spot(nothing, fn.col("lo"), fn.col("lo"), each=wanted),
            Spot(gone, fn.lit(NEVER), since, each=suits),
        ),
    ]


def _gone(log: Log) -> Frame | None:
    """Return the lost messages: the `message`, the call that `failed`, and one that later found the queue `empty`."""
    rows = _rows(log)
    if rows is None:
        return None
    swept = sweep(spots(rows, _passes(log.margin)))

    def best(family: str) -> Column:
        answer = fn.max(fn.when(fn.col("family") == family, fn.struct("value", "answer")))
        return answer["answer"]

    found = (
        swept.group_by(*QUEUE, fn.col("asker").alias("message"))
        .agg(best(_TOOK).alias("failed"), best(_FOUND_NOTHING).alias("empty"))
        .where(fn.col("failed").is_not_null() & fn.col("empty").is_not_null())
    )
    whole = kept(found)
    number = whole.count()
    for side in _SIDES:
        of_side = rows.select(*QUEUE, fn.col(ROW).alias(side), fn.struct(*rows.columns).alias("whole_row"))
        whole = looked_up(whole, of_side, (*QUEUE, side), number).drop(side).renamed("whole_row", side)
    return whole


def _taken_by_nobody(log: Log) -> Statement:
    """Find messages that a get with MQRC_UNEXPECTED_ERROR may have taken; report one for each such get."""
    message, failed, empty = (fn.col(side) for side in _SIDES)
    put = message["put"]
    later = (empty["lo"] > failed["hi"] + log.margin) | (
        (empty["conn"] == failed["conn"]) & (empty["seq"] > failed["seq"])
    )
    restored = empty["restored_us"].is_null() | (empty["restored_us"] + log.margin < empty["lo"])
    otherwise = reduce(or_, [unknown_or(doubt.applies) for doubt in gone_doubts(put, empty, log)])
    return Statement(
        rule="DLV-03",
        where=holds(later & restored) & holds(still_there_but_for_a_failed_get(put, empty, log.margin)) & ~otherwise,
        call=failed,
        msg_id=message["msg_id"],
        calls=[put, committed_by(put), ref(failed), ref(empty)],
        sentence=text(
            "MQGET by connection ", failed["conn"], " ended with MQRC_UNEXPECTED_ERROR and returned no message; the"
            " message that connection ", put["conn"], " had put was there for it and is gone, for MQGET by connection ",
            empty["conn"], " ended later with MQRC_NO_MSG_AVAILABLE",
        ),
        doubts=[Doubt(fn.lit(True), "the call that failed took it all the same, so that no application has it")],
        once=fn.concat_ws("|", fn.lit("gone after"), failed["conn"], failed["seq"].cast("string")),
    )  # fmt: skip  # a sentence


def _of_frames(log: Log) -> Sequence[tuple[Frame, Sequence[Statement]]]:
    found = _gone(log)
    return [] if found is None else [(found, [_taken_by_nobody(log)])]


GETS_OF_UNKNOWN_EFFECT = Check("gets of unknown effect", lambda _: [], of_frames=_of_frames)
