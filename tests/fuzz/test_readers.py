"""Every reader on damaged input: no exception, no hang, and no call that is neither read nor counted."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given

from oracle.errors import BadInputError
from spark_checks.readers.detect import Format, detect
from tests.fuzz.bounds import bounded, tried
from tests.fuzz.damage import NUMBERS, damaged, with_odd_value, with_wrong_byte
from tests.fuzz.reading import counted
from tests.fuzz.samples import samples

NAMES = sorted(samples())
WITH_CALLS = [name for name in NAMES if name.startswith(("amqs", "event log")) and name != "amqsbcg"]
TEXTS = [name for name in NAMES if name not in ("pcap", "pcapng", "Parquet")]
CHANNELS = ["pcap", "pcapng", "Java trace"]


def read(tmp_path: Path, data: bytes) -> tuple[int, int]:
    """Return the number of calls read from an input, and the number of unreadable things."""
    path = tmp_path / "input"
    path.write_bytes(data)
    try:
        with bounded():
            found = counted(path)
    except BadInputError as error:
        assert str(path) in str(error)  # noqa: PT017 - a file without a reader is refused by name
        return 0, 10**9
    return found["call"], found["fault"]


@cache
def calls_in(name: str, directory: Path) -> int:
    """Return the number of calls in an undamaged input."""
    calls, faults = read(directory, samples()[name])
    assert calls
    assert not faults
    return calls


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


def test_every_format_has_a_sample(tmp_path: Path) -> None:
    found = set()
    for number, data in enumerate(samples().values()):
        path = tmp_path / str(number)
        path.write_bytes(data)
        found.add(detect(path).format)
    assert found == set(Format)


@pytest.mark.parametrize("name", NAMES)
def test_a_whole_input_is_read_without_faults(room: Path, name: str) -> None:
    assert read(room, samples()[name])[1] == 0


@pytest.mark.parametrize("name", NAMES)
@tried(0.3, len(NAMES))
@given(number=NUMBERS)
def test_a_damaged_input_is_read_or_refused(room: Path, name: str, number: int) -> None:
    read(room, damaged(samples()[name], number))


@pytest.mark.parametrize("name", TEXTS)
@tried(0.25, len(TEXTS))
@given(number=NUMBERS)
def test_an_odd_value_makes_at_most_its_record_unreadable(room: Path, name: str, number: int) -> None:
    read(room, with_odd_value(samples()[name], number))


@pytest.mark.parametrize("name", WITH_CALLS)
@tried(0.2, len(WITH_CALLS))
@given(number=NUMBERS)
def test_each_call_is_read_or_counted_whichever_byte_is_wrong(room: Path, name: str, number: int) -> None:
    whole = calls_in(name, room)
    calls, faults = read(room, with_wrong_byte(samples()[name], number))
    assert calls + faults >= whole


@pytest.mark.parametrize("name", CHANNELS)
@tried(0.1, len(CHANNELS))
@given(number=NUMBERS)
def test_a_call_of_a_channel_is_not_lost_in_silence(room: Path, name: str, number: int) -> None:
    whole = calls_in(name, room)
    calls, faults = read(room, with_wrong_byte(samples()[name], number))
    assert calls >= whole or faults
