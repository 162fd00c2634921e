"""The common part of findings with one cause: the sentence without what differs between them.

>>> way("MQGET by connection 10.0.0.7:4711/1 returned Expiry 57.", ["10.0.0.7:4711/1"])
'MQGET by connection * returned Expiry *.'
>>> alike("10.0.0.7:4711/1"), alike("AMQ.5F3A66C120016E02"), alike("ORDERS.7")
('10.0.0.7:*/*', 'AMQ.*', 'ORDERS.7')
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_IDENTIFIER = re.compile(r"(?<![0-9A-Za-z])(?=[0-9a-fA-F]*\d)[0-9a-fA-F]{8,}(?![0-9A-Za-z])")
"""Names that only one connection, message or dynamic queue has."""
_COUNTER = re.compile(r"(?<=[:/#+@])\d+(?:\.\d+)*(?![\w.])")
"""A port, or the number of a connection of one program."""
_NUMBER = re.compile(r"(?<![\w.-])-?\d+(?:[.,]\d+)*(?!\w)")


def alike(name: str) -> str:
    """Return the name of a connection or queue without the part that distinguishes it from others of its kind."""
    return _COUNTER.sub("*", _IDENTIFIER.sub("*", name))


def way(sentence: str, connections: Iterable[str]) -> str:
    """Return a finding's sentence without connections, identifiers and numbers: the way in which the rule is broken."""
    for name in sorted(set(connections), key=lambda name: (-len(name), name)):
        sentence = _without(sentence, name)
    return _NUMBER.sub("*", _IDENTIFIER.sub("*", sentence))


def _without(sentence: str, name: str) -> str:
    """Return a sentence with a name replaced where it stands as a word."""
    pieces, done, at = [], 0, sentence.find(name) if name else -1
    while at >= 0:
        end = at + len(name)
        if not (sentence[at - 1 : at].isalnum() or sentence[end : end + 1].isalnum()):
            pieces += [sentence[done:at], "*"]
            done = end
        at = sentence.find(name, end)
    return "".join([*pieces, sentence[done:]])
