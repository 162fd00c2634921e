"""Ending units of work."""

from __future__ import annotations

from random import Random
from typing import Final

from conformance.checks.machines.acting import act
from conformance.checks.machines.acts.grouping import Grouping
from conformance.checks.machines.base import Applications, any_of
from oracle.histories.notation import Line

_ENDS: Final = ("cmit", "back", "back")


class Working(Applications):
    """Applications that commit and back out."""

    @act(lambda self: self.units_of_work(), weight=2)
    def end_unit_of_work(self, draws: Random) -> None:
        """Commit a unit of work or back it out."""
        conn = any_of(draws, self.units_of_work())
        self.play(Line(any_of(draws, _ENDS), conn))
        if isinstance(self, Grouping):
            self.go_on(draws, conn)
