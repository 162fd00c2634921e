"""PutDate and PutTime as a moment."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.mqi.put_times import put_time_us

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def test_a_time_has_hundredths_of_a_second() -> None:
    assert put_time_us("19700101", "00000000") == 0
    assert put_time_us("19700102", "00000107") == 86_401_070_000
    assert put_time_us("19691231", "23595999") == -10_000


@given(st.datetimes(datetime(1900, 1, 1), datetime(2999, 12, 31)))
def test_every_moment_is_read_to_the_hundredth_before_it(moment: datetime) -> None:
    text = moment.strftime("%Y%m%d%H%M%S%f")
    passed = (moment.replace(tzinfo=timezone.utc) - EPOCH) // timedelta(milliseconds=10)
    assert put_time_us(text[:8], text[8:16]) == passed * 10_000


@pytest.mark.parametrize(
    ("date", "time"),
    [
        ("", ""),
        ("20240101", ""),
        ("2024010", "112345678"),
        ("20240101", "1234567"),
        ("20240101", "12345 78"),
        ("20240101", "-1345678"),
        ("20240101", "24000000"),
        ("20240230", "12000000"),
        ("00000000", "00000000"),
        ("\N{ARABIC-INDIC DIGIT TWO}0240101", "12000000"),
    ],
)
def test_what_is_no_moment_is_none(date: str, time: str) -> None:
    assert put_time_us(date, time) is None
