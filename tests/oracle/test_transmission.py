"""Remote and transmission queues: the message that a put stores, and its two Expiry fields."""

from __future__ import annotations

from typing import Any

import pytest

from oracle.errors import BadInputError, NotModelledError
from oracle.histories.notation import parse
from oracle.judging.follow import Followed
from oracle.model.queue_manager import outcomes
from oracle.mqi import calls
from oracle.mqi.constants import MQENC, MQFMT
from oracle.mqi.layouts import MQMDE, MQXQH
from oracle.mqi.structures import MessageDescriptor
from oracle.protocol import ObservedReply
from tests.oracle.conftest import Play, play_history
from tests.oracle.test_follow import FAILED_2033, Session

QUEUES: tuple[dict[str, Any], ...] = (
    {"name": "FAR", "type": "remote", "rname": "THERE", "rqmname": "QM2", "xmitq": "X"},
    {"name": "VIA", "type": "alias", "target": "FAR"},
    {"name": "DEFAULT", "type": "remote", "rname": "THERE", "rqmname": "X"},
    {"name": "X", "Usage": "TRANSMISSION", "MaxMsgLength": 1000},
    {"name": "N"},
)
START = "h = open FAR OUTPUT; x = open X BROWSE+INPUT_SHARED+OUTPUT+INQUIRE;"


def session(text: str, **kwargs: Any) -> Session:
    return Session(text, start=START, queues=QUEUES, **kwargs)


def header(expiry: int = -1, order: Any = "little", **members: Any) -> bytes:
    return MQXQH.encode({"RemoteQName": "THERE", "RemoteQMgrName": "QM2", "MsgDesc.Expiry": expiry, **members}, order)


@pytest.mark.parametrize("name", ["FAR", "VIA"])
def test_a_put_to_a_remote_queue_lands_on_the_transmission_queue(play: Play, name: str) -> None:
    text = f"h = open {name} OUTPUT; x = open X INPUT_SHARED; put h m Expiry=500 Format=MQSTR;"
    played = play(text + "get x -> Format=MQXMIT CorrelId=@m.MsgId Expiry=500 DataLength=429", queues=QUEUES)
    data = played.last.reply.data
    assert data is not None
    embedded = MQXQH.decode(data, "little")
    assert (embedded["RemoteQName"], embedded["RemoteQMgrName"]) == ("THERE", "QM2")
    assert (embedded["MsgDesc.Format"], embedded["MsgDesc.Expiry"]) == ("MQSTR", 500)
    assert embedded["MsgDesc.MsgId"] == played.bindings.messages["m"]["MsgId"].hex()
    assert data[428:] == b"m"
    assert {"CHN-01", "CHN-02", "CHN-04", "XMQ-02"} <= played.rules


def test_a_message_of_a_group_has_an_extension_behind_the_header(play: Play) -> None:
    played = play(START + "put h m MsgFlags=LAST_MSG_IN_GROUP LOGICAL_ORDER; get x -> DataLength=501", queues=QUEUES)
    assert played.last.reply.data is not None
    extension = MQMDE.decode(played.last.reply.data[428:], "little")
    assert extension["MsgFlags"] == 24
    assert MQXQH.decode(played.last.reply.data, "little")["MsgDesc.Format"] == MQFMT.MD_EXTENSION


def test_the_transmission_queue_may_be_named_like_the_queue_manager(play: Play) -> None:
    play("h = open DEFAULT OUTPUT; put h m; x = open X INPUT_SHARED; get x -> Format=MQXMIT", queues=QUEUES)


@pytest.mark.parametrize("options", ["INPUT_SHARED", "BROWSE", "BROWSE+OUTPUT"])
def test_a_remote_queue_is_open_for_output_only(play: Play, options: str) -> None:
    assert "OPN-20" in play(f"open FAR {options} -> 2045", queues=QUEUES).rules


@pytest.mark.parametrize(("carrier", "reason"), [({"name": "X"}, 2092), ({"name": "Y"}, 2196)])
def test_a_remote_queue_needs_a_transmission_queue(play: Play, carrier: dict[str, str], reason: int) -> None:
    play(f"open FAR OUTPUT -> {reason}; put1 FAR m -> {reason}", queues=(QUEUES[0], carrier))


@pytest.mark.parametrize(("length", "reason"), [(572, "OK"), (573, "2030")])
def test_the_header_counts_towards_the_length(play: Play, length: int, reason: str) -> None:
    played = play(START + f"put h m Length={length} -> {reason}", queues=QUEUES)
    assert ("CHN-03" in played.rules) == (reason != "OK")


def test_the_put_belongs_to_the_unit_of_work(play: Play) -> None:
    play(START + "put h m SYNCPOINT; g = B.open X INPUT_SHARED; get g -> 2033; back; get g -> 2033", queues=QUEUES)


def test_both_expiries_shrink_and_the_message_goes_by_the_outer_one(play: Play) -> None:
    played = play(START + "put h m Expiry=500; advance 20s; get x BROWSE_FIRST -> Expiry=300", queues=QUEUES)
    assert played.last.reply.data is not None
    assert MQXQH.decode(played.last.reply.data, "little")["MsgDesc.Expiry"] == 300
    assert {"XMQ-09", "XMQ-11"} <= played.rules
    play(START + "put h m Expiry=500; advance 60s; get x -> 2033", queues=QUEUES)


@pytest.mark.parametrize(
    ("member", "value", "rule"),
    [
        ("MQMD__Format", "MQSTR", "CHN-01"),
        ("MQMD__CorrelId", bytes(24), "CHN-04"),
        ("MQMD__Expiry", 500, "XMQ-02"),
        ("data", b"m", "CHN-02"),
    ],
)
def test_a_wrong_message_on_the_transmission_queue_names_the_rule(member: str, value: object, rule: str) -> None:
    changed: dict[str, Any] = {member: value}
    departure = session("put h m Expiry=500; advance 20s").instead("get x", **changed).departure
    assert departure is not None
    assert rule in departure.rules


@pytest.mark.parametrize(("seen", "conforms"), [(300, True), (295, True), (310, True), (500, False), (0, False)])
def test_the_embedded_expiry_has_the_tolerance_of_all_expiries(seen: int, conforms: bool) -> None:
    told = session("put h m Expiry=500; advance 20s")
    reply = next(outcomes(told.state, told.bindings.call(parse("get x")[0], 9))).reply
    assert reply.data is not None
    values = {**MQXQH.decode(reply.data, "little"), "MsgDesc.Expiry": seen, "MsgDesc.UserIdentifier": "mqm"}
    data = MQXQH.encode(values, "big") + b"m"
    followed = told.instead("get x", data=data, MQMD__Encoding=int(MQENC.NORMAL), MQMD__Priority=3)
    assert (followed.departure is None) == conforms
    if followed.departure is not None:
        assert "XMQ-09" in followed.departure.rules


def direct(told: Session, data: bytes, queue: str = "x", **members: Any) -> tuple[Followed, Followed]:
    """Put data straight on a queue, as accepted and as refused with 2013."""
    md = MessageDescriptor(**{"format": MQFMT.XMIT_Q_HEADER, **members})
    handle = told.bindings.handles[queue]
    call = calls.Put(handle.conn, handle.hobj, md, data=data)
    refused = told.follower.follow(call, ObservedReply(2, 2013))
    written = {"MQMD.MsgId": b"AMQ " + b"\xab" * 20, "MQMD.PutDate": "20240101", "MQMD.PutTime": "00000000"}
    given = {"MQMD.Expiry": md.expiry, "MQMD.Priority": 0, "MQMD.Persistence": 0}
    accepted = told.follower.follow(call, ObservedReply(members={**written, **given}))
    if accepted.departure is None:
        told.state = next(each.state for each in outcomes(told.state, call) if not each.reply.failed)
    return accepted, refused


@pytest.mark.parametrize(
    ("data", "members", "accepted", "refused"),
    [
        (header(300), {"expiry": 300}, True, False),
        (header(200), {"expiry": 300}, True, True),
        (header(0), {"expiry": 300}, False, True),
        (header(-2), {}, False, True),
        (header()[:40], {}, False, True),
        (b"plain", {"format": "MQSTR"}, True, True),
        (header(300, "big"), {"expiry": 300, "encoding": 273}, True, False),
        (header(300, "big"), {"expiry": 300}, True, True),
    ],
)
def test_direct_puts_are_checked_by_the_newer_editions(
    data: bytes, members: dict[str, Any], accepted: bool, refused: bool
) -> None:
    for platform in ("distributed", "zos"):
        taken, failed = direct(session("", platform=platform), data, **members)
        assert (taken.departure is None, failed.departure is None) == (accepted, refused), platform
    taken, failed = direct(session("", platform="ibmi"), data, **members)
    assert (taken.departure is None, failed.departure is None) == (True, False)


def test_a_direct_put_that_is_wrongly_accepted_names_the_rule() -> None:
    departure = direct(session(""), header(0))[0].departure
    assert departure is not None
    assert {"XMQ-05", "XMQ-08"} <= set(departure.rules)


def embedded_expiry(told: Session) -> int | str:
    reply = next(outcomes(told.state, told.bindings.call(parse("get x")[0], 99))).reply
    assert reply.data is not None
    return MQXQH.decode(reply.data, "little")["MsgDesc.Expiry"]


def test_the_embedded_expiry_stops_at_zero_and_discards_nothing() -> None:
    told = session("")
    assert direct(told, header(100), expiry=1000)[0].departure is None
    told.follower.follow(calls.Advance(30_000), ObservedReply())
    told.state = next(outcomes(told.state, calls.Advance(30_000))).state
    assert embedded_expiry(told) == 0
    departure = told.follower.follow(told.bindings.call(parse("get x")[0], 9), FAILED_2033).departure
    assert departure is not None


def test_data_too_short_for_the_embedded_expiry_are_left_alone(play: Play) -> None:
    play("n = open N INPUT_SHARED+OUTPUT; put n m Format=MQXMIT; advance 9s; get n -> m", queues=QUEUES)


@pytest.mark.parametrize("manager", ["", "QM1"])
def test_a_remote_definition_that_names_no_other_queue_manager_cannot_be_opened(play: Play, manager: str) -> None:
    remote = {"name": "R", "type": "remote", "rname": "N", "rqmname": manager, "xmitq": "X"}
    alias = {"name": "A", "type": "alias", "target": "R"}
    play("h = open R OUTPUT -> 2087; put1 A m -> 2087", queues=(*QUEUES, remote, alias))


def test_what_is_not_modelled_is_refused() -> None:
    with pytest.raises(NotModelledError, match="expiration reports"):
        play_history(START + "put h m Report=EXPIRATION ReplyToQ=N Expiry=9", queues=QUEUES)
    with pytest.raises(BadInputError, match="twice"):
        play_history("conn", queues=(QUEUES[0], {"name": "FAR"}))
