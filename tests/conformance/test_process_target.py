"""Child processes as targets: good ones, and ones with every kind of bad manners."""

from __future__ import annotations

import os
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.dialogue import Dialogue
from conformance.scenarios import scenarios
from conformance.session import Session, Setup
from conformance.targets import InProcessTarget, ProcessTarget, process, target_for
from oracle.definitions import QueueDefinition, define
from oracle.errors import TargetError, UsageError
from oracle.notation import parse
from oracle.rule_examples import examples
from tests.conformance.conftest import ANSWER, until

ANSWER_HELLO = "server = Server()\nprint(json.dumps(server.answer(sys.stdin.readline())), flush=True)\n"


def test_the_reference_server_as_a_child_process() -> None:
    dialogue = Dialogue(target_for("mq-oracle serve"))
    try:
        assert dialogue.hello.implementation.name == "mq-oracle"
        assert Session(dialogue, Setup()).state.queues.keys() == {"Q"}
    finally:
        dialogue.close()


def test_a_target_can_be_started_again(script: Callable[[str], str]) -> None:
    target = ProcessTarget(script(ANSWER))
    for _ in range(2):
        dialogue = Dialogue(target)
        assert dialogue.hello.platform == "distributed"
        dialogue.close()


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("print('Welcome to QM1!', flush=True)\n" + ANSWER, "not a JSON object: Welcome to QM1!"),
        ("sys.exit(3)", "ended early with exit status 3"),
        ("import signal; os.kill(os.getpid(), signal.SIGKILL)", "ended early by signal 9"),
        ("raise ValueError('no licence')", "no licence"),
        ("time.sleep(60)", "no reply within 0.5 s"),
        ("os.close(1); time.sleep(60)", "closed its standard output"),
    ],
)
def test_a_target_that_cannot_say_hello(script: Callable[[str], str], body: str, told: str) -> None:
    began = time.monotonic()
    with pytest.raises(TargetError) as caught:
        Dialogue(ProcessTarget(script(body)), time_limit=0.5 if "no reply" in told else 10)
    assert told in str(caught.value)
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("time.sleep(60)", "no reply within 0.5 s"),
        ("sys.stdin.readline(); print('done', file=sys.stderr); sys.exit(0)", "standard error of the target:\n  done"),
        ("sys.stdin.readline(); print('{', flush=True); time.sleep(60)", "not a JSON object: {"),
        ('sys.stdin.readline(); print(\'{"seq": 99, "ok": true}\', flush=True); time.sleep(60)', "has seq 99"),
    ],
)
def test_a_target_that_breaks_after_hello(script: Callable[[str], str], body: str, told: str) -> None:
    dialogue = Dialogue(ProcessTarget(script(ANSWER_HELLO + body)), time_limit=10)
    dialogue.time_limit = 0.5
    try:
        with pytest.raises(TargetError) as caught:
            Session(dialogue, Setup())
        assert told in str(caught.value)
    finally:
        dialogue.close()


def test_a_target_that_does_not_read_cannot_block_the_suite(script: Callable[[str], str]) -> None:
    dialogue = Dialogue(ProcessTarget(script(ANSWER_HELLO + "time.sleep(60)")), time_limit=10)
    dialogue.time_limit = 0.2
    try:
        with pytest.raises(TargetError, match="no reply"):
            dialogue.ask({"seq": 2, "op": "setup", "queues": [{"name": "Q", "TriggerData": "x" * 5_000_000}]})
    finally:
        dialogue.close()


def test_a_target_is_ended_with_all_that_it_started(script: Callable[[str], str]) -> None:
    body = "child = subprocess.Popen(['sleep', '60'])\nprint(child.pid, file=sys.stderr, flush=True)\n" + ANSWER
    target = ProcessTarget(script(body))
    dialogue = Dialogue(target)
    until(lambda: target.last_words() != "")
    grandchild = int(target.last_words())
    assert _alive(grandchild)
    dialogue.close()
    until(lambda: not _alive(grandchild))


def _alive(pid: int) -> bool:
    """Whether a process runs; one that only waits for its parent to notice its end does not."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.parametrize(
    ("command", "told"),
    [("no-such-program --fast", "no-such-program --fast: cannot be started: No such file"), ("/", "cannot be started")],
)
def test_a_program_that_is_not_there(command: str, told: str) -> None:
    with pytest.raises(TargetError, match=told):
        Dialogue(target_for(command))


@pytest.mark.parametrize(
    "command",
    [
        "",
        "  ",
        "'unclosed",
        "python:",
        "python:no.such.module:thing",
        "python:oracle.serve:nothing",
        "python:oracle:__version__",
    ],
)
def test_a_command_that_means_nothing_is_bad_usage(command: str) -> None:
    with pytest.raises(UsageError, match="--target"):
        target_for(command)


def test_a_python_object_as_a_target() -> None:
    dialogue = Dialogue(target_for("python:oracle.serve:Server"))
    assert dialogue.hello.implementation.name == "mq-oracle"


def test_an_exception_in_a_python_object_is_a_target_error() -> None:
    class Bad:
        def answer(self, line: str) -> dict[str, object]:
            raise KeyError("lost", line)

    with pytest.raises(TargetError, match=r"(?s)raised KeyError.*Traceback.*lost"):
        Dialogue(InProcessTarget("bad", Bad))


def test_a_python_object_that_would_end_the_suite_is_a_target_error() -> None:
    class Quitting:
        def answer(self, line: str) -> dict[str, object]:
            raise SystemExit(0)

    with pytest.raises(TargetError, match="raised SystemExit"):
        Dialogue(InProcessTarget("bad", Quitting))


def test_a_python_module_that_is_broken_is_bad_usage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "broken_target.py").write_text("server = (")
    with pytest.raises(UsageError, match="importing broken_target raised SyntaxError"):
        target_for("python:broken_target:server")


def test_a_line_without_an_end_is_neither_kept_nor_shown(script: Callable[[str], str]) -> None:
    """As much of it is kept as a line may have, and the target waits for nobody to read the rest."""
    target = ProcessTarget(script("while True: sys.stdout.write('x' * 1_000_000)"))
    tracemalloc.start()
    try:
        with pytest.raises(TargetError, match=r"a line of more than 16777216 bytes; no reply is that long") as caught:
            Dialogue(target)
        assert tracemalloc.get_traced_memory()[1] < 3 * process.LONGEST_LINE
    finally:
        tracemalloc.stop()
    assert "xxx" not in str(caught.value)


@pytest.mark.parametrize(("length", "fits"), [(998, True), (999, False)])
def test_a_line_may_be_so_long(
    length: int, fits: bool, script: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "LONGEST_LINE", 999)
    monkeypatch.setattr(process, "_CHUNK", 10)
    target = ProcessTarget(script(f"print('x' * {length}); print('next', flush=True); time.sleep(60)"))
    target.start()
    try:
        if fits:
            assert [target.receive(10), target.receive(10)] == ["x" * length + "\n", "next\n"]
        else:
            for _ in range(2):
                with pytest.raises(TargetError, match="no reply is that long"):
                    target.receive(10)
    finally:
        target.close()


def test_every_message_of_the_suite_fits_into_half_a_line() -> None:
    steps = [line for scenario in scenarios() for line in scenario.history().lines]
    steps += [line for each in examples() for text in (each.given, each.accepts, each.rejects) for line in parse(text)]
    lengths = [int(str(value)) for line in steps for name, value in line.members if name == "Length"]
    default = define(QueueDefinition, {"name": "Q"}).max_msg_length
    assert 10_000 < max(lengths) <= default
    assert 4 * default <= process.LONGEST_LINE


def test_a_python_object_that_cannot_be_made_is_a_target_error() -> None:
    def make() -> InProcessTarget:
        raise OSError("no disk")

    with pytest.raises(TargetError, match="no disk"):
        Dialogue(InProcessTarget("bad", make))  # type: ignore[arg-type]  # the point
