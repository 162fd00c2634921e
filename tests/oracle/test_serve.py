"""`mq-oracle serve` as a target, and the other commands, as a user meets them."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from oracle.cli import main
from oracle.rules import catalogue
from oracle.serve import Server, serve


def exchange(*requests: dict[str, Any]) -> list[dict[str, Any]]:
    """Send requests to a fresh server, numbered, after hello and a setup with queue Q."""
    start: list[dict[str, Any]] = [{"op": "hello", "protocol": 1}, {"op": "setup", "queues": [{"name": "Q"}]}]
    lines = [json.dumps({"seq": number, **request}) for number, request in enumerate([*start, *requests])]
    return [json.loads(reply) for reply in serve(lines, Server())][2:]


CONNECT = {"op": "call", "conn": "A", "verb": "MQCONN"}
OPEN = {"op": "call", "conn": "A", "verb": "MQOPEN", "ObjectName": "Q", "Options": 2 | 16}


def test_a_message_goes_in_and_comes_out() -> None:
    put = {"op": "call", "conn": "A", "verb": "MQPUT", "Hobj": 1, "data": "6869"}
    get = {"op": "call", "conn": "A", "verb": "MQGET", "Hobj": 1, "BufferLength": 10}
    _, opened, stored, got = exchange(CONNECT, OPEN, {**put}, get)
    assert opened["Hobj"] == 1
    assert got["data"] == "6869"
    assert got["MQMD"]["MsgId"] == stored["MQMD"]["MsgId"]
    assert got["seq"] == 5


def test_a_wait_ends_in_the_reply_to_the_advance() -> None:
    get = {"op": "call", "conn": "A", "verb": "MQGET", "Hobj": 1, "BufferLength": 10}
    wait = {**get, "MQGMO": {"Options": 1, "WaitInterval": 1000}}
    *_, pending, advanced = exchange(CONNECT, OPEN, wait, {"op": "advance", "tenths": 20})
    assert pending == {"seq": 4, "pending": True}
    assert advanced["completed"] == [{"seq": 4, "CompCode": 2, "Reason": 2033}]


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"op": "call", "conn": "A", "verb": "MQGET"}, "Hobj"),
        ({"op": "setup", "queues": [{"name": "Q"}, {"name": "Q"}]}, "defined twice"),
        ({"op": "setup", "queues": [{"MaxQDepth": 1}]}, "name"),
        ({"op": "setup", "queues": [{"name": "Q", "MaxQDepth": "deep"}]}, "MaxQDepth of Q"),
        ({"op": "setup", "queues": "Q"}, "list"),
        ({"op": "setup", "qmgr": {"platform": "vms"}}, "platform"),
        ({"op": "alter", "queue": "NOWHERE", "attributes": {}}, "no queue NOWHERE"),
        ({"op": "advance", "tenths": -1}, "between 0 and 2147483647"),
        ({"op": "advance", "tenths": 2**31}, "between 0 and 2147483647"),
        ({"op": "advance", "tenths": 10**30}, "between 0 and 2147483647"),
    ],
)
def test_a_request_that_cannot_be_carried_out_is_an_error_and_the_target_lives_on(
    request_: dict[str, Any], message: str
) -> None:
    failed, after = exchange(request_, CONNECT)
    assert message in failed["error"]
    assert after == {"seq": 3, "CompCode": 0, "Reason": 0}


def test_the_clock_stops_before_the_year_10000() -> None:
    put = {"op": "call", "conn": "A", "verb": "MQPUT1", "ObjectName": "Q", "data": ""}
    _, *replies, stored = exchange(CONNECT, *[{"op": "advance", "tenths": 2**31 - 1}] * 1_300, put)
    refused = [reply for reply in replies if "error" in reply]
    assert {reply["error"] for reply in refused} == {"the clock cannot be moved beyond the year 9999"}
    assert 0 < len(refused) < 200
    assert stored["MQMD"]["PutDate"].startswith("999")


@pytest.mark.parametrize("seq", ["NaN", "Infinity", "1e400", '"1"', "true", "[1]"])
def test_a_number_that_is_none_is_not_sent_back(seq: str) -> None:
    (reply,) = serve([f'{{"seq": {seq}, "op": "bye"}}'], Server())
    assert json.loads(reply) == {"seq": None, "error": "seq must be an integer"}


def test_a_call_before_setup_is_refused() -> None:
    (reply,) = serve([json.dumps({"seq": 1, **CONNECT})], Server())
    assert "setup" in json.loads(reply)["error"]


@given(st.text())
def test_noise_never_breaks_the_target(text: str) -> None:
    reply = Server().answer(text)
    assert "error" in reply


def test_bye_ends_the_process_with_0() -> None:
    lines = '{"seq":1,"op":"hello","protocol":1}\n{"seq":2,"op":"bye"}\n{"seq":3,"op":"hello","protocol":1}\n'
    command = [sys.executable, "-c", "from oracle.cli import main; main()", "serve"]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0
    assert [json.loads(line)["seq"] for line in done.stdout.splitlines()] == [1, 2]


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, arguments)
    return result.exit_code, result.output


def test_rules_are_listed_explained_and_given_as_json() -> None:
    code, output = run("rules", "--area", "qsc", "--json")
    assert code == 0
    assert [rule["id"] for rule in json.loads(output)] == [rule.id for rule in catalogue.areas()["QSC"].rules]
    code, output = run("rules", "lck-12")
    assert code == 0
    for part in (catalogue.rule("LCK-12").title, "Source: IBM MQ 9.2, MQGMO, Options (MQLONG)", "Reading AMB-31"):
        assert part in output
    code, output = run("rules")
    assert code == 0
    assert f"{len(list(catalogue.rules()))} rules" in output


@pytest.mark.parametrize("arguments", [["rules", "LCK-99"], ["rules", "--area", "NOPE"], ["dance"], ["rules", "--bad"]])
def test_bad_usage_is_exit_status_2_without_a_traceback(arguments: list[str]) -> None:
    code, output = run(*arguments)
    assert code == 2
    assert "Traceback" not in output
    assert output.strip()


@pytest.mark.parametrize("arguments", [["--help"], ["rules", "--help"], ["serve", "--help"]])
def test_help_has_an_example(arguments: list[str]) -> None:
    code, output = run(*arguments)
    assert code == 0
    assert "Example" in output
