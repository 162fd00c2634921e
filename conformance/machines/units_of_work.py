"""The machine about units of work over several connections."""

from __future__ import annotations

from typing import ClassVar

from conformance.machines.acts.browsing import Browsing
from conformance.machines.acts.grouping import Grouping
from conformance.machines.acts.inquiring import Inquiring
from conformance.machines.acts.leaving import Leaving
from conformance.machines.acts.working import Working
from conformance.machines.vocabulary import gets, puts, queues


class UnitsOfWork(Grouping, Browsing, Inquiring, Working, Leaving):
    """Puts and gets of several applications, mostly in units of work, some of which end by disconnecting or dying."""

    CONNECTIONS = ("A", "A", "B", "B", "C")
    QUEUES: ClassVar = {"Q": (queues.GROUP_INDEX,), "F": (queues.FIFO, queues.GROUP_INDEX)}
    PUT_WORDS = (puts.WORKING_PUTS, puts.PRIORITIES, puts.PERSISTENCES)
    REMOVAL_WORDS = (gets.REMOVALS, gets.WORKING_GETS, gets.TRUNCATIONS)
    GET_SYNCPOINTS = gets.WORKING_GETS
    SHARE = 2
