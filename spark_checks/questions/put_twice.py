"""Payloads that an application put twice, the second time after its connection may have broken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from oracle.histories.event_log import Event
from oracle.mqi.constants import MQCC
from spark_checks.frames import Frame
from spark_checks.frames import functions as fn
from spark_checks.preparation.capture import PUTS
from spark_checks.preparation.connections import has_unknown_effect
from spark_checks.questions.evidence import Evidence, event_of

_FEW: Final = 1000
"""The number of payloads put several times that are looked at."""


@dataclass(frozen=True)
class Twice:
    """A payload that was put twice around a reconnection."""

    queue: str | None
    """The queue. None if it was not captured."""
    digest: str
    """The SHA-256 of the payload, in hexadecimal."""
    first: Event
    """The first put."""
    second: Event
    """The second put."""
    broken: Event | None
    """The call by which the connection broke in between."""


def put_twice(evidence: Evidence, moves: Frame) -> Iterator[Twice]:
    """Yield payloads that an application put twice, the second time after its connection may have broken."""
    puts = moves.where(fn.col("call").is_in(*PUTS) & fn.col("digest").is_not_null())
    groups = puts.group_by("qmgr", "queue", "digest").agg(fn.count("*").alias("puts"))
    several = groups.where(fn.col("puts").between(2, 10)).order_by("qmgr", "queue", "digest").limit(_FEW).collect()
    if not several:
        return
    digests = sorted({row["digest"] for row in several})
    found: dict[tuple[str, str | None, str], list[Event]] = {}
    for event in evidence.showing({"digest": digests}):
        if event.call in PUTS and event.digest is not None:
            found.setdefault((event.qmgr, event.queue, event.digest), []).append(event)
    broken = [event_of(row) for row in evidence.calls.where(has_unknown_effect()).limit(100 * _FEW).collect()]
    for (_, queue, digest), events in sorted(found.items(), key=str):
        for first, second in pairwise(events):
            cause = _between(first, second, broken)
            if cause is not None or (first.comp_code == MQCC.FAILED and first in broken):
                yield Twice(queue, digest, first, second, cause or first)


def _between(first: Event, second: Event, broken: Sequence[Event]) -> Event | None:
    """Return the call by which the connection of a put may have broken before the other put."""
    own = (event for event in broken if (event.qmgr, event.conn) == (first.qmgr, first.conn) and event.seq >= first.seq)
    return next((event for event in own if event.start_us <= second.start_us and event != second), None)
