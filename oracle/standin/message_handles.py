"""Message handles: the properties of messages by name, for MQSETMP and MQINQMP.

The model has no message handles. This module puts the properties of a message as the folders of an MQRFH2, and turns
these into properties again when the message is got. No rule is behind the order of properties, their descriptors and
their types.
"""

from __future__ import annotations

import itertools
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final
from xml.sax.saxutils import escape, unescape

from oracle.model.conversion.rules_header import RulesHeader, read_header
from oracle.mqi.connection_layouts import NATIVE_ORDER
from oracle.mqi.constants import MQCCSI, MQENC, MQFMT, MQRC
from oracle.mqi.layouts import MQPMO, MQRFH2, Values, byte_order, codec
from oracle.mqi.structures import MessageDescriptor
from oracle.standin.answers import Failed
from oracle.standin.memory import member
from oracle.standin.options import DELETE_PROPERTY, INQUIRE_PROPERTY

NULL: Final = 2
BOOLEAN: Final = 4
BYTE_STRING: Final = 8
INT8, INT16, INT32, INT64 = 16, 32, 64, 128
FLOAT32, FLOAT64 = 256, 512
STRING: Final = 1024

FORMS: Final = {INT8: "b", INT16: "h", INT32: "i", INT64: "q", FLOAT32: "f", FLOAT64: "d", BOOLEAN: "i"}
_WORDS: Final = {
    BOOLEAN: "boolean",
    BYTE_STRING: "bin.hex",
    INT8: "i1",
    INT16: "i2",
    INT32: "i4",
    INT64: "i8",
    FLOAT32: "r4",
    FLOAT64: "r8",
    STRING: "string",
}
_TYPES: Final = {word: kind for kind, word in _WORDS.items()}

_UTF8: Final = 1208

_NAME: Final = re.compile(r"[^\W\d][\w$]*(\.[^\W\d][\w$]*)*")
_ELEMENT: Final = re.compile(r"<([^\s/>]+)([^>]*?)(/?)>([^<]*)")
_TYPE: Final = re.compile(r"\bdt\s*=\s*[\"']([^\"']+)[\"']")
_NIL: Final = re.compile(r"\bnil\s*=\s*[\"']true[\"']")
_GROUPS: Final = ("mcd", "jms", "usr", "mqext", "mqps", "mq", "sib", "sib_context", "sib_usr", "mq_usr")


@dataclass(frozen=True, slots=True)
class Property:
    """The value of a property."""

    kind: int
    """Its type, such as STRING."""
    value: bytes
    """The value as MQSETMP takes it, in this machine's encoding."""

    def as_python(self) -> object:
        """Return the value for a Python program: text, bytes, a number, a truth value, or None for null."""
        if self.kind == NULL:
            return None
        if self.kind == STRING:
            return self.value.decode("utf-8", errors="replace")
        if self.kind in FORMS:
            (number,) = struct.unpack("=" + FORMS[self.kind], self.value)
            return bool(number) if self.kind == BOOLEAN else number
        return self.value

    def as_text(self) -> str:
        """Return the value as text for a folder."""
        if self.kind == STRING:
            return escape(self.value.decode("utf-8", errors="replace"))
        if self.kind in FORMS:
            number = struct.unpack("=" + FORMS[self.kind], self.value)[0]
            return str(int(bool(number))) if self.kind == BOOLEAN else repr(number)
        return self.value.hex()


def as_bytes(kind: int, value: Any) -> bytes:
    """Return the value of a property as MQSETMP takes it, from a Python value.

    Raises struct.error for a number that this type does not have.
    """
    if kind in FORMS:
        return struct.pack("=" + FORMS[kind], float(value) if kind in (FLOAT32, FLOAT64) else int(value))
    if kind == NULL or value is None:
        return b""
    return value.encode("utf-8") if isinstance(value, str) else bytes(value)


def _from_text(word: str | None, value: str) -> Property:
    kind = _TYPES.get(word or "string", STRING)
    text = unescape(value)
    try:
        if kind == BYTE_STRING:
            return Property(kind, bytes.fromhex(text))
        if kind in (FLOAT32, FLOAT64):
            return Property(kind, struct.pack("=" + FORMS[kind], float(text)))
        if kind in FORMS:
            number = int(text in ("1", "true", "TRUE")) if kind == BOOLEAN else int(text)
            return Property(kind, struct.pack("=" + FORMS[kind], number))
    except (ValueError, struct.error):
        kind = STRING
    return Property(kind, text.encode("utf-8"))


@dataclass
class MessageHandle:
    """The properties that a handle has."""

    hconn: int
    """The connection that it was made with; below 1 if it belongs to none."""
    properties: dict[str, Property] = field(default_factory=dict)
    """The properties by name, in the order in which they were set."""
    cursor: str | None = None
    """The property that was inquired last; None if there is none or it has been deleted."""
    place: int = 0
    """The number of properties before the one that MQIMPO_INQ_NEXT begins with."""

    def reset(self) -> None:
        """Clear the property cursor."""
        self.cursor, self.place = None, 0

    def fill(self, descriptor: MessageDescriptor, data: bytes) -> None:
        """Take the properties of the message with this descriptor and data, in place of all others."""
        self.properties = {}
        self.reset()
        self.add(read_header(descriptor, data))

    def add(self, header: RulesHeader | None) -> None:
        """Add the properties of a header to those of the handle."""
        for folder in () if header is None else header.folders:
            if folder.holds_properties:
                self.properties.update(_properties_of(folder.text))

    def set(self, name: str, kind: int, value: bytes) -> None:
        """Set a property.

        Raises Failed for an invalid name, an invalid type, and a value of a wrong length.
        """
        plain = name.removeprefix("usr.")
        if _NAME.fullmatch(plain) is None:
            raise Failed(MQRC.PROPERTY_NAME_ERROR)
        if kind not in (NULL, BYTE_STRING, STRING, *FORMS):
            raise Failed(MQRC.PROPERTY_TYPE_ERROR)
        if kind in FORMS and len(value) != struct.calcsize("=" + FORMS[kind]):
            raise Failed(MQRC.PROPERTY_TYPE_ERROR)
        self.properties[plain] = Property(kind, value)

    def find(self, name: str, *, after: bool = False) -> tuple[str, Property]:
        """Return the first property of a name, which may end in `%`, or the first one after the one found last.

        The property cursor is then at it. Raises Failed if there is none (MQRC_PROPERTY_NOT_AVAILABLE).
        """
        begin = self.place if after else 0
        self.reset()
        for place, each in enumerate(list(self.properties)[begin:], start=begin + 1):
            if _is_meant(name, each):
                self.cursor, self.place = each, place
                return each, self.properties[each]
        raise Failed(MQRC.PROPERTY_NOT_AVAILABLE)

    def under_cursor(self) -> str:
        """Return the name of the property that was inquired last.

        Raises Failed if none was inquired since the handle was used for a message, or if it has been deleted.
        """
        if self.cursor is None:
            raise Failed(MQRC.PROPERTY_NOT_AVAILABLE)
        return self.cursor

    def delete(self, name: str) -> None:
        """Delete a property.

        Raises Failed if there is none (MQRC_PROPERTY_NOT_AVAILABLE).
        """
        plain = name.removeprefix("usr.")
        if plain not in self.properties:
            raise Failed(MQRC.PROPERTY_NOT_AVAILABLE)
        if list(self.properties).index(plain) < self.place:
            self.place -= 1
        del self.properties[plain]
        if plain == self.cursor:
            self.cursor = None


def inquired(handle: MessageHandle, name: str, options: int) -> tuple[str, Property]:
    """Return the property that MQINQMP selects with these options of an MQIMPO, and its name.

    Raises Failed if there is none (MQRC_PROPERTY_NOT_AVAILABLE).
    """
    if options & INQUIRE_PROPERTY["INQ_PROP_UNDER_CURSOR"].value:
        under = handle.under_cursor()
        return under, handle.properties[under]
    return handle.find(name, after=bool(options & INQUIRE_PROPERTY["INQ_NEXT"].value))


def meant(handle: MessageHandle, name: str, options: int) -> str:
    """Return the name of the property that MQSMPO or MQDMPO selects: both have an option for the one under the cursor.

    Raises Failed if there is none under the cursor (MQRC_PROPERTY_NOT_AVAILABLE).
    """
    return handle.under_cursor() if options & DELETE_PROPERTY["DEL_PROP_UNDER_CURSOR"].value else name


def _is_meant(name: str, each: str) -> bool:
    """Return whether a name, which may end in `%`, means a property.

    `usr.%` means those without a group of their own.
    """
    wanted = name.removeprefix("usr.")
    if not wanted.endswith("%"):
        return each == wanted
    return each.startswith(wanted[:-1]) and ("." not in each or wanted == name)


def into_buffer(
    handle: MessageHandle, name: str, descriptor: MessageDescriptor, *, delete: bool
) -> tuple[MessageDescriptor, bytes]:
    """Return an MQRFH2 with the properties of a name, and its descriptor; the data that it described follow it.

    Raises Failed if there is none (MQRC_PROPERTY_NOT_AVAILABLE).
    """
    chosen = {each: value for each, value in handle.properties.items() if _is_meant(name, each)}
    if not chosen:
        raise Failed(MQRC.PROPERTY_NOT_AVAILABLE)
    if delete:
        for each in chosen:
            handle.delete(each)
    return _described(descriptor), _header(descriptor, list(_folders(chosen)))


def from_buffer(
    handle: MessageHandle, descriptor: MessageDescriptor, data: bytes, *, delete: bool
) -> tuple[MessageDescriptor, bytes]:
    """Take the properties from data that begin with an MQRFH2.

    Return descriptor and data, without them if requested.
    """
    header = read_header(descriptor, data)
    handle.add(header)
    return (descriptor, data) if header is None or not delete else header.without_properties()


_HANDLES: Final[dict[int, MessageHandle]] = {}
_NUMBERS: Final = itertools.count(1)


def create(hconn: int) -> int:
    """Make a message handle, and return it."""
    hmsg = next(_NUMBERS)
    _HANDLES[hmsg] = MessageHandle(hconn)
    return hmsg


def find(hconn: int, hmsg: int) -> MessageHandle:
    """Return a message handle of a connection, or one that belongs to none.

    Raises Failed if there is none (MQRC_HMSG_ERROR).
    """
    handle = _HANDLES.get(hmsg)
    if handle is None or (handle.hconn > 0 and handle.hconn != hconn):
        raise Failed(MQRC.HMSG_ERROR)
    return handle


def delete(hconn: int, hmsg: int) -> None:
    """Delete a message handle.

    Raises Failed if there is none (MQRC_HMSG_ERROR).
    """
    find(hconn, hmsg)
    del _HANDLES[hmsg]


def forget(hconn: int) -> None:
    """Delete the message handles of a connection that has ended."""
    for hmsg in [hmsg for hmsg, handle in _HANDLES.items() if handle.hconn == hconn]:
        del _HANDLES[hmsg]


def with_properties(
    hconn: int, pmo: bytes, descriptor: MessageDescriptor, data: bytes
) -> tuple[MessageDescriptor, bytes]:
    """Return descriptor and data of a message as they are put, with an MQRFH2 for the properties of its handle.

    Raises Failed for an invalid handle.
    """
    hmsg = member(MQPMO, pmo, "OriginalMsgHandle")
    if not hmsg:
        return descriptor, data
    handle = find(hconn, hmsg)
    handle.reset()
    return wrapped(handle, descriptor, data)


def wrapped(handle: MessageHandle, descriptor: MessageDescriptor, data: bytes) -> tuple[MessageDescriptor, bytes]:
    """Return descriptor and data of a message with the properties of a handle, in an MQRFH2 before its data."""
    if not handle.properties:
        return descriptor, data
    return _described(descriptor), _header(descriptor, list(_folders(handle.properties))) + data


def _described(descriptor: MessageDescriptor) -> MessageDescriptor:
    return replace(descriptor, format=MQFMT.RF_HEADER_2, encoding=MQENC.NATIVE, coded_char_set_id=_UTF8)


def _header(descriptor: MessageDescriptor, folders: list[str]) -> bytes:
    parts = b""
    for folder in folders:
        text = folder.encode("utf-8")
        text += b" " * (-len(text) % 4)
        parts += len(text).to_bytes(4, NATIVE_ORDER) + text
    ccsid = descriptor.coded_char_set_id or MQCCSI.INHERIT
    values: Values = {
        "StrucLength": MQRFH2.length(2) + len(parts),
        "Encoding": descriptor.encoding,
        "CodedCharSetId": ccsid,
        "Format": descriptor.format,
        "NameValueCCSID": _UTF8,
    }
    return MQRFH2.encode(values, byte_order(MQENC.NATIVE), codec(_UTF8)) + parts


def _folders(properties: dict[str, Property]) -> Iterator[str]:
    """Yield a folder for each group of properties: usr, or the part of the name before the first full stop."""
    groups: dict[str, list[str]] = {}
    for name, value in properties.items():
        group, _, rest = name.rpartition(".")
        group = group or "usr"
        attributes = ' xsi:nil="true"' if value.kind == NULL else f' dt="{_WORDS[value.kind]}"'
        text = "" if value.kind == NULL else value.as_text()
        groups.setdefault(group, []).append(f"<{rest}{attributes}>{text}</{rest}>")
    for group, elements in groups.items():
        content = "" if group in _GROUPS else ' content="properties"'
        yield f"<{group}{content}>{''.join(elements)}</{group}>"


def _properties_of(folder: str) -> Iterator[tuple[str, Property]]:
    elements = list(_ELEMENT.finditer(folder))
    group = elements[0].group(1) if elements else ""
    for element in elements[1:]:
        name, attributes, _, value = element.groups()
        kind = _TYPE.search(attributes)
        full = name if group == "usr" else f"{group}.{name}"
        nil = _NIL.search(attributes) is not None
        yield full, Property(NULL, b"") if nil else _from_text(None if kind is None else kind.group(1), value)
