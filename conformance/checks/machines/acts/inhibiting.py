"""Inhibiting queues."""

from __future__ import annotations

from random import Random

from conformance.checks.machines.acting import act
from conformance.checks.machines.acts.getting import Getting
from conformance.checks.machines.acts.putting import Putting
from conformance.checks.machines.base import any_of
from oracle.histories.notation import Line
from oracle.mqi.constants import INPUT_OPTIONS, MQOO


class Inhibiting(Putting, Getting):
    """Applications, and an administrator, that inhibit gets and puts."""

    @act(lambda self: "inhibit" in self.features and self.handles())
    def inhibit(self, draws: Random) -> None:
        """Inhibit a queue, by MQSET or as an administrator, try the forbidden call, and allow it again."""
        handle = any_of(draws, self.handles())
        opened = self.opened(handle)
        attribute = any_of(draws, ("InhibitGet", "InhibitPut"))
        by_set = bool(opened.options & MQOO.SET) and any_of(draws, (True, False))
        for value in (1, 0):
            change = ((attribute, value),)
            if by_set:
                self.play(Line("set", handle=handle, attributes=change))
            elif opened.queue in self.session.state.queues:
                self.play(Line("alter", queue=opened.queue, attributes=change))
            if value and attribute == "InhibitPut" and opened.options & MQOO.OUTPUT:
                self.put(draws)
            elif value and attribute == "InhibitGet" and self.handles(INPUT_OPTIONS):
                self.get_plainly(draws)
