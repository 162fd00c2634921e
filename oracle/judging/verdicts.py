"""The verdicts that every tool of the project uses.

A verdict is never a boolean, so that an undecided result does not look like a pass.
"""

from __future__ import annotations

from enum import Enum


class Verdict(str, Enum):
    """The judgement on a check or a rule of the conformance suite."""

    CONFORMS = "conforms"
    VIOLATES = "violates"
    UNDECIDED = "undecided"
    NOT_APPLICABLE = "not_applicable"
    TARGET_ERROR = "target_error"


class FindingKind(str, Enum):
    """The kind of a finding of the audit.

    A violation holds for every order of the calls that the log permits. A suspicion holds for all orders except some
    that the log makes unlikely.
    """

    VIOLATION = "violation"
    SUSPICION = "suspicion"


class AuditVerdict(str, Enum):
    """The judgement of the audit on one rule over one log."""

    CONFORMS = "conforms"
    VIOLATES = "violates"
    SUSPICION = "suspicion"
    NOT_CHECKABLE = "not checkable"
