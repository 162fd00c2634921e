"""Calls in a process of their own: its answers, its end, and that it never outlives the suite."""

from __future__ import annotations

import queue
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.mqi.library import UNUSABLE
from conformance.mqi.options import MqiOptions
from conformance.mqi.seat import decode, encode
from conformance.mqi.seats import Inbox, ProcessSeat
from oracle.errors import UsageError
from oracle.standin.library import build

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="the stand-in for the library needs a C compiler"
)

NOBODY = 2018
"""The stand-in without a queue manager: no call has a connection."""


@pytest.fixture
def inbox() -> Inbox:
    return queue.SimpleQueue()


def test_calls_are_numbered_and_their_values_come_into_the_inbox(inbox: Inbox) -> None:
    seats = [ProcessSeat(inbox, str(build())) for _ in range(2)]
    numbers = {(seat, seat.send("commit", UNUSABLE)) for seat in seats}
    numbers.add((seats[0], seats[0].send("put", UNUSABLE, 1, bytes(364), bytes(184), b"data")))
    came = [inbox.get(timeout=20) for _ in range(3)]
    assert {(seat, number) for seat, number, _ in came} == numbers
    assert {tuple(values[-2:]) for _, _, values in came} == {(2, NOBODY)}
    for seat in seats:
        seat.kill()


def test_a_process_that_was_killed_says_so(inbox: Inbox) -> None:
    seat = ProcessSeat(inbox, str(build()))
    seat.kill()
    assert inbox.get(timeout=20) == (seat, 0, None)
    assert not seat.alive
    seat.send("commit", UNUSABLE)


def test_a_library_that_cannot_be_loaded_is_told_by_the_process(inbox: Inbox, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no such file"):
        ProcessSeat(inbox, str(tmp_path / "none.so"))


def test_a_process_ends_with_its_input() -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", "conformance.mqi.seat", str(build())], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert child.stdin is not None
    assert child.stdout is not None
    assert child.stdout.readline() == b'""\n'
    child.stdin.close()
    assert child.wait(timeout=20) == 0
    child.stdout.close()


def test_bytes_survive_the_way_there_and_back() -> None:
    assert decode(encode([1, "get", b"\x00\xff", [2, b""]])) == [1, "get", b"\x00\xff", [2, b""]]


def test_a_client_is_told_where_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MQSERVER", raising=False)
    assert "MQSERVER" not in MqiOptions().environment()
    options = MqiOptions(channel="DEV.APP.SVRCONN", host="mq.example", port=1415)
    assert options.environment()["MQSERVER"] == "DEV.APP.SVRCONN/TCP/mq.example(1415)"
