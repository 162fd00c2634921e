"""Emptiness and loss: DLV-05, DLV-03."""

from __future__ import annotations

from oracle.mqi.constants import MQGMO, MQMF, MQMO, MQOO, MQPMO, MQRC, MQRO
from tests.spark_checks.cases import case
from tests.spark_checks.histories import NO_ID, PLAIN, QUEUE, SYNC, History, ident

CORREL, OTHER = ident("correl"), ident("other")


@case()
def nothing_there(h: History) -> None:
    h.starts_empty()
    h.nothing("C", 5, 8)
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22)
    h.nothing("C", 30, 32)


@case("DLV-05 violation")
def nothing_found_although_seen_afterwards(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.nothing("C", 20, 22)
    h.get("C", "m1", 30, 32)


@case("DLV-05 violation")
def nothing_found_by_one_connection_whose_times_tell_nothing(h: History) -> None:
    h.put("A", "m1", 10, 40)
    h.nothing("A", 10, 40)
    h.get("A", "m1", 10, 40)


@case("DLV-05 violation")
def a_wait_that_ended_with_nothing(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.nothing("C", 20, 5_000_000, options=PLAIN | MQGMO.WAIT, wait_ms=5000)
    h.get("D", "m1", 5_000_010, 5_000_012)


@case()
def put_during_the_call(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.nothing("C", 11, 22)
    h.get("C", "m1", 30, 32)


@case()
def got_during_the_call(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.nothing("C", 20, 30)
    h.get("D", "m1", 28, 32)


@case()
def uncommitted_during_the_call(h: History) -> None:
    h.put("P", "m1", 10, 12, options=SYNC)
    h.nothing("C", 20, 22)
    h.commit("P", 21, 26)
    h.get("C", "m1", 30, 32)


@case("DLV-05 violation")
def committed_before_the_call(h: History) -> None:
    h.put("P", "m1", 10, 12, options=SYNC)
    h.commit("P", 14, 16)
    h.nothing("C", 20, 22)
    h.get("C", "m1", 30, 32)


@case()
def held_during_the_call(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.get("D", "m1", 14, 16, options=SYNC)
    h.nothing("C", 20, 22)
    h.backout("D", 24, 26)
    h.get("C", "m1", 30, 32)


@case("SYN-03 violation")
def given_back_before_the_call(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.get("D", "m1", 14, 16, options=SYNC)
    h.backout("D", 17, 18)
    h.nothing("C", 20, 22)
    h.get("C", "m1", 30, 32)


@case()
def locked_during_the_call(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.browse("D", "m1", 14, 16, options=MQGMO.BROWSE_FIRST | MQGMO.LOCK)
    h.nothing("C", 20, 22)
    h.get("D", "m1", 30, 32)


@case("DLV-05 violation")
def browsed_only_before_the_call(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.browse("D", "m1", 14, 16)
    h.nothing("C", 20, 22)
    h.get("D", "m1", 30, 32)


@case("DLV-05 violation")
def browsed_by_another_during_the_call(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.browse("D", "m1", 14, 24)
    h.nothing("C", 20, 22)
    h.get("D", "m1", 30, 32)


@case("DLV-05 violation")
def nothing_to_browse_and_lock_though_it_was_there(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.nothing("C", 20, 22, options=MQGMO.BROWSE_FIRST | MQGMO.LOCK)
    h.get("D", "m1", 30, 32)


@case()
def nothing_to_browse_and_lock_as_it_was_locked(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.browse("D", "m1", 14, 16, options=MQGMO.BROWSE_FIRST | MQGMO.LOCK)
    h.nothing("C", 20, 22, options=MQGMO.BROWSE_FIRST | MQGMO.LOCK)
    h.get("D", "m1", 30, 32)


@case()
def asked_for_another(h: History) -> None:
    h.put("P", "m1", 10, 12, correl_id=CORREL)
    h.nothing("C", 20, 22, match_options=MQMO.MATCH_MSG_ID, sel_msg_id=OTHER)
    h.nothing("C", 23, 24, match_options=MQMO.MATCH_CORREL_ID, sel_correl_id=OTHER)
    h.nothing(
        "C",
        25,
        26,
        match_options=MQMO.MATCH_MSG_ID | MQMO.MATCH_CORREL_ID,
        sel_msg_id=ident("m1"),
        sel_correl_id=OTHER,
    )
    h.get("C", "m1", 30, 32)


@case("DLV-05 violation", "DLV-05 violation", "DLV-05 violation")
def asked_for_this_one(h: History) -> None:
    h.put("P", "m1", 10, 12, correl_id=CORREL)
    h.nothing("C", 20, 22, match_options=MQMO.MATCH_MSG_ID, sel_msg_id=ident("m1"))
    h.nothing("C", 23, 24, match_options=MQMO.MATCH_CORREL_ID, sel_correl_id=CORREL)
    h.nothing(
        "C",
        25,
        26,
        match_options=MQMO.MATCH_MSG_ID | MQMO.MATCH_CORREL_ID,
        sel_msg_id=ident("m1"),
        sel_correl_id=CORREL,
    )
    h.get("C", "m1", 30, 32)


@case()
def asked_in_ways_that_are_not_followed(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.nothing("C", 20, 22, match_options=None)
    h.nothing("C", 23, 24, options=None)
    h.nothing("C", 25, 26, options=PLAIN | MQGMO.LOGICAL_ORDER)
    h.nothing("C", 27, 28, options=MQGMO.BROWSE_NEXT)
    h.get("C", "m1", 30, 32)


@case("DLV-05 violation")
def a_browse_of_the_first_message(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.nothing("C", 20, 22, options=MQGMO.BROWSE_FIRST)
    h.get("C", "m1", 30, 32)


@case("DLV-05 suspicion", log="incomplete")
def an_untraced_application_may_have_held_it(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.nothing("C", 20, 22)
    h.get("C", "m1", 30, 32)


@case("DLV-05 suspicion", log="incomplete")
def an_untraced_application_may_have_held_it_all_other_calls_of_the_get_being_there(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.call("C", "MQCONN", 14, 16)
    h.nothing("C", 20, 22)
    h.get("C", "m1", 30, 32)


@case(log="clock")
def clocks_may_have_swapped_put_and_call(h: History) -> None:
    h.put("P", "m1", 1000, 1010)
    h.nothing("C", 1110, 1120)
    h.get("C", "m1", 1300, 1310)


@case("DLV-05 violation", log="clock")
def clocks_cannot_have_swapped_put_and_call(h: History) -> None:
    h.put("P", "m1", 1000, 1010)
    h.nothing("C", 1111, 1120)
    h.get("D", "m1", 1221, 1310)


@case("DLV-03 violation")
def never_got(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.nothing("C", 20, 22)


@case("DLV-03 violation")
def never_got_by_the_only_connection(h: History) -> None:
    h.put("A", "m1", 10, 12)
    h.nothing("A", 12, 22)


@case("DLV-03 violation", "DLV-03 violation")
def each_lost_message_is_a_finding(h: History) -> None:
    for number in range(6):
        h.put("P", f"m{number}", 10 + 10 * number, 12 + 10 * number)
    for number in (0, 1, 3, 5):
        h.get("C", f"m{number}", 100 + 10 * number, 102 + 10 * number)
    h.nothing("C", 200, 202)
    h.disconnect("P", "C", start=300, end=301)


@case("DLV-03 suspicion")
def a_cap_that_the_put_did_not_show(h: History) -> None:
    h.header("queue", CAPEXPRY=600)
    h.put("P", "m1", 10, 12)
    h.nothing("C", 20, 22)


@case()
def a_cap_that_is_over_although_the_put_shows_none(h: History) -> None:
    h.header("queue", CAPEXPRY=10)
    h.put("P", "m1", 10, 12)
    h.nothing("C", 2_500_000, 2_500_002)
    h.put("P", "m2", 2_500_010, 2_500_012, expiry=600)
    h.nothing("C", 5_500_000, 5_500_002)
    h.disconnect("P", "C", start=5_600_000, end=5_600_001)


@case()
def it_may_have_expired(h: History) -> None:
    h.put("P", "m1", 10, 12, expiry=20)
    h.nothing("C", 2_500_000, 2_500_002)
    h.put("P", "m2", 2_500_010, 2_500_012, expiry=None)
    h.nothing("C", 2_500_020, 2_500_022)
    h.disconnect("P", "C", start=2_600_000, end=2_600_001)


@case("DLV-03 violation")
def it_cannot_have_expired_yet(h: History) -> None:
    h.put("P", "m1", 10, 12, expiry=100)
    h.nothing("C", 2_500_000, 2_500_002)
    h.disconnect("P", "C", start=2_600_000, end=2_600_001)


@case(log="incomplete")
def someone_else_may_have_got_it(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.nothing("C", 20, 22)
    h.disconnect("P", "C", start=30, end=31)


@case()
def it_was_got_without_a_commit(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.get("D", "m1", 14, 16, options=SYNC)
    h.nothing("C", 20, 22)
    h.disconnect("P", "C", start=30, end=31)


@case()
def a_get_without_its_message_may_have_got_it(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.get("D", "?", 14, 16, msg_id=None)
    h.nothing("C", 20, 22)
    h.disconnect("P", "C", "D", start=30, end=31)


@case()
def a_get_without_its_queue_may_have_got_it(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.get("D", "?", 14, 16, queue=None, msg_id=None)
    h.nothing("C", 20, 22)
    h.disconnect("P", "C", "D", start=30, end=31)


@case()
def it_was_probably_split(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, msg_flags=MQMF.SEGMENTATION_ALLOWED)
    h.get("D", "segment", 14, 16, msg_flags=MQMF.SEGMENT)
    h.nothing("C", 20, 22)


@case("DLV-01 suspicion", "DLV-03 suspicion")
def it_may_have_been_split_and_got(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, msg_flags=MQMF.SEGMENTATION_ALLOWED)
    h.get("D", "segment", 14, 16, msg_flags=None)
    h.nothing("C", 20, 22)


@case("DLV-03 violation")
def it_was_not_split_though_others_were(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, msg_flags=0)
    h.get("D", "segment", 14, 16, msg_flags=MQMF.SEGMENT)
    h.nothing("C", 20, 22)


@case()
def on_a_transmission_queue_it_has_another_identifier(h: History) -> None:
    h.header("queue", Usage="TRANSMISSION")
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("MCA", "wrapped", 14, 16, format="MQXMIT")
    h.nothing("MCA", 20, 22)
    h.disconnect("P", "MCA", start=30, end=31)


@case("DLV-03 suspicion")
def a_restart_drops_nonpersistent_messages(h: History) -> None:
    h.put("P", "m1", 10, 12, persistence=0)
    h.disconnect("P", start=13, end=14)
    h.call("C", "MQCONN", 16, 17)
    h.nothing("C", 20, 22)


@case("DLV-03 violation")
def a_connection_shows_that_there_was_no_restart(h: History) -> None:
    h.call("C", "MQCONN", 5, 6)
    h.put("P", "m1", 10, 12, persistence=0)
    h.disconnect("P", start=13, end=14)
    h.nothing("C", 20, 22)


@case("DLV-03 violation")
def a_connection_from_before_the_log_shows_it_too(h: History) -> None:
    h.put("P", "m1", 10, 12, persistence=0)
    h.disconnect("P", start=13, end=14)
    h.nothing("C", 20, 22)


@case("DLV-03 violation")
def a_dynamic_queue_that_was_not_made_again_is_the_same(h: History) -> None:
    h.call("P", "MQOPEN", 1, 2, queue=QUEUE, object_name="MODEL", options=MQOO.OUTPUT)
    h.put("P", "m1", 10, 12)
    h.nothing("C", 20, 22)
    h.disconnect("P", "C", start=30, end=31)


@case("DLV-03 suspicion")
def a_dynamic_queue_may_be_another_one(h: History) -> None:
    h.call("P", "MQOPEN", 1, 2, queue=QUEUE, object_name="MODEL", options=MQOO.OUTPUT)
    h.put("P", "m1", 10, 12)
    h.call("P", "MQOPEN", 13, 14, queue=QUEUE, object_name="MODEL", options=MQOO.OUTPUT)
    h.nothing("C", 20, 22)
    h.disconnect("P", "C", start=30, end=31)


@case()
def a_dynamic_queue_of_a_known_model_may_be_another_one(h: History) -> None:
    h.records.append({"header": "queue", "qmgr": h.qmgr, "queue": "MODEL", "type": "model"})
    a_dynamic_queue_may_be_another_one(h)


@case("DLV-03 violation")
def a_dynamic_queue_of_a_known_model_that_was_not_made_again_is_the_same(h: History) -> None:
    h.records.append({"header": "queue", "qmgr": h.qmgr, "queue": "MODEL", "type": "model"})
    a_dynamic_queue_that_was_not_made_again_is_the_same(h)


@case("DLV-05 violation")
def nothing_between_two_browses_of_a_message_from_before_the_log(h: History) -> None:
    h.browse("B", "old", 10, 12)
    h.nothing("C", 20, 22)
    h.browse("D", "old", 30, 32)


@case()
def nothing_between_two_browses_of_what_a_connection_may_have_put_before_the_log(h: History) -> None:
    h.browse("B", "old", 10, 12)
    h.nothing("C", 20, 22)
    h.browse("B", "old", 30, 32)


@case("SYN-03 violation")
def a_message_from_before_the_log_was_given_back(h: History) -> None:
    h.get("B", "old", 10, 12, options=SYNC)
    h.backout("B", 14, 16)
    h.nothing("C", 20, 22)
    h.get("D", "old", 30, 32)


@case()
def a_message_from_before_the_log_was_given_back_during_the_call(h: History) -> None:
    h.get("B", "old", 10, 12, options=SYNC)
    h.backout("B", 14, 21)
    h.nothing("C", 20, 22)
    h.get("D", "old", 30, 32)


@case(log="incomplete")
def nothing_between_two_messages_with_one_identifier(h: History) -> None:
    h.browse("B", "old", 10, 12)
    h.nothing("C", 20, 22)
    h.browse("B", "old", 30, 32)


@case()
def nothing_between_a_message_and_perhaps_a_report_about_it(h: History) -> None:
    h.browse("B", "old", 10, 12, msg_type=None)
    h.nothing("C", 20, 22)
    h.browse("B", "old", 30, 32, msg_type=None)


@case()
def nothing_to_browse_behind_the_last_one(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.browse("C", "m1", 14, 16, hobj=1)
    h.nothing("C", 20, 22, options=MQGMO.BROWSE_NEXT, hobj=1)
    h.get("C", "m1", 30, 32)


@case("DLV-05 violation")
def nothing_for_a_get_of_a_complete_message_though_one_was_there(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.nothing("C", 20, 22, options=MQGMO.COMPLETE_MSG | MQGMO.NO_SYNCPOINT)
    h.get("D", "m1", 30, 32)


@case()
def nothing_for_a_get_of_a_complete_message_while_a_segment_lacks(h: History) -> None:
    h.put("P", "m1", 10, 12, msg_flags=MQMF.SEGMENT, group_id=ident("g"), msg_seq_number=1, offset=0)
    h.nothing("C", 20, 22, options=MQGMO.COMPLETE_MSG | MQGMO.NO_SYNCPOINT)
    h.get("D", "m1", 30, 32, msg_flags=MQMF.SEGMENT, group_id=ident("g"), msg_seq_number=1, offset=0)


def _three_with_one_identifier(h: History, **columns: int) -> None:
    h.starts_empty()
    for at in (10, 14, 18):
        h.put("P", "m1", at, at + 2, **columns)
    h.get("C", "m1", 20, 22, **columns)
    h.get("C", "m1", 24, 26, **columns)


@case("DLV-03 violation")
def one_of_several_with_one_identifier_is_lost(h: History) -> None:
    _three_with_one_identifier(h)
    h.nothing("C", 30, 32)


@case()
def none_of_several_with_one_identifier_is_lost(h: History) -> None:
    _three_with_one_identifier(h)
    h.get("D", "m1", 30, 32)
    h.nothing("C", 40, 42)


def _two_of_three_by_correl_id(h: History, *correl_ids: str) -> None:
    """Put three messages with one MsgId, get the second and third, and ask by CorrelId for another one."""
    h.starts_empty()
    for number, correl_id in enumerate(correl_ids):
        h.put("P", "m1", 10 + 4 * number, 12 + 4 * number, correl_id=ident(correl_id))
    for number, correl_id in enumerate(correl_ids[1:]):
        h.get("C", "m1", 24 + 4 * number, 26 + 4 * number, correl_id=ident(correl_id))
    h.nothing("C", 40, 42, match_options=MQMO.MATCH_CORREL_ID, sel_correl_id=ident(correl_ids[-1]))


@case("DLV-03 violation")
def one_of_several_with_one_identifier_is_lost_for_a_get_by_correl_id(h: History) -> None:
    _two_of_three_by_correl_id(h, "c1", "c1", "c1")


@case()
def one_of_several_with_one_identifier_has_another_correl_id(h: History) -> None:
    _two_of_three_by_correl_id(h, "c2", "c1", "c1")


@case()
def one_of_several_with_one_identifier_is_of_a_group_that_is_not_whole(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, msg_flags=MQMF.MSG_IN_GROUP, group_id=ident("g"), msg_seq_number=1, offset=0)
    h.put("P", "m1", 14, 16, msg_flags=0, group_id=NO_ID, msg_seq_number=1, offset=0)
    h.get("C", "m1", 24, 26, msg_flags=0, group_id=NO_ID, msg_seq_number=1, offset=0)
    h.nothing("C", 40, 42, options=MQGMO.ALL_MSGS_AVAILABLE | MQGMO.NO_SYNCPOINT)


@case()
def one_of_several_with_one_identifier_may_be_locked(h: History) -> None:
    _three_with_one_identifier(h)
    h.browse("D", "m1", 27, 28, options=MQGMO.BROWSE_FIRST | MQGMO.LOCK)
    h.nothing("C", 30, 32)


@case()
def one_of_several_with_one_identifier_may_have_expired(h: History) -> None:
    _three_with_one_identifier(h, expiry=1)
    h.nothing("C", 30_000_000, 30_000_002)


@case()
def several_segments_with_one_identifier_are_got_together(h: History) -> None:
    h.starts_empty()
    for offset in (0, 1):
        h.put("P", "m1", 10 + 2 * offset, 11 + 2 * offset, msg_flags=MQMF.SEGMENT, offset=offset)
    h.put("P", "m1", 14, 15, msg_flags=MQMF.LAST_SEGMENT, offset=2)
    h.get("C", "m1", 20, 22, options=PLAIN | MQGMO.COMPLETE_MSG, msg_flags=MQMF.SEGMENT | MQMF.LAST_SEGMENT)
    h.nothing("C", 30, 32)


@case()
def one_of_several_with_one_identifier_was_not_committed(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.put("P", "m1", 14, 16, options=SYNC)
    h.get("C", "m1", 20, 22)
    h.nothing("C", 30, 32)
    h.backout("P", 40, 42)


@case("DLV-03 suspicion")
def a_restart_of_which_the_putter_learns_later(h: History) -> None:
    h.call("P", "MQCONN", 5, 6)
    h.put("P", "m1", 10, 12, persistence=0)
    h.call("C", "MQCONN", 30, 31)
    h.nothing("C", 40, 42)
    h.commit("P", 50, 52, comp_code=2, reason=MQRC.CONNECTION_BROKEN)


@case("DLV-03 suspicion")
def a_restart_between_two_connections_of_one_name(h: History) -> None:
    h.call("C", "MQCONN", 1, 2)
    h.disconnect("C", start=3, end=4)
    h.put("P", "m1", 10, 12, persistence=0)
    h.disconnect("P", start=13, end=14)
    h.call("C", "MQCONN", 30, 31)
    h.nothing("C", 40, 42)


@case("DLV-03 violation")
def no_restart_as_the_putter_lives(h: History) -> None:
    h.call("P", "MQCONN", 5, 6)
    h.put("P", "m1", 10, 12, persistence=0)
    h.call("C", "MQCONN", 30, 31)
    h.nothing("C", 40, 42)
    h.commit("P", 50, 52)


@case("DLV-03 suspicion", log="zos")
def a_restart_before_a_program_that_needs_no_connection(h: History) -> None:
    h.put("P", "m1", 10, 12, persistence=0)
    h.nothing("C", 40, 42)


@case("DLV-03 violation")
def a_restart_before_a_program_that_needs_a_connection(h: History) -> None:
    h.put("P", "m1", 10, 12, persistence=0)
    h.nothing("C", 40, 42)


@case("DLV-03 suspicion", "DLV-03 suspicion")
def a_restart_dropped_one_of_two_with_one_identifier(h: History) -> None:
    h.put("P", "m1", 10, 12, persistence=1)
    h.put("Q", "m1", 13, 14, persistence=0)
    h.put("Q", "m2", 15, 16, persistence=0)
    h.disconnect("P", "Q", start=17, end=18)
    h.call("C", "MQCONN", 30, 31)
    h.get("C", "m1", 32, 33)
    h.nothing("C", 40, 42)


@case("DLV-03 violation")
def put_without_an_option_for_its_response(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.nothing("C", 20, 22)


@case()
def put_asynchronously_by_the_default_of_the_queue(h: History) -> None:
    h.header("queue", DefPutResponse="ASYNC")
    h.put("P", "m1", 10, 12)
    h.nothing("C", 20, 22)


@case("DLV-03 violation")
def put_and_awaited_by_the_default_of_the_queue(h: History) -> None:
    h.header("queue", DefPutResponse="SYNC")
    h.put("P", "m1", 10, 12)
    h.nothing("C", 20, 22)


@case("DLV-03 violation")
def put_at_once_outside_a_unit_of_work(h: History) -> None:
    h.put("P", "m1", 10, 12, verb="MQPUT1")
    h.nothing("C", 20, 22)


@case("DLV-03 suspicion")
def put_at_once_in_a_unit_of_work(h: History) -> None:
    h.header("queue", DefPutResponse="SYNC")
    h.put("P", "m1", 10, 12, options=SYNC, verb="MQPUT1")
    h.commit("P", 14, 16)
    h.nothing("C", 20, 22)


@case("DLV-03 violation")
def put_at_once_in_a_unit_of_work_and_returned_the_time_of_the_put(h: History) -> None:
    h.put("P", "m1", 10, 12, options=SYNC, verb="MQPUT1", put_us=11)
    h.commit("P", 14, 16)
    h.nothing("C", 20, 22)


@case("DLV-03 suspicion")
def put_at_once_in_a_unit_of_work_with_a_time_of_the_application(h: History) -> None:
    h.put("P", "m1", 10, 12, options=SYNC | MQPMO.SET_ALL_CONTEXT, verb="MQPUT1", put_us=11)
    h.commit("P", 14, 16)
    h.nothing("C", 20, 22)


@case("DLV-03 suspicion")
def put_to_what_may_be_a_remote_queue(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, object_name="REMOTE")
    h.nothing("C", 20, 22)


@case("DLV-03 violation")
def put_to_an_alias_of_a_queue_that_is_no_transmission_queue(h: History) -> None:
    h.header("queue", Usage="NORMAL")
    h.starts_empty()
    h.put("P", "m1", 10, 12, object_name="ALIAS")
    h.nothing("C", 20, 22)


@case("DLV-03 suspicion")
def put_to_an_alias_that_may_limit_how_long_its_messages_live(h: History) -> None:
    h.header("queue", Usage="NORMAL", CAPEXPRY=0)
    h.starts_empty()
    h.put("P", "m1", 10, 12, object_name="ALIAS")
    h.nothing("C", 100_000, 100_012)


def _put_to_a_defined_alias(h: History, after_s: int, *caps: int) -> None:
    """Put to an alias with a CAPEXPRY, and look in vain some seconds later."""
    h.header("queue", Usage="NORMAL", CAPEXPRY=0)
    for cap in caps:
        alias = {"header": "queue", "qmgr": h.qmgr, "queue": "ALIAS", "type": "alias", "target": QUEUE, "CAPEXPRY": cap}
        h.records.append(alias)
    h.put("P", "m1", 10, 12, object_name="ALIAS", persistence=1)
    h.nothing("C", 1_000_000 * after_s, 1_000_000 * after_s + 2)
    h.disconnect("P", "C", start=1_000_000 * after_s + 10, end=1_000_000 * after_s + 12)


@case("DLV-03 violation")
def put_to_an_alias_without_a_limit(h: History) -> None:
    _put_to_a_defined_alias(h, 10, 0)


@case("DLV-03 violation")
def put_to_an_alias_whose_limit_was_not_over(h: History) -> None:
    _put_to_a_defined_alias(h, 10, 150)


@case()
def put_to_an_alias_whose_limit_was_over(h: History) -> None:
    _put_to_a_defined_alias(h, 10, 50)


@case("DLV-03 suspicion")
def put_to_an_alias_whose_definitions_contradict_each_other(h: History) -> None:
    _put_to_a_defined_alias(h, 10, 0, 50)


@case("DLV-03 suspicion")
def asked_for_by_the_identifier_of_what_may_be_in_segments(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, msg_flags=MQMF.SEGMENTATION_ALLOWED)
    h.nothing("C", 20, 22, match_options=MQMO.MATCH_MSG_ID, sel_msg_id=ident("m1"))


@case("DLV-05 suspicion", "EXP-09 suspicion")
def seen_afterwards_was_perhaps_a_report(h: History) -> None:
    h.starts_empty()
    report = MQRO.EXPIRATION | MQRO.PASS_MSG_ID
    h.put("P", "m1", 10, 12, expiry=10, report=report, reply_to_q=QUEUE)
    h.nothing("D", 3_000_000, 3_000_002)
    h.get("C", "m1", 5_000_000, 5_000_002, msg_type=None)


def one_of_two_nonpersistent_messages_is_got(h: History) -> None:
    h.starts_empty()
    h.put("A", "m", 10, 12, persistence=0)
    h.put("A", "m", 20, 22, persistence=0)
    h.get("A", "m", 30, 32, persistence=0)


@case("DLV-03 suspicion")
def one_of_two_nonpersistent_messages_with_one_identifier_is_missing(h: History) -> None:
    one_of_two_nonpersistent_messages_is_got(h)
    h.call("B", "MQCONN", 35, 36)
    h.nothing("B", 40, 42)


@case("DLV-03 violation")
def one_of_two_messages_is_missing_for_the_connection_that_put_them(h: History) -> None:
    one_of_two_nonpersistent_messages_is_got(h)
    h.nothing("A", 40, 42)


@case("DLV-03 suspicion", log="zos")
def a_nonpersistent_message_of_a_shared_queue_goes_with_the_coupling_facility(h: History) -> None:
    h.starts_empty()
    for number, conn in enumerate(("P", "C")):
        h.call(conn, "MQCONN", number, number + 1)
    h.put("P", "m1", 10, 12, persistence=0)
    h.nothing("C", 20, 22)
    h.put("P", "m2", 30, 32)
    h.get("C", "m2", 40, 42)


@case("DLV-05 suspicion", log="incomplete")
def passed_over_what_an_untraced_application_may_have_held(h: History) -> None:
    h.open("D", 1, 2, MQOO.INPUT_SHARED)
    h.put("P", "m", 10, 12)
    h.nothing("D", 20, 22, hobj=1)
    h.get("D", "m", 30, 32, backout_count=0, hobj=1)


@case(log="incomplete")
def an_untraced_application_held_it_as_its_backout_count_tells(h: History) -> None:
    h.open("D", 1, 2, MQOO.INPUT_SHARED)
    h.put("P", "m", 10, 12)
    h.nothing("D", 20, 22, hobj=1)
    h.get("D", "m", 30, 32, backout_count=1, hobj=1)


@case("DLV-05 violation")
def a_commit_that_goes_on_has_taken_effect_for_another_connection(h: History) -> None:
    h.starts_empty()
    h.put("A", "m1", 10, 12, options=MQPMO.SYNCPOINT)
    h.commit("A", 100, 10_000)
    h.browse("B", "m1", 200, 210)
    h.nothing("D", 300, 310)
    h.get("C", "m1", 20_000, 20_010)


@case()
def a_commit_that_goes_on_need_not_have_taken_effect_for_its_own_connection(h: History) -> None:
    h.starts_empty()
    h.put("A", "m1", 10, 12, options=MQPMO.SYNCPOINT)
    h.browse("A", "m1", 14, 16)
    h.commit("A", 100, 10_000)
    h.nothing("D", 300, 310)
    h.get("C", "m1", 20_000, 20_010)


@case()
def what_its_own_connection_may_have_put_before_the_log_is_not_visible_to_others(h: History) -> None:
    h.browse("A", "m1", 10, 12)
    h.nothing("B", 20, 22)
    h.get("A", "m1", 30, 32, options=SYNC)
    h.commit("A", 40, 42)
    h.browse("C", "m2", 10, 12, options=MQGMO.BROWSE_FIRST | MQGMO.LOCK, hobj=1)
    h.call("C", "MQCLOSE", 14, 16, queue=QUEUE, hobj=1)
    h.nothing("D", 20, 22, match_options=1, sel_msg_id=ident("m2"))
    h.commit("C", 24, 26)
    h.get("D", "m2", 30, 32)


@case("DLV-05 violation")
def what_its_own_connection_put_before_the_log_is_visible_since_it_committed(h: History) -> None:
    h.browse("A", "m1", 10, 12)
    h.commit("A", 14, 16)
    h.nothing("B", 20, 22)
    h.get("A", "m1", 30, 32)
