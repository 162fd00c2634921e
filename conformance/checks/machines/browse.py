"""The machine about browse cursors, locks and marks."""

from __future__ import annotations

from typing import ClassVar

from conformance.checks.machines.acts.leaving import Leaving
from conformance.checks.machines.acts.marking import Marking
from conformance.checks.machines.acts.timing import Timing
from conformance.checks.machines.acts.working import Working
from conformance.checks.machines.vocabulary import gets, puts, queues


class Browse(Marking, Timing, Working, Leaving):
    """Handles that browse, lock and mark, some of them of a cooperating set, while messages come and go."""

    CONNECTIONS = ("A", "A", "B", "C")
    QUEUES: ClassVar = {"Q": (queues.INDEX_OR_NONE,), "F": (queues.FIFO, queues.INDEX_OR_NONE)}
    QMGR = (queues.MARK_INTERVALS,)
    OPENED = ("Q", "Q", "Q", "F")
    OPENINGS = (*queues.CO_OP_OPENINGS, *queues.OPENINGS)
    PUT_WORDS = (puts.PUT_SYNCPOINTS, puts.PRIORITIES, puts.LENGTHS, puts.CORREL_IDS)
    REMOVAL_WORDS = (gets.REMOVALS, gets.GET_SYNCPOINTS, gets.TRUNCATIONS)
    SHARE = 2
