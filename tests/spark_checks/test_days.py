"""Daily audits: when findings are reported, what is remembered, and unreadable states."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from oracle.errors import BadInputError, UsageError
from oracle.mqi.constants import MQCC, MQFB, MQGMO, MQMF, MQMO, MQMT, MQOO, MQPMO, MQRC, MQRO
from spark_checks.checks import CHECKS
from spark_checks.checks.base import Check
from spark_checks.checks.delivery import DELIVERY
from spark_checks.checks.depth import DEPTH
from spark_checks.checks.limits import LIMITS
from spark_checks.checks.order import ORDER
from spark_checks.checks.reports import REPORTS
from spark_checks.days.auditing import Day, Days, audit_day
from spark_checks.days.memory import recall
from spark_checks.days.state_files import VERSION, fingerprints
from spark_checks.frames import Engine
from spark_checks.readers.trace_connections import CALLS_IN_A_MESSAGE
from tests.oracle.test_replay_log import START, log_of
from tests.spark_checks.day_by_day import Claim, claims
from tests.spark_checks.histories import COMPLETE, QUEUE, History, Record, ident, write_log


def audited(
    engine: Engine, directory: Path, logs: Sequence[Sequence[Record]], checks: Sequence[Check] = CHECKS, **how: int
) -> Iterator[Day]:
    """Yield the audit of each day, without the oracle, by one state; the last day is final."""
    for number, records in enumerate(logs):
        log = write_log(directory / f"{number}.jsonl", records)
        days = Days(directory / "state", final=number == len(logs) - 1, **how)
        found = audit_day(engine, [log], days, checks=checks, replay_limit=0)
        yield found
        found.close()


def test_what_a_handle_did_on_an_earlier_day_counts(engine: Engine, tmp_path: Path) -> None:
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
    for found in audited(engine, tmp_path, days, (DELIVERY, ORDER), remember_us=0):
        known |= claims(found.audit.findings)
        assert found.withdrawn_count == 0
    assert {claim[0] for claim in known} == {"wrong", "closed"}


def test_what_is_over_is_not_carried(engine: Engine, tmp_path: Path) -> None:
    """Of many messages that came and went only those still on the queue are kept, on that day and the next."""
    day = History("QM")
    day.starts_empty()
    for number in range(100):
        day.put("P", f"m{number}", 20 * number, 20 * number + 2)
        if number not in {7, 50}:
            selected = {"match_options": MQMO.MATCH_MSG_ID, "sel_msg_id": ident(f"m{number}")}
            day.browse("B", f"m{number}", 20 * number + 3, 20 * number + 5, hobj=3, **selected)
            day.get("C", f"m{number}", 20 * number + 4, 20 * number + 6, **selected)
    next_day = History("QM")
    next_day.call("D", "MQCONN", 3000, 3002)
    for number, records in enumerate(([COMPLETE, *day.records], next_day.records)):
        log = write_log(tmp_path / f"{number}.jsonl", records)
        audit_day(engine, [log], Days(tmp_path / "state", remember_us=0, rest_us=0), replay_limit=0).close()
        carried = recall(engine, tmp_path / "state").calls
        assert carried is not None
        assert {row["msg_id"] for row in carried.where("carried = 'settled'").collect()} >= {ident("m7"), ident("m50")}
        assert carried.count() < 20


def test_a_call_that_is_in_the_logs_of_two_days_counts_once(engine: Engine, tmp_path: Path) -> None:
    """The second day's log begins with calls of the first, one of them with times that its neighbours narrow."""
    day = History("QM")
    day.starts_empty()
    day.put("P", "m1", 10, 12)
    day.get("C", "m1", 20, 500)
    day.call("C", "MQCMIT", 30, 40)
    day.put("P", "m2", 50, 52)
    day.put("P", "m3", 60, 62)
    next_day = History("QM")
    next_day.get("D", "m2", 1000, 1010)
    next_day.header("depth", at_us=1100, depth=1)
    known: set[Claim] = set()
    logs = ([COMPLETE, *day.records], [*day.records[2:], *next_day.records])
    for found in audited(engine, tmp_path, logs, (DELIVERY, DEPTH, ORDER)):
        known |= claims(found.audit.findings)
        names = [(row["qmgr"], row["conn"], row["seq"]) for row in found.audit.log.calls.collect()]
        assert len(names) == len(set(names))
    assert known == set()


def test_a_signal_or_a_mark_of_an_earlier_day_refuses_a_second_one(engine: Engine, tmp_path: Path) -> None:
    """Two connections of each queue manager are refused a second one, only one of them rightly."""
    logs: list[list[Record]] = [[{**COMPLETE, "platform": "zos"}] for _ in range(2)]
    for what in ("signal", "mark"):
        for log, day in zip(logs, _refused_second(what), strict=True):
            log.extend(day)
    known: set[Claim] = set()
    for found in audited(engine, tmp_path, logs, remember_us=0, rest_us=0):
        known |= claims(found.audit.findings)
    about = {"signal": "SIG-12", "mark": "MSB-06"}
    told = {(claim[0], claim[1], claim[4][-1][0]) for claim in known if claim[1] in about.values()}
    assert told == {(what, rule, f"{what}/wrong") for what, rule in about.items()}


def _refused_second(what: str) -> Iterator[list[Record]]:
    """Yield the records of two days, on the second of which a signal or a mark is refused to two connections."""
    signal, mark = MQGMO.SET_SIGNAL, MQGMO.MARK_SKIP_BACKOUT | MQGMO.SYNCPOINT
    asked = int(signal if what == "signal" else mark)
    first: Record = {"signal": {"reason": MQRC.SIGNAL_REQUEST_ACCEPTED}, "mark": {"reason": MQRC.TRUNCATED_MSG_FAILED}}
    second = MQRC.SIGNAL_OUTSTANDING if what == "signal" else MQRC.SECOND_MARK_NOT_ALLOWED
    of_get: Record = {"queue": QUEUE, "object_name": QUEUE, "hobj": 2, "options": asked}
    day, next_day = History(what), History(what)
    for conn, at_us in (("right", 10), ("wrong", 20)):
        day.call(conn, "MQCONN", at_us, at_us + 1)
        day.call(conn, "MQOPEN", at_us + 2, at_us + 3, queue=QUEUE, object_name=QUEUE, hobj=2, options=1)
        if conn == "right":
            day.call(conn, "MQGET", at_us + 4, at_us + 5, comp_code=1, **first[what], **of_get)
        nothing: Record = {
            "comp_code": 2,
            "reason": MQRC.NO_MSG_AVAILABLE,
            **of_get,
            "options": int(MQGMO.BROWSE_FIRST),
        }
        day.call(conn, "MQGET", at_us + 50, at_us + 51, **nothing)
        day.call(conn, "MQOPEN", at_us + 100, at_us + 101, queue="R", object_name="R", hobj=4, options=1)
    next_day.seqs = day.seqs
    for conn, at_us in (("right", 1000), ("wrong", 1020)):
        next_day.call(conn, "MQGET", at_us, at_us + 1, comp_code=2, reason=second, **of_get)
    yield day.records
    yield next_day.records


def test_a_call_of_two_days_counts_once_after_it_is_forgotten(engine: Engine, tmp_path: Path) -> None:
    """An exclusive handle and a group in logical order were over on the first day, and the second log has them again.

    A call that only the second log has counts, although its number lies between others.
    """
    logs: list[list[Record]] = [[COMPLETE] for _ in range(3)]
    called = list[Record]()
    for numbers in ("one by one", "by trace message"):
        calls, days = _forgotten(numbers)
        called += calls
        for log, day in zip(logs, days, strict=True):
            log.extend(day)
    last = History("QM")
    last.call("D", "MQCONN", 5000, 5002)
    for number, log in enumerate(logs):
        log.extend(last.records)
        last.call("D", "MQCMIT", 6000 + number, 6000 + number)
    known: set[Claim] = set()
    for number, found in enumerate(audited(engine, tmp_path, logs, remember_us=0, rest_us=0)):
        known |= claims(found.audit.findings)
        copies = found.audit.log.copies_in(found.audit.read.calls)
        assert copies == (0, len(called) - 2 * 2 + number, len(called) + number)[number]
    # The log of the first day said that it is complete.
    assert {claim[:2] for claim in known} == {("one by one", "DLV-01"), ("by trace message", "DLV-01")}
    seen = recall(engine, tmp_path / "state").seen
    assert seen is not None
    assert seen.count() == len({(record["qmgr"], record["conn"]) for record in (*called, *last.records)})


def _forgotten(numbers: str) -> tuple[list[Record], list[list[Record]]]:
    """Return the calls of a queue manager, and what the logs of three days have of it."""
    day = History(numbers)
    day.starts_empty()
    exclusive, shared = int(MQOO.INPUT_EXCLUSIVE), int(MQOO.INPUT_SHARED)
    for conn, options, at_us in (("A", exclusive, 10), ("B", shared, 50)):
        day.call(conn, "MQOPEN", at_us, at_us + 1, queue=QUEUE, object_name=QUEUE, hobj=2, options=options)
        day.call(conn, "MQCLOSE", at_us + 20, at_us + 21, queue=QUEUE, object_name=QUEUE, hobj=2, options=0)
    day.put("P", "m1", 100, 102)
    day.get("C", "m1", 110, 112)
    day.put("P", "m2", 120, 122)
    day.get("C", "m2", 130, 132)
    for number in range(3, 7):  # of a connection that lasts its first and last calls are remembered
        day.put("X", f"m{number}", 100 * number, 100 * number + 2)
        day.get("Y", f"m{number}", 100 * number + 10, 100 * number + 12)
    if numbers == "by trace message":
        for record in day.records[1:]:
            record["seq"] = record["seq"] // 2 * CALLS_IN_A_MESSAGE + record["seq"] % 2
    headers = [record for record in day.records if "header" in record]
    calls = [record for record in day.records if "conn" in record]
    (lost,) = (one for one in calls if one.get("msg_id") == ident("m2") and one["call"] == "MQPUT")
    days = ([one for one in calls if one is not lost], calls[1:], calls)
    return calls, [[*headers, *records] for records in days]


def test_findings_are_told_once_on_the_day_that_shows_them(engine: Engine, tmp_path: Path) -> None:
    """Counted facts are reported on their day, whatever is remembered of it later; early COA reports at the commit.

    Counted are depths that do not add up, a put beyond MaxQDepth, and two reports on one message.
    """
    days: list[list[Record]] = [[COMPLETE, *_reported_twice()], [], []]
    for feedback in (MQFB.COA, MQFB.COD):
        for confirmed_on in (0, 2):
            for day, part in zip(days, _confirmed(feedback, confirmed_on), strict=True):
                day.extend(part)
    for name, depth, puts in (("lost", 0, 1), ("right", 1, 1), ("too deep", 1, 2)):
        one = History(name)
        one.starts_empty()
        one.header("queue", MaxQDepth=2, DefinitionType="PREDEFINED", CAPEXPRY=0)
        one.put("P", "m1", 10, 12)
        one.put("P", "m2", 20, 22)
        one.get("C", "m1", 30, 32)
        one.header("depth", at_us=50, depth=depth)
        one.put("P", "m3", 60, 62)
        one.get("C", "m3", 70, 72, match_options=MQMO.MATCH_MSG_ID, sel_msg_id=ident("m3"))
        days[0] += one.records
        one.records = []
        for number in range(puts):
            one.put("P", f"n{number}", 1010 + 10 * number, 1012 + 10 * number)
        one.header("depth", at_us=1050, depth=depth + puts)
        days[1] += one.records
    told = []
    for number, day in enumerate(days):
        clock = History(f"clock {number}")
        clock.call("A", "MQCONN", 1000 * number + 100, 1000 * number + 100)
        log = write_log(tmp_path / f"{number}.jsonl", [*day, *clock.records])
        how = Days(tmp_path / "state", remember_us=60, rest_us=0)
        found = audit_day(engine, [log], how, checks=(DELIVERY, DEPTH, LIMITS, ORDER, REPORTS), replay_limit=0)
        assert found.withdrawn_count == 0
        told.append({(claim[0], claim[1]) for claim in claims(found.audit.findings)})
        found.close()
    arrived, delivered = ((f"feedback {feedback} on day 0", "RPM-03") for feedback in (MQFB.COA, MQFB.COD))
    assert told == [{("lost", "DLV-06"), ("twice", "RPT-01"), delivered}, {("too deep", "DEP-06")}, {arrived}]


def _reported_twice() -> list[Record]:
    """Return the records of a message that two reports declare expired."""
    history = History("twice")
    history.starts_empty()
    options = MQPMO.NO_SYNCPOINT | MQPMO.NEW_MSG_ID
    history.put("P", "m1", 10, 12, options=options, expiry=1, report=MQRO.EXPIRATION)
    for number in (1, 2):
        report = {"msg_type": MQMT.REPORT, "feedback": MQFB.EXPIRATION, "correl_id": ident("m1")}
        history.get("C", f"r{number}", 20 * number, 20 * number + 2, **report)
    return history.records


def _confirmed(feedback: int, confirmed_on: int) -> list[list[Record]]:
    """Return by day the records of a put or a get whose unit of work is committed on the third, and of its report."""
    history = History(f"feedback {feedback} on day {confirmed_on}")
    history.starts_empty()
    by_put = feedback == MQFB.COA
    options = MQPMO.NEW_MSG_ID | (MQPMO.SYNCPOINT if by_put else MQPMO.NO_SYNCPOINT)
    history.put("P", "m1", 10, 12, options=options, report=MQRO.COA | MQRO.COD)
    if not by_put:
        history.get("G", "m1", 20, 22, options=MQGMO.SYNCPOINT)
    report = {"msg_type": MQMT.REPORT, "feedback": feedback, "correl_id": ident("m1")}
    history.get("C", "r1", 1000 * confirmed_on + 60, 1000 * confirmed_on + 62, **report)
    history.commit("P" if by_put else "G", 2030, 2032)
    return [[one for one in history.records if one.get("end_us", 0) // 1000 == day] for day in range(3)]


def test_the_oracle_goes_on_from_where_a_queue_was_at_rest(engine: Engine, tmp_path: Path) -> None:
    """A queue with a message on it is followed on only if all calls since it was empty are remembered."""
    histories = {
        "right": "put h m1; get g; advance 1000s; put h m2; get g; cmit",
        "wrong": "put h m1; get g; advance 1000s; put h m2; get g; cmit",
        "put late": "advance 900s; put h m1; advance 100s; get g",
        "put early": "put h m1; advance 1000s; get g",
    }
    day_us = 10**9
    days: list[list[Record]] = [[COMPLETE], []]
    for qmgr, history in histories.items():
        records = [record | {"qmgr": qmgr} for record in log_of(START + history) if record.get("header") != "log"]
        if qmgr == "wrong":
            records[-1].update(comp_code=MQCC.FAILED, reason=MQRC.HCONN_ERROR)
        for record in records:
            days[record.get("end_us", 0) > day_us].append(record)
    of_queues = sum("queue" in record for record in days[0] if "call" in record)
    followed: list[int] = []
    for number, day in enumerate(days, 1):
        clock = History(f"clock {number}")
        clock.call("A", "MQCONN", day_us * number, day_us * number)
        log = write_log(tmp_path / f"{number}.jsonl", [*day, *clock.records])
        how = Days(tmp_path / "state", remember_us=day_us // 2, rest_us=0)
        found = audit_day(engine, [log], how, checks=(DELIVERY, ORDER))
        followed.append(found.audit.replayed.followed)
        found.close()
    assert followed == [of_queues, 5]
    assert sum(found.audit.replayed.unknown_queues.values()) == 1
    (finding,) = found.audit.findings.collect()
    assert finding["qmgr"] == "wrong"
    assert finding["explanation"].startswith("MQCMIT of connection ")


def of_group(number: int) -> Record:
    """Return the columns of a put of a group's message in logical order."""
    return {
        "hobj": 2,
        "options": int(MQPMO.LOGICAL_ORDER | MQPMO.NO_SYNCPOINT),
        "group_id": ident("group"),
        "msg_seq_number": number,
        "offset": 0,
        "msg_flags": int(MQMF.MSG_IN_GROUP),
        "length": 10,
    }


def test_a_file_that_was_read_before_is_refused(engine: Engine, tmp_path: Path) -> None:
    day = History("QM")
    day.put("P", "m1", 10, 12)
    log = write_log(tmp_path / "day.jsonl", day.records)
    audit_day(engine, [log], Days(tmp_path / "state")).close()
    with pytest.raises(UsageError, match="was read on an earlier day"):
        audit_day(engine, [log], Days(tmp_path / "state"))


WHOLE_STATE = {
    "version": VERSION,
    "days": 1,
    "unreadable": 0,
    "inputs": [],
    "gathered": [],
    "horizon_us": 0,
    "told_us": 0,
    "rests": None,
}


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ("", "the state is damaged"),
        (json.dumps({"version": VERSION}), "the state is damaged"),
        ('{"version": 99}', "the state is of version 99"),
        ("[]", "the state is damaged: it does not name its version"),
        (json.dumps({**WHOLE_STATE, "days": "two"}), "the state is damaged: days must be a whole number"),
        (json.dumps({**WHOLE_STATE, "gathered": {}}), "the state is damaged: gathered must be a list"),
        (json.dumps(WHOLE_STATE), "the state is damaged"),
        (None, "the state is not whole"),
    ],
)
def test_a_damaged_state_is_named(engine: Engine, tmp_path: Path, state: str | None, message: str) -> None:
    (tmp_path / "headers.jsonl").write_text("", encoding="utf-8")
    if state is not None:
        (tmp_path / "state.json").write_text(state, encoding="utf-8")
    with pytest.raises(BadInputError, match=message):
        recall(engine, tmp_path)


def test_kept_rows_that_are_others_are_named(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "headers.jsonl").write_text("", encoding="utf-8")
    (tmp_path / "state.json").write_text(json.dumps(WHOLE_STATE), encoding="utf-8")
    engine.frame([(1,), (2,)], "id long").write_parquet(tmp_path / "calls")
    with pytest.raises(BadInputError, match="calls: the state is damaged: it lacks qmgr, conn"):
        recall(engine, tmp_path)


def test_a_directory_of_other_things_is_no_state(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match=r"thesis\.txt"):
        recall(engine, tmp_path)


def test_a_finding_rests_until_the_log_has_gone_on(engine: Engine, tmp_path: Path) -> None:
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
    monday = audit_day(engine, [one], days)
    assert claims(monday.audit.findings) == set()
    monday.close()
    tuesday = audit_day(engine, [two], days)
    assert {(claim[0], claim[1]) for claim in claims(tuesday.audit.findings)} == {("QM2", "DLV-01")}
    assert tuesday.withdrawn_count == 0
    tuesday.close()
    state = json.loads((tmp_path / "state" / "state.json").read_text(encoding="utf-8"))
    assert state["days"] == 2


@pytest.mark.parametrize(("rest_us", "told", "withdrawn"), [(100, set(), 0), (0, {("QM", "BOC-04")}, 1)])
def test_what_several_calls_show_rests_also_under_a_rule_about_single_calls(
    engine: Engine, tmp_path: Path, rest_us: int, told: set[tuple[str, str]], withdrawn: int
) -> None:
    """A backout count may come from a backout under way; one that is no count at all is reported at once."""
    first, later, wrong = History("QM"), History("QM"), History("QM2")
    for each in (first, wrong):
        each.starts_empty()
        each.put("P", "m1", 10, 12)
    first.get("D", "m1", 30, 80, backout_count=1)
    wrong.get("D", "m1", 30, 80, backout_count=-1)
    later.get("C", "m1", 20, 85, options=int(MQGMO.SYNCPOINT))
    later.backout("C", 35, 90)
    later.call("E", "MQCONN", 500, 600)
    days = Days(tmp_path / "state", remember_us=0, rest_us=rest_us)
    known = []
    for number, records in enumerate(([COMPLETE, *first.records, *wrong.records], later.records)):
        log = write_log(tmp_path / f"{number}.jsonl", records)
        found = audit_day(engine, [log], days, replay_limit=0)
        known.append({(claim[0], claim[1]) for claim in claims(found.audit.findings) if claim[1] == "BOC-04"})
        found.close()
    assert known == [{("QM2", "BOC-04")} | told, set()]
    assert found.withdrawn_count == withdrawn


def test_headers_may_be_given_on_every_day(tmp_path: Path) -> None:
    headers = write_log(tmp_path / "complete.jsonl", [COMPLETE])
    day = History("QM")
    day.call("C", "MQCONN", 1, 2)
    calls = write_log(tmp_path / "calls.jsonl", day.records)
    assert list(fingerprints([headers, calls]).values()) == [str(calls)]
