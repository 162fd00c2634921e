"""The machine about units of work over several connections."""

from __future__ import annotations

from typing import ClassVar

from conformance.checks.machines.acts.browsing import Browsing
from conformance.checks.machines.acts.grouping import Grouping
from conformance.checks.machines.acts.inquiring import Inquiring
from conformance.checks.machines.acts.leaving import Leaving
from conformance.checks.machines.acts.working import Working
from conformance.checks.machines.vocabulary import gets, puts, queues


class UnitsOfWork(Grouping, Browsing, Inquiring, Working, Leaving):
    """Puts and gets of several applications, mostly in units of work; some end by disconnecting or dying."""

    CONNECTIONS = ("A", "A", "B", "B", "C")
    QUEUES: ClassVar = {"Q": (queues.INDEX_OR_NONE,), "F": (queues.FIFO, queues.INDEX_OR_NONE)}
    PUT_WORDS = (puts.WORKING_PUTS, puts.PRIORITIES, puts.PERSISTENCES)
    REMOVAL_WORDS = (gets.REMOVALS, gets.WORKING_GETS, gets.TRUNCATIONS)
    GET_SYNCPOINTS = gets.WORKING_GETS
    SHARE = 2
