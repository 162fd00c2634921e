"""The case that an explanation looks at: a reply that no allowed outcome fits, and what came before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from oracle.judging.message_names import MessageNames
from oracle.judging.timeline import TrailStep
from oracle.model.state import State
from oracle.model.step import Outcome
from oracle.mqi.calls import Call
from oracle.protocol.replies import ObservedReply


@dataclass(frozen=True, slots=True)
class Case:
    """A call whose reply departs from the documents."""

    call: Call
    """The call."""
    observed: ObservedReply
    """Its reply."""
    nearest: Outcome
    """The allowed outcome from which the reply differs least."""
    timeline: Sequence[TrailStep]
    """The calls before, and as the last step the call itself, without rules."""
    names: MessageNames
    """The names of messages in sentences."""

    @property
    def state(self) -> State:
        """A state before the call."""
        return self.timeline[-1][1]
