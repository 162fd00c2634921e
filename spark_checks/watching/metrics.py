"""The metrics of a watch, in the text format that Prometheus' node exporter reads from files (`*.prom`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from oracle.text.whole_files import whole_file
from spark_checks.watching.ledger import Ledger


@dataclass(frozen=True)
class Numbers:
    """The numbers of a watch's present state, besides those of its ledger."""

    pending: int = 0
    """The number of calls that wait for later rounds."""
    backlog: int = 0
    """The number of files that have arrived and are not read yet."""
    round_seconds: float = 0.0
    """The duration of the last round in seconds."""
    records_per_second: float = 0.0
    """The number of records that it read per second."""
    behind: bool = False
    """Whether files are waiting, or the last round took longer than the time between two looks."""
    at_s: float = 0.0
    """The time at which it ended, in seconds since 1970-01-01 UTC."""


def write_metrics(path: Path, ledger: Ledger, numbers: Numbers) -> None:
    """Write the metrics file as a whole. Raises BadInputError if it cannot be written."""
    with whole_file(path) as new:
        new.write_text("".join(_lines(ledger, numbers)), encoding="utf-8")


def _lines(ledger: Ledger, numbers: Numbers) -> Iterator[str]:
    yield from _metric("mq_audit_records_read_total", "counter", "Records read.", {"": ledger.records})
    yield from _metric("mq_audit_records_audited_total", "counter", "Calls audited.", {"": ledger.audited})
    yield from _metric("mq_audit_records_unreadable_total", "counter", "Records not read.", {"": ledger.unreadable})
    yield from _metric(
        "mq_audit_records_late_total", "counter", "Calls that came later than --lateness allows.", {"": ledger.late}
    )
    yield from _metric("mq_audit_records_pending", "gauge", "Calls that wait for earlier ones.", {"": numbers.pending})
    yield from _metric("mq_audit_files_waiting", "gauge", "Files that wait to be read.", {"": numbers.backlog})
    found = {_labels(*key.split(" ", 1)): number for key, number in ledger.found.items()}
    yield from _metric("mq_audit_findings", "gauge", "Findings that hold, by rule and verdict.", found)
    if ledger.audited_us is not None:
        yield from _metric(
            "mq_audit_audited_until_timestamp_seconds",
            "gauge",
            "The time of the log up to which calls were audited.",
            {"": round(ledger.audited_us / 1_000_000, 6)},
        )
    yield from _metric("mq_audit_round_seconds", "gauge", "Duration of the last round.", {"": numbers.round_seconds})
    yield from _metric(
        "mq_audit_records_per_second", "gauge", "Records a second in the last round.", {"": numbers.records_per_second}
    )
    yield from _metric("mq_audit_behind", "gauge", "1 if files arrive too fast to be read.", {"": int(numbers.behind)})
    yield from _metric("mq_audit_last_round_timestamp_seconds", "gauge", "When it ended.", {"": round(numbers.at_s, 3)})


def _labels(rule: str, verdict: str) -> str:
    return f'{{rule="{rule}",verdict="{verdict}"}}'


def _metric(name: str, kind: str, meaning: str, values: Mapping[str, float]) -> Iterator[str]:
    yield f"# HELP {name} {meaning}\n# TYPE {name} {kind}\n"
    yield from (f"{name}{labels} {value}\n" for labels, value in values.items())
