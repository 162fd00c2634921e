"""Members of requests and replies: texts, integers, hexadecimal bytes and structures with C member names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeVar

from oracle.errors import BadInputError
from oracle.mqi.structures import (
    MD_VERSION_2_MEMBERS,
    GetMessageOptions,
    MessageDescriptor,
    ObjectDescriptor,
    PutMessageOptions,
    Structure,
)
from oracle.values import with_members

S = TypeVar("S", MessageDescriptor, GetMessageOptions, PutMessageOptions, ObjectDescriptor)


class RequestError(BadInputError):
    """A request that has not the protocol's form; a target answers it with `error`."""


def take(request: Mapping[str, Any], name: str, kind: type, default: Any = None) -> Any:
    """Return a member of a request or reply.

    Raises RequestError if it has a wrong type, or is missing without a default.
    """
    value = request.get(name, default)
    wrong = not isinstance(value, kind) or (kind is int and isinstance(value, bool))
    if wrong:
        raise RequestError(f"{name} must be {_KINDS[kind]}, not {value!r}")
    return value


_KINDS = {str: "text", int: "an integer", dict: "an object", list: "a list"}


def bytes_of(value: object, name: str, length: int | None = None) -> bytes:
    """Return the bytes that hexadecimal text stands for.

    Raises RequestError if it is not such text, or has another length.
    """
    if isinstance(value, str):
        try:
            data = bytes.fromhex(value)
        except ValueError:
            data = None
        if data is not None and (length is None or len(data) == length):
            return data
    size = "" if length is None else f" of {length} bytes"
    raise RequestError(f"{name} must be hexadecimal text{size}, not {value!r}")


def parse_structure(kind: type[S], members: Mapping[str, Any]) -> S:
    """Make a structure from an object with C member names; unknown members are ignored.

    Raises RequestError if a member has a wrong type.
    """
    initial: S = INITIAL[kind]
    known, values = NAMES[kind], {}
    for c_name, value in members.items():
        name = known.get(c_name)
        if name is not None:
            values[name] = parse_member(c_name, value, getattr(initial, name))
    return with_members(initial, values)


INITIAL: Final[Mapping[type, Any]] = {
    kind: kind() for kind in (MessageDescriptor, GetMessageOptions, PutMessageOptions, ObjectDescriptor)
}
"""Each structure with its initial values."""
NAMES: Final[Mapping[type, Mapping[str, str]]] = {
    kind: {c_name: name for name, c_name in initial.c_names().items()} for kind, initial in INITIAL.items()
}
"""The Python names of each structure's members, by C name."""


def parse_member(c_name: str, value: object, initial: object) -> object:
    """Return a structure's member as a Python value, with the type of its initial value.

    Raises RequestError if it has a wrong type.
    """
    if isinstance(initial, bytes):
        return bytes_of(value, c_name, len(initial))
    if isinstance(initial, str):
        if isinstance(value, str):
            return value if c_name in _BLANK_COUNTS else value.rstrip(" ")
        raise RequestError(f"{c_name} must be text, not {value!r}")
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise RequestError(f"{c_name} must be an integer, not {value!r}")


_BLANK_COUNTS = ("GroupStatus", "SegmentStatus", "Segmentation")


def format_structure(structure: Structure) -> dict[str, Any]:
    """Return a structure as an object with C member names; a version 1 MQMD has no version 2 members."""
    version_1 = isinstance(structure, MessageDescriptor) and structure.version == 1
    return {
        c_name: plain(getattr(structure, name))
        for name, c_name in structure.c_names().items()
        if not (version_1 and name in MD_VERSION_2_MEMBERS)
    }


def plain(value: object) -> object:
    """Return a value as plain data for JSON."""
    return value.hex() if isinstance(value, bytes) else value
