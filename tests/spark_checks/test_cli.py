"""`mq-audit` from a user's view: reports, exit statuses, and messages about bad input."""

from __future__ import annotations

import fcntl
import gzip
import json
import os
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from fixtures.side_inputs import amqsbcg
from oracle.errors import UsageError
from oracle.histories.event_log import read_lines
from spark_checks.cli import main
from spark_checks.commands import running
from spark_checks.days.state_files import READ_VERSIONS, State, fingerprints
from spark_checks.engines.spark_session import check_master
from spark_checks.frames import Engine
from spark_checks.output.exchange import LOCK, READY
from spark_checks.reports.names import FILES
from tests.html_page import Page

SAMPLES = Path(__file__).parents[3] / "shared" / "samples" / "mq-wire-pcap"
TOO_LONG = "x" * 300
KNOWN_VERSIONS = " or ".join(map(str, READ_VERSIONS))
CALL = {"qmgr": "QM1", "queue": "Q", "comp_code": 0, "reason": 0, "priority": 0, "persistence": 0, "expiry": -1}
PUT = {**CALL, "conn": "P", "call": "MQPUT", "options": 4}
GET = {**CALL, "conn": "C", "call": "MQGET", "options": 4, "match_options": 0}
SUMMARY = {
    "records", "unreadable", "seconds", "first_us", "last_us", "connections", "complete", "violations", "suspicions",
    "known", "rules", "causes", "deviations", "advice", "replay", "copies",
}  # fmt: skip  # names
RULE = {"id", "verdict", "findings", "known", "records_checked", "records_not_checkable", "missing"}
FINDING = {"finding", "rule", "verdict", "qmgr", "queue", "msg_id", "conn", "calls", "explanation", "known"}
HEADERS: list[dict[str, Any]] = [
    {"header": "log", "complete": True},
    {"header": "queue", "qmgr": "QM1", "queue": "Q", "MsgDeliverySequence": "FIFO", "DefPriority": 0},
    {"header": "depth", "qmgr": "QM1", "queue": "Q", "at_us": 0, "depth": 0},
]


def records(*delivered: str) -> list[dict[str, Any]]:
    """Return a log in which one and two are put in this order and got in the given one."""
    calls = [(PUT, name) for name in ("one", "two")] + [(GET, name) for name in delivered]
    rows: list[dict[str, Any]] = [
        {
            **call,
            "seq": number,
            "start_us": 100 * number,
            "end_us": 100 * number + 5,
            "msg_id": name.encode().hex().ljust(48, "0"),
        }
        for number, (call, name) in enumerate(calls, start=1)
    ]
    return [*HEADERS, *rows]


def write(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_a_log_that_conforms_is_reported_with_status_0(tmp_path: Path) -> None:
    log, out = write(tmp_path / "log.jsonl", records("one", "two")), tmp_path / "out"
    result = run("run", log, "--out", out)
    assert result.exit_code == 0, result.output
    assert (out / "findings.jsonl").read_text() == ""
    summary = json.loads((out / "summary.json").read_text())
    assert set(summary) == SUMMARY
    missing = {"its header does not give DefPersistence": 1}
    assert summary["replay"] == {"calls": 0, "not_followed": {}, "unknown_queues": missing, "rules": {}}
    assert {path.name for path in out.iterdir()} == set(FILES)
    assert (summary["records"], summary["unreadable"], summary["copies"]) == (4, 0, 0)
    for rule in summary["rules"]:
        assert set(rule) == RULE
        assert rule["verdict"] in ("conforms", "violates", "suspicion", "not checkable")


def test_a_violation_is_status_1_unless_never_and_its_calls_lead_back(tmp_path: Path) -> None:
    log, out = write(tmp_path / "log.jsonl", [*records("two", "one"), {"noise": True}]), tmp_path / "out"
    result = run("run", log, "--out", out, "--fail-on", "suspicion")
    assert result.exit_code == 1, result.output
    (finding,) = map(json.loads, (out / "findings.jsonl").read_text().splitlines())
    assert set(finding) == FINDING
    assert finding == pq.read_table(out / "findings.parquet").to_pylist()[0]
    assert "PRI-04" in (out / "junit.xml").read_text()
    assert finding["explanation"] in Page((out / "report.html").read_text()).text
    assert finding["rule"] == "PRI-04"
    assert [call["line"] for call in finding["calls"]] == [4, 5, 6, 7]
    assert {call["source"] for call in finding["calls"]} == {str(log)}
    assert json.loads((out / "summary.json").read_text())["unreadable"] == 1
    assert "could not be read" in result.output


def test_bad_input_is_status_2_with_the_file_and_no_traceback(tmp_path: Path) -> None:
    good = write(tmp_path / "good.jsonl", records("one", "two"))
    truncated = tmp_path / "cut.jsonl.gz"
    truncated.write_bytes(gzip.compress(good.read_bytes())[:12])
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(200))
    pq.write_table(pa.table({"colour": ["red"]}), tmp_path / "other.parquet")
    (tmp_path / "cut.pcap").write_bytes(bytes.fromhex("d4c3b2a1020004"))
    for name in (
        "other.parquet",
        "cut.pcap",
        "cut.jsonl.gz",
        "picture.png",
    ):
        result = run("run", tmp_path / name, "--out", tmp_path / "out")
        assert result.exit_code == 2, (name, result.output)
        assert name in result.output
        assert "Traceback" not in result.output
        assert not (tmp_path / "out").exists()


def test_damaged_files_beside_a_good_one_are_counted_and_that_is_judged(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.mkdir()
    write(log / "good.jsonl", records("one", "two"))
    whole = (log / "good.jsonl").read_bytes()
    (log / "cut.jsonl.gz").write_bytes(gzip.compress(whole)[:12])
    (log / os.fsdecode(b"caf\xe9.jsonl")).write_bytes(b'{"qmgr": "QM1", "conn": "\\udfff"}\n')
    (log / "long.jsonl.gz").write_bytes(gzip.compress(b"x" * 3 * 2**20))
    (log / "self").symlink_to(log, target_is_directory=True)
    pq.write_table(pa.table({"colour": ["red"]}), log / "other.parquet")
    result = run("run", log, "--out", tmp_path / "out", "--longest-record", "1", "--fail-unreadable", "100")
    assert result.exit_code in (0, 1), result.output
    lines = (tmp_path / "out" / "unreadable.jsonl").read_text().splitlines()
    told = {fault["source"].rsplit("/", 1)[1]: fault for fault in map(json.loads, lines)}
    assert set(told) == {"cut.jsonl.gz", "caf\\xe9.jsonl", "long.jsonl.gz", "other.parquet"}
    assert all(fault["reason"] for fault in told.values())
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["records"] == whole.count(b'"call"')


@pytest.fixture
def no_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a command that starts Spark fail."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("Spark was started")

    monkeypatch.setattr(running, "started", refuse)


@pytest.mark.usefixtures("no_spark")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["run", "missing", "--out", "out"], "missing: no such file or directory"),
        (["run", "empty", "--out", "out"], "empty: the file is empty"),
        (["run", "log.jsonl", "pipe", "--out", "out"], "pipe: is a pipe, which can be read only once"),
        (["run", "noise", "--out", "out"], "noise:1: not a format that can be read"),
        (["run", "day.zip", "--out", "out"], "day.zip: compressed with zip: decompress it first"),
        (["inspect", "day.tar"], "day.tar: a tar archive: unpack it first"),
        (["inspect", "short"], "short:2: a summary of calls without their parameters: print them with amqsact -v"),
        (["run", "nothing", "--out", "out"], "nothing: nothing in this directory can be read"),
        (["run", "log.jsonl", "--before", "log.jsonl", "--out", "out"], "log.jsonl: no listing of a queue's contents"),
        (["run", "log.jsonl", "--out", "missing/out"], "missing: no such directory"),
        (["run", "log.jsonl", "--out", "other"], "other: the output directory has other things in it (thesis.txt)"),
        (["run", "log.jsonl", "--out", "out", "--state", "log.jsonl"], "log.jsonl: is not a directory"),
        (["run", "log.jsonl", "--out", "out", "--state", "other"], "other: the output directory has other things"),
        (["run", "log.jsonl", "--out", "out", "--state", "old"], f"the state is of version 1, not {KNOWN_VERSIONS}"),
        (["run", "log.jsonl", "--out", "out", "--remember", "3"], "--remember needs --state"),
        (["inspect", "missing"], "missing: no such file or directory"),
        (["convert", "missing", "--out", "new.jsonl"], "missing: no such file or directory"),
        (["convert", "log.jsonl", "--out", "log.jsonl"], "log.jsonl: the output would replace an input"),
        (["convert", "log.jsonl", "nothing", "--out", "nothing/new.jsonl"], "among the files of the input nothing"),
        (["run", "log.jsonl", "--out", TOO_LONG], "File name too long"),
        (["run", "log.jsonl", "--out", "out", "--state", TOO_LONG], "File name too long"),
        (["show", TOO_LONG, "--finding", "1"], "File name too long"),
        (["known", TOO_LONG, "--output", "known.yaml"], "File name too long"),
        (["convert", "log.jsonl", "--out", f"{TOO_LONG}.jsonl"], "File name too long"),
        (["convert", "log.jsonl", "--out", "noise"], "noise: is no directory; the name of an event log ends in .jsonl"),
        (["convert", "log.jsonl", "--out", "new.csv"], "new.csv: the name of an event log ends in .jsonl or .jsonl.gz"),
        (["convert", "log.jsonl", "--out", "other"], "other: is a directory with something in it"),
        (["demo", "--keep", "other"], "other: the output directory has other things in it"),
    ],
)
def test_what_cannot_be_done_is_told_before_spark_starts(
    arguments: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path("log.jsonl"), records("one", "two"))
    Path("empty").touch()
    os.mkfifo("pipe")
    Path("noise").write_text("this is\nno log\n")
    Path("short").write_text(
        "\n Tid  Date        Time      Operation  CompCode\n 001  2020-05-18  10:51:12  MQXF_GET\n"
    )
    with zipfile.ZipFile("day.zip", "w") as packed, tarfile.open("day.tar", "w") as archive:
        packed.write("log.jsonl")
        archive.add("log.jsonl")
    for name in ("nothing", "other", "old"):
        Path(name).mkdir()
    Path("other/thesis.txt").write_text("years of work")
    Path("old/state.json").write_text('{"version": 1}')
    before = sorted(tmp_path.rglob("*"))
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.output.startswith("mq-audit: ")
    assert told in result.output
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.usefixtures("no_spark")
@pytest.mark.parametrize(
    ("option", "number"),
    [("--remember", "nan"), ("--remember", "inf"), ("--fail-unreadable", "nan"), ("--fail-unreadable", "101.0")],
)
def test_a_number_out_of_range_is_refused(option: str, number: str, tmp_path: Path) -> None:
    log = write(tmp_path / "log.jsonl", records("one", "two"))
    result = run("run", log, "--out", tmp_path / "out", "--state", tmp_path / "state", option, number)
    assert result.exit_code == 2
    assert f"{number} is not in the range 0<=x<=" in result.output


def test_what_is_no_master_is_told_in_a_sentence() -> None:
    with pytest.raises(UsageError, match=r"nonsense is not a Spark master, such as local\[4\], spark://"):
        check_master("nonsense")
    for master in ("local", "local[*]", "yarn", "spark://host:7077", "k8s://https://host:443"):
        check_master(master)


def test_inputs_without_a_call_are_told_for_what_they_are(tmp_path: Path) -> None:
    listing, headers = tmp_path / "queue.txt", write(tmp_path / "log.jsonl", HEADERS)
    listing.write_text(amqsbcg("Q", []))
    for path in (listing, headers):
        result = run("run", path, "--out", tmp_path / "out")
        assert result.exit_code == 2
        assert f"{path}: there is no call in the input, only facts about queues: give a log too" in result.output


@pytest.mark.usefixtures("no_spark")
def test_a_file_of_an_earlier_day_is_refused_before_spark_starts(tmp_path: Path) -> None:
    log, state = write(tmp_path / "log.jsonl", records("one", "two")), tmp_path / "state"
    state.mkdir()
    known = State(
        days=1, unreadable=0, inputs=list(fingerprints([log])), gathered=[], horizon_us=0, told_us=0, rests=None
    )
    (state / "state.json").write_text(known.model_dump_json())
    result = run("run", log, "--out", tmp_path / "out", "--state", state)
    assert result.exit_code == 2
    assert "was read on an earlier day" in result.output


@pytest.mark.usefixtures("no_spark")
@pytest.mark.parametrize("busy", ["out", "state"])
def test_a_second_run_with_the_same_report_or_state_is_refused_before_spark_starts(busy: str, tmp_path: Path) -> None:
    log = write(tmp_path / "log.jsonl", records("one", "two"))
    (tmp_path / busy).mkdir()
    with (tmp_path / busy / LOCK).open("w") as held:
        held.write("4711\n")
        held.flush()
        fcntl.flock(held, fcntl.LOCK_EX)
        result = run("run", log, "--out", tmp_path / "out", "--state", tmp_path / "state")
    assert result.exit_code == 2
    assert f"{busy}: another run is writing to it (process 4711); wait until that has ended" in result.output
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["log.jsonl", busy])


@pytest.mark.usefixtures("no_spark")
def test_a_report_and_a_state_in_one_directory_are_refused_before_spark_starts(tmp_path: Path) -> None:
    log = write(tmp_path / "log.jsonl", records("one", "two"))
    result = run("run", log, "--out", tmp_path / "both", "--state", tmp_path / "both" / "state")
    assert result.exit_code == 2
    assert "are not two directories side by side" in result.output
    assert not (tmp_path / "both").exists()


@pytest.mark.usefixtures("no_spark")
def test_showing_a_finding_finishes_the_exchange_of_a_run_that_was_killed(tmp_path: Path) -> None:
    ready = tmp_path / READY
    ready.mkdir()
    (ready / "findings.jsonl").write_text("")
    result = run("show", tmp_path, "--finding", "1")
    assert result.exit_code == 2
    assert "there is no finding 1; the report has 0" in result.output
    result = run("show", tmp_path, "--finding", "9" * 30)
    assert f"there is no finding {'9' * 30}; the report has 0" in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["findings.jsonl"]


@pytest.mark.usefixtures("no_spark")
def test_a_directory_in_which_nothing_can_be_written_is_told_before_spark_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = write(tmp_path / "log.jsonl", records("one", "two"))
    monkeypatch.setattr("os.access", lambda _, mode, **__: mode == os.R_OK)  # root may write anywhere
    result = run("run", log, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "nothing can be written in this directory" in result.output


def test_converting_there_and_back_keeps_the_log(tmp_path: Path) -> None:
    log = write(tmp_path / "log.jsonl", records("one", "two"))
    assert run("convert", log, "--out", tmp_path / "parquet").exit_code == 0
    back = tmp_path / "back.jsonl.gz"
    assert run("convert", tmp_path / "parquet", "--out", back).exit_code == 0
    with gzip.open(back, "rt") as packed, log.open() as plain:
        first, second = (set(map(str, read_lines(lines, str(log)))) for lines in (packed, plain))
    assert first == second


@pytest.mark.skipif(not SAMPLES.exists(), reason="the samples are not beside this checkout")
def test_the_real_capture_is_read_and_audited(engine: Engine, tmp_path: Path) -> None:
    del engine
    (capture,) = SAMPLES.glob("*.pcap")
    result = run("run", capture, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["records"] == 82


@pytest.mark.parametrize(
    "arguments", [["dance"], ["run"], ["run", "x"], ["run", "x", "--out", "y", "--fail-on", "luck"]]
)
def test_bad_usage_is_status_2(arguments: list[str]) -> None:
    assert run(*arguments).exit_code == 2


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["convert", "--help"], ["demo", "--help"]])
def test_help_has_an_example(arguments: list[str]) -> None:
    result = run(*arguments)
    assert result.exit_code == 0
    assert "Example" in result.output


def test_help_names_each_format() -> None:
    told = " ".join(run("--help").output.split())
    for form in ("JSON Lines", "Parquet", "packet captures", "activity traces", "for Java", "configuration events"):
        assert form in told


def test_the_version_is_told() -> None:
    assert "mq-audit" in run("--version").output


def test_json_is_the_summary_and_nothing_else(tmp_path: Path) -> None:
    log = write(tmp_path / "log.jsonl", records("two", "one"))
    result = run("run", log, "--out", tmp_path / "report", "--fail-on", "suspicion", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout) == json.loads((tmp_path / "report" / "summary.json").read_text(encoding="utf-8"))
    assert json.loads(result.stdout)["suspicions"] > 0
