"""The answer to the question who holds what: what connections have and use at a time, as plain data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from spark_checks.questions.put_twice import Twice


@dataclass(frozen=True)
class Unit:
    """The effect of an open unit of work on a queue. Times are microseconds since 1970-01-01 UTC."""

    qmgr: str
    """The queue manager."""
    conn: str
    """The connection that has the unit of work."""
    queue: str | None
    """The queue. None if it was not captured."""
    since_us: int
    """The time at which its first put or get on the queue began."""
    last_us: int
    """The time at which its last put or get on the queue ended."""
    puts: int
    """The number of messages that it has put to the queue."""
    gets: int
    """The number of messages that it has got from the queue."""
    empty_gets: int
    """The number of gets of other connections on the queue that found nothing since it began."""

    @property
    def used_us(self) -> int:
        """The time at which it last used the queue."""
        return self.last_us


@dataclass(frozen=True)
class Lock:
    """A message that a handle has locked. Times are microseconds since 1970-01-01 UTC."""

    qmgr: str
    """The queue manager."""
    conn: str
    """The connection that has the handle."""
    queue: str | None
    """The queue. None if it was not captured."""
    hobj: int | None
    """The number of the handle. None if it was not captured."""
    msg_id: str | None
    """The MsgId of the message. None if it was not captured."""
    since_us: int
    """The time since which it may have been locked."""
    seen_until_us: int | None
    """The time until which the log surely shows it locked. None if it does not show that."""

    @property
    def used_us(self) -> int:
        """The time at which its handle locked it."""
        return self.since_us


@dataclass(frozen=True)
class Exclusive:
    """A handle that keeps others from opening a queue for input."""

    qmgr: str
    """The queue manager."""
    conn: str
    """The connection that has the handle."""
    queue: str | None
    """The queue. None if it was not captured."""
    hobj: int | None
    """The number of the handle. None if it was not captured."""
    since_us: int
    """The time at which its MQOPEN began, in microseconds since 1970-01-01 UTC."""
    refused: int
    """The number of other MQOPENs that have ended with MQRC_OBJECT_IN_USE since."""


@dataclass(frozen=True)
class Wait:
    """A get that was waiting at the given time."""

    qmgr: str
    """The queue manager."""
    conn: str
    """The connection that made it."""
    seq: int
    """Its number in the order of the connection's calls."""
    queue: str | None
    """The queue. None if it was not captured."""
    since_us: int
    """The time at which it began, in microseconds since 1970-01-01 UTC."""
    wait_ms: int | None
    """Its WaitInterval in milliseconds, -1 for unlimited. None if it was not captured."""


@dataclass(frozen=True)
class Use:
    """The use that a connection made of a queue. Times are microseconds since 1970-01-01 UTC."""

    qmgr: str
    """The queue manager."""
    queue: str | None
    """The queue. None if it was not captured."""
    conn: str
    """The connection."""
    puts: int
    """The number of messages that it put."""
    gets: int
    """The number of messages that it got."""
    backed_out: int | None
    """The number of messages got that came back to the queue by a backout. None if they were not counted."""
    browses: int
    """The number of messages that it browsed."""
    empty: int
    """The number of its gets that found nothing."""
    first_us: int
    """The time at which its first put or get began."""
    last_us: int
    """The time at which its last put or get ended."""


@dataclass(frozen=True)
class Owners:
    """The owners at a time."""

    at_us: int
    """The time, in microseconds since 1970-01-01 UTC."""
    units: tuple[Unit, ...]
    """The open units of work, by queue."""
    locks: tuple[Lock, ...]
    """The locked messages."""
    exclusives: tuple[Exclusive, ...]
    """The handles that keep others from opening a queue for input."""
    waits: tuple[Wait, ...]
    """The gets that were waiting. At the end of the log there are none, because they are not in the log."""
    uses: tuple[Use, ...]
    """The use that each connection had made of each queue by then."""
    twice: tuple[Twice, ...]
    """The payloads that were put twice by then."""
    hints: tuple[str, ...]
    """What the log lacks, and how to capture it: sentences."""


def document_of(found: Owners) -> dict[str, Any]:
    """Return the owners as plain data for JSON."""
    wanted = {"qmgr", "conn", "seq", "call", "queue", "msg_id", "reason", "start_us", "source", "line"}
    return {
        "at_us": found.at_us,
        "units_of_work": [asdict(each) for each in found.units],
        "locks": [asdict(each) for each in found.locks],
        "exclusive_handles": [asdict(each) for each in found.exclusives],
        "waits": [asdict(each) for each in found.waits],
        "uses": [asdict(each) for each in found.uses],
        "put_twice": [
            {
                "queue": each.queue,
                "digest": each.digest,
                "first": each.first.model_dump(include=wanted),
                "second": each.second.model_dump(include=wanted),
                "broken": None if each.broken is None else each.broken.model_dump(include=wanted),
            }
            for each in found.twice
        ],
        "hints": list(found.hints),
    }
