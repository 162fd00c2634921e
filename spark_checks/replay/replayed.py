"""The extent of the replay of a log's queues, in numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Replayed:
    """How much of a log the oracle followed, in numbers."""

    followed: int = 0
    """The number of calls on queues that were followed."""
    not_followed: Mapping[str, int] = field(default_factory=dict)
    """The number of calls on these queues that were not followed, by reason."""
    unknown_queues: Mapping[str, int] = field(default_factory=dict)
    """The number of queues with no call that could be followed, by reason."""
    rules: Mapping[str, int] = field(default_factory=dict)
    """The number of calls that each rule bore on."""

    def document(self) -> dict[str, int | dict[str, int]]:
        """Return its part of `summary.json`."""
        return {
            "calls": self.followed,
            "not_followed": _most_first(self.not_followed),
            "unknown_queues": _most_first(self.unknown_queues),
            "rules": dict(sorted(self.rules.items())),
        }

    def __str__(self) -> str:
        left = sum(self.not_followed.values())
        why = next(iter(_most_first(self.not_followed)), "")
        mostly = ", mostly" if len(self.not_followed) > 1 else ""
        rest = f"; {left:,} calls skipped{mostly}: {why}" if left else ""
        return f"{self.followed:,} calls on queues were replayed on the model{rest}"


def _most_first(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
