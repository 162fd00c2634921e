"""The columns of records from calls on a channel."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from fixtures import captures
from fixtures.captures import MQBACK, MQCMIT, MQDISC, MQINQ, REPLY, Values, Wire, wire
from fixtures.channel_talks import (
    CORREL_ID,
    DATA,
    EPOCH_US,
    GROUP_ID,
    MESSAGE,
    MSG_ID,
    columns,
    connected,
    consumer_talk,
    only,
    put_talk,
    read,
    with_queue,
)
from oracle.histories.event_log import Event
from oracle.mqi.constants import MQGMO, MQMO, MQOO, MQPMO
from oracle.mqi.layouts import EBCDIC, MQMDE

SIDES = [Wire(order, charset) for order in ("little", "big") for charset in ("ascii", EBCDIC)]


@pytest.mark.parametrize("side", SIDES, ids=str)
def test_a_put_is_recorded_with_what_was_asked_and_what_was_assigned(tmp_path: Path, side: Wire) -> None:
    events, errors = read(tmp_path, put_talk(side).packets)
    assert errors == []
    assert [event.call for event in events] == ["MQCONN", "MQOPEN", "MQPUT", "MQCLOSE"]
    put = only(events, "MQPUT")
    assert put.model_dump(exclude_none=True, exclude={"conn", "source", "seq", "line"}) == {
        "qmgr": "QM1",
        "start_us": EPOCH_US + 100,
        "end_us": EPOCH_US + 200,
        "call": "MQPUT",
        "comp_code": 0,
        "reason": 0,
        "hobj": 2,
        "queue": "APP.QUEUE",
        "object_name": "APP.ALIAS",
        "options": MQPMO.SYNCPOINT,
        "msg_id": MSG_ID,
        "correl_id": CORREL_ID,
        "group_id": GROUP_ID,
        "msg_seq_number": 5,
        "offset": 0,
        "msg_flags": 8,
        "original_length": -1,
        "priority": 3,
        "persistence": 1,
        "expiry": 600,
        "report": 0,
        "msg_type": 8,
        "feedback": 0,
        "backout_count": 0,
        "format": "MQSTR",
        "reply_to_q": "REPLIES",
        "put_us": 1_700_000_000_120_000,
        "length": len(DATA),
        "digest": sha256(DATA).hexdigest(),
    }


def test_a_failed_put_shows_the_descriptor_as_passed(tmp_path: Path) -> None:
    talk = with_queue()
    talk.client(wire.put(2, DATA, md={"Priority": 5}), EPOCH_US + 100)
    talk.server(wire.put_done(2, md={"Priority": 7, "MsgId": MSG_ID}, code=(2, 2053)), EPOCH_US + 200)
    put = only(read(tmp_path, talk.packets)[0], "MQPUT")
    assert columns(put, "comp_code", "reason", "priority", "msg_id") == (2, 2053, 5, "00" * 24)


@pytest.mark.parametrize(
    ("options", "flags", "unknown"),
    [
        (0, 0, {"msg_id"}),
        (MQPMO.NEW_CORREL_ID, 0, {"msg_id", "correl_id"}),
        (0, 8, {"msg_id", "group_id"}),
        (MQPMO.LOGICAL_ORDER, 8, {"msg_id", "group_id", "msg_seq_number", "offset"}),
    ],
)
def test_what_would_have_been_assigned_is_not_guessed(
    tmp_path: Path, options: int, flags: int, unknown: set[str]
) -> None:
    talk = with_queue()
    talk.client(wire.put(2, DATA, md={"MsgFlags": flags}, pmo={"Options": options}), EPOCH_US + 100)
    put = only(read(tmp_path, talk.packets)[0], "MQPUT")
    names = ("msg_id", "correl_id", "group_id", "msg_seq_number", "offset", "priority")
    assert {name for name in names if getattr(put, name) is None} == unknown


def test_what_a_get_selects_by_is_unknown_where_its_handle_has_a_selection_string(tmp_path: Path) -> None:
    found = []
    for selection in ({}, {"SelectionString.VSLength": 12}):
        talk = connected(wire)
        talk.client(wire.open("APP.QUEUE", MQOO.INPUT_SHARED, Version=4, **selection), EPOCH_US + 50)
        talk.server(wire.opened("APP.QUEUE", 2, Version=4), EPOCH_US + 60)
        talk.client(wire.get(2, 100, gmo={"MatchOptions": MQMO.NONE}), EPOCH_US + 100)
        talk.server(wire.got(2, DATA, md=MESSAGE), EPOCH_US + 200)
        get = only(read(tmp_path, talk.packets)[0], "MQGET")
        found.append(columns(get, "reason", "queue", "match_options", "sel_msg_id"))
    assert found == [(0, "APP.QUEUE", MQMO.NONE, "00" * 24), (0, "APP.QUEUE", None, None)]


def test_a_put_that_reached_another_queue_manager_has_no_queue_here(tmp_path: Path) -> None:
    talk = with_queue()
    talk.client(wire.put(2, DATA), EPOCH_US + 100)
    remote = {"ResolvedQName": "APP.QUEUE", "ResolvedQMgrName": "QM2"}
    talk.server(wire.put_done(2, pmo=remote), EPOCH_US + 200)
    put = only(read(tmp_path, talk.packets)[0], "MQPUT")
    assert columns(put, "queue", "object_name") == (None, "APP.ALIAS")


def version_1_put(tmp_path: Path, data: bytes, name: str = "MQSTR") -> Event:
    talk = with_queue()
    talk.client(wire.put(2, data, md={"Version": 1, "Format": name}), EPOCH_US + 100)
    talk.server(wire.put_done(2, md={"Version": 1, "Format": name, "MsgId": MSG_ID}), EPOCH_US + 200)
    return only(read(tmp_path, talk.packets)[0], "MQPUT")


GROUP_COLUMNS = ("group_id", "msg_seq_number", "offset", "msg_flags", "original_length")


def test_a_version_1_descriptor_means_an_ungrouped_message(tmp_path: Path) -> None:
    assert columns(version_1_put(tmp_path, DATA), *GROUP_COLUMNS) == ("00" * 24, 1, 0, 0, -1)


def test_an_extension_is_part_of_the_descriptor(tmp_path: Path) -> None:
    members: Values = {"GroupId": GROUP_ID, "MsgSeqNumber": 4, "MsgFlags": 8, "Format": "MQSTR"}
    put = version_1_put(tmp_path, MQMDE.encode(members, "little") + DATA, "MQHMDE")
    assert columns(put, *GROUP_COLUMNS) == (GROUP_ID, 4, 0, 8, -1)
    assert columns(put, "format", "length", "digest") == ("MQSTR", len(DATA), sha256(DATA).hexdigest())
    assigned = version_1_put(tmp_path, MQMDE.encode({**members, "GroupId": ""}, "little") + DATA, "MQHMDE")
    assert assigned.group_id is None


def test_data_that_only_claim_to_be_an_extension_are_data(tmp_path: Path) -> None:
    put = version_1_put(tmp_path, b"X" * 100, "MQHMDE")
    assert columns(put, "format", "length", *GROUP_COLUMNS) == ("MQHMDE", 100, "00" * 24, 1, 0, 0, -1)


def get_talk(tmp_path: Path, request: bytes, reply: bytes) -> Event:
    talk = with_queue()
    talk.client(request, EPOCH_US + 100)
    talk.server(reply, EPOCH_US + 5000)
    return only(read(tmp_path, talk.packets)[0], "MQGET")


WAITING: Values = {
    "Version": 3,
    "Options": MQGMO.WAIT | MQGMO.SYNCPOINT,
    "WaitInterval": 30000,
    "MatchOptions": MQMO.MATCH_CORREL_ID,
    "MsgToken": "0a" * 16,
}


def test_a_get_has_what_was_asked_for_and_what_came(tmp_path: Path) -> None:
    request = wire.get(2, 4096, md={"CorrelId": CORREL_ID, "MsgSeqNumber": 7, "Offset": 9}, gmo=WAITING)
    status: Values = {**WAITING, "GroupStatus": "L", "SegmentStatus": " ", "ResolvedQName": "BASE.QUEUE"}
    get = get_talk(tmp_path, request, wire.got(2, DATA, md=MESSAGE, gmo=status))
    assert columns(get, "options", "wait_ms", "match_options", "buffer_length") == (3, 30000, 2, 4096)
    assert columns(get, "sel_msg_id", "sel_correl_id", "sel_group_id", "sel_seq_number", "sel_offset", "sel_token") == (
        "00" * 24,
        CORREL_ID,
        "00" * 24,
        7,
        9,
        "0a" * 16,
    )
    assert columns(get, "msg_id", "group_id", "msg_seq_number", "msg_flags") == (MSG_ID, GROUP_ID, 2, 24)
    assert columns(get, "queue", "group_status", "segment_status") == ("BASE.QUEUE", "L", " ")
    assert columns(get, "length", "digest") == (len(DATA), sha256(DATA).hexdigest())
    assert (get.start_us, get.end_us) == (EPOCH_US + 100, EPOCH_US + 5000)


def test_version_1_structures_leave_their_columns_null(tmp_path: Path) -> None:
    request = wire.get(2, 10, md={"Version": 1, "MsgId": MSG_ID}, gmo={"Version": 1})
    get = get_talk(tmp_path, request, wire.got(2, DATA, md={"Version": 1, "MsgId": MSG_ID}, gmo={"Version": 1}))
    assert columns(get, "match_options", "sel_group_id", "sel_seq_number", "sel_token", "group_status") == (None,) * 5
    assert columns(get, "sel_msg_id", "msg_id", *GROUP_COLUMNS) == (MSG_ID, MSG_ID, "00" * 24, 1, 0, 0, -1)


def test_a_failed_get_has_no_message(tmp_path: Path) -> None:
    request = wire.get(2, 4096, gmo=WAITING)
    get = get_talk(tmp_path, request, wire.got(2, b"", md=MESSAGE, gmo=WAITING, code=(2, 2033)))
    assert columns(get, "comp_code", "reason", "options", "queue") == (2, 2033, 3, "APP.QUEUE")
    assert columns(get, "msg_id", "correl_id", "length", "digest", "priority", "group_status", "put_us") == (None,) * 7


@pytest.mark.parametrize(("returned", "length"), [(4, None), (16, 16)])
def test_truncated_data_have_no_digest(tmp_path: Path, returned: int, length: int | None) -> None:
    reply = wire.got(2, DATA[:4], md=MESSAGE, gmo=WAITING, code=(1, 2079), length=returned)
    get = get_talk(tmp_path, wire.get(2, 4, gmo=WAITING), reply)
    assert columns(get, "reason", "msg_id", "length", "digest") == (2079, MSG_ID, length, None)


@pytest.mark.parametrize(("options", "reason"), [(MQGMO.UNLOCK, 0), (MQGMO.UNLOCK, 2209), (MQGMO.SET_SIGNAL, 2070)])
def test_a_get_that_returns_no_message_shows_none(tmp_path: Path, options: int, reason: int) -> None:
    request = wire.get(2, 4096, md=MESSAGE, gmo={"Options": options})
    reply = wire.got(2, b"", md=MESSAGE, gmo={"Options": options}, code=(1 if reason else 0, reason))
    get = get_talk(tmp_path, request, reply)
    assert columns(get, "reason", "msg_id", "length", "digest") == (reason, None, None, None)


@pytest.mark.parametrize("parts", [1, 4])
@pytest.mark.parametrize("side", SIDES, ids=str)
def test_a_message_delivered_to_a_consumer_is_a_callback(tmp_path: Path, side: Wire, parts: int) -> None:
    talk = with_queue(side)
    talk.client(side.ask(2, MQGMO.SYNCPOINT, 5000, MQMO.MATCH_CORREL_ID, bytes.fromhex(CORREL_ID)), EPOCH_US + 100)
    talk.server(side.deliver(2, DATA * 99, MESSAGE, "BASE.QUEUE", parts=parts), EPOCH_US + 1000, size=300)
    events, errors = read(tmp_path, talk.packets)
    assert errors == []
    callback = only(events, "CALLBACK")
    assert columns(callback, "comp_code", "reason", "hobj", "queue") == (0, 0, 2, "BASE.QUEUE")
    assert columns(callback, "options", "wait_ms", "match_options", "sel_correl_id") == (2, 5000, 2, CORREL_ID)
    assert columns(callback, "sel_msg_id", "sel_token", "buffer_length") == (None, None, None)
    assert columns(callback, "msg_id", "msg_seq_number", "msg_flags") == (MSG_ID, 2, 24)
    assert columns(callback, "length", "digest") == (len(DATA * 99), sha256(DATA * 99).hexdigest())
    assert callback.start_us == EPOCH_US + 100
    assert callback.end_us >= EPOCH_US + 1000


def test_a_callback_knows_only_what_all_requests_agree_on(tmp_path: Path) -> None:
    talk = consumer_talk(asking=wire.ask(2, MQGMO.SYNCPOINT, 5000))
    talk.client(wire.ask(2, MQGMO.SYNCPOINT, 0), EPOCH_US + 200)
    talk.server(wire.deliver(2, DATA, MESSAGE, "APP.QUEUE"), EPOCH_US + 1000)
    callback = only(read(tmp_path, talk.packets)[0], "CALLBACK")
    assert columns(callback, "options", "wait_ms", "match_options") == (MQGMO.SYNCPOINT, None, None)


def test_a_callback_whose_request_was_not_captured_has_no_options(tmp_path: Path) -> None:
    talk = with_queue()
    talk.server(wire.deliver(5, DATA, MESSAGE, "OTHER.QUEUE"), EPOCH_US + 1000)
    callback = only(read(tmp_path, talk.packets)[0], "CALLBACK")
    assert columns(callback, "queue", "options", "match_options", "object_name") == ("OTHER.QUEUE", None, None, None)
    assert callback.start_us == EPOCH_US


@pytest.mark.parametrize(
    ("reason", "options", "outcome"),
    [(2080, 0, (1, 2080)), (0, 0, (None, None)), (0, MQGMO.ACCEPT_TRUNCATED_MSG, (0, 0)), (2079, 64, (1, 2079))],
)
def test_a_message_delivered_in_part(tmp_path: Path, reason: int, options: int, outcome: tuple[int, int]) -> None:
    part = wire.deliver(2, DATA, MESSAGE, "APP.QUEUE", reason=reason, total=9999)
    callback = only(read(tmp_path, consumer_talk(part, asking=wire.ask(2, options, 0)).packets)[0], "CALLBACK")
    assert columns(callback, "comp_code", "reason") == outcome
    assert columns(callback, "length", "digest", "msg_id") == (9999, None, MSG_ID)


@pytest.mark.parametrize(("kind", "name"), [(MQCMIT, "MQCMIT"), (MQBACK, "MQBACK"), (MQDISC, "MQDISC")])
def test_calls_without_a_handle(tmp_path: Path, kind: int, name: str) -> None:
    talk = connected()
    talk.client(wire.call(kind), EPOCH_US + 100)
    talk.server(wire.call(kind + REPLY, code=(1, 2003)), EPOCH_US + 200)
    event = only(read(tmp_path, talk.packets)[0], name)
    assert columns(event, "comp_code", "reason", "hobj", "queue", "options") == (1, 2003, None, None, None)


@pytest.mark.parametrize(("kind", "name"), [(MQINQ, "MQINQ"), (captures.MQSET, "MQSET")])
def test_calls_with_a_handle(tmp_path: Path, kind: int, name: str) -> None:
    talk = with_queue()
    talk.client(wire.call(kind, wire.long(1, 1, 0, 9), hobj=2), EPOCH_US + 100)
    talk.server(wire.call(kind + REPLY, hobj=2), EPOCH_US + 200)
    event = only(read(tmp_path, talk.packets)[0], name)
    assert columns(event, "comp_code", "hobj", "queue", "object_name") == (0, 2, "APP.QUEUE", "APP.ALIAS")


def test_an_open_of_another_object_has_no_queue(tmp_path: Path) -> None:
    talk = connected()
    talk.client(wire.open("QM1", 32, ObjectType=5), EPOCH_US + 100)
    talk.server(wire.opened("QM1", 2, ObjectType=5), EPOCH_US + 200)
    event = only(read(tmp_path, talk.packets)[0], "MQOPEN")
    assert columns(event, "queue", "object_name", "options", "hobj") == (None, "QM1", 32, 2)


def test_a_dynamic_queue_is_known_by_its_new_name(tmp_path: Path) -> None:
    talk = connected()
    talk.client(wire.open("MODEL", 1), EPOCH_US + 100)
    talk.server(wire.opened("AMQ.65538A", 2), EPOCH_US + 200)
    event = only(read(tmp_path, talk.packets)[0], "MQOPEN")
    assert columns(event, "queue", "object_name") == ("AMQ.65538A", "MODEL")


def test_a_failed_open_names_what_was_asked_for(tmp_path: Path) -> None:
    talk = connected()
    talk.client(wire.open("APP.QUEUE", 4), EPOCH_US + 100)
    talk.server(wire.opened("APP.QUEUE", -1, code=(2, 2042)), EPOCH_US + 200)
    event = only(read(tmp_path, talk.packets)[0], "MQOPEN")
    assert columns(event, "comp_code", "reason", "queue", "hobj") == (2, 2042, "APP.QUEUE", None)


def test_the_queue_of_a_handle_is_that_of_its_last_open(tmp_path: Path) -> None:
    talk = put_talk()
    talk.client(wire.open("SECOND", 16), EPOCH_US + 400)
    talk.server(wire.opened("SECOND", 2), EPOCH_US + 410)
    talk.client(wire.put(2, DATA), EPOCH_US + 420)
    events, _ = read(tmp_path, talk.packets)
    assert [event.queue for event in events if event.call == "MQPUT"] == ["APP.QUEUE", "SECOND"]


def test_a_closed_handle_has_no_queue(tmp_path: Path) -> None:
    talk = put_talk()
    talk.client(wire.put(2, DATA), EPOCH_US + 420)
    events, _ = read(tmp_path, talk.packets)
    assert [event.queue for event in events if event.call == "MQPUT"] == ["APP.QUEUE", None]


def test_an_open_through_the_service_interface_is_an_open(tmp_path: Path) -> None:
    talk = connected()
    talk.client(wire.service_open("APP.QUEUE", 8208), EPOCH_US + 100)
    talk.server(wire.service_opened("APP.QUEUE", 4), EPOCH_US + 200)
    talk.client(wire.put(4, DATA), EPOCH_US + 300)
    events, errors = read(tmp_path, talk.packets)
    assert errors == []
    assert columns(only(events, "MQOPEN"), "queue", "hobj", "options") == ("APP.QUEUE", 4, 8208)
    assert only(events, "MQPUT").queue == "APP.QUEUE"


def test_options_say_nothing_where_a_transaction_manager_ends_the_units_of_work(tmp_path: Path) -> None:
    talk = with_queue()
    talk.client(wire.call(captures.XA_START), EPOCH_US + 100)
    talk.client(wire.put(2, DATA, pmo={"Options": MQPMO.SYNCPOINT}), EPOCH_US + 110)
    talk.server(wire.put_done(2, md={"MsgId": MSG_ID}), EPOCH_US + 120)
    put = only(read(tmp_path, talk.packets)[0], "MQPUT")
    assert columns(put, "options", "msg_id") == (None, MSG_ID)


def test_a_get_that_waited_when_the_capture_began_has_waited_since_before(tmp_path: Path) -> None:
    talk = with_queue()
    gmo: Values = {"Options": int(MQGMO.WAIT), "WaitInterval": 5000}
    begun = len(talk.packets)
    talk.client(wire.get(2, 100, gmo=gmo), EPOCH_US + 100)
    talk.server(wire.got(2, b"", gmo=gmo, code=(2, 2033)), EPOCH_US + 5_000_100)
    get = only(read(tmp_path, talk.packets[begun + 1 :])[0], "MQGET")
    assert (get.wait_ms, get.end_us - get.start_us >= 5_000_000) == (5000, True)


def test_a_call_without_its_request_began_after_the_call_before_it(tmp_path: Path) -> None:
    talk = with_queue()
    for place in range(3):
        talk.client(wire.put(2, DATA), EPOCH_US + 1000 * place + 1000)
        talk.server(wire.put_done(2, md={"MsgId": f"{place + 1:048x}"}), EPOCH_US + 1000 * place + 1500)
    lost = next(each for each in talk.packets if each.time_ns == (EPOCH_US + 3000) * 1000)
    events, _ = read(tmp_path, [packet for packet in talk.packets if packet is not lost])
    *_, put = (event for event in events if event.call == "MQPUT")
    assert (put.start_us - EPOCH_US, put.end_us - EPOCH_US) == (2500, 3500)
