"""Asynchronous puts: their client continues without a reply, and later asks for their outcome by MQSTAT.

JMS clients put this way in transacted sessions, by MQPUT1. They need the message's identifier at once, so they reserve
some in advance, and give each message the next one.
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
"""The number of identifiers that a client reserves at once: those that differ only in the last byte."""

_ASYNC_ERROR: Final = 0


@dataclass(slots=True)
class PutStatus:
    """The outcomes of asynchronous puts since the client's last request."""

    succeeded: int = 0
    """The number of puts that ended with MQCC_OK."""
    warned: int = 0
    """The number of puts that ended with MQCC_WARNING."""
    failed: int = 0
    """The number of puts that ended with MQCC_FAILED."""
    first: Answer | None = None
    """The first put that did not end with MQCC_OK."""
    queue: str = ""
    """The queue of that put. Empty if there is none."""
    doomed: bool = False
    """Whether the unit of work cannot be committed, because a persistent message that belongs to it was not put."""

    def note(self, answer: Answer, queue: str, *, dooms: bool) -> None:
        """Count a put to a queue. With `dooms`, its failure dooms the unit of work."""
        self.succeeded += answer.comp_code == MQCC.OK
        self.warned += answer.comp_code == MQCC.WARNING
        self.failed += answer.comp_code == MQCC.FAILED
        if answer.comp_code != MQCC.OK and self.first is None:
            self.first, self.queue = answer, queue
        self.doomed = self.doomed or (dooms and answer.comp_code == MQCC.FAILED)

    def after_report(self) -> PutStatus:
        """Return the state after a report to the client: whether its unit of work is doomed."""
        return PutStatus(doomed=self.doomed)

    def report(self, sts: bytes, manager: str) -> bytes:
        """Return an MQSTS with the outcomes. `manager` is the queue manager's name."""
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
    """Check the subject of an MQSTAT.

    Raises NotModelledError for all but asynchronous puts.
    """
    if kind != _ASYNC_ERROR:
        raise NotModelledError(f"MQSTAT of type {kind}, which is about reconnection")


def reserve(manager: RunningQueueManager) -> bytes:
    """Return the first of a block of reserved identifiers, which no message has or will have."""
    reserved: list[int] = []

    def take(state: State) -> None:
        reserved.append(-(-state.next_number // RESERVED) * RESERVED)
        state.next_number = reserved[0] + RESERVED

    manager.change(take)
    return identifier(manager.name, manager.state.profile.platform, reserved[0])
