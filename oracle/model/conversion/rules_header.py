"""The MQRFH2 at the beginning of a message: its folders, and which of them contain message properties."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from oracle.errors import BadInputError
from oracle.model.conversion.code_pages import CODE_PAGES
from oracle.mqi.constants import MQCCSI, MQFMT
from oracle.mqi.layouts import MQRFH2, Values, byte_order, codec
from oracle.mqi.structures import MessageDescriptor
from oracle.values import replace

_PROPERTY_FOLDERS: Final = frozenset(
    {
        "jms", "mcd", "mq_usr", "sib", "sib_context", "sib_usr", "usr",
        "ibm", "mq", "mqema", "mqext", "mqps", "mq_svc", "mqtt",
    }
)  # fmt: skip  # names
"""The folders that contain properties whatever their attributes (PRP-11)."""

_COMPATIBLE_FOLDERS: Final = frozenset({"mcd", "jms", "usr", "mqext"})
"""The folders whose names are the prefixes of PRP-09."""

_NAME_VALUE_CCSIDS: Final = (1200, 1208, 13488, 17584)
_TAG: Final = re.compile(r"<\s*([^\s/>]+)([^>]*)>")
_CONTENT: Final = re.compile(r"\bcontent\s*=\s*[\"']properties[\"']")


@dataclass(frozen=True, slots=True)
class Folder:
    """One folder of an MQRFH2."""

    data: bytes
    """The bytes of its NameValueData."""
    text: str
    """The text that they stand for, without blanks and nulls around it."""

    @property
    def name(self) -> str:
        """The folder's name, the prefix of the names of its properties."""
        tag = _TAG.match(self.text)
        return "" if tag is None else tag.group(1)

    @property
    def holds_properties(self) -> bool:
        """Whether the folder contains properties, and not only pairs of names and values (PRP-11)."""
        tag = _TAG.match(self.text)
        return tag is not None and (self.name in _PROPERTY_FOLDERS or _CONTENT.search(tag.group(2)) is not None)

    @property
    def is_compatible(self) -> bool:
        """Whether it has a property, by a tag beside its own, of one of the prefixes of PRP-09."""
        return self.name in _COMPATIBLE_FOLDERS and len(_TAG.findall(self.text)) > 1

    @property
    def meaning(self) -> tuple[str, ...]:
        """The meaning of the folder, without blanks between tags and without attributes of no effect."""
        tokens = (" ".join(token.replace("'", '"').split()) for token in re.findall(r"<[^>]*>|[^<]+", self.text))
        plain = (token.replace(' dt="string"', "").replace(' content="properties"', "") for token in tokens)
        return tuple(token for token in plain if token)


@dataclass(frozen=True, slots=True)
class RulesHeader:
    """An MQRFH2 and what follows it."""

    descriptor: MessageDescriptor
    """The descriptor of the message that it begins."""
    values: Values
    """The members of its fixed part by their C names."""
    folders: tuple[Folder, ...]
    """Its folders in their order."""
    rest: bytes
    """The data behind it."""

    @property
    def rest_descriptor(self) -> MessageDescriptor:
        """The descriptor of what follows, as if the header were not there."""
        md = self.descriptor
        ccsid, encoding, name = (self.values[member] for member in ("CodedCharSetId", "Encoding", "Format"))
        if not isinstance(ccsid, int) or not isinstance(encoding, int):
            raise TypeError("these members are integers")
        own = md.coded_char_set_id if ccsid in (MQCCSI.INHERIT, MQCCSI.UNDEFINED) else ccsid
        return replace(md, coded_char_set_id=own, encoding=encoding, format=str(name))

    @property
    def meaning(self) -> tuple[object, ...]:
        """The meaning of header and message, however the folders are written."""
        folders = sorted(folder.meaning for folder in self.folders)
        return folders, self.rest_descriptor, self.values["Flags"], self.rest

    def without_properties(self) -> tuple[MessageDescriptor, bytes]:
        """Return descriptor and data without the properties, and without the header if nothing is left in it."""
        kept = [folder for folder in self.folders if not folder.holds_properties]
        if not kept:
            return self.rest_descriptor, self.rest
        order = byte_order(self.descriptor.encoding)
        pairs = b"".join(len(folder.data).to_bytes(4, order) + folder.data for folder in kept)
        values = {**self.values, "StrucLength": MQRFH2.length(2) + len(pairs)}
        header = MQRFH2.encode(values, order, codec(self.descriptor.coded_char_set_id))
        return self.descriptor, header + pairs + self.rest


def read_header(md: MessageDescriptor, data: bytes) -> RulesHeader | None:
    """Return the MQRFH2 that a message begins with, or None if there is none or it cannot be read."""
    if md.format != MQFMT.RF_HEADER_2:
        return None
    order = byte_order(md.encoding)
    try:
        values = MQRFH2.decode(data, order, codec(md.coded_char_set_id))
    except BadInputError:
        return None
    length, ccsid = values["StrucLength"], values["NameValueCCSID"]
    fixed = MQRFH2.length(2)
    if not isinstance(length, int) or not fixed <= length <= len(data) or ccsid not in _NAME_VALUE_CCSIDS:
        return None
    folders = _folders(_name_value_data(data[fixed:length], order), int(ccsid), md.encoding)
    return None if folders is None else RulesHeader(md, values, folders, data[length:])


def _name_value_data(data: bytes, order: str) -> Iterator[bytes | None]:
    """Yield each NameValueData; None if a length leads beyond the header."""
    place = 0
    while place < len(data):
        length = int.from_bytes(data[place : place + 4], "little" if order == "little" else "big", signed=True)
        begin = place + 4
        place = begin + length
        yield data[begin:place] if length >= 0 and place <= len(data) else None
        if length < 0:
            return


def _folders(parts: Iterable[bytes | None], ccsid: int, encoding: int) -> tuple[Folder, ...] | None:
    folders: list[Folder] = []
    for data in parts:
        text = "" if data is None else CODE_PAGES[ccsid].decode(data, encoding).strip(" \0")
        if data is None or _TAG.match(text) is None:
            return None
        folders.append(Folder(data, text))
    return tuple(folders)
