"""The words in which every tool of the project judges.

A verdict is never a boolean: what was not decided must not look like a pass.
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
    """How much a finding of the audit claims.

    A violation holds for every order of the calls that the log permits; a suspicion for all but
    orders that the log makes unlikely.
    """

    VIOLATION = "violation"
    SUSPICION = "suspicion"


class AuditVerdict(str, Enum):
    """The judgement of the audit on one rule over one log."""

    CONFORMS = "conforms"
    VIOLATES = "violates"
    SUSPICION = "suspicion"
    NOT_CHECKABLE = "not checkable"
