"""Which connections and handles of a queue are open: the calls that opened them, with which a replay begins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from oracle.mqi.constants import MQCC
from oracle.mqi.unlearnt import is_unlearnt

What = TypeVar("What")


@dataclass
class Opened(Generic[What]):
    """Keeps, of each call that opened what is still open, whatever it was given for it, in the order of the calls.

    What was open when it was not learnt whether a call took effect may be gone with its connection: it is forgotten.
    """

    kept: dict[tuple[str, int | None], What] = field(default_factory=dict)
    """By connection and handle: what was given for the call that opened it. The handle is None for an MQCONN."""

    def note(
        self, conn: str, call: str, comp_code: int | None, reason: int | None, *, hobj: int | None, what: What
    ) -> None:
        """Take note of a call."""
        if is_unlearnt(comp_code, reason):
            self._forget(conn)
        elif comp_code == MQCC.FAILED:
            return
        elif call == "MQCONN" and comp_code == MQCC.OK:
            self._forget(conn)
            self.kept[conn, None] = what
        elif call == "MQDISC":
            self._forget(conn)
        elif call == "MQOPEN":
            self.kept[conn, hobj] = what
        elif call == "MQCLOSE":
            self.kept.pop((conn, hobj), None)

    def _forget(self, conn: str) -> None:
        self.kept = {key: what for key, what in self.kept.items() if key[0] != conn}

    def __iter__(self) -> Iterator[Any]:
        return iter(self.kept.values())
