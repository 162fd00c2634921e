"""Converting messages in programmable command format (PCF): integers, and strings that keep their length.

The documents do not say what becomes of a string whose length changes, so that is not modelled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from oracle.errors import NotModelledError
from oracle.model.conversion.code_pages import CODE_PAGES, convert_text
from oracle.mqi.constants import MQFMT
from oracle.mqi.layouts import byte_order

FORMATS: Final = frozenset({MQFMT.ADMIN, MQFMT.EVENT, MQFMT.PCF})
"""The formats of messages that consist of PCF only."""

_HEADER_LENGTH: Final = 36
_SHORTEST: Final = 12


@dataclass(frozen=True, slots=True)
class _Structure:
    """The layout of a structure: integers, then 64-bit integers, or the rest as text or bytes.

    `integers` is how many there are, None if there is nothing else. `ccsid` is which of them describes the text.
    """

    integers: int | None = None
    long_integers: bool = False
    ccsid: int | None = None


_HEADERS: Final = frozenset({1, 2, 7, 8, 16, 17, 18, 19, 21, 22})
"""The types (MQCFT) of headers: of commands, responses, events, accounting and statistics."""

_PARAMETERS: Final = {
    3: _Structure(),
    4: _Structure(5, ccsid=3),
    5: _Structure(),
    6: _Structure(6, ccsid=3),
    9: _Structure(4),
    13: _Structure(),
    14: _Structure(6, ccsid=4),
    15: _Structure(5),
    20: _Structure(),
    23: _Structure(4, long_integers=True),
    25: _Structure(4, long_integers=True),
}
"""The parameters, by their types (MQCFT)."""

_LENGTH_OF_TEXT: Final = {4: 4, 14: 5}
"""The integer that gives the length of the text; in a list, another one gives the number of texts."""
_LIST: Final = 6

Text = tuple[int, int]
"""A CodedCharSetId and an Encoding."""


def convert_commands(data: bytes, form: Text, target: Text) -> tuple[bytes, tuple[range, ...]] | None:
    """Return PCF in another form, and the places of arbitrary bytes; None if it is not PCF.

    Raises NotModelledError for a string that has another length then.
    """
    out, free, at = bytearray(), list[range](), 0
    order = byte_order(form[1])
    while at < len(data):
        kind = int.from_bytes(data[at : at + 4], order, signed=True)
        length = int.from_bytes(data[at + 4 : at + 8], order, signed=True)
        is_header = kind in _HEADERS and length == _HEADER_LENGTH
        if (at == 0) > is_header or length < _SHORTEST or length % 4 or at + length > len(data):
            return None
        if not is_header and kind not in _PARAMETERS:
            return None
        piece = data[at : at + length]
        converted = _integers(piece, form, target) if is_header else _parameter(kind, piece, form, target)
        if converted is None:
            return None
        out += converted[0]
        free += [range(at + each.start, at + each.stop) for each in converted[1]]
        at += length
    return bytes(out), tuple(free)


_Converted = tuple[bytes, tuple[range, ...]]


def _integers(data: bytes, form: Text, target: Text, size: int = 4) -> _Converted:
    if byte_order(form[1]) == byte_order(target[1]):
        return data, ()
    return b"".join(data[at : at + size][::-1] for at in range(0, len(data), size)), ()


def _parameter(kind: int, piece: bytes, form: Text, target: Text) -> _Converted | None:
    structure = _PARAMETERS[kind]
    if structure.integers is None:
        return _integers(piece, form, target)
    start = 4 * structure.integers
    if len(piece) < start:
        return None
    fixed, rest = _integers(piece[:start], form, target)[0], piece[start:]
    if structure.long_integers:
        return fixed + _integers(rest, form, target, 8)[0], ()
    if structure.ccsid is None:
        return fixed + rest, ()
    return _with_text(kind, structure.ccsid, (piece, fixed), form, target)


def _with_text(kind: int, ccsid: int, parts: tuple[bytes, bytes], form: Text, target: Text) -> _Converted | None:
    """Return a structure with its text converted. `parts` are the original whole, and its integers after conversion."""
    piece, fixed = parts
    order, start = byte_order(form[1]), len(fixed)
    numbers = [int.from_bytes(piece[at : at + 4], order, signed=True) for at in range(0, start, 4)]
    length = numbers[4] * numbers[5] if kind == _LIST else numbers[_LENGTH_OF_TEXT[kind]]
    if not 0 <= length <= len(piece) - start:
        return None
    own = numbers[ccsid] or form[0]
    if own == target[0]:
        return fixed + piece[start:], ()
    if own not in CODE_PAGES:
        raise NotModelledError(f"MQGMO_CONVERT of PCF with the CodedCharSetId {own} is not modelled")
    text = convert_text(piece[start : start + length], (own, form[1]), target)
    if text.open or text.faulty or len(text.data) != length:
        raise NotModelledError("MQGMO_CONVERT of PCF with a string whose length changes is not modelled")
    free = [range(start + each.start, start + each.stop) for each in text.free]
    if numbers[ccsid]:
        place = range(4 * ccsid, 4 * ccsid + 4)
        fixed = fixed[: place.start] + target[0].to_bytes(4, byte_order(target[1]), signed=True) + fixed[place.stop :]
        free.append(place)
    return fixed + text.data + piece[start + length :], tuple(free)
