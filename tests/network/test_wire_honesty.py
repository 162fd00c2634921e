"""The server's capture of its own traffic, judged by the audit: nothing is wrong, unless the model behind it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fixtures.channel_client import Client, connected
from fixtures.miniatures import MINIATURES
from oracle.histories.event_log import Event
from oracle.mqi.constants import MQGMO, MQMO, MQOO, MQPMO
from oracle.mqi.layouts import MQMD as MD
from oracle.network.capture import CaptureFile
from oracle.network.server import Server
from oracle.testing import QueueManager, queue_manager
from spark_checks.cli import main as mq_audit
from spark_checks.readers.pcap import read_pcap

BOTH = MQOO.INPUT_SHARED | MQOO.OUTPUT | MQOO.BROWSE


@contextmanager
def captured(path: Path) -> Iterator[tuple[QueueManager, int]]:
    """Run a queue manager whose traffic is captured."""
    with queue_manager(["Q", "OTHER", {"name": "FIFO", "MsgDeliverySequence": "FIFO"}]) as qm:
        capture = CaptureFile(path, qm.running.time_ms)
        server = Server(qm.running, capture=capture)
        server.start()
        try:
            yield qm, server.port
        finally:
            server.stop()
            capture.close()


def priorities(client: Client) -> None:
    client.open("Q", BOTH)
    for number, priority in enumerate((3, 7, 3, 9, 0)):
        client.put(2, bytes([number]), md={"Priority": priority})
    for _ in range(6):
        client.get(2)
    client.close_handle(2)


def units_of_work(client: Client) -> None:
    client.open("FIFO", BOTH)
    for number in range(3):
        client.put(2, bytes([number]), pmo={"Options": MQPMO.SYNCPOINT})
    client.commit()
    for _ in range(2):
        client.get(2, {"Options": MQGMO.SYNCPOINT})
        client.back()
    for _ in range(3):
        client.get(2, {"Options": MQGMO.SYNCPOINT})
    client.commit()
    client.close_handle(2)


def units_of_two(client: Client, port: int) -> None:
    client.open("Q", BOTH)
    with connected(port) as other:
        other.open("Q", BOTH)
        other.put(2, b"of the other", pmo={"Options": MQPMO.SYNCPOINT})
        client.put(2, b"own", pmo={"Options": MQPMO.SYNCPOINT})
        client.commit()
        for _ in range(2):
            client.get(2)
        other.commit()
        client.get(2)
        other.disconnect()
    client.close_handle(2)


def waits(client: Client, port: int, qm: QueueManager) -> None:
    client.open("OTHER", BOTH)
    waiting = {"Options": MQGMO.WAIT, "WaitInterval": 5000}
    client.send(client.side.get(2, 100, gmo={**waiting, "MatchOptions": 0}))
    qm.until_waiting()
    with connected(port) as other:
        other.put1("OTHER", b"awaited")
        other.disconnect()
    client.receive()
    client.send(client.side.get(2, 100, gmo={**waiting, "MatchOptions": 0}))
    qm.until_waiting()
    qm.advance(seconds=5)
    client.receive()
    client.close_handle(2)


def browsing_and_locks(client: Client) -> None:
    client.open("OTHER", BOTH)
    for number in range(3):
        client.put(2, bytes([number]))
    client.get(2, {"Options": MQGMO.BROWSE_FIRST | MQGMO.LOCK})
    client.get(2, {"Options": MQGMO.MSG_UNDER_CURSOR})
    client.get(2, {"Options": MQGMO.BROWSE_NEXT})
    for _ in range(3):
        client.get(2)
    client.close_handle(2)


def groups(client: Client) -> None:
    client.open("Q", BOTH)
    for number in range(3):
        flags = 24 if number == 2 else 8
        client.put(2, bytes([number]), md={"MsgFlags": flags}, pmo={"Options": MQPMO.LOGICAL_ORDER})
    in_order = {"Options": MQGMO.LOGICAL_ORDER | MQGMO.ALL_MSGS_AVAILABLE, "Version": 2}
    for _ in range(3):
        client.get(2, in_order)
    client.close_handle(2)


def expiry(client: Client, qm: QueueManager) -> None:
    client.open("OTHER", BOTH)
    client.put(2, b"short", md={"Expiry": 10})
    client.put(2, b"long", md={"Expiry": 1000})
    qm.advance(seconds=5)
    client.get(2)
    client.get(2)
    client.close_handle(2)


def request_and_reply(client: Client, port: int) -> None:
    client.open("Q", BOTH)
    asked = client.put(2, b"?", md={"MsgType": 1, "ReplyToQ": "OTHER"})
    identifier = bytes.fromhex(str(asked.structure(MD)["MsgId"]))
    with connected(port) as other:
        other.open("Q", MQOO.INPUT_SHARED)
        other.get(2)
        other.put1("OTHER", b"!", md={"MsgType": 2, "CorrelId": identifier.hex()})
        other.disconnect()
    client.open("OTHER", MQOO.INPUT_SHARED)
    client.ask(4, MQGMO.WAIT, 1000, match=MQMO.MATCH_CORREL_ID, identifiers=identifier)
    client.receive()
    client.close_handle(4)
    client.close_handle(2)


def play(path: Path) -> None:
    """Let every program run once."""
    with captured(path) as (qm, port), connected(port) as client:
        priorities(client)
        units_of_work(client)
        browsing_and_locks(client)
        groups(client)
        units_of_two(client, port)
        waits(client, port, qm)
        expiry(client, qm)
        request_and_reply(client, port)
        client.disconnect()


def audited(path: Path) -> dict[str, Any]:
    """Return the summary of an audit of a capture."""
    out = path.with_suffix(".audit")
    CliRunner().invoke(mq_audit, ["run", str(path), "--out", str(out)])
    summary: dict[str, Any] = json.loads((out / "summary.json").read_text())
    return summary


def broken(summary: dict[str, Any]) -> set[str]:
    return {rule["id"] for rule in summary["rules"] if rule["findings"]}


def test_clients_that_say_the_same_are_told_apart_in_a_capture(tmp_path: Path) -> None:
    path = tmp_path / "two.pcap"
    with captured(path) as (_, port):
        for _ in range(3):
            with connected(port) as client:
                client.put1("Q", b"1")
                client.disconnect()
    events = [each for each in read_pcap(path) if isinstance(each, Event)]
    assert [each.call for each in events] == ["MQCONN", "MQPUT1", "MQDISC"] * 3
    assert len({each.conn for each in events}) == 3


def test_the_audit_finds_nothing_in_a_capture_of_the_server(tmp_path: Path) -> None:
    path = tmp_path / "honest.pcap"
    play(path)
    summary = audited(path)
    assert broken(summary) == set()
    assert sum(rule["verdict"] == "conforms" for rule in summary["rules"]) > 50


@pytest.mark.parametrize(
    "name", ["last_in_first_out", "expired_message_returned", "second_backout_not_counted", "commit_for_all"]
)
def test_the_audit_finds_what_is_wrong_with_the_model_behind_the_server(tmp_path: Path, name: str) -> None:
    wrong = MINIATURES[name]
    path = tmp_path / "wrong.pcap"
    with wrong.change.applied():
        play(path)
    assert broken(audited(path)) & set(wrong.rules)


def test_captures_of_two_runs_of_the_same_program_are_told_apart(tmp_path: Path) -> None:
    paths = [tmp_path / "one.pcap", tmp_path / "two.pcap"]
    for path in paths:
        with captured(path) as (_, port), connected(port) as client:
            priorities(client)
            client.disconnect()
    calls = [[record for record in read_pcap(path) if isinstance(record, Event)] for path in paths]
    read = joined(tmp_path, paths)
    assert len(calls[0]) == len(calls[1]) > 10
    assert read == len(calls[0]) + len(calls[1])


def joined(tmp_path: Path, paths: list[Path]) -> int:
    """Return how many calls are read from captures together."""
    done = CliRunner().invoke(mq_audit, ["convert", *map(str, paths), "--out", str(tmp_path / "both.jsonl")])
    assert done.exit_code == 0, done.output
    return (tmp_path / "both.jsonl").read_text().count('"call"')
