"""Letting time pass."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis.stateful import precondition, rule

from conformance.checks.machines.acts.putting import Putting
from conformance.checks.machines.base import any_of
from conformance.checks.machines.vocabulary import gets
from oracle.histories.notation import Line
from oracle.mqi.constants import MQOO


class Timing(Putting):
    """A clock that moves, if the suite can move it."""

    @precondition(lambda self: "clock" in self.features and self.time_matters())
    @rule(data=st.data())
    def advance(self, data: st.DataObject) -> None:
        """Let time pass; if something waits, perhaps put a message meanwhile."""
        self._advance(data)
        if self.session.waiting and self.handles(MQOO.OUTPUT) and any_of(data, (True, False)):
            self.put(data)
            self._advance(data)

    @precondition(lambda self: {"expiry-scan", "zos"} <= self.features)
    @rule()
    def scan(self) -> None:
        """Request the discard of expired messages."""
        self.play(Line("scan"))

    def _advance(self, data: st.DataObject) -> None:
        self.play(Line("advance", milliseconds=any_of(data, gets.ADVANCES_MS)))
