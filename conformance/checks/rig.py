"""The rig on which a check works: a target in dialogue, how hard to try, and a count of what was done."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum

from conformance.sessions.dialogue import Dialogue
from conformance.sessions.session import History, Session, Setup, Sighting, play_lines
from conformance.sessions.tally import Tally


class Budget(str, Enum):
    """How much a run may do against a fast target: under a minute, under five, or more."""

    QUICK = "quick"
    STANDARD = "standard"
    DEEP = "deep"


@dataclass
class Rig:
    """What a check works with."""

    dialogue: Dialogue
    """The target, which has said hello."""
    budget: Budget = Budget.QUICK
    """How hard to try."""
    seed: int = 0
    """What the check's random choices depend on."""
    seconds: float = 60.0
    """How long a search lasts by the deep budget."""
    tally: Tally = field(default_factory=Tally)
    """What was done in every session made here."""
    look_up: Callable[[], None] = lambda: None
    """Called before each session and each line of one; it may end the work."""
    rules: tuple[str, ...] = ()
    """The rules that the check is about."""
    wanted: int = 1
    """A search ends once it has met so many departures that differ."""
    excuses: Callable[[Sighting], bool] = lambda _sighting: False
    """Says of a departure whether it is a known deviation: a search does not count that."""
    keep: Callable[[Session], None] = lambda _session: None
    """Given each session when it is over."""
    choices: dict[str, None] = field(default_factory=dict)
    """The choices that the target made otherwise than the model, as keys."""
    met: dict[object, Sighting] = field(default_factory=dict)
    """The departures of all sessions that are over, each once: those that look alike and may break the same of `rules`
    are one."""
    lost: str = ""
    """Why nobody knows what would have come after one of them, if so."""
    _latest: Session | None = None
    """The session that was begun last. None if it is over."""

    def session(self, setup: Setup) -> Session:
        """Begin a session on a fresh queue manager; the one before it is over."""
        self.finish()
        self.look_up()
        self._latest = Session(self.dialogue, setup, tally=self.tally, look_up=self.look_up)
        return self._latest

    def finish(self) -> None:
        """Note that the latest session is over."""
        if self._latest is not None:
            self.choices.update(dict.fromkeys(self._latest.choices))
            for sighting in self._latest.sightings:
                self.met.setdefault((sighting.met.look, self._may_break(sighting)), sighting)
            self.lost = self.lost or self._latest.lost
            self.keep(self._latest)
        self._latest = None

    def _may_break(self, sighting: Sighting) -> frozenset[str]:
        return frozenset(self.rules).intersection((*sighting.departure.rules, *sighting.departure.before))

    def play(self, history: History) -> Session:
        """Carry out a history on a fresh queue manager, as far as what it shows can be judged.

        Raises what `Session` and `play_lines` raise.
        """
        return play_lines(self.session(history.setup), history.lines)

    def play_all(self, histories: Iterable[History]) -> Session | None:
        """Carry out histories, each on a fresh queue manager; return the first session that departed, if one did.

        Raises what `play` raises.
        """
        sessions = [self.play(history) for history in histories]
        return next((session for session in sessions if session.departures), None)
