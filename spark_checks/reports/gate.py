"""The gate of an audit: the exit status, and the failures that continuous integration counts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from oracle.judging.verdicts import AuditVerdict
from spark_checks.reports.results import Results, RuleSeen

FINDINGS = 1
"""The exit status of an audit that has something to report."""

NOTHING_TESTED = 2
"""The exit status of an audit that tested no rule."""

UNREADABLE_PERCENT = 5.0
"""The default limit of unreadable records: a few are normal; a log with a larger share was not judged."""


class FailOn(str, Enum):
    """The findings from which on the exit status is 1."""

    VIOLATION = "violation"
    SUSPICION = "suspicion"
    UNDECIDED = "undecided"
    NEVER = "never"


@dataclass(frozen=True)
class Gate:
    """The conditions under which an audit passes."""

    fail_on: FailOn = FailOn.VIOLATION
    """The findings of a rule that make it fail."""
    unreadable_percent: float = UNREADABLE_PERCENT
    """The percentage of unreadable records above which it fails, unless nothing makes it fail."""
    allow_empty: bool = False
    """Whether it passes if no rule was tested."""

    def fails(self, rule: RuleSeen) -> bool:
        """Return whether the new findings of a rule, or the lack of a check, are a failure."""
        violated, suspected = rule.new_violations > 0, rule.new_suspicions > 0
        undecided = rule.result.verdict is AuditVerdict.NOT_CHECKABLE and rule.result.not_checkable > 0
        return {
            FailOn.NEVER: False,
            FailOn.VIOLATION: violated,
            FailOn.SUSPICION: violated or suspected,
            FailOn.UNDECIDED: violated or suspected or undecided,
        }[self.fail_on]

    def too_much_unreadable(self, results: Results) -> bool:
        """Return whether the number of unreadable records is a failure."""
        most = self.unreadable_percent * (results.records + results.unreadable)
        return self.fail_on is not FailOn.NEVER and 100 * results.unreadable > most

    def exit_status(self, results: Results) -> int:
        """Return the exit status of an audit; a known deviation that no longer occurs is a failure."""
        failed = results.stale or any(map(self.fails, results.rules)) or self.too_much_unreadable(results)
        if failed and self.fail_on is not FailOn.NEVER:
            return FINDINGS
        return NOTHING_TESTED if results.is_empty and not self.allow_empty else 0


DEFAULT_GATE: Final = Gate()
