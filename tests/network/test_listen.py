"""The command `mq-oracle listen`: its output, its input, and its end."""

from __future__ import annotations

import json
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from fixtures.channel_client import connected, message_of
from oracle.cli import main
from oracle.errors import BadInputError, UsageError
from oracle.mqi.constants import MQGMO, MQOO
from oracle.network.console import answer
from oracle.network.server import Server, tls_context
from oracle.testing import QueueManager, queue_manager
from tests.network.conftest import port_of

COMMAND = (sys.executable, "-c", "from oracle.cli import main; main()", "listen", "--port", "0")


@contextmanager
def listening(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run the command, and return its process and port when it listens."""
    process = subprocess.Popen(
        [*COMMAND, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        assert process.stderr is not None
        first = process.stdout.readline()
        assert " port " in first, process.stderr.read()
        yield process, int(first.rsplit(" ", 1)[1])
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()


def tell(process: subprocess.Popen[str], line: str) -> str:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line + "\n")
    process.stdin.flush()
    return process.stdout.readline().rstrip("\n")


def test_a_line_on_standard_input_moves_the_clock_and_sigterm_ends_it(tmp_path: Path) -> None:
    definitions = tmp_path / "definitions.json"
    definitions.write_text(json.dumps({"queues": [{"name": "SMALL", "MaxQDepth": 1}], "qmgr": {"MaxHandles": 9}}))
    capture = tmp_path / "passed.pcap"
    arguments = ["--queue", "Q", "--definitions", str(definitions), "--clock", "manual", "--capture", str(capture)]
    with listening(*arguments) as (process, port):
        with connected(port) as client:
            client.open("SMALL", MQOO.OUTPUT)
            assert [client.put(2, b"").codes[1] for _ in range(2)] == [0, 2053]
            client.open("Q", MQOO.INPUT_SHARED)
            client.send(client.side.get(4, 10, gmo={"Options": MQGMO.WAIT, "WaitInterval": 3_600_000}))
            while tell(process, "waiting") != "ok 1":
                pass
            assert tell(process, "advance 3600") == "ok 3600"
            assert client.receive().codes == (2, 2033)
            assert tell(process, "depth SMALL") == "ok 1"
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0
    assert capture.read_bytes()[:4] == b"\x4d\x3c\xb2\xa1"
    assert b"SMALL" in capture.read_bytes()


@pytest.fixture
def few_descriptors() -> Iterator[Callable[[], None]]:
    """Let processes that are started have few file descriptors, as shells do; return what gives more to this one."""
    before = soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 4096:
        pytest.skip(f"no process may have more than {hard} files open here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 512), hard))
    yield lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (4096, hard))
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_a_thousand_connections_that_say_nothing_hold_up_nobody(few_descriptors: Callable[[], None]) -> None:
    with listening("--queue", "Q") as (process, port), ExitStack() as block:
        few_descriptors()
        for _ in range(1000):
            block.enter_context(socket.create_connection(("127.0.0.1", port), timeout=20))
        with connected(port) as client:
            assert client.put1("Q", b"1").codes == (0, 0)
            client.disconnect()
            client.end_conversation(closes=True)
            assert client.at_end()
        assert tell(process, "depth Q") == "ok 1"
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0
        assert process.stderr is not None
        assert process.stderr.read() == "", "nobody has done anything wrong yet"


def test_the_end_of_standard_input_ends_it_where_that_is_asked_for() -> None:
    with listening("--end-with-input") as (process, _):
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(timeout=30) == 0


def test_stop_ends_it_and_its_connections() -> None:
    with listening("--queue", "Q", "--user", "ada=secret") as (process, port):
        with connected(port) as client:
            assert process.stdin is not None
            process.stdin.write("stop\n")
            process.stdin.flush()
            assert client.at_end()
        assert process.wait(timeout=30) == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--user", "ada"], "--user is NAME=SECRET"),
        (["--certificate", "a.pem"], "belong together"),
        (["--certificate", "a.pem", "--key", "b.pem"], "not a certificate and its key"),
        (["--host", "192.0.2.1"], "cannot listen on 192.0.2.1"),
        (["--definitions", "nowhere.json"], "nowhere.json"),
        (["--queue", "Q", "--queue", "Q"], "Q is defined twice"),
        (["--capture", "/nowhere/at/all.pcap"], "/nowhere/at/all.pcap cannot be written"),
    ],
)
def test_what_cannot_be_is_told_with_status_2(arguments: list[str], told: str, tmp_path: Path) -> None:
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False, cwd=tmp_path, timeout=60)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("content", ["[]", '{"queue": []}', '{"queues": {}}', '{"queues": [{"MaxQDepth": 1}]}'])
def test_definitions_that_are_none_are_told(content: str, tmp_path: Path) -> None:
    path = tmp_path / "definitions.json"
    path.write_text(content)
    done = CliRunner().invoke(main, ["listen", "--port", "0", "--definitions", str(path)])
    assert done.exit_code == 2
    assert done.output.startswith(f"mq-oracle: {path}:")


@pytest.mark.parametrize(
    "queue",
    ['{"name": "OR DERS"}', '{"name": "Q", "MaxQDepth": -3}', '{"name": "Q", "Colour": 3}', "7", '{"MaxQDepth": 1}'],
)
def test_a_queue_that_cannot_be_defined_is_told_with_its_line(queue: str, tmp_path: Path) -> None:
    path = tmp_path / "definitions.json"
    path.write_text(f'{{"queues": [\n  {{"name": "GOOD"}},\n  {queue}\n]}}')
    done = CliRunner().invoke(main, ["listen", "--port", "0", "--definitions", str(path)])
    assert done.exit_code == 2
    assert done.output.startswith(f"mq-oracle: {path}:3: ")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("advance 1.5", "ok 1.5"),
        ("depth Q", "ok 0"),
        ("waiting", "ok 0"),
        ("quiesce", "ok"),
        ("", ""),
        ("advance", "error: advance has other arguments: advance SECONDS"),
        ("advance soon", "error: 'soon' is not a number of seconds"),
        ("depth NOWHERE", "error: NOWHERE could not be opened: FAILED 2085 UNKNOWN_OBJECT_NAME"),
        ("forward 3", "error: there is no 'forward'; there are advance, depth, waiting, quiesce, stop"),
    ],
)
def test_every_line_has_an_answer(qm: QueueManager, line: str, told: str) -> None:
    assert answer(qm, line) == told


def test_the_clock_does_not_go_back(qm: QueueManager) -> None:
    assert answer(qm, "advance -1").startswith("error: ")
    assert answer(qm, "advance nan").startswith("error: ")


def test_a_test_s_queue_manager_tells_its_port(qm: QueueManager) -> None:
    with connected(port_of(qm)) as client:
        client.put1("Q", b"1")
    assert [each.data for each in qm.messages("Q")] == [b"1"]


def test_without_listen_there_is_no_port() -> None:
    with queue_manager() as qm:
        assert qm.port is None


@pytest.mark.parametrize("listen", [-1, 65536, "1414", True, 1.0])
def test_a_port_is_a_number(listen: object) -> None:
    with pytest.raises(BadInputError, match="listen must be a port"), queue_manager(listen=listen):  # type: ignore[arg-type] # that is what is tried
        pass


def test_a_port_that_is_taken_is_told(qm: QueueManager) -> None:
    with pytest.raises(UsageError, match="cannot listen"), queue_manager(name="QM2", listen=port_of(qm)):
        pass


def test_two_queue_managers_listen_side_by_side(qm: QueueManager) -> None:
    with queue_manager(["Q"], name="QM2", listen=0) as other, connected(port_of(other)) as client:
        client.open("Q", MQOO.OUTPUT | MQOO.INPUT_SHARED)
        client.put(2, b"1")
        assert qm.messages("Q") == []
        assert message_of(client.get(2))[1] == b"1"


def test_a_key_that_does_not_belong_to_its_certificate_is_told(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    path.write_text("nothing")
    with pytest.raises(UsageError, match="not a certificate and its key"):
        tls_context(path, path)


def test_a_server_that_cannot_start_leaves_nothing_behind(qm: QueueManager) -> None:
    before = len(qm.running.services)
    with pytest.raises(UsageError):
        Server(qm.running, port=port_of(qm)).start()
    assert len(qm.running.services) == before
