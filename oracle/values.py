"""Fast construction and changed copies of dataclasses: what `dataclasses` does, several times as fast.

A step of the model makes some thirty values, among them descriptors of 28 members, and changes three of these.
`dataclasses.replace` reads the definition of every member and then calls the constructor, and the constructor of a
frozen class sets each member through `object.__setattr__`. Here a value is first a draft: an object of a class with the
same slots that is not frozen. When all members are set, its class is changed to the final one.

>>> from oracle.mqi.structures import MessageDescriptor
>>> replace(MessageDescriptor(), priority=4).priority
4
>>> replace(MessageDescriptor(), importance=4)
Traceback (most recent call last):
TypeError: MessageDescriptor has no member importance
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from functools import cache
from typing import Any, TypeVar

V = TypeVar("V")

_known: dict[tuple[type, tuple[str, ...]], Callable[..., Any]] = {}
"""The copying function, by class and the names of the members that are changed."""

_become = object.__dict__["__class__"].__set__


def replace(value: V, /, **changes: Any) -> V:
    """Return a value of a dataclass with slots, with some of its members changed.

    Raises TypeError for a member that it does not have.
    """
    kind, names = type(value), tuple(changes)
    copy = _known.get((kind, names)) or _copy_but(kind, names)
    changed: V = copy(value, *changes.values())
    return changed


def with_members(value: V, changes: Mapping[str, Any]) -> V:
    """Return what `replace` returns, if the members to change come from an input and not from the program.

    Functions are not generated for every set of members that an input may name.
    """
    kind = type(value)
    _refuse_unknown(kind, changes)
    twin: V = (_known.get((kind, ())) or _copy_but(kind, ()))(value)
    for name, member in changes.items():
        getattr(kind, name).__set__(twin, member)
    return twin


def copier(kind: type[V]) -> Callable[[V], V]:
    """Return a function that makes an equal value of a dataclass with slots; a copy if it can be changed."""
    return _copy_but(kind, ())


def quickly_made(kind: type[V]) -> type[V]:
    """Let the constructor of a frozen dataclass with slots set its members in a draft. It may have no subclass."""
    names: dict[str, Any] = {"draft": _draft_of(kind), "kind": kind, "become": _become, "missing": MISSING}
    parameters, lines = [], []
    for each in _members_of(kind):
        name = each.name
        if each.default_factory is not MISSING:
            names[f"make_{name}"] = each.default_factory
            parameters.append(f"{name}=missing")
            lines.append(f"self.{name} = make_{name}() if {name} is missing else {name}")
        else:
            names[f"default_{name}"] = each.default
            parameters.append(name if each.default is MISSING else f"{name}=default_{name}")
            lines.append(f"self.{name} = {name}")
    lines = ["become(self, draft)", *lines, "self.__class__ = kind"]
    made = _function("__init__", ["self", *parameters], lines, names)
    made.__annotations__, made.__qualname__ = kind.__init__.__annotations__, f"{kind.__qualname__}.__init__"
    kind.__init__ = made  # type: ignore[method-assign]  # what the decorator is for
    return kind


def _copy_but(kind: type, changed: tuple[str, ...]) -> Callable[..., Any]:
    """Return the function that copies values of a class except some members, generated member by member."""
    _refuse_unknown(kind, changed)
    members = [each.name for each in _members_of(kind)]
    draft = _draft_of(kind)
    lines = ["twin = new(draft)"]
    lines += [f"twin.{name} = changed_{name}" if name in changed else f"twin.{name} = value.{name}" for name in members]
    lines += [*(("twin.__class__ = kind",) if draft is not kind else ()), "return twin"]
    parameters = ["value", *(f"changed_{name}" for name in changed)]
    copy: Callable[..., Any] = _function(
        "copy", parameters, lines, {"new": object.__new__, "draft": draft, "kind": kind}
    )
    _known[kind, changed] = copy
    return copy


def _refuse_unknown(kind: type, names: Iterable[str]) -> None:
    unknown = sorted(set(names).difference(_names_of(kind)))
    if unknown:
        raise TypeError(f"{kind.__name__} has no member {', '.join(unknown)}")


_drafts: dict[type, type] = {}


def _draft_of(kind: type) -> type:
    """Return a class with the slots of a frozen one, whose members can be set.

    A class that is not frozen is its own.
    """
    if not kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]  # of a dataclass
        return kind
    return _drafts.setdefault(kind, _empty_like(kind))


def _empty_like(kind: type) -> type:
    return type(f"{kind.__name__} (draft)", kind.__bases__, {"__slots__": kind.__dict__["__slots__"]})


def _members_of(kind: type) -> tuple[Field[Any], ...]:
    return fields(kind)


@cache
def _names_of(kind: type) -> frozenset[str]:
    return frozenset(each.name for each in _members_of(kind))


def _function(name: str, parameters: Sequence[str], lines: Sequence[str], names: dict[str, Any]) -> Any:
    text = "\n    ".join([f"def {name}({', '.join(parameters)}):", *lines])
    exec(text, names)  # noqa: S102 - the text is made of the names of members, as in `dataclasses` itself
    return names[name]
