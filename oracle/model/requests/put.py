"""An MQPUT or MQPUT1 call, read once: its destination, and the values that are resolved before it is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from oracle.model.expiry import caps_of
from oracle.model.groups.put_groups import PutRow, put_row
from oracle.model.groups.splitting import is_split
from oracle.model.handles import NOTHING_CURRENT, GroupInformation, Handle
from oracle.model.requests.users import alternate_user
from oracle.model.state import Queue
from oracle.model.step import Step
from oracle.mqi.calls import Put, Put1
from oracle.mqi.constants import MQEI, MQPER, MQPMO, MQPRI
from oracle.mqi.definitions import QueueDefinition
from oracle.mqi.structures import MD_VERSION_2_MEMBERS, MessageDescriptor
from oracle.values import replace


@dataclass(slots=True)
class PutRequest:
    """A put to a queue that exists. It is immutable."""

    call: Put | Put1
    """The call."""
    path: tuple[str, ...]
    """The names of the definitions from the one that was named to the base queue."""
    queue: Queue
    """The base queue."""
    handle: Handle | None
    """The handle; None for MQPUT1."""
    descriptor: MessageDescriptor
    """The descriptor with its defaults resolved."""
    in_unit_of_work: bool
    """Whether it is part of a unit of work."""
    remote: QueueDefinition | None = None
    """The definition of the remote queue on the way, if there is one."""
    is_split: bool = False
    """Whether the queue manager splits the message into segments (SEG-01)."""
    logical_order: bool = field(init=False)
    """Whether it specifies MQPMO_LOGICAL_ORDER."""
    information: GroupInformation = field(init=False)
    """The group information that the handle retains for puts; nothing for MQPUT1."""
    row: PutRow | None = field(init=False)
    """The row of the put table that the put fits; None if it fits none."""

    def __post_init__(self) -> None:
        self.logical_order = self.call.options.options & MQPMO.LOGICAL_ORDER != 0
        self.information = NOTHING_CURRENT if self.handle is None else self.handle.putting
        self.row = put_row(self.descriptor, self.information, logical_order=self.logical_order)

    @property
    def alternate_user(self) -> str | None:
        """The alternate user with whose authority the queue was opened, if there is one (CTX-04)."""
        if isinstance(self.call, Put1):
            return alternate_user(self.call)
        return None if self.handle is None else self.handle.alternate_user


def put_request(step: Step, call: Put | Put1, path: tuple[str, ...], handle: Handle | None) -> PutRequest:
    """Resolve the defaults of a put: from the queue, the queue manager and the platform."""
    md = with_own_version(step, call.descriptor)
    definitions = step.state.definitions_on(path)
    md = replace(
        md,
        priority=_priority(step, md, path, definitions),
        persistence=_persistence(step, md, path, definitions),
        expiry=_capped_expiry(step, md, definitions),
        coded_char_set_id=md.coded_char_set_id or step.state.definition.coded_char_set_id,
        backout_count=0,
    )
    state, inside = step.state, in_unit_of_work(step, call)
    queue = state.queues[path[-1]]
    split = is_split(state, queue.definition, md, call.data)
    return PutRequest(call, path, queue, handle, md, inside, state.remote_on(path), split)


def with_own_version(step: Step, md: MessageDescriptor) -> MessageDescriptor:
    """Return a descriptor without what its version lacks: those members have their initial values (MDE-03)."""
    if md.version != 1:
        return md
    initial = MessageDescriptor()
    step.because("MDE-03")
    return replace(md, **{name: getattr(initial, name) for name in MD_VERSION_2_MEMBERS})


def in_unit_of_work(step: Step, call: Put | Put1) -> bool:
    """Return whether a put belongs to a unit of work: its options say so, or the platform's default (PUT-07)."""
    options = call.options.options
    if options & (MQPMO.SYNCPOINT | MQPMO.NO_SYNCPOINT):
        return bool(options & MQPMO.SYNCPOINT)
    step.because("PUT-07")
    return step.state.profile.zos


def _priority(step: Step, md: MessageDescriptor, path: tuple[str, ...], definitions: Sequence[QueueDefinition]) -> int:
    """Return the priority: that of the first definition on the way if the default is requested (PRI-02)."""
    if md.priority != MQPRI.PRIORITY_AS_Q_DEF:
        return md.priority
    defaults = [each.def_priority for each in definitions]
    if len(defaults) == 1:
        step.because("PRI-02")
        return defaults[0]
    values = _possible_defaults(step, "priority", path, defaults)
    value = step.choose("whose default priority is used", values, "PRI-02")
    return _taken_default(step, "priority", path, defaults, value)


def _persistence(
    step: Step, md: MessageDescriptor, path: tuple[str, ...], definitions: Sequence[QueueDefinition]
) -> int:
    """Return the persistence: that of the first definition on the way if the default is requested (PER-02)."""
    if md.persistence != MQPER.PERSISTENCE_AS_Q_DEF:
        return md.persistence
    defaults = [each.def_persistence for each in definitions]
    if len(defaults) == 1:
        step.because("PER-02")
        return defaults[0]
    values = _possible_defaults(step, "persistence", path, defaults)
    value = step.choose("whose default persistence is used", values, "PER-02")
    return _taken_default(step, "persistence", path, defaults, value)


def _possible_defaults(step: Step, what: str, path: tuple[str, ...], defaults: list[int]) -> tuple[int, ...]:
    """Return the possible defaults of a way to a queue: that of one of the definitions, always the same one."""
    possible = step.state.defaults_from.get((what, path), tuple(range(len(path))))
    return tuple(dict.fromkeys(defaults[place] for place in possible))


def _taken_default(step: Step, what: str, path: tuple[str, ...], defaults: list[int], value: int) -> int:
    """Return the default that is used, and remember the definitions that it may come from.

    The put need not return it.
    """
    state = step.state
    possible = state.defaults_from.get((what, path), tuple(range(len(path))))
    taken = tuple(place for place in possible if defaults[place] == value)
    if taken != possible:
        state.defaults_from = {**state.defaults_from, (what, path): taken}
    return value


def _capped_expiry(step: Step, md: MessageDescriptor, definitions: Sequence[QueueDefinition]) -> int:
    """Return the expiry after the lowest CAPEXPRY on the way (CAP-01 to CAP-04)."""
    caps = caps_of(definitions)
    if not caps:
        return md.expiry
    step.because("CAP-03", "CAP-04")
    if md.expiry == MQEI.UNLIMITED:
        return min(caps) if _caps_unlimited(step) else md.expiry
    step.because("CAP-01" if md.expiry > min(caps) else "CAP-02")
    return min(md.expiry, *caps)


def _caps_unlimited(step: Step) -> bool:
    """Return whether CAPEXPRY lowers an unlimited expiry too; a queue manager does so always or never (CAP-01)."""
    step.because("CAP-01")
    return step.choose_for_good("is an unlimited expiry capped", (True, False), "CAP-01")
