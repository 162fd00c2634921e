"""Histories cut into days, their daily audits, and the findings on the way."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from random import Random

from oracle.mqi.constants import MQCC, MQRC, NULL_ID
from spark_checks.days.auditing import Days, audit_day
from spark_checks.frames import Engine, Frame
from tests.spark_checks.histories import COMPLETE, Record, write_log

DAY_US = 10**5
_TIMES = ("start_us", "end_us", "at_us", "put_us")
_ASKED = (
    "qmgr", "conn", "seq", "start_us", "end_us", "call", "queue", "hobj", "options", "match_options", "wait_ms",
    "sel_msg_id", "sel_correl_id",
)  # fmt: skip  # names

Claim = tuple[str, str, str, str | None, tuple[tuple[str, int], ...], str]
"""The queue manager, the rule, the verdict, the MsgId, the calls and the sentence of a finding."""


def claims(findings: Frame) -> set[Claim]:
    """Return the findings without times, which may be known better on a later day."""
    return {
        (
            row["qmgr"],
            row["rule"],
            row["verdict"],
            row["msg_id"],
            tuple((c["conn"], c["seq"]) for c in row["calls"]),
            row["explanation"],
        )
        for row in findings.collect()
    }


def days_of(records: Sequence[Record], random: Random, days: int) -> list[list[Record]]:
    """Cut a history at random into days, and move its times so that each day begins when that of all others does.

    A record is written when its call ends, and a connection's calls end one after the other. Headers without a time
    stand in the first day.
    """
    make_sequential(records)
    ends: list[int] = sorted({record["end_us"] for record in records if "end_us" in record})
    cuts = sorted(random.choice(ends) for _ in range(days - 1))
    begun: int = min(record["start_us"] for record in records if "start_us" in record) - 1
    bounds = [begun, *cuts, ends[-1] + 1]

    def moved(time_us: int) -> int:
        day = min(sum(time_us > cut for cut in cuts), days - 1)
        since_us, length_us = time_us - bounds[day], bounds[day + 1] - bounds[day]
        if length_us and bounds[0] <= time_us <= bounds[-1]:
            since_us = since_us * DAY_US // length_us
        return day * DAY_US + since_us

    cut: list[list[Record]] = [[] for _ in range(days)]
    for record in records:
        when: int = record["end_us"] if "end_us" in record else record.get("at_us", begun)
        times = {name: moved(record[name]) for name in _TIMES if record.get(name) is not None}
        cut[sum(when > time for time in cuts)].append(record | times)
    return cut


def make_sequential(records: Sequence[Record]) -> None:
    of_conns: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        if "conn" in record:
            of_conns[record["conn"]].append(record)
    for calls in of_conns.values():
        calls.sort(key=lambda call: int(call["seq"]))
        for before, call in pairwise(calls):
            call["start_us"] = max(before["start_us"], call["start_us"])
        for call, after in pairwise(reversed(calls)):
            after["end_us"] = min(after["end_us"], call["end_us"])
        for call in calls:
            call["start_us"] = min(call["start_us"], call["end_us"])


def mutated(records: Sequence[Record], random: Random) -> list[Record]:
    """Return the records of a history with up to three of them lost or changed."""
    changed = [dict(record) for record in records]
    for _ in range(random.choice((1, 1, 2, 3))):
        known = [record for record in changed if record.get("msg_id", NULL_ID.hex()) != NULL_ID.hex()]
        moves = [record for record in known if record.get("comp_code") != MQCC.FAILED]
        if not moves:
            break
        one = random.choice(moves)
        what = random.choice(("lost", "other message", "other message", "backouts", "priority", "nothing"))
        if what == "lost":
            changed.remove(one)
        elif what == "other message":
            one["msg_id"] = random.choice([each["msg_id"] for each in moves if each.get("queue") == one.get("queue")])
        elif what == "backouts":
            one["backout_count"] = one.get("backout_count", 0) + 1
        elif what == "priority":
            one["priority"] = random.randint(0, 9)
        elif one["call"] == "MQGET":
            answer = {"comp_code": int(MQCC.FAILED), "reason": int(MQRC.NO_MSG_AVAILABLE)}
            changed[changed.index(one)] = {name: one[name] for name in _ASKED if name in one} | answer
    return changed


def audited(engine: Engine, days: Sequence[Sequence[Record]], directory: Path) -> Iterator[set[Claim]]:
    """Audit days one after the other and yield the findings after each, with nothing remembered longer than needed.

    Each day's log reaches to the end of its day.
    """
    known: set[Claim] = set()
    for number, day in enumerate(days):
        log = write_log(directory / f"day-{number}.jsonl", [COMPLETE, *day, at_the_end_of(number)])
        how = Days(directory / "state", final=number == len(days) - 1, remember_us=0, rest_us=0)
        found = audit_day(engine, [log], how, replay_limit=0)
        new = claims(found.audit.findings)
        known -= claims(found.withdrawn)
        assert not new & known
        known |= new
        found.close()
        yield known


def at_the_end_of(day: int) -> Record:
    """Return the record of a call that ends with a day, of a queue manager of its own."""
    time_us = (day + 1) * DAY_US
    return {
        "qmgr": "CLOCK",
        "conn": f"clock {day}",
        "seq": 1,
        "start_us": time_us,
        "end_us": time_us,
        "call": "MQCONN",
        "comp_code": 0,
        "reason": 0,
    }
