"""Child processes as targets: correct ones, and ones with every kind of mistake."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.checks.scenarios import scenarios
from conformance.sessions.dialogue import Dialogue
from conformance.sessions.session import Session, Setup
from conformance.targets import InProcessTarget, ProcessTarget, process, target_for
from oracle.errors import TargetError, UsageError
from oracle.examples.rule_examples import examples
from oracle.histories.notation import parse
from oracle.mqi.definitions import QueueDefinition, define
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


LEAVING = """
def session():
    if os.fork() == 0:
        os.setsid()
        stay()

def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            stay()
        os._exit(0)
    os.wait()

def group():
    if os.fork() == 0:
        os.setpgid(0, 0)
        stay()

def other_program():
    sleeper = "import time; print(1, flush=True); time.sleep(100)"
    child = subprocess.Popen([sys.executable, "-c", sleeper], env={}, start_new_session=True, stdout=subprocess.PIPE)
    child.stdout.readline()
    print(child.pid, file=sys.stderr, flush=True)

def stay():
    print(os.getpid(), file=sys.stderr, flush=True)
    time.sleep(100)
"""
"""Functions of a target by which a process leaves its group, its session, its parent and its environment."""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere only the process group is known")
@pytest.mark.parametrize(
    ("way", "then"),
    [
        ("session", ""),
        ("daemon", ""),
        ("group", ""),
        ("session", "time.sleep(99)"),
        ("other_program", "time.sleep(99)"),
    ],
)
def test_what_leaves_the_group_of_the_target_is_ended_too(way: str, then: str, script: Callable[[str], str]) -> None:
    """It is found also when the target has ended by itself, except what has left all that marked it."""
    target = ProcessTarget(script(f"{LEAVING}\n{way}()\n{ANSWER}{then}"))
    dialogue = Dialogue(target)
    until(lambda: target.last_words().endswith("\n"))
    descendant = int(target.last_words())
    assert _alive(descendant)
    if then:
        target.close()
    else:
        dialogue.close()
    assert not _alive(descendant)


ADOPTING = """
import sys, time
from conformance.targets import ProcessTarget
from conformance.targets.descendants import adopt_orphans
adopt_orphans()
targets = [ProcessTarget(sys.argv[1]) for _ in range(2)]
for target in targets:
    target.start()
    print(target.receive(60).strip(), flush=True)
for target in targets:
    input()
    target.close()
    print("closed", flush=True)
input()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere nobody can adopt orphans")
def test_orphans_that_bear_no_mark_are_ended_with_the_last_target(script: Callable[[str], str], tmp_path: Path) -> None:
    """Nobody knows to which of two targets they belonged, so those of the other may still be needed."""
    sleeper = "import time; print(1, flush=True); time.sleep(100)"
    body = f"""
if os.fork() == 0:
    os.setsid()
    child = subprocess.Popen([sys.executable, "-c", {sleeper!r}], env={{}}, start_new_session=True, stdout=-1)
    child.stdout.readline()
    print(child.pid, flush=True)
    os._exit(0)
os.wait()
time.sleep(100)
"""
    command = [sys.executable, "-c", ADOPTING, script(body)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def go_on() -> None:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write("\n")
            process.stdin.flush()
            assert process.stdout.readline() == "closed\n"

        orphans = [int(process.stdout.readline()) for _ in range(2)]
        go_on()
        assert all(_alive(orphan) for orphan in orphans)
        go_on()
        assert not any(_alive(orphan) for orphan in orphans)
        process.stdin.write("\n")


def test_a_process_of_somebody_else_is_left_alone(script: Callable[[str], str]) -> None:
    with subprocess.Popen(["sleep", "100"], start_new_session=True) as other:
        dialogue = Dialogue(ProcessTarget(script(ANSWER)))
        dialogue.close()
        assert other.poll() is None
        other.kill()


def _alive(pid: int) -> bool:
    """Return whether a process runs; a zombie does not."""
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
