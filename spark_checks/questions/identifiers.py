"""Identifiers as people write them: from a report, a listing, a Java program, or their own text.

>>> [one[:12] for one in Wanted.of("ID:414d51aa").exact]
['414d51aa0000']
>>> Wanted.of("...0123456789ab").ending
'0123456789ab'
>>> [one[:8] for one in Wanted.of("ORD7").exact]
['4f524437', 'd6d9c4f7']
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from oracle.errors import UsageError

BYTES = 24
"""The length of MsgId, CorrelId and GroupId."""
DIGITS = 2 * BYTES

_HEX = re.compile(r"[0-9a-fA-F]+")
_EBCDIC = "cp037"
_SHORTEST_ENDING = 6


@dataclass(frozen=True)
class Wanted:
    """An identifier that is searched for."""

    given: str
    """What was typed."""
    exact: tuple[str, ...] = ()
    """Its possible values, each as 48 hexadecimal digits. Empty if only its ending is given."""
    ending: str | None = None
    """The hexadecimal digits that it ends with. None if it is given whole."""

    @staticmethod
    def of(given: str) -> Wanted:
        """Read an identifier: hexadecimal digits (also `ID:...`, `X'...'`, `0x...`, with blanks or colons), or a text.

        Trailing nulls may be left out. Three dots stand for the beginning, as in reports. An input that may be digits
        or a text counts as both. Raises UsageError if it is too long for an identifier.
        """
        text = given.strip().strip("\0")
        if not text:
            raise UsageError("an identifier is empty")
        if text.startswith("..."):
            return Wanted(given, ending=_ending(given, text.removeprefix("...")))
        digits = _digits(text)
        exact = []
        if digits is not None and len(digits) % 2 == 0 and len(digits) <= DIGITS:
            exact.append(digits.ljust(DIGITS, "0"))
        marked = text[:3].upper() == "ID:" or text[:2].upper() in ("X'", "0X")
        if not marked and not (exact and len(digits or "") == DIGITS):
            exact += _as_text(text)
        if not exact:
            raise UsageError(
                f"{given}: an identifier is up to {DIGITS} hexadecimal digits, or a text of up to {BYTES} bytes"
            )
        return Wanted(given, tuple(dict.fromkeys(exact)))


def _ending(given: str, text: str) -> str:
    if not _HEX.fullmatch(text) or not _SHORTEST_ENDING <= len(text) <= DIGITS:
        raise UsageError(f"{given}: ... must be followed by at least {_SHORTEST_ENDING} hexadecimal digits")
    return text.lower()


def _digits(text: str) -> str | None:
    """Return the hexadecimal digits of an identifier that is written in them; None if it is not."""
    bare = re.sub(r"^(?:[Ii][Dd]:|0[xX])", "", text)
    quoted = re.fullmatch(r"[Xx]'(.*)'", bare)
    bare = re.sub(r"[\s:]", "", quoted[1] if quoted else bare)
    return bare.lower() if _HEX.fullmatch(bare) else None


def _as_text(text: str) -> list[str]:
    """Return a text as the bytes of an identifier, in the code page of most systems and in that of z/OS."""
    found = []
    for page in ("utf-8", _EBCDIC):
        try:
            encoded = text.encode(page)
        except UnicodeEncodeError:
            continue
        if len(encoded) <= BYTES:
            found.append(encoded.hex().ljust(DIGITS, "0"))
    return found


def shown_id(identifier: str | None) -> str:
    """Return an identifier for people: as text if it is one, without its trailing nulls."""
    if identifier is None:
        return "not captured"
    try:
        text = bytes.fromhex(identifier).rstrip(b"\0").decode("ascii")
    except (UnicodeDecodeError, ValueError):
        return identifier
    return f"{identifier} ({text})" if text.isprintable() and text.strip() else identifier
