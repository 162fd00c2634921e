"""Marks of the cooperating set within MarkBrowseInterval: MRK-15, MRK-09."""

from __future__ import annotations

from typing import Any

from oracle.mqi.constants import MQGMO, MQOO
from tests.spark_checks.cases import case
from tests.spark_checks.histories import PLAIN, QUEUE, SYNC, History

FIRST = MQGMO.BROWSE_FIRST
MARK = FIRST | MQGMO.MARK_BROWSE_CO_OP | MQGMO.UNMARKED_BROWSE_MSG
MARK_ANY = FIRST | MQGMO.MARK_BROWSE_CO_OP
UNMARKED = FIRST | MQGMO.UNMARKED_BROWSE_MSG
UNMARK = FIRST | MQGMO.UNMARK_BROWSE_CO_OP
LATER = 5_000


def _marked(h: History, interval_ms: int | None = 5000, **header: Any) -> None:
    """Let two handles of a set be open, and the first one mark a message."""
    h.starts_empty()
    if interval_ms is not None:
        h.header("queue", **({"queue": "", "MarkBrowseInterval": interval_ms} | header))
    h.put("P", "m1", 10, 12)
    h.open("A", 20, 21, MQOO.BROWSE | MQOO.CO_OP)
    h.open("B", 21, 22, MQOO.BROWSE | MQOO.CO_OP)
    h.browse("A", "m1", 30, 32, options=MARK, hobj=1)


def _again(h: History, options: int = MARK, at: int = LATER, **columns: Any) -> None:
    h.browse("B", "m1", at, at + 10, **({"options": options, "hobj": 1} | columns))


@case("MRK-15 violation")
def browsed_by_the_set_though_it_was_marked(h: History) -> None:
    _marked(h)
    _again(h)


@case("MRK-15 violation", log="zos")
def browsed_by_the_set_though_it_was_marked_on_zos(h: History) -> None:
    _marked(h)
    _again(h)


@case("MRK-15 violation")
def browsed_by_the_same_handle_of_the_set(h: History) -> None:
    _marked(h)
    _again(h)
    h.browse("B", "m1", LATER + 20, LATER + 30, options=MARK, hobj=1)


@case("MRK-15 violation")
def browsed_without_marking_it_again(h: History) -> None:
    _marked(h)
    _again(h, UNMARKED)


@case("MRK-15 violation")
def browsed_next_though_it_was_marked(h: History) -> None:
    _marked(h)
    _again(h, MQGMO.BROWSE_NEXT | MQGMO.UNMARKED_BROWSE_MSG)


@case("MRK-15 violation")
def browsed_though_marks_never_end(h: History) -> None:
    _marked(h, -1)
    _again(h, at=10**10)


@case("MRK-15 violation")
def browsed_though_another_of_the_set_is_still_open(h: History) -> None:
    _marked(h)
    h.call("A", "MQCLOSE", 40, 41, queue=QUEUE, hobj=1, options=0)
    _again(h)


@case("MRK-09 violation")
def marked_for_the_set_twice(h: History) -> None:
    _marked(h)
    _again(h, MARK_ANY)


@case("MRK-15 suspicion", log="incomplete")
def browsed_though_marked_in_an_incomplete_log(h: History) -> None:
    generated = "414d5120" + "0" * 40
    h.header("queue", queue="", MarkBrowseInterval=5000)
    h.open("A", 20, 21, MQOO.BROWSE | MQOO.CO_OP)
    h.open("B", 21, 22, MQOO.BROWSE | MQOO.CO_OP)
    h.browse("A", "m1", 30, 32, options=MARK, hobj=1, msg_id=generated)
    h.browse("B", "m1", 40, 42, options=MARK, hobj=1, msg_id=generated)


@case()
def unmarked_by_a_call_whose_queue_alone_is_known(h: History) -> None:
    generated = {"hobj": 1, "msg_id": "414d5120" + "0" * 40}
    h.header("queue", queue="", MarkBrowseInterval=5000)
    h.open("A", 20, 21, MQOO.BROWSE | MQOO.CO_OP)
    h.browse("A", "m1", 30, 32, options=MARK, queue=None, **generated)
    unmark = MQGMO.BROWSE_MSG_UNDER_CURSOR | MQGMO.UNMARK_BROWSE_CO_OP
    h.browse("A", "m1", 34, 36, options=unmark, **generated)
    h.browse("A", "m1", 40, 42, options=MARK, queue=None, **generated)


@case(log="incomplete")
def got_and_backed_out_by_calls_that_the_log_lacks(h: History) -> None:
    generated = "414d5120" + "0" * 40
    h.header("queue", queue="", MarkBrowseInterval=5000)
    h.open("A", 20, 21, MQOO.BROWSE | MQOO.CO_OP)
    h.open("B", 21, 22, MQOO.BROWSE | MQOO.CO_OP)
    h.browse("A", "m1", 30, 32, options=MARK, hobj=1, msg_id=generated)
    h.browse("B", "m1", 40, 42, options=MARK, hobj=1, msg_id=generated, backout_count=1)


@case()
def browsed_after_the_interval(h: History) -> None:
    _marked(h)
    _again(h, at=5_000_020)


@case()
def browsed_as_the_interval_ended(h: History) -> None:
    _marked(h, 1)
    _again(h, at=1_025)


@case(log="clock")
def browsed_within_the_interval_by_clocks_that_differ(h: History) -> None:
    _marked(h, 1)
    _again(h, at=925)


@case()
def browsed_and_the_interval_is_not_known(h: History) -> None:
    _marked(h, None)
    _again(h)


@case()
def browsed_and_headers_contradict_each_other(h: History) -> None:
    _marked(h)
    h.header("queue", queue="", MarkBrowseInterval=1)
    _again(h)


@case()
def browsed_by_a_handle_outside_the_set(h: History) -> None:
    _marked(h)
    h.open("C", 40, 41, MQOO.BROWSE)
    h.browse("C", "m1", LATER, LATER + 10, options=UNMARKED, hobj=1)


@case()
def browsed_by_a_handle_of_which_it_is_not_known_whether_it_is_of_the_set(h: History) -> None:
    _marked(h)
    h.browse("C", "m1", LATER, LATER + 10, options=UNMARKED, hobj=1)


@case()
def browsed_without_a_word_of_marks(h: History) -> None:
    _marked(h)
    _again(h, FIRST)


@case()
def browsed_after_any_of_the_set_unmarked_it(h: History) -> None:
    _marked(h)
    h.browse("B", "m1", 40, 42, options=UNMARK, hobj=1)
    _again(h)


@case()
def browsed_after_a_get_of_a_marked_message_was_backed_out(h: History) -> None:
    _marked(h)
    h.get("D", "m1", 40, 42, options=SYNC)
    h.backout("D", 44, 46)
    _again(h, backout_count=1)


@case()
def browsed_after_a_get_of_a_marked_message_that_was_too_long(h: History) -> None:
    _marked(h)
    h.get("D", "m1", 40, 42, comp_code=1, reason=2080, buffer_length=0, length=10)
    _again(h)


@case()
def browsed_after_all_of_the_set_were_closed(h: History) -> None:
    _marked(h)
    for conn in ("A", "B"):
        h.call(conn, "MQCLOSE", 40, 41, queue=QUEUE, hobj=1, options=0)
    h.open("B", 50, 51, MQOO.BROWSE | MQOO.CO_OP)
    _again(h)


@case()
def got_for_good_though_the_set_has_marked_it(h: History) -> None:
    _marked(h)
    h.get("D", "m1", LATER, LATER + 10, options=PLAIN | MQGMO.UNMARKED_BROWSE_MSG)


@case("OPT-22 violation")
def browsed_after_it_was_marked_and_unmarked_for_the_set_at_once(h: History) -> None:
    _marked(h)
    h.browse("A", "m1", 40, 42, options=MARK_ANY | MQGMO.UNMARK_BROWSE_CO_OP, hobj=1)
    _again(h)


@case()
def browsed_at_the_same_time_by_two_of_the_set(h: History) -> None:
    _marked(h)
    _again(h, at=31)


@case()
def browsed_after_a_browse_of_the_set_that_was_cut_short(h: History) -> None:
    h.starts_empty()
    h.header("queue", queue="", MarkBrowseInterval=5000)
    h.put("P", "m1", 10, 12)
    h.open("A", 20, 21, MQOO.BROWSE | MQOO.CO_OP)
    h.open("B", 21, 22, MQOO.BROWSE | MQOO.CO_OP)
    h.browse("A", "m1", 30, 32, options=MARK, hobj=1, comp_code=1, reason=2080, length=10, buffer_length=0)
    _again(h)


@case()
def another_message_of_the_set(h: History) -> None:
    _marked(h)
    h.put("P", "m2", 40, 42)
    _again(h, msg_id="6d32" + "0" * 44)
