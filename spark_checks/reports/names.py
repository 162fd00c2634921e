"""The names of the files of a report."""

from __future__ import annotations

from spark_checks.reports.known import SUMMARY
from spark_checks.reports.show import AROUND, FINDINGS

PARQUET, UNREADABLE, JUNIT, PAGE = "findings.parquet", "unreadable.jsonl", "junit.xml", "report.html"
FILES = (FINDINGS, PARQUET, AROUND, SUMMARY, UNREADABLE, JUNIT, PAGE)
DEMO_LOG = "day.jsonl"
"""The event log beside the report of the demonstration."""
