"""Asynchronous puts: their client goes on without a reply, and asks later by MQSTAT what has become of them.

JMS clients put so in transacted sessions, by MQPUT1. They need the message's identifier at once, and so have some
reserved for them, from which they give each message the next one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from oracle.errors import NotModelledError
from oracle.model.state import State
from oracle.model.units.arrival import identifier
from oracle.mqi.connection_layouts import MQSTS
from oracle.mqi.constants import MQCC
from oracle.standin.answers import Answer
from oracle.standin.manager import RunningQueueManager
from oracle.standin.memory import written

RESERVED: Final = 256
"""How many identifiers a client has reserved at once: those that differ in the last byte only."""

_ASYNC_ERROR: Final = 0


@dataclass(slots=True)
class PutStatus:
    """What has become of asynchronous puts since the client has asked last."""

    succeeded: int = 0
    """How many have ended with MQCC_OK."""
    warned: int = 0
    """How many have ended with MQCC_WARNING."""
    failed: int = 0
    """How many have ended with MQCC_FAILED."""
    first: Answer | None = None
    """What went wrong first."""
    queue: str = ""
    """The queue of that put. Empty as long as nothing went wrong."""
    doomed: bool = False
    """Whether the unit of work cannot be committed, because a persistent message that belongs to it was not put."""

    def note(self, answer: Answer, queue: str, *, dooms: bool) -> None:
        """Count a put to a queue; `dooms`: if it has failed, its unit of work does."""
        self.succeeded += answer.comp_code == MQCC.OK
        self.warned += answer.comp_code == MQCC.WARNING
        self.failed += answer.comp_code == MQCC.FAILED
        if answer.comp_code != MQCC.OK and self.first is None:
            self.first, self.queue = answer, queue
        self.doomed = self.doomed or (dooms and answer.comp_code == MQCC.FAILED)

    def told_all(self) -> PutStatus:
        """Return what is left when the client has been told: whether its unit of work is doomed."""
        return PutStatus(doomed=self.doomed)

    def told(self, sts: bytes, manager: str) -> bytes:
        """Return an MQSTS that says it; `manager` is the queue manager's name."""
        first = self.first or Answer()
        there = {"ResolvedObjectName": self.queue, "ResolvedQMgrName": manager} if self.queue else {}
        return written(
            MQSTS,
            sts,
            {
                "CompCode": int(first.comp_code),
                "Reason": int(first.reason),
                "PutSuccessCount": self.succeeded,
                "PutWarningCount": self.warned,
                "PutFailureCount": self.failed,
                "ObjectType": 1,
                "ObjectName": self.queue,
                "ObjectQMgrName": manager if self.queue else "",
                **there,
            },
        )


def check_kind(kind: int) -> None:
    """Look at what MQSTAT is asked for.

    Raises NotModelledError for all but asynchronous puts.
    """
    if kind != _ASYNC_ERROR:
        raise NotModelledError(f"MQSTAT of type {kind}, which is about reconnection")


def reserve(manager: RunningQueueManager) -> bytes:
    """Return the first of as many new identifiers as are reserved at once, which no message has or will have."""
    reserved: list[int] = []

    def take(state: State) -> None:
        reserved.append(-(-state.next_number // RESERVED) * RESERVED)
        state.next_number = reserved[0] + RESERVED

    manager.change(take)
    return identifier(manager.name, manager.state.profile.platform, reserved[0])
