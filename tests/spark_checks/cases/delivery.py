"""Delivery: DLV-01, DLV-02, SYN-02, SYN-05, SYN-08, SIP-02."""

from __future__ import annotations

from oracle.mqi.constants import MQGMO, MQMF, MQMT, MQPMO, MQRC, MQRO
from tests.spark_checks.cases import case
from tests.spark_checks.histories import GENERATED, PLAIN, SYNC, History, ident


@case("DLV-01 violation")
def from_nowhere(h: History) -> None:
    h.starts_empty()
    h.get("C", "ghost", 30, 32)


@case()
def from_before_the_log(h: History) -> None:
    h.get("C", "old", 30, 32)


@case(log="incomplete")
def from_a_channel_that_is_not_in_the_log(h: History) -> None:
    h.starts_empty()
    h.get("C", "remote", 30, 32)


@case()
def what_the_queue_manager_makes_itself(h: History) -> None:
    h.starts_empty()
    h.get("C", "report", 30, 32, msg_type=4)
    h.get("C", "trigger", 40, 42, format="MQTRIG")
    h.get("C", "segment", 50, 52, msg_flags=MQMF.SEGMENT)
    h.get("C", "whole", 60, 62, options=MQGMO.NO_SYNCPOINT | MQGMO.COMPLETE_MSG)
    h.get("M", "wrapped", 70, 72, format="MQXMIT")


@case("DLV-01 suspicion", "DLV-01 suspicion", "DLV-01 suspicion")
def what_the_queue_manager_may_have_made(h: History) -> None:
    h.starts_empty()
    h.get("C", "report?", 30, 32, msg_type=None)
    h.get("C", "trigger?", 40, 42, format=None)
    h.get("C", "segment?", 50, 52, msg_flags=None)
    h.get("C", "report", 60, 62, msg_type=None, msg_id=GENERATED)


@case("DLV-01 violation")
def got_before_it_was_put(h: History) -> None:
    h.starts_empty()
    h.get("C", "m1", 5, 8)
    h.put("P", "m1", 10, 12)


@case()
def got_while_it_was_put(h: History) -> None:
    h.starts_empty()
    h.get("C", "m1", 5, 11)
    h.put("P", "m1", 10, 12)


@case()
def a_put_without_its_message_may_be_the_one(h: History) -> None:
    h.starts_empty()
    h.put("P", "?", 10, 12, msg_id=None)
    h.get("C", "m1", 30, 32)


@case()
def a_put_of_unknown_outcome_may_be_the_one(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, comp_code=None, reason=None)
    h.get("C", "m1", 30, 32)


@case("SYN-08 violation")
def got_twice(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 30, 32)
    h.get("C", "m1", 40, 42)


@case("SYN-08 violation")
def got_twice_by_one_connection_whose_times_tell_nothing(h: History) -> None:
    h.starts_empty(at=10)
    h.put("A", "m1", 10, 50)
    h.get("A", "m1", 10, 50)
    h.get("A", "m1", 10, 50)


@case("SYN-02 violation")
def got_again_after_the_commit(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, options=SYNC)
    h.commit("C", 24, 26)
    h.get("D", "m1", 30, 32, options=SYNC)
    h.backout("D", 40, 42)


@case("SYN-02 violation")
def got_again_after_the_disconnect_that_commits(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, options=SYNC)
    h.disconnect("C", start=24, end=26)
    h.get("D", "m1", 30, 32)


@case("SYN-02 violation")
def browsed_after_the_commit(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, options=SYNC)
    h.commit("C", 24, 26)
    h.browse("D", "m1", 30, 32)


@case()
def browsed_before_the_commit_may_be_seen(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.browse("D", "m1", 15, 24)
    h.get("C", "m1", 20, 22)


@case()
def got_again_after_a_backout(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, options=SYNC)
    h.backout("C", 24, 26)
    h.get("C", "m1", 30, 32)


@case()
def got_again_after_its_getter_died(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, options=SYNC)
    h.get("D", "m1", 30, 32)


@case()
def got_again_after_a_commit_that_was_backed_out(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, options=SYNC)
    h.commit("C", 24, 26, comp_code=1, reason=2003)
    h.get("D", "m1", 30, 32)


@case()
def got_again_after_a_name_was_used_again(h: History) -> None:
    """Let the first C die without a record; the commit is that of its successor."""
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, options=SYNC)
    h.call("C", "MQCONN", 23, 24)
    h.commit("C", 26, 27)
    h.get("D", "m1", 30, 32)


@case("DLV-02 violation")
def got_twice_at_the_same_time(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 32)
    h.get("D", "m1", 22, 30)


@case("SYN-01 violation")
def held_by_two_units_of_work_that_both_commit(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, options=SYNC)
    h.get("D", "m1", 24, 26, options=SYNC)
    h.commit("C", 30, 32)
    h.commit("D", 34, 36)


@case()
def put_twice_and_got_twice(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22)
    h.put("Q", "m1", 30, 32)
    h.get("D", "m1", 40, 42)


@case("DLV-02 violation")
def put_twice_and_got_three_times(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.put("Q", "m1", 14, 16)
    h.get("C", "m1", 20, 22)
    h.get("D", "m1", 30, 32)
    h.get("E", "m1", 40, 42)


@case()
def put_again_by_a_call_of_unknown_outcome(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.put("Q", "m1", 14, 16, comp_code=None, reason=None)
    h.get("C", "m1", 20, 22)
    h.get("D", "m1", 30, 32)


@case()
def an_applications_own_identifier_may_stem_from_before_the_log(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22)
    h.get("D", "m1", 30, 32)


@case("SYN-08 suspicion")
def a_generated_identifier_may_stem_from_before_the_log_but_hardly_does(h: History) -> None:
    h.put("P", "m1", 10, 12, msg_id=GENERATED)
    h.get("C", "m1", 20, 22, msg_id=GENERATED)
    h.get("D", "m1", 30, 32, msg_id=GENERATED)


@case("SYN-08 violation")
def an_identifier_generated_in_the_log_belongs_to_one_message(h: History) -> None:
    h.put("P", "m1", 10, 12, options=MQPMO.NO_SYNCPOINT | MQPMO.NEW_MSG_ID)
    h.get("C", "m1", 20, 22)
    h.get("D", "m1", 30, 32)


@case(log="incomplete")
def own_identifiers_repeat_in_incomplete_logs(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22)
    h.get("D", "m1", 30, 32)


@case("SYN-08 suspicion", log="incomplete")
def generated_identifiers_hardly_repeat_in_incomplete_logs(h: History) -> None:
    h.put("P", "m1", 10, 12, msg_id=GENERATED)
    h.get("C", "m1", 20, 22, msg_id=GENERATED)
    h.get("D", "m1", 30, 32, msg_id=GENERATED)


@case()
def a_truncated_get_leaves_the_message(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, comp_code=1, reason=2080)
    h.get("C", "m1", 30, 32)


@case()
def unknown_options_may_be_a_browse(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, options=None)
    h.get("C", "m1", 30, 32)


@case()
def a_get_of_unknown_outcome(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, comp_code=None, reason=None)
    h.get("C", "m1", 30, 32)


@case()
def syncpoint_if_persistent_of_unknown_persistence(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, options=MQGMO.SYNCPOINT_IF_PERSISTENT, persistence=None)
    h.backout("C", 24, 26)
    h.get("D", "m1", 30, 32)


@case("SIP-02 violation")
def syncpoint_if_persistent_of_a_nonpersistent_message(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, persistence=0)
    h.get("C", "m1", 20, 22, options=MQGMO.SYNCPOINT_IF_PERSISTENT, persistence=0)
    h.backout("C", 24, 26)
    h.get("D", "m1", 30, 32, persistence=0)


@case()
def the_same_record_twice_is_one_call(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22)
    h.records.append(dict(h.records[-1]))


@case()
def a_report_may_carry_the_identifier_of_its_original(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, report=256 | 128, reply_to_q="Q")
    h.get("C", "m1", 20, 22)
    h.get("C", "m1", 30, 32, msg_type=4)


@case()
def queues_are_told_apart(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22)
    h.put("P", "m1", 30, 32, queue="OTHER", object_name="OTHER")
    h.get("C", "m1", 40, 42, queue="OTHER")


@case(log="zos")
def on_zos_a_get_is_in_a_unit_of_work_by_default(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, options=0)
    h.backout("C", 24, 26)
    h.get("D", "m1", 30, 32)


@case("SYN-05 violation")
def elsewhere_a_get_is_outside_by_default(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, options=0)
    h.backout("C", 24, 26)
    h.get("D", "m1", 30, 32)


@case("CUR-05 violation")
def browsed_under_a_cursor_that_was_left_on_it(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.browse("D", "m1", 14, 16, hobj=5)
    h.get("C", "m1", 20, 22)
    h.browse("D", "m1", 30, 32, hobj=5, options=MQGMO.BROWSE_MSG_UNDER_CURSOR)


@case("TRN-03 violation")
def got_again_after_an_accepted_truncation(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, comp_code=1, reason=2079)
    h.get("D", "m1", 30, 32)


@case("SYN-08 violation")
def a_consumer_is_a_getter(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.call("C", "CALLBACK", 20, 22, queue="Q", options=4, msg_id=ident("m1"))
    h.get("D", "m1", 30, 32)


@case("CHN-01 suspicion")
def a_message_without_header_on_a_transmission_queue(h: History) -> None:
    h.starts_empty()
    h.header("queue", Usage="TRANSMISSION")
    h.put("P", "m1", 10, 12, object_name="FAR")
    h.get("C", "m1", 20, 22)


@case()
def messages_on_a_transmission_queue(h: History) -> None:
    h.starts_empty()
    h.header("queue", Usage="TRANSMISSION")
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22)
    h.put("P", "m2", 30, 32, object_name="FAR", correl_id=ident("c"))
    h.get("C", "x2", 40, 42, format="MQXMIT  ", correl_id=ident("m2"))


@case("CMP-09 violation")
def put_together_without_a_unit_of_work_and_there_again(h: History) -> None:
    h.starts_empty()
    part = {"group_id": ident("g"), "msg_seq_number": 1, "offset": 0, "msg_flags": MQMF.SEGMENT, "length": 10}
    rest = part | {"offset": 10, "msg_flags": MQMF.SEGMENT | MQMF.LAST_SEGMENT}
    h.put("P", "s1", 10, 12, **part)
    h.put("P", "s2", 14, 16, **rest)
    h.get("C", "s1", 20, 22, options=PLAIN | MQGMO.COMPLETE_MSG, **(rest | {"offset": 0, "length": 20}))
    h.get("D", "s1", 30, 32, **part)


@case(log="incomplete")
def put_again_with_its_msg_id(h: History) -> None:
    h.get("C", "m1", 10, 12, msg_id=GENERATED)
    h.put("C", "m1", 20, 22, msg_id=GENERATED)
    h.get("C", "m1", 30, 32, msg_id=GENERATED)


@case()
def put_again_with_its_msg_id_in_a_complete_log(h: History) -> None:
    h.browse("B", "m1", 5, 6, msg_id=GENERATED)
    h.get("C", "m1", 10, 12, msg_id=GENERATED)
    h.put("C", "m1", 20, 22, msg_id=GENERATED)
    h.get("C", "m1", 30, 32, msg_id=GENERATED)


@case(log="incomplete")
def put_again_and_backed_out(h: History) -> None:
    h.browse("B", "m1", 5, 6, msg_id=GENERATED)
    h.get("C", "m1", 10, 12, msg_id=GENERATED, options=SYNC)
    h.put("C", "m1", 20, 22, msg_id=GENERATED, options=MQPMO.SYNCPOINT)
    h.backout("C", 24, 26)
    h.get("D", "m1", 30, 32, msg_id=GENERATED)


@case(log="incomplete")
def put_again_with_other_members(h: History) -> None:
    h.get("C", "m1", 10, 12, msg_id=GENERATED, priority=3, expiry=-1)
    h.put("C", "m1", 20, 22, msg_id=GENERATED, priority=7, expiry=6000)


@case("DLV-01 violation")
def put_again_on_a_queue_that_was_empty_at_first(h: History) -> None:
    h.starts_empty()
    h.get("C", "m1", 10, 12)
    h.put("C", "m1", 20, 22)
    h.get("C", "m1", 30, 32)


@case()
def put_twice_as_the_first_reply_was_lost(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, comp_code=2, reason=MQRC.CONNECTION_BROKEN)
    h.put("R", "m1", 14, 16)
    h.get("C", "m1", 20, 22)
    h.get("C", "m1", 30, 32)


@case("SYN-08 violation")
def put_twice_as_the_first_put_was_refused(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, comp_code=2, reason=MQRC.Q_FULL)
    h.put("R", "m1", 14, 16)
    h.get("C", "m1", 20, 22)
    h.get("C", "m1", 30, 32)


@case()
def removed_by_a_get_whose_reply_was_lost(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.nothing("C", 20, 22, reason=MQRC.CONNECTION_BROKEN)
    h.nothing("D", 30, 32)


@case("SYN-08 suspicion")
def perhaps_a_confirmation_with_the_msg_id_of_its_original(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, report=MQRO.COA | MQRO.PASS_MSG_ID, reply_to_q="Q", msg_type=None)
    h.get("C", "m1", 20, 22, msg_type=None)
    h.get("C", "m1", 30, 32, msg_type=None)


@case("SYN-08 violation")
def surely_no_confirmation_though_the_msg_type_is_unknown(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, report=0, msg_type=None)
    h.get("C", "m1", 20, 22, msg_type=None)
    h.get("C", "m1", 30, 32, msg_type=None)


@case()
def a_trigger_message_that_had_no_other_place(h: History) -> None:
    h.starts_empty()
    h.get("C", "t1", 20, 22, format="MQDEAD")


@case()
def got_again_after_a_commit_of_what_could_not_be_committed(h: History) -> None:
    """After MQRC_BACKED_OUT an MQCMIT does what an MQBACK does."""
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, options=SYNC)
    h.put("C", "x", 23, 24, options=SYNC, comp_code=2, reason=MQRC.BACKED_OUT)
    h.commit("C", 25, 26)
    h.get("D", "m1", 30, 32)


@case()
def not_there_after_a_commit_of_what_could_not_be_committed(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, options=SYNC)
    h.put("P", "m2", 13, 14, options=SYNC, comp_code=2, reason=MQRC.BACKED_OUT)
    h.commit("P", 15, 16)
    h.nothing("C", 20, 22)


@case("SYN-02 violation")
def got_again_after_the_commit_of_the_unit_of_work_behind(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.put("C", "x", 13, 14, options=SYNC, comp_code=2, reason=MQRC.BACKED_OUT)
    h.backout("C", 15, 16)
    h.get("C", "m1", 20, 22, options=SYNC)
    h.commit("C", 25, 26)
    h.get("D", "m1", 30, 32)


@case(log="clock")
def the_queue_was_empty_perhaps_only_after_the_first_get(h: History) -> None:
    h.get("C", "old", 10, 12)
    h.header("depth", at_us=100, depth=0)


@case("DLV-01 violation", log="clock")
def the_queue_was_surely_empty_before_the_first_get(h: History) -> None:
    h.header("depth", at_us=100, depth=0)
    h.get("C", "unput", 200, 210)


@case()
def put_or_not_as_the_client_reconnected(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, comp_code=2, reason=MQRC.RECONNECT_TIMED_OUT)
    h.get("C", "m1", 20, 22)


@case()
def got_or_not_as_the_client_reconnected(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.nothing("C", 20, 22, reason=MQRC.RECONNECT_TIMED_OUT)
    h.nothing("D", 30, 32)


@case()
def a_put_to_several_queues_may_have_failed_for_this_one(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, comp_code=1, reason=MQRC.MULTIPLE_REASONS)
    h.nothing("C", 20, 22)


SECOND = 1_000_000


def got_twice_by_put_time(h: History) -> None:
    h.call("P", "MQINQ", SECOND // 2, SECOND // 2 + 20)
    h.put("P", "m1", 1 * SECOND, 1 * SECOND + 20, put_us=1 * SECOND)
    h.get("C", "m1", 2 * SECOND, 2 * SECOND + 20, put_us=1 * SECOND)
    h.get("D", "m1", 3 * SECOND, 3 * SECOND + 20, put_us=1 * SECOND)


@case()
def got_twice_with_a_put_time_that_a_put_just_before_the_log_may_have(h: History) -> None:
    h.put("P", "m1", 1 * SECOND, 1 * SECOND + 20, put_us=1 * SECOND)
    h.get("C", "m1", 2 * SECOND, 2 * SECOND + 20, put_us=1 * SECOND)
    h.get("D", "m1", 3 * SECOND, 3 * SECOND + 20, put_us=1 * SECOND)


@case("SYN-08 violation")
def got_twice_with_the_put_time_of_the_one_put(h: History) -> None:
    got_twice_by_put_time(h)


@case("SYN-08 suspicion", log="incomplete")
def got_twice_with_the_put_time_of_the_one_put_in_the_log(h: History) -> None:
    got_twice_by_put_time(h)


@case("SYN-08 suspicion", log="incomplete")
def got_twice_under_a_generated_identifier(h: History) -> None:
    h.get("C", "m", 20 * SECOND, 20 * SECOND + 10, msg_id=GENERATED, put_us=10 * SECOND)
    h.get("C", "m", 30 * SECOND, 30 * SECOND + 10, msg_id=GENERATED, put_us=10 * SECOND)


@case(log="incomplete")
def an_application_put_twice_with_the_descriptor_of_its_first_put(h: History) -> None:
    h.get("C", "m", 20 * SECOND, 20 * SECOND + 10, msg_id=GENERATED, put_us=10 * SECOND)
    h.get("C", "m", 30 * SECOND, 30 * SECOND + 10, msg_id=GENERATED, put_us=11 * SECOND)


@case(log="incomplete")
def only_one_put_with_the_descriptor_of_another_is_in_the_log(h: History) -> None:
    h.put("P", "m", 10 * SECOND, 10 * SECOND + 10, msg_id=GENERATED, put_us=10 * SECOND)
    h.get("C", "m", 20 * SECOND, 20 * SECOND + 10, msg_id=GENERATED, put_us=10 * SECOND)
    h.get("C", "m", 30 * SECOND, 30 * SECOND + 10, msg_id=GENERATED, put_us=11 * SECOND)


ADDRESS = "192.0.2.7:1414"


def _by_address(h: History, qmgr: str) -> None:
    h.header("depth", queue="ADDRESSED", at_us=0, depth=0)
    h.put("P", "m1", 10, 12, qmgr=qmgr, queue="ADDRESSED", object_name="ADDRESSED")
    h.get("C", "m2", 20, 22, queue="ADDRESSED")


@case()
def put_to_a_queue_manager_that_a_capture_knows_by_its_address(h: History) -> None:
    _by_address(h, ADDRESS)


@case()
def a_report_with_the_identifier_of_another_message_on_its_queue(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, report=0)
    h.get("C", "m1", 20, 22, options=SYNC, msg_type=MQMT.REPORT)
    h.get("C", "m1", 24, 26, options=SYNC)
