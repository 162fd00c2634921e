"""Auditing day after day finds what one audit over all days finds, carrying only the calls that may still matter."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession

from oracle.constants import MQMF, MQOO, MQPMO
from oracle.errors import BadInputError, UsageError
from spark_checks.audit import audit_log
from spark_checks.checks import OVER_DAYS
from spark_checks.days import Days, audit_day
from spark_checks.memory import recall
from spark_checks.readers.load import read_log
from tests.spark_checks.histories import COMPLETE, QUEUE, History, Record, ident, write_log
from tests.spark_checks.small_queue_manager import STEP_US, Defect, Simulation, recorded

LENGTH = 40
DEFECTS = (Defect.NONE, Defect.LIFO, Defect.LOWEST_FIRST, Defect.LOSES, Defect.OVERLOOKS, Defect.INVENTS)
"""What a queue manager may do wrong. A message that is delivered twice is found only as long as the first delivery is
remembered, and here nothing is remembered longer than it must be."""

Claim = tuple[str, str, str, str | None, tuple[tuple[str, int], ...], str]


def claims(findings: DataFrame) -> set[Claim]:
    """Return the findings without times, which may be known better on a later day."""
    return {
        (row["qmgr"], row["rule"], row["verdict"], row["msg_id"], tuple((c["conn"], c["seq"]) for c in row["calls"]),
         row["explanation"])
        for row in findings.collect()
    }  # fmt: skip


def history(random: Random, qmgr: str, defect: Defect) -> list[Record]:
    simulation = Simulation(random, fifo=random.random() < 0.3, defect=defect)
    calls = simulation.run(LENGTH, random.randint(2, 4))
    width = random.choice((0, 20, 60, 150))
    sequence = "FIFO" if simulation.fifo else "PRIORITY"
    of_queue: Record = {"qmgr": qmgr, "queue": QUEUE}
    return [
        {"header": "depth", **of_queue, "at_us": -(10**6), "depth": 0},
        {"header": "queue", **of_queue, "MsgDeliverySequence": sequence, "CAPEXPRY": 0},
        *recorded(calls, qmgr, random, width_us=width, clock_us=0),
    ]


def cut(records: Iterable[Record], times: list[int]) -> list[list[Record]]:
    """Cut records into days at times: a record is written when its call ends. Headers stand in the first day."""
    days: list[list[Record]] = [[] for _ in range(len(times) + 1)]
    for record in records:
        days[0 if "header" in record else sum(time <= record["end_us"] for time in times)].append(record)
    return days


@pytest.mark.skipif("WHOLE_SUITE" not in os.environ, reason="it takes minutes: set WHOLE_SUITE=1")
@given(seed=st.integers(0, 2**32))
@settings(
    max_examples=1, deadline=None, database=None, phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip
def test_days_together_find_what_one_audit_finds(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    random = Random(seed)  # noqa: S311 - repeatable, not secret
    records: list[Record] = [COMPLETE]
    for defect in DEFECTS:
        for number in range(15):
            records += history(random, f"{defect.name}/{number}", defect)
    days = cut(records, sorted(random.sample(range(STEP_US, LENGTH * STEP_US), 2)))
    known: set[Claim] = set()
    carried = []
    for number, day in enumerate(days):
        log = write_log(tmp_path / f"{seed}-{number}.jsonl", day)
        kept = Days(tmp_path / f"state-{seed}", final=number == len(days) - 1, remember_us=0, rest_us=0)
        found = audit_day(spark, [log], kept)
        known -= claims(found.withdrawn)
        new = claims(found.audit.findings)
        assert not new & known
        known |= new
        found.close()
        memory = recall(spark, kept.directory)
        assert memory.calls is not None
        carried.append(memory.calls.where("qmgr like 'NONE/%'").count())
    all_days = read_log(spark, [write_log(tmp_path / f"{seed}-whole.jsonl", records)])
    whole = claims(audit_log(all_days, OVER_DAYS, replay_limit=0).findings)
    assert known == whole
    assert {claim[0].partition("/")[0] for claim in whole} == {defect.name for defect in DEFECTS[1:]}
    read = sum(record.get("qmgr", "").startswith("NONE/") and "header" not in record for record in records)
    assert carried[-1] < 0.75 * read


def test_what_a_handle_did_on_an_earlier_day_counts(spark: SparkSession, tmp_path: Path) -> None:
    """Two handles put a group in logical order over two days, rightly and wrongly; a third may not put at all."""
    days: list[list[Record]] = [[COMPLETE], []]
    for name, opened, number in (("right", MQOO.OUTPUT, 3), ("wrong", MQOO.OUTPUT, 5), ("closed", MQOO.BROWSE, 3)):
        one = History(name)
        one.call("P", "MQCONN", 1, 2)
        one.call("P", "MQOPEN", 3, 4, queue=QUEUE, object_name=QUEUE, hobj=2, options=int(opened))
        if opened == MQOO.OUTPUT:
            for nth in (1, 2):
                one.put("P", f"m{nth}", 10 * nth, 10 * nth + 5, **of_group(nth))
        days[0] += one.records
        one.records = []
        one.put("P", "m3", 1000, 1010, **of_group(number))
        days[1] += one.records
    known: set[Claim] = set()
    for number, day in enumerate(days):
        log = write_log(tmp_path / f"{number}.jsonl", day)
        found = audit_day(spark, [log], Days(tmp_path / "state", final=number == 1, remember_us=0))
        known |= claims(found.audit.findings)
        assert found.withdrawn_count == 0
        found.close()
    assert {claim[0] for claim in known} == {"wrong", "closed"}


def of_group(number: int) -> Record:
    """Return the columns of a put of a group's message in logical order."""
    return {
        "hobj": 2, "options": int(MQPMO.LOGICAL_ORDER | MQPMO.NO_SYNCPOINT), "group_id": ident("group"),
        "msg_seq_number": number, "offset": 0, "msg_flags": int(MQMF.MSG_IN_GROUP), "length": 10,
    }  # fmt: skip


def test_a_file_that_was_read_before_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    day = History("QM")
    day.put("P", "m1", 10, 12)
    log = write_log(tmp_path / "day.jsonl", day.records)
    audit_day(spark, [log], Days(tmp_path / "state")).close()
    with pytest.raises(UsageError, match="was read on an earlier day"):
        audit_day(spark, [log], Days(tmp_path / "state"))


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ("", "damaged"),
        ('{"version": 2}', "damaged"),
        ('{"version": 99}', "of version 99"),
        (None, "not whole"),
    ],
)
def test_a_damaged_state_is_named(spark: SparkSession, tmp_path: Path, state: str | None, message: str) -> None:
    (tmp_path / "headers.jsonl").write_text("", encoding="utf-8")
    if state is not None:
        (tmp_path / "state.json").write_text(state, encoding="utf-8")
    with pytest.raises(BadInputError, match=message):
        recall(spark, tmp_path)


def test_a_directory_of_other_things_is_no_state(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match=r"thesis\.txt"):
        recall(spark, tmp_path)


def test_a_finding_rests_until_the_log_has_gone_on(spark: SparkSession, tmp_path: Path) -> None:
    """A put may have been under way when the log ended; when its record comes, there was no finding to withdraw."""
    first, later = History("QM"), History("QM")
    first.starts_empty()
    first.get("C", "m1", 30, 40)
    first.call("D", "MQCMIT", 50, 60)
    later.put("Q", "m1", 20, 70)
    later.call("D'", "MQCMIT", 500, 600)
    never = History("QM2")
    never.starts_empty()
    never.get("C", "m2", 30, 40)
    one = write_log(tmp_path / "one.jsonl", [COMPLETE, *first.records, *never.records])
    two = write_log(tmp_path / "two.jsonl", later.records)
    days = Days(tmp_path / "state", remember_us=0, rest_us=100)
    monday = audit_day(spark, [one], days)
    assert claims(monday.audit.findings) == set()
    monday.close()
    tuesday = audit_day(spark, [two], days)
    assert {(claim[0], claim[1]) for claim in claims(tuesday.audit.findings)} == {("QM2", "DLV-01")}
    assert tuesday.withdrawn_count == 0
    tuesday.close()
    state = json.loads((tmp_path / "state" / "state.json").read_text(encoding="utf-8"))
    assert state["days"] == 2
