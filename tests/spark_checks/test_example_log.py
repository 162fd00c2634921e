"""The example of an event log in docs/event-log.md: the audit reads all of it, has much to check and finds nothing."""

from __future__ import annotations

from pathlib import Path

from oracle.judging.verdicts import AuditVerdict
from spark_checks.audit import audit
from spark_checks.frames import Engine

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "orders.jsonl"


def test_the_audit_of_the_example_has_no_findings(engine: Engine) -> None:
    audited = audit(engine, [EXAMPLE])
    calls = sum('"call":' in line for line in EXAMPLE.read_text(encoding="utf-8").splitlines())
    assert (audited.read.records, audited.read.unreadable) == (calls, 0)
    assert audited.findings.collect() == []
    assert sum(rule.verdict is AuditVerdict.CONFORMS for rule in audited.rules) > 50
    assert audited.log.facts.complete
