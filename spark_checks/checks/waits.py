"""Waiting for nothing: a get with MQGMO_WAIT returns a message that is there without delay (WAI-02)."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column
from pyspark.sql import functions as fn

from oracle.constants import MQGMO, MQWI
from spark_checks.checks.base import Check, Concern, absent
from spark_checks.findings import Doubt, Statement, ref, this_call
from spark_checks.preparation.columns import has, holds, text
from spark_checks.preparation.log import Log
from spark_checks.preparation.moves import RETURNS
from spark_checks.preparation.passes import gap

LONG_US = 1_000_000
"""From which time on it is remarkable that a call took so long, in microseconds."""
_NEARLY_ALL = 0.9
_UNLIMITED_US = 10 * LONG_US


def _waited() -> Column:
    return fn.col("role").isin(*RETURNS) & (fn.col("call") == "MQGET") & has("options", MQGMO.WAIT)


def _waited_for_nothing(log: Log) -> Statement:
    """Find gets that took nearly their whole wait interval although their message was there before they began.

    A suspicion in any log: how long a call took tells at most how long it waited.
    """
    took, interval = fn.col("hi") - fn.col("lo"), fn.col("wait_ms").cast("long") * 1000
    enough = fn.when(fn.col("wait_ms") == MQWI.UNLIMITED, fn.lit(_UNLIMITED_US)).otherwise(
        fn.greatest(interval * _NEARLY_ALL, fn.lit(LONG_US))
    )
    before = gap() & (fn.col("gap_from") + log.margin < fn.col("lo"))
    return Statement(
        rule="WAI-02",
        where=_waited() & holds(before & ((interval > 0) | (interval < 0)) & (took - log.margin >= enough)),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[fn.col("put"), fn.when(fn.col("given_back").isNotNull(), ref(fn.col("given_back.by"))), this_call()],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), " took ", fn.round(took / 1_000_000, 1),
            " seconds of its wait interval to return a message that was there before it began",
        ),
        doubts=[Doubt(fn.lit(True), "something else held the call up for as long")],
    )  # fmt: skip


def _concerns(log: Log) -> Sequence[Concern]:
    del log
    needs = absent("queue", "msg_id", "wait_ms") | {"MQPUT": fn.col("n_puts") == 0}
    return [Concern("WAI-02", _waited(), needs)]


WAITS = Check("waits", _concerns, lambda log: [_waited_for_nothing(log)])
