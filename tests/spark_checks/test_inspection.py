"""`mq-audit inspect`: the contents of a log, the rules that it can check, and advice."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from rich.console import Console

from fixtures.captures import pcap_bytes
from fixtures.channel_talks import EPOCH_US, put_talk
from fixtures.side_inputs import QLOCAL, amqsbcg, mqsc
from oracle.errors import Place
from spark_checks.cli import main
from spark_checks.commands.inspection import Inspection, show_inspection
from spark_checks.coverage.advice import advice
from spark_checks.frames import Engine
from spark_checks.readers.detect import Format
from spark_checks.readers.remarks import Remark, Topic
from spark_checks.results.rule_results import RuleResult

SUMMARY = """MonitoringType: MQI Activity Trace
QueueManager: 'QM1'
=====================================================
  Tid  Date       Time     Operation      CompCode    MQRC  HObj (ObjName)
  001  2026-01-31 17:45:57 MQXF_CONNX     MQCC_OK     0000  -
"""
QUEUE_FULL = """**** Message #1 (120 Bytes) on Queue SYSTEM.ADMIN.PERFM.EVENT ****
Event Type                       : Perfm Event [45]
Reason                           : Queue Full [2053]
"""


def inspected(*arguments: str | Path) -> dict[str, Any]:
    result = CliRunner().invoke(main, ["inspect", *map(str, arguments), "--json"])
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    path = tmp_path / "capture.pcap"
    path.write_bytes(pcap_bytes(put_talk().packets))
    return path


def test_it_says_what_a_capture_holds(engine: Engine, capture: Path) -> None:
    del engine
    found = inspected(capture)
    (file,) = found["files"]
    assert (file["path"], file["format"], file["gzip"], file["unreadable"]) == (
        str(capture),
        "packet capture",
        False,
        0,
    )
    assert (found["records"], found["unreadable"], found["connections"], found["complete"]) == (4, 0, 1, False)
    assert found["calls"] == {"MQCLOSE": 1, "MQCONN": 1, "MQOPEN": 1, "MQPUT": 1}
    assert (found["first_us"], found["last_us"]) == (EPOCH_US + 30, EPOCH_US + 310)
    (queue,) = found["queues"]
    assert queue == {"qmgr": "QM1", "queue": "APP.QUEUE", "puts": 1, "gets": 0, "defined": False, "depth_known": False}
    assert found["columns"]["msg_id"] == 1
    assert "match_options" not in found["columns"]


def test_it_says_which_rules_can_be_checked_and_what_they_lack(engine: Engine, tmp_path: Path) -> None:
    del engine
    get = {
        "qmgr": "QM1",
        "queue": "APP.QUEUE",
        "conn": "A",
        "call": "MQGET",
        "start_us": 1,
        "end_us": 2,
        "comp_code": 0,
        "options": 4,
        "match_options": 0,
        "expiry": -1,
    }
    log = tmp_path / "log.jsonl"
    records = [{**get, "seq": 1, "msg_id": "0a" * 24}, {**get, "seq": 2}]
    log.write_text("".join(json.dumps(record) + "\n" for record in records))
    found = inspected(log)
    assert found["columns"]["msg_id"] == 0.5
    rules = {rule["id"]: rule for rule in found["rules"]}
    assert (rules["EXP-10"]["records_checkable"], rules["EXP-10"]["missing"]) == (2, [])
    assert rules["DLV-01"]["records_checkable"] == 0
    assert {"complete", "depth", "msg_id"} <= set(rules["DLV-01"]["missing"])
    assert any("--before" in text for text in found["advice"])
    assert any("DISPLAY QLOCAL" in text for text in found["advice"])


def test_side_inputs_show_and_their_advice_is_not_given_again(engine: Engine, tmp_path: Path, capture: Path) -> None:
    definitions, listing = tmp_path / "definitions.txt", tmp_path / "listing.txt"
    definitions.write_text(mqsc(QLOCAL))
    listing.write_text(amqsbcg("APP.QUEUE", []))
    del engine
    found = inspected(capture, definitions, "--before", listing)
    assert {file["format"] for file in found["files"]} == {"packet capture", "runmqsc output", "amqsbcg output"}
    (queue,) = found["queues"]
    assert (queue["defined"], queue["depth_known"]) == (True, True)
    assert not any("DISPLAY QLOCAL" in text for text in found["advice"])
    assert found["remarks"] == []


def test_a_listing_of_an_unknown_time_is_remarked_on(engine: Engine, tmp_path: Path) -> None:
    del engine
    listing = tmp_path / "listing.txt"
    listing.write_text(amqsbcg("APP.QUEUE", []))
    (remark,) = inspected(listing)["remarks"]
    assert (remark["path"], remark["topic"]) == (str(listing), "listing")
    told = "lists 0 messages of APP.QUEUE at an unknown time: give it with --before or --after, together with a log"
    assert remark["text"] == told


def test_definitions_alone_are_inspected_too(engine: Engine, tmp_path: Path) -> None:
    del engine
    definitions = tmp_path / "definitions.txt"
    definitions.write_text(mqsc(QLOCAL))
    found = inspected(definitions)
    assert (found["records"], found["rules"], [queue["queue"] for queue in found["queues"]]) == (0, [], ["APP.QUEUE"])


def test_what_cannot_be_read_is_told_with_its_reason(engine: Engine, tmp_path: Path) -> None:
    del engine
    (tmp_path / "log.jsonl").write_text('{"call": "MQGET"}\n{"header": "log", "clock_us": 4611686018427387904}\n')
    (tmp_path / "notes.txt").write_text("nothing of the kind")
    found = inspected(tmp_path)
    assert {Path(file["path"]).name: file["unreadable"] for file in found["files"]} == {"log.jsonl": 2, "notes.txt": 1}
    reasons = [fault["reason"] for fault in found["faults"]]
    assert [
        next(part for part in ("qmgr is missing", "clock_us must be at most", "not a format") if part in reason)
        for reason in reasons
    ] == ["qmgr is missing", "clock_us must be at most", "not a format"]
    shown = CliRunner().invoke(main, ["inspect", str(tmp_path)], env={"COLUMNS": "200"}).output
    assert "0 calls of 0 connections, 3 unreadable records" in shown
    assert "log.jsonl:1: qmgr is missing" in shown


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            '{ "eventSource" : { "queueMgr" : "QM1" }, "eventType" : { "name" : "Queue Statistics", "value" : 165 } }',
            "Queue Statistics: calls are counted and not shown: switch on activity trace, ALTER QMGR ACTVTRC(ON)",
        ),
        (
            "MonitoringType: MQIAccounting\nQueueManager: 'QM1'\n",
            "MQIAccounting: calls are counted and not shown: switch on activity trace, ALTER QMGR ACTVTRC(ON)",
        ),
        (
            SUMMARY,
            "a summary of calls without their parameters: print them with amqsact -v",
        ),
        (
            QUEUE_FULL,
            "Perfm Event (Queue Full): neither calls nor definitions: switch on activity trace, ALTER QMGR ACTVTRC(ON)",
        ),
    ],
    ids=["statistics", "accounting", "terse", "queue full"],
)
def test_what_has_no_calls_is_told_with_what_to_capture_instead(
    engine: Engine, tmp_path: Path, text: str, told: str
) -> None:
    del engine
    path = tmp_path / "recognised.txt"
    path.write_text(text)
    assert [fault["reason"] for fault in inspected(path)["faults"]] == [told]


def test_it_says_which_captures_were_joined_and_which_packets_are_cut(engine: Engine, tmp_path: Path) -> None:
    del engine
    packets = put_talk(size=200).packets
    (tmp_path / "1.pcap").write_bytes(pcap_bytes(packets[:9]))
    (tmp_path / "2.pcap").write_bytes(pcap_bytes(packets[9:], snap_length=128))
    found = inspected(tmp_path)
    assert (found["connections"], found["calls"]["MQCONN"]) == (1, 1)
    texts = {(Path(each["path"]).name, each["topic"]): each["text"] for each in found["remarks"]}
    assert texts["2.pcap", "joined"] == f"goes on with 1 connection of {tmp_path / '1.pcap'}"
    assert "tcpdump -s 0" in texts["2.pcap", "cut packets"]
    assert len(texts) == 2
    assert any("tcpdump -s 0" in text for text in found["advice"])


def test_the_table_names_files_queues_and_rules(engine: Engine, capture: Path) -> None:
    del engine
    result = CliRunner().invoke(main, ["inspect", str(capture), "--all-rules"], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    for part in (capture.name, "APP.QUEUE", "EXP-07", "2023-11-14 22:13:20", "To check more"):
        assert part in result.output


@pytest.mark.parametrize("all_rules", [False, True])
def test_rules_that_no_call_is_about_are_shown_only_if_asked(all_rules: bool) -> None:
    counts = {"EXP-07": (3, 0), "EXP-23": (0, 0), "PRI-04": (0, 9)}
    rules = tuple(RuleResult(rule, 0, 0, *counted, ()) for rule, counted in counts.items())
    found = Inspection((), 3, 0, (), False, 0, None, None, 1, {}, (), {}, rules, ())
    console = Console(file=io.StringIO(), width=200)
    show_inspection(found, console, all_rules=all_rules)
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    assert "EXP-07" in text
    assert "PRI-04" in text
    assert ("EXP-23" in text) == all_rules
    assert ("1 rule was not exercised (--all-rules shows them)" in text) != all_rules


def test_advice_fits_the_format_and_what_is_missing() -> None:
    assert advice([Format.PCAP], {"match_options": 1.0, "comp_code": 1.0}, []) == []
    (text,) = advice([Format.PCAP], {"match_options": 1.0, "comp_code": 0.5}, [])
    assert "replies" in text
    remark = Remark(Topic.CUT_PACKETS, "packets that are cut: 3", Place("capture.pcap"))
    (text,) = advice([Format.PCAP], {"match_options": 1.0, "comp_code": 1.0}, [], [remark])
    assert "tcpdump -s 0" in text
    (text,) = advice([Format.EVENT_LOG], {"match_options": 0.0}, ["complete"])
    assert "complete" in text
