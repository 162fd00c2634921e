"""Ending units of work."""

from __future__ import annotations

from typing import Final

import hypothesis.strategies as st
from hypothesis.stateful import precondition, rule

from conformance.checks.machines.acts.grouping import Grouping
from conformance.checks.machines.base import Applications, any_of
from oracle.histories.notation import Line

_ENDS: Final = ("cmit", "back", "back")


class Working(Applications):
    """Applications that commit and back out."""

    @precondition(lambda self: self.units_of_work())
    @rule(data=st.data())
    def end_unit_of_work(self, data: st.DataObject) -> None:
        """Commit a unit of work or back it out."""
        conn = any_of(data, self.units_of_work())
        self.play(Line(any_of(data, _ENDS), conn))
        if isinstance(self, Grouping):
            self.go_on(data, conn)
