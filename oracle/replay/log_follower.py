"""The follower of an event log: it follows calls one by one, in the order in which they took effect.

An application may die without a record, so a connection that makes no more calls and did not disconnect may be gone
from then on, and is gone when its name connects again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Final

from oracle.errors import Place
from oracle.histories.event_log import Event, LogHeader
from oracle.histories.history import LONGEST
from oracle.judging.follow import Follower
from oracle.judging.timeline import Trail
from oracle.model.duration import check_clock
from oracle.model.queue_manager import new_state, outcomes
from oracle.model.state import State
from oracle.mqi.calls import Advance, Fail, MqiCall
from oracle.mqi.constants import MQCC, MQGMO, MQMT, MQRC
from oracle.mqi.definitions import QueueDefinition, QueueManagerDefinition, define
from oracle.mqi.profile import Profile
from oracle.protocol import ObservedReply
from oracle.replay.aliases import Aliases
from oracle.replay.consumers import as_get
from oracle.replay.log_calls import Puts, call_of, need, observed_of
from oracle.replay.log_order import place_of
from oracle.replay.silent import holds_nothing
from oracle.replay.steps import Replayed, UndecidedError, at, follow
from oracle.replay.unseen_data import UnseenData

_NO_LIMITS: Final = {"MaxMsgLength": LONGEST, "MaxUncommittedMsgs": 999_999_999}
"""Attributes of a queue manager that allow everything that the real ones may allow."""


@dataclass
class LogFollower:
    """A follower of a log's calls from a time when its queues were empty."""

    header: LogHeader
    """The header of the log."""
    definitions: Mapping[str, QueueDefinition]
    """The queues that are followed."""
    unusable: Mapping[str, str]
    """The reasons why the calls of other queues cannot be judged."""
    last_us: Mapping[str, int]
    """The time at which each connection's last call of the log began."""
    follower: Follower = field(init=False)
    """The follower of the model since `begin`."""
    _begun_us: int = 0
    """The time of the log that is time 0 of the queue manager."""
    _calls: int = 0
    """The number of calls so far; it distinguishes waiting calls."""
    _connected: set[str] = field(default_factory=set)
    """The connections that exist, as far as the log shows."""
    _ends: list[tuple[int, str]] = field(default_factory=list)
    """The heap of the connections that will make more calls, by the time at which the last one begins."""
    _silent: set[str] = field(default_factory=set)
    """The connections that make no more calls, and may still be there."""
    _puts: Puts = field(default_factory=Puts)
    """The messages put since then."""
    _aliases: Aliases = field(default_factory=Aliases)
    """What was done by the names of aliases since then."""
    _unseen: UnseenData = field(default_factory=UnseenData)
    """The messages put since then whose data count for nothing."""

    def begin(self, begun_us: int, widest_us: int) -> None:
        """Forget all, and begin with empty queues; `widest_us` is the length of the longest interval to come."""
        uncertainty_ms = 2 * (widest_us + 2 * self.header.clock_us) // 1000 + 2
        profile = Profile(platform=self.header.known_platform, expiry_tolerance_ms=1000 + uncertainty_ms)
        manager = define(QueueManagerDefinition, _NO_LIMITS)
        self.follower = Follower(new_state(self.definitions.values(), manager, profile))
        self._begun_us = begun_us
        self._connected, self._ends, self._silent = set(), [], set()
        self._puts = Puts()
        self._aliases, self._unseen = Aliases(self.definitions), UnseenData()

    def follow(self, event: Event) -> Iterator[Replayed]:
        """Yield what a call shows: one step, two for an MQGET that waited in vain, none for a call that moves nothing.

        A departure leaves the follower unchanged. Raises UndecidedError for what the log does not decide.
        """
        self._calls += 1
        place = place_of(event)
        if event.call != "MQCONN" and event.conn not in self._connected:
            raise UndecidedError(f"connection {event.conn} began before the log", place)
        self._refuse_unknown_queue(event, place)
        moving = as_get(event, place)
        if moving is None:
            return
        plain = self._unseen.plain(self._aliases.resolved(moving, place), place)
        call, seen = call_of(plain, place, self._calls), observed_of(plain, place, self._puts)
        with at(place):
            self._let_silent_ones_die(event)
            self._pass_time((event.start_us - self._begun_us) // 1000)
        if event.conn not in self._connected:
            self._connected.add(event.conn)
            heappush(self._ends, (self.last_us[event.conn], event.conn))
        for step in self._steps(moving, call, seen):
            if step.departs:
                self._refuse_explained(step, place)
            yield step
        self._aliases.note(event)
        if event.call in ("MQPUT", "MQPUT1") and event.comp_code != MQCC.FAILED:
            self._puts.note(event)

    def _refuse_explained(self, step: Replayed, place: Place) -> None:
        """Raise UndecidedError for a departure that something may explain which no log has."""
        if self._wants_a_report(step):
            raise UndecidedError("the log does not hold ReplyToQMgr, so a report may have gone elsewhere", place)
        if self._aliases.may_explain(step):
            raise UndecidedError("CAPEXPRY of the alias by which a message was put is not known", place)

    def _wants_a_report(self, step: Replayed) -> bool:
        """Return whether a report that the queue manager has made may be what had to be returned."""
        returned = [outcome.reply.descriptor for outcome in step.followed.allowed]
        return any(
            each is not None and each.msg_type == MQMT.REPORT and each.msg_id.hex() not in self._puts.reports
            for each in returned
        )

    def forget_the_way(self) -> None:
        """Keep the states, and forget the calls behind them: no later call is explained by an earlier one."""
        self.follower.trail = Trail()

    def _refuse_unknown_queue(self, event: Event, place: Place) -> None:
        if event.call not in ("MQOPEN", "MQPUT1"):
            return
        columns = need(event, place, "object_name", "queue")
        name, object_name = columns["queue"], columns["object_name"]
        if name in self.definitions:
            return
        if name != object_name:
            raise UndecidedError(f"the log does not hold the definition of {object_name}", place)
        raise UndecidedError(f"queue {name}: {self.unusable.get(name, 'the log has no header for it')}", place)

    def _pass_time(self, now_ms: int) -> None:
        """Set the clock to a time; it does not go back if a later call of a connection has an earlier time."""
        passed = now_ms - self.follower.states[0].now_ms
        if passed > 0:
            check_clock(self.follower.states[0], Advance(passed))
            self.follower.pass_time(passed)

    def _let_silent_ones_die(self, event: Event) -> None:
        """Let applications that make no more calls be gone by now, and one whose connection begins anew.

        One that makes no more calls than those that begin while the call is under way may be gone as it takes effect.
        """
        while self._ends and self._ends[0][0] < event.start_us:
            self._silent.add(heappop(self._ends)[1])
        for conn in sorted(self._silent - {event.conn}):
            self._let_be_gone(conn)
            if not any(conn in state.connections for state in self.follower.states):
                self._silent.discard(conn)
        if event.call == "MQCONN":
            self._let_be_gone(event.conn, certainly=False)
        for conn in self._ending_meanwhile(event):
            for state in self._there(conn):
                if not holds_nothing(state, conn):
                    self.follower.add(_without(state, conn), like=state)

    def _ending_meanwhile(self, event: Event) -> list[str]:
        """Return the connections whose last call begins while a call is under way, which may have taken effect later.

        Only one that a wait kept under way has many of them.
        """
        if not self._ends or self._ends[0][0] >= event.end_us:
            return []
        return sorted(conn for last_us, conn in self._ends if last_us < event.end_us and conn != event.conn)

    def _there(self, conn: str) -> list[State]:
        """Return the states in which a connection exists."""
        return [state for state in self.follower.states if conn in state.connections]

    def _let_be_gone(self, conn: str, *, certainly: bool = True) -> None:
        """Add the states in which a connection is gone.

        With `certainly`, they take the place of those in which it holds nothing.
        """
        for state in self._there(conn):
            if certainly and holds_nothing(state, conn):
                self.follower.put_in_place(state, _without(state, conn))
            else:
                self.follower.add(_without(state, conn), like=state)

    def _steps(self, event: Event, call: MqiCall, seen: ObservedReply) -> Iterator[Replayed]:
        """Follow a call; a get that found nothing after a wait is two steps: it waited, and its interval passed."""
        place = place_of(event)
        if not _ended_a_wait(event) or not self._must_wait(call, place):
            yield follow(self.follower, call, seen, place)
            return
        yield follow(self.follower, call, ObservedReply(pending=True, partial=True), place)
        identity = next(iter(self.follower.waiting))
        passed = Advance(-(-(event.end_us - event.start_us + 2 * self.header.clock_us) // 1000))
        ended = ObservedReply(completed={identity: seen}, partial=True)
        yield follow(self.follower, passed, ended, place)

    def _must_wait(self, call: MqiCall, place: Place) -> bool:
        with at(place):
            replies = [outcome.reply for outcome in self.follower.allowed(call)]
        waits = any(reply.pending for reply in replies)
        if waits and any(reply.reason == MQRC.NO_MSG_AVAILABLE for reply in replies if not reply.pending):
            raise UndecidedError("the log does not show whether this MQGET waited", place)
        return waits


def _without(state: State, conn: str) -> State:
    """Return the state after the death of a connection's application."""
    return next(outcomes(state, Fail(conn))).state


def _ended_a_wait(event: Event) -> bool:
    return bool((event.options or 0) & MQGMO.WAIT) and event.reason == MQRC.NO_MSG_AVAILABLE
