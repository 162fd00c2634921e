"""What an audit says of one rule."""

from __future__ import annotations

from dataclasses import dataclass

from oracle.verdicts import AuditVerdict


@dataclass(frozen=True)
class RuleResult:
    """The judgement on one rule: its findings by kind, and of how many records it could speak."""

    rule: str
    violations: int
    suspicions: int
    checked: int
    not_checkable: int
    missing: tuple[str, ...]

    @property
    def verdict(self) -> AuditVerdict:
        """The verdict; a rule that no record let it check is never said to conform."""
        if self.violations:
            return AuditVerdict.VIOLATES
        if self.suspicions:
            return AuditVerdict.SUSPICION
        return AuditVerdict.CONFORMS if self.checked else AuditVerdict.NOT_CHECKABLE
