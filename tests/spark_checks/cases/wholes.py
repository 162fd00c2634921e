"""Gets for whole groups or messages that found nothing although one was complete (DLV-05), or is lost (DLV-03)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oracle.mqi.constants import MQGMO, MQMF, MQMO, MQPER, MQPMO
from tests.spark_checks.cases import case
from tests.spark_checks.cases.groups import (
    ALL_MESSAGES,
    ALL_SEGMENTS,
    END,
    IN,
    LAST,
    PART,
    WHOLE,
    member,
    report,
    segment,
)
from tests.spark_checks.histories import SYNC, History, ident

NONPERSISTENT = {"persistence": MQPER.NOT_PERSISTENT}
SELECTED = {"match_options": MQMO.MATCH_MSG_ID, "sel_msg_id": ident("a2")}


def _group(h: History, **of_second: object) -> None:
    """Record that a group of two was put."""
    h.starts_empty()
    h.put("P", "a1", 10, 11, **member(1, IN))
    h.put("Q", "a2", 12, 13, **member(2, LAST), **of_second)


def _is_got(h: History, number: int = 2) -> None:
    h.get("D", "a1", 90, 92, **member(1, IN))
    if number == 2:
        h.get("D", "a2", 94, 96, **member(2, LAST))


@case("DLV-05 violation")
def a_whole_group_is_there(h: History) -> None:
    _group(h)
    h.nothing("C", 20, 22, options=ALL_MESSAGES)
    _is_got(h)


@case("DLV-05 violation")
def a_whole_group_is_there_for_a_browse(h: History) -> None:
    _group(h)
    h.nothing("C", 20, 22, options=MQGMO.BROWSE_FIRST | MQGMO.ALL_MSGS_AVAILABLE | MQGMO.LOGICAL_ORDER)
    _is_got(h)


@case("DLV-05 violation")
def whole_messages_of_a_group_are_there(h: History) -> None:
    _group(h)
    h.nothing("C", 20, 22, options=ALL_SEGMENTS)
    _is_got(h)


@case()
def a_whole_group_is_complete_later(h: History) -> None:
    h.put("P", "a1", 10, 11, **member(1, IN))
    h.nothing("C", 20, 22, options=ALL_MESSAGES)
    h.put("Q", "a2", 21, 24, **member(2, LAST))
    _is_got(h)


@case()
def a_whole_group_of_which_a_part_was_got(h: History) -> None:
    _group(h)
    h.get("E", "a2", 16, 21, **member(2, LAST), **SELECTED)
    h.nothing("C", 20, 22, options=ALL_MESSAGES)
    _is_got(h, 1)


@case()
def a_whole_group_of_which_a_part_is_not_committed(h: History) -> None:
    _group(h, options=MQPMO.SYNCPOINT)
    h.nothing("C", 20, 22, options=ALL_MESSAGES)
    h.commit("Q", 30, 32)
    _is_got(h)


@case()
def a_whole_group_of_which_a_part_is_held(h: History) -> None:
    _group(h)
    h.get("E", "a2", 16, 17, options=SYNC, **member(2, LAST), **SELECTED)
    h.nothing("C", 20, 22, options=ALL_MESSAGES)
    h.backout("E", 30, 32)
    h.get("D", "a1", 90, 92, **member(1, IN))
    h.get("D", "a2", 94, 96, backout_count=1, **member(2, LAST))


def _put_and_got(h: History, *flags_by_number: tuple[int, int]) -> None:
    """Record that some messages of a group were put and got, and that a call between found nothing."""
    h.starts_empty()
    for number, flags in flags_by_number:
        h.put("P", f"a{number}", 10 + number, 10 + number, **member(number, flags))
    h.nothing("C", 20, 22, options=ALL_MESSAGES)
    for number, flags in flags_by_number:
        h.get("D", f"a{number}", 90 + number, 90 + number, **member(number, flags))


@case()
def a_group_with_a_number_that_is_missing(h: History) -> None:
    _put_and_got(h, (1, IN), (3, LAST))


@case()
def a_group_without_its_last_message(h: History) -> None:
    _put_and_got(h, (1, IN), (2, IN))


@case("DLV-05 violation")
def a_group_with_all_its_messages(h: History) -> None:
    _put_and_got(h, (1, IN), (2, IN), (3, LAST))


@case()
def a_group_with_one_message_more(h: History) -> None:
    """Use the identifier for two groups, one of them only begun."""
    _group(h)
    h.put("R", "b1", 14, 15, **member(1, IN))
    h.nothing("C", 20, 22, options=ALL_MESSAGES)
    _is_got(h)
    h.get("D", "b1", 98, 99, **member(1, IN))


@case()
def a_group_that_the_queue_manager_may_have_split(h: History) -> None:
    h.starts_empty()
    h.put("P", "a1", 10, 11, **member(1, IN | MQMF.SEGMENTATION_ALLOWED))
    h.put("Q", "a2", 12, 13, **member(2, LAST))
    h.nothing("C", 20, 22, options=ALL_MESSAGES)
    _is_got(h)


def _never_got(h: History, of_first: Mapping[str, Any], of_second: Mapping[str, Any]) -> None:
    h.starts_empty()
    h.put("P", "a1", 10, 11, **member(1, IN), **of_first)
    h.put("P", "a2", 12, 13, **member(2, LAST), **of_second)
    h.disconnect("P", start=14, end=15)
    h.call("C", "MQCONN", 16, 17)
    h.nothing("C", 20, 22, options=ALL_MESSAGES)


@case("DLV-03 violation")
def a_whole_group_is_lost(h: History) -> None:
    _never_got(h, {}, {})


@case()
def a_whole_group_may_have_expired(h: History) -> None:
    _never_got(h, {"expiry": 1}, {"expiry": 1})


@case("DLV-03 suspicion")
def a_whole_group_may_have_been_dropped_at_a_restart(h: History) -> None:
    _never_got(h, NONPERSISTENT, NONPERSISTENT)


@case()
def a_whole_group_of_which_a_part_is_not_seen_again(h: History) -> None:
    """Leave open whether the group was there, or its second message lost."""
    _group(h)
    h.nothing("C", 20, 22, options=ALL_MESSAGES)
    _is_got(h, 1)


@case()
def a_whole_group_of_which_a_part_was_perhaps_got_first(h: History) -> None:
    """Another connection can have got the second message before the call, the first came after it in any case."""
    _group(h)
    h.nothing("C", 20, 40, options=ALL_MESSAGES)
    h.get("C", "a1", 20, 40, **member(1, IN))
    h.get("E", "a2", 21, 41, **member(2, LAST))


@case("DLV-03 suspicion")
def a_whole_group_of_which_a_part_may_have_been_dropped_at_a_restart(h: History) -> None:
    _never_got(h, {}, NONPERSISTENT)


def _segments(h: History, flags: int = END, **of_second: Any) -> None:
    """Record that a message was put in two segments."""
    h.starts_empty()
    h.put("P", "s1", 10, 11, **segment(0, PART))
    h.put("Q", "s2", 12, 13, **(segment(10, flags) | of_second))


def _whole_is_got(h: History, **how: Any) -> None:
    h.get("D", "s1", 90, 92, **({**segment(0, END), "options": WHOLE, "length": 20} | how))


@case("DLV-05 violation")
def a_complete_message_is_there(h: History) -> None:
    _segments(h)
    h.nothing("C", 20, 22, options=WHOLE)
    _whole_is_got(h)


@case("DLV-05 violation")
def segments_of_a_complete_message_are_there(h: History) -> None:
    _segments(h)
    h.nothing("C", 20, 22, options=ALL_SEGMENTS)
    h.get("D", "s1", 90, 92, **segment(0, PART))
    h.get("D", "s2", 94, 96, **segment(10, END))


@case("WAI-03 violation")
def a_complete_message_comes_while_a_call_waits(h: History) -> None:
    h.nothing("C", 1, 5_000_000, options=WHOLE | MQGMO.WAIT, wait_ms=5_000)
    _segments(h)
    h.get("D", "s1", 5_000_010, 5_000_020, **(segment(0, END) | {"options": WHOLE, "length": 20}))


@case()
def a_complete_message_of_which_a_segment_comes_later(h: History) -> None:
    _segments(h, start_us=21, end_us=24)
    h.nothing("C", 20, 22, options=WHOLE)
    _whole_is_got(h)


@case()
def a_message_without_its_last_segment(h: History) -> None:
    _segments(h, PART)
    h.nothing("C", 20, 22, options=WHOLE)
    h.put("P", "s3", 30, 31, **segment(20, END))
    _whole_is_got(h, length=30)


@case()
def a_message_with_a_hole(h: History) -> None:
    _segments(h, offset=11)
    h.nothing("C", 20, 22, options=WHOLE)
    h.get("D", "s1", 90, 92, **segment(0, PART))
    h.get("D", "s2", 94, 96, **(segment(10, END) | {"offset": 11}))


@case()
def a_complete_message_that_was_held_as_a_whole(h: History) -> None:
    _segments(h)
    h.get("E", "s1", 16, 17, **(segment(0, END) | {"options": SYNC | MQGMO.COMPLETE_MSG, "length": 20}))
    h.nothing("C", 20, 22, options=WHOLE)
    h.backout("E", 30, 32)
    _whole_is_got(h, backout_count=1)


@case()
def a_complete_message_of_which_a_segment_was_held(h: History) -> None:
    _segments(h)
    selected = {"match_options": MQMO.MATCH_MSG_ID, "sel_msg_id": ident("s2")}
    h.get("E", "s2", 16, 17, options=SYNC, **segment(10, END), **selected)
    h.nothing("C", 20, 22, options=WHOLE)
    h.backout("E", 30, 32)
    _whole_is_got(h)


@case()
def a_complete_message_of_which_only_the_first_segment_is_seen_again(h: History) -> None:
    _segments(h)
    h.nothing("C", 20, 22, options=WHOLE)
    h.get("D", "s1", 90, 92, **segment(0, PART))


@case()
def a_complete_message_that_may_have_been_split_further(h: History) -> None:
    _segments(h, END | MQMF.SEGMENTATION_ALLOWED)
    h.nothing("C", 20, 22, options=WHOLE)
    _whole_is_got(h)


@case()
def a_complete_message_for_a_get_that_goes_by_groups(h: History) -> None:
    _segments(h)
    h.nothing("C", 20, 22, options=WHOLE | MQGMO.ALL_MSGS_AVAILABLE)
    _whole_is_got(h)


@case()
def a_report_for_a_segment(h: History) -> None:
    """Leave open what reports make up together with messages."""
    _segments(h, **report(10, END, 10))
    h.nothing("C", 20, 22, options=WHOLE)
    _whole_is_got(h)


@case("DLV-03 violation")
def a_complete_message_is_lost(h: History) -> None:
    _segments(h)
    h.nothing("C", 20, 22, options=WHOLE)


@case()
def a_complete_message_that_may_have_expired(h: History) -> None:
    _segments(h, expiry=1)
    h.nothing("C", 20, 22, options=WHOLE)


@case(log="zos")
def segments_on_zos(h: History) -> None:
    _segments(h)
    h.nothing("C", 20, 22, options=WHOLE)
    _whole_is_got(h)


@case()
def a_segment_that_a_get_of_a_whole_message_held(h: History) -> None:
    _segments(h)
    h.get("C", "s1", 20, 22, **(segment(0, END) | {"options": SYNC | MQGMO.COMPLETE_MSG, "length": 20}))
    h.nothing("D", 30, 32)
    h.backout("C", 40, 42)
    h.get("D", "s1", 50, 52, **segment(0, PART), backout_count=1)
    h.get("D", "s2", 60, 62, **segment(10, END), backout_count=1)
