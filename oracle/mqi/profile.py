"""A profile: the platform of the queue manager, and the tolerances of its times.

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
    """The settings that narrow the documents."""

    platform: PlatformName = "distributed"
    """The platform of the queue manager."""
    expiry_tolerance_ms: int = 1000
    """The greatest distance of a message's expiry from its time, as expiry is approximate (EXP-08)."""
    wait_tolerance_ms: int = 300
    """The time by which a wait may exceed its interval (WAI-01)."""
    clock_tolerance_ms: int = 0
    """The greatest difference of a time of day in a reply from the model's; 0 on a virtual clock."""
    code_pages: frozenset[int] = frozenset()
    """The CodedCharSetIds between which the queue manager is known to convert (CVP-10)."""
    headers_as_put: bool = False
    """Whether an MQRFH2 with properties is known to come back as it was put, byte by byte (PRP-06).

    If so, the contents of a buffer that is too short for it are known.
    """

    @property
    def zos(self) -> bool:
        """Whether the queue manager runs on z/OS."""
        return self.platform == "zos"
