"""The state that following the queues of one day leaves for the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

Queue = tuple[str, str]


@dataclass(frozen=True)
class Rests:
    """The places from which following can continue.

    A queue rests while it is surely empty, and no unit of work and no handle refers to it.
    """

    since_us: Mapping[Queue, int | None] = field(default_factory=dict)
    """For each queue with calls so far, the time since which it rests, in microseconds since 1970-01-01 UTC.

    None if that is not known.
    """
    blind: frozenset[str] = frozenset()
    """The queue managers with a call that may have changed a queue that it does not name."""
    reporting: frozenset[str] = frozenset()
    """The queue managers that an application asked for reports."""

    def after(self, rested_us: Mapping[Queue, int | None]) -> Rests:
        """Return the state when it has become known since when these queues were at rest."""
        return replace(self, since_us={**self.since_us, **rested_us})

    def remembered(self, kept_us: int) -> Rests:
        """Return the state for a log that keeps only calls that end at `kept_us` or later."""
        lost = {queue: None for queue, since_us in self.since_us.items() if since_us is None or since_us < kept_us}
        return self.after(lost)

    def document(self) -> dict[str, Any]:
        """Return the state as plain data for `of_document`."""
        return {
            "since_us": [[*queue, since] for queue, since in sorted(self.since_us.items())],
            "blind": sorted(self.blind),
            "reporting": sorted(self.reporting),
        }

    @classmethod
    def of_document(cls, document: Mapping[str, Any]) -> Rests:
        """Return the state from what `document` returned.

        Raises KeyError, TypeError or ValueError for anything else.
        """
        return cls(
            {(qmgr, queue): since for qmgr, queue, since in document["since_us"]},
            frozenset(document["blind"]),
            frozenset(document["reporting"]),
        )
