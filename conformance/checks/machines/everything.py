"""The machine with everything on."""

from __future__ import annotations

from typing import ClassVar

from conformance.checks.machines.acts.administering import Administering
from conformance.checks.machines.acts.grouping import Grouping
from conformance.checks.machines.acts.inhibiting import Inhibiting
from conformance.checks.machines.acts.inquiring import Inquiring
from conformance.checks.machines.acts.leaving import Leaving
from conformance.checks.machines.acts.marking import Marking
from conformance.checks.machines.acts.timing import Timing
from conformance.checks.machines.acts.waiting import Waiting
from conformance.checks.machines.acts.working import Working
from conformance.checks.machines.vocabulary import gets, puts, queues


class Everything(Grouping, Marking, Waiting, Timing, Inhibiting, Inquiring, Administering, Working, Leaving):
    """All acts with all words. Each session uses some of them, chosen at random, so that rare ones meet."""

    QUEUES: ClassVar = {
        "Q": (queues.SEQUENCES, queues.DEFAULTS, queues.ROOMY, queues.GROUP_INDEX),
        "F": (queues.FIFO, queues.GROUP_INDEX),
    }
    QMGR = (queues.MARK_INTERVALS, queues.EXPIRY_INTERVALS, queues.UNCOMMITTED_LIMITS)
    OPENINGS = (*queues.OPENINGS, *queues.CO_OP_OPENINGS)
    PUT_WORDS = (*puts.MESSAGE_WORDS, puts.OWN_IDS, puts.REPORTS, puts.TEXTS, puts.HEADERS, gets.QUIESCINGS)
    REMOVAL_WORDS = (*gets.REMOVAL_WORDS, gets.WHOLES, gets.CONVERSIONS, gets.PROPERTIES, gets.QUIESCINGS)
    GET_SYNCPOINTS = gets.WORKING_GETS
    MESSAGES_MOST = 10
    SHARE = 3
    SWARM = True
    CAREFUL = True
