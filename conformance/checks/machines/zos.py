"""The machine about the differences of z/OS."""

from __future__ import annotations

from typing import ClassVar

from conformance.checks.machines.acts.grouping import Grouping
from conformance.checks.machines.acts.leaving import Leaving
from conformance.checks.machines.acts.timing import Timing
from conformance.checks.machines.acts.waiting import Waiting
from conformance.checks.machines.acts.working import Working
from conformance.checks.machines.vocabulary import gets, puts, queues


class ZOs(Grouping, Timing, Waiting, Working, Leaving):
    """Queues of every index type, the syncpoint default, signals, skipped backouts, scans for expired messages."""

    QUEUES: ClassVar = {"Q": (queues.INDEXES,), "F": (queues.FIFO, queues.INDEXES)}
    QMGR = (queues.EXPIRY_INTERVALS,)
    GET_SYNCPOINTS = (*gets.WORKING_GETS, *gets.GET_SYNCPOINTS[:1] * 2)
    PUT_WORDS = (
        puts.PUT_SYNCPOINTS,
        puts.PRIORITIES,
        puts.MOSTLY_EXPIRING,
        puts.CORREL_IDS,
        puts.OWN_IDS,
    )
    REMOVAL_WORDS = (gets.REMOVALS, gets.WORKING_GETS, gets.TRUNCATIONS, gets.MATCHES)
    SWARM = True
    SHARE = 2
