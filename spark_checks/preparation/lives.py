"""The lives of handles: when and how each was opened, and until when it was surely open.

A number in `hobj` is reused after an MQCLOSE. Two calls have the same handle if its life is the same
(spark_checks.preparation.locks).
"""

from __future__ import annotations

from spark_checks.frames import Frame
from spark_checks.frames import functions as fn
from spark_checks.preparation.connections import alive, completed
from spark_checks.preparation.locks import life

LIFE = ("qmgr", "conn", "hobj", "life")
"""The columns that identify a life; a call that closes no handle has `lives_left` as its `life`."""


def lives(calls: Frame) -> Frame:
    """Return a row for each life of a handle: its MQOPEN as `opened`, null if the log has none, and `lasts_until`.

    `calls` are those of a prepared log.
    """
    opens = (fn.col("call") == "MQOPEN") & completed()
    return (
        calls.where(fn.col("hobj").is_not_null())
        .with_column("life", life())
        .group_by(*LIFE)
        .agg(
            fn.max(fn.when(opens, fn.struct("hi", "options"))).alias("opened"),
            fn.max(fn.when(alive(), fn.col("lo"))).alias("lasts_until"),
        )
    )
