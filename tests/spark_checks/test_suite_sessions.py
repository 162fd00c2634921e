"""What the model answers to the suite's checks breaks no rule that the audit knows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from bench.audit_sharpness import recorded, requests_of
from conformance.checks.selection import all_checks
from conformance.sensitivity.sharpness import Traces
from oracle.histories.event_log import LogHeader, Record, to_line
from oracle.mqi.profile import PlatformName
from oracle.serve import Server
from spark_checks.audit import audit
from spark_checks.frames import Engine

CHECKS = 40


def sessions(platform: PlatformName, seed: int) -> Iterator[Record]:
    """Yield what is recorded of the model in the sessions of some checks, and of the calls that empty all queues."""
    checks, traces = [check for check in all_checks() if check.kind == "scenario"], Traces(platform)
    for check in Random(seed).sample(checks, CHECKS):
        trace = traces.of(check)
        for number, requests in enumerate(requests_of(trace) if trace else ()):
            yield from recorded(Server(platform), requests, f"{check.id} {number}", platform) or ()


@pytest.mark.parametrize("platform", ["distributed", "zos"])
def test_a_right_queue_manager_is_accused_of_no_violation(
    engine: Engine, tmp_path: Path, platform: PlatformName, seed: int
) -> None:
    log = tmp_path / "log.jsonl"
    records = [LogHeader(complete=True, platform=platform), *sessions(platform, seed)]
    log.write_text("".join(f"{to_line(record)}\n" for record in records), encoding="utf-8")
    found = audit(engine, [log])
    violations = found.findings.where("verdict = 'violation'").collect()
    assert [(row["qmgr"], row["rule"], row["explanation"]) for row in violations] == []
    assert found.replayed.followed > len(records) / 4
