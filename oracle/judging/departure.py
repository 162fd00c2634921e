"""A departure: an observed reply that the documents do not allow, and the known facts about it."""

from __future__ import annotations

from dataclasses import dataclass

from oracle.judging.compare import Difference
from oracle.mqi.calls import Call
from oracle.protocol.replies import ObservedReply


@dataclass(frozen=True, slots=True)
class Departure:
    """An observed reply that no order of the documents' rules explains."""

    call: Call
    """The call."""
    observed: ObservedReply
    """Its reply."""
    allowed: tuple[str, ...]
    """What was allowed, a line each."""
    differences: tuple[Difference, ...]
    """The differences from the nearest allowed outcome."""
    rules: tuple[str, ...]
    """The rules that may have been broken, the likeliest first (`oracle/judging/suspects.py`).

    They are those that exclude the observed reply, and all those behind the nearest allowed outcome and the latest call
    before.
    """
    sentence: str
    """The departure, in a sentence."""
    before: tuple[str, ...] = ()
    """The last of `rules`: those of the latest call before.

    That call may have gone wrong unnoticed, so that it shows only now.
    """
    said: tuple[str, ...] = ()
    """The rules about what is wrong with the reply itself, the nearest first."""
    cause: str = ""
    """The earlier call that caused what the sentence describes, if it is known."""
    of_call: tuple[str, ...] = ()
    """The rules of `said` that are about the departing call itself, and not about its cause."""
    own: str = ""
    """The kind of the message that came or is missing, with the article, if queue managers make such messages."""
