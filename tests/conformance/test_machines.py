"""The state machines: what they reach, their vocabulary, and that they repeat a search."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import combinations, takewhile
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

import pytest

from conformance.checks.check import Check
from conformance.checks.generated.circumstances import histories
from conformance.checks.machines import CHECKS, base, search
from conformance.checks.machines.acting import SessionOverError, act, play_session
from conformance.checks.machines.base import Applications
from conformance.checks.machines.vocabulary import gets
from conformance.checks.machines.vocabulary.word import said
from conformance.checks.rig import Budget, Rig
from conformance.results.document import results_of
from conformance.running.runner import Runner
from conformance.running.worker import Options
from conformance.sessions.session import History, Session
from conformance.sessions.tally import Tally
from fixtures.miniatures import MINIATURES
from fixtures.variants import VARIANTS
from oracle.errors import TargetError
from oracle.histories.history import with_connections
from oracle.histories.notation import Line, Reference
from oracle.judging import follow
from oracle.judging.verdicts import Verdict
from oracle.mqi.constants import MQGMO, MQMF, MQMO, MQOO, MQPMO, MQRC
from oracle.mqi.profile import PlatformName
from oracle.protocol import FEATURES
from oracle.serve import Server
from tests.conformance.conftest import ChoosingServer, ClaimingServer, CountingServer, play, rig_of, target_of

ROOT = Path(__file__).parents[2]
BY_NAME = {check.id.partition("/")[2]: check for check in CHECKS}
NAMES = sorted(BY_NAME)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the machines run little."""
    monkeypatch.setitem(search.SESSIONS, Budget.QUICK, 5)


def perform(name: str, rig: Rig) -> Session | None:
    return BY_NAME[name].perform(rig)


def applied(name: str, platform: PlatformName) -> Check:
    check = BY_NAME[name]
    if platform not in check.platforms:
        pytest.skip("the machine is about another platform")
    return check


class Searched(NamedTuple):
    """The results of a quick search with the reference server."""

    tally: Tally
    requests: list[dict[str, Any]]
    sessions: list[Session]


@cache
def searched(
    name: str, platform: PlatformName = "distributed", seed: int = 3, features: tuple[str, ...] = ()
) -> Searched:
    """Search as with the quick budget, with the features of the reference server by default.

    A search takes seconds; tests about the same one share it.
    """
    server = CountingServer({"features": features} if features else {}, platform)
    sessions: list[Session] = []
    rig = replace(rig_of(lambda: server, seed=seed), keep=sessions.append)
    assert perform(name, rig) is None
    rig.finish()
    return Searched(rig.tally, server.requests, sessions)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("platform", ["distributed", "zos"])
@pytest.mark.usefixtures("short")
def test_the_reference_server_conforms(name: str, platform: PlatformName) -> None:
    rig = rig_of(lambda: Server(platform), seed=3)
    assert applied(name, platform).perform(rig) is None
    assert rig.tally.steps > 90


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("platform", ["distributed", "zos"])
@pytest.mark.usefixtures("short")
def test_a_target_that_uses_the_freedom_of_the_documents_conforms(name: str, platform: PlatformName) -> None:
    rig = rig_of(lambda: ChoosingServer(platform, 7), seed=4)
    assert applied(name, platform).perform(rig) is None
    assert rig.tally.steps > 90
    assert rig.tally.undecided <= 1


@pytest.mark.parametrize(
    ("name", "platform", "wanted"),
    [
        ("delivery", "distributed", [("PRI-03",), ("PRI-04",), ("MTC-01",), ("TRN-01", "TRN-04"), ("CNV-01",)]),
        ("delivery", "distributed", [("MTC-13",), ("PRP-07", "PRP-08"), ("PRP-09",)]),
        ("units-of-work", "distributed", [("VIS-04",), ("UOW-05", "PTB-24"), ("SYN-03",)]),
        ("units-of-work", "zos", [("MSB-02", "MSB-04"), ("MSB-06",)]),
        (
            "browse",
            "distributed",
            [("LCK-01", "LCK-12"), ("LCK-15",), ("MRK-01",), ("MRK-07",), ("MRK-09",), ("MRK-14",)],
        ),
        (
            "groups",
            "distributed",
            [("LOG-17",), ("LOG-18",), ("PTB-06", "PTB-07"), ("CMP-05",), ("AMA-01", "AMA-05")],
        ),
        ("splitting", "distributed", [("SEG-01",), ("SEG-02",), ("CMP-01",)]),
        ("expiry", "distributed", [("EXP-09",), ("RPT-01",)]),
        ("waits", "distributed", [("WAI-01",), ("ACT-01", "ACT-02", "ACT-03"), ("WAI-04", "WAI-12")]),
        ("limits", "distributed", [("DEP-06",), ("SIZ-03",), ("UOW-07",), ("PUT-14",), ("QSC-01",)]),
        ("objects", "distributed", [("TRI-01",), ("CHN-01",), ("DYN-01",), ("OPN-19",), ("DLQ-01", "DLH-01")]),
        ("zos", "zos", [("SYN-06", "SYN-02"), ("LOG-45",), ("MSB-02",), ("ZOS-02",), ("ZOS-06",)]),
    ],
)
def test_each_machine_reaches_what_it_is_about(
    name: str, platform: PlatformName, wanted: list[tuple[str, ...]]
) -> None:
    missed = wanted
    for seed in range(1, 7):
        reached = searched(name, platform, seed).tally.rules.keys()
        missed = [rules for rules in missed if not reached & set(rules)]
        if not missed:
            return
    pytest.fail(f"not reached with six seeds: {missed}")


def test_signals_are_set_where_the_target_has_them() -> None:
    rig = rig_of(lambda: ClaimingServer({"features": [*FEATURES, "signal"]}, "zos"), seed=1)
    assert perform("zos", rig) is None
    assert rig.tally.completions[f"MQGET {MQRC.SIGNAL_REQUEST_ACCEPTED}"] >= 1


@cache
def lines_on_zos() -> tuple[Line, ...]:
    """Return the calls of some searches of the machine about z/OS."""
    return tuple(
        each.line for seed in (1, 2) for session in searched("zos", "zos", seed).sessions for each in session.exchanges
    )


@pytest.mark.parametrize(
    "said",
    [
        lambda line: line.options & MQGMO.SET_SIGNAL and line.options & (MQGMO.BROWSE_NEXT | MQGMO.BROWSE_FIRST),
        lambda line: line.options & MQGMO.SET_SIGNAL and line.options & MQGMO.LOCK,
        lambda line: line.options & MQGMO.SET_SIGNAL and "GroupId" in dict(line.members),
        lambda line: line.verb == "get" and ("MQGMO.Version", 1) in line.members,
        lambda line: line.verb == "alter" and line.queue == "qmgr" and "ExpiryInterval" in dict(line.attributes),
        lambda line: line.verb == "open" and line.queue == "L",
        lambda line: line.verb == "open" and line.queue == "M",
        lambda line: line.verb == "get" and len(of_messages(line)) > 1,
    ],
)
def test_the_machine_about_zos_lets_features_meet(said: Callable[[Line], bool]) -> None:
    assert any(map(said, lines_on_zos()))


def of_messages(line: Line) -> list[str]:
    """Return the members of a line that are those of a message of the history."""
    return [name for name, value in line.members if isinstance(value, Reference)]


def test_a_set_signal_is_asked_about() -> None:
    refused = f"MQGET {MQRC.SIGNAL_OUTSTANDING}"
    assert any(searched("zos", "zos", seed).tally.completions[refused] for seed in (1, 2))


@pytest.mark.parametrize("name", ["everything", "browse", "units-of-work"])
def test_on_zos_queues_have_an_index_or_none(name: str) -> None:
    indexes = {session.setup.queues[0].get("IndexType") for session in searched(name, "zos", 1).sessions}
    assert {"GROUP_ID", None} <= indexes


def test_applications_end_in_several_ways_and_what_is_left_is_looked_at() -> None:
    ends = set()
    for session in searched("units-of-work", seed=1).sessions:
        lines = [each.line for each in session.exchanges]
        conns = [line.conn for line in lines if line.verb == "conn"]
        swept = next((place for place, line in enumerate(lines) if line.verb == "conn" and line.conn == "Z"), None)
        if swept is not None:
            ends.add((lines[swept - 1].verb, "Y" in conns))
    assert ends == {("fail", False), ("fail", True), ("disc", False), ("disc", True)}


def test_messages_of_groups_come_among_those_of_others_and_with_other_priorities() -> None:
    orders = []
    for session in searched("groups", seed=1).sessions:
        puts = [dict(each.line.members) for each in session.exchanges if each.line.verb == "put"]
        orders.append([(put.get("GroupId"), put.get("Priority")) for put in puts if "MsgSeqNumber" in put])
    assert any(first[0] == third[0] != second[0] for first, second, third in _neighbours(orders, 3))
    assert any(first[0] == second[0] and first[1] != second[1] for first, second in _neighbours(orders, 2))


def _neighbours(rows: list[list[tuple[Any, Any]]], count: int) -> list[tuple[tuple[Any, Any], ...]]:
    return [tuple(row[place : place + count]) for row in rows for place in range(len(row) - count + 1)]


def test_a_session_ends_when_the_target_may_be_in_too_many_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "_POSSIBILITIES_MOST", 1)
    most: list[int] = []
    for session in searched.__wrapped__("expiry", "zos", 2).sessions:  # apart, for the change
        most.append(session.possibilities)
        assert not any(each.line.conn == "Z" for each in session.exchanges) or session.possibilities == 1
    assert max(most) > 1


def test_the_machine_that_goes_on_begins_with_histories_of_other_checks() -> None:
    sessions: list[Session] = []
    rig = replace(rig_of(Server, seed=3), keep=sessions.append)
    assert perform("continued", rig) is None
    every = [given.history for given in histories("distributed").values()]
    went_on = 0
    for session in sessions:
        lines = [each.line for each in session.exchanges]
        begun = max((shared(lines, history) for history in every if is_begun_by(session, history)), default=0)
        assert begun
        went_on += len(lines) > begun
        given = {name for line in lines[:begun] for name in (line.name, line.message) if name}
        assert not given.intersection(line.message for line in lines[begun:] if line.verb in ("put", "put1"))
        assert not given.intersection(line.name for line in lines[begun:])
    assert went_on > len(sessions) / 2


def is_begun_by(session: Session, history: History) -> bool:
    """Return whether a session has the queue manager of a history, perhaps with an alias and a model queue besides."""
    own, given = session.setup, history.setup
    further = [queue["name"] for queue in own.queues[len(given.queues) :]]
    return own.qmgr == given.qmgr and own.queues[: len(given.queues)] == given.queues and {*further} <= {"L", "M"}


def shared(lines: list[Line], history: History) -> int:
    """Return how many of the first lines are those of a history."""
    own = with_connections(line.without_outcome() for line in history.lines)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(lines, own, strict=False)))


@pytest.mark.parametrize(
    ("name", "deep"),
    [
        ("browse", lambda tally: tally.most_locks >= 1 and tally.most_marks >= 3),
        ("groups", lambda tally: tally.longest_group >= 4 and tally.deepest >= 8),
        ("units-of-work", lambda tally: tally.most_units_of_work >= 2),
        ("waits", lambda tally: tally.most_waiting >= 2 and tally.waits >= 20),
    ],
)
def test_they_reach_deep_states(name: str, deep: Callable[[Tally], bool]) -> None:
    assert any(deep(searched(name, seed=seed).tally) for seed in range(1, 7))


@pytest.mark.parametrize("name", ["everything", "objects"])
@pytest.mark.usefixtures("short")
def test_only_what_the_target_claims_is_said(name: str) -> None:
    server = CountingServer({"features": ["priority"]})
    perform(name, rig_of(lambda: server))
    ops = {request["op"] for request in server.requests}
    assert ops == {"hello", "setup", "call", "fail"}
    verbs = {request["verb"] for request in server.requests if request["op"] == "call"}
    assert {"MQCONN", "MQOPEN", "MQPUT", "MQGET"} <= verbs
    assert verbs <= {"MQCONN", "MQDISC", "MQOPEN", "MQCLOSE", "MQPUT", "MQGET"}
    assert _options(server.requests, "MQGET", "MQGMO") == 0
    assert _options(server.requests, "MQPUT", "MQPMO") == 0
    assert not _options(server.requests, "MQOPEN", None) & (MQOO.BROWSE | MQOO.INQUIRE | MQOO.CO_OP)
    members = {name for request in server.requests for name in request.get("MQMD", ())}
    assert members == {"Priority"}


def _options(requests: Sequence[dict[str, Any]], verb: str, structure: str | None) -> int:
    """Return every option that was used in calls of a verb."""
    found = 0
    for request in requests:
        if request.get("verb") == verb:
            found |= (request if structure is None else request.get(structure, {})).get("Options", 0)
    return found


EVERY_FEATURE = (*FEATURES, "signal")


def test_everything_is_said_to_a_target_that_claims_everything() -> None:
    requests: list[dict[str, Any]] = []
    for seed in (1, 0, 2):
        requests += searched("everything", seed=seed, features=EVERY_FEATURE).requests
        if not _unsaid(requests):
            return
    pytest.fail(f"not said with three seeds: {_unsaid(requests)}")


def _unsaid(requests: Sequence[dict[str, Any]]) -> list[str]:
    """Return the words that a search of everything must use and has not used."""
    wanted = (
        MQGMO.WAIT | MQGMO.SYNCPOINT | MQGMO.LOCK | MQGMO.UNLOCK | MQGMO.LOGICAL_ORDER | MQGMO.MSG_UNDER_CURSOR
        | MQGMO.COMPLETE_MSG | MQGMO.ALL_MSGS_AVAILABLE | MQGMO.ALL_SEGMENTS_AVAILABLE | MQGMO.CONVERT
        | MQGMO.MARK_BROWSE_HANDLE | MQGMO.MARK_BROWSE_CO_OP | MQGMO.UNMARKED_BROWSE_MSG
        | MQGMO.UNMARK_BROWSE_HANDLE | MQGMO.UNMARK_BROWSE_CO_OP | MQGMO.NO_PROPERTIES
    )  # fmt: skip  # options
    matches = [request.get("MQGMO", {}).get("MatchOptions", 0) for request in requests]
    ops, verbs = ({request.get(member) for request in requests} for member in ("op", "verb"))
    said = {
        "options of MQGET": _options(requests, "MQGET", "MQGMO") & wanted == wanted,
        "logical order": bool(_options(requests, "MQPUT", "MQPMO") & MQPMO.LOGICAL_ORDER),
        "Report": any(request.get("MQMD", {}).get("Report") for request in requests),
        "MATCH_MSG_TOKEN": any(each & MQMO.MATCH_MSG_TOKEN for each in matches),
        "MQHRF2": any(request.get("MQMD", {}).get("Format") == "MQHRF2" for request in requests),
        "events": {"advance", "alter", "quiesce"} <= ops,
        "verbs": {"MQCMIT", "MQBACK", "MQPUT1", "MQINQ", "MQSET"} <= verbs,
    }
    return [name for name, is_said in said.items() if not is_said]


def test_what_only_zos_has_is_said_only_there() -> None:
    requests = searched("everything", seed=1, features=EVERY_FEATURE).requests
    assert not _options(requests, "MQGET", "MQGMO") & (MQGMO.MARK_SKIP_BACKOUT | MQGMO.SET_SIGNAL)
    assert "scan_expired" not in {request["op"] for request in requests}


def test_a_target_may_split_messages_that_are_said_to_allow_it() -> None:
    allowed = [
        request
        for request in searched("splitting").requests
        if request.get("MQMD", {}).get("MsgFlags") == MQMF.SEGMENTATION_ALLOWED
    ]
    assert any(len(request["data"]) // 2 > 32 for request in allowed)


def test_a_closed_handle_is_not_used_by_the_name_that_it_had_where_its_number_is_another_ones() -> None:
    session = play("h = open Q OUTPUT; close h; g = open Q OUTPUT", VARIANTS["other-ids"].server)
    bound = session.bindings.handles
    assert bound["h"] == bound["g"]
    assert Applications.handles(cast("Applications", SimpleNamespace(session=session))) == ["g"]


def test_where_the_suite_cannot_move_the_clock_only_unlimited_waits_are_begun() -> None:
    intervals = [dict(word.members)["WaitInterval"] for word in said(gets.WAITS, frozenset({"wait"}))]
    assert intervals == [-1]


@pytest.mark.parametrize(
    ("miniature", "name"),
    [
        ("priority_ignored", "delivery"),
        ("correl_id_ignored", "delivery"),
        ("truncated_get_removes", "delivery"),
        ("expired_message_returned", "expiry"),
        ("depth_ignores_uncommitted_puts", "units-of-work"),
        ("backout_loses_position", "units-of-work"),
        ("group_survives_backout", "groups"),
        ("lock_survives_unlock", "browse"),
        ("cursor_moves_on_failed_browse", "browse"),
        ("wait_restarts", "waits"),
    ],
)
def test_they_find_defects_by_themselves(miniature: str, name: str) -> None:
    found = False
    for seed in range(3):
        with suppress(TargetError):  # the miniature gets another message than the model, and cannot convert it
            found = found or perform(name, rig_of(MINIATURES[miniature].server, seed=seed)) is not None
    assert found


def _requests(check: Check, make: Callable[[], CountingServer], seed: int) -> list[dict[str, Any]]:
    server = make()
    check.perform(rig_of(lambda: server, seed=seed))
    return server.requests


@pytest.mark.parametrize("name", ["delivery", "everything"])
@pytest.mark.usefixtures("short")
def test_a_seed_repeats_a_search_exactly(name: str) -> None:
    first, again, other = (_requests(BY_NAME[name], CountingServer, seed) for seed in (5, 5, 6))
    assert first == again
    assert first != other


def test_a_seed_means_the_same_in_another_process_and_nothing_is_left_in_the_folder(tmp_path: Path) -> None:
    modules, folder = tmp_path / "modules", tmp_path / "folder"
    modules.mkdir()
    folder.mkdir()
    wrong = "from fixtures.miniatures import MINIATURES\n\nmake = MINIATURES['correl_id_ignored'].server\n"
    (modules / "wrong_target.py").write_text(wrong)

    def results(hash_seed: str) -> str:
        path = folder / f"{hash_seed}.json"
        command = f"-m conformance run --select machine/delivery --seed 7 --budget quick --json {path}".split()
        subprocess.run(
            [sys.executable, *command, "--target", "python:wrong_target:make"],
            cwd=folder,
            env={
                **os.environ,
                "PYTHONHASHSEED": hash_seed,
                "PYTHONPATH": os.pathsep.join((str(ROOT), str(modules))),
            },
            capture_output=True,
            check=False,
        )
        return path.read_text().partition('"rules"')[2].partition('"seconds"')[0]

    assert results("1") == results("2") != ""
    assert sorted(path.name for path in folder.iterdir()) == ["1.json", "2.json"]


def test_a_target_that_breaks_ends_the_search_with_its_error() -> None:
    class Breaking(CountingServer):
        def answer(self, line: str) -> dict[str, Any]:
            if len(self.requests) > 100:
                raise OSError("disk full")
            return super().answer(line)

    server = Breaking()
    with pytest.raises(TargetError, match="disk full"):
        perform("units-of-work", rig_of(lambda: server))
    assert len(server.requests) == 101


def test_a_session_that_the_oracle_cannot_follow_is_left_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow, "MAX_STATES", 1)
    rig = rig_of(seed=2)
    assert perform("expiry", rig) is None
    assert 0 < rig.tally.undecided < rig.tally.sessions == search.SESSIONS[Budget.QUICK]


@pytest.mark.usefixtures("short")
def test_the_results_say_how_far_a_machine_went() -> None:
    finished = Runner(target_of(), Options()).run([BY_NAME["groups"]])
    (seen,) = results_of(finished).checks
    reached = seen.reached
    assert reached is not None
    assert reached.sessions == 10
    assert sum(reached.calls.values()) == seen.steps
    assert set(reached.rules) == finished.results[0].exercised
    assert list(reached.rules.values()) == sorted(reached.rules.values(), reverse=True)
    assert reached.completions["MQPUT 0"] <= reached.calls["MQPUT"]


def test_the_machines_share_the_time_of_a_deep_search(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(100_000))
    monkeypatch.setattr(search, "monotonic", lambda: float(next(clock)))
    checks = [BY_NAME["delivery"], BY_NAME["limits"], BY_NAME["zos"]]
    finished = Runner(target_of(), Options(Budget.DEEP, minutes=0.4)).run(checks)
    assert [result.verdict for result in finished.results] == [
        Verdict.CONFORMS,
        Verdict.CONFORMS,
        Verdict.NOT_APPLICABLE,
    ]
    for result in finished.results[:2]:
        assert result.reached is not None
        assert 2 < result.reached.sessions < 12


def test_a_deep_search_goes_on_until_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(100_000))
    monkeypatch.setattr(search, "monotonic", lambda: float(next(clock)))
    server = CountingServer()
    rig = Rig(rig_of(lambda: server).dialogue, Budget.DEEP, seed=1, seconds=20)
    perform("delivery", rig)
    sessions: list[list[dict[str, Any]]] = []
    for request in server.requests:
        if request["op"] == "setup":
            sessions.append([])
        elif sessions:
            sessions[-1].append({name: value for name, value in request.items() if name != "seq"})
    assert len(sessions) > 5
    assert all(first != second for first, second in combinations(sessions, 2))


def test_with_several_jobs_each_machine_has_more_of_the_time() -> None:
    assert Options(minutes=10).shared_by(10, jobs=1).search_seconds == 60
    assert Options(minutes=10).shared_by(10, jobs=2).search_seconds == 120
    assert Options(minutes=12).shared_by(11, jobs=2).search_seconds == 120, "one target has six of the machines"
    assert Options(minutes=10).shared_by(1, jobs=4).search_seconds == 600
    assert Options(minutes=10).shared_by(0, jobs=1) == Options(minutes=10)


def test_machines_can_be_sent_to_other_processes() -> None:
    assert pickle.loads(pickle.dumps(CHECKS)) == CHECKS


class Played:
    """A machine that notes the acts that are played."""

    def __init__(self) -> None:
        self.played: list[str] = []

    def begin(self, _draws: Random) -> None:
        self.played.append("begin")

    def teardown(self) -> None:
        self.played.append("end")

    @act(lambda self: len(self.played) > 3)
    def late(self, _draws: Random) -> None:
        self.played.append("late")

    @act(lambda self: len(self.played) < 5)
    def early(self, _draws: Random) -> None:
        self.played.append("early")


def test_a_session_plays_only_acts_that_are_possible_and_uses_some_of_them() -> None:
    seen = []
    for number in range(60):
        machine = Played()
        play_session(machine, Random(number), 6)
        assert machine.played[:4] == ["begin", "early", "early", "early"]
        assert machine.played[5:] == ["late", "late", "end"]
        seen.append(machine.played[4])
    assert {*seen} == {"early", "late"}


def test_a_session_that_is_over_is_not_ended_by_its_machine() -> None:
    class Broken(Played):
        @act(lambda _self: True)
        def early(self, _draws: Random) -> None:
            raise SessionOverError

    machine = Broken()
    play_session(machine, Random(1), 6)
    assert machine.played == ["begin"]


def test_sessions_are_independent_of_one_another() -> None:
    """No session is another one with small changes: few begin with the same calls beyond the first ones."""
    sessions = [[each.line for each in session.exchanges][:14] for session in searched("waits", seed=4).sessions]
    long = [lines for lines in sessions if len(lines) == 14]
    assert len(long) > 30
    assert len({tuple(map(repr, lines)) for lines in long}) == len(long)
