"""The machine with everything on."""

from __future__ import annotations

from random import Random
from typing import ClassVar

from conformance.checks.machines.acts.administering import Administering
from conformance.checks.machines.acts.grouping import Grouping
from conformance.checks.machines.acts.inhibiting import Inhibiting
from conformance.checks.machines.acts.inquiring import Inquiring
from conformance.checks.machines.acts.leaving import Leaving
from conformance.checks.machines.acts.marking import Marking
from conformance.checks.machines.acts.naming import Naming
from conformance.checks.machines.acts.timing import Timing
from conformance.checks.machines.acts.waiting import Waiting
from conformance.checks.machines.acts.working import Working
from conformance.checks.machines.vocabulary import gets, puts, queues
from conformance.sessions.session import Setup


class Everything(Naming, Grouping, Marking, Waiting, Timing, Inhibiting, Inquiring, Administering, Working, Leaving):
    """All acts with all words. Each session uses some of them, chosen at random, so that rare ones meet."""

    QUEUES: ClassVar = {
        "Q": (queues.SEQUENCES, queues.DEFAULTS, queues.ROOMY, queues.INDEX_OR_NONE),
        "F": (queues.FIFO, queues.INDEXES),
    }
    OBJECTS: ClassVar = tuple(each for each in queues.OBJECTS if each[0]["name"] in ("L", "M"))
    QMGR = (queues.MARK_INTERVALS, queues.EXPIRY_INTERVALS, queues.UNCOMMITTED_LIMITS)
    OPENINGS = (*queues.OPENINGS, *queues.CO_OP_OPENINGS, *queues.CONTEXT_OPENINGS)
    PUT_WORDS = (
        *puts.MESSAGE_WORDS,
        puts.OWN_IDS,
        puts.REPORTS,
        puts.NEW_IDS,
        puts.TEXTS,
        puts.HEADERS,
        gets.QUIESCINGS,
    )
    REMOVAL_WORDS = (
        *gets.REMOVAL_WORDS,
        gets.WHOLES,
        gets.CONVERSIONS,
        gets.PROPERTIES,
        gets.QUIESCINGS,
        gets.VERSIONS,
        gets.DESCRIPTORS,
    )
    GET_SYNCPOINTS = gets.WORKING_GETS
    MESSAGES_MOST = 10
    SHARE = 3
    SWARM = True
    CAREFUL = True

    def setup(self, draws: Random) -> Setup:
        """Return the queue manager of a session, with an alias and a model queue."""
        return self.with_objects(super().setup(draws))
