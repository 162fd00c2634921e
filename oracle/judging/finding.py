"""A finding: what is wrong with a reply, in words, and the earlier call that caused it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with a reply, and the earlier call that caused it."""

    sentence: str
    """It in words, without a full stop."""
    said: tuple[str, ...] = ()
    """The rules that the sentence states."""
    effects: tuple[str, ...] = ()
    """The rules of the earlier call."""
    sure: tuple[str, ...] = ()
    """The stated rule that is broken in any case. Empty if there is none."""
    cause: str = ""
    """The verb of the earlier call. Empty if none is known."""
    own: str = ""
    """The kind of the message, with the article, if the queue manager makes such messages: `a COA report`."""
    kept: tuple[str, ...] = ()
    """The rules that the reply has kept, although they decide about what it should have returned."""
