"""`mq-audit watch`: calls in any order give the findings of one audit, and a killed watch continues."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner, Result

from oracle.errors import BadInputError
from spark_checks.audit import audit_log
from spark_checks.cli import main
from spark_checks.days.auditing import Day
from spark_checks.frames import Engine
from spark_checks.readers.load import read_log
from spark_checks.watching import commands, rounds
from spark_checks.watching.arrivals import arrived
from spark_checks.watching.ledger import FINDINGS, Ledger, read_ledger, stored
from spark_checks.watching.metrics import Numbers, write_metrics
from spark_checks.watching.rounds import WATCH, Plan, RoundResult, one_round, recover
from tests.spark_checks.day_by_day import Claim, claims, make_sequential
from tests.spark_checks.histories import COMPLETE, History, Record, write_log
from tests.spark_checks.test_claims import held_by_another
from tests.spark_checks.test_days_together import of_defects, of_the_oracle

LATENESS_US = 500
FOREVER_US = 10**15


def plan_for(directory: Path, **changes: Any) -> Plan:
    usual = {"lateness_us": LATENESS_US, "remember_us": FOREVER_US}
    return Plan(directory / "report", directory / "state", **(usual | changes))


def take(
    engine: Engine, plan: Plan, inbox: Path, *, final: bool = False, hold: bool = False, most: int = 10**9
) -> RoundResult | None:
    """Read what is in a directory, in one round."""
    known = read_ledger(plan.state / WATCH).files
    found = arrived(inbox, known, "*", 2**62, most)
    return one_round(engine, plan, found.now, final=final, hold=hold)


def told(engine: Engine, plan: Plan) -> set[Claim]:
    """Return all findings that a watch has reported and that hold."""
    found = stored(engine, plan.state / WATCH / FINDINGS)
    return set() if found is None else wordless(claims(found))


def wordless(found: set[Claim]) -> set[Claim]:
    """Return findings without the words that say from when on calls are remembered."""
    return {(*claim[:5], "") if claim[1] == "DLV-01" else claim for claim in found}


def whole(engine: Engine, path: Path, records: Sequence[Record]) -> set[Claim]:
    """Return what one audit finds."""
    return wordless(claims(audit_log(read_log(engine, [write_log(path, records)]), replay_limit=0).findings))


def in_files(records: Sequence[Record], random: Random, inbox: Path, files: int) -> list[Path]:
    """Write calls as they arrive, each up to the lateness after its end, cut into files at random."""
    calls = [record for record in records if "header" not in record]
    order = sorted(calls, key=lambda call: int(call["end_us"]) + random.randint(0, LATENESS_US))
    cuts = sorted(random.sample(range(1, len(order)), files - 1))
    pieces = [order[start:end] for start, end in zip([0, *cuts], [*cuts, len(order)], strict=True)]
    headers = [record for record in records if "header" in record]
    paths = []
    for number, piece in enumerate(pieces):
        path = inbox / f"{number:03}.jsonl"
        write_log(path, [*(headers if not number else [COMPLETE]), *piece])
        os.utime(path, (number, number))
        paths.append(path)
    return paths


@pytest.mark.parametrize(("seed", "hold"), [(0, False), (1, True)])
def test_calls_that_arrive_out_of_order_are_told_as_one_audit_tells_them(
    engine: Engine, tmp_path: Path, seed: int, hold: bool
) -> None:
    random = Random(seed)
    histories = random.sample([*of_defects(random), *of_the_oracle(random)], 8)
    records = [COMPLETE, *chain.from_iterable(histories)]
    make_sequential(records)
    expected = whole(engine, tmp_path / "whole.jsonl", records)
    inbox = tmp_path / "in"
    inbox.mkdir()
    waiting = tmp_path / "waiting"
    waiting.mkdir()
    plan = plan_for(tmp_path)
    paths = in_files(records, random, waiting, 3)
    late = 0
    for path in paths:
        path.rename(inbox / path.name)
        done = take(engine, plan, inbox, hold=hold)
        late += 0 if done is None else done.late
    take(engine, plan, inbox, final=True)
    assert late == 0
    assert expected
    found = told(engine, plan)
    assert (found - expected, expected - found) == (set(), set())


def history_with_a_finding() -> list[Record]:
    history = History("QM1")
    history.starts_empty()
    history.put("P", "m1", 10, 12)
    history.get("C", "m1", 20, 22)
    history.get("D", "m1", 30, 32)
    history.put("P", "m2", 5_000, 5_002)
    return [COMPLETE, *history.records]


def test_a_finding_is_told_once_its_time_has_passed_and_only_once(engine: Engine, tmp_path: Path) -> None:
    inbox = tmp_path / "in"
    inbox.mkdir()
    records = history_with_a_finding()
    write_log(inbox / "1.jsonl", records[:-1])
    plan = plan_for(tmp_path)
    first = take(engine, plan, inbox)
    assert first is not None
    assert (first.audited, first.pending, first.new) == (0, 3, ())
    write_log(inbox / "2.jsonl", records[-1:])
    second = take(engine, plan, inbox)
    assert second is not None
    assert (second.audited, second.pending, second.new) == (3, 1, ())  # a call that was under way may still come
    history = History("QM1")
    history.put("Z", "m3", 10_000, 10_002)
    write_log(inbox / "3.jsonl", history.records)
    third = take(engine, plan, inbox)
    assert third is not None
    assert [row["rule"] for row in third.new] == ["SYN-08"]
    last = take(engine, plan, inbox, final=True)
    assert last is not None
    assert last.new == ()
    assert (plan.report / "findings.jsonl").read_text().count("\n") == 1
    summary = json.loads((plan.report / "summary.json").read_text())
    assert (summary["records"], summary["connections"]) == (5, 4)
    assert (summary["first_us"], summary["last_us"]) == (10, 10_002)
    assert take(engine, plan, inbox) is None


@pytest.fixture(scope="module")
def found_at_once(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> set[Claim]:
    """Return what one audit finds in that history."""
    return whole(engine, tmp_path_factory.mktemp("whole") / "log.jsonl", history_with_a_finding())


@pytest.mark.parametrize("when", ["report", "own state", "state of the days"])
def test_a_watch_that_is_killed_goes_on_where_it_was(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str, found_at_once: set[Claim]
) -> None:
    inbox = tmp_path / "in"
    inbox.mkdir()
    write_log(inbox / "1.jsonl", history_with_a_finding())
    plan = plan_for(tmp_path)

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        place = {"report": "write_report", "own state": "_close"}.get(when)
        if place is not None:
            patched.setattr(rounds, place, killed)
        else:
            patched.setattr(Day, "close", killed)
        with pytest.raises(KeyboardInterrupt):
            take(engine, plan, inbox)
    assert recover(engine, plan) == (when == "state of the days")
    take(engine, plan, inbox)
    take(engine, plan, inbox, final=True)
    assert told(engine, plan) == found_at_once
    assert read_ledger(plan.state / WATCH).audited == 4


def rounds_of(engine: Engine, plan: Plan, inbox: Path, starts: Sequence[int]) -> list[tuple[int, int, int]]:
    """Take a file with a put at each of some times, holding what may be; return what each round audited and kept."""
    history = History("QM1")
    found = []
    for number, start in enumerate(starts):
        history.put("P", f"m{number}", start, start + 2)
        write_log(inbox / f"{number}.jsonl", [COMPLETE, history.records[-1]])
        done = take(engine, plan, inbox, hold=True)
        assert done is not None
        found.append((done.audited, done.pending, done.ledger.held))
    return found


def test_calls_are_held_until_they_are_as_many_as_are_kept(engine: Engine, tmp_path: Path) -> None:
    inbox = tmp_path / "in"
    inbox.mkdir()
    close = [0, 10, 20, 30]
    starts = [*close, 1_000, *(1_000 + LATENESS_US + each for each in close)]
    found = rounds_of(engine, plan_for(tmp_path), inbox, starts)
    assert found[4] == (4, 1, 0)  # nothing was kept
    assert found[5:] == [(0, 2, 1), (0, 3, 1), (0, 4, 1), (0, 5, 1)]  # one is due, where four are kept
    history = History("QM1")
    for number, start in enumerate((1_100, 1_110, 1_120, 1_800)):
        history.put("Q", f"n{number}", start, start + 2)
    write_log(inbox / "more.jsonl", [COMPLETE, *history.records])
    done = take(engine, plan_for(tmp_path), inbox, hold=True)
    assert done is not None
    assert (done.audited, done.ledger.held) == (4, 0)


def test_calls_are_held_no_longer_than_the_lateness(engine: Engine, tmp_path: Path) -> None:
    inbox = tmp_path / "in"
    inbox.mkdir()
    starts = [0, 10, 1_000, 1_000 + LATENESS_US, 1_000 + 2 * LATENESS_US + 1]
    found = rounds_of(engine, plan_for(tmp_path), inbox, starts)
    assert found == [(0, 1, 0), (0, 2, 0), (2, 1, 0), (0, 2, 1), (2, 1, 0)]


def test_what_is_held_is_audited_when_nothing_more_comes(tmp_path: Path) -> None:
    inbox = tmp_path / "in"
    inbox.mkdir()
    history = History("QM1")
    starts = [0, 10, 1_000, 1_000 + LATENESS_US]
    metrics = tmp_path / "metrics.prom"
    watch = commands.Watch(inbox, plan_for(tmp_path), "*", 0.0, 3600.0, metrics, None, None)
    for number, start in enumerate(starts):
        history.put("P", f"m{number}", start, start + 2)
        write_log(inbox / f"{number}.jsonl", [COMPLETE, history.records[-1]])
        watch.look(final=False, settle_s=0.0)
        watch.judging_s = 3600.0  # as if rounds took long
    assert "mq_audit_records_audited_total 2" in metrics.read_text()
    again = commands.Watch(inbox, plan_for(tmp_path), "*", 0.0, 3600.0, metrics, None, None)  # started anew
    again.look(final=False, settle_s=0.0)
    assert "mq_audit_records_audited_total 3" in metrics.read_text()
    assert read_ledger(tmp_path / "state" / WATCH).held == 0


def test_a_second_watch_of_one_state_is_refused_and_the_first_goes_on(tmp_path: Path) -> None:
    inbox = tmp_path / "in"
    inbox.mkdir()
    write_log(inbox / "1.jsonl", history_with_a_finding())
    state = tmp_path / "state"
    with held_by_another(state):
        refused = run("watch", inbox, "--out", tmp_path / "other", "--state", state, "--final")
    assert refused.exit_code == 2
    assert f"{state}: " in refused.output
    assert not (tmp_path / "other").exists()
    assert run("watch", inbox, "--out", tmp_path / "report", "--state", state, "--final").exit_code == 0


def test_a_full_disk_leaves_report_and_state_as_they_were(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inbox = tmp_path / "in"
    inbox.mkdir()
    records = history_with_a_finding()
    write_log(inbox / "1.jsonl", records[:-1])
    plan = plan_for(tmp_path)
    take(engine, plan, inbox)
    before = {path: path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file()}
    write_log(inbox / "2.jsonl", records[-1:])

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "write", full)
        with pytest.raises((BadInputError, OSError), match="No space left"):
            take(engine, plan, inbox)
    kept = {path: path.read_bytes() for path in before if path.is_relative_to(plan.state)}
    assert kept == {path: data for path, data in before.items() if path.is_relative_to(plan.state)}
    take(engine, plan, inbox)
    take(engine, plan, inbox, final=True)
    assert told(engine, plan) == whole(engine, tmp_path / "whole.jsonl", records)


def test_a_call_that_comes_later_than_stated_is_counted_and_still_audited(engine: Engine, tmp_path: Path) -> None:
    inbox = tmp_path / "in"
    inbox.mkdir()
    records = history_with_a_finding()
    write_log(inbox / "1.jsonl", [*records[:4], records[-1]])
    plan = plan_for(tmp_path)
    take(engine, plan, inbox)
    write_log(inbox / "2.jsonl", records[4:5])
    done = take(engine, plan, inbox)
    assert done is not None
    assert done.late == 1
    take(engine, plan, inbox, final=True)
    assert {claim[1] for claim in told(engine, plan)} == {"SYN-08"}


def test_a_file_that_grows_or_is_renamed_counts_once(engine: Engine, tmp_path: Path) -> None:
    inbox = tmp_path / "in"
    inbox.mkdir()
    records = history_with_a_finding()
    log = write_log(inbox / "trace.jsonl", records[:4])
    plan = plan_for(tmp_path)
    take(engine, plan, inbox)
    write_log(log, records[:5])
    take(engine, plan, inbox)
    log.rename(inbox / "trace.jsonl.1")
    assert take(engine, plan, inbox) is None
    write_log(inbox / "trace.jsonl", records[5:])
    take(engine, plan, inbox)
    take(engine, plan, inbox, final=True)
    assert read_ledger(plan.state / WATCH).audited == 4


def test_a_file_that_is_still_written_to_is_left_alone_and_many_are_taken_a_few_at_a_time(tmp_path: Path) -> None:
    for number in range(3):
        path = tmp_path / f"{number}.log"
        path.write_text("x" * 100)
        os.utime(path, ns=(number, number))
    (tmp_path / "empty.log").touch()
    found = arrived(tmp_path, {}, "*.log", 1, 150)
    assert ([one.path.name for one in found.now], found.backlog, found.unsettled) == (["0.log"], 1, 1)
    known = {one.identity: one.entry(0) for one in found.now}
    assert [one.path.name for one in arrived(tmp_path, known, "*.log", 2, 10**6).now] == ["1.log", "2.log"]
    assert not arrived(tmp_path, {}, "*.gz", 2, 10**6).now


@pytest.mark.parametrize("platform", ["distributed", "zos"])
def test_records_that_cannot_be_read_are_kept_and_the_log_is_not_complete(
    engine: Engine, tmp_path: Path, platform: str
) -> None:
    inbox = tmp_path / "in"
    inbox.mkdir()
    _, *records = history_with_a_finding()
    log = write_log(inbox / "1.jsonl", [{**COMPLETE, "platform": platform}, *records])
    with log.open("a", encoding="utf-8") as file:
        file.write("{no record\n")
    plan = plan_for(tmp_path)
    take(engine, plan, inbox)
    take(engine, plan, inbox, final=True)
    assert read_ledger(plan.state / WATCH).unreadable == 1
    assert "1.jsonl" in (plan.report / "unreadable.jsonl").read_text()
    assert {claim[2] for claim in told(engine, plan)} <= {"suspicion"}


def test_the_metrics_are_in_the_text_format_of_prometheus(tmp_path: Path) -> None:
    ledger = Ledger(records=5, audited=3, audited_us=1_500_000, found={"DLV-01 violation": 2})
    write_metrics(tmp_path / "m.prom", ledger, Numbers(behind=True))
    lines = (tmp_path / "m.prom").read_text().splitlines()
    assert "mq_audit_records_read_total 5" in lines
    assert 'mq_audit_findings{rule="DLV-01",verdict="violation"} 2' in lines
    assert "mq_audit_audited_until_timestamp_seconds 1.5" in lines
    assert "mq_audit_behind 1" in lines
    names = {line.split()[2] for line in lines if line.startswith("# TYPE")}
    assert all(line.startswith("#") or line.partition(" ")[0].partition("{")[0] in names for line in lines)


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_the_command_tells_a_line_for_each_finding_and_writes_report_and_metrics(tmp_path: Path) -> None:
    inbox = tmp_path / "in"
    inbox.mkdir()
    write_log(inbox / "1.jsonl", history_with_a_finding())
    done = run("watch", inbox, "--out", tmp_path / "report", "--lateness", "500ms", "--final")
    assert done.exit_code == 0, done.output
    assert done.stdout.count("violation SYN-08") == 1
    assert (tmp_path / "report" / "report.html").exists()
    assert "mq_audit_records_audited_total 4" in (tmp_path / "metrics.prom").read_text()
    assert run("watch", inbox, "--out", inbox / "report", "--final").exit_code == 2
    assert run("watch", inbox, "--out", tmp_path / "r", "--every", "soon").exit_code == 2
    assert run("watch", tmp_path / "nowhere", "--out", tmp_path / "r").exit_code == 2


def test_a_watch_says_that_it_is_behind_and_no_longer_once_nothing_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    inbox = tmp_path / "in"
    inbox.mkdir()
    monkeypatch.setattr(commands, "_ROUND_BYTES", 1)
    for number, record in enumerate(history_with_a_finding()[2:4]):
        write_log(inbox / f"{number}.jsonl", [record])
    metrics = tmp_path / "metrics.prom"
    watch = commands.Watch(inbox, plan_for(tmp_path), "*", 0.0, 3600.0, metrics, None, None)
    assert watch.look(final=False, settle_s=0.0)
    assert "mq_audit_behind 1" in metrics.read_text()
    assert "mq_audit_files_waiting 1" in metrics.read_text()
    assert "behind: 1 files wait" in capsys.readouterr().err
    while watch.look(final=False, settle_s=0.0):
        pass
    watch.look(final=False, settle_s=0.0)
    assert "mq_audit_behind 0" in metrics.read_text()
    assert "mq_audit_files_waiting 0" in metrics.read_text()


def test_a_grown_file_of_records_that_name_their_own_place_counts_once(engine: Engine, tmp_path: Path) -> None:
    inbox = tmp_path / "in"
    inbox.mkdir()
    history = History("QM1")
    for number in range(4):
        history.put("P", f"m{number}", 10 * number, 10 * number + 2)
    places = [{**record, "source": "capture.pcap", "line": 900 - place} for place, record in enumerate(history.records)]
    path = inbox / "log.jsonl"
    plan = plan_for(tmp_path)
    with_a_fault = [places[0], {"call": "MQPUT"}, places[1]]
    write_log(path, with_a_fault)
    path.write_text(path.read_text() + json.dumps(places[2])[:40])  # the last line is still being written
    take(engine, plan, inbox)
    write_log(path, [*with_a_fault, *places[2:]])
    os.utime(path, (1, 1))
    done = take(engine, plan, inbox)
    assert done is not None
    assert (done.read, done.late) == (len(places) - 2, 0)
    last = take(engine, plan, inbox, final=True)
    assert last is not None
    ledger = read_ledger(plan.state / WATCH)
    assert (ledger.records, ledger.audited, ledger.unreadable) == (len(places), len(places), 2)
