"""What an audit says of one rule."""

from __future__ import annotations

from dataclasses import dataclass

from oracle.judging.verdicts import AuditVerdict


@dataclass(frozen=True)
class Covered:
    """How far the log let a rule be checked."""

    checked: int = 0
    """How many records the rule could judge."""
    not_checkable: int = 0
    """How many records it speaks of and could not judge."""
    missing: tuple[str, ...] = ()
    """What these lack: names of columns, or of what a header tells."""

    def and_also(self, other: Covered) -> Covered:
        """Return what both tell together; they are about different records."""
        missing = tuple(sorted({*self.missing, *other.missing}))
        return Covered(self.checked + other.checked, self.not_checkable + other.not_checkable, missing)


@dataclass(frozen=True)
class RuleResult:
    """The judgement on one rule."""

    rule: str
    """The id of the rule."""
    violations: int
    """How many violations of it were found."""
    suspicions: int
    """How many suspicions of it were found."""
    checked: int
    """How many records it could judge."""
    not_checkable: int
    """How many records it speaks of and could not judge."""
    missing: tuple[str, ...]
    """What these lack."""

    @classmethod
    def of(cls, rule: str, covered: Covered, violations: int = 0, suspicions: int = 0) -> RuleResult:
        """Return the judgement on a rule that covers so much and found so many."""
        return cls(rule, violations, suspicions, covered.checked, covered.not_checkable, covered.missing)

    @property
    def verdict(self) -> AuditVerdict:
        """The verdict; a rule that no record let it check is never said to conform."""
        if self.violations:
            return AuditVerdict.VIOLATES
        if self.suspicions:
            return AuditVerdict.SUSPICION
        return AuditVerdict.CONFORMS if self.checked else AuditVerdict.NOT_CHECKABLE
