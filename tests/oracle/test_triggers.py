"""Triggering: the events that make a trigger message, and its contents."""

from __future__ import annotations

from typing import Any

import pytest

from oracle.errors import NotModelledError
from oracle.histories.notation import parse
from oracle.model.queue_manager import outcomes
from oracle.mqi.layouts import MQTM
from oracle.protocol import ObservedReply
from tests.oracle.conftest import Play, play_history
from tests.oracle.test_follow import FAILED_2033, Session

FIRST, EVERY, DEPTH = 1, 2, 3
OPENS = "h = open Q OUTPUT+INQUIRE+SET; i = B.open INIT INPUT_SHARED;"


def queues(kind: int, **attributes: Any) -> list[dict[str, Any]]:
    triggered = {"TriggerControl": 1, "TriggerType": kind, "InitiationQName": "INIT", "ProcessName": "P"}
    return [{"name": "Q", **triggered, **attributes}, {"name": "INIT"}]


def seen(kind: int, history: str, **attributes: Any) -> set[int]:
    """Return the numbers of trigger messages that the documents allow after a history."""
    counts: set[int] = set()
    for count in range(4):
        if _may_be_seen(count, OPENS + history, "n = B.open INIT INQUIRE;", queues(kind, **attributes)):
            counts.add(count)
    return counts


@pytest.mark.parametrize(
    ("kind", "history", "counts"),
    [
        (FIRST, "put h a", {1}),
        (FIRST, "put h a; put h b", {1}),
        (FIRST, "put h a; g = open Q INPUT_SHARED; get g; close g; put h b", {2}),
        (FIRST, "g = open Q INPUT_SHARED; put h a", {0}),
        (FIRST, "g = open Q INPUT_SHARED; put h a; close g", {1}),
        (FIRST, "g = open Q INPUT_SHARED; put h a; k = open Q INPUT_SHARED; close g", {0}),
        (FIRST, "g = open Q INPUT_SHARED; put h a; get g; close g", {0}),
        (FIRST, "g = open Q INPUT_SHARED; put h a; get g SYNCPOINT; close g; back", {0, 1}),
        (FIRST, "g = C.open Q INPUT_SHARED; put h a; get g SYNCPOINT; fail C", {0, 1}),
        (FIRST, "g = open Q BROWSE; put h a; close g", {1}),
        (FIRST, "put h a; set h TriggerControl=0; set h TriggerControl=1", {2}),
        (FIRST, "put h a; close i; i = B.open INIT INPUT_SHARED", {2}),
        (FIRST, "put h a; k = B.open INIT INPUT_SHARED", {1, 2}),
        (FIRST, "close i; put h a; i = B.open INIT BROWSE", {0}),
        (FIRST, "put h a; advance 999998s; put h b; advance 2s; put h c; put h d", {2}),
        (FIRST, "put h a SYNCPOINT", {0, 1}),
        (FIRST, "put h a SYNCPOINT; put h b SYNCPOINT; cmit", {1}),
        (FIRST, "put h a SYNCPOINT; back", {0, 1}),
        (FIRST, "o = C.open Q OUTPUT; put h a SYNCPOINT; put o b", {0, 1}),
        (FIRST, "o = C.open Q OUTPUT; put h a SYNCPOINT; put o b; back", {1}),
        (FIRST, "o = C.open Q OUTPUT; put h a SYNCPOINT; put o b; cmit", {1}),
        (EVERY, "put h a; put h b", {2}),
        (EVERY, "g = open Q INPUT_SHARED; put h a; get g; put h b", {2}),
        (EVERY, "put h a SYNCPOINT; put h b SYNCPOINT; cmit", {2}),
        (DEPTH, "put h a", {0}),
        (DEPTH, "put h a; put h b", {1}),
        (DEPTH, "put h a; put h b; put h c", {1}),
        (DEPTH, "put h a; put h b; set h TriggerControl=1; put h c", {2}),
        (DEPTH, "g = open Q INPUT_SHARED; put h a; close g", {0}),
        (DEPTH, "g = open Q INPUT_SHARED; put h a; put h b; close g", {1}),
        (DEPTH, "put h a SYNCPOINT; put h b SYNCPOINT", {0, 1}),
        (EVERY, "g = open Q INPUT_SHARED; put h a; close g", {1, 2}),
        (FIRST, "close i; put h a SYNCPOINT; i = B.open INIT INPUT_SHARED", {0, 1}),
        (EVERY, "close i; put h a SYNCPOINT; i = B.open INIT INPUT_SHARED", {0, 1}),
    ],
)
def test_trigger_messages_are_made_as_the_type_says(kind: int, history: str, counts: set[int]) -> None:
    assert seen(kind, history, TriggerDepth=2) == counts


@pytest.mark.parametrize(
    "attributes",
    [{"TriggerControl": 0}, {"TriggerType": 0}, {"InitiationQName": "NOWHERE"}, {"TriggerMsgPriority": 5}],
)
def test_nothing_is_triggered_while_a_condition_is_missing(attributes: dict[str, Any]) -> None:
    assert seen(FIRST, "put h a Priority=4", **attributes) == {0}


def test_nobody_reads_the_initiation_queue() -> None:
    told = Session("close i; put h a", start=OPENS + "n = B.open INIT INQUIRE;", queues=queues(FIRST))
    depth = ObservedReply(members={"values": {"CurrentQDepth": 1}})
    departure = told.instead("inq n CurrentQDepth", depth).departure
    assert departure is not None


def test_the_trigger_message_names_its_queue(play: Play) -> None:
    text = OPENS + "put h a Priority=7 Expiry=50; get i -> Format=MQTRIG Expiry=-1 DataLength=684"
    played = play(text, queues=queues(FIRST, TriggerData="work"))
    data = played.last.reply.data
    assert data is not None
    header = MQTM.decode(data, "little")
    assert (header["QName"], header["ProcessName"], header["TriggerData"]) == ("Q", "P", "work")
    assert {"TRI-01", "TRI-02", "TRI-06", "TRG-01"} <= played.rules


def test_a_trigger_monitor_may_ask_for_conversion(play: Play) -> None:
    play(OPENS + "put h a; get i CONVERT -> Format=MQTRIG", queues=queues(FIRST))


def test_trigger_data_are_those_of_the_moment(play: Play) -> None:
    played = play(OPENS + "set h TriggerData=new; put h a; get i", queues=queues(FIRST, TriggerData="old"))
    assert played.last.reply.data is not None
    assert MQTM.decode(played.last.reply.data, "little")["TriggerData"] == "new"


def test_type_depth_switches_itself_off(play: Play) -> None:
    text = OPENS + "put h a; inq h TriggerControl -> TriggerControl=0; get i -> OK; put h b; get i -> 2033"
    assert "TRI-04" in play(text, queues=queues(DEPTH)).rules


def test_a_waiting_trigger_monitor_is_served(play: Play) -> None:
    play(OPENS + "w = get i WAIT WaitInterval=-1 -> pending; put h a => w OK", queues=queues(FIRST))


def test_expired_messages_count_for_the_trigger_depth() -> None:
    assert seen(DEPTH, "put h a Expiry=10; advance 9s; put h b", TriggerDepth=2) == {0, 1}


def test_a_confirmation_triggers_its_queue(play: Play) -> None:
    text = OPENS + "o = open OTHER OUTPUT; put o a Report=COA ReplyToQ=Q; get i -> Format=MQTRIG"
    play(text, queues=[*queues(FIRST), {"name": "OTHER"}])


@pytest.mark.parametrize(
    ("member", "value", "rule"),
    [("MQMD__Expiry", 100, "TRG-01"), ("MQMD__Format", "MQSTR", "TRI-06"), ("data", bytes(684), "TRI-07")],
)
def test_a_wrong_trigger_message_names_the_rule(member: str, value: object, rule: str) -> None:
    changed: dict[str, Any] = {member: value}
    departure = Session("put h a", start=OPENS, queues=queues(FIRST)).instead("get i", **changed).departure
    assert departure is not None
    assert rule in departure.rules


def test_a_missing_trigger_message_departs_and_one_in_another_byte_order_does_not() -> None:
    assert Session("put h a", start=OPENS, queues=queues(FIRST)).instead("get i", FAILED_2033).departure is not None
    told = Session("put h a", start=OPENS, queues=queues(FIRST))
    data = MQTM.encode({"QName": "Q", "ProcessName": "P", "ApplType": 7}, "big")
    assert told.instead("get i", MQMD__Encoding=273, MQMD__Priority=5, data=data).departure is None


def test_what_the_documents_say_is_the_first_answer(play: Play) -> None:
    first_put = "o = C.open Q OUTPUT; put h a SYNCPOINT; put o b; get i -> 2033; back; get i -> OK Format=MQTRIG"
    play(OPENS + first_put, queues=queues(FIRST))
    play(OPENS + "put h a SYNCPOINT; get i -> 2033; back; get i -> OK Format=MQTRIG", queues=queues(FIRST))
    play("h = open Q OUTPUT; put h a; i = B.open INIT INPUT_SHARED; get i -> OK", queues=queues(EVERY))


def test_only_a_transmission_queue_needs_no_process(play: Play) -> None:
    unnamed: list[dict[str, Any]] = queues(FIRST, ProcessName="")
    far = {"name": "FAR", "type": "remote", "rname": "R", "rqmname": "QM2", "xmitq": "Q"}
    play(OPENS + "put h a; get i -> 2033", queues=unnamed)
    unnamed[0]["Usage"] = "TRANSMISSION"
    play("i = B.open INIT INPUT_SHARED; h = open FAR OUTPUT; put h a; get i -> OK", queues=[*unnamed, far])


def test_a_trigger_message_in_a_unit_of_work_is_that_of_its_event(play: Play) -> None:
    text = OPENS + "put h a SYNCPOINT; set h TriggerData=new; set h TriggerControl=0; cmit; get i"
    played = play(text, queues=queues(FIRST, TriggerData="old"))
    assert played.last.reply.data is not None
    assert MQTM.decode(played.last.reply.data, "little")["TriggerData"] == "old"


def test_type_depth_is_off_again_when_it_was_switched_on_over_enough_messages(play: Play) -> None:
    text = OPENS + "put h a; set h TriggerControl=1; inq h TriggerControl -> TriggerControl=0; get i -> OK"
    play(text, queues=queues(DEPTH, TriggerControl=0))


def test_uncommitted_messages_count_always_alike() -> None:
    """Either both queues have a trigger message for their second put, or neither has."""
    second = {**queues(FIRST)[0], "name": "R"}
    opens = OPENS + "n = B.open INIT INQUIRE; o = C.open Q OUTPUT; r = open R OUTPUT; s = C.open R OUTPUT;"
    puts = "put h a SYNCPOINT; put o b; put r c SYNCPOINT; put s d"
    allowed = {count for count in range(4) if _may_be_seen(count, puts, opens, [*queues(FIRST), second])}
    assert allowed == {0, 2}


def _may_be_seen(count: int, text: str, opens: str, defined: list[dict[str, Any]]) -> bool:
    depth = ObservedReply(members={"values": {"CurrentQDepth": count}})
    return Session(text, start=opens, queues=defined).instead("inq n CurrentQDepth", depth).departure is None


def test_initiation_queues_in_a_circle_are_a_clear_error(play: Play) -> None:
    both = [{**queues(EVERY)[0], "name": name, "InitiationQName": other} for name, other in (("Q", "R"), ("R", "Q"))]
    with pytest.raises(NotModelledError, match="trigger one another"):
        play("i = open Q INPUT_SHARED+OUTPUT; k = open R INPUT_SHARED; put i a", queues=both)


def test_a_message_and_its_report_are_announced_in_either_order() -> None:
    both = [{**queues(FIRST)[0], "name": name} for name in ("Q", "R")]
    put = "put h a Report=COA ReplyToQ=R"
    session = Session(put, start=OPENS, queues=[*both, {"name": "INIT"}])
    get = session.bindings.call(parse("get i")[0], 99)
    ways = [each for state in session.follower.states for each in outcomes(state, get)]
    assert {MQTM.decode(each.reply.data or b"", "little")["QName"] for each in ways} == {"Q", "R"}


def test_what_a_trigger_message_triggers_comes_before_or_after_the_trigger_message_of_another_queue() -> None:
    """A put triggers through INIT. Its report triggers through IQ, which triggers through INIT in its turn."""
    one, other = ({**queues(FIRST)[0], "name": name} for name in ("Q", "R"))
    chain = {**queues(EVERY)[0], "name": "IQ"}
    opens = "h = open Q OUTPUT; i = B.open INIT INPUT_SHARED; j = B.open IQ INPUT_SHARED;"
    put = "put h a Report=COA ReplyToQ=R"
    session = Session(put, start=opens, queues=[one, {**other, "InitiationQName": "IQ"}, chain, {"name": "INIT"}])
    get = session.bindings.call(parse("get i")[0], 99)
    ways = [each for state in session.follower.states for each in outcomes(state, get)]
    assert {MQTM.decode(each.reply.data or b"", "little")["QName"] for each in ways} == {"Q", "IQ"}


FIFO_TRIGGERED = (
    {"name": "Q", "MsgDeliverySequence": "FIFO", "TriggerControl": 1, "TriggerType": 1, "TriggerMsgPriority": 5}
    | {"InitiationQName": "IQ", "ProcessName": "P"},
    {"name": "IQ"},
)


def test_on_a_fifo_queue_either_priority_counts_and_always_the_same() -> None:
    played = play_history("i = open IQ INPUT_SHARED; h = B.open Q OUTPUT", FIFO_TRIGGERED)
    (line,) = parse("put h m1 NO_SYNCPOINT Priority=5")
    ends = [outcome.state for outcome in outcomes(played.state, played.bindings.call(line, 9))]
    assert [len(state.queues["IQ"].messages) for state in ends] == [1, 0]
    (again,) = parse("put h m2 NO_SYNCPOINT Priority=5")
    for state in ends:
        assert len(list(outcomes(state, played.bindings.call(again, 10)))) == 1
