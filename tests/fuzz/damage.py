"""Damage to inputs: bytes changed, lost, repeated and moved, odd values inserted, truncated, compressed and truncated.

Everything comes from one number, so that places are spread evenly over an input, and a failure names the number that
repeats it.
"""

from __future__ import annotations

import gzip
import re
from random import Random

from hypothesis import strategies as st

NUMBERS = st.integers(0, 2**64 - 1)
"""The numbers from which damage is made."""

ODD = [
    b"", b"\0", b"\xff", b"\xef\xbb\xbf", b"\r", b"\n", b"\n\n\n", b" " * 300, b'"', b"\\", b'\\"' * 50, b"'", b"{",
    b"}", b"[" * 2000, b"(" * 300, b")", b"{" * 2000, b'{"a":' * 1500, b":", b",", b"=", b"-", b"+", b"*", b"\\udfff",
    b'"\\ud800"', b"\xe9", "\N{OGHAM SPACE MARK}".encode(), "\u00b2".encode(), "\u0663".encode(), b"9" * 5000,
    b"-" + b"9" * 30, b"1e999", b"NaN", b"true", b"null", b"2147483648", b"-9223372036854775809",
    b"18446744073709551616", b"0x" + b"f" * 40, b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff", b"\0\0\0\0", b"a" * 3000,
    b'"operationId":', b"MQI Operation: 7\n", b"0000", b"\x1f\x8b\x08", b"TSH ", b"TSHM", b"MD  ", b"send(" * 200,
    b"2024-99-99", b"!!python/object:os.system x", b"&a [*a, *a]",
]  # fmt: skip  # values
"""Values with which readers have failed, here or elsewhere."""

_VALUES = [
    b"0", b"-1", b"1", b'""', b'"\\udfff"', b'"\\u0000"', b"[]", b"{}", b"[[]]", b'{"value": 209}', b"1.5", b"9" * 19,
    b"9" * 400, b'"' + b"9" * 19 + b'"', b'"0x7fffffffffffffff"', b"false", b'"\xc3\xa9"', b"'" + b"x" * 400 + b"'",
    b"99999999", b"0000-00-00", b"MQCC_FAILED", b"GET", b"Set", b"MQXF_CALLBACK", b'"Sub"', b'"XAStart"',
]  # fmt: skip  # values
"""Values in place of a number, a word or a text."""

_TOKEN = re.compile(rb'"[^"\n]{0,80}"|-?\d+|\w+|0x[0-9a-fA-F]+|\'[^\'\n]{0,80}\'')


def _change(data: bytearray, chance: Random) -> None:
    """Change an input at one place."""
    at = chance.randrange(len(data) + 1)
    upto = min(len(data), at + chance.randrange(200))
    kind = chance.randrange(10)
    if kind == 0:
        data[at : at + 1] = chance.randbytes(1)
    elif kind == 1:
        del data[at:upto]
    elif kind == 2:
        data[at:at] = chance.choice(ODD)
    elif kind == 3:
        data[at:upto] = chance.choice(ODD)
    elif kind == 4:
        data[at:at] = data[at:upto] * chance.randrange(1, 20)
    elif kind == 5:
        to = chance.randrange(len(data) + 1)
        data[to:to] = data[at:upto]
    elif kind == 6:
        data[at:upto] = chance.randbytes(chance.randrange(40))
    elif token := _TOKEN.search(data, at):
        data[token.start() : token.end()] = chance.choice(ODD + _VALUES)


def changed(whole: bytes, number: int) -> bytes:
    """Return an input with one to four changes, sometimes cut off."""
    chance, data = Random(number), bytearray(whole)
    for _ in range(chance.randrange(1, 5)):
        _change(data, chance)
    return bytes(data[: chance.randrange(len(data) + 1)]) if chance.randrange(6) == 0 else bytes(data)


def damaged(whole: bytes, number: int) -> bytes:
    """Return a changed input, sometimes compressed, sometimes changed after that."""
    data, packed = changed(whole, number), number % 8
    if packed > 1:
        return data
    data = gzip.compress(data, mtime=0)
    return data if packed else changed(data, number)


def with_wrong_byte(whole: bytes, number: int) -> bytes:
    """Return an input in which one byte is another."""
    chance, data = Random(number), bytearray(whole)
    at = chance.randrange(len(data))
    data[at] ^= chance.randrange(1, 256)
    return bytes(data)


_MEMBER = re.compile(rb"\"?(\w[\w ]{0,40})\"?\s*[:=(]\s*(\"[^\"]*\"|'[^']*'|[^\s,)}\]]+)")


def with_odd_value(whole: bytes, number: int) -> bytes:
    """Return a text input in which one member, attribute or label has an odd value; each name is as likely."""
    chance = Random(number)
    members = list(_MEMBER.finditer(whole))
    name = chance.choice(sorted({found[1] for found in members}))
    found = chance.choice([found for found in members if found[1] == name])
    return whole[: found.start(2)] + chance.choice(_VALUES if chance.randrange(3) else ODD) + whole[found.end(2) :]
