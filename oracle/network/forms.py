"""Structures between a channel and this process: byte order, character set and size of pointers.

Addresses have no meaning on the other side, so pointers become null. Text that ends with a null is sent padded with
blanks, as queue managers return it.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cache

from oracle.errors import BadInputError
from oracle.mqi.binary import ASCII, WIRE, ByteOrder, Layout
from oracle.mqi.connection_layouts import NATIVE_ORDER, NATIVE_POINTERS
from oracle.wire.replies import Form


@dataclass(frozen=True, slots=True)
class _Forms:
    """The two forms of a structure in one version: which of the values are text, single characters, pointers."""

    wire: struct.Struct
    native: struct.Struct
    texts: tuple[tuple[int, int], ...]
    singles: tuple[int, ...]
    pointers: tuple[int, ...]


@cache
def _forms(layout: Layout, version: int, order: ByteOrder) -> _Forms:
    fields = [field for field in layout.fields if field.since <= version]
    parts = [("<" if each == "little" else ">") + "4si" for each in (order, NATIVE_ORDER)]
    for field in fields:
        parts[0] += field.format(WIRE)
        parts[1] += field.format(NATIVE_POINTERS)
    named = [(2 + number, field) for number, field in enumerate(layout.members(version))]
    return _Forms(
        wire=struct.Struct(parts[0]),
        native=struct.Struct(parts[1]),
        texts=tuple((place, field.size) for place, field in named if field.kind == "char" and field.size > 1),
        singles=tuple(place for place, field in named if field.kind == "char" and field.size == 1),
        pointers=tuple(place for place, field in named if field.kind == "pointer"),
    )


def _known(layout: Layout, data: bytes, order: ByteOrder) -> _Forms:
    version = int.from_bytes(data[4:8], order, signed=True)
    if version not in layout.versions:
        raise BadInputError(f"{layout.name} has no version {version}")
    return _forms(layout, version, order)


def length_on_wire(layout: Layout, data: bytes, order: ByteOrder) -> int:
    """Return the length in bytes of the structure at the beginning of `data`.

    Raises BadInputError for an unknown version.
    """
    return _known(layout, data, order).wire.size


def to_native(layout: Layout, data: bytes, form: Form) -> bytes:
    """Return a structure from a channel in this process's form.

    Raises BadInputError for an unknown version, and data that end too early.
    """
    forms = _known(layout, data, form.order)
    if len(data) < forms.wire.size:
        raise BadInputError(f"{layout.name} has {forms.wire.size} bytes, here are {len(data)}")
    values = list(forms.wire.unpack_from(data))
    values[0] = layout.struc_id.encode(ASCII)
    for place in forms.pointers:
        values[place] = 0
    if form.charset != ASCII:
        for place in (*(place for place, _ in forms.texts), *forms.singles):
            values[place] = values[place].decode(form.charset, "replace").encode(ASCII, "replace")
    return forms.native.pack(*values)


def to_wire(layout: Layout, native: bytes, form: Form) -> bytes:
    """Return a structure of this process in the channel's form."""
    forms = _forms(layout, int.from_bytes(native[4:8], NATIVE_ORDER, signed=True), form.order)
    values = list(forms.native.unpack_from(native))
    for place, size in forms.texts:
        if 0 in values[place]:
            values[place] = values[place].partition(b"\0")[0].ljust(size)
    for place in forms.pointers:
        values[place] = 0
    if form.charset != ASCII:
        values[0] = layout.struc_id.encode(form.charset)
        for place in (*(place for place, _ in forms.texts), *forms.singles):
            values[place] = values[place].decode(ASCII).encode(form.charset, "replace")
    return forms.wire.pack(*values)
