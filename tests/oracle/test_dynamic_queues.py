"""Dynamic queues: their creation, their deletion, and what their other users see."""

from __future__ import annotations

from typing import Any

import pytest

from oracle.protocol import ObservedReply
from tests.oracle.conftest import Play
from tests.oracle.test_follow import FAILED_2033, Session

QUEUES = (
    {"name": "Q"},
    {"name": "TEMP", "type": "model", "DefPriority": 4},
    {"name": "PERM", "type": "model", "DefinitionType": "PERMANENT_DYNAMIC"},
)
START = "h = open TEMP BROWSE+INPUT_SHARED+OUTPUT+INQUIRE DynamicQName=T1;"
PERMANENT = "h = open PERM BROWSE+INPUT_SHARED+OUTPUT DynamicQName=P1;"


def session(text: str, **kwargs: Any) -> Session:
    return Session(text, start="B.conn;", queues=QUEUES, **kwargs)


def test_opening_a_model_queue_makes_a_queue_with_its_attributes(play: Play) -> None:
    text = START + "put h m; inq h DefinitionType QName DefPriority -> DefinitionType=TEMPORARY_DYNAMIC QName=T1"
    played = play(text + " DefPriority=4; g = B.open T1 INPUT_SHARED; get g -> m", queues=QUEUES)
    assert {"OPN-19", "DYN-01", "PER-06"} <= played.rules


@pytest.mark.parametrize(
    ("platform", "name", "conforms"),
    [
        ("distributed", "AMQ.X17", True),
        ("distributed", "CSQ.X17", False),
        ("distributed", "Q", False),
        ("distributed", "AMQ." + "X" * 45, False),
        ("zos", "CSQ.X17", True),
        ("zos", "AMQ.X17", False),
    ],
)
def test_the_asterisk_is_replaced_by_the_queue_manager(platform: Any, name: str, conforms: bool) -> None:
    told = session("", platform=platform)
    followed = told.instead("h = B.open TEMP OUTPUT", ObjectName=name)
    assert (followed.departure is None) == conforms
    if followed.departure is not None:
        assert "DYN-01" in followed.departure.rules


def test_two_opens_make_two_queues() -> None:
    told = session("")
    assert told.instead("h = B.open TEMP OUTPUT", ObjectName="AMQ.1").departure is None
    departure = told.instead("h = B.open TEMP OUTPUT", ObjectName="AMQ.1").departure
    assert departure is not None


@pytest.mark.parametrize(("name", "reason"), [("Q", 2100), ("", 2011), ("NEW", 0)])
def test_a_name_must_be_free(name: str, reason: int) -> None:
    told = session("")
    members = {} if reason else {"Hobj": 1, "ObjectName": name}
    reply = ObservedReply(2 if reason else 0, reason, members=members)
    assert told.instead(f"B.open TEMP OUTPUT DynamicQName={name}", reply).departure is None


def test_a_temporary_queue_takes_no_persistent_message(play: Play) -> None:
    assert "DYN-03" in play(START + "put h m Persistence=1 -> 2048; put h n -> OK", queues=QUEUES).rules


@pytest.mark.parametrize("close", ["close h", "close h DELETE", "close h DELETE_PURGE", "disc", "fail A"])
def test_a_temporary_queue_goes_with_its_creator(play: Play, close: str) -> None:
    text = START + "put h m; put h n; g = B.open T1 INPUT_SHARED+OUTPUT; get g SYNCPOINT; put g o SYNCPOINT;"
    gone = f"{close}; get g -> 2052; put g p -> 2052; cmit B -> OK; close g -> OK; B.open T1 OUTPUT -> 2085"
    assert {"CLO-07", "CLO-08"} <= play(text + gone, queues=QUEUES).rules


def test_a_wait_on_a_deleted_queue_ends(play: Play) -> None:
    text = START + "g = B.open T1 INPUT_SHARED; w = get g WAIT WaitInterval=-1 -> pending; close h => w 2052"
    assert "CLO-08" in play(text, queues=QUEUES).rules


@pytest.mark.parametrize(("option", "reason"), [("", 0), ("DELETE", 2045), ("DELETE_PURGE", 2045)])
def test_another_user_keeps_the_temporary_queue(play: Play, option: str, reason: int) -> None:
    text = START + f"put h m; g = B.open T1 INPUT_SHARED; close g {option} -> {reason or 'OK'}; get h -> m"
    assert "CLO-09" in play(text, queues=QUEUES).rules


@pytest.mark.parametrize(
    ("history", "close", "reason", "rule"),
    [
        ("put h m", "close h", "OK", "DYN-04"),
        ("put h m", "close h DELETE", "2055", "CLO-05"),
        ("put h m; get h", "close h DELETE", "OK", "CLO-05"),
        ("put h m", "close h DELETE_PURGE", "OK", "CLO-06"),
        ("put h m SYNCPOINT", "close h DELETE_PURGE", "2055", "CLO-06"),
        ("put h m; get h SYNCPOINT", "close h DELETE", "2055", "CLO-05"),
    ],
)
def test_a_permanent_queue_goes_when_it_is_told_to(
    play: Play, history: str, close: str, reason: str, rule: str
) -> None:
    played = play(PERMANENT + f"{history}; {close} -> {reason}", queues=QUEUES)
    assert rule in played.rules
    stays = reason != "OK" or close == "close h"
    assert ("P1" in played.state.queues) == stays


def test_a_permanent_queue_survives_its_creator_and_what_is_on_it_too(play: Play) -> None:
    play(PERMANENT + "put h m; disc; g = B.open P1 INPUT_SHARED; get g -> m", queues=QUEUES)


def test_a_message_that_went_with_its_queue_does_not_come_back() -> None:
    told = session(PERMANENT + "put h m; close h DELETE_PURGE; g = B.open PERM INPUT_SHARED DynamicQName=P1")
    assert told.instead("get g", told.message("m")).departure is not None
    assert told.instead("get g", FAILED_2033).departure is None


def test_a_close_that_departs_names_the_rule() -> None:
    departure = session(PERMANENT + "put h m").instead("close h DELETE", ObservedReply()).departure
    assert departure is not None
    assert "CLO-05" in departure.rules
    departure = session(START + "g = B.open T1 INPUT_SHARED; close h").instead("get g", FAILED_2033).departure
    assert departure is not None
    assert departure.rules[0] == "CLO-08"
