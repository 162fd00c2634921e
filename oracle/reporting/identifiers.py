"""Identifiers on a page: shortened in any text, with the full value on hover and in a copy button.

>>> shortened("414d5120514d312020202020202020200000000000000570")
'414d5120…00000570'
>>> shortened("6f6e65000000000000000000000000000000000000000000")
'6f6e65…'
"""

from __future__ import annotations

import re
from typing import Final

from markupsafe import Markup

_LONG: Final = re.compile(r"(?<![0-9A-Za-z])(?:0x)?[0-9A-Fa-f]{24,}(?![0-9A-Za-z])")
"""MsgId, CorrelId, GroupId and the ids of connections in hexadecimal digits, which are too long to read."""
_SHOWN: Final = 8
_PADDING: Final = "0" * _SHOWN


def with_short_identifiers(text: object) -> Markup:
    """Return a text as markup with its long identifiers shortened; everything else is escaped."""
    shown, end = Markup(), 0
    value = str(text)
    for match in _LONG.finditer(value):
        shown += Markup("{}{}").format(value[end : match.start()], _element(match[0]))
        end = match.end()
    return shown + value[end:]


def shortened(identifier: str) -> str:
    """Return the ends of an identifier; for one that an application padded with zeros, the part that it wrote."""
    if identifier.endswith(_PADDING):
        written = identifier.rstrip("0")
        written += "0" * (len(written) % 2)
        if len(written) <= 2 * _SHOWN:
            return f"{written or '00'}…"
        identifier = written
    return f"{identifier[:_SHOWN]}…{identifier[-_SHOWN:]}"


def _element(identifier: str) -> Markup:
    return Markup(
        '<span class="id" title="{whole}">{short}</span>'
        '<button class="copy" type="button" value="{whole}" title="Copy {whole}" aria-label="Copy {whole}"></button>'
    ).format(whole=identifier, short=shortened(identifier))
