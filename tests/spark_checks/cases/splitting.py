"""Segments made by the queue manager: SEG-02, SEG-03."""

from __future__ import annotations

from typing import Any

from oracle.mqi.constants import MQGMO, MQMF
from tests.spark_checks.cases import case
from tests.spark_checks.histories import PLAIN, SYNC, History, ident

OF_WHOLE = {"group_id": ident("g"), "msg_seq_number": 1}


def _put(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, **OF_WHOLE, msg_flags=MQMF.SEGMENTATION_ALLOWED, offset=0, length=100, format="MQSTR")


def _get(h: History, name: str, at: int, offset: int, length: int, **columns: Any) -> None:
    last = MQMF.LAST_SEGMENT if offset + length >= 100 else 0
    flags = {"msg_flags": MQMF.SEGMENTATION_ALLOWED | MQMF.SEGMENT | last, "group_id": ident("g"), "format": ""}
    h.get("C", name, at, at + 2, **(flags | {"msg_seq_number": 1, "offset": offset, "length": length} | columns))


@case()
def segments_that_fit_together(h: History) -> None:
    _put(h)
    _get(h, "s1", 20, 0, 64, format="MQSTR")
    _get(h, "s2", 30, 64, 36)


@case()
def segments_that_have_the_identifier_of_their_message(h: History) -> None:
    _put(h)
    _get(h, "m1", 20, 0, 64, format="MQSTR")
    _get(h, "m1", 30, 64, 36)


@case()
def segments_with_one_identifier_that_are_browsed(h: History) -> None:
    _put(h)
    _get(h, "m1", 20, 0, 64, format="MQSTR", options=MQGMO.BROWSE_FIRST, hobj=5)
    _get(h, "m1", 24, 64, 36, options=MQGMO.BROWSE_NEXT, hobj=5)


def _put_last_segment(h: History, flags: int) -> None:
    h.starts_empty()
    of_segment = {"msg_flags": flags | MQMF.LAST_SEGMENT, "offset": 20, "length": 80}
    h.put("P", "m1", 10, 12, **(OF_WHOLE | of_segment))
    _get(h, "m1", 20, 20, 64)
    _get(h, "m1", 30, 84, 16)


@case()
def segments_that_have_the_identifier_of_the_segment_that_was_split(h: History) -> None:
    _put_last_segment(h, MQMF.SEGMENTATION_ALLOWED)


@case("SYN-08 violation")
def a_segment_that_may_not_be_split_comes_back_in_parts(h: History) -> None:
    _put_last_segment(h, 0)


@case("SYN-08 violation")
def the_first_segment_comes_back(h: History) -> None:
    _put(h)
    _get(h, "m1", 20, 0, 64, format="MQSTR")
    _get(h, "m1", 30, 0, 64, format="MQSTR")


def _put_in_unit(h: History) -> None:
    whole = {"msg_flags": MQMF.SEGMENTATION_ALLOWED, "offset": 0, "length": 100, "format": "MQSTR"}
    h.starts_empty()
    h.put("P", "m1", 10, 12, **OF_WHOLE, **whole, options=SYNC)


@case("VIS-01 violation")
def a_segment_before_the_commit_of_its_message(h: History) -> None:
    _put_in_unit(h)
    _get(h, "s2", 20, 64, 36)
    h.commit("P", 30, 32)


@case("UOW-02 violation")
def a_segment_after_the_backout_of_its_message(h: History) -> None:
    _put_in_unit(h)
    h.backout("P", 14, 16)
    _get(h, "s2", 20, 64, 36)


@case("VIS-01 violation")
def a_segment_of_a_message_that_is_never_committed(h: History) -> None:
    _put_in_unit(h)
    _get(h, "s2", 20, 64, 36)


@case()
def a_segment_perhaps_after_the_commit_of_its_message(h: History) -> None:
    _put_in_unit(h)
    _get(h, "s2", 20, 64, 36)
    h.commit("P", 21, 32)


@case("SEG-02 violation")
def segments_that_overlap(h: History) -> None:
    _put(h)
    _get(h, "s1", 20, 0, 64, format="MQSTR")
    _get(h, "s2", 30, 60, 40)


@case("SEG-02 violation")
def a_last_segment_that_ends_too_early(h: History) -> None:
    _put(h)
    _get(h, "s2", 30, 64, 20, msg_flags=MQMF.SEGMENT | MQMF.LAST_SEGMENT)


@case("SEG-03 violation")
def a_later_segment_with_a_format(h: History) -> None:
    _put(h)
    _get(h, "s1", 20, 0, 64, format="MQSTR")
    _get(h, "s2", 30, 64, 36, format="MQSTR")


@case()
def segments_of_two_messages_with_one_group_id(h: History) -> None:
    _put(h)
    h.put("P", "m2", 14, 16, **OF_WHOLE, msg_flags=MQMF.SEGMENTATION_ALLOWED, offset=0, length=100, format="MQSTR")
    _get(h, "s1", 20, 0, 64, format="MQSTR")
    _get(h, "s2", 30, 0, 48, format="MQSTR")


@case()
def segments_that_an_application_put(h: History) -> None:
    h.starts_empty()
    h.put("P", "s2", 10, 12, **OF_WHOLE, msg_flags=MQMF.SEGMENT, offset=64, length=20, format="MQSTR")
    _get(h, "s2", 30, 64, 20, format="MQSTR", msg_flags=MQMF.SEGMENT)


@case()
def a_segment_of_a_message_that_is_not_committed_may_be_overlooked(h: History) -> None:
    """Return whether a call sees what its own connection has put and not committed is left open."""
    h.starts_empty()
    of_put = {**OF_WHOLE, "offset": 0, "length": 100, "format": "MQSTR"}
    h.put("P", "m1", 10, 12, options=SYNC, msg_flags=MQMF.SEGMENTATION_ALLOWED, **of_put)
    flags = MQMF.SEGMENTATION_ALLOWED | MQMF.SEGMENT
    segment = {**of_put, "format": "", "msg_flags": flags, "offset": 32, "length": 32}
    h.browse("P", "s2", 14, 16, **segment)
    h.nothing("P", 18, 20)
    h.get("P", "s2", 22, 24, **segment)


@case()
def a_message_whose_other_segment_is_gone_is_not_whole(h: History) -> None:
    _put(h)
    _get(h, "s2", 20, 64, 36)
    h.nothing("D", 30, 32, options=PLAIN | MQGMO.COMPLETE_MSG)
    _get(h, "m1", 40, 0, 64, format="MQSTR")
