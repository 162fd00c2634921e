"""The rig of a check: a target in dialogue, the budget, and a count of what was done."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum

from conformance.sessions.dialogue import Dialogue
from conformance.sessions.session import History, Session, Setup, Sighting, play_lines
from conformance.sessions.tally import Tally


class Budget(str, Enum):
    """The budget of a run against a fast target: under two minutes, some ten, or more."""

    QUICK = "quick"
    STANDARD = "standard"
    DEEP = "deep"


@dataclass
class Rig:
    """The means of a check."""

    dialogue: Dialogue
    """The target, which has said hello."""
    budget: Budget = Budget.QUICK
    """The budget."""
    seed: int = 0
    """The seed of the check's random choices."""
    seconds: float = 60.0
    """The duration of a search with the deep budget."""
    tally: Tally = field(default_factory=Tally)
    """The count over every session made here."""
    look_up: Callable[[], None] = lambda: None
    """A function that is called before each session and each line of one; it may end the work."""
    rules: tuple[str, ...] = ()
    """The rules that the check is about."""
    wanted: int = 1
    """The number of different departures after which a search ends."""
    excuses: Callable[[Sighting], bool] = lambda _sighting: False
    """Returns whether a departure is a known deviation, which a search does not count."""
    keep: Callable[[Session], None] = lambda _session: None
    """A function that receives each session at its end."""
    choices: dict[str, None] = field(default_factory=dict)
    """The choices of the target that differ from the model's first answers, as keys."""
    met: dict[object, Sighting] = field(default_factory=dict)
    """The departures of all ended sessions, each once.

    Departures that look alike and may break the same of `rules` are one.
    """
    lost: str = ""
    """The reason why calls after one of them could not be judged, if so."""
    _latest: Session | None = None
    """The latest session. None if it has ended."""

    def session(self, setup: Setup) -> Session:
        """Begin a session on a fresh queue manager; the one before it ends."""
        self.finish()
        self.look_up()
        self._latest = Session(self.dialogue, setup, tally=self.tally, look_up=self.look_up)
        return self._latest

    def finish(self) -> None:
        """Note that the latest session has ended."""
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
        """Carry out a history on a fresh queue manager, as far as it can be judged.

        Raises what `Session` and `play_lines` raise.
        """
        return play_lines(self.session(history.setup), history.lines)

    def play_all(self, histories: Iterable[History]) -> Session | None:
        """Carry out histories, each on a fresh queue manager. Return the first session that departed, if any.

        Raises what `play` raises.
        """
        sessions = [self.play(history) for history in histories]
        return next((session for session in sessions if session.departures), None)
