"""The machine about groups and segments."""

from __future__ import annotations

from random import Random
from typing import ClassVar

from conformance.checks.machines.acts.browsing import Browsing
from conformance.checks.machines.acts.grouping import Grouping
from conformance.checks.machines.acts.inquiring import Inquiring
from conformance.checks.machines.acts.leaving import Leaving
from conformance.checks.machines.acts.working import Working
from conformance.checks.machines.vocabulary import puts, queues


class Groups(Grouping, Browsing, Inquiring, Working, Leaving):
    """Groups and segments put in any order and got in every way, across units of work, with holes."""

    QUEUES: ClassVar = {"Q": (queues.GROUP_INDEX,), "F": (queues.SEQUENCES, queues.GROUP_INDEX)}
    CONNECTIONS = ("A", "A", "B")
    OPENED = ("Q", "Q", "Q", "F")
    PUT_WORDS = (puts.PUT_SYNCPOINTS, puts.PRIORITIES)
    HANDLES_MOST = 4
    MESSAGES_MOST = 12
    SHARE = 2

    def prepare(self, draws: Random) -> None:
        """Begin with a group rather than with single messages."""
        self.put_in_any_order(draws)
