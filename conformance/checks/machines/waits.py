"""The machine about waits, and what activates them."""

from __future__ import annotations

from random import Random
from typing import ClassVar

from conformance.checks.machines.acting import act
from conformance.checks.machines.acts.administering import Administering
from conformance.checks.machines.acts.inhibiting import Inhibiting
from conformance.checks.machines.acts.leaving import Leaving
from conformance.checks.machines.acts.timing import Timing
from conformance.checks.machines.acts.waiting import Waiting
from conformance.checks.machines.acts.working import Working
from conformance.checks.machines.base import any_of
from conformance.checks.machines.vocabulary import gets, puts, queues
from oracle.mqi.constants import MQOO


class Waits(Waiting, Timing, Inhibiting, Administering, Working, Leaving):
    """Up to three calls that wait, while others put, commit, back out, unlock, inhibit and let time pass."""

    CONNECTIONS = ("A", "B", "C", "D")
    QUEUES: ClassVar = {"Q": (), "F": (queues.FIFO,)}
    OPENED = ("Q", "Q", "Q", "F")
    HANDLES_MOST = 6
    WAITING_MOST = 3
    PUT_WORDS = (puts.PUT_SYNCPOINTS, puts.PRIORITIES, puts.PERSISTENCES, puts.EXPIRIES, puts.CORREL_IDS)
    REMOVAL_WORDS = (gets.REMOVALS, gets.GET_SYNCPOINTS, gets.MATCHES)
    WAIT_WORDS = (gets.WAITS, gets.GET_SYNCPOINTS, gets.WAITED_FOR, gets.QUIESCINGS)
    SHARE = 2

    def prepare(self, draws: Random) -> None:
        """Begin with empty queues, so that calls wait."""

    @act(lambda self: self.session.waiting, weight=3)
    def meanwhile(self, draws: Random) -> None:
        """Let messages come and time pass while a call waits."""
        for _ in range(any_of(draws, (2, 3, 4))):
            if self.handles(MQOO.OUTPUT) and self.can_put() and any_of(draws, range(2)):
                self.put(draws)
            elif "clock" in self.features and self.time_matters():
                self._advance(draws)
