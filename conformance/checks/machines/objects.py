"""The machine about every kind of object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import hypothesis.strategies as st

from conformance.checks.machines.acts.browsing import Browsing
from conformance.checks.machines.acts.inhibiting import Inhibiting
from conformance.checks.machines.acts.inquiring import Inquiring
from conformance.checks.machines.acts.leaving import Leaving
from conformance.checks.machines.acts.naming import Naming
from conformance.checks.machines.acts.putting import Putting
from conformance.checks.machines.acts.working import Working
from conformance.checks.machines.vocabulary import puts, queues
from conformance.sessions.session import Setup


class Objects(Naming, Inhibiting, Browsing, Inquiring, Working, Leaving, Putting):
    """Every kind of object that the target claims, with queues that trigger and messages that ask for reports."""

    QUEUES: ClassVar = {"Q": (queues.TRIGGERS, queues.DEPTHS), "F": (queues.FIFO, queues.DEPTHS)}
    OBJECTS: ClassVar = queues.OBJECTS
    HANDLES_MOST = 7
    MESSAGES_MOST = 10
    PUT_WORDS = (puts.PUT_SYNCPOINTS, puts.PRIORITIES, puts.PERSISTENCES, puts.REPORTS)
    CAREFUL = True

    def setup(self, data: st.DataObject) -> Setup:
        """Return the queue manager of a session, with every object that the target claims."""
        plain = self.with_objects(super().setup(data))
        dead = {"DeadLetterQName": "DEAD"} if "dead-letter" in self.features else {}
        return Setup(plain.queues, {**plain.qmgr, **dead})

    def put1_queues(self) -> Sequence[str]:
        """Return the names to which MQPUT1 puts: without model queues, which the protocol excludes."""
        models = {name for name, each in self.session.state.definitions.items() if each.type == "model"}
        return [name for name in self.names_of_objects() if name not in models]
