"""Structures of the MQI in the memory of a program on this machine."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Mapping
from functools import cache
from typing import Final

from oracle.errors import BadInputError
from oracle.mqi.binary import ASCII, Field, Layout
from oracle.mqi.connection_layouts import NATIVE_ORDER, NATIVE_POINTERS
from oracle.mqi.structures import MessageDescriptor, Structure

_SIGN: Final = "<" if NATIVE_ORDER == "little" else ">"
_VERSION: Final = struct.Struct(_SIGN + "i")


@cache
def places(layout: Layout, version: int) -> dict[str, tuple[Field, struct.Struct, int]]:
    """Return each member's field, form and offset in bytes in this version.

    Raises BadInputError for an unknown version.
    """
    layout.members(version)
    form, found = _SIGN + "4si", {}
    for field in layout.fields:
        if field.since <= version:
            part = field.format(NATIVE_POINTERS)
            if field.kind != "alignment":
                found[field.name] = (field, struct.Struct(_SIGN + part), struct.calcsize(form))
            form += part
    return found


def version_of(layout: Layout, data: bytes | bytearray) -> int:
    """Return the version that a structure states.

    Raises BadInputError for another StrucId, an unknown version, or one that is longer than the data.
    """
    if data[:4] != layout.struc_id.encode(ASCII):
        raise BadInputError(f"not an {layout.name}")
    version: int = _VERSION.unpack_from(data, 4)[0]
    if layout.length(version, NATIVE_POINTERS) > len(data):
        raise BadInputError(f"{layout.name} version {version} is longer than {len(data)} bytes")
    return version


def member(layout: Layout, data: bytes | bytearray, name: str, default: int = 0) -> int:
    """Return a numeric member; the default if this version lacks it."""
    place = places(layout, version_of(layout, data)).get(name)
    if place is None:
        return default
    value: int = place[1].unpack_from(data, place[2])[0]
    return value


def text(layout: Layout, data: bytes | bytearray, name: str) -> str:
    """Return a text member without its padding; empty if this version lacks it."""
    place = places(layout, version_of(layout, data)).get(name)
    return "" if place is None else place[0].from_binary(place[1].unpack_from(data, place[2])[0], ASCII)


def structure(layout: Layout, data: bytes | bytearray, kind: type[Structure]) -> dict[str, object]:
    """Return the members of one of the model's structures, by the model's names.

    Raises BadInputError for another StrucId or an unknown version.
    """
    version = version_of(layout, data)
    values: dict[str, object] = {"version": version}
    for name, form, offset, is_bytes, is_text, single in _members(layout, version, kind):  # type: ignore[arg-type]  # classes are hashable
        value = form.unpack_from(data, offset)[0]
        if is_text:
            value = value.decode(ASCII)
            value = value if single else value.partition("\0")[0].rstrip(" ")
        values[name] = bytes(value) if is_bytes else value
    return values


@cache
def _members(
    layout: Layout, version: int, kind: type[Structure]
) -> tuple[tuple[str, struct.Struct, int, bool, bool, bool], ...]:
    c_names = {c_name: name for name, c_name in kind.c_names().items()}
    return tuple(
        (c_names[c_name], form, offset, field.kind == "byte", field.kind == "char", field.size == 1)
        for c_name, (field, form, offset) in places(layout, version).items()
        if c_name in c_names
    )


def written(layout: Layout, data: bytes, changes: Mapping[str, object]) -> bytes:
    """Return the structure with some members, by C name, changed as far as its version has them."""
    changed = bytearray(data)
    found = places(layout, version_of(layout, data))
    for name, value in changes.items():
        if name in found:
            field, form, offset = found[name]
            if isinstance(value, bytes):
                form.pack_into(changed, offset, value.ljust(field.size, b"\0"))
            elif isinstance(value, (int, str)):
                form.pack_into(changed, offset, field.to_binary(value, ASCII))
    return bytes(changed)


def every(descriptor: MessageDescriptor) -> dict[str, object]:
    """Return the members of an MQMD by C name, except the version, which stays the caller's."""
    return {c_name: getattr(descriptor, name) for name, c_name in descriptor.c_names().items() if name != "version"}


def descriptor_changes(before: MessageDescriptor, after: MessageDescriptor) -> dict[str, object]:
    """Return the members of an MQMD that a call has changed, by C name, except the version."""
    old = every(before)
    return {name: value for name, value in every(after).items() if value != old[name]}


def bytes_at(address: int, length: int) -> bytes:
    """Return a copy of the memory at an address; nothing for a null address or no length."""
    return ctypes.string_at(address, length) if address and length > 0 else b""


def variable_string(address: int, offset: int, length: int, parent: int = 0) -> bytes:
    """Return the contents of an MQCHARV, by its pointer or, in its parent structure, by its offset.

    A length of -1 (MQVS_NULL_TERMINATED) reads until the first null.
    """
    place = address or (parent + offset if parent and offset else 0)
    if not place:
        return b""
    return ctypes.string_at(place) if length < 0 else bytes_at(place, length)
