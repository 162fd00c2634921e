"""The sessions of a run as event logs: they are correct, and a conforming run does not depart in a replay."""

from __future__ import annotations

import errno
from itertools import pairwise
from pathlib import Path

import pytest

from conformance.checks.check import CheckResult
from conformance.checks.scenarios import scenarios
from conformance.checks.selection import all_checks, select
from conformance.reports.histories import event_log
from conformance.running.worker import Options, Worker
from conformance.sessions.clock import RealClock
from conformance.sessions.dialogue import Dialogue
from conformance.sessions.session import Session, Setup, play_lines
from fixtures.miniatures import MINIATURES
from oracle.errors import UsageError
from oracle.histories.event_log import DepthHeader, Event, LogHeader, Record, to_line
from oracle.histories.notation import parse
from oracle.replay.forms import replay
from oracle.replay.steps import UndecidedError
from oracle.serve import Server
from tests.conformance.conftest import play, rig_of, target_of
from tests.conformance.test_clock import Hands, RealTimeTarget


def log_of(text: str, setup: Setup | None = None) -> list[Record]:
    return list(event_log(play(text, setup=setup), "QM"))


def events_of(text: str) -> list[Event]:
    return [record for record in log_of(text) if isinstance(record, Event)]


def verdict(records: list[Record]) -> str:
    """Return the verdict of replaying a log."""
    lines = "".join(f"{to_line(record)}\n" for record in records)
    try:
        return "departs" if any(step.departs for step in replay(lines, "log.jsonl")) else "conforms"
    except UndecidedError:
        return "undecided"


def test_a_session_is_the_log_of_one_queue_manager() -> None:
    records = log_of("h = open Q INPUT_SHARED+OUTPUT; put h m1; get h")
    assert records[0] == LogHeader(complete=True, platform="distributed")
    assert [record.depth for record in records if isinstance(record, DepthHeader)] == [0]
    calls = [record for record in records if isinstance(record, Event)]
    assert [event.call for event in calls] == ["MQCONN", "MQOPEN", "MQPUT", "MQGET"]
    assert {event.qmgr for event in calls} == {"QM"}
    assert all(first.end_us < second.start_us for first, second in pairwise(calls))
    assert verdict(records) == "conforms"


def test_a_call_that_waited_has_an_interval_as_long_as_its_wait() -> None:
    *_, got = events_of("h = open Q INPUT_SHARED; w = get h WAIT WaitInterval=2000; advance 5s")
    assert (got.call, got.reason) == ("MQGET", 2033)
    assert got.end_us - got.start_us >= 2_000_000


def test_a_call_that_never_came_back_has_no_record() -> None:
    assert [event.call for event in events_of("h = open Q INPUT_SHARED; w = get h WAIT WaitInterval=-1; fail A")] == [
        "MQCONN",
        "MQOPEN",
    ]


def test_a_name_that_connects_again_is_another_connection() -> None:
    text = "h = B.open Q OUTPUT; fail B; put h m1; conn B; g = B.open Q INPUT_SHARED; get g"
    assert [event.conn for event in events_of(text)] == ["B", "B", "B-2", "B-2", "B-2"]
    assert verdict(log_of(text)) == "conforms"


@pytest.mark.parametrize("line", ["alter Q MaxQDepth=3", "quiesce"])
def test_what_no_log_holds_leaves_it_incomplete(line: str) -> None:
    assert log_of(f"h = open Q OUTPUT; {line}")[0] == LogHeader(complete=False, platform="distributed")


def test_no_history_of_the_oracle_departs() -> None:
    shown = {"conforms": 0, "undecided": 0, "departs": 0}
    rig = rig_of()
    for scenario in scenarios():
        if "distributed" in scenario.platforms:
            shown[verdict(list(event_log(rig.play(scenario.history()), scenario.id)))] += 1
    assert shown["departs"] == 0
    assert shown["conforms"] > shown["undecided"]


def test_the_history_of_a_wrong_queue_manager_departs() -> None:
    text = "h = open Q INPUT_SHARED+OUTPUT; put h m1; put h m2 Priority=5; get h"
    session = play(text, MINIATURES["priority_ignored"].server)
    assert verdict(list(event_log(session, "QM"))) == "departs"


def test_a_real_clock_tells_of_waits_that_end_by_themselves() -> None:
    target = RealTimeTarget(Hands(), late_by=0.2)
    dialogue = Dialogue(target)
    session = Session(dialogue, Setup(), RealClock(dialogue, target.hands.time()))
    play_lines(session, parse("h = open Q INPUT_SHARED; w = get h WAIT WaitInterval=2000; advance 5s; get h"))
    waited, last = (record for record in event_log(session, "QM") if isinstance(record, Event) and record.reason)
    assert (waited.reason, last.reason) == (2033, 2033)
    assert waited.end_us - waited.start_us >= 2_000_000


def perform(folder: Path, pattern: str) -> CheckResult:
    (check,) = select(all_checks(), [pattern])
    return Worker(target_of(Server), Options(history=folder)).perform(check)


def test_each_session_of_a_check_is_a_file(tmp_path: Path) -> None:
    perform(tmp_path, "lock/unlock-without-a-lock")
    assert [path.name for path in (tmp_path / "lock").iterdir()] == ["unlock-without-a-lock.jsonl"]
    perform(tmp_path, "example/WAI-01")
    assert {path.name for path in (tmp_path / "example").iterdir()} >= {"WAI-01.jsonl", "WAI-01.2.jsonl"}


def test_a_counterexample_has_its_own_history_as_short_as_it_got(tmp_path: Path) -> None:
    (check,) = select(all_checks(), ["priority/by-priority"])
    target = target_of(MINIATURES["priority_ignored"].server)
    found = Worker(target, Options(history=tmp_path)).perform(check).counterexample
    assert found is not None
    whole, shortest = (tmp_path / "priority" / f"by-priority{more}.jsonl" for more in ("", ".2"))
    headers = 3  # of the log, the queue and its depth
    assert len(shortest.read_text().splitlines()) == headers + len(found.transcript.exchanges)
    assert len(whole.read_text().splitlines()) > len(shortest.read_text().splitlines())


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(UsageError, match=r"unlock-without-a-lock.jsonl cannot be written: No space left on device"):
        perform(tmp_path, "lock/unlock-without-a-lock")


def test_an_mqconn_that_warns_makes_no_other_connection() -> None:
    events = events_of("conn A; conn A; h = open Q INPUT_SHARED; get h")
    assert [(event.conn, event.reason) for event in events if event.call == "MQCONN"] == [("A", 0), ("A", 2002)]
    assert {event.conn for event in events} == {"A"}
