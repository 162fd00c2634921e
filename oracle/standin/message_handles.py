"""Message handles: the properties of messages by name, as MQSETMP and MQINQMP have them.

The model has no message handles. Here the properties of a message are put as the folders of an MQRFH2, and made into
properties again on the way out. No rule is behind the order of properties, their descriptors and their types.
"""

from __future__ import annotations

import itertools
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final
from xml.sax.saxutils import escape, unescape

from oracle.model.rules_header import RulesHeader, read_header
from oracle.mqi.connection_layouts import NATIVE_ORDER
from oracle.mqi.constants import MQCCSI, MQENC, MQFMT, MQRC
from oracle.mqi.layouts import MQPMO, MQRFH2, Values, byte_order, codec
from oracle.mqi.structures import MessageDescriptor
from oracle.standin.answers import Failed
from oracle.standin.memory import member

NULL: Final = 2
BOOLEAN: Final = 4
BYTE_STRING: Final = 8
INT8, INT16, INT32, INT64 = 16, 32, 64, 128
FLOAT32, FLOAT64 = 256, 512
STRING: Final = 1024

FORMS: Final = {INT8: "b", INT16: "h", INT32: "i", INT64: "q", FLOAT32: "f", FLOAT64: "d", BOOLEAN: "i"}
_WORDS: Final = {
    BOOLEAN: "boolean", BYTE_STRING: "bin.hex", INT8: "i1", INT16: "i2", INT32: "i4", INT64: "i8",
    FLOAT32: "r4", FLOAT64: "r8", STRING: "string",
}  # fmt: skip
_TYPES: Final = {word: kind for kind, word in _WORDS.items()}

_UTF8: Final = 1208

_NAME: Final = re.compile(r"[^\W\d][\w$]*(\.[^\W\d][\w$]*)*")
_ELEMENT: Final = re.compile(r"<([^\s/>]+)([^>]*?)(/?)>([^<]*)")
_TYPE: Final = re.compile(r"\bdt\s*=\s*[\"']([^\"']+)[\"']")
_NIL: Final = re.compile(r"\bnil\s*=\s*[\"']true[\"']")
_GROUPS: Final = ("mcd", "jms", "usr", "mqext", "mqps", "mq", "sib", "sib_context", "sib_usr", "mq_usr")


@dataclass(frozen=True, slots=True)
class Property:
    """The value of a property as MQSETMP takes it, in this machine's encoding, and its type."""

    kind: int
    value: bytes

    def as_text(self) -> str:
        """Return the value as a folder has it."""
        if self.kind == STRING:
            return escape(self.value.decode("utf-8", errors="replace"))
        if self.kind in FORMS:
            number = struct.unpack("=" + FORMS[self.kind], self.value)[0]
            return str(int(bool(number))) if self.kind == BOOLEAN else repr(number)
        return self.value.hex()


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
    """The properties that a handle has, by name in the order in which they were set, and the one last inquired."""

    hconn: int
    properties: dict[str, Property] = field(default_factory=dict)
    cursor: str | None = None

    def fill(self, descriptor: MessageDescriptor, data: bytes) -> None:
        """Take the properties of a message, of which these are descriptor and data, in the place of all others."""
        self.properties, self.cursor = {}, None
        self.add(read_header(descriptor, data))

    def add(self, header: RulesHeader | None) -> None:
        """Take the properties of a header beside those that the handle has."""
        for folder in () if header is None else header.folders:
            if folder.holds_properties:
                self.properties.update(_properties_of(folder.text))

    def set(self, name: str, kind: int, value: bytes) -> None:
        """Set a property.

        Raises Failed for a name that is none, a type that is none, and a value of a wrong length.
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

        Raises Failed where there is none (MQRC_PROPERTY_NOT_AVAILABLE).
        """
        names = list(self.properties)
        if after and self.cursor in names:
            names = names[names.index(self.cursor) + 1 :]
        self.cursor = next((each for each in names if _is_meant(name, each)), None)
        if self.cursor is None:
            raise Failed(MQRC.PROPERTY_NOT_AVAILABLE)
        return self.cursor, self.properties[self.cursor]

    def delete(self, name: str) -> None:
        """Delete a property.

        Raises Failed where there is none (MQRC_PROPERTY_NOT_AVAILABLE).
        """
        if self.properties.pop(name.removeprefix("usr."), None) is None:
            raise Failed(MQRC.PROPERTY_NOT_AVAILABLE)


def _is_meant(name: str, each: str) -> bool:
    """Whether a name, which may end in `%`, means a property; `usr.%` means those without a group of their own."""
    wanted = name.removeprefix("usr.")
    if not wanted.endswith("%"):
        return each == wanted
    return each.startswith(wanted[:-1]) and ("." not in each or wanted == name)


def into_buffer(
    handle: MessageHandle, name: str, descriptor: MessageDescriptor, *, delete: bool
) -> tuple[MessageDescriptor, bytes]:
    """Return an MQRFH2 of the properties of a name, and the descriptor of it; what it had described comes after it.

    Raises Failed where there is none (MQRC_PROPERTY_NOT_AVAILABLE).
    """
    meant = {each: value for each, value in handle.properties.items() if _is_meant(name, each)}
    if not meant:
        raise Failed(MQRC.PROPERTY_NOT_AVAILABLE)
    if delete:
        handle.properties = {each: value for each, value in handle.properties.items() if each not in meant}
    return _described(descriptor), _header(descriptor, list(_folders(meant)))


def from_buffer(
    handle: MessageHandle, descriptor: MessageDescriptor, data: bytes, *, delete: bool
) -> tuple[MessageDescriptor, bytes]:
    """Take the properties from data that begin with an MQRFH2; return descriptor and data, without them if asked."""
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
    """Return a message handle of a connection, or of none.

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

    Raises Failed for a handle that is none.
    """
    hmsg = member(MQPMO, pmo, "OriginalMsgHandle")
    if not hmsg:
        return descriptor, data
    properties = find(hconn, hmsg).properties
    if not properties:
        return descriptor, data
    return _described(descriptor), _header(descriptor, list(_folders(properties))) + data


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
