"""Damaged inputs of the tools besides logs: an error of the project's family, with a sentence, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import given

from conformance.checks.scenarios import parse_scenarios
from conformance.results.document import read_results
from oracle.errors import MqOracleError
from oracle.judging.deviations import read_deviations, read_log_deviations
from oracle.replay import replay
from oracle.serve import Server
from oracle.text.text_files import read_text
from spark_checks.days.state_files import State, read_state
from tests.fuzz.bounds import bounded, tried
from tests.fuzz.damage import NUMBERS, changed, with_odd_value
from tests.fuzz.samples import samples
from tests.fuzz.test_serve import REQUESTS

HISTORY = """h = open Q BROWSE+INPUT_SHARED+OUTPUT
put h m1 Priority=3 MsgId=00000000000000000000000000000000000000000000000a   # a message
get h BROWSE_FIRST+LOCK -> m1
g = B.open Q INPUT_SHARED
get g WaitInterval=100 -> 2033
advance 10t
cmit -> OK
"""
DEVIATIONS = """deviations:
  - rule: LCK-15
    target: My queue manager
    version: "2.*"
    observed: FAILED 2033 NO_MSG_AVAILABLE
    reason: |
      UNLOCK is not implemented
      before 3.0
    review: 2027-03-31
"""
OF_LOG = DEVIATIONS.replace("target", "queue").replace('    version: "2.*"\n', "")
SCENARIOS = """area: locking
scenarios:
  - id: locking/a-lock
    title: A lock is refused where there is no message
    rules: [LCK-15]
    features: [browse]
    steps: |
      h = open Q BROWSE+INPUT_SHARED
      get h BROWSE_FIRST+LOCK -> 2033
"""
TARGET = {"command": "x", "name": "n", "version": "1", "language": "C", "platform": "zos", "clock": "real"}
RESULTS = json.dumps(
    {
        "version": 1,
        "target": {**TARGET, "features": []},
        "seed": 1,
        "checks": [],
        "summary": {"conforms": 3},
        "rules": [{"id": "LCK-15", "verdict": "conforms", "checks": []}],
    }
)
STATE = State(
    days=1, unreadable=0, inputs=["0a"], gathered=[("calls", "QM1", None, {"n": 1})], horizon_us=1, told_us=1, rests={}
).model_dump_json()


COMPLETE = """{"header": "log", "complete": true}
{"header": "depth", "qmgr": "QM1", "queue": "Q", "at_us": 0, "depth": 0}
{"header": "queue", "qmgr": "QM1", "queue": "Q", "MsgDeliverySequence": "PRIORITY", "DefPriority": 0, \
"DefPersistence": 0, "MaxQDepth": 9, "MaxMsgLength": 999, "InhibitGet": 0, "InhibitPut": 0, "Usage": "NORMAL", \
"Shareability": 1, "CAPEXPRY": 0}
"""


def transcript() -> str:
    """Return requests and the answers of the model in turn."""
    server = Server()
    lines = [json.dumps({"seq": number, **request}) for number, request in enumerate(REQUESTS)]
    return "".join(f"{line}\n{json.dumps(server.answer(line))}\n" for line in lines)


def replayed(path: Path) -> None:
    """Replay an input to its end."""
    for _ in replay(read_text(path), str(path)):
        pass


def _all(read: Callable[[str, str], Iterable[object]]) -> Callable[[Path], object]:
    return lambda path: list(read(read_text(path), str(path)))


def _state(path: Path) -> object:
    path.rename(path.with_name("state.json"))
    return read_state(path.parent)


READ: dict[str, tuple[Callable[[Path], object], Callable[[], str]]] = {
    "history": (replayed, lambda: HISTORY),
    "transcript": (replayed, transcript),
    "event log": (replayed, lambda: COMPLETE + samples()["event log"].decode()),
    "known deviations": (read_deviations, lambda: DEVIATIONS),
    "known deviations of a log": (read_log_deviations, lambda: OF_LOG),
    "scenarios": (_all(parse_scenarios), lambda: SCENARIOS),
    "results": (read_results, lambda: RESULTS),
    "state": (_state, lambda: STATE),
}


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


@pytest.mark.parametrize("name", READ)
@tried(0.05, len(READ))
@given(number=NUMBERS)
def test_damage_is_told_in_a_sentence(room: Path, name: str, number: int) -> None:
    read, whole = READ[name]
    path = room / "input"
    change = with_odd_value if number % 2 else changed
    path.write_bytes(change(whole().encode(), number))
    try:
        with bounded():
            read(path)
    except MqOracleError as error:
        assert str(error)  # noqa: PT017 - reading it is as right as refusing it
