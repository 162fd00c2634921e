"""Why a handle's cursor, lock and browsed group are what they are: the rules of the calls that saw to it.

Many rules say that a call leaves something alone, or ends something, and only a later call shows whether it did. A call
that rests on what was left cites what is noted here.
"""

from __future__ import annotations

from dataclasses import dataclass

from oracle.model.messages.messages import Position
from oracle.values import quickly_made, replace

Rules = tuple[str, ...]


@quickly_made
@dataclass(frozen=True, slots=True)
class Grounds:
    """The rules behind what a handle remembers, which are no part of what it remembers.

    `cursor`, `browsing` and `lock` stand behind the browse cursor, the group information for browsing and the lock that
    is held. `release` is how the last lock ended, and `released` where its message stands.
    """

    cursor: Rules = ("BRW-01",)
    browsing: Rules = ()
    lock: Rules = ()
    release: Rules = ()
    released: tuple[Position, ...] = ()

    def adding(self, *, cursor: Rules = (), browsing: Rules = (), lock: Rules = ()) -> Grounds:
        """Return the grounds with further rules, for what a call has left as it was."""
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
