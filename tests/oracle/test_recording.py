"""Histories become records of the event log with requests and replies."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from oracle.histories.event_log import Event
from oracle.histories.recording import Interval, Recorder
from oracle.mqi import calls
from tests.oracle.conftest import Play


def recorded(play: Play, text: str) -> list[Event]:
    recorder = Recorder("QM1", {"ALIAS": "Q"})
    played = play(text, queues=[{"name": "Q"}, {"name": "ALIAS", "type": "alias", "target": "Q"}])
    return [
        recorder.record(call, observed, Interval(number, number + 5))
        for number, (_, call, _, observed) in enumerate(played.steps)
        if isinstance(call, calls.MqiCall)
    ]


def test_a_put_and_its_get_tell_of_the_same_message(play: Play) -> None:
    events = recorded(
        play, "h = open ALIAS OUTPUT+INPUT_SHARED; put h m1 Priority=3 Expiry=50; get h -> m1; get h -> 2033"
    )
    put, got, empty = events[-3:]
    assert (put.call, put.queue, put.object_name, put.seq) == ("MQPUT", "Q", "ALIAS", 3)
    assert put.msg_id == got.msg_id
    assert put.digest == got.digest == hashlib.sha256(b"m1").hexdigest()
    assert (got.priority, got.persistence, got.length, got.match_options) == (3, 0, 2, 3)
    assert put.put_us == 1_704_067_200_000_000
    assert (empty.reason, empty.msg_id, empty.length) == (2033, None, None)


def test_a_truncated_get_has_its_length_and_no_digest(play: Play) -> None:
    *_, got = recorded(
        play, "h = open Q OUTPUT+INPUT_SHARED; put h long; get h BufferLength=2 ACCEPT_TRUNCATED_MSG -> 2079"
    )
    assert (got.length, got.buffer_length, got.digest) == (4, 2, None)


def test_each_connection_counts_its_own_calls(play: Play) -> None:
    events = recorded(
        play, "h = open Q OUTPUT; g = B.open Q INPUT_SHARED; put h m; get g SYNCPOINT -> m; back B; close h"
    )
    assert [event.seq for event in events if event.conn == "A"] == [1, 2, 3, 4]
    assert [(event.call, event.seq) for event in events if event.conn == "B"][-1] == ("MQBACK", 4)


def test_a_dynamic_queue_has_the_name_that_its_open_returned(play: Play) -> None:
    recorder, model = Recorder("QM1"), {"name": "M", "type": "model"}
    played = play("h = open M OUTPUT DynamicQName=D1; put h m; close h", queues=[model])
    events = [
        recorder.record(call, observed, Interval(1, 2))
        for _, call, _, observed in played.steps
        if isinstance(call, calls.MqiCall)
    ]
    assert [(event.queue, event.object_name) for event in events[1:]] == [("D1", "M")] * 3


def test_an_alias_stands_for_its_base_queue_though_its_open_returns_its_own_name(play: Play) -> None:
    recorder = Recorder("QM1", {"ALIAS": "Q"})
    played = play("h = open ALIAS OUTPUT", queues=[{"name": "Q"}, {"name": "ALIAS", "type": "alias", "target": "Q"}])
    call, observed = next((call, reply) for _, call, _, reply in played.steps if isinstance(call, calls.Open))
    named = replace(observed, members={**observed.members, "ObjectName": "ALIAS"})
    assert recorder.record(call, named, Interval(1, 2)).queue == "Q"
