"""Connections of applications: what each has open in a unit of work, and what it waits for."""

from __future__ import annotations

from dataclasses import dataclass, field

from oracle.model.handles import GroupInformation
from oracle.model.messages.messages import Position
from oracle.mqi.calls import Get
from oracle.mqi.definitions import QueueDefinition
from oracle.values import copier

Place = tuple[str, Position]
"""Where a message stands: its queue, and its position there."""


@dataclass(frozen=True, slots=True)
class SavedInformation:
    """A handle's group information from before its first use in a unit of work (UOW-05, PTB-24)."""

    removing: GroupInformation
    putting: GroupInformation


@dataclass(frozen=True, slots=True)
class SkipsBackout:
    """A message got with MARK_SKIP_BACKOUT: where its segments stand, which handle got it, and the information after.

    `reports` are the places of the reports on delivery that the get has made in the same unit of work.
    """

    places: tuple[Place, ...]
    hobj: int
    removing: GroupInformation
    reports: tuple[Place, ...] = ()


@dataclass(slots=True)
class UnitOfWork:
    """What commit makes final and backout undoes: messages put or got, and group information.

    `touched` keeps the places of the messages in the order of first use; `skips_backout` is the one message that the
    application's backout takes into the next unit of work (MSB-04, MSB-06), `carried` where one stands that a backout
    has taken into this one. `triggered` are the definitions, as they were then, of queues on which its puts were a
    trigger event: the trigger messages become available when it ends (TRI-11). `used_outside` are the queues that the
    connection has put on or got from outside it since it began: handles on them need not be restored.
    """

    touched: dict[Place, None] = field(default_factory=dict)
    saved: dict[int, SavedInformation] = field(default_factory=dict)
    skips_backout: SkipsBackout | None = None
    carried: frozenset[Place] = frozenset()
    triggered: tuple[QueueDefinition, ...] = ()
    used_outside: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Waiting:
    """An MQGET with MQGMO_WAIT that found nothing yet; `deadline_ms` is None for an unlimited wait.

    `passed_over` are the places of messages that were there already, or whose arrival activated another call instead.
    """

    call: Get
    deadline_ms: int | None
    passed_over: frozenset[Position] = frozenset()


@dataclass(slots=True)
class Connection:
    """An application's connection; `number` tells it from earlier ones of the same name.

    `program` is the name of the application, empty where it is not known; `kind` is its type (MQAT), 0 for the one
    that is usual on the platform.
    """

    name: str
    number: int = 0
    unit_of_work: UnitOfWork | None = None
    waiting: Waiting | None = None
    program: str = ""
    kind: int = 0


_copy_work = copier(UnitOfWork)
_copy_members = copier(Connection)


def copied(connection: Connection) -> Connection:
    """Return a connection that can be changed without changing this one."""
    twin = _copy_members(connection)
    if twin.unit_of_work is not None:
        twin.unit_of_work = work = _copy_work(twin.unit_of_work)
        work.touched, work.saved = dict(work.touched), dict(work.saved)
    return twin
