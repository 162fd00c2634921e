"""Code pages: the characters that the bytes of a CodedCharSetId stand for, as far as they are certain.

The documents leave it to the queue manager which code pages it supports (CVP-10), and say nothing about characters that
the other code page lacks, nor about the control characters, for which there is more than one usual table. Conversion
therefore returns which bytes of its result are certain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from oracle.mqi.constants import MQENC
from oracle.mqi.layouts import byte_order

Family = Literal["iso", "windows", "pc", "ebcdic", "east-asian", "utf-8", "utf-16"]

_UNICODE: Final = ("utf-8", "utf-16")
_REPLACEMENT: Final = "\ufffd"
_SUBSTITUTE: Final = "?"
_DOUBTED_ANYWHERE: Final = frozenset("\u20ac\u00a4\ufeff" + _REPLACEMENT)
"""The euro and the sign that it replaced, the byte order mark, and the replacement character."""


@dataclass(frozen=True, slots=True)
class CodePage:
    """A code page with its Python codec."""

    codec: str
    """The Python codec. For UTF-16 the Encoding decides which of two it is."""
    family: Family
    """Its family, which decides what is in doubt."""
    instead_of: str = ""
    """Characters of the codec that this code page replaces by those of `stands`."""
    stands: str = ""
    """The characters that this code page has in those places."""

    def decode(self, data: bytes, encoding: int) -> str:
        """Return the characters; bytes that stand for none become the replacement character."""
        text = data.decode(self._codec(encoding), errors="replace")
        return text.translate(str.maketrans(self.instead_of, self.stands)) if self.instead_of else text

    def encode(self, character: str, encoding: int) -> bytes | None:
        """Return the bytes of a character, or None if the code page lacks it."""
        if character in self.instead_of and character not in self.stands:
            return None
        at = self.stands.find(character)
        try:
            return (character if at < 0 else self.instead_of[at]).encode(self._codec(encoding))
        except UnicodeEncodeError:
            return None

    @property
    def single_byte(self) -> bool:
        """Whether every character is one byte."""
        return self.family not in (*_UNICODE, "east-asian")

    def whole_characters(self, data: bytes, encoding: int) -> bytes:
        """Return the data without a character that is cut in two at their end (CVP-04)."""
        for length in range(len(data), max(len(data) - 4, -1), -1):
            if not self.decode(data[:length], encoding).endswith(_REPLACEMENT):
                return data[:length]
        return data

    def _codec(self, encoding: int) -> str:
        if self.family != "utf-16":
            return self.codec
        return "utf-16-le" if byte_order(encoding) == "little" else "utf-16-be"


def _pages(family: Family, **codecs: str) -> dict[int, CodePage]:
    return {int(name.removeprefix("_")): CodePage(codec, family) for name, codec in codecs.items()}


_EURO: Final = ("\u00a4", "\u20ac")

_NATIONAL: Final = {
    # International and German: Python has the codecs without the euro.
    1148: ("¢|!¬^[]", "[!]^¢¬|"),
    1141: ("ä¢|ß!¬Ä¦@~^§[]{ö}ü\\ÖÜ", "{Ä!~Ü^[ö§ß¢@¬|ä¦ü}Ö\\]"),
    # Denmark and Norway, Finland and Sweden, Italy, Spain, Great Britain, France, Iceland
    1142: ("å¢|!$¬Å¦ø#@ØæÆ\u20ac~^[]{}ü", "}#!\u20acÅ^$ø¦ÆØ@{[]ü¢¬|æå~"),
    1143: ("äå¢|é!$¬ÄÅ¦É`#@\u20ac~^§[]{ö}ü\\Ö", "{}§!`\u20acÅ^#$ö\\éÄÖ]ü¢[¬|ä¦å~É@"),
    1144: ("àç¢|éèì!¬¦`#@°~^£§[]{ò}ù\\", "{\\°!]}~é^òù£§[ì¢#@¬|à¦è`ç"),
    1145: ("ñ¢!Ñ¦#~^[]¨", "¦[]#ñÑ¨¢^!~"),
    1146: ("¢$~^£[¯", "$£¯¢[^~"),
    1147: ("àç¢|éè!¬¦`#@°µ~^£§[]¨{}ù\\", "@\\°!{}§^ùµ£à[`¨¢#]¬|~éè¦ç"),
    1149: ("¢|!¬`@ðþæÆ~ÐÞ^[]\u00b4{ö}\\Ö", "Þ!ÆÖðÐ`{}]ö@[¢¬|\\þ~æ\u00b4^"),
}
"""The EBCDIC code pages of Western countries: the characters of 1140 that each replaces, and the replacements."""

_WITHOUT_EURO: Final = {277: 1142, 278: 1143, 280: 1144, 284: 1145, 285: 1146, 297: 1147, 871: 1149}
"""The older code pages, which have the currency sign where the newer ones have the euro."""


def _without_euro(newer: int) -> CodePage:
    instead_of, stands = (text.replace(*_EURO[::-1]) for text in _NATIONAL[newer])
    return CodePage("cp037", "ebcdic", instead_of, stands)


CODE_PAGES: Final[dict[int, CodePage]] = {
    **_pages("ebcdic", _37="cp037", _273="cp273", _500="cp500", _1026="cp1026", _1140="cp1140"),
    **_pages("ebcdic", _424="cp424"),
    1047: CodePage("cp037", "ebcdic", "¬Ý^[]¨", "^[¬Ý¨]"),
    **{number: CodePage("cp1140", "ebcdic", *places) for number, places in _NATIONAL.items()},
    **{number: _without_euro(newer) for number, newer in _WITHOUT_EURO.items()},
    **_pages("pc", _437="cp437", _850="cp850", _852="cp852", _855="cp855", _857="cp857", _858="cp858", _866="cp866"),
    **_pages("pc", _737="cp737", _775="cp775", _860="cp860", _861="cp861", _862="cp862", _863="cp863", _865="cp865"),
    **_pages("pc", _869="cp869", _1125="cp1125"),
    **_pages("iso", _819="latin-1", _912="iso8859-2", _913="iso8859-3", _914="iso8859-4", _915="iso8859-5"),
    **_pages("iso", _813="iso8859-7", _920="iso8859-9", _923="iso8859-15", _916="iso8859-8", _921="iso8859-13"),
    **_pages("iso", _367="ascii", _878="koi8-r", _1089="iso8859-6", _1168="koi8-u"),
    **_pages("windows", _1250="cp1250", _1251="cp1251", _1252="cp1252", _1253="cp1253", _1254="cp1254"),
    **_pages("windows", _1255="cp1255", _1256="cp1256", _1257="cp1257", _1258="cp1258"),
    **_pages("windows", _5346="cp1250", _5347="cp1251", _5348="cp1252", _5349="cp1253", _5350="cp1254"),
    **_pages("windows", _5351="cp1255", _5352="cp1256", _5353="cp1257", _5354="cp1258"),
    **_pages("east-asian", _932="cp932", _943="cp932", _954="euc_jp", _950="big5", _1381="gb2312", _1386="gbk"),
    **_pages("east-asian", _949="cp949", _970="euc_kr", _1363="cp949", _1383="gb2312", _1392="gb18030"),
    **_pages("east-asian", _5050="euc_jp", _5488="gb18030", _33722="euc_jp"),
    **_pages("utf-8", _1208="utf-8"),
    **_pages("utf-16", _1200="utf-16", _13488="utf-16", _17584="utf-16"),
}
"""The known code pages, by CodedCharSetId; a queue manager may support others."""

UNICODE_PAIRS: Final = frozenset(ccsid for ccsid, page in CODE_PAGES.items() if page.family == "utf-16")
"""The code pages whose bytes are ordered as the Encoding says."""


@dataclass(frozen=True, slots=True)
class Text:
    """Character data after conversion, and the certainty about them."""

    data: bytes
    """The bytes that stand for them."""
    free: tuple[range, ...] = ()
    """The places that may hold any bytes."""
    open: bool = False
    """Whether length and bytes are not known at all."""
    faulty: bool = False
    """Whether a character cannot be converted for certain, so that conversion may as well fail."""
    ends: tuple[int, ...] = ()
    """The offsets at which characters end."""


def convert_text(data: bytes, source: tuple[int, int], target: tuple[int, int]) -> Text:
    """Convert character data. `source` and `target` are a known CodedCharSetId and an Encoding."""
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
    """Return whether queue managers may differ in what they make of a character that both code pages seem to have."""
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
    """Return data with the two bytes of each pair exchanged; a single byte at the end is kept."""
    even = len(data) & ~1
    return b"".join(data[place : place + 2][::-1] for place in range(0, even, 2)) + data[even:]


def bad_encodings(encoding: int) -> Iterator[Literal["integer", "decimal", "float"]]:
    """Yield the kinds of numbers whose representation an Encoding does not state, or states wrongly."""
    if encoding & MQENC.INTEGER_MASK not in (MQENC.INTEGER_NORMAL, MQENC.INTEGER_REVERSED):
        yield "integer"
    if encoding & MQENC.DECIMAL_MASK not in (MQENC.DECIMAL_NORMAL, MQENC.DECIMAL_REVERSED):
        yield "decimal"
    if encoding & MQENC.FLOAT_MASK not in _FLOATS or encoding & ~_ALL_NUMBERS:
        yield "float"


_ALL_NUMBERS: Final = MQENC.INTEGER_MASK | MQENC.DECIMAL_MASK | MQENC.FLOAT_MASK
_FLOATS: Final = (MQENC.FLOAT_IEEE_NORMAL, MQENC.FLOAT_IEEE_REVERSED, MQENC.FLOAT_S390, MQENC.FLOAT_TNS)
