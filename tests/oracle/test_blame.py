"""What a departure is blamed on: the reason that was returned, a message that was not made, a member of a piece."""

from __future__ import annotations

from dataclasses import replace

import pytest

from oracle.judging.carry_on import apart
from oracle.judging.compare import Difference
from oracle.protocol import ObservedReply
from oracle.protocol.setup import state_of_setup
from oracle.replay.history import replay_history
from tests.oracle.test_follow import Session

TRIGGERED = (
    {"name": "Q", "TriggerControl": 1, "InitiationQName": "INIT", "ProcessName": "P"},
    {"name": "INIT"},
)


def test_a_needless_failure_names_the_rules_of_its_reason() -> None:
    session = Session("put1 Q m1 SYNCPOINT")
    departure = session.instead("get h BROWSE_NEXT+LOGICAL_ORDER", ObservedReply(2, 2259)).departure
    assert departure is not None
    assert departure.rules[0] != "BRW-14"
    assert "2259 INCONSISTENT_BROWSE belongs to BRW-14" in departure.sentence


def test_a_reason_of_many_rules_is_not_explained() -> None:
    departure = Session("put h m").instead("get h", ObservedReply(2, 2046)).departure
    assert departure is not None
    assert "belongs to" not in departure.sentence


@pytest.mark.parametrize(
    ("history", "call", "rule"),
    [
        ("put h m1 Expiry=100; advance 10s", "get h BufferLength=1", "TRN-04"),
        (
            """
            put h m1 SYNCPOINT MsgFlags=SEGMENT GroupId=1
            put h m2 SYNCPOINT MsgFlags=LAST_SEGMENT GroupId=1 Offset=2
            """,
            "get h SYNCPOINT+ALL_SEGMENTS_AVAILABLE BufferLength=1",
            "TRN-11",
        ),
    ],
)
def test_a_wrong_warning_is_not_told_as_a_message_that_must_not_be_found(history: str, call: str, rule: str) -> None:
    departure = Session(history).instead(call, ObservedReply(1, 2079)).departure
    assert departure is not None
    assert departure.allowed[0].startswith("FAILED 2033")
    assert departure.rules[0] == rule


def test_a_depth_without_a_trigger_message_is_blamed_on_triggering() -> None:
    history = """
    i = open INIT INPUT_SHARED+INQUIRE
    p = open Q OUTPUT
    put p m1
    advance 1000000s
    put p m2 MsgFlags=SEGMENT
    put p m3 LOGICAL_ORDER MsgFlags=LAST_SEGMENT
    """
    session = Session(history, start="", queues=TRIGGERED)
    departure = session.instead("inq i CurrentQDepth", values={"CurrentQDepth": 1}).departure
    assert departure is not None
    assert departure.rules[0] == "TRI-12"
    assert departure.sentence.startswith("MQINQ: expected values to be CurrentQDepth 2")


def test_a_member_of_a_piece_is_blamed_on_the_put() -> None:
    history = """
    h = open Q BROWSE
    put1 Q m ALTERNATE_USER_AUTHORITY AlternateUserId=bob MsgFlags=SEGMENTATION_ALLOWED Length=70
    """
    session = Session(history, start="", queues=[{"name": "Q", "MaxMsgLength": 32}])
    call = "get h BROWSE_FIRST+ALL_MSGS_AVAILABLE MatchOptions=NONE"
    departure = session.instead(call, MQMD__UserIdentifier="mqm").departure
    assert departure is not None
    assert departure.rules[0] == "USR-03"
    assert not any(rule.startswith("AMA") for rule in departure.of_call)


def test_other_data_of_another_format_are_one_mistake() -> None:
    encoding = Difference("MQMD.Encoding", 546, "273", ("CNV-07",))
    length = Difference("DataLength", 74, "2", ("TRN-06",))
    form = Difference("MQMD.Format", "MQHRF2", "'MQSTR'", ("PRP-10",))
    data = Difference("data", b"RFH ", "2 bytes", ("DLV-04",))
    priority = Difference("MQMD.Priority", 1, "2", ("PRI-02",))
    assert apart([encoding, form, data, length, priority]) == [[form, data, length, encoding], [priority]]
    assert apart([encoding, data, length]) == [[encoding], [data], [length]]


def test_a_depth_with_an_expired_message_too_many_is_blamed_on_the_get() -> None:
    session = Session("put h m1 Expiry=10; advance 60s; get h -> 2033")
    departure = session.instead("inq h CurrentQDepth", values={"CurrentQDepth": 1}).departure
    assert departure is not None
    assert departure.rules[0] == "EXP-11"


def test_a_depth_that_lacks_an_expired_message_of_zos_is_blamed_on_its_early_end() -> None:
    history = "put h m1 NO_SYNCPOINT; put h m2 NO_SYNCPOINT Expiry=100; get h SYNCPOINT -> m1; advance 60s"
    session = Session(history, platform="zos")
    departure = session.instead("inq h CurrentQDepth", values={"CurrentQDepth": 0}).departure
    assert departure is not None
    assert departure.rules[0] == "ZOS-01"


def test_a_wrong_depth_is_not_blamed_on_the_rule_of_a_right_count() -> None:
    call = "inq h CurrentQDepth OpenInputCount"
    departure = Session("put h m1").instead(call, values={"CurrentQDepth": 2, "OpenInputCount": 2}).departure
    assert departure is not None
    assert "INQ-07" not in departure.rules
    departure = Session("put h m1").instead(call, values={"CurrentQDepth": 1, "OpenInputCount": 3}).departure
    assert departure is not None
    assert departure.rules[0] == "INQ-07"


SEGMENTS = """
put h s1 MsgFlags=SEGMENT GroupId=1
put h s2 MsgFlags=LAST_SEGMENT GroupId=1 Offset=2
"""


def test_a_segment_for_the_whole_message_is_one_mistake_of_completing() -> None:
    session = Session(SEGMENTS)
    single = Session(SEGMENTS).reply("get h")
    departures = session.on("get h COMPLETE_MSG", single).departures
    assert [each.rules[0] for each in departures] == ["CMP-01"]
    assert departures[0].sentence.startswith("MQGET returned one segment, but the whole message must come")


@pytest.mark.parametrize(("options", "rule"), [("", "CMP-02"), ("ALL_SEGMENTS_AVAILABLE", "ASA-08")])
def test_segments_together_that_must_come_singly_are_one_mistake(options: str, rule: str) -> None:
    session = Session(SEGMENTS)
    whole = Session(SEGMENTS).reply("get h COMPLETE_MSG")
    departures = session.on(f"get h {options}", whole).departures
    assert [each.rules[0] for each in departures] == [rule]
    assert departures[0].sentence.startswith("MQGET returned segments together, but each must come on its own")


def test_fewer_data_and_the_lengths_that_count_them_are_one_mistake() -> None:
    session = Session("put h m Length=10")
    short = {"data": session.reply("get h").members["data"][:8], "DataLength": 8, "MQGMO__ReturnedLength": 8}
    departures = session.on("get h", **short).departures
    assert [each.rules[0] for each in departures] == ["DLV-04"]


def test_a_length_that_does_not_count_the_data_is_a_mistake_of_its_own() -> None:
    session = Session("put h m Length=10")
    wrong = {"data": session.reply("get h").members["data"][:8], "DataLength": 10, "MQGMO__ReturnedLength": 4}
    departures = session.on("get h", **wrong).departures
    assert [each.rules[0] for each in departures] == ["DLV-04", "TRN-09"]


def test_a_wait_ended_by_a_message_that_does_not_match_is_blamed_on_the_match() -> None:
    history = "w = get g WAIT WaitInterval=60000 MatchOptions=MATCH_CORREL_ID CorrelId=c9"
    session = Session(history)
    ended = Session("put h other CorrelId=a1").reply("get g")
    put = session.reply("put h other CorrelId=a1")
    (identity,) = session.follower.waiting
    departure = session.instead("put h other CorrelId=a1", replace(put, completed={identity: ended})).departure
    assert departure is not None
    assert {"MTC-19", "WAI-04"} & set(departure.rules[:2])


def test_rules_about_something_else_come_last() -> None:
    departure = Session("put h m1; put h m2").instead("get g BROWSE_FIRST+LOCK", ObservedReply(2, 2033)).departure
    assert departure is not None
    last = departure.rules[len(departure.rules) // 2 :]
    assert {"OPT-34"} & set(departure.rules) <= set(last)
    assert {"VIS-08", "PRI-03"} & set(departure.rules) <= set(last)


def test_a_refusal_is_not_explained_by_rules_about_other_verbs() -> None:
    departure = Session("put h m SYNCPOINT; quiesce").instead("cmit", ObservedReply(2, 2161)).departure
    assert departure is not None
    assert {"CON-07", "OPN-15", "PUT-08"}.isdisjoint(departure.rules)


MARKED = "h = open Q BROWSE+CO_OP\nput1 Q m\nget h BROWSE_FIRST+MARK_BROWSE_CO_OP\n"


def test_a_mark_that_must_have_ended_is_blamed_on_how_it_ends() -> None:
    again = Session(MARKED + "close h\nh = open Q BROWSE+CO_OP", start="")
    departure = again.instead("get h BROWSE_FIRST+MARK_BROWSE_CO_OP", ObservedReply(2, 2200)).departure
    assert departure is not None
    assert departure.rules[0] == "MRK-10"
    got = Session(MARKED + "g = open Q INPUT_SHARED\nget g SYNCPOINT\nback", start="")
    departure = got.instead("get h BROWSE_FIRST+MARK_BROWSE_CO_OP", ObservedReply(2, 2200)).departure
    assert departure is not None
    assert departure.rules[0] == "MRK-13"


def test_a_message_that_only_others_have_marked_must_be_found() -> None:
    session = Session(MARKED + "x = open Q BROWSE", start="")
    departure = session.instead("get x BROWSE_FIRST+UNMARKED_BROWSE_MSG", ObservedReply(2, 2033)).departure
    assert departure is not None
    assert departure.rules[0] == "MRK-15"
    assert "message m, which others have marked, is available" in departure.sentence


def test_the_wrong_one_of_messages_with_one_msg_id_is_told_by_the_order() -> None:
    session = Session("put h low MsgId=a1 Priority=1 Format=MQSTR; put h high MsgId=a1 Priority=5")
    departure = session.instead("get g", session.message("low")).departure
    assert departure is not None
    assert departure.rules[0] == "PRI-03"
    assert departure.sentence.startswith("MQGET returned the wrong one of the messages with one MsgId, low or high (")


def test_data_that_are_as_they_were_put_are_not_told_as_another_message() -> None:
    """The embedded Expiry has elapsed, and the header comes back unchanged."""
    state = state_of_setup({"queues": [{"name": "X", "Usage": "TRANSMISSION"}]}, "distributed")
    history = """
    x = open X INPUT_SHARED+OUTPUT
    put x m NO_SYNCPOINT Format=MQXMIT MQXQH.MsgDesc.Expiry=1 -> OK
    advance 5s
    get x NO_SYNCPOINT -> OK MQXQH.MsgDesc.Expiry=1
    """
    *_, last = replay_history(history, "history", state)
    departure = last.followed.departure
    assert departure is not None
    assert "expected data to be an MQXQH with MsgDesc.Expiry 0" in departure.sentence
    assert departure.rules[0] == "XMQ-12"


def test_a_queue_that_nobody_has_open_is_not_in_use() -> None:
    history = "e = open Q INPUT_EXCLUSIVE+OUTPUT; put e m1; get e SYNCPOINT; close e"
    for options in ("INPUT_EXCLUSIVE", "INPUT_AS_Q_DEF"):
        departure = Session(history, start="").instead(f"o = open Q {options}", ObservedReply(2, 2042)).departure
        assert departure is not None
        assert departure.rules[0] == "OPN-11"


def test_a_message_that_the_end_of_a_connection_lost_is_blamed_on_that() -> None:
    history = "i = B.open Q INQUIRE; put1 Q m1 SYNCPOINT MsgFlags=MSG_IN_GROUP; disc"
    departure = Session(history, start="").instead("inq i CurrentQDepth", values={"CurrentQDepth": 0}).departure
    assert departure is not None
    assert departure.rules[0] == "CON-04"


def test_a_first_browse_against_the_priorities_is_blamed_on_them() -> None:
    session = Session("put1 Q low SYNCPOINT Priority=1; put1 Q high SYNCPOINT Priority=5; cmit; b = open Q BROWSE")
    departure = session.instead("get b BROWSE_NEXT", session.message("low")).departure
    assert departure is not None
    assert departure.rules[0] == "PRI-03"


def test_logical_order_finds_a_message_outside_groups() -> None:
    departure = Session("put h m1").instead("get h BROWSE_FIRST+LOGICAL_ORDER", ObservedReply(2, 2033)).departure
    assert departure is not None
    assert departure.rules[0] == "LOG-04"


def test_a_marked_message_is_not_told_as_out_of_order_behind_an_uncommitted_one() -> None:
    history = MARKED + "put1 Q first SYNCPOINT Priority=9"
    for option, rule in (("MARK_BROWSE_CO_OP", "MRK-09"), ("UNMARKED_BROWSE_MSG", "MRK-15")):
        session = Session(history, start="")
        departure = session.instead(f"get h BROWSE_FIRST+{option}", session.message("m")).departure
        assert departure is not None
        assert departure.rules[0] == rule


def test_a_set_that_ends_a_wait_is_not_told_as_one_that_must_be_refused() -> None:
    history = "w = get h WAIT WaitInterval=5000; s = B.open AL SET"
    queues = ({"name": "Q"}, {"name": "AL", "type": "alias", "target": "Q"})
    session = Session(history, queues=queues)
    (identity,) = session.follower.waiting
    departure = session.instead(
        "set s InhibitGet=1", ObservedReply(completed={identity: ObservedReply(2, 2016)})
    ).departure
    assert departure is not None
    assert departure.rules[0] != "INQ-06"
