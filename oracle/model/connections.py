"""Connections of applications: their units of work, and the calls that wait."""

from __future__ import annotations

from dataclasses import dataclass, field

from oracle.model.handles import NOTHING_CURRENT, GroupInformation
from oracle.model.messages.messages import Message, Position
from oracle.mqi.calls import Get
from oracle.mqi.definitions import QueueDefinition
from oracle.values import copier

Place = tuple[str, Position]
"""The place of a message: its queue, and its position there."""

Unconfirmed = tuple[Message, int]
"""A message, and the Feedback of a report on it that the commit has to make (AMB-109)."""


@dataclass(frozen=True, slots=True)
class SavedInformation:
    """A handle's group information from before its first use in a unit of work (UOW-05, PTB-24)."""

    removing: GroupInformation
    """The information for gets that remove."""
    putting: GroupInformation
    """The information for puts."""
    at_get: GroupInformation | None = None
    """The information for such gets before the first of them in the unit of work; None if there was none."""
    at_put: GroupInformation | None = None
    """The information for puts before the first of them in the unit of work; None if there was none."""
    otherwise: tuple[GroupInformation, ...] = ()
    """What the information for gets may have been as well: a unit of work that a backout began has more than one
    beginning (AMB-118)."""


@dataclass(frozen=True, slots=True)
class SkipsBackout:
    """A message got with MARK_SKIP_BACKOUT."""

    places: tuple[Place, ...]
    """The places of its segments."""
    hobj: int | None
    """The handle that got it. None once it is closed, because its number may be given again."""
    removing: GroupInformation
    """The handle's group information after the get."""
    reports: tuple[Place, ...] = ()
    """The places of the reports on delivery that the get has made in the same unit of work."""
    unconfirmed: tuple[Unconfirmed, ...] = ()
    """Such reports that the commit has to make."""
    before: GroupInformation = NOTHING_CURRENT
    """The handle's group information before the get."""


@dataclass(slots=True)
class UnitOfWork:
    """What commit makes final and backout undoes: messages put or got, and group information."""

    touched: dict[Place, None] = field(default_factory=dict)
    """The places of the messages, in the order of first use."""
    saved: dict[int, SavedInformation] = field(default_factory=dict)
    """The group information of each handle, by its number, from before the unit of work."""
    skips_backout: SkipsBackout | None = None
    """The one message that the application's backout takes into the next unit of work (MSB-04, MSB-06)."""
    carried: frozenset[Place] = frozenset()
    """The places of such a message that a backout has taken into this unit of work."""
    triggered: tuple[QueueDefinition, ...] = ()
    """The definitions, as they were then, of queues on which its puts were a trigger event (TRI-11)."""
    triggered_by_each: tuple[QueueDefinition, ...] = ()
    """Those of type every, which a backout makes void (AMB-89)."""
    announced: frozenset[Place] = frozenset()
    """The places of trigger messages that were put with their event, and that a backout makes available (AMB-112)."""
    unconfirmed: tuple[Unconfirmed, ...] = ()
    """The reports on its puts and gets that its commit has to make."""
    taken_whole: int = 0
    """By how many its gets may count less, because those that returned segments as one message may count once
    (AMB-132)."""
    put_and_deleted: int = 0
    """How many of its puts it has got again whose queue has been deleted since (AMB-79)."""
    used_outside: frozenset[str] = frozenset()
    """The queues put on or got from outside it since it began: handles on them need not be restored."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """An MQGET with MQGMO_WAIT that has found nothing yet."""

    call: Get
    """The MQGET."""
    deadline_ms: int | None
    """The time at which it ends, in milliseconds of the virtual clock; None for an unlimited wait."""
    passed_over: frozenset[Position] = frozenset()
    """The places of messages that were there already, or whose arrival activated another call instead."""


@dataclass(slots=True)
class Connection:
    """An application's connection."""

    name: str
    """Its name in histories."""
    number: int = 0
    """The number that distinguishes it from earlier ones of the same name."""
    unit_of_work: UnitOfWork | None = None
    """The one that is open; None if none is."""
    waiting: Waiting | None = None
    """The MQGET that waits; None if none does."""
    program: str = ""
    """The name of the application; empty if it is not known."""
    kind: int = 0
    """The application's type (MQAT); 0 for the platform's usual one."""


_copy_work = copier(UnitOfWork)
_copy_members = copier(Connection)


def copied(connection: Connection) -> Connection:
    """Return a connection that can be changed without changing this one."""
    twin = _copy_members(connection)
    if twin.unit_of_work is not None:
        twin.unit_of_work = work = _copy_work(twin.unit_of_work)
        work.touched, work.saved = dict(work.touched), dict(work.saved)
    return twin
