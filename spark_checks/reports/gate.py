"""What makes an audit fail: the exit status, and the failures that continuous integration counts."""

from __future__ import annotations

from enum import Enum

from oracle.judging.verdicts import AuditVerdict
from spark_checks.reports.results import Results, RuleSeen

FINDINGS = 1
"""The exit status of an audit that has something to report."""

NOTHING_TESTED = 2
"""The exit status of an audit that tested no rule."""


UNREADABLE_PERCENT = 5.0
"""A damaged record now and then is part of a day; a log of which more cannot be read was not judged."""


class FailOn(str, Enum):
    """From what on the exit status is 1."""

    VIOLATION = "violation"
    SUSPICION = "suspicion"
    UNDECIDED = "undecided"
    NEVER = "never"


def fails(rule: RuleSeen, fail_on: FailOn) -> bool:
    """Return whether what was found of a rule, and is not known, or could not be checked is a failure."""
    violated, suspected = rule.new_violations > 0, rule.new_suspicions > 0
    undecided = rule.result.verdict is AuditVerdict.NOT_CHECKABLE and rule.result.not_checkable > 0
    return {
        FailOn.NEVER: False,
        FailOn.VIOLATION: violated,
        FailOn.SUSPICION: violated or suspected,
        FailOn.UNDECIDED: violated or suspected or undecided,
    }[fail_on]


def too_much_unreadable(results: Results, fail_on: FailOn, percent: float = UNREADABLE_PERCENT) -> bool:
    """Return whether it is a failure that so many records could not be read: more than so many percent of all."""
    return fail_on is not FailOn.NEVER and 100 * results.unreadable > percent * (results.records + results.unreadable)


def exit_status(
    results: Results, fail_on: FailOn, unreadable_percent: float = UNREADABLE_PERCENT, *, allow_empty: bool = False
) -> int:
    """Return the exit status that an audit deserves; a known deviation that no longer occurs is a failure.

    An audit that tested nothing is never a success, unless that is allowed.
    """
    found = results.stale or any(fails(rule, fail_on) for rule in results.rules)
    failed = found or too_much_unreadable(results, fail_on, unreadable_percent)
    if failed and fail_on is not FailOn.NEVER:
        return FINDINGS
    return NOTHING_TESTED if results.is_empty and not allow_empty else 0
