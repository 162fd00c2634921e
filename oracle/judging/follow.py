"""The follower of a queue manager: for each call, what was allowed, whether it happened, and how to continue.

A follower keeps every state that is consistent with the observed replies. A call's allowed outcomes are compared with
the observed reply; the states of those that fit are kept. If none fits, the reply departs from the documents.

>>> from oracle.mqi.calls import Connect, Commit
>>> from oracle.model.queue_manager import new_state
>>> follower = Follower(new_state([]))
>>> follower.follow(Connect("A"), ObservedReply()).departure is None
True
>>> departure = follower.follow(Commit("A"), ObservedReply(2, 2018)).departure
>>> "UOW-01" in departure.rules
True
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain

from oracle.errors import MqOracleError
from oracle.judging.carry_on import alike, apart, as_if_asked_for, leaves_all
from oracle.judging.compare import CODES, Difference, key_of, rules_of_outputs
from oracle.judging.departure import Departure
from oracle.judging.effort import Effort
from oracle.judging.explain import explain
from oracle.judging.message_names import MessageNames
from oracle.judging.outcome_differences import freshness_differences, outcome_differences
from oracle.judging.parts import of_parts
from oracle.judging.timeline import Trail
from oracle.model.get.signals import POSTED
from oracle.model.queue_manager import outcomes
from oracle.model.state import State
from oracle.model.step import Choice, Observed, Outcome
from oracle.model.waiting.waiting import quietly_later
from oracle.mqi.calls import Advance, Call, Fail, Get, MqiCall
from oracle.protocol.replies import ObservedReply
from oracle.values import quickly_made

MAX_STATES = 256
"""The number of states at which a follower gives up; a conforming queue manager rarely leaves more than two."""


Way = tuple[Choice, ...]
"""Choices in which the first answer was not taken."""


class TooManyStatesError(MqOracleError):
    """The observed replies leave more states or outcomes than can be followed: the call is undecided, not wrong."""


@quickly_made
@dataclass(frozen=True, slots=True)
class Followed:
    """The result of following one call."""

    allowed: tuple[Outcome, ...]
    """The outcomes that the documents allow."""
    rules: tuple[str, ...]
    """The rules behind the outcomes that fit."""
    departure: Departure | None = None
    """The departure, if no outcome fits; None if one does."""
    outputs: frozenset[str] = frozenset()
    """The rules behind the outputs that were compared."""
    departures: tuple[Departure, ...] = ()
    """The departures, each by itself, if the follower continued after a departure."""
    lost: str = ""
    """The reason why the allowed outcomes are no longer known; empty if they are."""


@dataclass
class Follower:
    """A follower of one queue manager from a known state."""

    state: State
    """The initial state."""
    states: list[State] = field(init=False)
    """The possible states."""
    waiting: dict[int, Get] = field(default_factory=dict)
    """The calls that were answered `pending`, by identity."""
    trail: Trail = field(default_factory=Trail)
    """The calls that have been followed so far."""
    ways: list[Way] = field(default_factory=lambda: [()])
    """For each of the states, the choices on the way to it in which the first answer was not taken."""
    names: MessageNames = field(default_factory=MessageNames)
    """The names of messages in explanations."""
    _seen: dict[str, set[object]] = field(default_factory=dict)
    """The identifiers that the queue manager has generated so far, by output, as `MQMD.MsgId`."""

    def __post_init__(self) -> None:
        self.states = [self.state]

    @property
    def otherwise(self) -> tuple[Choice, ...]:
        """The choices in which the queue manager took another answer than the first, as far as can be observed."""
        return min(self.ways, key=len)

    def allowed(self, call: Call, observed: ObservedReply | None = None) -> Iterator[Outcome]:
        """Yield every outcome that is allowed now; generated values are the observed ones if a reply is given."""
        for outcome, _ in self._allowed(call, observed):
            yield outcome

    def _allowed(self, call: Call, observed: ObservedReply | None) -> Iterator[tuple[Outcome, Way]]:
        """Yield every outcome that is allowed now, with the choices on the way to it.

        Raises TooManyStatesError if there are too many.
        """
        looks: Mapping[int | None, Observed] = {} if observed is None else _looks(observed)
        effort = Effort()
        for state, way in zip(self.states, self.ways, strict=True):
            for outcome in outcomes(state, call, looks):
                if not effort.allows(outcome):
                    raise TooManyStatesError("too many outcomes of one call are possible")
                others = [choice for choice in outcome.choices if choice.taken and choice not in way]
                yield outcome, (*way, *dict.fromkeys(others)) if others else way

    def add(self, state: State, like: State) -> None:
        """Add a state in which the queue manager may be too, on the way to one of the possible states."""
        if state not in self.states:
            self.ways.append(self.ways[self.states.index(like)])
            self.states.append(state)

    def put_in_place(self, state: State, other: State) -> None:
        """Put another state in the place of one of the possible states, from which no call can tell it."""
        place = self.states.index(state)
        if other in self.states:
            del self.states[place], self.ways[place]
        else:
            self.states[place] = other

    def pass_time(self, milliseconds: int) -> None:
        """Let time pass, as following an Advance to which nothing was observed does."""
        later = [quietly_later(state, milliseconds) for state in self.states]
        if None in later:
            self.follow(Advance(milliseconds), ObservedReply())
            return
        self.trail.add(Advance(milliseconds), self.states[0], ())
        self.states = [state for state in later if state is not None]

    def follow(self, call: Call, observed: ObservedReply) -> Followed:
        """Follow a call with its observed reply, or explain why no allowed outcome fits it.

        After a departure the follower stays where it was. Raises TooManyStatesError, or NotModelledError if the
        call needs behaviour that the model lacks.
        """
        return self._followed(call, observed, tuple(self._allowed(call, observed)))

    def _followed(self, call: Call, observed: ObservedReply, ways: tuple[tuple[Outcome, Way], ...]) -> Followed:
        self._note_messages(observed)
        judged = [
            (outcome, outcome_differences(call, outcome, observed, self.waiting, self._seen)) for outcome, _ in ways
        ]
        allowed = tuple([outcome for outcome, _ in judged])
        taken = [each for each, (_, found) in zip(ways, judged, strict=True) if not found]
        if not taken:
            departure = explain(call, observed, judged, self.trail.steps, self.states, names=self.names)
            return Followed(allowed, (), departure)
        fitting = [outcome for outcome, _ in taken]
        rules, outputs = _all([outcome.rules for outcome in fitting]), self._rules_of_outputs(call, fitting)
        self._go_on(call, observed, taken, rules)
        return Followed(allowed, rules, outputs=outputs)

    def _go_on(
        self, call: Call, observed: ObservedReply, taken: list[tuple[Outcome, Way]], rules: tuple[str, ...]
    ) -> None:
        self.trail.add(call, self.states[0], rules)
        self._keep(taken)
        self._note_waiting(call, observed)

    def follow_on(self, call: Call, observed: ObservedReply) -> Followed:
        """Follow a call as `follow` does, and after a departure continue if the queue manager's action is known.

        Raises what `follow` raises.
        """
        ways = tuple(self._allowed(call, observed))
        followed = self._followed(call, observed, ways)
        if followed.departure is None:
            return followed
        nearest = self._nearest(call, observed, followed.allowed)
        if nearest and all(nearest.values()):
            return self._adopted(call, observed, ways, nearest)
        wrong = [followed.departure]
        if self._has_returned_another(call, observed, wrong):
            return replace(followed, departures=tuple(wrong))
        if leaves_all(call, observed):
            return replace(followed, departures=(followed.departure,))
        return replace(followed, departures=(followed.departure,), lost=followed.departure.sentence)

    def _nearest(
        self, call: Call, observed: ObservedReply, allowed: tuple[Outcome, ...]
    ) -> dict[int, list[Difference]]:
        """Return the places of the allowed outcomes that have the effect of a reply and differ least from it."""
        found = {
            place: [*differing, *freshness_differences(call, allowed[place], observed, self._seen)]
            for place, differing in alike(call, observed, allowed, self.states[0], self.waiting).items()
        }
        least = min(map(len, found.values()), default=0)
        return {place: differing for place, differing in found.items() if len(differing) == least}

    def _adopted(
        self,
        call: Call,
        observed: ObservedReply,
        ways: tuple[tuple[Outcome, Way], ...],
        nearest: dict[int, list[Difference]],
    ) -> Followed:
        """Continue from outcomes that have the effect of a reply, and separate the mistakes in it."""
        allowed = tuple(outcome for outcome, _ in ways)
        place, found = next(iter(nearest.items()))
        departures = self._apart(call, observed, allowed, place, found)
        adopted = [ways[each] for each in nearest]
        rules, outputs = self._kept(call, [outcome for outcome, _ in adopted], found)
        self._go_on(call, observed, adopted, rules)
        return Followed(allowed, rules, departures[0], outputs, departures)

    def _has_returned_another(self, call: Call, observed: ObservedReply, wrong: list[Departure]) -> bool:
        """Continue after a get that returned another message than expected, if the model has it; note other mistakes.

        It need not be a message that the call could have found; the effect is then unknown.
        """
        instead = as_if_asked_for(call, observed, self.states[0])
        if instead is None:
            return False
        ways = tuple(self._allowed(instead, observed))
        allowed = tuple(outcome for outcome, _ in ways)
        nearest = self._nearest(instead, observed, allowed)
        if not nearest:
            return False
        place, found = next(iter(nearest.items()))
        wrong += self._apart(instead, observed, allowed, place, found)
        self._go_on(call, observed, [ways[each] for each in nearest], ())
        return True

    def _apart(
        self, call: Call, observed: ObservedReply, allowed: tuple[Outcome, ...], place: int, found: list[Difference]
    ) -> tuple[Departure, ...]:
        """Explain each mistake in a reply that has the effect of an outcome by itself."""
        judged = [(outcome, found) for outcome in allowed]
        as_one = of_parts(call, observed, allowed[place], self.states[0]) is not None
        return tuple(
            explain(
                call,
                observed,
                judged,
                self.trail.steps,
                self.states,
                names=self.names,
                one=(allowed[place], together),
            )
            for together in ([found] if as_one else apart(found))
        )

    def _kept(
        self, call: Call, adopted: list[Outcome], found: list[Difference]
    ) -> tuple[tuple[str, ...], frozenset[str]]:
        """Return the rules that a departing reply kept: none if its codes are wrong."""
        if any(item.member == CODES for item in found):
            return (), frozenset()
        doubtful = {rule for item in found for rule in item.rules}
        rules = tuple(rule for rule in _all(outcome.rules for outcome in adopted) if rule not in doubtful)
        return rules, self._rules_of_outputs(call, adopted) - doubtful

    def _rules_of_outputs(self, call: Call, fitting: list[Outcome]) -> frozenset[str]:
        """Return the rules that a wrong output of the call, or of a waiting call that ended, would have broken."""
        rules: frozenset[str] = frozenset()
        for outcome in fitting:
            if isinstance(call, MqiCall):
                rules |= rules_of_outputs(call, outcome.reply)
            for done in outcome.completed:
                rules |= rules_of_outputs(self.waiting[done.identity], done.reply)
        return rules

    def _keep(self, fitting: list[tuple[Outcome, Way]]) -> None:
        self.states, self.ways = [], []
        for outcome, way in sorted(fitting, key=lambda each: len(each[1])) if len(fitting) > 1 else fitting:
            if outcome.state not in self.states:
                self.states.append(outcome.state)
                self.ways.append(way)
                if len(self.states) > MAX_STATES:
                    raise TooManyStatesError(f"more than {MAX_STATES} states fit what was seen")
        for member, value in fitting[0][0].generated:
            self._seen.setdefault(member, set()).add(value)

    def _note_messages(self, observed: ObservedReply) -> None:
        """Note the existing messages, to distinguish them by name."""
        for reply in (observed, *observed.completed.values()) if observed.completed else (observed,):
            key = key_of(reply)
            if key is not None:
                self.names.see(key)

    def _note_waiting(self, call: Call, observed: ObservedReply) -> None:
        for identity in observed.completed:
            self.waiting.pop(identity, None)
        if isinstance(call, Fail):
            self.waiting = {identity: get for identity, get in self.waiting.items() if get.conn != call.conn}
        if observed.pending and isinstance(call, Get):
            self.waiting[call.identity] = call


def _all(rules: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """Return all rules of some outcomes, each once."""
    first, *others = rules
    return tuple(dict.fromkeys(chain(first, *others))) if others else first


def _looks(observed: ObservedReply) -> dict[int | None, Observed]:
    looks: dict[int | None, Observed] = {None: observed.members.get}
    if not observed.completed and not observed.posted:
        return looks
    looks.update({identity: done.members.get for identity, done in observed.completed.items()})
    looks.update({identity: {POSTED: code}.get for identity, code in (observed.posted or {}).items()})
    return looks
