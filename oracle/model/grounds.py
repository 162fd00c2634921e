"""The rules behind a handle's cursor, lock and browsed group.

Many rules say that a call leaves something unchanged, or ends something, and only a later call shows whether it did.
That later call cites the rules that are noted here.
"""

from __future__ import annotations

from dataclasses import dataclass

from oracle.model.messages.messages import Position
from oracle.values import quickly_made, replace

Rules = tuple[str, ...]


@quickly_made
@dataclass(frozen=True, slots=True)
class Grounds:
    """The rules behind what a handle remembers; they are not part of what it remembers."""

    cursor: Rules = ("BRW-01",)
    """Those behind the browse cursor."""
    browsing: Rules = ()
    """Those behind the group information for browsing."""
    lock: Rules = ()
    """Those behind the lock that is held."""
    release: Rules = ()
    """Those by which the last lock ended."""
    released: tuple[Position, ...] = ()
    """The places of the message of that lock."""

    def adding(self, *, cursor: Rules = (), browsing: Rules = (), lock: Rules = ()) -> Grounds:
        """Return the grounds with further rules, for what a call has left unchanged."""
        if not browsing and not lock and set(cursor).issubset(self.cursor):
            return self
        return replace(
            self,
            cursor=_joined(self.cursor, cursor),
            browsing=_joined(self.browsing, browsing),
            lock=_joined(self.lock, lock),
        )


def _joined(known: Rules, further: Rules) -> Rules:
    return (*known, *(rule for rule in further if rule not in known))
