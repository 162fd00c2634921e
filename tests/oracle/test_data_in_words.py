"""Where long data depart, in words that can be read."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from oracle.judging.data_in_words import LONGEST, difference_in_words
from oracle.mqi.layouts import MQDLH, MQTM


def test_short_data_are_printed_as_they_are() -> None:
    assert difference_in_words(b"a" * LONGEST, b"b") is None


def test_of_a_header_the_members_that_differ_are_named() -> None:
    ours, theirs = (MQTM.encode({"QName": name, "ProcessName": "P", "ApplType": 6}, "little") for name in ("S", "IQ"))
    assert difference_in_words(ours, theirs) == ("an MQTM with QName 'S'", "an MQTM with QName 'IQ'")


def test_members_that_may_be_any_are_not_named() -> None:
    ours = MQTM.encode({"QName": "S", "ApplType": 6}, "big")
    theirs = MQTM.encode({"QName": "S", "ApplType": 7, "UserData": "u"}, "big")
    found = difference_in_words(ours, theirs, MQTM.places("ApplType"))
    assert found == ("an MQTM with UserData ''", "an MQTM with UserData 'u'")


def test_data_behind_a_header_are_told_by_their_place() -> None:
    header = MQDLH.encode({"Reason": 2053, "DestQName": "Q"}, "little")
    found = difference_in_words(header + b"abc", header + b"axc")
    assert found == (
        f"{len(header) + 3} bytes with 62 at {len(header) + 1}",
        f"{len(header) + 3} bytes with 78 at {len(header) + 1}",
    )


def test_data_that_end_too_early_lack_their_last_bytes() -> None:
    assert difference_in_words(b"a" * 40, b"a" * 38) == ("40 bytes with 6161 at 38", "38 bytes with nothing at 38")


def test_of_megabytes_the_one_byte_that_differs_is_named() -> None:
    found = difference_in_words(bytes(10_000_000), bytes(9_999_999) + b"x")
    assert found == ("10000000 bytes with 00 at 9999999", "10000000 bytes with 78 at 9999999")


@given(st.binary(max_size=100), st.binary(max_size=100))
def test_the_two_are_told_apart_and_shown_no_longer_than_what_is_printed_whole(ours: bytes, theirs: bytes) -> None:
    found = difference_in_words(ours, theirs)
    if ours == theirs or max(len(ours), len(theirs)) <= LONGEST:
        assert found is None
        return
    assert found is not None
    assert found[0] != found[1]
    assert max(map(len, found)) < 2 * LONGEST + 40
