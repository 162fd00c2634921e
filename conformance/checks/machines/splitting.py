"""The machine about messages that the queue manager splits into segments."""

from __future__ import annotations

from random import Random
from typing import ClassVar

from conformance.checks.machines.acting import act
from conformance.checks.machines.acts.browsing import Browsing
from conformance.checks.machines.acts.leaving import Leaving
from conformance.checks.machines.acts.putting import Putting
from conformance.checks.machines.acts.whole import GettingWhole
from conformance.checks.machines.acts.working import Working
from conformance.checks.machines.vocabulary import gets, groups, puts, queues


class Splitting(Putting, GettingWhole, Browsing, Working, Leaving):
    """Messages longer than the queue takes, which may be segmented, got in pieces and whole."""

    QUEUES: ClassVar = {"Q": (queues.SHORT, queues.GROUP_INDEX)}
    OPENED = ("Q",)
    CONNECTIONS = ("A", "B")
    PUT_WORDS = (groups.SPLITTING, groups.SPLIT_LENGTHS, puts.PUT_SYNCPOINTS, puts.PRIORITIES)
    REMOVAL_WORDS = (gets.REMOVALS, gets.GET_SYNCPOINTS, gets.TRUNCATIONS)
    CAREFUL = True

    @act(lambda self: self.can_put())
    def put_and_get_whole(self, draws: Random) -> None:
        """Put a message, and get it or others as a whole."""
        self.put(draws)
        self.get_whole(draws)
