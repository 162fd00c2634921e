"""The open connections and handles of a queue: the calls that opened them, with which a replay begins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from oracle.mqi.constants import MQCC
from oracle.mqi.unknown_effect import has_unknown_effect

What = TypeVar("What")


@dataclass
class Opened(Generic[What]):
    """The calls behind everything that is still open, in order, each as the value that was given for it.

    When a call of unknown outcome occurs, its connection may be gone, so everything that was open in it is forgotten.
    """

    kept: dict[tuple[str, int | None], What] = field(default_factory=dict)
    """By connection and handle, the value given for the call that opened it. The handle is None for an MQCONN."""

    def note(
        self, conn: str, call: str, comp_code: int | None, reason: int | None, *, hobj: int | None, what: What
    ) -> None:
        """Take a call into account."""
        if has_unknown_effect(comp_code, reason):
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
