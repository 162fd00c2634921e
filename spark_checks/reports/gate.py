"""What makes an audit fail: the exit status, and the failures that continuous integration counts."""

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
"""A damaged record now and then is normal; a log with a larger unreadable share was not judged."""


class FailOn(str, Enum):
    """From what on the exit status is 1."""

    VIOLATION = "violation"
    SUSPICION = "suspicion"
    UNDECIDED = "undecided"
    NEVER = "never"


@dataclass(frozen=True)
class Gate:
    """What an audit must be like to pass."""

    fail_on: FailOn = FailOn.VIOLATION
    """From what on a rule fails it."""
    unreadable_percent: float = UNREADABLE_PERCENT
    """More than so many percent of unreadable records fail it, unless nothing does."""
    allow_empty: bool = False
    """Whether it passes if no rule was tested."""

    def fails(self, rule: RuleSeen) -> bool:
        """Return whether what was found of a rule, and is not known, or could not be checked is a failure."""
        violated, suspected = rule.new_violations > 0, rule.new_suspicions > 0
        undecided = rule.result.verdict is AuditVerdict.NOT_CHECKABLE and rule.result.not_checkable > 0
        return {
            FailOn.NEVER: False,
            FailOn.VIOLATION: violated,
            FailOn.SUSPICION: violated or suspected,
            FailOn.UNDECIDED: violated or suspected or undecided,
        }[self.fail_on]

    def too_much_unreadable(self, results: Results) -> bool:
        """Return whether it is a failure that so many records could not be read."""
        most = self.unreadable_percent * (results.records + results.unreadable)
        return self.fail_on is not FailOn.NEVER and 100 * results.unreadable > most

    def exit_status(self, results: Results) -> int:
        """Return the exit status that an audit deserves; a known deviation that no longer occurs is a failure."""
        failed = results.stale or any(map(self.fails, results.rules)) or self.too_much_unreadable(results)
        if failed and self.fail_on is not FailOn.NEVER:
            return FINDINGS
        return NOTHING_TESTED if results.is_empty and not self.allow_empty else 0


DEFAULT_GATE: Final = Gate()
