"""Whether a put awaited its outcome: the checks decide it of columns, and the replay of records, in the same way."""

from __future__ import annotations

from itertools import product

from oracle.histories.event_log import Event, LogHeader
from oracle.mqi.constants import MQPMO
from oracle.mqi.definitions import QueueDefinition
from oracle.mqi.profile import PlatformName
from spark_checks.frames import Engine
from spark_checks.frames import functions as fn
from spark_checks.preparation.absence import outcome_awaited
from spark_checks.preparation.handles import in_unit
from spark_checks.replay.circumstances import Circumstances, awaited
from spark_checks.times import PUT_TIME_US

OPTIONS = (
    0, MQPMO.SYNCPOINT, MQPMO.NO_SYNCPOINT, MQPMO.SYNC_RESPONSE, MQPMO.ASYNC_RESPONSE, MQPMO.SET_ALL_CONTEXT,
    MQPMO.ASYNC_RESPONSE | MQPMO.PASS_ALL_CONTEXT, MQPMO.SYNCPOINT | MQPMO.SET_ALL_CONTEXT,
)  # fmt: skip  # combinations
START_US, END_US, CLOCK_US = 1_000_000, 1_000_500, 300
MARGIN = 2 * CLOCK_US
PUT_TIMES = (
    None,
    START_US - PUT_TIME_US - MARGIN - 1,
    START_US - PUT_TIME_US - MARGIN,
    END_US + MARGIN,
    END_US + MARGIN + 1,
)
ASKED = list(product(("MQPUT", "MQPUT1"), OPTIONS, PUT_TIMES, ("SYNC", "ASYNC", None)))


def by_columns(engine: Engine, platform: PlatformName) -> list[bool]:
    """Return the decisions of the checks."""
    schema = "call string, options int, persistence int, put_us long, def_put_response string, n int, lo long, hi long"
    rows = [(call, int(options), 0, at, by, n, START_US, END_US) for n, (call, options, at, by) in enumerate(ASKED)]
    calls = engine.frame(rows, schema).with_column("in_unit", in_unit(platform))
    put = fn.struct("call", "options", "put_us", "lo", "hi", "in_unit").alias("put")
    frame = calls.select("n", put, fn.struct("def_put_response").alias("at"))
    found = frame.select("n", outcome_awaited(fn.col("put"), fn.col("at"), MARGIN).alias("awaited"))
    return [row["awaited"] for row in found.order_by("n").collect()]


def by_records(platform: PlatformName) -> list[bool]:
    """Return the decisions of the replay."""
    header = LogHeader(complete=True, clock_us=CLOCK_US, platform=platform)
    found = []
    for call, options, at, by in ASKED:
        event = Event(
            qmgr="QM", conn="C", seq=1, start_us=START_US, end_us=END_US, call=call, options=int(options), put_us=at
        )
        definition = QueueDefinition(name="Q")
        found.append(
            awaited(event, Circumstances(header, definition, reports_possible=False, asynchronous=by == "ASYNC"))
        )
    return found


def test_the_replay_decides_as_the_checks_do(engine: Engine) -> None:
    platforms: tuple[PlatformName, ...] = ("distributed", "zos")
    for platform in platforms:
        columns, records = by_columns(engine, platform), by_records(platform)
        assert [(*asked, one) for asked, one in zip(ASKED, columns, strict=True)] == [
            (*asked, one) for asked, one in zip(ASKED, records, strict=True)
        ]
        assert set(records) == {False, True}
