"""Stand-ins for data that no log has behave like such data."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.errors import NotModelledError
from oracle.replay.stand_in import StandIn

stored = st.binary(max_size=6)
lengths = st.integers(0, 12)
places = st.one_of(st.none(), st.integers(-15, 15))


def written_out(data: bytes) -> bytes:
    """Return all bytes of data, one by one."""
    return bytes(data[place] for place in range(len(data)))


@given(stored, lengths)
def test_a_stand_in_is_what_was_given_of_it_and_zeros_behind(data: bytes, length: int) -> None:
    assert written_out(StandIn(data, length)) == data[:length].ljust(length, b"\0")
    assert bool(StandIn(data, length)) is (length > 0)


@given(stored, lengths, places, places)
def test_a_slice_is_a_slice_of_what_it_stands_for(
    data: bytes, length: int, start: int | None, stop: int | None
) -> None:
    whole = StandIn(data, length)
    assert written_out(whole[start:stop]) == written_out(whole)[start:stop]


@given(stored, stored, lengths)
def test_headers_can_stand_before_it(header: bytes, data: bytes, length: int) -> None:
    whole = StandIn(data, length)
    assert written_out(header + whole) == header + written_out(whole)
    assert written_out(whole[:0] + whole) == written_out(whole)


@given(stored, stored, lengths, lengths)
def test_stand_ins_are_equal_if_what_they_stand_for_is(one: bytes, other: bytes, long: int, short: int) -> None:
    first, second = StandIn(one, long), StandIn(other, short)
    assert (first == second) is (written_out(first) == written_out(second))
    assert first != second or hash(first) == hash(second)
    assert pickle.loads(pickle.dumps(first)) == first


def test_nothing_is_put_behind_data_that_are_not_stored() -> None:
    with pytest.raises(NotModelledError, match="nothing can be put behind"):
        StandIn(b"ab", 5) + b"c"
    with pytest.raises(NotModelledError, match="in steps"):
        StandIn(b"ab", 5)[::2]
