"""Predefined queues: as an administrator defines them, and as they are taken, used and left."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conformance.checks.selection import all_checks, select
from conformance.cli import main
from conformance.mqi import target as mqi_target
from conformance.mqi.definitions import distinguishing, needed, read_predefined, written
from conformance.mqi.options import MqiOptions
from conformance.running.runner import Runner
from conformance.running.worker import Options, Worker
from oracle.errors import UsageError
from oracle.judging.verdicts import Verdict
from oracle.mqi.definitions import QueueDefinition, define
from oracle.testing import QueueManager
from tests.conformance.mqi.stand_in import VirtualTarget, stand_in

COMPILER = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="the stand-in for the library needs a C compiler"
)
FIFO = {"name": "T", "MsgDeliverySequence": "FIFO"}
KINDS: tuple[dict[str, Any], ...] = (
    {"name": "Q"},
    {"name": "R"},
    {"name": "S", "MaxQDepth": 1},
    FIFO,
)


@pytest.fixture
def qm() -> Iterator[QueueManager]:
    with stand_in() as running:
        yield running


def test_what_mqsc_prints_names_the_queues_for_predefined(tmp_path: Path) -> None:
    printed = CliRunner().invoke(main, ["mqsc", "--queue-prefix", "TEST.MQ"]).output
    names = read_predefined(printed, "queues.mqsc")
    assert len(names) == len(set(names)) > 30
    assert all(name.startswith("TEST.MQ.") for name in names)
    assert max(map(len, printed.splitlines())) <= 120


def test_each_kind_is_defined_as_often_as_any_one_check_needs_it() -> None:
    setups = [KINDS, ({"name": "A", "MaxQDepth": 1}, {"name": "B", "MaxQDepth": 1})]
    most = needed(setups, "distributed")
    assert most[distinguishing({"name": "X", "MaxQDepth": 1}, "distributed")] == 2
    assert most[distinguishing({"name": "X", "MsgDeliverySequence": "FIFO"}, "distributed")] == 1
    text = "\n".join(written(most, "P"))
    assert text.count("DEFINE QLOCAL('P.") == most.total()
    assert text.count("MAXDEPTH(1)") == 2
    assert text.count("MSGDLVSQ(FIFO)") == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("DEFINE QLOCAL(A)\nDEFINE QLOCAL('A B')\n", "f:2: 'A B' is no queue name"),
        ("* queues\nDEF QL(A-B)\n", "f:2: 'A-B' is no queue name"),
        (f"DEFINE QLOCAL({'A' * 49})", "f:1: 'A*' is no queue name"),
        ("A\nB C\n", "f:2: 'B C' is no queue name"),
    ],
)
def test_a_predefined_name_that_no_queue_can_have_is_told_with_its_line(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        read_predefined(text, "f")


def test_a_predefined_name_is_in_upper_case_unless_it_is_quoted() -> None:
    assert read_predefined("define qlocal(a.b) +\n  maxdepth(5)\nDEF QL('c')\n", "f") == ("A.B", "c")


@pytest.mark.parametrize(
    "queue",
    [
        {"name": "A", "type": "alias", "target": "Q"},
        {"name": "Q", "CAPEXPRY": 40},
        {"name": "Q", "InitiationQName": "I"},
        {"name": "Q", "DefinitionType": "TEMPORARY_DYNAMIC"},
    ],
)
def test_some_queues_cannot_be_predefined(queue: dict[str, object]) -> None:
    assert distinguishing(queue, "distributed") == ()


def test_an_index_counts_on_zos_alone() -> None:
    kinds = [({"name": "Q"}, {"name": "R", "IndexType": "MSG_ID"})]
    assert "INDXTYPE(MSGID)" in "\n".join(written(needed(kinds, "zos"), "P"))
    assert "INDXTYPE" not in "\n".join(written(needed(kinds, "distributed"), "P"))


def test_names_may_stand_one_a_line() -> None:
    assert read_predefined("* ours\nDEV.QUEUE.1\n\n  DEV.QUEUE.2  \n", "f") == ("DEV.QUEUE.1", "DEV.QUEUE.2")


@pytest.mark.parametrize(("text", "told"), [("", "names no queue"), ("A\nB C\n", "f:2: 'B C' is no queue name")])
def test_a_file_that_names_none(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        read_predefined(text, "f")


@COMPILER
def test_checks_run_on_predefined_queues_and_leave_them_as_they_were(
    qm: QueueManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mqi_target, "_UNASKED_S", 0.0)
    names = [f"THEIRS.{number}" for number in range(len(KINDS))]
    for name, kind in zip(names, KINDS, strict=True):
        qm.define(define(QueueDefinition, {**kind, "name": name}))
    qm.put("THEIRS.0", b"left over")
    before = {name: qm.running.state.definition_of(name) for name in names}
    checks = select(all_checks(), ["priority/*", "inquire/*"])
    target = VirtualTarget(qm.running, MqiOptions(predefined=tuple(names)))
    finished = Runner(target, Options()).run(checks)
    verdicts = {result.check.id: result.verdict for result in finished.results}
    assert verdicts["priority/first-in-first-out"] is Verdict.CONFORMS
    assert set(verdicts.values()) == {Verdict.CONFORMS, Verdict.NOT_APPLICABLE}
    missing = {r.missing for r in finished.results if r.verdict is Verdict.NOT_APPLICABLE}
    assert any("cannot be predefined" in each for each in missing)
    assert any("no queues are predefined as Q(" in each for each in missing)
    assert {name: qm.running.state.definition_of(name) for name in names} == before
    assert [qm.depth(name) for name in names] == [0] * len(names)
    assert not [name for name in qm.running.state.queues if name.startswith("MQORACLE")]


@COMPILER
def test_two_targets_take_turns_with_one_queue(qm: QueueManager) -> None:
    qm.define("THEIRS", MsgDeliverySequence="FIFO")
    options = MqiOptions(predefined=("THEIRS",))
    workers = [Worker(VirtualTarget(qm.running, options), Options()) for _ in range(2)]
    check = select(all_checks(), ["priority/first-in-first-out"])[0]
    assert [worker.perform(check).verdict for worker in workers for _ in range(2)] == [Verdict.CONFORMS] * 4
    for worker in workers:
        worker.stop()


@COMPILER
def test_a_predefined_queue_that_is_not_there(qm: QueueManager) -> None:
    with pytest.raises(UsageError, match=r"opening NOWHERE on QM1 did not work \(2085"):
        Runner(VirtualTarget(qm.running, MqiOptions(predefined=("NOWHERE",))), Options())


@pytest.mark.parametrize(
    ("prefix", "told"),
    [
        ("a b!", "no queue's name can have ' ' in it"),
        ("P" * 19, "must have 1 to 18 characters"),
        ("", "must have 1 to 18 characters"),
        ("SYSTEM.MQ", "must not begin with SYSTEM"),
    ],
)
def test_definitions_are_printed_only_under_a_prefix_that_the_suite_can_work_with(prefix: str, told: str) -> None:
    result = CliRunner().invoke(main, ["mqsc", "--queue-prefix", prefix])
    assert result.exit_code == 2
    assert told in result.output
    assert "DEFINE" not in result.output
