"""Browses for unmarked messages that found none, although the marks of a message had ended."""

from __future__ import annotations

from typing import Any

from oracle.mqi.constants import MQCC, MQGMO, MQMF, MQRC
from tests.spark_checks.cases import case
from tests.spark_checks.histories import PLAIN, QUEUE, SYNC, History

FIRST = MQGMO.BROWSE_FIRST
MARK = FIRST | MQGMO.MARK_BROWSE_HANDLE
UNMARK = MQGMO.BROWSE_MSG_UNDER_CURSOR | MQGMO.UNMARK_BROWSE_HANDLE
MARK_SET = FIRST | MQGMO.MARK_BROWSE_CO_OP
UNMARK_SET = MQGMO.BROWSE_MSG_UNDER_CURSOR | MQGMO.UNMARK_BROWSE_CO_OP
UNMARKED = FIRST | MQGMO.UNMARKED_BROWSE_MSG


def _marked(h: History, options: int = MARK, **columns: Any) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, **columns)
    h.browse("C", "m1", 20, 22, options=options, hobj=1)


def _closed(h: History, start: int = 30, end: int = 32) -> None:
    h.call("C", "MQCLOSE", start, end, queue=QUEUE, hobj=1, options=0)


def _not_found(h: History, conn: str = "D", start: int = 40, end: int = 42, hobj: int = 1) -> None:
    h.nothing(conn, start, end, hobj=hobj, options=UNMARKED)


def _got(h: History, start: int = 50) -> None:
    h.get("E", "m1", start, start + 2, options=PLAIN)


@case("DLV-05 violation")
def an_unmarked_message_not_found_after_its_marker_was_closed(h: History) -> None:
    _marked(h)
    _closed(h)
    _not_found(h)
    _got(h)


@case("DLV-05 violation", log="clock")
def an_unmarked_message_not_found_long_after_its_marker_was_closed(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 1000, 1002)
    h.browse("C", "m1", 2000, 2002, options=MARK, hobj=1)
    _closed(h, 3000, 3002)
    _not_found(h, start=4000, end=4002)
    _got(h, 5000)


@case("DLV-05 violation")
def an_unmarked_message_not_found_after_its_marker_disconnected(h: History) -> None:
    _marked(h)
    h.disconnect("C", start=30, end=32)
    _not_found(h)
    _got(h)


@case("DLV-05 violation")
def an_unmarked_message_not_found_by_its_handle_that_unmarked_it(h: History) -> None:
    _marked(h)
    h.browse("C", "m1", 30, 32, options=UNMARK, hobj=1)
    _not_found(h, "C")
    _got(h)


@case("DLV-05 violation")
def an_unmarked_message_not_found_after_the_set_unmarked_it(h: History) -> None:
    h.header("queue", MarkBrowseInterval=5000)
    h.records[-1]["queue"] = ""
    _marked(h, MARK_SET)
    h.browse("D", "m1", 30, 32, options=UNMARK_SET, hobj=1)
    _not_found(h)
    _got(h)


@case("BRW-02 violation")
def an_unmarked_message_lost_after_its_marker_was_closed(h: History) -> None:
    _marked(h)
    _closed(h)
    _not_found(h)


@case()
def a_message_still_marked_by_an_open_handle(h: History) -> None:
    _marked(h)
    _not_found(h, "C")
    _closed(h, 44, 46)
    _got(h)


@case()
def a_message_whose_marker_was_perhaps_not_yet_closed(h: History) -> None:
    _marked(h)
    _closed(h, 39, 41)
    _not_found(h, "C", 40, 42, 2)
    _got(h)


@case(log="clock")
def a_message_whose_marker_was_perhaps_not_yet_closed_by_the_clocks(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 1000, 1002)
    h.browse("C", "m1", 2000, 2002, options=MARK, hobj=1)
    _closed(h, 3000, 3002)
    _not_found(h, start=3060, end=3062)
    _got(h, 5000)


@case()
def a_message_marked_again_by_its_handle(h: History) -> None:
    _marked(h)
    h.browse("C", "m1", 24, 26, options=UNMARK, hobj=1)
    h.browse("C", "m1", 30, 32, options=MARK, hobj=1)
    _not_found(h, "C")
    _got(h)


@case()
def a_message_marked_by_a_second_handle_that_is_still_open(h: History) -> None:
    _marked(h)
    h.browse("D", "m1", 24, 26, options=MARK, hobj=1)
    _closed(h)
    _not_found(h)
    _got(h)


@case()
def a_message_that_another_handle_tried_to_unmark(h: History) -> None:
    _marked(h)
    h.browse("C", "m1", 30, 32, options=UNMARK, hobj=2)
    _not_found(h, "C")
    _got(h)


@case()
def a_message_whose_mark_the_set_may_have_kept_beyond_its_interval(h: History) -> None:
    h.header("queue", MarkBrowseInterval=1)
    h.records[-1]["queue"] = ""
    _marked(h, MARK_SET)
    _not_found(h, "D", 40_000, 40_002)
    _got(h, 50_000)


@case()
def a_message_of_the_set_whose_marker_was_closed(h: History) -> None:
    h.header("queue", MarkBrowseInterval=5000)
    h.records[-1]["queue"] = ""
    _marked(h, MARK_SET)
    _closed(h)
    _not_found(h)
    _got(h)


@case()
def a_message_unmarked_and_marked_at_once(h: History) -> None:
    _marked(h)
    h.browse("C", "m1", 30, 32, options=MARK | MQGMO.UNMARK_BROWSE_HANDLE, hobj=1)
    _not_found(h, "C")
    _got(h)


@case()
def a_message_that_a_unit_of_work_held_after_its_marks_ended(h: History) -> None:
    _marked(h)
    _closed(h)
    h.get("E", "m1", 34, 36, options=SYNC)
    _not_found(h)
    h.backout("E", 50, 52)
    _got(h, 60)


@case()
def a_message_that_came_after_the_browse_for_unmarked_ones(h: History) -> None:
    h.starts_empty()
    _not_found(h, start=5, end=7)
    h.put("P", "m1", 10, 12)
    h.browse("C", "m1", 20, 22, options=MARK, hobj=1)
    _closed(h)
    _got(h)


@case()
def a_message_in_a_group_whose_marker_was_closed(h: History) -> None:
    _marked(h, msg_flags=MQMF.SEGMENTATION_ALLOWED)
    _closed(h)
    _not_found(h)
    _got(h)


@case(log="incomplete")
def an_unmarked_message_that_calls_not_in_the_log_may_have_marked(h: History) -> None:
    _marked(h)
    _closed(h)
    _not_found(h)
    _got(h)


@case()
def a_message_whose_unmarking_failed(h: History) -> None:
    _marked(h)
    h.call(
        "C",
        "MQGET",
        30,
        32,
        queue=QUEUE,
        hobj=1,
        options=UNMARK,
        comp_code=MQCC.FAILED,
        reason=MQRC.NO_MSG_UNDER_CURSOR,
    )
    _not_found(h, "C")
    _got(h)
