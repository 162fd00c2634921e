"""The pytest plugin: `pytest --pyargs conformance --mq-target "mq-oracle serve"` runs the checks as pytest items.

pytest loads every installed plugin in every run, so this module imports the suite only if a target is given.
"""

from __future__ import annotations

from argparse import ArgumentTypeError
from pathlib import Path

import pytest

from conformance.pytest.emptiness import Emptiness
from conformance.running.bounds import LONGEST_TIME_LIMIT_S


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the suite."""
    group = parser.getgroup("mqoracle", "conformance of message queueing to the documents of IBM MQ")
    group.addoption("--mq-target", metavar="COMMAND", help="the implementation, as mq-conform run --target takes it")
    group.addoption("--mq-budget", choices=["quick", "standard", "deep"], default="quick", help="how long to search")
    group.addoption("--mq-seed", type=int, default=0, help="the seed of the search (default: 0)")
    group.addoption("--mq-allow-empty", action="store_true", help="exit with 0 also if no check exercised a rule")
    group.addoption("--mq-time-limit", type=_time_limit, default=10.0, help="seconds the target has for a reply")


def pytest_configure(config: pytest.Config) -> None:
    """Watch for a run that tests nothing; only the main process of xdist sees all items."""
    if config.getoption("--mq-target") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Emptiness(config), "mqoracle-emptiness")


def _time_limit(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is not a number of seconds") from error
    if not 0 < seconds <= LONGEST_TIME_LIMIT_S:  # nor is nan
        raise ArgumentTypeError(f"{text} is not in the range 0<x<={LONGEST_TIME_LIMIT_S:g}")
    return seconds


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect the checks if pytest visits this package and a target is given."""
    if not parent.config.getoption("--mq-target") or file_path != Path(__file__).with_name("__init__.py"):
        return None
    from conformance.pytest.items import Suite  # noqa: PLC0415 - runs without a target need not load the suite

    suite: pytest.Collector = Suite.from_parent(parent, path=file_path)
    return suite
