"""The machine about limits and inhibits."""

from __future__ import annotations

from typing import ClassVar

from conformance.checks.machines.acts.administering import Administering
from conformance.checks.machines.acts.browsing import Browsing
from conformance.checks.machines.acts.inhibiting import Inhibiting
from conformance.checks.machines.acts.inquiring import Inquiring
from conformance.checks.machines.acts.leaving import Leaving
from conformance.checks.machines.acts.working import Working
from conformance.checks.machines.vocabulary import gets, puts, queues


class Limits(Inhibiting, Administering, Browsing, Inquiring, Working, Leaving):
    """Full queues, messages that are too long, too many uncommitted messages, exclusive queues, quiescing."""

    QUEUES: ClassVar = {
        "Q": (queues.DEPTHS, queues.MESSAGE_LIMITS, queues.SHAREABILITIES),
        "F": (queues.FIFO, queues.DEFAULTS, queues.DEPTHS),
    }
    QMGR = (queues.UNCOMMITTED_LIMITS, queues.MANAGER_LIMITS, queues.PRIORITY_LIMITS)
    OPENINGS = (*queues.OPENINGS, *queues.EXCLUSIVE_OPENINGS)
    PUT_WORDS = (
        puts.WORKING_PUTS,
        puts.PRIORITIES,
        puts.PERSISTENCES,
        puts.LIMITED_LENGTHS,
        gets.QUIESCINGS,
    )
    REMOVAL_WORDS = (gets.REMOVALS, gets.GET_SYNCPOINTS, gets.TRUNCATIONS, gets.QUIESCINGS)
