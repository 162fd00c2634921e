"""Structures as bytes: layouts, and how they are written and read.

Each structure is one table of fields; `decode` and `encode` use only the tables. The tables are in `oracle.mqi.layouts`
and `oracle.mqi.connection_layouts`. A decoded structure is a dict by C field name, without StrucId: integers as they
are, byte fields as lowercase hexadecimal text, character fields without their padding (one of a single character keeps
its blank). Members of an embedded structure are named as in C: `MsgDesc.Report`, `ObjectString.VSLength`.

Structures that hold addresses exist in two forms. A 64-bit program has pointers of 8 bytes and aligns its
structures for them; a 32-bit program, and the client channel protocol whatever the program, has pointers
of 4 bytes. `pointer_size` chooses; lengths differ for MQPMO and MQOD, both from version 2.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal

from oracle.errors import BadInputError
from oracle.mqi.constants import MQCCSI, MQENC

ByteOrder = Literal["little", "big"]
PointerSize = Literal[4, 8]
Kind = Literal["long", "int64", "char", "byte", "pointer", "alignment"]
Values = dict[str, int | str]

WIRE: PointerSize = 4
"""Pointers of client channels and of 32-bit programs."""

NATIVE_64: PointerSize = 8
"""Pointers of 64-bit programs."""

ASCII = "latin-1"
"""The codec for text unless something else is stated: it maps every byte, and MQ names are in ASCII."""

EBCDIC = "cp500"

_CODECS = {
    37: "cp037", 273: "cp273", 437: "cp437", 500: EBCDIC, 850: "cp850", 852: "cp852", 858: "cp858",
    923: "iso8859-15", 1047: "cp037", 1140: "cp1140", 1208: "utf-8", 1250: "cp1250", 1252: "cp1252",
}  # fmt: skip  # pairs


def codec(ccsid: int) -> str:
    """Return the Python codec for a coded character set identifier; `ASCII` for one that is not known here.

    1047 is read as 37: they differ in no character that an MQ name can contain.
    """
    return _CODECS.get(ccsid, ASCII)


def byte_order(encoding: int) -> ByteOrder:
    """Return the byte order of integers that an MQMD.Encoding states."""
    return "little" if encoding & MQENC.INTEGER_MASK == MQENC.INTEGER_REVERSED else "big"


@dataclass(frozen=True, slots=True)
class Field:
    """One member of a structure."""

    name: str
    """Its C name; for a member of an embedded structure, with that structure's name and a dot before it."""
    kind: Kind
    """Its C type. `alignment` stands for unused bytes that only 64-bit programs have."""
    size: int = 1
    """The number of bytes of a `char` or `byte`."""
    since: int = 1
    """The first version that has the member."""
    default: int | str = 0
    """The initial value that the C header gives it."""

    def format(self, pointer_size: PointerSize) -> str:
        """Return the member in the notation of `struct`."""
        if self.kind == "pointer":
            return "I" if pointer_size == WIRE else "Q"
        if self.kind == "alignment":
            return "" if pointer_size == WIRE else f"{self.size}x"
        return {"long": "i", "int64": "q", "char": f"{self.size}s", "byte": f"{self.size}s"}[self.kind]

    def from_binary(self, value: bytes, charset: str) -> str:
        """Turn the bytes of a `char` or `byte` member into its value."""
        if self.kind == "byte":
            return value.hex()
        text = value.decode(charset, errors="replace")
        return text if self.size == 1 else text.partition("\0")[0].rstrip(" ")

    def to_binary(self, value: int | str, charset: str) -> int | bytes:
        """Return the member's value for `struct` to pack. Raises BadInputError if it does not fit."""
        if isinstance(value, str) == (self.kind in ("long", "int64", "pointer")):
            raise BadInputError(f"{self.name} cannot hold {value!r}")
        if isinstance(value, int):
            bits = 64 if self.kind in ("int64", "pointer") else 32
            if not -(2 ** (bits - 1)) <= value < 2**bits:
                raise BadInputError(f"{self.name} cannot hold {value}")
            signed = self.kind != "pointer" and value >= 2 ** (bits - 1)
            return value - 2**bits if signed else value
        if self.kind == "byte":
            return self._identifier(value)
        try:
            text = value.encode(charset)
        except UnicodeEncodeError as error:
            raise BadInputError(f"{self.name} has a character that {charset} lacks: {value!r}") from error
        if len(text) > self.size:
            raise BadInputError(f"{self.name} holds {self.size} characters, not {value!r}")
        return text.ljust(self.size, " ".encode(charset))

    def _identifier(self, value: str) -> bytes:
        try:
            identifier = bytes.fromhex(value)
        except ValueError as error:
            raise BadInputError(f"{self.name} is not hexadecimal text: {value!r}") from error
        if identifier and len(identifier) != self.size:
            raise BadInputError(f"{self.name} is {2 * self.size} hexadecimal characters, not {value!r}")
        return identifier.ljust(self.size, b"\0")


@dataclass(frozen=True, eq=False)
class Layout:
    """The layout of one structure in all its versions."""

    name: str
    """The C name of the structure, such as MQMD."""
    struc_id: str
    """The four characters that it begins with."""
    fields: tuple[Field, ...]
    """Its members after StrucId and Version, in their order."""
    versions: tuple[int, ...]
    """The versions that are known."""
    initial_version: int = 1
    """The version that the C header gives it."""

    @cached_property
    def defaults(self) -> Values:
        """The initial values of the C header, for every version's members."""
        return {"Version": self.initial_version, **{field.name: field.default for field in self._named}}

    @cached_property
    def _named(self) -> tuple[Field, ...]:
        return tuple(field for field in self.fields if field.kind != "alignment")

    @cache  # noqa: B019  # layouts are constants of this module
    def members(self, version: int) -> tuple[Field, ...]:
        """Return that version's members after Version. Raises BadInputError if there is no such version."""
        if version not in self.versions:
            known = ", ".join(map(str, self.versions))
            raise BadInputError(f"{self.name} has no version {version}; known: {known}")
        return tuple(field for field in self._named if field.since <= version)

    @cache  # noqa: B019  # as above
    def _struct(self, version: int, order: ByteOrder, pointer_size: PointerSize) -> struct.Struct:
        self.members(version)
        body = "".join(field.format(pointer_size) for field in self.fields if field.since <= version)
        return struct.Struct(("<" if order == "little" else ">") + "4si" + body)

    def length(self, version: int, pointer_size: PointerSize = WIRE) -> int:
        """Return the structure's length in bytes. Raises BadInputError for an unknown version."""
        return self._struct(version, "big", pointer_size).size

    def places(self, *names: str) -> tuple[range, ...]:
        """Return the places of these members in a structure of the first version as it goes over the wire."""
        form, found = "=4si", {}
        for field in self.members(self.versions[0]):
            start = struct.calcsize(form)
            form += field.format(WIRE)
            found[field.name] = range(start, struct.calcsize(form))
        return tuple(found[name] for name in names)

    def starts(self, data: bytes, charset: str = ASCII) -> bool:
        """Return whether `data` begins with this structure's identifier."""
        return data[:4] == self.struc_id.encode(charset)

    def decode(
        self, data: bytes, order: ByteOrder, charset: str = ASCII, *, pointer_size: PointerSize = WIRE
    ) -> Values:
        """Read the structure at the beginning of `data`; bytes after it are ignored.

        Raises BadInputError for another StrucId, an unknown version, and data that end too early.
        """
        if not self.starts(data, charset):
            raise BadInputError(f"not an {self.name}: it begins with {data[:4].hex() or 'nothing'}")
        if len(data) < 8:
            raise BadInputError(f"{self.name} ends after {len(data)} bytes")
        version = int.from_bytes(data[4:8], order, signed=True)
        form = self._struct(version, order, pointer_size)
        if len(data) < form.size:
            raise BadInputError(f"{self.name} version {version} has {form.size} bytes, here are {len(data)}")
        _, _, *values = form.unpack_from(data)
        pairs = zip(self.members(version), values, strict=True)
        decoded = {
            field.name: value if isinstance(value, int) else field.from_binary(value, charset) for field, value in pairs
        }
        return {"Version": version, **decoded}

    def encode(
        self,
        values: Mapping[str, int | str],
        order: ByteOrder,
        charset: str = ASCII,
        *,
        pointer_size: PointerSize = WIRE,
    ) -> bytes:
        """Write the structure; members left out have their initial value, text is padded with blanks.

        Members that only a later version has are left out. An empty byte field is one of binary zeros.
        Raises BadInputError for an unknown version or member, and a value that does not fit.
        """
        unknown = values.keys() - self.defaults.keys()
        if unknown:
            raise BadInputError(f"{self.name} has no member {sorted(unknown)[0]}")
        given = {**self.defaults, **values}
        version = given["Version"]
        if not isinstance(version, int):
            raise BadInputError(f"{self.name} has no version {version!r}")
        form = self._struct(version, order, pointer_size)
        body = [field.to_binary(given[field.name], charset) for field in self.members(version)]
        try:
            return form.pack(self.struc_id.encode(charset), version, *body)
        except struct.error as error:
            raise BadInputError(f"{self.name}: {error}") from error


def long(name: str, default: int = 0, since: int = 1) -> Field:
    """Return an MQLONG."""
    return Field(name, "long", since=since, default=default)


def char(name: str, size: int, default: str = "", since: int = 1) -> Field:
    """Return an MQCHAR array, in which blanks pad the value."""
    return Field(name, "char", size, since, default)


def byte(name: str, size: int, since: int = 1) -> Field:
    """Return an MQBYTE array, all of it zero to begin with."""
    return Field(name, "byte", size, since, "00" * size)


def variable_string(name: str, since: int = 1) -> tuple[Field, ...]:
    """Return the members of an MQCHARV."""
    return (
        Field(f"{name}.VSPtr", "pointer", since=since),
        long(f"{name}.VSOffset", since=since),
        long(f"{name}.VSBufSize", since=since),
        long(f"{name}.VSLength", since=since),
        long(f"{name}.VSCCSID", MQCCSI.APPL, since=since),
    )
