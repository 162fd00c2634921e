"""The machine about every kind of object."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import ClassVar

from conformance.checks.machines.acts.administering import Administering
from conformance.checks.machines.acts.browsing import Browsing
from conformance.checks.machines.acts.inhibiting import Inhibiting
from conformance.checks.machines.acts.inquiring import Inquiring
from conformance.checks.machines.acts.leaving import Leaving
from conformance.checks.machines.acts.timing import Timing
from conformance.checks.machines.acts.triggering import Triggering
from conformance.checks.machines.acts.working import Working
from conformance.checks.machines.vocabulary import gets, puts, queues
from conformance.sessions.session import Setup


class Objects(Triggering, Inhibiting, Browsing, Inquiring, Administering, Timing, Working, Leaving):
    """Every kind of object that the target claims, with queues that trigger and messages that ask for reports."""

    QUEUES: ClassVar = {
        "Q": (queues.TRIGGERS, queues.DEPTHS, queues.DEFAULTS),
        "F": (queues.FIFO, queues.DEPTHS, queues.DEFAULTS),
    }
    OBJECTS: ClassVar = queues.OBJECTS
    OPENINGS = (*queues.OPENINGS, *queues.CONTEXT_OPENINGS, *queues.WRITING_OPENINGS)
    HANDLES_MOST = 8
    MESSAGES_MOST = 10
    PUT_WORDS = (
        puts.PUT_SYNCPOINTS,
        puts.PRIORITIES,
        puts.PERSISTENCES,
        puts.EXPIRIES,
        puts.CORREL_IDS,
        puts.REPORTS,
        puts.NEW_IDS,
    )
    REMOVAL_WORDS = (gets.REMOVALS, gets.GET_SYNCPOINTS, gets.TRUNCATIONS)
    SHARE = 3
    SWARM = True
    CAREFUL = True

    def setup(self, draws: Random) -> Setup:
        """Return the queue manager of a session, with every object that the target claims."""
        plain = self.with_objects(super().setup(draws))
        dead = {"DeadLetterQName": "DEAD"} if "dead-letter" in self.features else {}
        return Setup(plain.queues, {**plain.qmgr, **dead})

    def put1_queues(self) -> Sequence[str]:
        """Return the names to which MQPUT1 puts: without model queues, which the protocol excludes."""
        models = {name for name, each in self.session.state.definitions.items() if each.type == "model"}
        return [name for name in self.names_of_objects() if name not in models]
