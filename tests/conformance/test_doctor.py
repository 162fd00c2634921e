"""The doctor: a correct target passes every step, and each mistake is reported with what to do."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.running.doctor import Diagnosis, Health, examine
from conformance.targets import InProcessTarget, target_for
from fixtures.naive.emulator import Emulator
from oracle.errors import TargetError
from oracle.mqi.profile import PLATFORMS, PlatformName
from oracle.serve import Server
from tests.conformance.conftest import ANSWER, ClaimingServer, target_of


def spoiled(change: Callable[[Mapping[str, Any], dict[str, Any]], dict[str, Any]]) -> Callable[[], Server]:
    """Return a function that makes a server with changed replies."""

    class Spoiled(Server):
        def answer(self, line: str) -> dict[str, Any]:
            return change(json.loads(line), dict(super().answer(line)))

    return Spoiled


def ills(make: Callable[[], Server]) -> dict[str, str]:
    return {each.step: each.advice for each in examine(target_of(make)) if each.health is Health.FAIL}


@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_reference_server_is_well(platform: PlatformName) -> None:
    found = list(examine(target_of(lambda: Server(platform))))
    assert len(found) == 23
    assert {each.health for each in found} == {Health.OK}


def test_steps_whose_features_are_not_claimed_are_passed_over() -> None:
    found = list(examine(target_of(lambda: ClaimingServer({"features": ["priority"]}))))
    over = [each for each in found if each.health is Health.SKIPPED]
    assert Diagnosis("a wait in vain", Health.SKIPPED, "the target does not claim wait") in over
    assert {each.health for each in found if each not in over} == {Health.OK}


def _without(name: str, where: str = "") -> Callable[[Mapping[str, Any], dict[str, Any]], dict[str, Any]]:
    def change(request: Mapping[str, Any], reply: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in reply.items() if key != name or where not in ("", request.get("verb"))}

    return change


@pytest.mark.parametrize(
    ("change", "step", "advice"),
    [
        (
            lambda _, reply: {**reply, **({"features": ["telepathy"]} if "protocol" in reply else {})},
            "hello",
            "telepathy",
        ),
        (_without("Hobj", "MQOPEN"), "handles and connections", "MQOPEN must return Hobj"),
        (_without("data", "MQGET"), "a message is put and got", "lowercase hexadecimal"),
        (lambda _, reply: {**reply, "MQMD": [1]}, "a message is put and got", "MQMD must be an object"),
        (_without("completed"), "a wait that is served", "must be in completed"),
        (_without("values", "MQINQ"), "attributes are inquired", "MQINQ must return values"),
        (
            lambda _, reply: {**reply, "data": ""} if reply.get("CompCode") == 2 else reply,
            "a failure returns its codes alone",
            "not data",
        ),
        (
            lambda request, reply: {"seq": reply["seq"], "ok": True} if request["op"] == "dance" else reply,
            "nonsense is refused",
            "must be answered with error",
        ),
        (
            lambda request, reply: {"seq": reply["seq"]} if request["op"] == "bye" else reply,
            "bye",
            "bye must be answered with ok",
        ),
        (
            lambda request, reply: {"seq": reply["seq"], "ok": True} if request["op"] == "advance" else reply,
            "a wait in vain",
            "must be in completed",
        ),
        (
            lambda request, reply: {"seq": 0, "ok": True} if request["op"] == "fail" else reply,
            "an application dies",
            "the reply has seq 0",
        ),
    ],
)
def test_a_bad_manner_is_told_with_what_to_do(
    change: Callable[[Mapping[str, Any], dict[str, Any]], dict[str, Any]], step: str, advice: str
) -> None:
    found = ills(spoiled(change))
    assert advice in found[step]


@pytest.mark.parametrize(
    ("verb", "step", "health"),
    [("MQINQ", "attributes are inquired", Health.FAIL), ("MQPUT", "a message is put and got", Health.SKIPPED)],
)
def test_what_the_interface_cannot_express_is_ill_if_a_feature_claims_it(verb: str, step: str, health: Health) -> None:
    def change(request: Mapping[str, Any], reply: dict[str, Any]) -> dict[str, Any]:
        return {"seq": reply["seq"], "unsupported": verb} if request.get("verb") == verb else reply

    (found,) = (each for each in examine(target_of(spoiled(change))) if each.step == step)
    assert found == Diagnosis(step, health, f"the target's interface cannot express {verb}")


def test_a_target_that_keeps_its_state_over_a_setup_is_told() -> None:
    class Keeping(Server):
        setups = 0

        def answer(self, line: str) -> dict[str, Any]:
            self.setups += '"setup"' in line
            if '"setup"' in line and self.setups > 1:
                return {"seq": json.loads(line)["seq"], "ok": True}
            return dict(super().answer(line))

    assert "MQCONN must succeed here" in ills(Keeping)["setup resets everything"]


def test_a_callable_that_makes_no_target_is_told_by_what_it_made() -> None:
    with pytest.raises(TargetError, match=r"python:os:getcwd returned str, not an object with a method answer\(line\)"):
        target_for("python:os:getcwd").start()


def departing(make: Callable[[], Any]) -> dict[str, str]:
    found = examine(InProcessTarget("departing", make))
    return {each.step: each.advice for each in found if each.health is Health.VIOLATES}


def test_what_will_meet_nearly_every_check_is_shown_with_how_many() -> None:
    found = departing(Emulator)
    first = found["as documented: a message, put and got"]
    assert first.startswith("PRI-02: MQGET: expected MQMD.Priority to be 0, got -1")
    met, of = (int(number) for number in re.findall(r"(\d+) of the (\d+) scenarios that apply", first)[0])
    assert 300 < met < of
    assert first.endswith("get h NO_SYNCPOINT -> m1")
    assert found["as documented: browsing"] == "PRI-02: MQMD.Priority again, as in a message, put and got"
    known, behind = found["as documented: a backout"].splitlines()
    assert known == found["as documented: browsing"]
    assert behind.startswith("SYN-03: MQGET found nothing although message m2 is available")
    assert found["as documented: the order of priorities"].startswith("PRI-03: MQGET returned message low")


def test_a_deviation_that_few_will_meet_says_so() -> None:
    def change(request: Mapping[str, Any], reply: dict[str, Any]) -> dict[str, Any]:
        return {**reply, "values": {"CurrentQDepth": 7}} if "values" in reply else reply

    (advice,) = (text for step, text in departing(spoiled(change)).items() if step == "as documented: the depth")
    met, of = (int(number) for number in re.findall(r"(\d+) of the (\d+) scenarios that apply", advice)[0])
    assert 0 < met < of / 2


def test_a_departure_is_the_exit_status_1() -> None:
    result = CliRunner().invoke(main, ["doctor", "--target", "python:fixtures.naive.emulator:Emulator"])
    assert result.exit_code == 1
    lines = result.output.splitlines()
    assert any(" violates " in line for line in lines)
    assert all(line == line.rstrip() for line in lines)
    assert "MQGET must fail here with CompCode 2 and Reason 2033 NO_MSG_AVAILABLE, not CompCode 0" in result.output
    assert re.match(r"Verdict: \d+ of 23 steps failed \(\d+ ok, 1 FAIL, \d+ violates\)", lines[-2])
    assert lines[-1].startswith("Next: mend the first step that says FAIL")


def test_the_command_says_what_to_do_and_exits_with_1(script: Callable[[str], str]) -> None:
    well = CliRunner().invoke(main, ["doctor", "--target", "python:oracle.serve:Server"])
    assert (well.exit_code, "FAIL" in well.output, "ok" in well.output) == (0, False, True)
    mute = CliRunner().invoke(main, ["doctor", "--target", script("time.sleep(60)"), "--time-limit", "0.2"])
    assert mute.exit_code == 2
    assert "no reply within 0.2 s" in mute.output


def test_json_has_every_step_and_the_exit_status_stays() -> None:
    wrong = CliRunner().invoke(main, ["doctor", "--target", "python:fixtures.naive.emulator:Emulator", "--json"])
    found = json.loads(wrong.stdout)
    healths = [each["health"] for each in found["steps"]]
    assert (wrong.exit_code, found["error"]) == (1, None)
    assert found["failed"] == healths.count("violates") + healths.count("FAIL") > 0
    assert [each["advice"] for each in found["steps"] if each["health"] == "ok"] == [""] * healths.count("ok")


def test_json_has_the_steps_before_a_target_broke_and_says_how_it_broke(script: Callable[[str], str]) -> None:
    mute = CliRunner().invoke(main, ["doctor", "--target", script("time.sleep(60)"), "--time-limit", "0.2", "--json"])
    assert mute.exit_code == 2
    assert "no reply within 0.2 s" in json.loads(mute.stdout)["error"]
    assert "no reply within 0.2 s" in mute.stderr


def test_off_a_terminal_nothing_is_folded(script: Callable[[str], str]) -> None:
    broken = ANSWER.replace("sys.stdin:\n", "sys.stdin:\n    if 'MQCLOSE' in line: sys.exit(3)\n")
    result = CliRunner().invoke(main, ["doctor", "--target", script(broken)])
    request = '{"seq":6,"op":"call","conn":"A","verb":"MQOPEN","ObjectName":"NO.SUCH.QUEUE","Options":16}'
    assert request in result.output


@pytest.mark.parametrize(
    ("at_the_end", "told"),
    [
        ("", ""),
        ("sys.exit(5)", "must end with exit status 0: it ended with exit status 5"),
        ("raise KeyError('lost')", "KeyError: 'lost'"),
        ("os.kill(os.getpid(), 9)", "it ended by signal 9"),
        ("time.sleep(60)", "must end with exit status 0: it still runs after 5 s"),
    ],
)
def test_a_target_must_end_after_bye_with_0(at_the_end: str, told: str, script: Callable[[str], str]) -> None:
    *_, farewell = examine(target_for(script(ANSWER + at_the_end)), time_limit=5 if "5 s" in told else 60)
    assert farewell.step == "bye"
    assert told in farewell.advice
    assert (farewell.health is Health.OK) == (told == "")


def test_a_target_that_ends_at_a_request_is_started_again(script: Callable[[str], str]) -> None:
    target = script(
        "server = Server()\n"
        "for line in sys.stdin:\n"
        "    if 'MQCLOSE' in line:\n"
        "        sys.exit(3)\n"
        "    print(json.dumps(server.answer(line)), flush=True)"
    )
    found = {each.step: each for each in examine(target_for(target))}
    assert "ended early with exit status 3" in found["handles and connections"].advice
    assert found["a message is put and got"].health is Health.OK


_HELLO_ONLY = (
    "server = Server()\n"
    "for line in sys.stdin:\n"
    "    reply = json.dumps(server.answer(line))\n"
    "    if 'hello' in line:\n"
    "        print(reply, flush=True)\n"
    "    else:\n"
    "        {then}\n"
)


@pytest.mark.parametrize(
    ("then", "told"),
    [
        ("pass", "no reply within 2 s"),
        (
            "print(reply[:9], end='', flush=True)",
            'no whole reply within 2 s: the target has written {"seq": 2 without an end of line',
        ),
    ],
    ids=["silent", "half a line"],
)
def test_a_target_that_hangs_is_given_up_after_two_steps(then: str, told: str, script: Callable[[str], str]) -> None:
    found = list(examine(target_for(script(_HELLO_ONLY.format(then=then))), time_limit=2))
    assert [each.health for each in found] == [Health.OK, Health.FAIL, Health.FAIL, Health.SKIPPED]
    assert found[1].advice.startswith(told)
    assert re.fullmatch(r"\d+ more steps", found[3].step)
    assert "kept two steps waiting" in found[3].advice


def test_a_target_that_ends_in_the_middle_of_a_line_is_told_so(script: Callable[[str], str]) -> None:
    dies = "print(reply[:9], end='', flush=True); sys.exit(4)"
    _, found, *_ = examine(target_for(script(_HELLO_ONLY.format(then=dies))))
    assert found.advice.startswith('the target ended early with exit status 4, in the middle of a line: {"seq": 2')


def test_a_last_line_without_its_end_is_a_reply(script: Callable[[str], str]) -> None:
    ends = "print(reply, end='', flush=True); sys.exit(0)"
    _, found, *_ = examine(target_for(script(_HELLO_ONLY.format(then=ends))))
    assert (found.step, found.health) == ("unknown members are ignored", Health.OK)
