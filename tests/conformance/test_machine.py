"""The state machine: where it gets, what it says, and that it says it again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance import machine, vocabulary
from conformance.bench import Budget
from conformance.vocabulary import said
from fixtures.miniatures import MINIATURES
from oracle import follow
from oracle.constants import MQGMO, MQOO, MQPMO
from oracle.errors import TargetError
from oracle.profile import PlatformName
from oracle.serve import Server
from tests.conformance.conftest import ChoosingServer, CountingServer, bench_of


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the machine run little."""
    monkeypatch.setitem(machine.RUNS, Budget.QUICK, 40)


@pytest.mark.parametrize("platform", ["distributed", "zos", "ibmi"])
@pytest.mark.usefixtures("short")
def test_the_reference_server_conforms(platform: PlatformName) -> None:
    bench = bench_of(lambda: Server(platform), seed=3)
    assert machine.perform(bench) is None
    assert bench.tally.steps > 500


def test_it_reaches_locks_groups_backout_expiry_and_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(machine.RUNS, Budget.QUICK, 120)
    bench = bench_of(seed=3)
    machine.perform(bench)
    for wanted in (
        ("LCK-01", "LCK-12"),
        ("LCK-15",),
        ("LOG-16", "LOG-17", "LOG-18"),
        ("PTB-06", "PTB-07"),
        ("VIS-04",),
        ("UOW-05", "PTB-24"),
        ("EXP-09",),
        ("WAI-01",),
        ("ACT-01", "ACT-02", "ACT-03"),
        ("TRN-01", "TRN-04"),
    ):
        assert bench.tally.rules.intersection(wanted), wanted


@pytest.mark.usefixtures("short")
def test_only_what_the_target_claims_is_said() -> None:
    server = CountingServer({"features": ["priority"]})
    machine.perform(bench_of(lambda: server))
    ops = {request["op"] for request in server.requests}
    assert ops == {"hello", "setup", "call", "fail"}
    verbs = {request["verb"] for request in server.requests if request["op"] == "call"}
    assert verbs == {"MQCONN", "MQDISC", "MQOPEN", "MQCLOSE", "MQPUT", "MQGET"}
    assert _options(server, "MQGET", "MQGMO") == 0
    assert _options(server, "MQPUT", "MQPMO") == 0
    assert not _options(server, "MQOPEN", None) & (MQOO.BROWSE | MQOO.INQUIRE)
    members = {name for request in server.requests for name in request.get("MQMD", ())}
    assert members == {"Priority"}


def _options(server: CountingServer, verb: str, structure: str | None) -> int:
    """Return every option that was used in calls of a verb."""
    found = 0
    for request in server.requests:
        if request.get("verb") == verb:
            found |= (request if structure is None else request.get(structure, {})).get("Options", 0)
    return found


@pytest.mark.usefixtures("short")
def test_everything_is_said_to_a_target_that_claims_everything() -> None:
    server = CountingServer()
    machine.perform(bench_of(lambda: server))
    wanted = MQGMO.WAIT | MQGMO.SYNCPOINT | MQGMO.LOCK | MQGMO.UNLOCK | MQGMO.LOGICAL_ORDER | MQGMO.MSG_UNDER_CURSOR
    assert _options(server, "MQGET", "MQGMO") & wanted == wanted
    assert _options(server, "MQPUT", "MQPMO") & MQPMO.LOGICAL_ORDER
    assert {"advance", "alter"} <= {request["op"] for request in server.requests}
    assert {"MQCMIT", "MQBACK", "MQPUT1", "MQINQ", "MQSET"} <= {request.get("verb") for request in server.requests}


def test_where_the_suite_cannot_move_the_clock_only_unlimited_waits_are_begun() -> None:
    intervals = [dict(word.members)["WaitInterval"] for word in said(vocabulary.WAITS, frozenset({"wait"}))]
    assert intervals == [-1]


@pytest.mark.parametrize("name", ["priority_ignored", "backout_loses_position", "depth_ignores_uncommitted_puts"])
def test_it_finds_defects_by_itself(name: str) -> None:
    found = machine.perform(bench_of(MINIATURES[name].server, seed=0))
    assert found is not None
    assert found.departure is not None
    assert found.departure.rules[0] in MINIATURES[name].rules


def test_a_seed_repeats_a_search_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(machine.RUNS, Budget.QUICK, 20)

    def said(seed: int) -> list[dict[str, Any]]:
        server = CountingServer()
        machine.perform(bench_of(lambda: server, seed=seed))
        return server.requests

    first, again, other = said(5), said(5), said(6)
    assert first == again
    assert first != other


def test_a_seed_means_the_same_in_another_process_and_nothing_is_left_in_the_folder(tmp_path: Path) -> None:
    def results(hash_seed: str) -> str:
        path = tmp_path / f"{hash_seed}.json"
        target = f"{sys.executable} -m fixtures.miniatures correl_id_ignored"
        command = f"-m conformance run --select machine/* --seed 7 --budget quick --json {path}".split()
        subprocess.run(
            [sys.executable, *command, "--target", target],
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            check=False,
        )
        return path.read_text().partition('"rules"')[2].partition('"seconds"')[0]

    assert results("1") == results("2") != ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1.json", "2.json"]


def test_a_target_that_breaks_ends_the_search_with_its_error() -> None:
    class Breaking(CountingServer):
        def answer(self, line: str) -> dict[str, Any]:
            if len(self.requests) > 100:
                raise OSError("disk full")
            return super().answer(line)

    server = Breaking()
    with pytest.raises(TargetError, match="disk full"):
        machine.perform(bench_of(lambda: server))
    assert len(server.requests) == 101


@pytest.mark.usefixtures("short")
def test_a_target_that_uses_the_freedom_of_the_documents_conforms() -> None:
    bench = bench_of(ChoosingServer, seed=4)
    assert machine.perform(bench) is None
    assert bench.tally.steps > 500


def test_a_session_that_the_oracle_cannot_follow_is_left_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(machine.RUNS, Budget.QUICK, 40)
    monkeypatch.setattr(follow, "MAX_STATES", 1)
    bench = bench_of(MINIATURES["depth_ignores_uncommitted_puts"].server, seed=2)
    assert machine.perform(bench) is not None
