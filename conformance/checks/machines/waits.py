"""The machine about waits, and what activates them."""

from __future__ import annotations

from typing import ClassVar

import hypothesis.strategies as st

from conformance.checks.machines.acts.administering import Administering
from conformance.checks.machines.acts.inhibiting import Inhibiting
from conformance.checks.machines.acts.leaving import Leaving
from conformance.checks.machines.acts.timing import Timing
from conformance.checks.machines.acts.waiting import Waiting
from conformance.checks.machines.acts.working import Working
from conformance.checks.machines.vocabulary import gets, puts, queues


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

    def prepare(self, data: st.DataObject) -> None:
        """Begin with empty queues, so that calls wait."""
