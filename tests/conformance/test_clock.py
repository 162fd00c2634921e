"""Real clocks, with time moved by the test: nothing here sleeps."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import pytest

from conformance.sessions.clock import RealClock, Time, VirtualClock, clock_for
from conformance.sessions.dialogue import Dialogue
from conformance.sessions.session import Session, Setup, play_lines
from oracle.errors import TargetError
from oracle.histories.notation import parse
from oracle.model.state import EPOCH_MS
from oracle.mqi.constants import MQAT
from oracle.serve import Server
from tests.conformance.conftest import HELLO, CannedTarget, ClaimingServer, target_of


@dataclass
class Hands:
    """The hands of a clock, in seconds."""

    now: float = 1000.0

    def move(self, seconds: float) -> None:
        """Move the hands."""
        self.now += seconds

    def time(self) -> Time:
        """Return the time that these hands show."""
        return Time(lambda: self.now, lambda: EPOCH_MS / 1000 + self.now - 1000.0, self.move)


@dataclass
class RealTimeTarget:
    """The reference server on the test's clock: it advances by itself, and writes waits that end in lines of their own.

    `late_by` is how late it reports them, `slow_wait` how much longer its waits last, both in seconds; `wrong_day` is
    how far its time of day is off.
    """

    hands: Hands
    late_by: float = 0.0
    slow_wait: float = 0.0
    name: str = "real"
    _server: Server = field(default_factory=lambda: ClaimingServer({"clock": "real"}))
    _lines: deque[tuple[float, str]] = field(default_factory=deque)
    _tenths: int = 0
    _began: float = 0.0

    def start(self) -> None:
        """Do nothing."""

    def send(self, line: str) -> None:
        """Answer, after the time that has passed."""
        self._catch_up()
        request = json.loads(line)
        if request["op"] == "setup":
            self._tenths, self._began = 0, self.hands.now
        reply = self._server.answer(line)
        completed = reply.pop("completed", [])
        self._lines.append((self.hands.now, json.dumps(reply)))
        self._report(completed, self.hands.now)

    def receive(self, seconds: float) -> str | None:
        """Return a line that is due within the time, or move the hands."""
        self._catch_up()
        for entry in self._lines:
            if entry[0] <= self.hands.now + seconds:
                self._lines.remove(entry)
                self.hands.now = max(self.hands.now, entry[0])
                return entry[1]
        self.hands.now += max(0.001, seconds)
        return None

    def _catch_up(self) -> None:
        while self._began and (then := self._began + self.slow_wait + (self._tenths + 1) / 10) <= self.hands.now:
            self._tenths += 1
            answer = self._server.answer(json.dumps({"seq": 10**6, "op": "advance", "tenths": 1}))
            self._report(answer.get("completed", []), then)

    def _report(self, completed: list[dict[str, Any]], now: float) -> None:
        if completed:
            self._lines.append((now + self.late_by, json.dumps({"completed": completed})))

    def rest(self) -> None:
        pass

    def left(self, seconds: float) -> str:
        return ""

    def unfinished(self) -> str:
        return ""

    def last_words(self) -> str:
        """Return nothing."""
        return ""

    def close(self, patience: float = 0.0) -> None:
        """Do nothing."""


def session_on(target: RealTimeTarget) -> Session:
    dialogue = Dialogue(target)
    assert isinstance(clock_for(dialogue), RealClock)
    return Session(dialogue, Setup(), RealClock(dialogue, target.hands.time()))


WAIT_IN_VAIN = "h = open Q INPUT_SHARED; w = get h WAIT WaitInterval=2000; advance 5s; get h"
WAIT_FOR_A_PUT = "h = open Q INPUT_SHARED; w = get h WAIT WaitInterval=-1; B.put1 Q m1; cmit B"
EXPIRE = "h = open Q INPUT_SHARED+OUTPUT; put h m1 Expiry=50; put h m2; advance 8s; get h; get h"


@pytest.mark.parametrize("text", [WAIT_IN_VAIN, WAIT_FOR_A_PUT, EXPIRE])
@pytest.mark.parametrize("late_by", [0.0, 0.2])
def test_a_conforming_target_on_a_real_clock(text: str, late_by: float) -> None:
    session = play_lines(session_on(RealTimeTarget(Hands(), late_by)), parse(text))
    assert session.departure is None
    assert not session.waiting


def test_time_passes_between_calls_too() -> None:
    hands = Hands()
    session = session_on(RealTimeTarget(hands))
    for line in parse("conn; h = open Q INPUT_SHARED+OUTPUT; put h m1 Expiry=50"):
        session.play(line)
    hands.move(8)
    exchange = session.play(parse("get h -> 2033")[0])
    assert exchange.reply["Reason"] == 2033
    assert exchange.followed.departure is None


def test_advance_is_slept_and_not_sent() -> None:
    hands = Hands()
    session = play_lines(session_on(RealTimeTarget(hands)), parse("advance 5s"))
    assert hands.now == pytest.approx(1005.0)
    assert session.exchanges[0].reply == {}


def test_a_wait_that_lasts_much_too_long_departs() -> None:
    session = play_lines(session_on(RealTimeTarget(Hands(), slow_wait=4.0)), parse(WAIT_IN_VAIN))
    assert session.departure is not None
    assert "WAI-01" in session.departure.rules[:2]


def test_an_interval_begins_with_the_call_and_not_when_one_is_told_that_it_waits() -> None:
    class Slow(RealTimeTarget):
        def send(self, line: str) -> None:
            super().send(line)
            if '"WaitInterval":2000' in line:
                self.hands.move(1.5)

    session = play_lines(session_on(Slow(Hands())), parse(WAIT_IN_VAIN.replace("advance 5s", "advance 1s")))
    assert session.departure is None
    assert not session.waiting


def test_a_wait_that_a_put_does_not_end_departs() -> None:
    session = play_lines(session_on(RealTimeTarget(Hands(), late_by=2.0)), parse(WAIT_FOR_A_PUT))
    assert session.departure is not None


@pytest.mark.parametrize(("hour", "departs"), [(0, False), (5, True)])
def test_the_time_of_a_put_is_the_targets_unless_it_is_far_off(hour: int, departs: bool) -> None:
    class OffClock(ClaimingServer):
        def answer(self, line: str) -> dict[str, Any]:
            reply = super().answer(line)
            if "MQMD" in reply:
                reply["MQMD"]["PutTime"] = f"{hour:02}000037"
            return reply

    dialogue = Dialogue(target_of(lambda: OffClock({"clock": "real"})))
    session = Session(dialogue, Setup(), RealClock(dialogue, Hands().time()))
    play_lines(session, parse("put1 Q m1"))
    assert (session.departure is not None) == departs


REPORT = "r = open R INPUT_SHARED; put1 Q m1 Report=COD ReplyToQ=R; h = open Q INPUT_SHARED; get h"
TRIGGER = "r = open R INPUT_SHARED; put1 T m1"


@pytest.mark.parametrize("made", [REPORT, TRIGGER])
@pytest.mark.parametrize(("put_time", "departs"), [("00000090", False), ("23595910", False), ("00000500", True)])
def test_the_time_of_a_message_which_no_put_shows_lies_near_ours(put_time: str, departs: bool, made: str) -> None:
    class OffReports(ClaimingServer):
        def answer(self, line: str) -> dict[str, Any]:
            reply = super().answer(line)
            if reply.get("MQMD", {}).get("PutApplType") == MQAT.QMGR:
                reply["MQMD"]["PutTime"] = put_time
            return reply

    dialogue = Dialogue(target_of(lambda: OffReports({"clock": "real"})))
    triggering = {"name": "T", "TriggerControl": 1, "TriggerType": 2, "InitiationQName": "R", "ProcessName": "P"}
    queues = ({"name": "Q"}, {"name": "R"}, triggering)
    session = Session(dialogue, Setup(queues), RealClock(dialogue, Hands().time()))
    play_lines(session, parse(made))
    assert session.departure is None
    play_lines(session, parse("get r"))
    assert (session.departure is not None) == departs


def test_a_message_got_does_not_set_the_clock_back() -> None:
    hands = Hands()
    session = session_on(RealTimeTarget(hands))
    play_lines(session, parse("put1 Q m1; h = open Q INPUT_SHARED"))
    hands.move(1.5)
    play_lines(session, parse("get h"))
    assert session.state.epoch_ms + session.state.now_ms == pytest.approx(hands.time().of_day() * 1000, abs=300)


def test_a_virtual_clock_reports_the_end_of_a_wait_in_a_reply() -> None:
    line: dict[str, Any] = {"completed": []}
    dialogue = Dialogue(CannedTarget([HELLO, {"seq": 2, "ok": True}, line, {"seq": 3, "CompCode": 0, "Reason": 0}]))
    assert isinstance(clock_for(dialogue), VirtualClock)
    with pytest.raises(TargetError, match="completed alone"):
        Session(dialogue, Setup()).play(parse("conn")[0])
