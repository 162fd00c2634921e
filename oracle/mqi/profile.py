"""A profile: which queue manager is meant, and how exactly its clock is to be taken.

The documents differ by platform and edition and call some times approximate. A profile narrows what the
model allows: everything that the profile leaves open stays a set of allowed outcomes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

PlatformName = Literal["distributed", "zos", "ibmi"]
PLATFORMS: tuple[PlatformName, ...] = get_args(PlatformName)


@dataclass(frozen=True, slots=True)
class Profile:
    """How the documents are narrowed."""

    platform: PlatformName = "distributed"
    """Where the queue manager runs."""
    expiry_tolerance_ms: int = 1000
    """How far from its time a message may expire, as expiry is approximate (EXP-08)."""
    wait_tolerance_ms: int = 300
    """How much longer than its interval a wait may last (WAI-01)."""
    clock_tolerance_ms: int = 0
    """How far a time of day in a reply may lie from the model's; 0 on a virtual clock."""
    code_pages: frozenset[int] = frozenset()
    """The CodedCharSetIds between which the queue manager is known to convert: its own matter (CVP-10)."""
    headers_as_put: bool = False
    """Whether an MQRFH2 with properties is known to come back as it was put, byte by byte (PRP-06).

    Then it is known which bytes a buffer holds that is too short for it.
    """

    @property
    def zos(self) -> bool:
        """Whether the queue manager runs on z/OS."""
        return self.platform == "zos"
