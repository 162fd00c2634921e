"""Inquiring about queues."""

from __future__ import annotations

from random import Random

from conformance.checks.machines.acting import act
from conformance.checks.machines.base import Applications, any_of
from conformance.checks.machines.vocabulary import queues
from oracle.histories.notation import Line
from oracle.mqi.constants import MQOO


class Inquiring(Applications):
    """Applications that inquire."""

    @act(lambda self: "inquire" in self.features and self.handles(MQOO.INQUIRE))
    def inquire(self, draws: Random) -> None:
        """Inquire the depth, or other attributes."""
        handle = any_of(draws, self.handles(MQOO.INQUIRE))
        self.play(Line("inq", handle=handle, inquired=any_of(draws, queues.INQUIRIES)))
