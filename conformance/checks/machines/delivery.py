"""The machine about the order of delivery, with matching."""

from __future__ import annotations

from typing import ClassVar

from conformance.checks.machines.acts.getting import Getting
from conformance.checks.machines.acts.inquiring import Inquiring
from conformance.checks.machines.acts.leaving import Leaving
from conformance.checks.machines.acts.putting import Putting
from conformance.checks.machines.acts.working import Working
from conformance.checks.machines.vocabulary import gets, puts, queues


class Delivery(Putting, Getting, Inquiring, Working, Leaving):
    """Messages of several priorities, identifiers and lengths, with text and properties, got in any way."""

    QUEUES: ClassVar = {"Q": (queues.DEFAULTS, queues.PROPERTY_CONTROLS), "F": (queues.FIFO, queues.DEFAULTS)}
    QMGR = (queues.PRIORITY_LIMITS,)
    PUT_WORDS = (
        puts.PUT_SYNCPOINTS,
        puts.PRIORITIES,
        puts.PERSISTENCES,
        puts.LENGTHS,
        puts.CORREL_IDS,
        puts.OWN_IDS,
        puts.TEXTS,
        puts.HEADERS,
    )
    REMOVAL_WORDS = (gets.GET_SYNCPOINTS, gets.TRUNCATIONS, gets.MATCHES, gets.CONVERSIONS, gets.PROPERTIES)
    CAREFUL = True
