"""The result of an audit for one rule."""

from __future__ import annotations

from dataclasses import dataclass

from oracle.judging.verdicts import AuditVerdict


@dataclass(frozen=True)
class Covered:
    """The coverage of a rule by the log."""

    checked: int = 0
    """The number of records that the rule could judge."""
    not_checkable: int = 0
    """The number of records that it applies to and could not judge."""
    missing: tuple[str, ...] = ()
    """What these lack: names of columns, or of facts that a header gives."""

    def and_also(self, other: Covered) -> Covered:
        """Return the coverage of both together; they are about different records."""
        missing = tuple(sorted({*self.missing, *other.missing}))
        return Covered(self.checked + other.checked, self.not_checkable + other.not_checkable, missing)


@dataclass(frozen=True)
class RuleResult:
    """The judgement on one rule."""

    rule: str
    """The id of the rule."""
    violations: int
    """The number of its violations."""
    suspicions: int
    """The number of its suspicions."""
    checked: int
    """The number of records that it could judge."""
    not_checkable: int
    """The number of records that it applies to and could not judge."""
    missing: tuple[str, ...]
    """What these lack."""

    @classmethod
    def of(cls, rule: str, covered: Covered, violations: int = 0, suspicions: int = 0) -> RuleResult:
        """Return the judgement on a rule with a coverage and numbers of findings."""
        return cls(rule, violations, suspicions, covered.checked, covered.not_checkable, covered.missing)

    @property
    def verdict(self) -> AuditVerdict:
        """The verdict. A rule that could be checked with no record never conforms."""
        if self.violations:
            return AuditVerdict.VIOLATES
        if self.suspicions:
            return AuditVerdict.SUSPICION
        return AuditVerdict.CONFORMS if self.checked else AuditVerdict.NOT_CHECKABLE
