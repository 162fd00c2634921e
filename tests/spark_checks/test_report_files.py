"""The files of a report of an audit with Spark: whole or absent, and the data that Spark gathers for them."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import spark_checks.audit
from oracle.errors import BadInputError
from oracle.judging.verdicts import FindingKind
from spark_checks.audit import Audit, audit
from spark_checks.cli import main
from spark_checks.days.auditing import Day
from spark_checks.frames import Engine
from spark_checks.reports import around, files
from spark_checks.reports.files import write_report
from spark_checks.reports.results import Results
from tests.spark_checks.histories import COMPLETE, History

SECOND = 1_000_000
KNOWN = """
deviations:
  - {rule: PRI-04, queue: Q, observed: "*was available throughout*", reason: known, review: 2999-01-01}
  - {rule: DLV-01, queue: Q, observed: "*", reason: gone, review: 2999-01-01}
"""


def overtaking() -> History:
    """Return a history in which the second of two messages on a FIFO queue is got first, and others come between."""
    h = History("QM1")
    h.header("queue", MsgDeliverySequence="FIFO", DefPriority=0)
    h.starts_empty()
    h.put("P", "one", 1 * SECOND, 1 * SECOND + 100, expiry=900)
    h.put("P", "two", 2 * SECOND, 2 * SECOND + 100)
    h.get("C", "two", 5 * SECOND, 5 * SECOND + 100)
    h.get("C", "one", 9 * SECOND, 9 * SECOND + 100, expiry=820)
    for number in range(10):
        h.put("P", f"later {number}", (20 + number) * SECOND, (20 + number) * SECOND + 5)
    return h


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("log") / "log.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in [COMPLETE, *overtaking().records]))
    return path


@pytest.fixture(scope="module")
def audited(engine: Engine, log: Path) -> Audit:
    return audit(engine, [log])


@pytest.fixture(scope="module")
def written(audited: Audit, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Results]:
    out = tmp_path_factory.mktemp("report") / "out"
    return out, write_report(audited, out)


@pytest.fixture
def run(audited: Audit, monkeypatch: pytest.MonkeyPatch, log: Path) -> Callable[..., Result]:
    """Return a function that runs `mq-audit run` on the log, with the audit already done."""
    monkeypatch.setattr(spark_checks.audit, "audit", lambda *_, **__: audited)
    return lambda *arguments: CliRunner().invoke(main, ["run", str(log), *map(str, arguments)])


def test_the_calls_around_a_finding_are_those_beside_its_own(written: tuple[Path, Results]) -> None:
    _, results = written
    (calls,) = results.around.values()
    named = {(call.conn, call.seq) for call in results.groups[0].examples[0].calls}
    seen = [(call["conn"], call["seq"]) for call in calls]
    assert named == {("QM1/P", 1), ("QM1/P", 2), ("QM1/C", 1), ("QM1/C", 2)}
    assert named <= set(seen)
    assert ("QM1/P", 3) in seen
    assert ("QM1/P", 9) not in seen
    assert [call["start_us"] for call in calls] == sorted(call["start_us"] for call in calls)
    assert calls[0]["msg_id"].startswith(b"one".hex())


def test_a_queue_has_its_course(written: tuple[Path, Results]) -> None:
    (course,) = written[1].courses.queues
    assert (course.queue, course.calls, course.depth_known) == ("Q", 14, (0, 0))
    assert sum(piece.change for piece in course.slices) == 10
    assert {piece.oldest_us for piece in course.slices} == {None, 3 * SECOND, 8 * SECOND}
    assert {piece.most_left for piece in course.slices} == {None, 820}
    assert [piece.number for piece in course.slices] == sorted({piece.number for piece in course.slices})


def test_what_the_log_covers_is_told(written: tuple[Path, Results]) -> None:
    _, results = written
    assert (results.records, results.connections, results.complete) == (14, 2, True)
    assert (results.first_us, results.last_us) == (1 * SECOND, 29 * SECOND + 5)
    assert results.count(FindingKind.VIOLATION) == 1


def test_show_reads_the_calls_around_from_the_log_where_they_are_not_kept(
    written: tuple[Path, Results], log: Path
) -> None:
    out, results = written
    kept = (out / "around.jsonl").read_text()
    (out / "around.jsonl").write_text("")
    result = CliRunner().invoke(main, ["show", str(out), "--finding", "1", "--log", str(log)])
    (out / "around.jsonl").write_text(kept)
    assert result.exit_code == 0, result.output
    lines = [line for line in result.output.splitlines() if "log.jsonl:" in line]
    assert len(lines) == len(results.around[1])


def test_known_findings_are_excused_and_stale_entries_fail(run: Callable[..., Result], tmp_path: Path) -> None:
    known = tmp_path / "known.yaml"
    known.write_text(KNOWN)
    result = run("--out", tmp_path / "out", "--known", known)
    assert result.exit_code == 1, result.output
    assert "Known deviation, still occurs, 1 finding: rule PRI-04, queue Q" in result.output
    assert "Known deviation, no longer occurs: remove the entry: rule DLV-01" in result.output
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["violations"] == 0
    (finding,) = map(json.loads, (tmp_path / "out" / "findings.jsonl").read_text().splitlines())
    assert finding["known"] is True


def test_a_bad_file_of_known_deviations_is_status_2_before_anything_is_read(
    run: Callable[..., Result], tmp_path: Path
) -> None:
    known = tmp_path / "known.yaml"
    known.write_text(KNOWN.replace("reason: gone", "because: gone"))
    result = run("--out", tmp_path / "out", "--known", known)
    assert result.exit_code == 2
    assert f"{known}:4: " in result.output
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), 2, "cannot be written: No space left on device"),
        (KeyboardInterrupt(), 130, "interrupted; nothing was written"),
    ],
    ids=["full disk", "interrupted"],
)
def test_a_report_that_cannot_be_finished_leaves_nothing(
    run: Callable[..., Result],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    error: BaseException,
    status: int,
    told: str,
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(files, "write_around", fail)
    result = run("--out", tmp_path / "out")
    assert (result.exit_code, list(tmp_path.iterdir())) == (status, [])
    assert told in result.output
    assert ("Verdict: " in result.output) == (status == 2)
    assert "Report:" not in result.output


def test_what_was_found_is_printed_as_json_also_if_it_cannot_be_written(
    run: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files, "write_around", fail)
    result = run("--out", tmp_path / "out", "--json")
    assert result.exit_code == 2
    assert json.loads(result.stdout)["violations"] > 0


def test_the_verdict_is_printed_if_the_state_cannot_be_written(
    run: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise BadInputError("cannot be written: No space left on device")

    monkeypatch.setattr(Day, "close", fail)
    result = run("--out", tmp_path / "out", "--state", tmp_path / "state")
    assert result.exit_code == 2
    assert "Report: " in result.output
    assert "Verdict: " in result.output
    assert "cannot be written" in result.output


def test_without_findings_nothing_is_looked_up_around_them(audited: Audit) -> None:
    assert around.calls_around(audited.read.calls, []) == {}
