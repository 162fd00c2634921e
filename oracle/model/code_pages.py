"""Code pages: which characters the bytes of a CodedCharSetId stand for, as far as that is beyond doubt.

The documents leave it to the queue manager which code pages it supports (CVP-10), and say nothing about characters
that the other code page lacks, nor about the control characters, for which there is more than one usual table.
Conversion therefore tells which bytes of its result are certain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from oracle.constants import MQENC
from oracle.layouts import byte_order

Family = Literal["iso", "windows", "pc", "ebcdic", "east-asian", "utf-8", "utf-16"]

_UNICODE: Final = ("utf-8", "utf-16")
_REPLACEMENT: Final = "\ufffd"
_SUBSTITUTE: Final = "?"
_DOUBTED_ANYWHERE: Final = frozenset("\u20ac\u00a4\ufeff" + _REPLACEMENT)
"""The euro and the sign whose place it took, the byte order mark, and what could not be read."""


@dataclass(frozen=True, slots=True)
class CodePage:
    """A code page: the Python codec that knows it, and the family that says what is in doubt.

    `swapped`: pairs of characters that stand in each other's places in the codec.
    """

    codec: str
    family: Family
    swapped: str = ""

    def decode(self, data: bytes, encoding: int) -> str:
        """Return the characters; what stands for none is the replacement character."""
        return data.decode(self._codec(encoding), errors="replace").translate(self._swap)

    def encode(self, character: str, encoding: int) -> bytes | None:
        """Return the bytes of a character, or None if the code page lacks it."""
        try:
            return character.translate(self._swap).encode(self._codec(encoding))
        except UnicodeEncodeError:
            return None

    @property
    def single_byte(self) -> bool:
        """Whether every character is one byte."""
        return self.family not in (*_UNICODE, "east-asian")

    def whole_characters(self, data: bytes, encoding: int) -> bytes:
        """Return the data without a character that was cut in two at their end (CVP-04)."""
        for length in range(len(data), max(len(data) - 4, -1), -1):
            if not self.decode(data[:length], encoding).endswith(_REPLACEMENT):
                return data[:length]
        return data

    def _codec(self, encoding: int) -> str:
        if self.family != "utf-16":
            return self.codec
        return "utf-16-le" if byte_order(encoding) == "little" else "utf-16-be"

    @property
    def _swap(self) -> dict[int, str]:
        pairs = zip(self.swapped[::2], self.swapped[1::2], strict=True)
        return {ord(one): other for pair in pairs for one, other in (pair, pair[::-1])}


def _pages(family: Family, **codecs: str) -> dict[int, CodePage]:
    return {int(name.removeprefix("_")): CodePage(codec, family) for name, codec in codecs.items()}


CODE_PAGES: Final[dict[int, CodePage]] = {
    **_pages("ebcdic", _37="cp037", _273="cp273", _500="cp500", _1026="cp1026", _1140="cp1140"),
    1047: CodePage("cp037", "ebcdic", swapped="^\u00ac[\u00dd]\u00a8"),
    **_pages("pc", _437="cp437", _850="cp850", _852="cp852", _855="cp855", _857="cp857", _858="cp858", _866="cp866"),
    **_pages("iso", _819="latin-1", _912="iso8859-2", _913="iso8859-3", _914="iso8859-4", _915="iso8859-5"),
    **_pages("iso", _813="iso8859-7", _920="iso8859-9", _923="iso8859-15"),
    **_pages("windows", _1250="cp1250", _1251="cp1251", _1252="cp1252", _1253="cp1253", _1254="cp1254"),
    **_pages("windows", _1257="cp1257", _5346="cp1250", _5347="cp1251", _5348="cp1252"),
    **_pages("east-asian", _932="cp932", _943="cp932", _954="euc_jp", _950="big5", _1381="gb2312", _1386="gbk"),
    **_pages("utf-8", _1208="utf-8"),
    **_pages("utf-16", _1200="utf-16", _13488="utf-16", _17584="utf-16"),
}
"""The code pages that are known here, by CodedCharSetId; a queue manager may support others."""

UNICODE_PAIRS: Final = frozenset(ccsid for ccsid, page in CODE_PAGES.items() if page.family == "utf-16")
"""The code pages whose bytes are ordered as the Encoding says."""


@dataclass(frozen=True, slots=True)
class Text:
    """Character data after conversion, and what is certain about them.

    `free` are the places that may hold any bytes; with `open`, length and bytes are not known at all. `faulty`: the
    data have a character that cannot be converted for certain, so that conversion may as well fail. `ends` says where
    characters end.
    """

    data: bytes
    free: tuple[range, ...] = ()
    open: bool = False
    faulty: bool = False
    ends: tuple[int, ...] = ()


def convert_text(data: bytes, source: tuple[int, int], target: tuple[int, int]) -> Text:
    """Convert character data; `source` and `target` are a CodedCharSetId that is known here and an Encoding."""
    if source[0] == target[0] and CODE_PAGES[source[0]].family != "utf-16":
        return Text(data, ends=tuple(range(len(data) + 1)))
    page, other = CODE_PAGES[source[0]], CODE_PAGES[target[0]]
    parts: list[bytes] = []
    ends, free, faulty, doubtful = [0], [], False, False
    for character in page.decode(data, source[1]):
        encoded = other.encode(character, target[1])
        faulty = faulty or encoded is None or character == _REPLACEMENT
        part = encoded if encoded is not None else other.encode(_SUBSTITUTE, target[1]) or b""
        parts.append(part)
        ends.append(ends[-1] + len(part))
        if encoded is None or _doubted(character, page, other):
            doubtful = True
            free.append(range(ends[-2], ends[-1]))
    same_length = page.single_byte and other.single_byte
    return Text(b"".join(parts), tuple(free), doubtful and not same_length, faulty, tuple(ends))


def _doubted(character: str, source: CodePage, target: CodePage) -> bool:
    """Whether queue managers may differ in what they make of a character that both code pages seem to have."""
    families = (source.family, target.family)
    if character == _REPLACEMENT:
        return True
    if all(family in _UNICODE for family in families):
        return character == "\ufeff"
    if character in _DOUBTED_ANYWHERE:
        return True
    if "east-asian" in families:
        return not character.isascii() or character in "\\~"
    return any(_is_doubted_control(character, family, families) for family in families)


def _is_doubted_control(character: str, family: Family, families: tuple[Family, Family]) -> bool:
    if family == "pc":
        return character in "\x1a\x1c\x7f" or "\x80" <= character < "\xa0"
    if family == "windows":
        return "\x80" <= character < "\xa0"
    control = character < " " or "\x7f" <= character < "\xa0"
    return family == "ebcdic" and control and families != ("ebcdic", "ebcdic")


def swapped_pairs(data: bytes) -> bytes:
    """Return data with the two bytes of each pair exchanged; a single byte at the end stays."""
    even = len(data) & ~1
    return b"".join(data[place : place + 2][::-1] for place in range(0, even, 2)) + data[even:]


def bad_encodings(encoding: int) -> Iterator[Literal["integer", "decimal", "float"]]:
    """Yield the kinds of numbers whose representation an Encoding does not state, or states as none that exists."""
    if encoding & MQENC.INTEGER_MASK not in (MQENC.INTEGER_NORMAL, MQENC.INTEGER_REVERSED):
        yield "integer"
    if encoding & MQENC.DECIMAL_MASK not in (MQENC.DECIMAL_NORMAL, MQENC.DECIMAL_REVERSED):
        yield "decimal"
    if encoding & MQENC.FLOAT_MASK not in _FLOATS or encoding & ~_ALL_NUMBERS:
        yield "float"


_ALL_NUMBERS: Final = MQENC.INTEGER_MASK | MQENC.DECIMAL_MASK | MQENC.FLOAT_MASK
_FLOATS: Final = (MQENC.FLOAT_IEEE_NORMAL, MQENC.FLOAT_IEEE_REVERSED, MQENC.FLOAT_S390, MQENC.FLOAT_TNS)
