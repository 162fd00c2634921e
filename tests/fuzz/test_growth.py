"""The time of reading grows linearly with the input: the worst inputs, doubled."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

import pytest

from oracle.errors import BadInputError
from tests.fuzz.bounds import WHOLE
from tests.fuzz.reading import counted
from tests.fuzz.samples import samples

SIZE = 2**17 if WHOLE else 2**14
AT_ONCE = 0.4
"""Seconds of this process below which nothing is compared: what grows with the square takes several times as much."""

FILLERS = {
    "blank lines": b"\n",
    "blank lines of Windows": b"\r\n",
    "blanks": b" ",
    "words": b"a ",
    "one word": b"a",
    "one word in capitals": b"A",
    "digits": b"7",
    "quotes": b'"',
    "escaped quotes": b'\\"',
    "apostrophes": b"'",
    "braces": b"{",
    "closing braces": b"}, ",
    "empty objects": b"{}, ",
    "objects that do not end": b'{"a": [{}, ',
    "lists": b"[",
    "parentheses": b"A(",
    "closed parentheses": b"(b)",
    "colons": b"a: ",
    "names with quotes": b"a:'b:'",
    "lines of names": b"  Name : \n",
    "lines with calls": b'{"operationId": }, \n',
    "calls that run on": b'{"operationId": "Put"}, {"operationId": \n',
    "beginnings of traces": b'{"eventType": ',
    "operations": b"MQI Operation: 1\n  Operation Id: MQXF_PUT\n",
    "dumps": b"00000000:  4D44 2020 0100 0000\n",
    "methods": b"RemoteTCPConnection send(receive(",
    "attributes": b"DEFPRTY(1) ",
    "continued lines": b"DESCR +\n",
    "comments": b"* Queue = X\n",
    "segments": b"TSHM\0\0\0\x24" + bytes(8) + b"\x02\x86\x30\0",
    "zeros": b"\0",
    "small packets": bytes.fromhex("00000065 00000000 01000000 01000000 00".replace(" ", "")),
    "long packets": bytes.fromhex("00000065 00000000 ffffff7f ffffff7f".replace(" ", "")),
}


def seconds(path: Path, data: bytes) -> float:
    """Return the processor time of reading an input."""
    path.write_bytes(data)
    begun = time.process_time()
    with suppress(BadInputError):
        counted(path)
    return time.process_time() - begun


def beginnings(name: str) -> list[bytes]:
    """Return parts of an input that more may follow: nothing, its beginning, almost all of it."""
    whole = samples()[name]
    half = whole[: len(whole) // 2]
    return [b"", whole[: len(whole) // 8], half, whole[:-3]] if WHOLE else [half]


@pytest.mark.parametrize("name", [name for name in samples() if name != "Parquet"])
def test_what_is_twice_as_long_takes_about_twice_as_long(tmp_path: Path, name: str) -> None:
    path = tmp_path / "input"
    for beginning in beginnings(name):
        for what, filler in FILLERS.items():
            twice = seconds(path, beginning + filler * (2 * SIZE // len(filler)))
            if twice > AT_ONCE:  # again, because the process may have done something else meanwhile
                once = min(seconds(path, beginning + filler * (SIZE // len(filler))) for _ in range(2))
                twice = min(twice, *(seconds(path, beginning + filler * (2 * SIZE // len(filler))) for _ in range(2)))
                assert twice < 3.2 * once, (
                    f"{name}, {len(beginning)} bytes and then {what}: {once:.2f} s, {twice:.2f} s"
                )
