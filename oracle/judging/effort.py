"""How much of what a call allows a follower looks at before it gives up.

Nearly all calls have a few outcomes. Where many decisions are open at once there are more than anybody can look at. The
time goes to each outcome, to the decisions on the way to it, to the waiting calls that it ends, and to the answers that
the model makes for each question, so all of these are added up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from oracle.model.step import Outcome

MAX_OUTCOMES: Final = 4096
"""The number of outcomes of one call at which a follower gives up."""

MAX_EFFORT: Final = 2_000_000
"""The effort for one call at which a follower gives up, in answers made: about a second."""

_OF_AN_OUTCOME: Final = 250
_OF_AN_ENDED_CALL: Final = 250
_OF_A_DECISION: Final = 64


@dataclass(slots=True)
class Effort:
    """The effort for one call so far."""

    outcomes: int = 0
    """The number of its outcomes."""
    spent: int = 0
    """What looking at them has taken, in answers made."""

    def allows(self, outcome: Outcome) -> bool:
        """Add an outcome, and return whether a follower goes on; a question with too many answers ends it at once."""
        self.outcomes += 1
        self.spent += _OF_AN_OUTCOME + _OF_AN_ENDED_CALL * (len(outcome.completed) + len(outcome.posted))
        for choice in outcome.choices:
            if choice.answers > MAX_OUTCOMES:
                return False
            self.spent += _OF_A_DECISION + choice.answers
        return self.outcomes <= MAX_OUTCOMES and self.spent <= MAX_EFFORT
