"""Serialization of objects: a reader keeps its unfinished state as text until more of its input comes.

Only objects of given classes are written and restored, whatever the text says, and none of their code runs. Objects and
dictionaries that are shared stay shared. The text begins with a digest of the classes' members, so that objects written
by another version are recognized.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from hashlib import sha256
from typing import Any, Final

_PLAIN: Final = (type(None), bool, int, str)
_BYTES: Final[dict[str, Callable[[bytes], Any]]] = {"bytes": bytes, "bytearray": bytearray}
_LISTS: Final[dict[str, Callable[[Iterable[Any]], Any]]] = {"tuple": tuple, "set": set, "deque": deque}
_IS, _OF, _NUMBER, _AGAIN, _DICT = "is", "of", "number", "again", "dict"


def _members(cls: type) -> list[str]:
    """Return the names of the members of a class: a dataclass, one with slots, or an enumeration."""
    if is_dataclass(cls):
        return [one.name for one in fields(cls)]
    return [name for base in reversed(cls.__mro__) for name in getattr(base, "__slots__", ())]


def _name(cls: type) -> str:
    return f"{cls.__module__.rpartition('.')[2]}.{cls.__name__}"


def digest_of(text: str) -> str:
    """Return the digest of a text, by which it is recognized; an empty text has none."""
    return sha256(text.encode()).hexdigest() if text else ""


class Keeper:
    """A serializer of objects of some classes."""

    def __init__(self, *classes: type) -> None:
        self._classes = {_name(cls): cls for cls in classes}
        layout = [(name, _members(cls)) for name, cls in sorted(self._classes.items())]
        self._layout = sha256(repr(layout).encode()).hexdigest()[:16]

    def text(self, value: object) -> str:
        """Return a value as text. Raises TypeError for an object of another class."""
        return json.dumps([self._layout, _Writer(self._classes).written(value)], separators=(",", ":"))

    def value(self, text: str) -> Any:
        """Return the value of a text. Raises ValueError if this version did not write it."""
        try:
            layout, written = json.loads(text)
            restored = _Restorer(self._classes).restored(written) if layout == self._layout else None
        except (TypeError, ValueError, LookupError, AttributeError, RecursionError) as error:
            raise ValueError(f"it is damaged: {error}") from error
        if layout != self._layout:
            raise ValueError("another version of this program has written it")
        return restored


class _Writer:
    """A writer of one value. `_numbers` has the objects that were met by identity, each with its number."""

    def __init__(self, classes: Mapping[str, type]) -> None:
        self._names = {cls: name for name, cls in classes.items()}
        self._numbers: dict[int, int] = {}

    def written(self, value: Any) -> Any:
        """Return JSON for a value."""
        kind = type(value)
        if kind in _PLAIN:
            return value
        if kind is list:
            return [self.written(each) for each in value]
        if kind in _BYTES.values():
            return {_IS: kind.__name__, _OF: b64encode(value).decode()}
        if kind in _LISTS.values():
            return {_IS: kind.__name__, _OF: [self.written(each) for each in value]}
        return self._shared(value) if not isinstance(value, (int, str)) else self._plain(value)

    def _plain(self, value: int | str) -> Any:
        """Return JSON for a constant: a kept member of an enumeration, or else a number or text."""
        if isinstance(value, Enum) and type(value) in self._names:
            return {_IS: self._names[type(value)], _OF: value.value}
        return int(value) if isinstance(value, int) else str.__str__(value)

    def _shared(self, value: Any) -> Any:
        known = self._numbers.get(id(value))
        if known is not None:
            return {_IS: _AGAIN, _OF: known}
        self._numbers[id(value)] = number = len(self._numbers)
        kind = type(value)
        if kind is dict:
            pairs = [[self.written(key), self.written(each)] for key, each in value.items()]
            return {_IS: _DICT, _OF: pairs, _NUMBER: number}
        if kind not in self._names:
            raise TypeError(f"objects of {kind.__name__} are not kept")
        members = {name: self.written(getattr(value, name)) for name in _members(kind)}
        return {_IS: self._names[kind], _OF: members, _NUMBER: number}


class _Restorer:
    """A reader of one value. `_met` has the objects and dictionaries by their numbers."""

    def __init__(self, classes: Mapping[str, type]) -> None:
        self._classes = classes
        self._met: dict[int, Any] = {}

    def restored(self, written: Any) -> Any:
        """Return the value that JSON stands for. Raises LookupError, TypeError or ValueError for other JSON."""
        if isinstance(written, list):
            return [self.restored(each) for each in written]
        if not isinstance(written, dict):
            return written
        kind, of = written[_IS], written[_OF]
        if kind in _BYTES:
            return _BYTES[kind](b64decode(of))
        if kind in _LISTS:
            return _LISTS[kind](self.restored(each) for each in of)
        return self._met[of] if kind == _AGAIN else self._shared(kind, of, written.get(_NUMBER))

    def _shared(self, kind: str, of: Any, number: int | None) -> Any:
        if kind != _DICT and issubclass(self._classes[kind], Enum):
            return self._classes[kind](of)
        if number is None:
            raise LookupError(_NUMBER)
        if kind == _DICT:
            found = self._met[number] = {}
            found.update({self.restored(key): self.restored(each) for key, each in of})
            return found
        restored: Any = object.__new__(self._classes[kind])
        self._met[number] = restored
        for name, member in of.items():
            object.__setattr__(restored, name, self.restored(member))
        return restored
