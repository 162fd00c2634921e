"""The checks of the audit, one file per family of rules."""

from __future__ import annotations

from spark_checks.checks.base import Check
from spark_checks.checks.delivery import DELIVERY
from spark_checks.checks.emptiness import EMPTINESS
from spark_checks.checks.expiry import EXPIRY
from spark_checks.checks.order import ORDER

CHECKS: tuple[Check, ...] = (DELIVERY, EMPTINESS, ORDER, EXPIRY)
"""All checks, in the order of the report."""
