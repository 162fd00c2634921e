"""Logical messages assembled with another length than their segments have: CMP-01."""

from __future__ import annotations

from typing import Any

from oracle.mqi.constants import MQGMO, MQMF, MQRC
from tests.spark_checks.cases import case
from tests.spark_checks.cases.groups import END, PART, WHOLE, report, segment
from tests.spark_checks.histories import SYNC, History


def _returned(h: History, length: int | None, **how: Any) -> None:
    h.get("C", "s1", 20, 22, **({**segment(0, END), "options": WHOLE, "length": length} | how))


def _in_segments(h: History, *lengths: int, **of_each: Any) -> None:
    """Put a message in segments of these lengths."""
    h.starts_empty()
    offset = 0
    for number, length in enumerate(lengths, start=1):
        flags = END if number == len(lengths) else PART
        h.put("P", f"s{number}", 2 * number, 2 * number + 1, **(segment(offset, flags) | {"length": length} | of_each))
        offset += length


@case("CMP-01 violation")
def a_whole_message_with_less_data_than_its_segments(h: History) -> None:
    _in_segments(h, 10, 7)
    _returned(h, 16)


@case("CMP-01 violation")
def a_whole_message_with_more_data_than_its_segments(h: History) -> None:
    _in_segments(h, 10, 7, 0)
    _returned(h, 18)


@case("CMP-01 violation")
def a_whole_message_that_was_browsed_with_less_data_than_its_segments(h: History) -> None:
    _in_segments(h, 10, 7, options=SYNC)
    h.commit("P", 10, 12)
    _returned(h, 10, options=MQGMO.BROWSE_FIRST | MQGMO.COMPLETE_MSG)


@case("CMP-01 violation")
def a_whole_message_that_was_too_long_for_the_buffer_and_longer_than_its_segments(h: History) -> None:
    _in_segments(h, 10, 7)
    _returned(h, 18, comp_code=1, reason=MQRC.TRUNCATED_MSG_ACCEPTED, buffer_length=5)


@case()
def whole_messages_as_long_as_their_segments(h: History) -> None:
    _in_segments(h, 10, 7, 0)
    _returned(h, 17, options=MQGMO.BROWSE_FIRST | MQGMO.COMPLETE_MSG)
    h.get("C", "s1", 24, 26, **(segment(0, END) | {"options": WHOLE, "length": 17}))


@case()
def a_whole_message_that_was_converted(h: History) -> None:
    _in_segments(h, 10, 7)
    _returned(h, 34, options=WHOLE | MQGMO.CONVERT)


@case()
def a_whole_message_with_properties_before_its_data(h: History) -> None:
    _in_segments(h, 10, 7)
    _returned(h, 117, format="MQHRF2")


@case()
def a_part_of_a_message_for_the_code_pages_of_its_segments_differ(h: History) -> None:
    _in_segments(h, 10, 7)
    _returned(h, 10, comp_code=1, reason=MQRC.INCONSISTENT_CCSIDS, msg_flags=PART)


@case()
def a_part_of_a_message_of_which_another_warning_does_not_tell(h: History) -> None:
    _in_segments(h, 10, 7)
    _returned(h, 10, comp_code=1, reason=MQRC.TRUNCATED_MSG_ACCEPTED, buffer_length=5)


@case()
def a_whole_message_of_reports(h: History) -> None:
    h.starts_empty()
    h.put("P", "s1", 10, 12, **(report(0, PART, 10) | {"length": 4}))
    h.put("P", "s2", 14, 16, **(report(10, END, 7) | {"length": 0}))
    _returned(h, 5, **{name: report(0, END, 17)[name] for name in ("msg_type", "feedback", "original_length")})


@case()
def a_message_that_was_never_in_segments(h: History) -> None:
    h.starts_empty()
    group = segment(0, END)["group_id"]
    allowed = MQMF.SEGMENTATION_ALLOWED
    h.put("P", "s1", 10, 12, length=17, msg_flags=allowed, group_id=group, msg_seq_number=1, offset=0)
    _returned(h, 17)


@case()
def a_whole_message_whose_second_segment_was_put_twice(h: History) -> None:
    _in_segments(h, 10, 7)
    h.put("Q", "t2", 8, 9, **(segment(10, END) | {"length": 8}))
    _returned(h, 18)


@case()
def a_whole_message_of_unknown_length(h: History) -> None:
    _in_segments(h, 10, 7)
    _returned(h, None)


@case(log="incomplete")
def a_segment_may_have_been_put_again_outside_the_log(h: History) -> None:
    _in_segments(h, 10, 7)
    _returned(h, 18)
