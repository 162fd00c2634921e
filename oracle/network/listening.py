"""A queue manager that listens until a signal or a line on standard input ends it."""

from __future__ import annotations

import logging
import os
import queue
import signal
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timezone
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import click

from oracle.errors import BadInputError, Place, UsageError
from oracle.mqi.profile import PlatformName
from oracle.network.capture import CaptureFile
from oracle.network.channel import LOG
from oracle.network.console import END, LONGEST, answer
from oracle.network.descriptors import make_room
from oracle.network.server import Limits, Server, tls_context
from oracle.standin.warning import StandInWarning
from oracle.testing.manager import QueueManager, check_definition, new_queue_manager
from oracle.text.json_text import parse_json
from oracle.text.text_files import read_text
from oracle.text.yaml_files import check_each


def listen(host: str, port: int, options: dict[str, Any]) -> None:
    """Listen with the options of the command, and return at the end. Raises MqOracleError if that is impossible."""
    with _told_on_standard_error():
        _listen(host, port, options)


def _listen(host: str, port: int, options: dict[str, Any]) -> None:
    manager = _manager(options)
    if (options["certificate"] is None) != (options["key"] is None):
        raise UsageError("--certificate and --key belong together")
    tls = tls_context(options["certificate"], options["key"]) if options["certificate"] else None
    capture = None if options["capture"] is None else CaptureFile(options["capture"], manager.running.time_ms)
    limits = Limits(heartbeat_s=options["heartbeat"])
    make_room(limits.connections)
    server = Server(manager.running, host=host, port=port, tls=tls, limits=limits, capture=capture)
    ends: queue.SimpleQueue[str] = queue.SimpleQueue()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ends.put(END))
    server.start()
    if not _is_loopback(host):
        click.echo(f"mq-oracle: other machines reach {host}; only --user and TLS keep them from the queues", err=True)
    try:
        click.echo(f"{manager.name} listens on {host} port {server.port}")
        sys.stdout.flush()
        threading.Thread(target=_read, args=(manager, ends, options["end_with_input"]), daemon=True).start()
        ends.get()
    finally:
        server.stop()
        manager.running.end()
        if capture is not None:
            capture.close()
    if capture is not None and capture.problem:
        raise UsageError(capture.problem)


def _read(manager: QueueManager, ends: queue.SimpleQueue[str], end_with_input: bool) -> None:
    """Carry out the lines of standard input."""
    with suppress(OSError, ValueError):  # nobody reads the answers any more, or there is no standard input
        for line in _lines():
            if line.strip() == END:
                ends.put(END)
                return
            reply = answer(manager, line)
            if reply:
                click.echo(reply)
                sys.stdout.flush()
    if end_with_input:
        ends.put(END)


def _lines() -> Iterator[str]:
    """Yield the lines of standard input; a line that is too long counts as several.

    Python's own reader holds a lock while it waits, which would keep the process from ending.
    """
    left = b""
    while data := os.read(sys.stdin.fileno(), LONGEST):
        *lines, left = (left + data).split(b"\n")
        if len(left) >= LONGEST:
            lines, left = [*lines, left], b""
        yield from (line.decode("utf-8", errors="replace") for line in lines)


@contextmanager
def _told_on_standard_error() -> Iterator[None]:
    """Write errors and unmodelled requests to standard error, one a line."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("mq-oracle: %(message)s"))
    LOG.addHandler(handler)

    def show(message: Warning | str, *_: object, **__: object) -> None:
        LOG.warning("%s", message)

    with warnings.catch_warnings():
        warnings.showwarning = show
        warnings.simplefilter("always", StandInWarning)
        try:
            yield
        finally:
            LOG.removeHandler(handler)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _manager(options: dict[str, Any]) -> QueueManager:
    """Return the queue manager that the options describe.

    Raises BadInputError for definitions that are wrong, and UsageError for users that are.
    """
    path: Path | None = options["definitions"]
    definitions = {} if path is None else _definitions(path)
    attributes = {"name": options["name"], **definitions.get("qmgr", {})}
    platform: PlatformName = attributes.pop("platform", options["platform"])
    users = _users(options["users"]) or None
    try:
        return new_queue_manager(
            [*definitions.get("queues", []), *options["queues"]],
            platform=platform,
            clock=options["clock"],
            credentials=users,
            began=datetime.now(timezone.utc),
            **attributes,
        )
    except BadInputError as error:
        if path is None:
            raise
        raise BadInputError(str(error), Place(str(path))) from error


def _definitions(path: Path) -> dict[str, Any]:
    """Return the attributes of queues and of the queue manager in a file.

    Raises BadInputError for any other file.
    """
    text = read_text(path)
    found = parse_json(text, Place(str(path)))
    if not isinstance(found, dict) or found.keys() - {"queues", "qmgr"}:
        raise BadInputError("definitions are an object with queues and qmgr", Place(str(path)))
    if not isinstance(found.get("queues", []), list) or not isinstance(found.get("qmgr", {}), dict):
        raise BadInputError("queues must be a list, and qmgr an object of attributes", Place(str(path)))
    check_each(found.get("queues", []), check_definition, text, str(path), "queues")
    return found


def _users(given: Iterable[str]) -> dict[str, str]:
    """Return the passwords by user.

    Raises UsageError for an entry without a user.
    """
    users: dict[str, str] = {}
    for each in given:
        name, equals, secret = each.partition("=")
        if not name or not equals:
            raise UsageError("--user is NAME=SECRET, such as --user ada=secret")
        users[name] = secret
    return users
