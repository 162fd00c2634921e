"""Quiescing: a get with MQGMO_FAIL_IF_QUIESCING fails on a queue manager that quiesces (QSC-01).

A log shows that a queue manager quiesces by a call that ended with MQRC_Q_MGR_QUIESCING. Later calls of the same
connection are judged, because its queue manager was not restarted meanwhile. Other connections may be through a channel
that does not quiesce.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from oracle.mqi.constants import MQCC, MQGMO, MQRC
from spark_checks.checks.base import Check
from spark_checks.frames import Frame, Window
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import has, holds, text
from spark_checks.preparation.connections import REF_FIELDS, alive, has_unknown_effect
from spark_checks.preparation.doubts import Doubt
from spark_checks.preparation.log import Log
from spark_checks.results.findings import Statement, ref, this_call
from spark_checks.results.rule_results import Covered

_RULE = "QSC-01"


def _after_quiescing(log: Log) -> Frame | None:
    """Return the gets that fail if the queue manager quiesces and came after a call that showed it; None if none did.

    The columns are those of calls, and `quiesced`, the last such call of the connection.
    """
    if MQRC.Q_MGR_QUIESCING not in log.reasons:
        return None
    told = holds((fn.col("comp_code") == MQCC.FAILED) & (fn.col("reason") == MQRC.Q_MGR_QUIESCING))
    anew = fn.col("call").is_in("MQCONN", "MQDISC") | has_unknown_effect()
    last_told = fn.when(told | anew, fn.struct(*REF_FIELDS, told.alias("told")))
    before = Window.partition_by("qmgr", "conn").order_by("seq").rows_between(Window.unbounded, -1)
    told_before = log.of_connections(told).with_column("quiesced", fn.last(last_told, ignorenulls=True).over(before))
    later = told_before.where(holds(fn.col("quiesced.told")))
    gets = (fn.col("call") == "MQGET") & has("options", MQGMO.FAIL_IF_QUIESCING)
    return later.where(holds(gets))


def _succeeded() -> Statement:
    """Find such gets that returned a message or found none. The queue manager may have stopped to quiesce meanwhile."""
    quiesced = fn.col("quiesced")
    how = fn.when(fn.col("reason") == MQRC.NO_MSG_AVAILABLE, " ended with MQRC_NO_MSG_AVAILABLE").otherwise(
        " completed"
    )
    return Statement(
        rule=_RULE,
        where=holds(alive()),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[ref(quiesced), this_call()],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), how, " with MQGMO_FAIL_IF_QUIESCING although ",
            quiesced["call"], " had ended with MQRC_Q_MGR_QUIESCING before",
        ),
        doubts=[Doubt(fn.lit(True), "the queue manager, or the channel that quiesced, went on in between")],
        once=fn.concat_ws("|", fn.lit("quiesced"), "conn", quiesced["seq"].cast("string")),
    )  # fmt: skip  # a sentence


def _of_queues(log: Log) -> Mapping[str, Covered]:
    gets = _after_quiescing(log) if log.gathered.calls else None
    return {_RULE: Covered() if gets is None else Covered(checked=gets.count())}


def _of_frames(log: Log) -> Sequence[tuple[Frame, Sequence[Statement]]]:
    gets = _after_quiescing(log)
    return [] if gets is None else [(gets, [_succeeded()])]


QUIESCING = Check("quiescing", lambda _: [], of_frames=_of_frames, of_queues=_of_queues)
