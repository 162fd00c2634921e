"""A queue manager that listens, and clients of it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from fixtures.channel_client import Client, connected
from oracle.testing import QueueManager, queue_manager

Connecting = Callable[..., Client]


@pytest.fixture
def qm() -> Iterator[QueueManager]:
    with queue_manager(["Q", "OTHER"], listen=0) as manager:
        yield manager


@pytest.fixture
def connecting(qm: QueueManager) -> Iterator[Connecting]:
    """Return what connects a client to the queue manager."""
    with ExitStack() as block:
        yield lambda *args, **kwargs: block.enter_context(connected(port_of(qm), *args, **kwargs))


@pytest.fixture
def client(connecting: Connecting) -> Client:
    return connecting()


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "2"]
    made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", str(key), "-out", str(certificate), *subject]
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("there is no openssl to make a certificate")
    subprocess.run([program, *made], check=True, capture_output=True)
    return certificate, key


def port_of(manager: QueueManager) -> int:
    assert manager.port is not None
    return manager.port
