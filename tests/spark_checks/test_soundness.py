"""Random histories: a conforming queue manager has no violation, and a broken one has.

The histories come from a queue manager of the tests' own and, with everything that the model has, from the oracle. They
are recorded with uncertain intervals and clocks, cut, and deprived of columns; some calls have an outcome that the
application did not learn. Many of them are audited at once.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from oracle.histories.event_log import COLUMNS, MESSAGE_COLUMNS
from oracle.mqi.constants import MQCC, MQPMO
from oracle.mqi.profile import PlatformName
from oracle.mqi.unknown_effect import UNKNOWN_EFFECT
from spark_checks.frames import Engine
from spark_checks.frames.schema import REQUIRED_COLUMNS
from tests.spark_checks.histories import COMPLETE, NO_ID, QUEUE, Record, audit_records, findings_by_qmgr, without
from tests.spark_checks.oracle_traffic import Traffic
from tests.spark_checks.oracle_traffic import headers as headers_of_queues
from tests.spark_checks.small_queue_manager import Defect, Simulation, recorded
from tests.spark_checks.wide_traffic import WideTraffic

HISTORIES = 120
OF_THE_ORACLE = 60
OF_A_DEFECT, CALLS_OF_A_DEFECT = 12, 90
REMOVABLE = (
    "msg_id", "match_options", "options", "priority", "expiry", "correl_id", "queue", "comp_code", "persistence",
    "sel_msg_id", "sel_correl_id", "msg_type", "msg_flags", "object_name", "hobj", "backout_count", "reason",
)  # fmt: skip  # names
UNLEARNABLE = ("MQPUT", "MQPUT1", "MQGET", "MQCMIT", "MQBACK", "MQCLOSE", "MQINQ")
OF_A_MESSAGE = (*MESSAGE_COLUMNS, "put_us", "length", "group_status", "segment_status", "digest")
RULES = {
    Defect.LIFO: {"PRI-03", "PRI-04", "VIS-03", "VIS-04", "BRW-03", "BRW-05", "BRW-13", "BRW-20"},
    Defect.LOWEST_FIRST: {"PRI-03", "BRW-03", "BRW-05", "BRW-21"},
    Defect.LOSES: {"DLV-03", "PRI-03", "PRI-04", "VIS-03", "VIS-04", "BRW-03", "BRW-05"},
    Defect.DUPLICATES: {"SYN-08"},
    Defect.OVERLOOKS: {"DLV-05", "DLV-03", "SYN-03", "BRW-02", "BRW-05", "LCK-09", "LCK-12", "LCK-15", "LCK-16"},
    Defect.INVENTS: {"DLV-01", "MTC-01"},
    Defect.SHARES: {"SYN-01", "SYN-02", "SYN-08", "DLV-02", "BOC-01", "BOC-03"},
    Defect.UNLOCKS: {"LCK-01"},
    Defect.SHOWS: {"VIS-01", "UOW-02"},
    Defect.DROPS: {
        "SYN-03",
        "PRI-03",
        "PRI-04",
        "VIS-03",
        "VIS-04",
        "BRW-02",
        "BRW-03",
        "BRW-05",
        "LCK-09",
        "LCK-12",
        "LCK-15",
        "LCK-16",
    },
    Defect.MISCOUNTS: {"BOC-01", "BOC-03"},
    Defect.REWINDS: {"BRW-05", "BRW-13", "BRW-20", "BRW-21"},
}
"""The rules that a defect breaks; what is forgotten and what is overlooked may look alike."""


def depths(qmgr: str, queue: str, records: list[Record], depth: int, clock_us: int) -> list[Record]:
    """Return how deep a queue was after all calls."""
    last = max((record["end_us"] for record in records), default=0) + 2 * clock_us + 1
    return [{"header": "depth", "qmgr": qmgr, "queue": queue, "at_us": last, "depth": depth}]


def headers(random: Random, simulation: Simulation, qmgr: str, *, from_the_beginning: bool) -> list[Record]:
    found: list[Record] = []
    of_queue: Record = {"qmgr": qmgr, "queue": QUEUE}
    if from_the_beginning and random.random() < 0.8:
        found.append({"header": "depth", **of_queue, "at_us": -(10**6), "depth": 0})
    if random.random() < 0.7:
        sequence = "FIFO" if simulation.fifo else "PRIORITY"
        found.append({"header": "queue", **of_queue, "MsgDeliverySequence": sequence, "CAPEXPRY": 0})
    return found


def cut(random: Random, records: list[Record], by: str | None) -> tuple[list[Record], bool]:
    """Return a stretch of the records, in the order of their effects or of a column, and whether it has the first."""
    ordered = records if by is None else sorted(records, key=lambda record: record[by])
    first = random.choice((0, random.randrange(len(ordered))))
    last = random.randrange(first, len(ordered)) + 1
    return ordered[first:last], first == 0


def with_unknown_effects(records: list[Record], seed: str) -> list[Record]:
    """Return the records as applications saw the calls that did not learn of some of them that they took effect.

    A failed put shows the descriptor as it was passed, so not what was generated, and a failed get no message.
    """
    random = Random(f"unlearnt/{seed}")
    if random.random() < 0.7:
        return records
    seen = []
    for record in records:
        if record["call"] not in UNLEARNABLE or record["comp_code"] == MQCC.FAILED or random.random() < 0.9:
            seen.append(record)
            continue
        failed: Record = {**record, "comp_code": int(MQCC.FAILED), "reason": random.choice(sorted(UNKNOWN_EFFECT))}
        if record["call"] in ("MQGET", "CALLBACK"):
            failed = {name: value for name, value in failed.items() if name not in OF_A_MESSAGE}
        elif str(record.get("msg_id")).startswith("414d5120"):
            failed["msg_id"] = NO_ID
        if record["call"] == "MQPUT" and (record.get("options") or 0) & MQPMO.LOGICAL_ORDER:
            failed.update(group_id=NO_ID, msg_seq_number=1, offset=0)
        seen.append(failed)
    return seen


def conforming(random: Random, qmgr: str, clock_us: int, *, whole: bool, by: str | None) -> list[Record]:
    simulation = Simulation(random, fifo=random.random() < 0.3, reuse=random.choice((0.0, 0.0, 0.2, 0.5)))
    calls = simulation.run(random.randint(4, 40), random.randint(1, 4))
    width = random.choice((0, 10, 60, 150, 400, 2000))
    records = with_unknown_effects(recorded(calls, qmgr, random, width_us=width, clock_us=clock_us), qmgr)
    from_the_beginning = True
    if records and not whole:
        records, from_the_beginning = cut(random, records, by)
    if random.random() < 0.3:
        records = without(records, random.sample(REMOVABLE, random.randint(1, 3)))
    random.shuffle(records)
    if whole:
        held = sum(message.getter is None for message in simulation.queue)
        records += depths(qmgr, QUEUE, records, held, clock_us)
    return headers(random, simulation, qmgr, from_the_beginning=from_the_beginning) + records


def of_the_oracle(
    random: Random, qmgr: str, clock_us: int, platform: PlatformName, *, whole: bool, by: str | None
) -> list[Record]:
    """Return what the oracle did, recorded, cut and robbed likewise."""
    kind = random.choice((Traffic, WideTraffic))
    traffic = kind(random, platform, aside=True).run(random.randint(4, 60), random.randint(1, 4))
    records = with_unknown_effects(
        list(traffic.recorded(qmgr, random.choice((0, 0, 1, 3, 20, 400, 2_000_000)), clock_us)), qmgr
    )
    from_the_beginning = True
    if records and not whole:
        records, from_the_beginning = cut(random, records, by)
    if random.random() < 0.4:
        records = without(records, random.sample(sorted(set(COLUMNS) - set(REQUIRED_COLUMNS)), random.randint(1, 4)))
    random.shuffle(records)
    if whole:
        queues = traffic.state.queues.values()
        records += [one for each in queues for one in depths(qmgr, each.name, records, traffic.state.depth(each), 0)]
    at_us = -(10**9) if from_the_beginning and random.random() < 0.9 else None
    if isinstance(traffic, WideTraffic):
        traffic.qmgr = qmgr
        known = traffic.definitions(from_the_beginning=at_us is not None)
    else:
        known = list(headers_of_queues(qmgr, at_us, aside=True))
    return [*(known if random.random() < 0.8 else ()), *records]


@pytest.mark.parametrize(
    ("log", "whole", "by"),
    [
        pytest.param(COMPLETE, True, None, id="whole"),
        pytest.param(COMPLETE, False, None, id="a complete stretch"),
        pytest.param({**COMPLETE, "clock_us": 70}, False, None, id="clocks that differ"),
        pytest.param({"header": "log", "complete": False}, False, "end_us", id="cut within calls"),
    ],
)
def test_a_conforming_queue_manager_violates_nothing(
    engine: Engine, log_file: Path, log: dict[str, Any], by: str | None, seed: int, *, whole: bool
) -> None:
    records: list[Record] = [log]
    for number in range(HISTORIES):
        random = Random(f"{seed}/{number}")
        records += conforming(random, f"{seed}/{number}", log.get("clock_us", 0), whole=whole, by=by)
    for number in range(OF_THE_ORACLE):
        random = Random(f"oracle/{seed}/{number}")
        qmgr = f"oracle/{seed}/{number}"
        platform = log.get("platform", "distributed")
        records += of_the_oracle(random, qmgr, log.get("clock_us", 0), platform, whole=whole, by=by)
    found = findings_by_qmgr(audit_records(engine, log_file, records))
    violations = {qmgr: [one for one in findings if one.verdict == "violation"] for qmgr, findings in found.items()}
    assert {qmgr: findings for qmgr, findings in violations.items() if findings} == {}


def broken_histories() -> list[Record]:
    """Return the log of queue managers that are each broken in one way."""
    records: list[Record] = [COMPLETE]
    for defect in RULES:
        for number in range(OF_A_DEFECT):
            qmgr = f"{defect.name}/{number}"
            random = Random(qmgr)
            simulation = Simulation(random, fifo=defect is not Defect.LOWEST_FIRST and number % 3 == 0, defect=defect)
            calls = simulation.run(CALLS_OF_A_DEFECT)
            sequence = "FIFO" if simulation.fifo else "PRIORITY"
            of_queue: Record = {"qmgr": qmgr, "queue": QUEUE}
            records += [
                {"header": "depth", **of_queue, "at_us": -(10**6), "depth": 0},
                {"header": "queue", **of_queue, "MsgDeliverySequence": sequence},
                *recorded(calls, qmgr, random, width_us=20, clock_us=0),
            ]
    return records


def test_a_broken_queue_manager_is_caught(engine: Engine, log_file: Path) -> None:
    found = findings_by_qmgr(audit_records(engine, log_file, broken_histories()))
    caught: Counter[Defect] = Counter()
    for defect, rules in RULES.items():
        for number in range(OF_A_DEFECT):
            findings = found.get(f"{defect.name}/{number}", [])
            violated = {one.rule for one in findings if one.verdict == "violation"}
            assert violated <= rules, (defect, number)
            caught[defect] += bool(violated)
    assert {defect: caught[defect] for defect in RULES if caught[defect] < OF_A_DEFECT * 3 // 4} == {}
