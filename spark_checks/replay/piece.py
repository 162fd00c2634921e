"""The replay of a piece of a queue's calls with the oracle, and its findings.

A piece is followed from the first place where the queue was surely empty and at rest. If the replay cannot continue,
because a call departed, the order is not certain, or the log lacks something, it begins anew at the next such place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from oracle.errors import MqOracleError
from oracle.histories.event_log import Event, unpadded
from oracle.model.requests.option_matrix import BROWSE
from oracle.mqi.constants import MQCC, MQGMO, MQPMO, MQRC, MQRO
from oracle.mqi.unknown_effect import has_unknown_effect
from oracle.replay import Replayed, UndecidedError
from oracle.replay.consumers import PLAIN_GET
from oracle.replay.log import widest_us
from oracle.replay.log_calls import UnseenMessageError
from oracle.replay.log_follower import LogFollower
from oracle.replay.log_order import place_of
from spark_checks.replay.certain import Placed, certain_calls
from spark_checks.replay.circumstances import Circumstances
from spark_checks.replay.departures import Finding, finding_of
from spark_checks.replay.opened import Opened
from spark_checks.shapes.world import PERHAPS_VALID_MSG_TYPES, PERHAPS_VALID_PRIORITIES

MOST_CONNECTIONS: Final = 500
"""The number of connections that have a queue in use at once above which its calls are not followed.

Each call copies what is known of every one of them: with a thousand it takes a millisecond.
"""

OVERLAP: Final = "calls of different connections overlap"
CALL_OF_UNKNOWN_EFFECT: Final = "unknown whether a call took effect"
CROWDED: Final = "too many connections at once"
_AFTER_A_DEPARTURE: Final = "queue contents unknown after a violation"
OF_CONNECTIONS: Final = ("MQCONN", "MQDISC", "MQCMIT", "MQBACK")
"""Calls that are followed on every queue that their connection uses; they are not counted."""

_MOVING: Final = ("MQPUT", "MQPUT1", "MQGET", "CALLBACK")
_OUTSIDE: Final = MQGMO.NO_SYNCPOINT | MQGMO.SYNCPOINT_IF_PERSISTENT
_REPORTING: Final = (
    MQRO.EXCEPTION_WITH_FULL_DATA
    | MQRO.EXPIRATION_WITH_FULL_DATA
    | MQRO.COA_WITH_FULL_DATA
    | MQRO.COD_WITH_FULL_DATA
    | MQRO.ACTIVITY
)


@dataclass
class PieceResult:
    """The results of following calls."""

    findings: list[Finding] = field(default_factory=list)
    """The findings, in the order of their calls."""
    followed: int = 0
    """The number of calls that were followed."""
    not_followed: Counter[str] = field(default_factory=Counter)
    """The number of calls that were not followed, by reason."""
    together: Counter[tuple[tuple[str, ...], frozenset[str]]] = field(default_factory=Counter)
    """The number of calls that the same rules bore on, as the rules of their outcome and those of their outputs."""

    @property
    def rules(self) -> Counter[str]:
        """The number of calls that each rule bore on."""
        counted: Counter[str] = Counter()
        for (rules, outputs), number in self.together.items():
            counted.update(dict.fromkeys({*rules, *outputs}, number))
        return counted


@dataclass
class _Piece:
    circumstances: Circumstances
    follower: LogFollower
    result: PieceResult = field(default_factory=PieceResult)
    opened: Opened[Event] = field(default_factory=Opened)
    way: list[Placed] = field(default_factory=list)
    of_puts: set[str] = field(default_factory=set)
    outside: set[str] = field(default_factory=set)
    """The connections that used the queue outside their unit of work, which had begun on another queue."""
    trouble: str | None = "queue contents unknown"

    def note(self, event: Event) -> None:
        """Take a call that opened or closed something into account."""
        self.opened.note(event.conn, event.call, event.comp_code, event.reason, hobj=event.hobj, what=event)

    def follow(self, call: Placed, widest: int, *, certain: bool) -> None:
        """Follow a call whose place in the order is certain, if the replay has begun or can begin before it."""
        if call.cut:
            self._begin(call, widest)
        if not certain:
            self.trouble = self.trouble or OVERLAP
        event = call.event
        if self._is_outside(call):
            self.outside.add(event.conn)
        if self.trouble is None:
            self.trouble = self._step(call)
            self.way.append(call)
        else:
            self._leave_out(call, self.trouble)
        if event.call in OF_CONNECTIONS:
            self.outside.discard(event.conn)
        self.note(event)

    def _is_outside(self, call: Placed) -> bool:
        """Return whether a call may be outside its connection's unit of work, of which the replay does not know."""
        event, options = call.event, call.event.options or 0
        if not call.in_open_unit or event.call not in _MOVING or self._works(event.conn):
            return False
        if event.call == "MQGET" and options & BROWSE:
            return False
        by_default = self.circumstances.header.known_platform == "zos" and not options & _OUTSIDE
        return not (options & MQPMO.SYNCPOINT or by_default)

    def _works(self, conn: str) -> bool:
        """Return whether a connection has a unit of work with calls on the queue, as far as the replay goes."""
        if self.trouble is not None:
            return False
        connections = [state.connections.get(conn) for state in self.follower.follower.states]
        return any(each is not None and each.unit_of_work is not None for each in connections)

    def reach(self, call: Placed, widest: int, *, certain: bool) -> None:
        """Come to a call that is not followed itself."""
        if call.cut:
            self._begin(call, widest)
        if not certain:
            self.trouble = self.trouble or OVERLAP

    def _leave_out(self, call: Placed, why: str) -> None:
        if _counts(call):
            self.result.not_followed[why] += 1

    def _begin(self, call: Placed, widest: int) -> None:
        """Begin where the queue is empty and at rest; if the replay has begun, only drop what lies behind."""
        self.way, self.of_puts = [], set()
        if self.trouble is None:
            self.follower.forget_the_way()
            return
        self.follower.begin(call.event.start_us, widest)
        self.trouble = None
        for opening in self.opened:
            try:
                departs = any(step.departs for step in self.follower.follow(opening))
            except MqOracleError as error:
                self.trouble = _reason(error, opening)
                return
            if departs:
                self.trouble = _AFTER_A_DEPARTURE
                return
        self.follower.forget_the_way()

    def _step(self, call: Placed) -> str | None:
        """Follow a call, and return the reason why the replay cannot continue after it."""
        event = call.event
        try:
            self._refuse_undecided(event)
            steps = list(self._steps(without_reports(call.at_its_moment)))
        except MqOracleError as error:
            reason = _reason(error, event)
            self._leave_out(call, reason)
            return None if isinstance(error, UnseenMessageError) and self._changes_nothing_else(event) else reason
        departing = next((step for step in steps if step.departs), None)
        if call.judged:
            self._tell(call, steps, departing)
        if event.call in ("MQPUT", "MQPUT1"):
            self.of_puts.update(*(step.followed.rules for step in steps))
        return None if departing is None else _AFTER_A_DEPARTURE

    def _changes_nothing_else(self, event: Event) -> bool:
        """Return whether a get that took a message unknown to the replay left all else as it was.

        A backout may restore the groups of earlier moments than the replay knows of.
        """
        states = self.follower.follower.states
        handles = [state.handles.get((event.conn, event.hobj or 0)) for state in states]
        plain = not (event.options or 0) & ~PLAIN_GET and event.comp_code == MQCC.OK
        if not plain or any(each is None or each.open_for_browse or each.removing.unfinished for each in handles):
            return False
        self.outside.add(event.conn)
        return True

    def _tell(self, call: Placed, steps: Sequence[Replayed], departing: Replayed | None) -> None:
        """Count a call that was followed, and note findings."""
        self.result.followed += _counts(call)
        if departing is None:
            for step in steps:
                self.result.together[step.followed.rules, step.followed.outputs] += 1
            return
        finding = finding_of(call, departing.followed, self.way, self.of_puts, self.circumstances)
        if finding is not None:
            self.result.findings.append(finding)

    def _steps(self, event: Event) -> Iterator[Replayed]:
        for step in self.follower.follow(event):
            yield step
            if step.departs:
                return

    def _refuse_undecided(self, event: Event) -> None:
        """Raise UndecidedError if it is left open what is right.

        Causes are reports, which may come to a queue without a record, a call of unknown outcome, a put of values for
        which the documents do not say whether it is refused, and a backout after the queue was used outside the unit of
        work, which need not restore groups. Nor are calls beside too many connections followed.
        """
        if len(self.follower.follower.states[0].connections) > MOST_CONNECTIONS:
            raise UndecidedError(CROWDED, place_of(event))
        if has_unknown_effect(event.comp_code, event.reason):
            raise UndecidedError(CALL_OF_UNKNOWN_EFFECT, place_of(event))
        doubtful = event.priority in PERHAPS_VALID_PRIORITIES or event.msg_type in PERHAPS_VALID_MSG_TYPES
        if event.call in ("MQPUT", "MQPUT1") and doubtful:
            raise UndecidedError("whether a put is refused for this Priority or MsgType is not said", place_of(event))
        if event.call in ("MQPUT", "MQPUT1") and (event.report or 0) & _REPORTING and self._may_reply_here(event):
            raise UndecidedError("the queue manager makes reports on this message", place_of(event))
        if event.call == "MQBACK" and event.conn in self.outside and self._works(event.conn):
            raise UndecidedError("the unit of work began on another queue", place_of(event))
        if event.reason == MQRC.Q_FULL and self.circumstances.reports_possible:
            raise UndecidedError("reports may have filled the queue", place_of(event))

    def _may_reply_here(self, event: Event) -> bool:
        """Return whether the reports on a message may come to this queue."""
        return unpadded(event.reply_to_q or "") in ("", self.circumstances.definition.name)


def without_reports(event: Event) -> Event:
    """Return a call as one of a message that asks for no reports: those that it asks for go to other queues."""
    if not (event.report or 0) & _REPORTING:
        return event
    return event.model_copy(update={"report": (event.report or 0) & ~_REPORTING})


def _counts(call: Placed) -> bool:
    return call.judged and call.event.call not in OF_CONNECTIONS


def _reason(error: MqOracleError, event: Event) -> str:
    """Return the reason why a call cannot be followed, for counting: without its place and its connection."""
    text = str(error).replace(f"{place_of(event)}: ", "").removeprefix("undecided from here on: ")
    return text.replace(f"connection {event.conn} ", "the connection ")


def _piece(circumstances: Circumstances, calls: Iterable[Placed]) -> _Piece:
    """Return a piece of a queue of whose calls none has been followed yet."""
    definitions = {each.name: each for each in (circumstances.definition, *circumstances.aliases)}
    follower = LogFollower(circumstances.header, definitions, {}, _last_us(calls))
    return _Piece(circumstances, follower)


def _last_us(calls: Iterable[Placed]) -> dict[str, int]:
    """Return the time from which each connection makes no more calls; one that waits is there until its moment."""
    last: dict[str, int] = {}
    for call in calls:
        conn = call.event.conn
        last[conn] = max(last.get(conn, call.lo), call.lo, call.until_lo)
    return last


def follow_piece(before: Sequence[Placed], calls: Sequence[Placed], circumstances: Circumstances) -> PieceResult:
    """Follow a piece of the calls on a queue, sorted by their earliest times. `before` opened what was open then."""
    piece = _piece(circumstances, (*before, *calls))
    for call in before:
        piece.note(call.event)
    widest = widest_us(call.event for call in calls)
    for segment in _segments(calls):
        certain = certain_calls(segment, 2 * circumstances.header.clock_us)
        for number, call in enumerate(segment):
            piece.follow(call, widest, certain=number < certain)
    return piece.result


@dataclass(frozen=True)
class Reached:
    """The state after following calls up to a call."""

    follower: LogFollower | None
    """The follower before that call. None if the earlier state is not known."""
    trouble: str | None
    """The reason why that is not known. None if it is."""


def follow_to(calls: Sequence[Placed], last: Placed, circumstances: Circumstances) -> Reached:
    """Follow the calls on a queue, sorted by their earliest times, up to the last one, which is not followed itself."""
    piece = _piece(circumstances, (*calls, last))
    widest = widest_us(call.event for call in (*calls, last))
    for segment in _segments([*calls, last]):
        certain = certain_calls(segment, 2 * circumstances.header.clock_us)
        for number, call in enumerate(segment):
            if call is last:
                piece.reach(call, widest, certain=number < certain)
                break
            piece.follow(call, widest, certain=number < certain)
    return Reached(piece.follower if piece.trouble is None else None, piece.trouble)


def _segments(calls: Sequence[Placed]) -> Iterator[list[Placed]]:
    """Yield the calls from cut to cut."""
    segment: list[Placed] = []
    for call in calls:
        if call.cut and segment:
            yield segment
            segment = []
        segment.append(call)
    if segment:
        yield segment
