"""Makes event logs of any size: a day of realistic traffic of a conforming queue manager, in Parquet.

    python -m bench.traffic 1000000 /tmp/log --seed 7 [--hot]

The queues differ in traffic as they do in life: each has less than the one before it. With `--hot` one queue has nine
tenths of all. There are units of work, backouts, browses, groups, selective gets, expiry, messages that nobody gets,
and calls that overlap. The same seed makes the same log, whatever the machine; nothing is shuffled or collected.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any, Final

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn

from bench.traffic_scripts import SCRIPTS, WAIT_MS, Script, Step
from oracle.constants import MQCC, MQGMO, MQMO, MQOO, MQRC, NULL_ID
from spark_checks.readers.inputs import HEADERS_FILE
from spark_checks.schema import LOG_SCHEMA
from spark_checks.session import session

QMGR: Final = "QM1"
BEGIN_US: Final = 1_767_225_600_000_000
DAY_US: Final = 86_400_000_000
QUEUES: Final = 20
WORKERS: Final = 2
"""So many connections of each kind share the blocks of a queue."""
HOT_SHARE: Final = 0.9
LEFT_TENTHS: Final = 600
"""How much of its Expiry, in tenths of a second, a message has left at least when it is got."""
_PREFIX: Final = b"AMQ QM1         ".hex()


@dataclass(frozen=True)
class QueueTraffic:
    """A queue with its number, the script that is played on it, and how often."""

    number: int
    script: Script
    blocks: int

    @property
    def name(self) -> str:
        """The queue's name."""
        return f"{self.script.name.upper()}.{self.number}"

    @property
    def place_us(self) -> int:
        """How long a place lasts so that all blocks fill a day."""
        return DAY_US // (self.blocks * self.script.places)


def plan(records: int, *, hot: bool) -> list[QueueTraffic]:
    """Share records among the queues: falling off evenly, or nine tenths for one queue with a backlog."""
    scripts = [SCRIPTS[number % len(SCRIPTS)] for number in range(QUEUES)]
    weights = [1 / (number + 2) for number in range(QUEUES)]
    if hot:
        others = sum(weights) - weights[1]
        weights[1] = others * HOT_SHARE / (1 - HOT_SHARE)
    whole = sum(weights)
    return [
        QueueTraffic(number, script, max(1, round(records * weight / whole / len(script.steps))))
        for number, (script, weight) in enumerate(zip(scripts, weights, strict=True))
    ]


def _picked(values: Sequence[Any], index: Column) -> Column:
    return fn.get(fn.array(*(fn.lit(value) for value in values)), index)


def _draw(seed: int, salt: str, below: Column) -> Column:
    """Return a number from 0 to below `below` that depends on the seed and on which record it is."""
    return fn.pmod(fn.xxhash64(fn.lit(f"{seed}/{salt}"), "queue_number", "block", "place"), below)


def _identifier(number: Column) -> Column:
    return fn.concat(fn.lit(_PREFIX), fn.lower(fn.lpad(fn.hex(number), 16, "0")))


def _columns_of_steps(steps: Sequence[Step], place: Column) -> dict[str, Column]:
    """Return what the steps say, for the step at a place."""
    numbers = {kind: number for number, kind in enumerate(dict.fromkeys(step.conn for step in steps))}
    nth = [sum(other.conn == step.conn for other in steps[:number]) for number, step in enumerate(steps)]
    own = [sum(other.conn == step.conn for other in steps) for step in steps]
    return {
        "conn_kind": _picked([step.conn for step in steps], place),
        "conn_number": _picked([numbers[step.conn] for step in steps], place),
        "nth": _picked(nth, place),
        "steps_of_conn": _picked(own, place),
        "call": _picked([step.call for step in steps], place),
        "at": _picked([step.at for step in steps], place),
        "message": _picked([step.message for step in steps], place),
        "options": _picked([step.options if step.options is None else int(step.options) for step in steps], place),
        "by": _picked([int(step.by) for step in steps], place),
        "lag": _picked([step.lag for step in steps], place),
        "empty": _picked([step.empty for step in steps], place),
        "backouts": _picked([step.backouts for step in steps], place),
    }


def _in_order(steps: Sequence[Step]) -> list[Step]:
    return sorted(steps, key=lambda step: step.at)


def _put_at(script: Script) -> list[int]:
    return [step.at for step in _in_order(script.steps) if step.call == "MQPUT"]


def _first_got(script: Script, number: int) -> int:
    """Return how many places after its put a message of a script is got at the latest; 0 if it never is."""
    gets = [s for s in script.steps if s.call == "MQGET" and s.message == number and not s.empty]
    return max((s.at + s.lag * script.places for s in gets), default=_put_at(script)[number]) - _put_at(script)[number]


def _calls(spark: SparkSession, queue: QueueTraffic, seed: int) -> DataFrame:
    """Return the calls that a queue's script makes, with the columns of an event log."""
    script, steps, length = queue.script, _in_order(queue.script.steps), len(queue.script.steps)
    place = fn.col("place")
    rows = (
        spark.range(queue.blocks * length)
        .select(
            fn.lit(queue.number).alias("queue_number"),
            (fn.col("id") / length).cast("long").alias("block"),
            (fn.col("id") % length).cast("int").alias("place"),
        )
        .withColumns(_columns_of_steps(steps, place))
        .withColumns({"of_block": fn.col("block") - fn.col("lag")})
        .where("of_block >= 0")
    )
    message, puts = fn.col("message"), fn.col("call") == "MQPUT"
    base = queue.number << 40
    moved = message >= 0
    shown = moved & ~fn.col("empty")
    moment = fn.lit(BEGIN_US) + (fn.col("block") * script.places + fn.col("at")) * queue.place_us
    put_moment = (
        fn.lit(BEGIN_US) + (fn.col("of_block") * script.places + _picked(_put_at(script), message)) * queue.place_us
    )
    own = _identifier(fn.lit(base) + fn.col("of_block") * len(script.messages) + message)
    correl = _identifier(fn.lit((1 << 60) + base) + fn.col("of_block") * 16 + message)
    group = _identifier(fn.lit((2 << 60) + base) + fn.col("of_block") * 4 + (message / 4).cast("int"))
    lifetimes = [
        LEFT_TENTHS + _first_got(script, number) * queue.place_us // 100_000 if each.expires else -1
        for number, each in enumerate(script.messages)
    ]
    lifetime = _picked(lifetimes, message)
    elapsed = fn.floor((moment - put_moment) / 100_000)
    members = [each.member for each in script.messages]
    reach = fn.lit(max(2, queue.place_us * 9 // 10))
    null_id = fn.lit(NULL_ID.hex())
    gets = ~puts & fn.col("options").isNotNull()
    by, waits = fn.col("by"), fn.col("options").bitwiseAND(fn.lit(int(MQGMO.WAIT))) != 0
    status = ["L" if each.last else "G" if each.member else " " for each in script.messages]
    columns = {
        "qmgr": fn.lit(QMGR),
        "conn": fn.concat_ws("/", fn.lit(queue.name), "conn_kind", (fn.col("block") % WORKERS).cast("string")),
        "seq": (fn.col("block") / WORKERS).cast("long") * fn.col("steps_of_conn") + fn.col("nth") + 3,
        "start_us": moment - _draw(seed, "start", reach),
        "end_us": moment + _draw(seed, "end", reach),
        "call": fn.col("call"),
        "comp_code": fn.when(fn.col("empty"), fn.lit(int(MQCC.FAILED))).otherwise(int(MQCC.OK)),
        "reason": fn.when(fn.col("empty"), fn.lit(int(MQRC.NO_MSG_AVAILABLE))).otherwise(0),
        "hobj": fn.when(puts | gets, 2),
        "queue": fn.when(puts | gets, fn.lit(queue.name)),
        "object_name": fn.when(puts | gets, fn.lit(queue.name)),
        "options": fn.col("options"),
        "match_options": fn.when(gets, by),
        "wait_ms": fn.when(gets, fn.when(waits, WAIT_MS).otherwise(0)),
        "sel_msg_id": fn.when(gets, fn.when(by == int(MQMO.MATCH_MSG_ID), own).otherwise(null_id)),
        "sel_correl_id": fn.when(gets, fn.when(by == int(MQMO.MATCH_CORREL_ID), correl).otherwise(null_id)),
        "sel_group_id": fn.when(gets, null_id),
        "msg_id": fn.when(shown, own),
        "correl_id": fn.when(shown, correl),
        "group_id": fn.when(shown, fn.when(_picked(members, message) > 0, group).otherwise(null_id)),
        "msg_seq_number": fn.when(shown, fn.greatest(_picked(members, message), fn.lit(1))),
        "offset": fn.when(shown, 0),
        "msg_flags": fn.when(shown, _picked([int(each.flags) for each in script.messages], message)),
        "original_length": fn.when(shown, -1),
        "priority": fn.when(shown, _picked([each.priority for each in script.messages], message)),
        "persistence": fn.when(shown, 1),
        "expiry": fn.when(shown, fn.when(puts | (lifetime < 0), lifetime).otherwise(lifetime - elapsed)),
        "report": fn.when(shown, 0),
        "msg_type": fn.when(shown, 8),
        "feedback": fn.when(shown, 0),
        "backout_count": fn.when(shown, fn.col("backouts")),
        "format": fn.when(shown, "MQSTR"),
        "reply_to_q": fn.when(shown, ""),
        "put_us": fn.when(shown, fn.floor(put_moment / 10_000) * 10_000),
        "length": fn.when(shown, 100 + fn.pmod(fn.xxhash64(fn.lit(seed), own), fn.lit(900))),
        "buffer_length": fn.when(gets, 4096),
        "group_status": fn.when(gets & shown, _picked(status, message)),
        "segment_status": fn.when(gets & shown, " "),
    }
    return _as_log(rows, columns)


def _as_log(rows: DataFrame, columns: dict[str, Column]) -> DataFrame:
    return rows.select(
        *(columns.get(field.name, fn.lit(None)).cast(field.dataType).alias(field.name) for field in LOG_SCHEMA)
    )


def _lives(spark: SparkSession, queue: QueueTraffic) -> DataFrame:
    """Return how the connections of a queue begin and end."""
    opens = {"P": MQOO.OUTPUT, "U": MQOO.OUTPUT, "B": MQOO.BROWSE}
    kinds = sorted({step.conn for step in queue.script.steps})
    rows = []
    for kind in kinds:
        for worker in range(WORKERS):
            opening = int(opens.get(kind, MQOO.INPUT_SHARED))
            for nth, call in enumerate(("MQCONN", "MQOPEN", "MQCLOSE", "MQDISC")):
                late = nth >= 2
                at = BEGIN_US + (2 if late else -1) * DAY_US + 10_000 * nth
                seq = 2**40 + nth if late else nth + 1
                options = {"MQOPEN": opening, "MQCLOSE": 0}.get(call)
                rows.append((f"{queue.name}/{kind}/{worker}", seq, at, call, options))
    found = spark.createDataFrame(rows, "conn string, seq long, at long, call string, options int")
    handle = fn.col("options").isNotNull()
    columns = {
        "qmgr": fn.lit(QMGR),
        **{name: fn.col(name) for name in ("conn", "seq", "call", "options")},
        "start_us": fn.col("at"),
        "end_us": fn.col("at") + 100,
        "comp_code": fn.lit(0),
        "reason": fn.lit(0),
        "hobj": fn.when(handle, 2),
        "queue": fn.when(handle, fn.lit(queue.name)),
        "object_name": fn.when(handle, fn.lit(queue.name)),
    }
    return _as_log(found, columns)


def _headers(queues: Sequence[QueueTraffic]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [{"header": "log", "version": 1, "clock_us": 0, "complete": True}]
    for queue in queues:
        of_queue = {"qmgr": QMGR, "queue": queue.name}
        attributes = {"MsgDeliverySequence": queue.script.sequence, "CAPEXPRY": 0, "IndexType": "NONE",
                      "Usage": "NORMAL", "DefinitionType": "PREDEFINED"}  # fmt: skip
        found.append({"header": "queue", **of_queue, **attributes})
        found.append({"header": "depth", **of_queue, "at_us": BEGIN_US - 2 * DAY_US, "depth": 0})
    return found


def write_traffic(spark: SparkSession, records: int, directory: Path, *, seed: int = 0, hot: bool = False) -> None:
    """Write about so many records as a Parquet event log with its headers."""
    queues = plan(records, hot=hot)
    calls = reduce(DataFrame.unionByName, [_calls(spark, queue, seed) for queue in queues])
    lives = reduce(DataFrame.unionByName, [_lives(spark, queue) for queue in queues])
    whole = calls.unionByName(lives.coalesce(1)).drop("source", "line")
    whole.write.mode("overwrite").option("compression", "zstd").parquet(str(directory))
    lines = "".join(json.dumps(header) + "\n" for header in _headers(queues))
    (directory / HEADERS_FILE).write_text(lines, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description="Make an event log of a conforming queue manager.")
    parser.add_argument("records", type=int)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--hot", action="store_true", help="one queue has nine tenths of all")
    given = parser.parse_args()
    with session() as spark:
        write_traffic(spark, given.records, given.directory, seed=given.seed, hot=given.hot)


if __name__ == "__main__":
    main()
