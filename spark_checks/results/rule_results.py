"""What an audit says of one rule."""

from __future__ import annotations

from dataclasses import dataclass

from oracle.judging.verdicts import AuditVerdict


@dataclass(frozen=True)
class Covered:
    """Of how many records a rule could speak, how many it could not judge, and what those lack."""

    checked: int = 0
    not_checkable: int = 0
    missing: tuple[str, ...] = ()

    def and_also(self, other: Covered) -> Covered:
        """Return what both tell together; they are about different records."""
        missing = tuple(sorted({*self.missing, *other.missing}))
        return Covered(self.checked + other.checked, self.not_checkable + other.not_checkable, missing)


@dataclass(frozen=True)
class RuleResult:
    """The judgement on one rule: its findings by kind, and of how many records it could speak."""

    rule: str
    violations: int
    suspicions: int
    checked: int
    not_checkable: int
    missing: tuple[str, ...]

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
