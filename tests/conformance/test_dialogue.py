"""Recognition of a broken target, for every kind of target."""

from __future__ import annotations

import pytest

from conformance.sessions.dialogue import Dialogue
from oracle.errors import InapplicableError, TargetError
from tests.conformance.conftest import HELLO, CannedTarget, ClaimingServer, target_of

OK = {"seq": 2, "ok": True}
PENDING = {"seq": 2, "pending": True}
DONE = {"completed": [{"seq": 2, "CompCode": 2, "Reason": 2033}]}
REQUEST = {"seq": 2, "op": "quiesce"}


def test_the_reply_with_the_number_of_the_request_is_returned() -> None:
    assert Dialogue(CannedTarget([HELLO, OK])).ask(REQUEST) == OK


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("Listening on port 1414", "not a JSON object: Listening"),
        ("", "wrote an empty line; each line must be a JSON object"),
        (" \r\n", "wrote an empty line"),
        ('\ufeff{"seq": 2, "ok": true}', "a byte order mark (U+FEFF) before a line; write UTF-8 without it"),
        ('{"seq": 2, "ok": 1%s}' % ("0" * 5000), "a line with an integer of more than 4300 digits: {"),
        ("[1, 2]", "not a JSON object"),
        ("[" * 100_000, "a line that is nested too deeply: [[["),
        ({"seq": 7, "ok": True}, "has seq 7, the request 2"),
        ({"ok": True}, "has seq None"),
        ({"seq": True, "ok": True}, "has seq True"),
        ({"seq": 2, "error": "no such op"}, "no such op"),
        ({"seq": 2, "error": "\x1b[31mred"}, "an error:  [31mred"),
        ({"seq": 2, "error": "\ud800"}, "it has half a character"),
        ({"seq": 2, "error": "\U0001f40d"}, "an error: \U0001f40d"),
        (
            {"seq": 2, "ok": True, "completed": 5},
            "completed must be a list of objects, each with the seq of its call, not 5",
        ),
        ({"seq": 2, "ok": True, "completed": [5]}, "completed must be a list of objects"),
        ({"seq": 2, "ok": True, "completed": [{"seq": True}]}, "completed must be a list of objects"),
    ],
)
def test_anything_else_is_a_target_error(line: object, told: str) -> None:
    dialogue = Dialogue(CannedTarget([HELLO, line]))
    with pytest.raises(TargetError) as caught:
        dialogue.ask(REQUEST)
    assert told in str(caught.value)


def test_what_the_interface_cannot_express_is_no_broken_target() -> None:
    dialogue = Dialogue(CannedTarget([HELLO, {"seq": 2, "unsupported": "MQGMO_LOCK"}, {"seq": 3, "ok": True}]))
    with pytest.raises(InapplicableError, match="cannot express MQGMO_LOCK"):
        dialogue.ask(REQUEST)
    assert dialogue.ask({"seq": 3, "op": "quiesce"})["ok"]


def test_hello_can_always_be_expressed() -> None:
    with pytest.raises(TargetError, match="the reply to hello is not of the protocol"):
        Dialogue(CannedTarget([{"seq": 1, "unsupported": "platform"}]))


def test_the_error_shows_the_last_requests_and_the_standard_error() -> None:
    dialogue = Dialogue(CannedTarget([HELLO]))
    with pytest.raises(TargetError) as caught:
        dialogue.ask(REQUEST)
    text = str(caught.value)
    assert "ended early with exit status 3" in text
    assert '{"seq":2,"op":"quiesce"}' in text
    assert "it hurts" in text


def test_a_long_line_of_noise_is_shown_in_part() -> None:
    dialogue = Dialogue(CannedTarget([HELLO, "x" * 10_000]))
    with pytest.raises(TargetError) as caught:
        dialogue.ask(REQUEST)
    assert len(str(caught.value)) < 2_000


def test_silence_ends_at_the_time_limit() -> None:
    dialogue = Dialogue(CannedTarget([HELLO], silent=True), time_limit=0.001)
    with pytest.raises(TargetError, match=r"no reply within 0\.001 s"):
        dialogue.ask(REQUEST)


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("protocol", 2),
        ("platform", "mainframe"),
        ("clock", "sundial"),
        ("features", "priority"),
        ("implementation", {"version": "1"}),
    ],
)
def test_a_hello_that_is_not_of_the_protocol_names_the_member_and_ends_the_target(member: str, value: object) -> None:
    target = CannedTarget([{**HELLO, member: value}])
    with pytest.raises(TargetError, match=f"reply to hello is not of the protocol: {member}"):
        Dialogue(target)
    assert target.closed


def test_unknown_members_and_features_of_hello_are_no_matter() -> None:
    dialogue = Dialogue(target_of(lambda: ClaimingServer({"features": ["time-travel"], "mood": "good", "qmgr": "QM7"})))
    assert dialogue.hello.features == ("time-travel",)


def test_lines_with_completed_alone_are_kept_apart_from_replies() -> None:
    dialogue = Dialogue(CannedTarget([HELLO, PENDING, DONE, {"seq": 3, "ok": True}]))
    dialogue.ask(REQUEST)
    assert dialogue.ask({"seq": 3, "op": "quiesce"}) == {"seq": 3, "ok": True}
    assert dialogue.take_completed() == [DONE]
    assert dialogue.take_completed() == []


@pytest.mark.parametrize(
    "lines",
    [
        [{**OK, "completed": [{"seq": 1}]}],
        [{"completed": [{"seq": 2}]}, PENDING],
        [PENDING, {"seq": 3, "ok": True}, DONE, {"seq": 4, "ok": True}],
        [PENDING, DONE, {"seq": 3, "ok": True, "completed": [{"seq": 2}, {"seq": 5}]}],
    ],
)
def test_a_call_that_never_was_pending_cannot_be_completed(lines: list[object]) -> None:
    dialogue = Dialogue(CannedTarget([HELLO, *lines]))

    def ask() -> None:
        for seq in (2, 3, 4):
            dialogue.ask({"seq": seq, "op": "setup" if seq == 3 else "call"})

    with pytest.raises(TargetError, match=r"completed names seq [125], which is not pending"):
        ask()


@pytest.mark.parametrize("others", [[], [{"seq": 2, "CompCode": 0, "Reason": 0}]])
def test_a_call_that_waits_and_ends_in_one_reply_has_ended(others: list[object]) -> None:
    """A wait may discard an expired message whose report then ends it, and other waits."""
    own = {"seq": 3, "CompCode": 0, "Reason": 0, "data": "00"}
    both = {"seq": 3, "pending": True, "completed": [*others, own]}
    dialogue = Dialogue(CannedTarget([HELLO, PENDING, both]))
    dialogue.ask(REQUEST)
    told = {"completed": others} if others else {}
    assert dialogue.ask({"seq": 3, "op": "call"}) == {**own, **told}


def test_whether_a_pending_call_may_be_completed_is_for_the_rules_to_say() -> None:
    """A setup drops it when that is answered, and a call completed twice departs from the documents."""
    dialogue = Dialogue(CannedTarget([HELLO, PENDING, DONE, DONE, {"seq": 3, "ok": True}]))
    for seq in (2, 3):
        dialogue.ask({"seq": seq, "op": "setup"})
    assert dialogue.take_completed() == [DONE, DONE]


def test_a_target_that_never_stops_to_complete_is_a_target_error() -> None:
    flood: list[object] = [{"completed": []}] * 1001
    told = "more than 1000 lines with completed alone"
    with pytest.raises(TargetError, match=told):
        Dialogue(CannedTarget([HELLO, *flood])).ask(REQUEST)
    with pytest.raises(TargetError, match=told):
        Dialogue(CannedTarget([HELLO, *flood])).take_completed()
    assert Dialogue(CannedTarget([HELLO, *flood[1:], OK])).ask(REQUEST) == OK


def test_a_reply_that_nobody_asked_for_is_a_target_error() -> None:
    dialogue = Dialogue(CannedTarget([HELLO, OK]))
    with pytest.raises(TargetError, match="unasked"):
        dialogue.take_completed()


def test_closing_says_bye() -> None:
    target = CannedTarget([HELLO, OK])
    Dialogue(target).close()
    assert '"op": "bye"' in target.sent[-1]
    assert target.closed
