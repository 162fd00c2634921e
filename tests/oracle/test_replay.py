"""The replay of transcripts and histories: conforming, departing and undecided ones."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from oracle.cli import main
from oracle.errors import BadInputError, MqOracleError, NotModelledError, UsageError
from oracle.judging import follow
from oracle.model.queue_manager import outcomes
from oracle.model.state import State
from oracle.model.step import Outcome
from oracle.mqi.calls import Call, Put
from oracle.replay import Replayed, Setup, UndecidedError, replay
from oracle.serve import Server

LOCKED = """
h = open Q BROWSE+INPUT_SHARED+OUTPUT
put h m1 Priority=3                # the only message
get h BROWSE_FIRST+LOCK -> m1
g = B.open Q INPUT_SHARED
get g -> 2033
get h UNLOCK -> OK
"""


def replayed(text: str, **options: Any) -> list[Replayed]:
    return list(replay(text, "input", **options))


def test_a_history_that_conforms_is_followed_to_its_end() -> None:
    steps = replayed(LOCKED + "get g -> m1")
    assert not any(step.departs for step in steps)
    assert [step.place.line for step in steps] == [2, 2, 3, 4, 5, 5, 6, 7, 8]
    assert "LCK-15" in steps[-2].followed.rules


def test_a_history_ends_at_its_first_departure() -> None:
    steps = replayed(LOCKED + "get h UNLOCK -> OK\nget g -> 2033")
    assert [step.departs for step in steps].index(True) == len(steps) - 1
    departure = steps[-1].followed.departure
    assert departure is not None
    assert departure.rules[0] == "LCK-17"
    assert steps[-1].place.line == 8


@pytest.mark.parametrize(
    ("history", "rule"),
    [
        ("h = open Q INPUT_SHARED+OUTPUT; put h low Priority=1; put h high Priority=5; get h -> low", "PRI-03"),
        ("h = open Q INPUT_SHARED+OUTPUT; put h m; get h -> 2033", "DLV-05"),
        ("h = open Q INPUT_SHARED+OUTPUT; put h m; get h -> m BackoutCount=1", "BOC-01"),
        ("h = open Q INPUT_SHARED+OUTPUT+INQUIRE; put h m; inq h CurrentQDepth -> CurrentQDepth=0", "INQ-02"),
        (
            "h = open Q OUTPUT; g = B.open Q INPUT_SHARED; w = get g WAIT WaitInterval=-1; put h m => w pending",
            "ACT-01",
        ),
        ("w = open Q INPUT_SHARED; v = get w WAIT WaitInterval=5000; advance 1s => v 2033", "WAI-01"),
    ],
)
def test_a_departure_names_the_rule(history: str, rule: str) -> None:
    departure = replayed(history)[-1].followed.departure
    assert departure is not None
    assert rule in departure.rules
    assert departure.sentence


def test_a_setup_defines_the_queues_of_a_history() -> None:
    history = "h = open Q OUTPUT; put h m1; put h m2 -> 2053"
    assert replayed(history)[-1].departs
    assert not replayed(history, setup=Setup({"queues": [{"name": "Q", "MaxQDepth": 1}]}))[-1].departs


@pytest.fixture
def puts_are_not_modelled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove MQPUT from the model."""

    def outcomes_but_put(state: State, call: Call, observed: Any = None) -> Iterator[Outcome]:
        if isinstance(call, Put):
            raise NotModelledError("MQPUT is not modelled")
        return outcomes(state, call, observed)

    monkeypatch.setattr(follow, "outcomes", outcomes_but_put)


@pytest.mark.usefixtures("puts_are_not_modelled")
def test_what_the_model_lacks_leaves_the_rest_undecided_and_loses_nothing() -> None:
    steps = replay("h = open Q INPUT_SHARED+OUTPUT\nput h m", "input")
    assert [next(steps).departs, next(steps).departs] == [False, False]
    with pytest.raises(UndecidedError, match=r"input:2: undecided from here on: MQPUT is not modelled"):
        next(steps)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("h = open Q OUTPUT; advance 999999999999s", "the clock cannot be moved beyond the year 9999"),
        ("", "empty"),
        ("# nothing but a comment\n", "input: nothing to replay: the input has no calls"),
        ("fetch h", "input:1: .*unknown call"),
        ("cmit\nput h m", "input:2: no handle 'h'"),
        ("h = open Q INPUT_SHARED; get h -> m1", "no message 'm1'"),
        ("h = open Q INPUT_SHARED; get h WAIT WaitInterval=-1; get h", "connection A makes a call while"),
        ("h = open Q INPUT_SHARED; get h BufferLength=many", "BufferLength must be a number"),
        ("alter NOWHERE InhibitGet=1; alter Q MaxQDepth=deep", "MaxQDepth"),
        ("alter Q MaxQDepht=1; open Q OUTPUT", "input:1: there is no attribute MaxQDepht; do you mean MaxQDepth?"),
        ("alter qmgr Colour=1", "input:1: there is no attribute Colour$"),
        ('{"foo": 1}', "input:1: a request is expected"),
        ("{", "input:1: not a line of JSON"),
    ],
)
def test_bad_input_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(BadInputError, match=message):
        replayed(text)


@given(st.text())
def test_noise_never_breaks_a_replay(text: str) -> None:
    with suppress(MqOracleError):
        replayed(text)


SETUP: dict[str, Any] = {"op": "setup", "queues": [{"name": "Q"}]}
HELLO: dict[str, Any] = {"op": "hello", "protocol": 1}
CONNECT: dict[str, Any] = {"op": "call", "conn": "A", "verb": "MQCONN"}
OPEN: dict[str, Any] = {"op": "call", "conn": "A", "verb": "MQOPEN", "ObjectName": "Q", "Options": 2 | 8 | 16}
PUT: dict[str, Any] = {"op": "call", "conn": "A", "verb": "MQPUT", "Hobj": 1, "data": "6869"}
GET: dict[str, Any] = {"op": "call", "conn": "A", "verb": "MQGET", "Hobj": 1, "BufferLength": 10}
WAIT: dict[str, Any] = {**GET, "MQGMO": {"Options": 1, "WaitInterval": 1000}}


def exchange(*requests: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the transcript of requests to the model as a target: requests and replies in turn."""
    server, objects = Server(), []
    for number, request in enumerate(requests, start=1):
        numbered = {"seq": number, **request}
        objects += [numbered, server.answer(json.dumps(numbered))]
    return objects


def text_of(objects: list[dict[str, Any]]) -> str:
    return "\n".join(json.dumps(each) for each in objects) + "\n"


def test_a_transcript_that_conforms_is_followed_to_its_end() -> None:
    steps = replayed(text_of(exchange(HELLO, SETUP, CONNECT, OPEN, PUT, GET, WAIT, {"op": "advance", "tenths": 20})))
    assert not any(step.departs for step in steps)
    assert [step.place.line for step in steps] == [5, 7, 9, 11, 13, 15]
    assert steps[1].text == "A MQOPEN ObjectName=Q Options=INPUT_SHARED+BROWSE+OUTPUT"


def test_a_transcript_may_set_up_again() -> None:
    steps = replayed(text_of(exchange(SETUP, CONNECT, OPEN, PUT, SETUP, CONNECT, OPEN, GET)))
    assert steps[-1].observed.reason == 2033
    assert not steps[-1].departs


@pytest.mark.parametrize(
    ("requests", "changes", "rule"),
    [
        ((SETUP, CONNECT, OPEN, PUT, GET), {"CompCode": 2, "Reason": 2033}, "DLV-05"),
        ((SETUP, CONNECT, OPEN, PUT, GET), {"data": "6868"}, "DLV-04"),
        ((SETUP, CONNECT, OPEN, WAIT, {"op": "advance", "tenths": 20}), {"completed": []}, "WAI-01"),
    ],
)
def test_a_transcript_with_another_reply_departs(
    requests: tuple[dict[str, Any], ...], changes: dict[str, Any], rule: str
) -> None:
    objects = exchange(*requests)
    objects[-1].update(changes)
    departure = replayed(text_of(objects))[-1].followed.departure
    assert departure is not None
    assert rule in departure.rules


def test_a_first_connection_that_fails_names_its_rule() -> None:
    objects = exchange(SETUP, CONNECT)
    objects[-1].update(CompCode=2, Reason=2035)
    departure = replayed(text_of(objects))[-1].followed.departure
    assert departure is not None
    what = "MQCONN: expected MQCC_OK 0, got MQCC_FAILED 2035 MQRC_NOT_AUTHORIZED"
    assert departure.sentence == f"{what} (MQCONN must connect an application that is not connected)."
    assert departure.rules[0] == "CON-09"


def test_a_transcript_that_says_too_little_is_undecided() -> None:
    objects = exchange(HELLO, SETUP, CONNECT)
    objects[1]["clock"] = "real"
    with pytest.raises(UndecidedError, match="real clock"):
        replayed(text_of(objects))
    objects = exchange(SETUP, CONNECT, {**GET, "Hobj": "one"})
    with pytest.raises(UndecidedError, match="Hobj"):
        replayed(text_of(objects))


def test_the_platform_is_that_of_the_target() -> None:
    commit, back = ({"op": "call", "conn": "A", "verb": verb} for verb in ("MQCMIT", "MQBACK"))
    objects = exchange(HELLO, SETUP, CONNECT, OPEN, PUT, commit, GET, back, GET)
    assert not any(step.departs for step in replayed(text_of(objects)))
    objects[1]["platform"] = "zos"
    assert any(step.departs for step in replayed(text_of(objects))), "on z/OS the first MQGET is in a unit of work"


@pytest.mark.parametrize(
    ("objects", "message"),
    [
        (exchange(SETUP, CONNECT)[:-1], "input:3: request 2 has no reply"),
        (exchange(SETUP, CONNECT)[1:], "input:1: a request is expected"),
        ([*exchange(SETUP), {"seq": 2, **CONNECT}, {"seq": 3, "CompCode": 0, "Reason": 0}], "the reply to request 2"),
        ([{"seq": 2, **CONNECT}, {"seq": 2, "CompCode": 0, "Reason": 0}], "no setup"),
        ([*exchange(SETUP), {"seq": 2, **CONNECT}, {"seq": 2}], "input:4: CompCode"),
        ([*exchange(SETUP), {"seq": 2, "op": "dance"}, {"seq": 2, "ok": True}], "input:3: unknown op"),
        ([{"seq": 1, "op": "setup", "queues": "Q"}, {"seq": 1, "ok": True}], "input:1: queues must be"),
        (exchange(SETUP, CONNECT, OPEN, WAIT, PUT), "connection A makes a call while its MQGET waits"),
    ],
)
def test_what_is_no_transcript_is_refused_with_its_place(objects: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(BadInputError, match=message):
        replayed(text_of(objects))


def test_a_setup_beside_a_transcript_is_refused() -> None:
    with pytest.raises(UsageError, match="brings its own"):
        replayed(text_of(exchange(SETUP)), setup=Setup({}))


def run(tmp_path: Path, text: str, *options: str) -> tuple[int, str]:
    path = tmp_path / "input"
    path.write_text(text, encoding="utf-8")
    result = CliRunner().invoke(main, ["replay", str(path), *options])
    return result.exit_code, result.output


def test_the_command_says_what_conforms(tmp_path: Path) -> None:
    code, output = run(tmp_path, LOCKED)
    assert code == 0
    assert "8 calls, all conform" in output
    assert "LCK-15" in output


def test_the_command_explains_the_first_departure_in_a_sentence(tmp_path: Path) -> None:
    code, output = run(tmp_path, LOCKED + "get h UNLOCK -> OK\n")
    assert code == 1
    for part in ("input:8", "WARNING 2209 NO_MSG_LOCKED", "VIOLATES", "LCK-17", "the last one violates a rule"):
        assert part in output


def test_verbose_prints_every_allowed_outcome(tmp_path: Path) -> None:
    history = "h = open Q INPUT_SHARED\nget h BROWSE_FIRST+SYNCPOINT -> 2046\n"
    assert "2036" not in run(tmp_path, history)[1]
    code, output = run(tmp_path, history, "--verbose")
    assert code == 0
    assert "FAILED 2036 NOT_OPEN_FOR_BROWSE  [OPT-32" in output


def test_json_has_verdict_and_calls(tmp_path: Path) -> None:
    for line, code, verdict in (("", 0, "conforms"), ("get h UNLOCK -> OK", 1, "violates")):
        status, output = run(tmp_path, LOCKED + line, "--json")
        report = json.loads(output)
        assert (status, report["verdict"]) == (code, verdict)
        assert ("departure" in report["calls"][-1]) == (code == 1)


@pytest.mark.usefixtures("puts_are_not_modelled")
def test_an_undecided_input_is_exit_status_2_and_keeps_what_was_computed(tmp_path: Path) -> None:
    code, output = run(tmp_path, LOCKED)
    assert code == 2
    assert "undecided" in output
    assert "open Q" in output


@pytest.mark.parametrize(
    ("setup", "told"),
    [
        ('{"queues": [],\n "qmgr"', "setup.json:2: not JSON: "),
        ("[]", "setup.json: a setup is an object"),
        ('{"queues": [{"name": "Q"},\n {"name": "A B"}]}', "setup.json:2: attribute name of A B: 'A B' is no name"),
        ('{"queues": [{"name": "Q", "MaxQDepth": -1}]}', "setup.json:1: attribute MaxQDepth of Q must be at least 0"),
        ('{"queues": [{"name": "Q", "MaxQDepth": 1, "MaxQDepth": 9}]}', "setup.json: MaxQDepth is given twice"),
    ],
)
def test_a_bad_setup_is_told_with_its_own_place(tmp_path: Path, setup: str, told: str) -> None:
    path = tmp_path / "setup.json"
    path.write_text(setup)
    code, output = run(tmp_path, LOCKED, "--setup", str(path))
    assert code == 2
    assert f"mq-oracle: {tmp_path}/{told}" in output


@pytest.mark.parametrize("history", [LOCKED, '{"seq": 1, "op": "bye"}\n{"seq": 1, "ok": true}\n'])
def test_text_may_have_the_mark_that_editors_write(tmp_path: Path, history: str) -> None:
    plain, path = tmp_path / "plain", tmp_path / "input"
    plain.write_text(history)
    path.write_text(history, encoding="utf-8-sig")
    expected, result = (CliRunner().invoke(main, ["replay", str(each)]) for each in (plain, path))
    assert result.output == expected.output.replace("plain", "input")
    assert "looks like" not in result.output


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (LOCKED.encode("utf-16"), "input:1: looks like UTF-16, as PowerShell's > writes it; convert it to UTF-8"),
        (LOCKED.encode("utf-16-le"), "input:1: looks like UTF-16"),
        (LOCKED.encode("utf-16-be"), "input:1: looks like UTF-16"),
        (
            "h = open Q INPUT_SHARED\n# gr\u00f6\u00dfer\n".encode("latin-1"),
            "input:2: not UTF-8 text: byte 0xf6; convert it",
        ),
        ("\ufeffcmit\n".encode() + b"\n\xff", "input:3: not UTF-8 text: byte 0xff"),
        (gzip.compress(LOCKED.encode()), "input: compressed with gzip: decompress it first"),
        (b'{"header": "log"}\n' + '{"header": "log"}\n'.encode("utf-16-le"), "input:2: looks like UTF-16"),
    ],
)
def test_text_in_another_encoding_is_told_with_its_line(tmp_path: Path, data: bytes, told: str) -> None:
    path = tmp_path / "input"
    path.write_bytes(data)
    for name, typed in ((str(path), None), ("-", data)):
        result = CliRunner().invoke(main, ["replay", name], input=typed)
        assert result.exit_code == 2
        assert told.removeprefix("input" if typed else "") in result.output


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no device that is always full")
def test_a_device_that_never_ends_is_not_read() -> None:
    result = CliRunner().invoke(main, ["replay", "/dev/full"])
    assert result.exit_code == 2
    assert result.output == "mq-oracle: /dev/full: is a device, not a file\n"


def test_a_pipe_is_read() -> None:
    command = [sys.executable, "-c", "from oracle.cli import main; main()", "replay"]
    for name in ("-", "/dev/stdin"):
        done = subprocess.run([*command, name], input=LOCKED, capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, "8 calls, all conform" in done.stdout) == (0, True), done.stderr
