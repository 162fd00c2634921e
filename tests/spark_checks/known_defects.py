"""Defects of IBM MQ that IBM has published (APARs), each as the log of a few calls with the finding that it must have.

The calls are invented: they show what the report describes. `docs/known-defects.md` is generated from them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from oracle.mqi.constants import MQGMO, MQOO, MQPMO, MQRC
from oracle.mqi.profile import PlatformName
from tests.spark_checks.histories import QUEUE, SYNC, History

FIRST, NEXT = int(MQGMO.BROWSE_FIRST), int(MQGMO.BROWSE_NEXT)
WAIT = int(MQGMO.WAIT | MQGMO.NO_SYNCPOINT)
UNMARKED = FIRST | int(MQGMO.UNMARKED_BROWSE_MSG | MQGMO.MARK_BROWSE_CO_OP)


@dataclass(frozen=True)
class Defect:
    """A defect: its APAR, what it is, the rules by which it is found (`RULE verdict`), and a log that shows it.

    `why_not` has the reason why no log of calls shows a defect that is not found.
    """

    apar: str
    title: str
    expected: tuple[str, ...]
    write: Callable[[History], None]
    platform: PlatformName = "distributed"
    why_not: str = ""


DEFECTS: list[Defect] = []


def defect(
    apar: str, title: str, *expected: str, platform: PlatformName = "distributed", why_not: str = ""
) -> Callable[[Callable[[History], None]], Callable[[History], None]]:
    """Register the log of a defect."""

    def register(write: Callable[[History], None]) -> Callable[[History], None]:
        DEFECTS.append(Defect(apar, title, expected, write, platform, why_not))
        return write

    return register


@defect(
    "IV28699",
    "A browse and a get wait on one queue; the get is not woken, and returns a later message first",
    "PRI-03 violation",
)
def a_later_message_first(h: History) -> None:
    h.starts_empty()
    h.header("queue", MsgDeliverySequence="PRIORITY", CAPEXPRY=0)
    h.browse("browser", "first", 10, 25, options=FIRST | int(MQGMO.WAIT), wait_ms=60_000)
    h.put("P", "first", 20, 22)
    h.put("P", "second", 30, 32)
    h.get("getter", "second", 12, 34, options=WAIT, wait_ms=60_000)
    h.get("getter", "first", 40, 45)


@defect("IT23992", "The queue manager generates one MsgId for two messages", "IDS-03 violation")
def an_identifier_twice(h: History) -> None:
    h.starts_empty()
    generated = int(MQPMO.NO_SYNCPOINT | MQPMO.NEW_MSG_ID)
    h.put("P", "same", 10, 12, options=generated)
    h.put("P", "same", 20, 22, options=generated)


@defect("IT37819", "After a unit of work was backed out its message is delivered twice", "SYN-08 violation")
def twice_after_a_backout(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, options=SYNC)
    h.backout("C", 30, 32)
    h.get("C", "m1", 40, 42, backout_count=1)
    h.get("D", "m1", 50, 52, backout_count=1)


@defect("IC61336", "MQGMO_BROWSE_FIRST passes over a message of higher priority", "BRW-03 violation")
def a_browse_passes_over_the_first(h: History) -> None:
    h.starts_empty()
    h.header("queue", MsgDeliverySequence="PRIORITY", CAPEXPRY=0)
    h.put("P", "low", 10, 12, priority=1)
    h.put("P", "high", 20, 22, priority=7)
    h.open("B", 25, 26, MQOO.BROWSE)
    h.browse("B", "low", 30, 32, hobj=1, priority=1)
    h.get("C", "high", 40, 42, priority=7)


@defect("PH40768", "MQGMO_BROWSE_NEXT returns the same message again", "BRW-05 violation", platform="zos")
def the_same_message_again(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.put("P", "m2", 14, 16)
    h.open("B", 20, 21, MQOO.BROWSE)
    h.browse("B", "m1", 30, 32, hobj=1)
    h.browse("B", "m1", 40, 42, options=NEXT, hobj=1)


@defect(
    "PM92995",
    "MQGET ends with MQRC_UNEXPECTED_ERROR, and the message is gone",
    "DLV-03 suspicion",
    platform="zos",
)
def gone_with_an_unexpected_error(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.call(
        "C",
        "MQGET",
        20,
        22,
        queue=QUEUE,
        hobj=1,
        options=int(MQGMO.NO_SYNCPOINT),
        match_options=0,
        comp_code=2,
        reason=int(MQRC.UNEXPECTED_ERROR),
    )
    h.nothing("C", 30, 32, hobj=1)
    h.nothing("D", 40, 42)


@defect("PM74825", "A mark of the cooperating set is lost within milliseconds", "MRK-15 violation", platform="zos")
def a_mark_is_lost(h: History) -> None:
    h.starts_empty()
    h.header("queue", queue="", MarkBrowseInterval=5000)
    h.put("P", "m1", 10, 12)
    for number, conn in enumerate(("A", "B")):
        h.open(conn, 20 + number, 21 + number, MQOO.BROWSE | MQOO.CO_OP)
    h.browse("A", "m1", 30, 32, options=UNMARKED, hobj=1)
    h.browse("B", "m1", 5_000, 5_010, options=UNMARKED, hobj=1)


@defect(
    "PI79932",
    "A trigger message is not generated while triggering is switched on",
    "TRI-04 suspicion",
    platform="zos",
)
def no_trigger_message(h: History) -> None:
    h.starts_empty()
    h.header(
        "queue",
        TriggerControl=1,
        TriggerType=3,
        TriggerDepth=2,
        TriggerMsgPriority=0,
        InitiationQName="INIT",
        ProcessName="PROC",
        InhibitGet=0,
    )
    h.put("P", "m1", 10, 12)
    h.put("P", "m2", 20, 22)
    h.open("MONITOR", 5, 6, MQOO.INPUT_SHARED, queue="INIT", object_name="INIT", hobj=2)
    h.nothing("MONITOR", 40, 42, queue="INIT", hobj=2)


@defect("PI60773", "A message whose get was committed is on the queue again", "SYN-02 violation", platform="zos")
def a_committed_get_comes_back(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, options=SYNC)
    h.commit("C", 30, 32)
    h.get("D", "m1", 40, 42, options=SYNC, backout_count=1)
    h.commit("D", 50, 52)
