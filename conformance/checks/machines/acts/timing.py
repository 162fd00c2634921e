"""Letting time pass."""

from __future__ import annotations

from random import Random

from conformance.checks.machines.acting import act
from conformance.checks.machines.acts.getting import Getting
from conformance.checks.machines.acts.putting import Putting
from conformance.checks.machines.base import any_of
from conformance.checks.machines.vocabulary import gets
from oracle.histories.notation import Line
from oracle.mqi.constants import INPUT_OPTIONS, MQOO


class Timing(Putting):
    """A clock that moves, if the suite can move it."""

    @act(lambda self: "clock" in self.features and self.time_matters())
    def advance(self, draws: Random) -> None:
        """Let time pass; if something waits, perhaps put a message meanwhile."""
        self._advance(draws)
        if self.session.waiting and self.handles(MQOO.OUTPUT) and any_of(draws, (True, False)):
            self.put(draws)
            self._advance(draws)
        elif isinstance(self, Getting) and self.handles(INPUT_OPTIONS) and any_of(draws, (True, False)):
            self.get_plainly(draws)

    @act(lambda self: {"expiry-scan", "zos"} <= self.features)
    def scan(self, _draws: Random) -> None:
        """Request the discard of expired messages."""
        self.play(Line("scan"))

    def _advance(self, draws: Random) -> None:
        self.play(Line("advance", milliseconds=any_of(draws, gets.ADVANCES_MS)))
