"""Emptiness: a call found no message although one was there (DLV-05), and messages that are lost (DLV-03).

Both begin with a call that ended with MQRC_NO_MSG_AVAILABLE while a message that it could have returned was
surely available. If the message is seen again later, the call was wrong; if not, the message is lost.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from spark_checks.checks.base import Check, Concern, absent
from spark_checks.findings import Doubt, Statement, committed_by
from spark_checks.preparation.absence import absence_doubts, still_there
from spark_checks.preparation.columns import text
from spark_checks.preparation.log import Log
from spark_checks.preparation.moves import ANY, BY_BOTH, BY_CORREL_ID, BY_MSG_ID, EMPTY, OTHERWISE, PUTS, wanted
from spark_checks.preparation.passes import begun, ended, gap, open_spot, reversed_, unseen
from spark_checks.preparation.sweep import spots

PRESENT, LOST = "present", "lost"


def passed_over(msg_id: Column) -> Column:
    """Return the key under which a message that was passed over or lost is reported once."""
    return fn.concat(fn.lit("passed over "), msg_id)


def _asked_and_offered(log: Log) -> DataFrame:
    """Return the calls that found nothing and the gaps, each with what it asks for or can be asked for by.

    A gap appears once for each way of asking that some call on its queue used.
    """
    asked = wanted(fn.col("selection"), fn.col("sel_msg_id"), fn.col("sel_correl_id"))
    ways = [
        fn.when(
            gap() & fn.array_contains("asked", selection),
            wanted(fn.lit(selection), fn.col("msg_id"), fn.col("put.correl_id")),
        )
        for selection in (ANY, BY_MSG_ID, BY_CORREL_ID, BY_BOTH)
    ]
    of_call = fn.when(fn.col("role") == EMPTY, asked)
    return log.moves.where(gap() | (fn.col("role") == EMPTY)).withColumn(
        "wanted", fn.explode(fn.array_compact(fn.array(of_call, *ways)))
    )


def _places(log: Log) -> Sequence[DataFrame]:
    wanted_one = fn.col("wanted")
    calls = open_spot(fn.col("role") == EMPTY, wanted_one)
    seen = open_spot(gap() & ~unseen(), wanted_one)
    never_seen = open_spot(gap() & unseen(), wanted_one)
    passes = [
        *ended(begun(PRESENT, seen, calls, log.margin), log.margin),
        *reversed_(begun(LOST, never_seen, calls, log.margin)),
    ]
    return [spots(_asked_and_offered(log), passes)]


def _false_emptiness() -> Statement:
    """Find calls that ended with 2033 while a message lay there that was seen again later (DLV-05).

    A violation in a complete log. In an incomplete one a suspicion: only a call of an application outside
    the log, one that held the message and gave it back, explains it.
    """
    asker, answer, put = fn.col("asker"), fn.col("answer"), fn.col("answer.put")
    return Statement(
        rule="DLV-05",
        where=fn.col("family") == PRESENT,
        call=asker,
        msg_id=answer["msg_id"],
        calls=[put, committed_by(put), asker, answer],
        sentence=text(
            "MQGET by connection ", asker["conn"], " ended with MQRC_NO_MSG_AVAILABLE although a message that it could"
            " have returned was available throughout the call and was still there for connection ", answer["conn"],
            " afterwards",
        ),
        doubts=[
            Doubt(~asker["whole"], "an application whose calls the log lacks had got or locked it and gave it back")
        ],
    )  # fmt: skip


def _lost(log: Log) -> Statement:
    """Find messages that were put and committed, never got, and yet not there for a call (DLV-03).

    Only complete logs show them. A violation if nothing else can have taken the message: see
    spark_checks.preparation.absence; a suspicion otherwise. The `asker` is the message's put, the `answer` the first
    call after it that ended with 2033.
    """
    put, call = fn.col("asker.put"), fn.col("answer")
    return Statement(
        rule="DLV-03",
        where=(fn.col("family") == LOST) & still_there(put, call, log.margin),
        call=put,
        msg_id=fn.col("asker.msg_id"),
        calls=[put, committed_by(put), call],
        sentence=text(
            "the message that connection ", put["conn"], " put was never got, and yet MQGET by connection ",
            call["conn"], " ended later with MQRC_NO_MSG_AVAILABLE",
        ),
        doubts=absence_doubts(put, call, log.margin),
        once=passed_over(fn.col("asker.msg_id")),
    )  # fmt: skip


def _of_answers(log: Log) -> Sequence[Statement]:
    return [_false_emptiness(), _lost(log)]


def _concerns(log: Log) -> Sequence[Concern]:
    del log
    nothing = fn.col("role") == EMPTY
    selection = fn.col("selection")
    complete = {"complete": ~fn.col("whole")}
    return [
        Concern(
            "DLV-03",
            fn.col("role").isin(*PUTS),
            absent("queue", "msg_id", "comp_code", "options", "expiry") | complete,
        ),
        Concern(
            "DLV-05",
            nothing & (selection.isNull() | (selection != OTHERWISE)),
            absent("queue", "options") | {"match_options": selection.isNull()} | complete,
        ),
    ]


EMPTINESS = Check("emptiness", _concerns, places=_places, families=(PRESENT, LOST), of_answers=_of_answers)
