"""Generator of event logs of any size: a day of realistic traffic of a conforming queue manager, in Parquet.

    python -m bench.traffic 1000000 /tmp/log --seed 7 [--hot]

The queues differ in traffic as in reality: each has less than the one before it. With `--hot` one queue has nine tenths
of all. There are units of work, backouts, browses, groups, selective gets, expiry, messages that nobody gets, and calls
that overlap. The same seed makes the same log, whatever the machine; nothing is shuffled or collected.
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
from oracle.mqi.constants import MQCC, MQGMO, MQMO, MQOO, MQRC, NULL_ID
from spark_checks.engines.spark_session import session
from spark_checks.frames.schema import LOG_SCHEMA
from spark_checks.readers.inputs import HEADERS_FILE

QMGR: Final = "QM1"
BEGIN_US: Final = 1_767_225_600_000_000
DAY_US: Final = 86_400_000_000
QUEUES: Final = 20
WORKERS: Final = 2
"""The number of connections of each kind that share the blocks of a queue."""
HOT_SHARE: Final = 0.9
LEFT_TENTHS: Final = 600
"""The least Expiry, in tenths of a second, that a message has left when it is got."""
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
        """The length of a place, so that all blocks fill a day."""
        return DAY_US // (self.blocks * self.script.places)


def plan(records: int, *, hot: bool) -> list[QueueTraffic]:
    """Distribute records over the queues: falling off evenly, or nine tenths for one queue with a backlog."""
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
    """Return a number from 0 to below `below` that depends on the seed and on the record."""
    return fn.pmod(fn.xxhash64(fn.lit(f"{seed}/{salt}"), "queue_number", "block", "place"), below)


def _identifier(number: Column) -> Column:
    return fn.concat(fn.lit(_PREFIX), fn.lower(fn.lpad(fn.hex(number), 16, "0")))


def _columns_of_steps(steps: Sequence[Step], place: Column) -> dict[str, Column]:
    """Return the values of the step at a place."""
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
    """Return the number of places after its put at which a message of a script is got at the latest; 0 if never."""
    gets = [s for s in script.steps if s.call == "MQGET" and s.message == number and not s.empty]
    return max((s.at + s.lag * script.places for s in gets), default=_put_at(script)[number]) - _put_at(script)[number]


def _calls(spark: SparkSession, queue: QueueTraffic, seed: int) -> DataFrame:
    """Return the calls that a queue's script makes, with the columns of an event log."""
    steps = _in_order(queue.script.steps)
    numbered = spark.range(queue.blocks * len(steps)).select(
        fn.lit(queue.number).alias("queue_number"),
        (fn.col("id") / len(steps)).cast("long").alias("block"),
        (fn.col("id") % len(steps)).cast("int").alias("place"),
    )
    puts = fn.col("call") == "MQPUT"
    rows = (
        numbered.withColumns(_columns_of_steps(steps, fn.col("place")))
        .withColumns({"of_block": fn.col("block") - fn.col("lag")})
        .where("of_block >= 0")
        .withColumns({"puts": puts, "gets": ~puts & fn.col("options").isNotNull()})
        .withColumns({"shown": (fn.col("message") >= 0) & ~fn.col("empty")})
        .withColumns(_moments(queue))
        .withColumns(_identifiers(queue))
    )
    return _as_log(rows, _of_call(queue, seed) | _of_selection() | _of_message(queue.script, seed))


def _moments(queue: QueueTraffic) -> dict[str, Column]:
    """Return the time of a step, of its message's put, and the message's lifetime in tenths of a second."""
    script, message = queue.script, fn.col("message")
    lifetimes = [
        LEFT_TENTHS + _first_got(script, number) * queue.place_us // 100_000 if each.expires else -1
        for number, each in enumerate(script.messages)
    ]

    def moment(block: str, at: Column) -> Column:
        return fn.lit(BEGIN_US) + (fn.col(block) * script.places + at) * queue.place_us

    return {
        "moment": moment("block", fn.col("at")),
        "put_moment": moment("of_block", _picked(_put_at(script), message)),
        "lifetime": _picked(lifetimes, message),
    }


def _identifiers(queue: QueueTraffic) -> dict[str, Column]:
    """Return the MsgId of a step's message, and the CorrelId and GroupId that several share."""
    message, of_block, base = fn.col("message"), fn.col("of_block"), queue.number << 40
    return {
        "own": _identifier(fn.lit(base) + of_block * len(queue.script.messages) + message),
        "correl": _identifier(fn.lit((1 << 60) + base) + of_block * 16 + message),
        "group": _identifier(fn.lit((2 << 60) + base) + of_block * 4 + (message / 4).cast("int")),
    }


def _of_call(queue: QueueTraffic, seed: int) -> dict[str, Column]:
    """Return the columns that every call has."""
    reach = fn.lit(max(2, queue.place_us * 9 // 10))
    on_queue = fn.col("puts") | fn.col("gets")
    return {
        "qmgr": fn.lit(QMGR),
        "conn": fn.concat_ws("/", fn.lit(queue.name), "conn_kind", (fn.col("block") % WORKERS).cast("string")),
        "seq": (fn.col("block") / WORKERS).cast("long") * fn.col("steps_of_conn") + fn.col("nth") + 3,
        "start_us": fn.col("moment") - _draw(seed, "start", reach),
        "end_us": fn.col("moment") + _draw(seed, "end", reach),
        "call": fn.col("call"),
        "comp_code": fn.when(fn.col("empty"), fn.lit(int(MQCC.FAILED))).otherwise(int(MQCC.OK)),
        "reason": fn.when(fn.col("empty"), fn.lit(int(MQRC.NO_MSG_AVAILABLE))).otherwise(0),
        "hobj": fn.when(on_queue, 2),
        "queue": fn.when(on_queue, fn.lit(queue.name)),
        "object_name": fn.when(on_queue, fn.lit(queue.name)),
        "options": fn.col("options"),
    }


def _of_selection() -> dict[str, Column]:
    """Return the columns of a get's selection."""
    gets, by, null_id = fn.col("gets"), fn.col("by"), fn.lit(NULL_ID.hex())
    waits = fn.col("options").bitwiseAND(fn.lit(int(MQGMO.WAIT))) != 0
    return {
        "match_options": fn.when(gets, by),
        "wait_ms": fn.when(gets, fn.when(waits, WAIT_MS).otherwise(0)),
        "sel_msg_id": fn.when(gets, fn.when(by == int(MQMO.MATCH_MSG_ID), fn.col("own")).otherwise(null_id)),
        "sel_correl_id": fn.when(gets, fn.when(by == int(MQMO.MATCH_CORREL_ID), fn.col("correl")).otherwise(null_id)),
        "sel_group_id": fn.when(gets, null_id),
        "buffer_length": fn.when(gets, 4096),
    }


def _of_message(script: Script, seed: int) -> dict[str, Column]:
    """Return the columns of the message that a call put or returned."""
    message, shown, lifetime = fn.col("message"), fn.col("shown"), fn.col("lifetime")
    elapsed = fn.floor((fn.col("moment") - fn.col("put_moment")) / 100_000)
    member = _picked([each.member for each in script.messages], message)
    status = ["L" if each.last else "G" if each.member else " " for each in script.messages]
    members = {
        "msg_id": fn.col("own"),
        "correl_id": fn.col("correl"),
        "group_id": fn.when(member > 0, fn.col("group")).otherwise(fn.lit(NULL_ID.hex())),
        "msg_seq_number": fn.greatest(member, fn.lit(1)),
        "offset": fn.lit(0),
        "msg_flags": _picked([int(each.flags) for each in script.messages], message),
        "original_length": fn.lit(-1),
        "priority": _picked([each.priority for each in script.messages], message),
        "persistence": fn.lit(1),
        "expiry": fn.when(fn.col("puts") | (lifetime < 0), lifetime).otherwise(lifetime - elapsed),
        "report": fn.lit(0),
        "msg_type": fn.lit(8),
        "feedback": fn.lit(0),
        "backout_count": fn.col("backouts"),
        "format": fn.lit("MQSTR"),
        "reply_to_q": fn.lit(""),
        "put_us": fn.floor(fn.col("put_moment") / 10_000) * 10_000,
        "length": 100 + fn.pmod(fn.xxhash64(fn.lit(seed), "own"), fn.lit(900)),
        "group_status": fn.when(fn.col("gets"), _picked(status, message)),
        "segment_status": fn.when(fn.col("gets"), " "),
    }
    return {name: fn.when(shown, value) for name, value in members.items()}


def _as_log(rows: DataFrame, columns: dict[str, Column]) -> DataFrame:
    return rows.select(*(columns.get(name, fn.lit(None)).cast(kind).alias(name) for name, kind in LOG_SCHEMA.items()))


def _lives(spark: SparkSession, queue: QueueTraffic) -> DataFrame:
    """Return the calls that begin and end the connections of a queue."""
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
        attributes = {
            "MsgDeliverySequence": queue.script.sequence,
            "CAPEXPRY": 0,
            "IndexType": "NONE",
            "Usage": "NORMAL",
            "DefinitionType": "PREDEFINED",
        }
        found.append({"header": "queue", **of_queue, **attributes})
        found.append({"header": "depth", **of_queue, "at_us": BEGIN_US - 2 * DAY_US, "depth": 0})
    return found


def write_traffic(spark: SparkSession, records: int, directory: Path, *, seed: int = 0, hot: bool = False) -> None:
    """Write about `records` records as a Parquet event log with its headers."""
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
