"""The bench on which a check works: a target in dialogue, how hard to try, and a count of what was done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from conformance.dialogue import Dialogue
from conformance.session import History, Session, Setup, play_lines
from conformance.tally import Tally


class Budget(str, Enum):
    """How much a run may do against a fast target: under a minute, under five, or more."""

    QUICK = "quick"
    STANDARD = "standard"
    DEEP = "deep"


@dataclass
class Bench:
    """What a check works with. `tally` counts what was done in every session made here.

    `seconds` is how long a search lasts by the deep budget. `look_up` is called before each session and each line of
    one, and may end the work. `excuses` says of a session that has departed whether that is a known deviation: a search
    then goes on. `keep` is given each session when it is over. `choices` are those that the target made otherwise than
    the model, as keys.
    """

    dialogue: Dialogue
    budget: Budget = Budget.QUICK
    seed: int = 0
    seconds: float = 60.0
    tally: Tally = field(default_factory=Tally)
    look_up: Callable[[], None] = lambda: None
    excuses: Callable[[Session], bool] = lambda session: False  # noqa: ARG005 - as the caller's own
    keep: Callable[[Session], None] = lambda session: None  # noqa: ARG005 - likewise
    choices: dict[str, None] = field(default_factory=dict)
    _latest: Session | None = None

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
            self.keep(self._latest)
        self._latest = None

    def play(self, history: History) -> Session:
        """Carry out a history on a fresh queue manager, up to the first departure.

        Raises what `Session` and `Session.play` raise.
        """
        return play_lines(self.session(history.setup), history.lines)
