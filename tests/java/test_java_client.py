"""Programs on IBM's client for Java, unmodified, from Maven: they are compiled and run against the oracle.

`tox -e java` runs them. They need a JDK and Maven, which brings the client; without these they fail.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from fixtures.miniatures import MINIATURES
from fixtures.recordings import read_recording
from fixtures.replay import replay
from oracle.network.capture import CaptureFile
from oracle.network.heartbeats import Heartbeat
from oracle.network.server import Limits, Server, tls_context
from oracle.testing import QueueManager, StandInWarning, queue_manager
from spark_checks.cli import main as mq_audit

pytestmark = pytest.mark.skipif("JAVA_TESTS" not in os.environ, reason="they run with JAVA_TESTS=1, by tox -e java")

PROGRAMS = Path(__file__).with_name("programs")
DOCS = Path(__file__).parents[2] / "docs"
EXAMPLES = DOCS / "examples" / "java"
VERSION = "9.4.3.0"
CLIENTS = {"javax": "com.ibm.mq.allclient", "jakarta": "com.ibm.mq.jakarta.client"}
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>mqoracle</groupId><artifactId>java-tests</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>com.ibm.mq</groupId><artifactId>{artifact}</artifactId><version>{version}</version>
  </dependency><dependency>
    <groupId>org.junit.platform</groupId><artifactId>junit-platform-console-standalone</artifactId>
    <version>1.11.4</version>
  </dependency></dependencies>
</project>
"""
TIMEOUT_S = 180

QUEUES = ("Q", "ASIDE", {"name": "FRAGILE", "BackoutThreshold": 2, "BackoutRequeueQName": "ASIDE"})


def tool(name: str) -> str:
    found = shutil.which(name)
    assert found is not None, f"there is no {name}"
    return found


@pytest.fixture(scope="module", params=CLIENTS)
def classes(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the class path of the compiled programs and one of IBM's clients."""
    flavour: str = request.param
    folder = tmp_path_factory.mktemp(flavour)
    (folder / "pom.xml").write_text(POM.format(artifact=CLIENTS[flavour], version=VERSION))
    copy = [tool("mvn"), "-q", "-B", "dependency:copy-dependencies", f"-DoutputDirectory={folder / 'lib'}"]
    subprocess.run(copy, cwd=folder, check=True, timeout=600)
    for program in (*PROGRAMS.glob("*.java"), *EXAMPLES.glob("*.java")):
        source = program.read_text(encoding="utf-8")
        if flavour == "jakarta":
            source = source.replace("javax.jms", "jakarta.jms").replace("msg.client.", "msg.client.jakarta.")
            source = source.replace("WMQ_PROVIDER", "JAKARTA_WMQ_PROVIDER")
        (folder / program.name).write_text(source, encoding="utf-8")
    path = os.pathsep.join([str(folder), f"{folder / 'lib'}{os.sep}*"])
    sources = [str(each) for each in folder.glob("*.java")]
    subprocess.run([tool("javac"), "-cp", path, "-d", str(folder), *sources], check=True, timeout=300)
    return path


Asked = Callable[[str], None]


def place_of(classes: str) -> Path:
    """Return the folder of the compiled programs, where the client writes its logs."""
    return Path(classes.split(os.pathsep, 1)[0])


def run(
    classes: str, program: str, port: int, asked: Asked, *arguments: str, options: Sequence[str] = ()
) -> dict[str, list[str]]:
    """Run a program, do what it asks for, and return the results of its steps by name."""
    command = [tool("java"), *options, "-cp", classes, program, str(port), *arguments]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=place_of(classes)
    )
    results: dict[str, list[str]] = {}
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        for line in process.stdout:
            if line.startswith("? "):
                asked(line[2:].strip())
                process.stdin.write("done\n")
                process.stdin.flush()
            else:
                step, _, result = line.rstrip("\n").partition(": ")
                results.setdefault(step, []).append(result)
        assert process.wait(timeout=TIMEOUT_S) == 0, process.stderr.read()
        return results
    finally:
        process.kill()
        process.communicate()


def helper(qm: QueueManager) -> Asked:
    """Return a helper that does for a program what the program cannot do itself."""

    def asked(what: str) -> None:
        if "when waiting" in what:
            qm.until_waiting(timeout=60)
        moves = re.match(r"advance (\d+)", what)
        if moves:
            qm.advance(seconds=int(moves[1]))
        elif not what.startswith("nothing"):
            qm.put("Q", "late", persistence=0)

    return asked


@pytest.fixture
def qm() -> Iterator[QueueManager]:
    with queue_manager(QUEUES, clock="manual", listen=0) as manager:
        yield manager


def port_of(manager: QueueManager) -> int:
    assert manager.port is not None
    return manager.port


def test_the_mq_classes_for_java(classes: str, qm: QueueManager) -> None:
    assert run(classes, "Mqi", port_of(qm), helper(qm)) == {
        "depth": ["1"],
        "got": ["hello MQSTR 28"],
        "empty": ["2033"],
        "browsed": ["12 2033"],
        "taken": ["21"],
        "by priority": ["952"],
        "too long": ["2080"],
        "cut": ["2079"],
        "then": ["2033"],
        "backed out": ["2033"],
        "backout count": ["0 1"],
        "group": ["11 22 33"],
        "reply": ["! on ANSWER."],
        "inhibited": ["2051 1"],
        "longest": ["4194304"],
        "not expired": ["long 2033"],
        "an hour later": ["2033"],
        "came": ["late"],
        "long": ["4000000 7"],
        "by command": ["MADE 77"],
        "unknown queue": ["2085"],
        "of another connection": ["2033 1"],
        "end": [""],
    }


JMS = {
    "text": ["hello red 7"],
    "bytes": ["100000"],
    "map": ["42"],
    "nothing": ["nothing"],
    "browsed and taken": ["012 012"],
    "by priority": ["841"],
    "delivered": ["once 1false 2true"],
    "poison": ["nothing, and aside poison"],
    "reply": ["!"],
    "selector": ["2298", "2298"],
    "selected": ["01"],
    "not expired": ["long nothing"],
    "heard": ["a1 a2", "b1 c1"],
    "stopped": ["null"],
    "started": ["late1"],
    "unknown queue": ["2085"],
    "end": [""],
}


def test_jms(classes: str, qm: QueueManager) -> None:
    assert run(classes, "Jms", port_of(qm), helper(qm)) == {**JMS, "an hour later": ["nothing"]}


def test_what_the_queue_manager_lacks_is_refused_by_its_name(classes: str, qm: QueueManager) -> None:
    with pytest.warns(StandInWarning) as told:
        results = run(classes, "Refused", port_of(qm), helper(qm))
    topic, selector = ["2298"], ["2298"] * 3
    assert results == {
        "subscribe": topic,
        "publish": topic,
        "JMS subscribe": topic,
        "JMS publish": topic,
        "selector": selector,
        "browser": selector,
        "XA": ["JMSWMQ1068"],
    }
    lines = " ".join(str(each.message) for each in told)
    for name in ("MQSUB", "topics are not modelled", "selection strings", "xa_open"):
        assert name in lines


def test_what_jms_programs_do_besides(classes: str, qm: QueueManager) -> None:
    assert run(classes, "More", port_of(qm), helper(qm)) == {
        "acknowledged": ["2 nothing"],
        "asynchronous send": ["completed sent"],
        "read ahead": ["100 nothing"],
        "reported": ["confirmed 260"],
        "listener that throws": ["1 2"],
        "connection consumer": ["pooled later"],
        "consumer closed": ["nothing"],
        "connection closed": ["nothing"],
        "end": [""],
    }
    assert qm.running.waiting() == 0


SOME = {"in order": ["true"], "left": ["0 nothing"], "rolled back": ["nothing"]}


def test_asynchronous_puts_of_a_transacted_session(classes: str) -> None:
    with queue_manager([*QUEUES, {"name": "SMALL", "MaxQDepth": 2}], listen=0) as qm:
        results = run(classes, "Transacted", port_of(qm), helper(qm))
    assert results == {"identifiers": ["600"], **SOME, "full": ["2053"], "after that": ["nothing"]}


def test_jms_with_a_password(classes: str) -> None:
    with queue_manager(QUEUES, credentials={"ada": "secret"}, listen=0) as qm:
        assert run(classes, "Jms", port_of(qm), helper(qm), "ada", "secret") == JMS


def test_only_the_right_password_connects(classes: str) -> None:
    with queue_manager(["Q"], credentials={"ada": "secret"}, listen=0) as qm:
        results = run(classes, "SignOn", port_of(qm), helper(qm))
    assert results == {"right": ["connected"], "wrong": ["2035"], "without": ["2035"]}


def test_a_channel_has_tls(classes: str, tmp_path: Path) -> None:
    certificate, key, trusted = (tmp_path / name for name in ("certificate.pem", "key.pem", "trusted.p12"))
    made = [
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-keyout",
        str(key),
        "-out",
        str(certificate),
        "-days",
        "2",
    ]
    subprocess.run([tool("openssl"), *made, "-subj", "/CN=localhost"], check=True, capture_output=True)
    trust = ["-importcert", "-noprompt", "-file", str(certificate), "-keystore", str(trusted), "-storepass", "changeit"]
    subprocess.run([tool("keytool"), *trust], check=True, capture_output=True)
    with queue_manager(["Q"], credentials={"ada": "secret"}) as qm:
        server = Server(qm.running, tls=tls_context(certificate, key))
        server.start()
        options = [f"-Djavax.net.ssl.trustStore={trusted}", "-Djavax.net.ssl.trustStorePassword=changeit"]
        options.append("-Dcom.ibm.mq.cfg.useIBMCipherMappings=false")
        assert run(classes, "Tls", server.port, helper(qm), options=options) == {"got": ["secretly"]}
        server.stop()


@pytest.mark.parametrize(
    ("program", "told"),
    [("Again", {"broken": ["2009"], "again": ["yes"]}), ("Reconnect", {"again": ["yes"]})],
)
def test_a_program_connects_again_to_a_queue_manager_that_was_started_anew(
    classes: str, program: str, told: dict[str, list[str]]
) -> None:
    with ExitStack() as first, ExitStack() as second:
        port = port_of(first.enter_context(queue_manager(["Q"], listen=0)))
        later: list[QueueManager] = []

        def asked(what: str) -> None:
            if what == "stop":
                first.close()
            else:
                later.append(second.enter_context(queue_manager(["Q"], listen=port)))

        results = run(classes, program, port, asked)
        assert results.pop("interrupted", ["2549"]) == ["2549"]
        assert results == told
        (message,) = later[0].messages("Q")
        assert b"after" in message.data


@pytest.mark.parametrize("conversations", [10, 0], ids=["shared", "not shared"])
def test_the_client_answers_heartbeats_that_the_server_begins(
    classes: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, conversations: int
) -> None:
    asked: list[float] = []
    begin = Heartbeat.ask

    def ask(beat: Heartbeat, now: float) -> None:
        asked.append(now)
        begin(beat, now)

    def when_asked(_: str) -> None:
        while len(asked) < 3:  # one that is not answered ends the connection before
            time.sleep(0.0002)
        manager.put("Q", "late")

    monkeypatch.setattr(Heartbeat, "ask", ask)
    monkeypatch.setattr("oracle.network.heartbeats.MARGIN_S", -0.7)  # so that the client does not ask before
    with queue_manager(["Q"]) as manager:
        server = Server(manager.running, limits=Limits(heartbeat_s=1))
        server.start()
        table = tmp_path / "channels.json"
        table.write_text(json.dumps({"channel": [channel(server.port, conversations)]}))
        assert run(classes, "Heartbeats", server.port, when_asked, table.as_uri()) == {"came": ["late"]}
        server.stop()
    assert len(asked) >= 3


def channel(port: int, conversations: int) -> dict[str, object]:
    """Return the definition of a channel with heartbeats of a second, for a client."""
    return {
        "name": "APP.SVRCONN",
        "type": "clientConnection",
        "clientConnection": {"connection": [{"host": "127.0.0.1", "port": port}], "queueManager": "QM1"},
        "connectionManagement": {"heartbeatInterval": 1, "sharingConversations": conversations},
    }


def record(classes: str, path: Path, *programs: str, options: Sequence[str] = ()) -> dict[str, list[str]]:
    """Write a capture of what programs do, and return the results of the last one."""
    with queue_manager(QUEUES, clock="manual") as qm, closing(CaptureFile(path, qm.running.time_ms)) as capture:
        server = Server(qm.running, capture=capture)
        server.start()
        results = [run(classes, program, server.port, helper(qm), options=options) for program in programs]
        server.stop()
    return results[-1]


RECORDED = {
    "depth": ["1"], "got": ["hello MQSTR 28"], "empty": ["2033"], "browsed": ["12 2033"], "taken": ["21"],
    "by priority": ["952", "841"], "too long": ["2080"], "cut": ["2079"], "then": ["2033"], "backed out": ["2033"],
    "backout count": ["0 1"], "group": ["11 22 33"], "reply": ["! on ANSWER.", "!"], "by command": ["MADE 77"],
    "of another connection": ["2033 1"], "text": ["hello red 7"], "bytes": ["100000"], "map": ["42"],
    "nothing": ["nothing"], "browsed and taken": ["012 012"], "delivered": ["once 1false 2true"],
    "poison": ["nothing, and aside poison"], "identifiers": ["3"], **SOME, "end": [""],
}  # fmt: skip  # pairs


def test_what_a_program_says_is_answered_again_as_before(classes: str, tmp_path: Path) -> None:
    path = tmp_path / "recorded.pcap"
    assert record(classes, path, "Recorded", options=["-Duser.name=tester"]) == RECORDED
    found = replay(read_recording(path), *(each for each in QUEUES if isinstance(each, dict)))
    assert [each for each in found if each.problem] == []
    if "JAVA_RECORD" in os.environ and "javax" in place_of(classes).name:
        Path(os.environ["JAVA_RECORD"]).write_bytes(gzip.compress(path.read_bytes(), mtime=0))


def broken_rules(classes: str, path: Path) -> set[str]:
    """Return the rules that the audit finds broken in the calls of two programs."""
    record(classes, path, "Mqi", "Jms")
    out = path.with_suffix(".audit")
    CliRunner().invoke(mq_audit, ["run", str(path), "--out", str(out)])
    summary = json.loads((out / "summary.json").read_text())
    assert summary["records"] > 250
    return {rule["id"] for rule in summary["rules"] if rule["findings"]}


def test_the_audit_finds_nothing_in_what_the_programs_did_but_what_is_wrong(classes: str, tmp_path: Path) -> None:
    assert broken_rules(classes, tmp_path / "right.pcap") == set()
    wrong = MINIATURES["expired_message_returned"]
    with wrong.change.applied():
        found = broken_rules(classes, tmp_path / "wrong.pcap")
    assert found & set(wrong.rules)


def test_the_example_prints_what_its_page_says(classes: str) -> None:
    command = [tool("java"), "-cp", classes, "Reminders"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=TIMEOUT_S, cwd=place_of(classes))
    assert f"It prints:\n\n```\n{done.stdout}```\n" in (DOCS / "network.md").read_text(encoding="utf-8")


def test_the_unit_tests_of_the_page_pass(classes: str) -> None:
    command = [tool("java"), "-cp", classes, "org.junit.platform.console.ConsoleLauncher", "execute"]
    command += ["--select-class", "OrdersTest", "--details", "summary", "--disable-banner"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=TIMEOUT_S, cwd=place_of(classes)
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 tests successful" in done.stdout
