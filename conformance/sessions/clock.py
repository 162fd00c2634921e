"""The clock of a session: a virtual clock moves by requests, a real one by sleeping.

On a real clock the oracle's time is moved by the measured time before each call, with wider tolerances. Waiting calls
may end in lines of their own: those that ended without a message belong to the time that passed, all others to the call
that ended them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Protocol

from conformance.sessions.dialogue import Dialogue
from oracle.judging.follow import Followed, Follower
from oracle.model.state import EPOCH_MS
from oracle.mqi.calls import Advance, Call, Put, Put1
from oracle.mqi.constants import MQRC
from oracle.mqi.profile import PlatformName, Profile
from oracle.mqi.put_times import put_time_us
from oracle.protocol import ObservedReply, parse_reply

_REPORTED_WITHIN_S: Final = 0.25
"""The time in which a target must report that a call has ended a waiting one (target protocol)."""


class Clock(Protocol):
    """The clock of a target."""

    def profile(self, platform: PlatformName) -> Profile:
        """Return the tolerances with which times are judged."""

    def begin(self) -> None:
        """Note that the queue manager is new."""

    def asking(self) -> None:
        """Note that a request is about to be sent."""

    def now_us(self) -> int:
        """Return the time of day in microseconds since 1970; on a virtual clock no two calls have the same."""

    def take_ended(self) -> Mapping[int, ObservedReply]:
        """Return the waiting calls that were reported outside replies since the last call of this."""

    def sleep(self, follower: Follower, call: Advance) -> Followed | None:
        """Let time pass without a request and follow the waits that it ended; None if `advance` is a request."""

    def follow(self, follower: Follower, call: Call, observed: ObservedReply) -> Followed:
        """Follow a reply, after the time that has passed until then."""


@dataclass(slots=True)
class VirtualClock:
    """A clock that only `advance` moves."""

    dialogue: Dialogue
    """The dialogue with the target, whose `advance` moves the clock."""
    _now_us: int = EPOCH_MS * 1000
    """The last time returned, in microseconds since 1970."""

    def profile(self, platform: PlatformName) -> Profile:
        """Return the tolerances that the documents themselves need."""
        return Profile(platform=platform)

    def begin(self) -> None:
        """Do nothing."""

    def asking(self) -> None:
        """Do nothing."""

    def now_us(self) -> int:
        """Return the time, a microsecond after the last one returned."""
        self._now_us += 1
        return self._now_us

    def take_ended(self) -> Mapping[int, ObservedReply]:
        """Return nothing: all waits are reported in replies."""
        return {}

    def sleep(self, follower: Follower, call: Advance) -> Followed | None:  # noqa: ARG002 - as every clock
        """Return None: `advance` is a request."""
        return None

    def follow(self, follower: Follower, call: Call, observed: ObservedReply) -> Followed:
        """Follow a reply.

        Raises TargetError if a waiting call was reported outside a reply: only a real clock may do that.
        """
        if self.dialogue.take_completed():
            raise self.dialogue.trouble("a target with a virtual clock wrote a line with completed alone")
        if isinstance(call, Advance):
            self._now_us += call.milliseconds * 1000
        return follower.follow_on(call, observed)


@dataclass(frozen=True, slots=True)
class Time:
    """The source of real time."""

    steady: Callable[[], float] = time.monotonic
    """Returns the seconds of a steady clock."""
    of_day: Callable[[], float] = time.time
    """Returns the seconds since 1970."""
    sleep: Callable[[float], None] = time.sleep
    """Waits for a number of seconds."""


class RealClock:
    """A clock that runs by itself."""

    def __init__(self, dialogue: Dialogue, source: Time | None = None) -> None:
        self._dialogue = dialogue
        self._time = source or Time()
        self._moved_to = self._asked = self._time.steady()
        self._ended: dict[int, ObservedReply] = {}

    def profile(self, platform: PlatformName) -> Profile:
        """Return tolerances that leave room for scheduling and for two clocks that differ a little."""
        return Profile(platform, expiry_tolerance_ms=1500, wait_tolerance_ms=1000, clock_tolerance_ms=2000)

    def begin(self) -> None:
        """Note that time 0 of the queue manager is now."""
        self._moved_to = self._asked = self._time.steady()

    def asking(self) -> None:
        """Note the time, from which on an MQGET waits if it does: the wait may be reported later."""
        self._asked = self._time.steady()

    def now_us(self) -> int:
        """Return the suite's own time of day."""
        return int(self._time.of_day() * 1_000_000)

    def take_ended(self) -> Mapping[int, ObservedReply]:
        """Return the waiting calls that were reported in lines of their own since the last call of this."""
        ended, self._ended = self._ended, {}
        return ended

    def sleep(self, follower: Follower, call: Advance) -> Followed | None:
        """Sleep, then follow the waiting calls that have ended meanwhile."""
        self._time.sleep(call.milliseconds / 1000)
        return self._advance(follower, self._take_completed(0.0))

    def follow(self, follower: Follower, call: Call, observed: ObservedReply) -> Followed:
        """Follow the time until a reply, then the reply with the waiting calls that the call has ended."""
        ended = self._gather(follower, call, observed)
        timed_out = {seq: done for seq, done in ended.items() if done.reason == MQRC.NO_MSG_AVAILABLE}
        passed = self._advance(follower, timed_out, self._asked if observed.pending and not ended else None)
        if passed.lost:
            return passed
        self._set_time_of_day(follower, observed if isinstance(call, (Put, Put1)) else ObservedReply())
        by_call = {seq: done for seq, done in ended.items() if seq not in timed_out}
        followed = follower.follow_on(call, replace(observed, completed=by_call))
        if passed.departure is None:
            return followed
        return replace(followed, departure=passed.departure, departures=(*passed.departures, *followed.departures))

    def _gather(self, follower: Follower, call: Call, observed: ObservedReply) -> dict[int, ObservedReply]:
        """Return the waiting calls that have ended, after a short wait for those that the call must have ended."""
        ended = {**observed.completed, **self._take_completed(0.0)}
        deadline = self._time.steady() + _REPORTED_WITHIN_S
        while self._time.steady() < deadline and not self._all_ended(follower, call, ended):
            ended.update(self._take_completed(max(0.0, deadline - self._time.steady())))
        return ended

    def _all_ended(self, follower: Follower, call: Call, ended: Mapping[int, ObservedReply]) -> bool:
        if not follower.waiting:
            return True
        outcomes = follower.allowed(call, ObservedReply(completed=ended))
        return all(done.identity in ended for outcome in outcomes for done in outcome.completed)

    def _take_completed(self, seconds: float) -> dict[int, ObservedReply]:
        ended: dict[int, ObservedReply] = {}
        for message in self._dialogue.take_completed(seconds):
            parsed = parse_reply({"ok": True, **message}).completed
            outputs = self._dialogue.unasked[0]
            ended.update({identity: replace(done, unasked=outputs) for identity, done in parsed.items()})
        self._ended.update(ended)
        return ended

    def _advance(self, follower: Follower, ended: Mapping[int, ObservedReply], until: float | None = None) -> Followed:
        moment = self._time.steady() if until is None else until
        elapsed_ms = max(0, int((moment - self._moved_to) * 1000))
        self._moved_to += elapsed_ms / 1000
        return follower.follow_on(Advance(elapsed_ms), ObservedReply(completed=ended))

    def _set_time_of_day(self, follower: Follower, observed: ObservedReply) -> None:
        """Use the target's time of day for the oracle, unless it is far from the suite's own."""
        seen_ms = _time_of_put(observed)
        expected_ms = self._time.of_day() * 1000
        tolerance_ms = follower.states[0].profile.clock_tolerance_ms
        epoch_ms = expected_ms if seen_ms is None or abs(seen_ms - expected_ms) > tolerance_ms else seen_ms
        follower.states = [replace(state, epoch_ms=int(epoch_ms) - state.now_ms) for state in follower.states]


def clock_for(dialogue: Dialogue) -> Clock:
    """Return the clock that the target states."""
    return RealClock(dialogue) if dialogue.hello.clock == "real" else VirtualClock(dialogue)


def _time_of_put(observed: ObservedReply) -> int | None:
    """Return PutDate and PutTime of a reply in milliseconds since 1970; None if it has none."""
    moment = put_time_us(observed.members.get("MQMD.PutDate", ""), observed.members.get("MQMD.PutTime", ""))
    return None if moment is None else moment // 1000
