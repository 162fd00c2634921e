"""The machine about the differences of z/OS."""

from __future__ import annotations

from random import Random
from typing import ClassVar

from conformance.checks.machines.acts.administering import Administering
from conformance.checks.machines.acts.grouping import Grouping
from conformance.checks.machines.acts.inquiring import Inquiring
from conformance.checks.machines.acts.leaving import Leaving
from conformance.checks.machines.acts.naming import Naming
from conformance.checks.machines.acts.timing import Timing
from conformance.checks.machines.acts.waiting import Waiting
from conformance.checks.machines.acts.working import Working
from conformance.checks.machines.vocabulary import gets, puts, queues
from conformance.sessions.session import Setup


class ZOs(Naming, Grouping, Timing, Waiting, Administering, Inquiring, Working, Leaving):
    """Queues of every index type, the syncpoint default, signals, skipped backouts, scans for expired messages."""

    QUEUES: ClassVar = {"Q": (queues.INDEXES,), "F": (queues.FIFO, queues.INDEXES)}
    OBJECTS: ClassVar = tuple(each for each in queues.OBJECTS if each[0]["name"] in ("L", "M"))
    QMGR = (queues.EXPIRY_INTERVALS, queues.UNCOMMITTED_LIMITS)
    GET_SYNCPOINTS = (*gets.WORKING_GETS, *gets.GET_SYNCPOINTS[:1] * 2)
    PUT_WORDS = (
        puts.PUT_SYNCPOINTS,
        puts.PRIORITIES,
        puts.MOSTLY_EXPIRING,
        puts.CORREL_IDS,
        puts.OWN_IDS,
        puts.EXPIRATION_REPORTS,
    )
    REMOVAL_WORDS = (gets.REMOVALS, gets.WORKING_GETS, gets.TRUNCATIONS, gets.MATCHES, gets.VERSIONS)
    WAIT_WORDS = (gets.WAITS, gets.GET_SYNCPOINTS, gets.WAITED_FOR, gets.QUIESCINGS, gets.VERSIONS)
    SWARM = True
    SHARE = 4

    def setup(self, draws: Random) -> Setup:
        """Return the queue manager of a session, with an alias and a model queue."""
        return self.with_objects(super().setup(draws))
