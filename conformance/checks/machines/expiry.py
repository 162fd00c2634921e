"""The machine about expiry, with the clock."""

from __future__ import annotations

from typing import ClassVar

from conformance.checks.machines.acts.grouping import Grouping
from conformance.checks.machines.acts.inquiring import Inquiring
from conformance.checks.machines.acts.leaving import Leaving
from conformance.checks.machines.acts.timing import Timing
from conformance.checks.machines.acts.waiting import Waiting
from conformance.checks.machines.acts.working import Working
from conformance.checks.machines.vocabulary import puts, queues


class Expiry(Timing, Grouping, Waiting, Inquiring, Working, Leaving):
    """Messages that expire while they are browsed, locked, waited for, got and backed out, and reports of it."""

    QUEUES: ClassVar = {"Q": (queues.CAPS, queues.GROUP_INDEX), "F": (queues.FIFO, queues.GROUP_INDEX)}
    QMGR = (queues.EXPIRY_INTERVALS,)
    OPENED = ("Q", "Q", "Q", "F")
    PUT_WORDS = (puts.PUT_SYNCPOINTS, puts.MOSTLY_EXPIRING, puts.PRIORITIES, puts.EXPIRATION_REPORTS)
    MESSAGES_MOST = 6
    CAREFUL = True
