"""Values with some members changed: what `dataclasses.replace` does, several times as fast.

A step of the model copies descriptors of 28 members to change three of them. `dataclasses.replace` looks at the
definition of every member and then calls the constructor. Here the members are copied slot by slot.

>>> from oracle.mqi.structures import MessageDescriptor
>>> replace(MessageDescriptor(), priority=4).priority
4
>>> replace(MessageDescriptor(), importance=4)
Traceback (most recent call last):
TypeError: MessageDescriptor has no member importance
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any, TypeVar

V = TypeVar("V")

_new = object.__new__


@dataclass(frozen=True, slots=True)
class _Members:
    """How to read all members of a class at once, and to set each, which a frozen class forbids everybody else.

    `places` says where each member stands among them.
    """

    read: Callable[[object], tuple[object, ...]]
    setters: tuple[Callable[[object, object], None], ...]
    places: Mapping[str, int]


_known: dict[type, _Members] = {}


def _members_of(kind: type) -> _Members:
    names = tuple(each.name for each in fields(kind))
    setters = tuple(getattr(kind, name).__set__ for name in names)
    _known[kind] = _Members(attrgetter(*names), setters, {name: place for place, name in enumerate(names)})
    return _known[kind]


def replace(value: V, /, **changes: Any) -> V:
    """Return a value of a dataclass with slots, of two members or more, with some of them changed.

    Raises TypeError for a member that it does not have.
    """
    kind = type(value)
    members = _known.get(kind) or _members_of(kind)
    values = list(members.read(value))
    places = members.places
    if not changes.keys() <= places.keys():
        raise TypeError(f"{kind.__name__} has no member {', '.join(sorted(changes.keys() - places.keys()))}")
    for name, member in changes.items():
        values[places[name]] = member
    twin = _new(kind)
    for put, member in zip(members.setters, values, strict=False):
        put(twin, member)
    return twin
