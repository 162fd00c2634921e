"""IBM's own tests of its Python client, from the package's source distribution, on the oracle.

They show that the client works on it, and nothing about correctness: they test packing and codes, hardly semantics.
Publish/subscribe (`test_pubsub.py`) is outside of the model and not run; TLS is off by IBM's default.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

pytest.importorskip("oracle.testing")
pytest.importorskip("ibmmq", reason="IBM's Python client is not installed")
pytest.importorskip("ddt", reason="IBM's tests need ddt")

pytestmark = pytest.mark.skipif(not os.environ.get("IBM_TESTS"), reason="IBM's tests run with IBM_TESTS=1")

PLUGIN = "ibm_session"

BY_CHANNEL = "test_connect_tcp_client_without_cred"
"""IBM's test that expects an error where a password is optional: by a channel that turns such users away."""

NOT_VIABLE = "Test not viable for"
SKIPPED = {
    "test_mqcfbf": "Test not implemented",
    "test_unpack_cfbf": "Test not implemented",
    "test_begin": "Not implemented yet",
    "test_commit": "Not implemented yet",
    "test_backout": "Not implemented yet",
    "test_init_name": NOT_VIABLE,
    "test_connect": NOT_VIABLE,
    BY_CHANNEL: NOT_VIABLE,
    "test_connect_tcp_client_with_none_credentials": NOT_VIABLE,
    "test_successful_connect_without_optional_credentials": NOT_VIABLE,
    "test_failing_connect_without_required_credentials": "Test needs a user/password-requiring",
    "test_object_filter_int_old_channel": "https://stackoverflow.com",
    "test_connection_with_tls": "PY_IBMMQ_TEST_TLS_SKIP",
}
"""What IBM's tests skip by themselves, and how their reason begins."""


@pytest.fixture(scope="session")
def tests_of_ibm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of IBM's tests, as its package index has them."""
    place = tmp_path_factory.mktemp("ibmmq")
    version = importlib.metadata.version("ibmmq")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest"]
    # Without CI=1 the package's set-up looks for IBM's headers.
    got = subprocess.run(
        [*command, str(place), f"ibmmq=={version}"],
        env={**os.environ, "CI": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    archive = next(place.glob("*.tar.gz"), None)
    if archive is None:
        pytest.skip(f"the source of ibmmq {version} cannot be had: {got.stderr.strip()[-200:]}")
    with tarfile.open(archive) as packed:
        # Python 3.11.3 and older have no filter: Debian 12 has 3.11.2.
        packed.extraction_filter = getattr(tarfile, "data_filter", lambda member, path: member)
        packed.extractall(place)  # noqa: S202 - the filter above
    tests = next(place.glob("*/code/tests"))
    shutil.copy(Path(__file__).with_name(f"{PLUGIN}.py"), tests)
    return tests


def _result(case: ET.Element) -> str:
    """Return the result of one of IBM's tests; a skipped one must be known."""
    skipped = case.find("skipped")
    if skipped is None:
        return "passed" if case.find("failure") is None and case.find("error") is None else "failed"
    name = re.sub(r"_\d+_.*", "", case.attrib["name"])
    assert name in SKIPPED, f"IBM's test {name} was skipped: {skipped.attrib['message']}"
    assert skipped.attrib["message"].startswith(SKIPPED[name])
    return "skipped"


def _run(tests: Path, *arguments: str, **environment: str) -> tuple[Counter[str], str]:
    """Run some of IBM's tests; return what came of them, and the output."""
    report = tests / "report.xml"
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "-p", PLUGIN, "-p", "no:cacheprovider", "--junitxml", str(report)]
    ran = subprocess.run(
        [*command, *arguments],
        cwd=tests,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, **environment},
    )
    assert report.exists(), ran.stdout + ran.stderr
    return Counter(map(_result, ET.parse(report).iter("testcase"))), ran.stdout


@pytest.mark.parametrize("way", ["extension", "library"])
def test_all_that_concerns_queues_and_messages_passes(tests_of_ibm: Path, way: str) -> None:
    results, output = _run(tests_of_ibm, "--ignore", "test_pubsub.py", ".", STANDIN=way)
    assert results == {"passed": 93, "skipped": 16}, output[-4000:]


@pytest.mark.parametrize("way", ["extension", "library"])
def test_connecting_without_a_password_passes(tests_of_ibm: Path, way: str) -> None:
    results, output = _run(
        tests_of_ibm,
        "test_queue_manager.py",
        "test_mq80.py",
        "-k",
        f"not {BY_CHANNEL}",
        STANDIN=way,
        PY_IBMMQ_TEST_QM_CONNAUTH_USE_PW="OPTIONAL",
    )
    assert results == {"passed": 14, "skipped": 4}, output[-4000:]


EXAMPLE = """
import runpy, sys, warnings
from oracle.testing import queue_manager
warnings.simplefilter("always")
with queue_manager(["ORDERS"], credentials={"admin": "password"}):
    runpy.run_path(sys.argv[1])
"""


def _example(tests: Path, name: str) -> subprocess.CompletedProcess[str]:
    """Run one of IBM's example programs on a queue manager."""
    command = [sys.executable, "-c", EXAMPLE, str(tests.parent / "examples" / name)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_ibms_example_shows_the_status_of_queues(tests_of_ibm: Path) -> None:
    ran = _example(tests_of_ibm, "dis_queues.py")
    assert ran.returncode == 0, ran.stderr
    assert "depth: 0 lastPut: N/A" in ran.stdout
    assert "StandInWarning" not in ran.stderr


def test_ibms_example_about_channels_is_refused_by_name(tests_of_ibm: Path) -> None:
    ran = _example(tests_of_ibm, "dis_channels.py")
    assert "StandInWarning" in ran.stderr
    assert "the command MQCMD_INQUIRE_CHANNEL" in ran.stderr
    assert "2298" in ran.stderr.splitlines()[-1]


def test_they_fail_where_the_queue_manager_is_wrong(tests_of_ibm: Path) -> None:
    wrong = "import oracle.standin.attributes as a; a.Attribute.as_text = lambda self, value: b'wrong'"
    (tests_of_ibm / "wrong.py").write_text(wrong)
    results, _ = _run(tests_of_ibm, "-p", "wrong", "test_base_api.py", "-k", "test_inquire")
    assert results == {"failed": 1}
