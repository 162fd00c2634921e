"""Report messages: their contents, times and places, and how a wrong one is reported."""

from __future__ import annotations

from typing import Any

import pytest

from oracle.errors import NotModelledError
from oracle.histories.history import observed_of
from oracle.histories.notation import parse
from oracle.model.queue_manager import outcomes
from oracle.mqi.calls import Call
from oracle.mqi.constants import MQFB, MQMT, MQRO
from oracle.mqi.layouts import MQDLH, MQXQH
from oracle.protocol import ObservedReply
from tests.oracle.conftest import Play, play_history
from tests.oracle.test_follow import FAILED_2033, Session

QUEUES = ({"name": "Q"}, {"name": "R"}, {"name": "DLQ"})
QMGR = {"DeadLetterQName": "DLQ"}
GENERATED = b"AMQ" + b"\xab" * 21
START = """
h = open Q BROWSE+INPUT_SHARED+OUTPUT+INQUIRE
r = open R BROWSE+INPUT_SHARED+OUTPUT+INQUIRE
d = open DLQ INPUT_SHARED
g = B.open Q INPUT_SHARED
"""
EXPIRED = "put h m Report=EXPIRATION ReplyToQ=R Expiry=10 Length=120; advance 9s; get h -> 2033;"


def session(text: str, **kwargs: Any) -> Session:
    return Session(text, start=START, queues=QUEUES, qmgr=QMGR, **kwargs)


@pytest.mark.parametrize("end", ["back B", "fail B"])
@pytest.mark.parametrize("first", ["m1", "m2"])
def test_what_a_unit_of_work_held_may_be_discarded_later_than_what_expired_after_it(first: str, end: str) -> None:
    put = "NO_SYNCPOINT Expiry=50 Report=EXPIRATION ReplyToQ=R"
    played = session(f"put h m1 {put}; get g SYNCPOINT -> m1; advance 3s; put h m2 {put}; advance 6s; {end}")
    sent = played.bindings.messages[first]["MsgId"]
    report = played.bindings.call(parse("get r NO_SYNCPOINT")[0], 99)
    replies = [outcome.reply for outcome in outcomes(played.state, report)]
    assert any(reply.descriptor is not None and reply.descriptor.correl_id == sent for reply in replies)


@pytest.mark.parametrize("data", [("EXPIRATION", 0), ("EXPIRATION_WITH_DATA", 100), ("EXPIRATION_WITH_FULL_DATA", 120)])
def test_a_discard_reports_with_as_much_data_as_asked_for(play: Play, data: tuple[str, int]) -> None:
    option, length = data
    played = play(START + EXPIRED.replace("EXPIRATION", option) + "get r -> Feedback=258", queues=QUEUES)
    reply = played.last.reply
    assert reply.data_length == length
    assert reply.descriptor is not None
    assert reply.descriptor.msg_type == MQMT.REPORT
    assert {"RPT-01", "RPT-04", "RPM-01", "RPM-02"} <= played.rules


@pytest.mark.parametrize(
    ("option", "feedback", "cause"),
    [("EXPIRATION", MQFB.EXPIRATION, "advance 9s; get h"), ("COA", MQFB.COA, ""), ("COD", MQFB.COD, "get h")],
)
def test_each_report_confirms_its_message(play: Play, option: str, feedback: int, cause: str) -> None:
    played = play(
        START
        + f"put h m Report={option} ReplyToQ=R Expiry=20 Priority=7; {cause};"
        + f"get r -> Feedback={feedback} CorrelId=@m.MsgId Priority=7 Persistence=0 Expiry=-1 Report=0; get r -> 2033",
        queues=QUEUES,
    )
    assert "RPM-01" in played.rules


def test_identifiers_are_passed_where_the_options_say_so(play: Play) -> None:
    text = "put h m Report=COA+PASS_MSG_ID+PASS_CORREL_ID ReplyToQ=R CorrelId=ab; get r -> MsgId=@m CorrelId=ab"
    assert "RPM-01" in play(START + text, queues=QUEUES).rules


@pytest.mark.parametrize(
    ("member", "value", "rule"),
    [
        ("MQMD__Feedback", 259, "RPM-01"),
        ("MQMD__MsgType", 8, "RPM-01"),
        ("MQMD__CorrelId", bytes(24), "RPM-01"),
        ("data", b"mm", "RPM-02"),
        ("MQMD__Priority", 1, "RPM-04"),
        ("MQMD__Expiry", 50, "RPM-05"),
        ("MQMD__PutApplType", 6, "RPM-08"),
        ("MQMD__ReplyToQ", "R", "RPM-08"),
        ("MQMD__Report", int(MQRO.COA), "RPM-10"),
    ],
)
def test_a_wrong_report_names_the_rule(member: str, value: object, rule: str) -> None:
    changed: dict[str, Any] = {member: value}
    departure = session(EXPIRED).instead("get r", **changed).departure
    assert departure is not None
    assert rule in departure.rules


def test_what_the_documents_leave_open_about_a_report_conforms() -> None:
    followed = session(EXPIRED).instead("get r", MQMD__MsgId=GENERATED, MQMD__Format="MQSTR", MQMD__Encoding=273)
    assert followed.departure is None


def test_a_report_keeps_the_identifier_that_it_was_first_seen_with() -> None:
    told = session(EXPIRED)
    assert told.instead("get r BROWSE_FIRST", MQMD__MsgId=GENERATED).departure is None
    departure = told.instead("get r BROWSE_FIRST", MQMD__MsgId=b"AMQ" + b"\xcd" * 21).departure
    assert departure is not None


def test_a_missing_report_departs_and_one_too_many_too() -> None:
    assert session(EXPIRED).instead("get r", FAILED_2033).departure is not None
    unasked = session("put h m ReplyToQ=R Expiry=10; advance 9s; get h")
    forged = ObservedReply(members={"MQMD.MsgId": GENERATED, "MQMD.Feedback": 258, "data": b"", "DataLength": 0})
    assert unasked.instead("get r", forged).departure is not None
    assert unasked.instead("get r", FAILED_2033).departure is None


def test_a_put_that_fails_reports_nothing(play: Play) -> None:
    play(START + "put h m Report=EXPIRATION ReplyToQ=R Expiry=0 -> 2013; get r -> 2033", queues=QUEUES)


def test_a_discard_unseen_is_possible_on_distributed_and_not_on_zos() -> None:
    history = "put h m Report=EXPIRATION ReplyToQ=R Expiry=10; advance 9s"
    discarded = {"distributed": True, "zos": False}
    for platform, conforms in discarded.items():
        told = session(history, platform=platform)
        seen = session(history + "; get h NO_SYNCPOINT").instead("get r NO_SYNCPOINT")
        assert seen.departure is None
        report = next(outcome.reply for outcome in seen.allowed if outcome.reply.data is not None)
        assert report.descriptor is not None
        members = {
            f"MQMD.{c_name}": getattr(report.descriptor, name) for name, c_name in report.descriptor.c_names().items()
        }
        members |= {"data": b"", "DataLength": 0, "MQGMO.ResolvedQName": "R", "MQGMO.MsgToken": b"\x01" * 16}
        members["MQMD.CorrelId"] = told.bindings.messages["m"]["MsgId"]
        assert (told.instead("get r NO_SYNCPOINT", ObservedReply(members=members)).departure is None) == conforms
        assert session(history, platform=platform).instead("get r NO_SYNCPOINT", FAILED_2033).departure is None


def test_a_report_ends_a_wait_for_it(play: Play) -> None:
    play(
        START
        + "put h m Report=EXPIRATION ReplyToQ=R Expiry=10; advance 9s; w = get r WAIT WaitInterval=-1 -> pending;"
        + "B.cmit; get g -> 2033 => w OK",
        queues=QUEUES,
    )


def test_a_scan_reports_on_zos(play: Play) -> None:
    played = play(
        START + "put h m NO_SYNCPOINT Report=EXPIRATION ReplyToQ=R Expiry=10; advance 9s; scan; get r -> Feedback=258",
        queues=QUEUES,
        platform="zos",
    )
    assert "ZOS-06" in played.rules


@pytest.mark.parametrize(("ends", "after"), [("cmit", "OK"), ("back", "2033")])
def test_confirmations_belong_to_the_unit_of_work(play: Play, ends: str, after: str) -> None:
    coa = f"put h m SYNCPOINT Report=COA ReplyToQ=R; g = B.open R INPUT_SHARED; get g -> 2033; {ends}; get g -> {after}"
    assert "RPM-03" in play(START + coa, queues=QUEUES).rules
    cod = f"put h m Report=COD ReplyToQ=R; get h SYNCPOINT; g = B.open R INPUT_SHARED; get g -> 2033; {ends};"
    play(START + cod + f"get g -> {after}", queues=QUEUES)


def test_each_segment_of_an_expired_message_is_reported_once() -> None:
    """Also where the second was discarded unseen, or is left by COMPLETE_MSG (AMB-115)."""
    started = session(
        """put h a NO_SYNCPOINT GroupId=01 Offset=0 MsgFlags=SEGMENT Expiry=10 Report=EXPIRATION ReplyToQ=R
        put h b NO_SYNCPOINT GroupId=01 Offset=1 MsgFlags=LAST_SEGMENT Expiry=10 Report=EXPIRATION ReplyToQ=R
        advance 9s"""
    )
    assert started.instead("get h COMPLETE_MSG+NO_SYNCPOINT", FAILED_2033).departure is None
    assert started.instead("get h NO_SYNCPOINT MatchOptions=NONE", FAILED_2033).departure is None
    assert started.follower.states
    assert all(len(state.queues["R"].messages) == 2 for state in started.follower.states)


def test_an_expiration_report_survives_the_backout(play: Play) -> None:
    text = "put h m Report=EXPIRATION ReplyToQ=R Expiry=10; advance 9s; get h SYNCPOINT; back; get r -> Feedback=258"
    assert "RPT-04" in play(START + text, queues=QUEUES).rules


def test_a_browse_delivers_nothing(play: Play) -> None:
    play(START + "put h m Report=COD ReplyToQ=R; get h BROWSE_FIRST -> m; get r -> 2033", queues=QUEUES)


def test_confirmations_count_as_uncommitted(play: Play) -> None:
    manager = {"MaxUncommittedMsgs": 2}
    text = "put h one; put h m SYNCPOINT Report=COA ReplyToQ=R; get h SYNCPOINT -> 2024; put h two SYNCPOINT -> 2024"
    assert "UOW-07" in play(START + text, queues=QUEUES, qmgr=manager).rules


@pytest.mark.parametrize("opened", ["FAR", "X"])
def test_a_confirmation_of_arrival_elsewhere_does_not_count_as_uncommitted(play: Play, opened: str) -> None:
    """On a transmission queue a message has not arrived, or it is open whether it has (AMB-82)."""
    remote = {"name": "FAR", "type": "remote", "rname": "THERE", "rqmname": "QM2", "xmitq": "X"}
    further = ({"name": "X", "Usage": "TRANSMISSION"}, remote)
    data = " MQXQH.RemoteQName=THERE Format=MQXMIT" if opened == "X" else ""
    put = f"SYNCPOINT Report=COA ReplyToQ=R{data}"
    text = f"x = open {opened} OUTPUT; put x one {put}; put x two {put}"
    play(START + text, queues=(*QUEUES, *further), qmgr={"MaxUncommittedMsgs": 2})


SEGMENTS = """
put h a MsgFlags=SEGMENT Report=COD ReplyToQ=R LOGICAL_ORDER Length=30
put h b MsgFlags=LAST_SEGMENT Report=COD ReplyToQ=R LOGICAL_ORDER Length=20
"""


def test_reports_about_segments_form_a_logical_message(play: Play) -> None:
    played = play(
        START
        + SEGMENTS
        + "get h LOGICAL_ORDER; get r COMPLETE_MSG -> 2033; get h LOGICAL_ORDER; get r COMPLETE_MSG -> Feedback=260",
        queues=QUEUES,
    )
    assert played.last.reply.data == bytes(50)
    assert "RPM-07" in played.rules
    told = session(SEGMENTS + "get h")
    departure = told.instead("get r", MQMD__OriginalLength=0).departure
    assert departure is not None
    assert "RPM-07" in departure.rules


FULL = "alter R InhibitPut=1;"


def test_a_report_that_cannot_be_put_is_a_dead_letter_and_says_so(play: Play) -> None:
    text = START + "put h m Report=COA_WITH_DATA ReplyToQ=R Format=MQSTR;"
    played = play(
        START + FULL + text.removeprefix(START) + "get d -> Format=MQDEAD Feedback=259", queues=QUEUES, qmgr=QMGR
    )
    data = played.last.reply.data
    assert data is not None
    header = MQDLH.decode(data, "little")
    assert (header["Reason"], header["DestQName"], header["Format"]) == (2051, "R", "MQSTR")
    assert data[172:] == b"m"
    assert {"RPM-06", "DLH-01", "DLH-02"} <= played.rules


def test_a_dead_letter_may_be_in_another_encoding_and_with_another_putter_but_not_with_another_reason() -> None:
    def header(reason: int, putter: str) -> bytes:
        values: dict[str, int | str] = {"Reason": reason, "DestQName": "R", "DestQMgrName": "QM1", "Encoding": 546}
        return MQDLH.encode({**values, "CodedCharSetId": 1208, "PutApplName": putter}, "big")

    for reason, conforms in ((2051, True), (2053, False)):
        told = session(FULL + "put h m Report=COA_WITH_DATA ReplyToQ=R")
        followed = told.instead("get d", data=header(reason, "me") + b"m", MQMD__Encoding=273)
        assert (followed.departure is None) == conforms
        if followed.departure is not None:
            assert "DLH-02" in followed.departure.rules


@pytest.mark.parametrize(
    ("options", "manager"), [("COA+DISCARD_MSG+PASS_DISCARD_AND_EXPIRY", QMGR), ("COA+DISCARD_MSG", QMGR), ("COA", {})]
)
def test_a_report_that_fits_nowhere_is_dropped(play: Play, options: str, manager: dict[str, str]) -> None:
    play(START + FULL + f"put h m Report={options} ReplyToQ=R -> OK; get d -> 2033", queues=QUEUES, qmgr=manager)


REMOTE = (
    *QUEUES,
    {"name": "QM2", "Usage": "TRANSMISSION"},
    {"name": "FAR", "type": "remote", "rname": "THERE", "rqmname": "QM2"},
)


@pytest.mark.parametrize(("reply", "queue"), [("R ReplyToQMgr=QM2", "R"), ("FAR", "THERE")])
def test_a_report_to_another_queue_manager_is_on_the_transmission_queue(play: Play, reply: str, queue: str) -> None:
    played = play(
        START + f"x = open QM2 INPUT_SHARED; put h m Report=COA_WITH_FULL_DATA ReplyToQ={reply} -> OK; get x",
        queues=REMOTE,
    )
    answer = played.last.reply
    assert answer.data is not None
    assert answer.data[len(answer.data) - 1 :] == b"m"
    values = MQXQH.decode(answer.data, "little")
    assert (values["RemoteQName"], values["RemoteQMgrName"]) == (queue, "QM2")
    assert values["MsgDesc.Feedback"] == MQFB.COA
    assert {"RPM-06", "CHN-01"} <= played.rules


@pytest.mark.parametrize(("member", "departs"), [("MsgDesc.MsgId", False), ("MsgDesc.Feedback", True)])
def test_a_report_on_its_way_may_have_any_new_identifier_but_no_other_feedback(member: str, departs: bool) -> None:
    text = "x = open QM2 INPUT_SHARED; put h m Report=COA ReplyToQ=R ReplyToQMgr=QM2"
    watched = Session(text, start=START, queues=REMOTE)
    data = bytearray(play_history(START + text + "; get x", queues=REMOTE).last.reply.data or b"")
    data[MQXQH.places(member)[0].start] ^= 1
    assert (watched.instead("get x", data=bytes(data)).departure is not None) == departs


def test_a_report_to_an_unknown_queue_manager_is_a_dead_letter(play: Play) -> None:
    text = "put h m Report=COA ReplyToQ=R ReplyToQMgr=QM9 -> OK; get d -> MQDLH.DestQMgrName=QM9 MQDLH.DestQName=R"
    play(START + text, queues=QUEUES, qmgr=QMGR)


def test_a_report_that_passes_an_expiry_on_to_another_queue_manager_is_not_modelled(play: Play) -> None:
    with pytest.raises(NotModelledError, match="pass on an expiry"):
        play(START + "put h m Report=COA+PASS_DISCARD_AND_EXPIRY ReplyToQ=R ReplyToQMgr=QM2", queues=REMOTE)


@pytest.mark.parametrize("option", ["COA", "COD", "EXPIRATION"])
def test_a_report_that_nobody_has_seen_is_not_what_a_get_selects_by_msg_id(option: str) -> None:
    text = (
        f"put h m Report={option} ReplyToQ=R Expiry=10;"
        + {
            "COA": "",
            "COD": "get h -> m;",
            "EXPIRATION": "advance 9s; get h -> 2033;",
        }[option]
    )
    started = session(text)
    (report,) = started.follower.states[0].queues["R"].messages
    started.run("put r one")
    assert started.instead("put r two", MQMD__MsgId=report.descriptor.msg_id).departure is None
    started.run("put r three")
    started.state = started.follower.states[0]
    started.bindings.messages["two"] = {**started.bindings.messages["one"], "MsgId": report.descriptor.msg_id}
    reply = observed_of(next(outcomes(started.state, _get_of(started, "two"))).reply)
    assert reply.members["data"] == b"two"
    assert started.follower.follow(_get_of(started, "two"), reply).departure is None


def _get_of(started: Session, name: str) -> Call:
    (line,) = parse(f"get r MatchOptions=MATCH_MSG_ID MsgId=@{name}")
    return started.bindings.call(line, started.count + 1)


@pytest.mark.parametrize("first", ["m1", "m2"])
def test_the_report_of_a_message_that_a_depth_lacks_may_have_come_after_others_on_its_queue(first: str) -> None:
    put = "Expiry=50 Report=EXPIRATION ReplyToQ=R"
    played = session(f"put r m1 {put}; put h m2 {put}; advance 9s")
    inquired = played.instead("inq h CurrentQDepth", values={"CurrentQDepth": 0})
    assert inquired.departure is None
    sent = played.bindings.messages[first]["MsgId"]
    report = played.bindings.call(parse("get r NO_SYNCPOINT")[0], 99)
    replies = [outcome.reply for outcome in played.follower.allowed(report)]
    assert any(reply.descriptor is not None and reply.descriptor.correl_id == sent for reply in replies)
