"""Places: a message whose get was backed out stands again where it stood before (VIS-04).

So a get is wrong that returns a message put after it, if the other was back before the get began and there until it was
over. The same holds for a message whose lock was released, which had never left its place; that breaks a rule of order.
So does a get that returns a message put when the other was already back. For each get, the sweep gives one message that
was back: the one that stayed longest. If that was put after the returned one, there is no finding, and other messages
that were back are not looked at.
"""

from __future__ import annotations

from collections.abc import Sequence

from spark_checks.checks.base import Check, Concern
from spark_checks.checks.order import (
    first_asked,
    one_rank_if_fifo,
    order_needs,
    out_of_order,
    shown_by,
    took_effect,
    where_put_before,
)
from spark_checks.frames import Column
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import holds, text
from spark_checks.preparation.log import Log
from spark_checks.preparation.moves import TAKE
from spark_checks.preparation.passes import begun_by_time, ended, gap, open_spot
from spark_checks.preparation.sweep import Pass
from spark_checks.preparation.uses import Use
from spark_checks.results.findings import Statement, ref

BACK = "back"
_BACKED_OUT = ("SYN-03", "SIP-01")


def _passes(log: Log) -> Sequence[Pass]:
    if Use.GIVEN_BACK not in log.uses:
        return []
    offers = open_spot(gap() & fn.col("given_back").is_not_null(), one_rank_if_fifo("rank"), each=fn.col("suits"))
    queries = open_spot(first_asked(), one_rank_if_fifo("taken_rank"), each=fn.col("asks"))
    return ended([begun_by_time(BACK, offers, queries, log.margin, at=took_effect())], log.margin)


def stands_before(margin: int) -> Column:
    """Return whether the message of an answer stands before that of its asker on the queue.

    It does if it was surely put before (VIS-03): by the times, or by the `seq` of one connection that put both.
    """
    get, other = fn.col("asker"), fn.col("answer.put")
    put = get["put"]
    by_seq = (put["conn"] == other["conn"]) & (other["seq"] < put["seq"])
    return holds(other["hi"] + margin < get["put_since"]) | holds(by_seq)


def _of_answers(log: Log) -> Sequence[Statement]:
    get, later, other = fn.col("asker"), fn.col("answer"), fn.col("answer.put")
    given_back = later["given_back"]
    backed_out = given_back["why"].is_in(*_BACKED_OUT)
    rule = fn.when(backed_out, "VIS-04").when(get["sequence"] == "FIFO", "PRI-04").otherwise("PRI-03")
    back_first = holds(later["gap_from"] + log.margin < get["put_since"])
    how = fn.when(backed_out, ", whose get had been backed out").otherwise(", whose lock had been released")
    return [
        out_of_order(
            log,
            rule=rule,
            where=(fn.col("family") == BACK) & stands_before(log.margin) & ~back_first,
            before=ref(get["put"]),
            sentence=text(
                get["call"], " by connection ", get["conn"], " returned a message although one that had been put before"
                " it ", where_put_before(get), ", message ", later["msg_id"], " of connection ", other["conn"], how,
                " by connection ", given_back["by"]["conn"], ", was available throughout the call; ", shown_by(later),
            ),
        )
    ]  # fmt: skip  # a sentence


def _concerns(log: Log) -> Sequence[Concern]:
    del log
    given_back = (fn.col("role") == TAKE) & (fn.col("effect.kind") == "released")
    return [Concern("VIS-04", given_back, order_needs())]


PLACES = Check("places", _concerns, passes=_passes, families=(BACK,), of_answers=_of_answers)
