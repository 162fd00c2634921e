"""A departure that a session met: its place and its subject.

A session continues after a departure whose effect is known (`oracle/judging/carry_on.py`), so it may meet several.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from oracle.judging.compare import CODES
from oracle.judging.departure import Departure
from oracle.mqi.calls import name_of
from oracle.mqi.constants import MQCC, MQRC


@dataclass(frozen=True, slots=True)
class Met:
    """A departure that a session met."""

    step: int
    """The number of the exchange, from 0."""
    departure: Departure
    """The departure."""

    @property
    def verb(self) -> str:
        """The call that departs: `MQPUT`."""
        return name_of(self.departure.call)

    @property
    def departs(self) -> tuple[str, ...]:
        """The members that depart, as `MQMD.Priority`, or `CompCode and Reason`."""
        return tuple(dict.fromkeys(item.member for item in self.departure.differences))

    @property
    def look(self) -> tuple[str, ...]:
        """Its appearance: the call, its outcome, what departs, and the first broken rule."""
        members = [re.sub(r"\d+", "*", member) for member in self.departs]
        if "MQMD.MsgId" in members:
            members = ["another message"]  # it differs in nearly everything
        return (self.verb, _codes(self.departure), *dict.fromkeys(members), *self.departure.rules[:1])

    @property
    def observed(self) -> str:
        """The outcome of the call, or the values of the members that depart."""
        if self.departs and CODES not in self.departs:
            return "; ".join(f"{item.member} is {item.observed}" for item in self.departure.differences)
        return _codes(self.departure)


def _codes(departure: Departure) -> str:
    seen = departure.observed
    return "pending" if seen.pending else f"{MQCC.name_of(seen.comp_code)} {MQRC.describe(seen.reason)}"
