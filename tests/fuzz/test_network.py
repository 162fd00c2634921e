"""A queue manager on the network, and damaged conversations: the connection ends, and nothing is left of it."""

from __future__ import annotations

import logging
import socket
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.channel_client import Client, connected
from fixtures.recordings import read_recording
from oracle.network.server import Limits, Server
from oracle.testing import StandInWarning
from oracle.testing.manager import new_queue_manager
from tests.fuzz.bounds import bounded, tried
from tests.fuzz.damage import NUMBERS, changed, with_wrong_byte

RECORDED = Path(__file__).parents[1] / "network" / "recordings" / "java-client.pcap.gz"


@cache
def said() -> tuple[tuple[bytes, ...], ...]:
    """Return the transmissions of IBM's Java client: the segments of each connection."""
    found: dict[int, list[bytes]] = {}
    for each in read_recording(RECORDED):
        if each.server is None:
            found.setdefault(each.link, []).append(each.client)
    return tuple(tuple(segments) for segments in found.values())


def with_right_length(segment: bytes) -> bytes:
    """Return a segment whose header says how long it is, so that its damage is not seen at once."""
    return segment[:4] + len(segment).to_bytes(4, "big") + segment[8:]


def damaged(segments: list[bytes], number: int) -> bytes:
    """Return a conversation in which one to four segments are others, lost, repeated or in another place."""
    chance = Random(number)
    for _ in range(chance.randrange(1, 5)):
        at, other = chance.randrange(len(segments)), chance.randrange(len(segments))
        segment, how = segments[at], chance.randrange(8)
        if how < 3:
            segments[at] = with_wrong_byte(segment, chance.getrandbits(64))
        elif how < 5:
            segments[at] = with_right_length(segment[:8] + changed(segment[8:], chance.getrandbits(64)))
        elif how == 5:
            segments[at] = changed(segment, chance.getrandbits(64))
        elif how == 6:
            segments[at], segments[other] = segments[other], segment
        else:
            segments.insert(at, segments[other])
    return b"".join(segments)


class Listening:
    """A server, and what it has logged."""

    def __init__(self) -> None:
        self.manager = new_queue_manager(["Q", "ASIDE", "FRAGILE"])
        self.server = Server(self.manager.running, limits=Limits(patience_s=5))
        self.server.start()
        self.before = set(self.manager.running.state.connections)


@pytest.fixture(scope="module")
def listening() -> Iterator[Listening]:
    found = Listening()
    yield found
    found.server.stop()


class Lines(logging.Handler):
    """A log handler that keeps its lines."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


@pytest.fixture
def lines() -> Iterator[Lines]:
    handler, log = Lines(), logging.getLogger("oracle.network")
    log.addHandler(handler)
    yield handler
    log.removeHandler(handler)


@tried(0.1)
@given(link=st.sampled_from(range(len(said()))), upto=st.floats(0.1, 1.0), number=NUMBERS)
def test_what_is_left_of_a_damaged_conversation_is_a_line_in_the_log_at_most(
    listening: Listening, lines: Lines, link: int, upto: float, number: int
) -> None:
    segments = list(said()[link])
    data = damaged(segments[: max(1, round(upto * len(segments)))], number)
    running = listening.manager.running
    with bounded(), warnings.catch_warnings():
        warnings.simplefilter("ignore", StandInWarning)
        client = Client(listening.server.port)
        try:
            client.send(data)
            client.socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the server has closed the connection already
        assert client.at_end()
        client.close()
        with running.changed:
            assert running.changed.wait_for(lambda: set(running.state.connections) == listening.before, timeout=10)
        assert running.waiting() == 0
        with connected(listening.server.port) as another:
            assert another.put1("Q", b"1").codes[0] != 2 or running.state.queues["Q"].messages
    assert [each for each in lines.lines if not each.startswith(("127.0.0.1:", "an asynchronous put"))] == []
