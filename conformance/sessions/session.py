"""A session: one fresh queue manager of the target, the lines of a history, and the oracle that follows them.

Each line becomes a call, a request and a reply. The oracle decides what was allowed, and continues with what the target
chose.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.sessions.clock import Clock, clock_for
from conformance.sessions.departures import Met
from conformance.sessions.dialogue import Dialogue
from conformance.sessions.tally import Tally
from oracle.errors import MqOracleError, NotModelledError, TargetError, UsageError
from oracle.histories.history import Bindings, with_connections
from oracle.histories.notation import Line
from oracle.histories.recording import Interval
from oracle.judging.departure import Departure
from oracle.judging.follow import Followed, Follower
from oracle.model.queue_manager import new_state
from oracle.model.state import State
from oracle.mqi.calls import Advance, Call, Happening, MqiCall
from oracle.mqi.definitions import QueueDefinition, QueueManagerDefinition, define
from oracle.mqi.profile import PlatformName
from oracle.protocol import ObservedReply, RequestError, format_call, parse_reply

DEFAULT_QUEUE = "Q"
"""The name of the only queue of a default queue manager."""


@dataclass(frozen=True, slots=True)
class Setup:
    """The queue manager at the beginning of a history, in the protocol's form."""

    queues: tuple[Mapping[str, Any], ...] = ({"name": DEFAULT_QUEUE},)
    """The queue definitions."""
    qmgr: Mapping[str, Any] = field(default_factory=dict)
    """The attributes of the queue manager."""

    def request(self) -> dict[str, Any]:
        """Return the request, without its `seq`."""
        return {"op": "setup", "queues": [dict(queue) for queue in self.queues], "qmgr": dict(self.qmgr)}


@dataclass(frozen=True, slots=True)
class History:
    """A new queue manager and the calls on it. Each connection is made before its first use."""

    setup: Setup
    """The queue manager."""
    lines: tuple[Line, ...]
    """The calls."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A line that was carried out."""

    line: Line
    """The line."""
    request: Mapping[str, Any]
    """The request of the protocol."""
    reply: Mapping[str, Any]
    """The reply."""
    followed: Followed
    """The result of following it."""
    interval: Interval = Interval(0, 0)
    """The interval of the call."""
    ended: Mapping[int, ObservedReply] = field(default_factory=dict)
    """The waiting calls, by their `seq`, that were reported outside replies."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """The calls of a session."""

    setup: Setup
    """The queue manager at its beginning."""
    exchanges: tuple[Exchange, ...]
    """The lines that were carried out."""
    bindings: Bindings
    """The meanings of the names in the lines."""

    @property
    def history(self) -> History:
        """The calls, without their expected outcomes and without the connections that a replay makes itself."""
        lines = tuple(exchange.line.without_outcome() for exchange in self.exchanges)
        shorter = tuple(line for line in lines if line.verb != "conn")
        return History(self.setup, shorter if tuple(with_connections(shorter)) == lines else lines)


class Session:
    """A conversation about one fresh queue manager.

    `exchanges` are the lines carried out so far, and `bindings` the meanings of their names. `departures` are those
    met. Once one of them cannot be followed, `lost` has the reason: later calls cannot be judged. `unasked` are the
    outputs that the target does not claim, `unjudged` the rules about them. `look_up` is called before each line and
    may end the work.

    Raises BadInputError if the definitions have not the protocol's form, NotModelledError if the model lacks what they
    need, TargetError if the target is broken.
    """

    def __init__(
        self,
        dialogue: Dialogue,
        setup: Setup,
        clock: Clock | None = None,
        tally: Tally | None = None,
        look_up: Callable[[], None] = lambda: None,
    ) -> None:
        self.setup = setup
        self.exchanges: list[Exchange] = []
        self.bindings = Bindings()
        self.departures: list[Met] = []
        self.lost = ""
        self.unasked, self.unjudged = dialogue.unasked
        self._dialogue = dialogue
        self._tally = tally or Tally()
        self._look_up = look_up
        self._clock = clock or clock_for(dialogue)
        self._follower = Follower(
            new_state(
                [define(QueueDefinition, queue) for queue in setup.queues],
                define(QueueManagerDefinition, {**dialogue.hello.qmgr, **setup.qmgr}, any_name=True),
                self._clock.profile(dialogue.hello.platform),
            ),
            names=self.bindings.names,
        )
        reply = dialogue.ask({"seq": dialogue.next_seq(), **setup.request()})
        if reply.get("ok") is not True:
            raise dialogue.trouble("the reply to setup is not ok")
        self._clock.begin()
        self._number = dialogue.setups

    @property
    def is_over(self) -> bool:
        """Whether the target has made another queue manager since, or has ended."""
        return self._dialogue.setups != self._number

    @property
    def state(self) -> State:
        """A possible state of the target."""
        return self._follower.states[0]

    @property
    def possibilities(self) -> int:
        """The number of states that the target may be in, as far as its replies have shown."""
        return len(self._follower.states)

    @property
    def platform(self) -> PlatformName:
        """The platform of the target."""
        return self._dialogue.hello.platform

    @property
    def waiting(self) -> frozenset[str]:
        """The connections that have a waiting MQGET and so can make no other call."""
        return frozenset(call.conn for call in self._follower.waiting.values())

    @property
    def departure(self) -> Departure | None:
        """The first departure of a reply from the documents, or None."""
        return self.departures[0].departure if self.departures else None

    @property
    def sightings(self) -> tuple[Sighting, ...]:
        """The departures met, each with the session that shows it."""
        return tuple(Sighting(self, met) for met in self.departures)

    @property
    def choices(self) -> tuple[str, ...]:
        """The open questions that the target answered otherwise than the model's first answer, with their rules."""
        return tuple(str(choice) for choice in self._follower.otherwise)

    @property
    def transcript(self) -> Transcript:
        """The calls so far."""
        return Transcript(self.setup, tuple(self.exchanges), self.bindings)

    @property
    def history(self) -> History:
        """The calls so far, ready to be replayed."""
        return self.transcript.history

    def play(self, line: Line) -> Exchange:
        """Carry out a line.

        Raises TargetError if the target is broken; UsageError if a name of the line has no meaning or its
        connection waits; NotModelledError and TooManyStatesError if the oracle cannot follow.
        """
        self._look_up()
        seq = self._dialogue.next_seq()
        call = self.bindings.call(line, seq)
        if isinstance(call, MqiCall) and call.conn in self.waiting:
            raise UsageError(f"connection {call.conn} has a waiting MQGET and can make no other call")
        request = {"seq": seq, **format_call(call)}
        reply: dict[str, Any] = {}
        start_us = self._clock.now_us()
        before, observed = self.state, None
        followed = self._clock.sleep(self._follower, call) if isinstance(call, Advance) else None
        if followed is None:
            self._clock.asking()
            reply = self._dialogue.ask(request)
            observed = self._asked_for(self._observe(call, reply))
            followed = self._clock.follow(self._follower, call, observed)
            self.bindings.bind(line, call, observed)
        interval = Interval(start_us, max(start_us, self._clock.now_us()))
        exchange = Exchange(line, request, reply, followed, interval, self._clock.take_ended())
        self.departures += [Met(len(self.exchanges), departure) for departure in followed.departures]
        self.exchanges.append(exchange)
        self.lost = self.bindings.readable(followed.lost)
        rules = followed.outputs.union(followed.rules) - self.unjudged
        self._tally.note(call, observed, rules, before, self.state)
        return exchange

    def foresees(self, line: Line) -> bool:
        """Return whether the model has everything that a line's call needs.

        Raises what `play` raises before the call is made.
        """
        call = self.bindings.call(line, 0)
        try:
            deque(self._follower.allowed(call), maxlen=0)
        except NotModelledError:
            return False
        return True

    def _asked_for(self, observed: ObservedReply) -> ObservedReply:
        """Return a reply with a note of the members that are not compared."""
        if not self.unasked:
            return observed
        ended = {identity: replace(done, unasked=self.unasked) for identity, done in observed.completed.items()}
        return replace(observed, completed=ended, unasked=self.unasked)

    def _observe(self, call: Call, reply: Mapping[str, Any]) -> ObservedReply:
        try:
            observed = parse_reply(reply)
        except RequestError as error:
            raise self._dialogue.trouble(f"the reply is not of the protocol: {error}") from error
        if isinstance(call, Happening) != (reply.get("ok") is True):
            wanted = "ok" if isinstance(call, Happening) else "CompCode and Reason"
            raise self._dialogue.trouble(f"the reply is not of the protocol: it must have {wanted}")
        return observed


@dataclass(frozen=True, slots=True)
class Sighting:
    """A departure that a session met."""

    session: Session
    """The session that shows it."""
    met: Met
    """The departure, with its place."""

    @property
    def departure(self) -> Departure:
        """The departure of the reply from the documents."""
        return self.met.departure

    @property
    def transcript(self) -> Transcript:
        """The calls up to the departure, which is the last."""
        whole = self.session.transcript
        return replace(whole, exchanges=whole.exchanges[: self.met.step + 1])

    @property
    def history(self) -> History:
        """The calls up to the departure, ready to be replayed."""
        return self.transcript.history


def play_lines(session: Session, lines: Iterable[Line]) -> Session:
    """Carry out lines as long as they can be judged, connecting before the first use of a connection.

    Raises what `Session.play` raises. After a departure, a call that the oracle cannot follow, or the target cannot
    express, is instead the reason why the rest is lost.
    """
    for line in with_connections(lines):
        try:
            session.play(line)
        except TargetError:
            raise
        except MqOracleError as error:
            if not session.departures:
                raise
            session.lost = str(error)
        if session.lost:
            break
    return session
