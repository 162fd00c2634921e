"""Invented results of audits for the tests of reports: as many findings as wanted, without Spark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from oracle.judging.deviations import LogDeviation
from spark_checks.reports.gathering import Gathering
from spark_checks.reports.results import Courses, Fault, QueueCourse, Results, Slice, worst_first
from spark_checks.results.rule_results import RuleResult

DAY = 1_790_000_000_000_000
SECOND = 1_000_000
RULES = (
    RuleResult("PRI-04", 0, 0, 1_000, 0, ()),
    RuleResult("EXP-09", 0, 0, 900, 12, ("expiry",)),
    RuleResult("DLV-01", 0, 0, 500, 0, ()),
    RuleResult("DLV-03", 0, 0, 0, 700, ("complete", "depth")),
    RuleResult("EXP-23", 0, 0, 0, 0, ()),
)

Row = dict[str, Any]


def call(conn: str, seq: int, name: str, start_us: int, took_us: int = 400) -> Row:
    return {
        "conn": conn,
        "seq": seq,
        "call": name,
        "start_us": start_us,
        "end_us": start_us + took_us,
        "source": "day.jsonl",
        "line": seq,
    }


def late(number: int, conn: str = "10.0.0.7:4711/1", queue: str = "ORDERS", **members: Any) -> Row:
    """Return a finding of EXP-09 as the audit gives it."""
    begun = DAY + number * SECOND
    return {
        "rule": "EXP-09",
        "verdict": "violation",
        "qmgr": "QM1",
        "queue": queue,
        "msg_id": f"{number:048x}",
        "conn": conn,
        "calls": [
            call("10.0.0.1:4000/1", 2 * number, "MQPUT", begun),
            call(conn, number, "MQGET", begun + 30 * SECOND + number),
        ],
        "explanation": f"MQGET by connection {conn} returned a message {number}.5 seconds after its Expiry had passed.",
        **members,
    }


def overtaken(number: int, queue: str = "ORDERS") -> Row:
    """Return a suspicion about PRI-04."""
    begun, conn = DAY + number * SECOND, "billing"
    calls = [
        call("web", number, "MQPUT", begun),
        call("web", number + 1, "MQPUT", begun + 5_000),
        call(conn, number, "MQGET", begun + SECOND),
        call(conn, number + 1, "MQGET", begun + SECOND + 300),
    ]
    return {
        **late(number, conn, queue),
        "rule": "PRI-04",
        "verdict": "suspicion",
        "calls": calls,
        "explanation": "The second message was delivered before the first, unless another one had its identifier.",
    }


def course(queue: str = "ORDERS") -> QueueCourse:
    slices = [
        Slice(number, (-1) ** (number // 20) * (number % 5), 500 * number, 9_000 * number, 5 + number % 7, 300 - number)
        for number in range(0, 400, 2)
    ]
    return QueueCourse("QM1", queue, 12_345, tuple(slices))


def around_of(row: Row) -> tuple[Row, ...]:
    """Return the calls of a finding and one before each, as members of the event log."""
    named = [{**each, "qmgr": row["qmgr"], "queue": row["queue"], "comp_code": 0, "reason": 0} for each in row["calls"]]
    before = [
        {**each, "seq": each["seq"] - 10_000, "start_us": each["start_us"] - 900, "end_us": each["start_us"] - 500}
        for each in named
    ]
    return tuple(sorted([*named, *before], key=lambda each: (each["start_us"], each["conn"], each["seq"])))


def results(
    rows: Iterable[Row] = (), known: Sequence[LogDeviation] = (), rules: Sequence[RuleResult] = RULES, **members: Any
) -> Results:
    """Return the results of an audit with these findings."""
    gathering = Gathering(known)
    taken = {number: row for number, row in enumerate(rows, start=1) if gathering.take(row)}
    seen = gathering.rules(rules)
    made = Results(
        records=25_000,
        unreadable=0,
        seconds=12.34,
        first_us=DAY,
        last_us=DAY + 3_600 * SECOND,
        connections=17,
        complete=True,
        rules=seen,
        groups=worst_first(gathering.groups()),
        known=gathering.known(seen, [("QM1", "ORDERS")]),
        faults=(),
        advice=("add the queues' definitions",),
        courses=Courses(DAY, 9 * SECOND, (course(),)),
        around={finding.number: around_of(taken[finding.number]) for finding in gathering.kept},
    )
    return replace(made, **members)


HOSTILE = '<script>alert("1")</script>&'


def hostile() -> Results:
    """Return results in which every text that a log can contain is hostile to a page."""
    row = late(1, HOSTILE, HOSTILE, qmgr=HOSTILE, msg_id=HOSTILE, explanation=f"{HOSTILE} was \x00 returned.")
    for each in row["calls"]:
        each["source"] = HOSTILE
    return results(
        [row],
        unreadable=1,
        faults=(Fault(HOSTILE, 3, HOSTILE),),
        courses=Courses(DAY, 1, (course(HOSTILE),)),
        advice=(HOSTILE,),
    )
