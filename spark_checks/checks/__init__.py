"""The checks of the audit, one file per family of rules.

`base` has what a check is made of. Its statements find violations in rows of the prepared log, and its concerns say
which records a rule applies to. Files without a check of their own have what several checks share.
"""

from __future__ import annotations

from spark_checks.checks.backouts import BACKOUTS
from spark_checks.checks.base import Check
from spark_checks.checks.browse import BROWSE
from spark_checks.checks.co_op_marks import CO_OP_MARKS
from spark_checks.checks.delivery import DELIVERY
from spark_checks.checks.depth import DEPTH
from spark_checks.checks.dynamic_queues import DYNAMIC_QUEUES
from spark_checks.checks.emptiness import EMPTINESS
from spark_checks.checks.ended_marks import ENDED_MARKS
from spark_checks.checks.exclusion import EXCLUSION
from spark_checks.checks.expiry import EXPIRY
from spark_checks.checks.gets_of_unknown_effect import GETS_OF_UNKNOWN_EFFECT
from spark_checks.checks.groups import GROUPS
from spark_checks.checks.held_wholes import HELD_WHOLES
from spark_checks.checks.identifiers import IDENTIFIERS
from spark_checks.checks.integrity import INTEGRITY
from spark_checks.checks.limits import LIMITS
from spark_checks.checks.marks import MARKS
from spark_checks.checks.opens import OPENS
from spark_checks.checks.order import ORDER
from spark_checks.checks.places import PLACES
from spark_checks.checks.quiescing import QUIESCING
from spark_checks.checks.reports import REPORTS
from spark_checks.checks.splitting import SPLITTING
from spark_checks.checks.triggers import TRIGGERS
from spark_checks.checks.triggers_due import TRIGGERS_DUE
from spark_checks.checks.unfounded import UNFOUNDED
from spark_checks.checks.units import UNITS

CHECKS: tuple[Check, ...] = (
    DELIVERY, INTEGRITY, EXCLUSION, BACKOUTS, EMPTINESS, ORDER, PLACES, BROWSE, GROUPS, HELD_WHOLES, EXPIRY, LIMITS,
    REPORTS, IDENTIFIERS, OPENS, UNITS, DEPTH, MARKS, CO_OP_MARKS, ENDED_MARKS, DYNAMIC_QUEUES, SPLITTING, TRIGGERS,
    TRIGGERS_DUE, GETS_OF_UNKNOWN_EFFECT, QUIESCING, UNFOUNDED,
)  # fmt: skip  # names
"""All checks, in the order of the report."""
