"""What the replay of a log's queues has come to, in numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Replayed:
    """How much of a log the oracle followed, in numbers."""

    followed: int = 0
    """How many calls on queues were followed."""
    not_followed: Mapping[str, int] = field(default_factory=dict)
    """By reason: how many calls on these queues were not followed."""
    unknown_queues: Mapping[str, int] = field(default_factory=dict)
    """By reason: of how many queues no call could be followed."""
    rules: Mapping[str, int] = field(default_factory=dict)
    """By rule: on how many calls it bore."""

    def document(self) -> dict[str, int | dict[str, int]]:
        """Return what `summary.json` says of it."""
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
