"""Rules that single calls can break: PUT-10, PUT-13, PUT-16, TRN-04, WAI-01, WAI-09, and reasons of other verbs."""

from __future__ import annotations

from oracle.mqi.constants import MQCO, MQGMO, MQOO, MQPMO, MQRC
from tests.spark_checks.cases import case
from tests.spark_checks.histories import NO_ID, PLAIN, QUEUE, History

SECOND = 1_000_000
WAITING = {"options": PLAIN | MQGMO.WAIT, "wait_ms": 5000}


@case("WAI-01 violation")
def gave_up_long_before_its_wait_was_over(h: History) -> None:
    h.nothing("C", 10 * SECOND, 12 * SECOND, **WAITING)


@case()
def waited_in_an_interval_longer_than_its_wait(h: History) -> None:
    h.nothing("C", 10 * SECOND, 16 * SECOND, **WAITING)


@case()
def did_not_wait_in_an_interval_that_the_capture_widened(h: History) -> None:
    h.nothing("C", 10 * SECOND, 16 * SECOND, options=PLAIN, wait_ms=5000)
    h.call(
        "C",
        "MQGET",
        20 * SECOND,
        26 * SECOND,
        queue=QUEUE,
        hobj=3,
        options=MQGMO.UNLOCK,
        wait_ms=5000,
        comp_code=1,
        reason=2209,
    )


@case("PUT-16 violation")
def put_with_a_report_option_that_must_be_known(h: History) -> None:
    h.put("P", "m1", 10, 12, report=1 << 18)


@case()
def put_with_a_report_option_that_may_be_for_another_queue_manager(h: History) -> None:
    h.put("P", "m1", 10, 12, report=1 << 15, comp_code=1, reason=MQRC.UNKNOWN_REPORT_OPTION)


@case("WAI-09 violation")
def found_nothing_under_the_cursor_for_the_wrong_reason(h: History) -> None:
    h.nothing("C", 10, 12, options=MQGMO.BROWSE_MSG_UNDER_CURSOR)


@case()
def found_nothing_under_the_cursor_that_might_be_returned(h: History) -> None:
    h.nothing("C", 10, 12, options=MQGMO.BROWSE_MSG_UNDER_CURSOR | MQGMO.UNMARKED_BROWSE_MSG)
    h.nothing("C", 20, 22, options=MQGMO.BROWSE_MSG_UNDER_CURSOR | MQGMO.ALL_MSGS_AVAILABLE)


@case("PUT-10 violation", "PUT-13 violation")
def put_with_values_that_are_refused(h: History) -> None:
    h.put("P", "m1", 10, 12, priority=-4)
    h.put("P", "m2", 14, 16, msg_type=111)


@case()
def put_with_values_that_may_be_refused(h: History) -> None:
    h.put("P", "m1", 10, 12, priority=-3)
    h.put("P", "m2", 14, 16, msg_type=112)


@case("TRN-04 violation")
def got_whole_in_a_buffer_that_was_too_small(h: History) -> None:
    h.get("C", "m1", 10, 12, buffer_length=10, length=20)


@case()
def got_and_converted_in_a_buffer_that_was_perhaps_large_enough(h: History) -> None:
    h.get("C", "m1", 10, 12, options=PLAIN | MQGMO.CONVERT, buffer_length=10, length=20)


@case()
def put_whose_response_is_deferred_may_have_failed(h: History) -> None:
    h.put("P", "m1", 10, 12, response=MQPMO.ASYNC_RESPONSE, msg_type=111)


@case("PUT-10 violation")
def put_with_a_wrong_type_to_a_queue_whose_puts_are_asynchronous_and_awaited_it(h: History) -> None:
    h.header("queue", DefPutResponse="ASYNC")
    h.put("P", "m1", 10, 12, response=MQPMO.SYNC_RESPONSE, msg_type=111)


@case()
def put_with_a_wrong_type_to_a_queue_whose_puts_are_asynchronous(h: History) -> None:
    h.header("queue", DefPutResponse="ASYNC")
    h.put("P", "m1", 10, 12, msg_type=111)


@case()
def refused_match_options_that_may_be_refused_under_the_cursor(h: History) -> None:
    under_cursor = MQGMO.BROWSE_MSG_UNDER_CURSOR
    h.nothing("C", 10, 12, options=under_cursor, match_options=None, reason=MQRC.MATCH_OPTIONS_ERROR)


@case("CHK-07 violation", "CLO-10 violation", "MTC-10 violation", "OPN-09 violation", "PUT-06 violation")
def options_that_the_documents_do_not_tell_of(h: History) -> None:
    undefined = 1 << 30
    h.starts_empty()
    h.open("C", 1, 2, MQOO.INPUT_SHARED | undefined)
    h.put("P", "m1", 10, 12, options=PLAIN | undefined)
    h.put("P", "m2", 14, 16)
    h.get("C", "m1", 20, 22, options=PLAIN | undefined)
    h.get("C", "m2", 24, 26, match_options=1 << 20)
    h.call("C", "MQCLOSE", 30, 32, queue=QUEUE, options=undefined, hobj=1)


@case(
    "CHK-07 suspicion", "CLO-10 suspicion", "MTC-10 suspicion", "OPN-09 suspicion", "PUT-06 suspicion",
    log="incomplete",
)  # fmt: skip  # pairs
def options_of_a_queue_manager_of_a_later_version(h: History) -> None:
    options_that_the_documents_do_not_tell_of(h)


@case()
def closed_with_an_option_of_subscriptions(h: History) -> None:
    h.open("C", 1, 2, MQOO.INPUT_SHARED)
    h.call("C", "MQCLOSE", 10, 12, queue=QUEUE, options=int(MQCO.REMOVE_SUB), hobj=1)


@case("PUT-26 violation")
def put_a_message_and_left_it_without_an_identifier(h: History) -> None:
    h.put("P", "m1", 10, 12, msg_id=NO_ID)


@case()
def put_to_a_topic_or_a_distribution_list_whose_identifiers_are_not_returned(h: History) -> None:
    h.call("P", "MQOPEN", 1, 2, options=int(MQOO.OUTPUT), hobj=1)
    h.put("P", "m1", 10, 12, queue=None, object_name=None, hobj=1, msg_id=NO_ID)


@case("DEP-06 violation", "OPN-10 violation", "OPN-11 violation", log="incomplete")
def gets_failed_with_reasons_of_other_verbs(h: History) -> None:
    for at, reason in ((10, MQRC.UNKNOWN_OBJECT_NAME), (20, MQRC.Q_FULL), (30, MQRC.OBJECT_IN_USE)):
        h.nothing("C", at, at + 2, reason=reason)


@case("CUR-04 violation", "DLV-05 violation", log="incomplete")
def a_put_and_a_commit_failed_with_reasons_of_gets(h: History) -> None:
    h.put("P", "m1", 10, 12, comp_code=2, reason=MQRC.NO_MSG_AVAILABLE)
    h.commit("P", 20, 22, comp_code=2, reason=MQRC.NO_MSG_UNDER_CURSOR)


@case()
def calls_failed_with_reasons_of_their_own(h: History) -> None:
    h.call("C", "MQOPEN", 1, 2, object_name="X", options=int(MQOO.BROWSE), comp_code=2, reason=MQRC.UNKNOWN_OBJECT_NAME)
    h.put("P", "m1", 10, 12, comp_code=2, reason=MQRC.Q_FULL)
    h.put("P", "m1", 14, 16, verb="MQPUT1", comp_code=2, reason=MQRC.UNKNOWN_OBJECT_NAME)
    h.nothing("C", 20, 22, reason=MQRC.SYNCPOINT_LIMIT_REACHED)
    h.nothing("C", 24, 26, reason=MQRC.Q_DELETED)
    h.nothing("C", 30, 32, reason=MQRC.Q_MGR_NAME_ERROR)


@case()
def warned_with_a_reason_that_is_unknown(h: History) -> None:
    h.get("C", "m1", 10, 12, comp_code=1, reason=MQRC.UNKNOWN_OBJECT_NAME)
