"""The facts by which the calls on a queue are judged when they are replayed."""

from __future__ import annotations

from dataclasses import dataclass

from oracle.histories.event_log import Event, LogHeader
from oracle.mqi.constants import MQPMO
from oracle.mqi.definitions import QueueDefinition
from spark_checks.preparation.absence import OWN_CONTEXT
from spark_checks.times import PUT_TIME_US


@dataclass(frozen=True)
class Circumstances:
    """The facts by which a queue's calls are judged."""

    header: LogHeader
    """The log's header."""
    definition: QueueDefinition
    """The queue's definition."""
    reports_possible: bool
    """Whether an application of the queue manager asked for reports.

    They may have come to this queue, and the log has no record of that.
    """
    asynchronous: bool = False
    """Whether DEFPRESP of the queue is ASYNC."""
    aliases: tuple[QueueDefinition, ...] = ()
    """The aliases of the queue whose definitions the log has."""


def awaited(put: Event, circumstances: Circumstances) -> bool:
    """Return whether a put ended when its outcome was known, as `outcome_awaited` of preparation.absence does."""
    options, header = put.options or 0, circumstances.header
    if options & MQPMO.SYNC_RESPONSE or _stamped(put, 2 * header.clock_us):
        return True
    if options & MQPMO.ASYNC_RESPONSE:
        return False
    if put.call == "MQPUT1":
        asked = options & (MQPMO.SYNCPOINT | MQPMO.NO_SYNCPOINT)
        return not options & MQPMO.SYNCPOINT if asked else header.known_platform != "zos"
    return not circumstances.asynchronous


def _stamped(put: Event, margin: int) -> bool:
    """Return whether the queue manager gave the put the time at which it was made."""
    if put.put_us is None or (put.options or 0) & OWN_CONTEXT:
        return False
    return put.start_us - PUT_TIME_US - margin <= put.put_us <= put.end_us + margin
