"""The MQGMO options that exclude or need each other, as data.

Each row is one rule. An exclusion holds from both sides (OPT-05 and the reading AMB-13), and every combination that no
row forbids is valid (OPT-04).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from oracle.mqi.constants import MQGMO, MQMO

SCANS: Final = MQGMO.BROWSE_FIRST | MQGMO.BROWSE_NEXT
"""The two options that look for a message and move the browse cursor to it."""

BROWSE: Final = SCANS | MQGMO.BROWSE_MSG_UNDER_CURSOR
"""The three options that make an MQGET browse."""

UNDER_CURSOR: Final = MQGMO.BROWSE_MSG_UNDER_CURSOR | MQGMO.MSG_UNDER_CURSOR
"""The two options that mean the message under the browse cursor."""

GROUPING: Final = MQGMO.LOGICAL_ORDER | MQGMO.COMPLETE_MSG | MQGMO.ALL_MSGS_AVAILABLE | MQGMO.ALL_SEGMENTS_AVAILABLE
"""The options about groups and segments."""

MARKING: Final = (
    MQGMO.MARK_BROWSE_HANDLE
    | MQGMO.MARK_BROWSE_CO_OP
    | MQGMO.UNMARK_BROWSE_HANDLE
    | MQGMO.UNMARK_BROWSE_CO_OP
    | MQGMO.UNMARKED_BROWSE_MSG
)
"""The options about browsing with marks."""

PROPERTIES: Final = (
    MQGMO.PROPERTIES_FORCE_MQRFH2 | MQGMO.NO_PROPERTIES | MQGMO.PROPERTIES_IN_HANDLE | MQGMO.PROPERTIES_COMPATIBILITY
)
"""The options about message properties, except the default PROPERTIES_AS_Q_DEF, which is zero."""

_CURSOR_OR_SYNCPOINT: Final = (
    MQGMO.MARK_SKIP_BACKOUT | MQGMO.MSG_UNDER_CURSOR | MQGMO.SYNCPOINT | MQGMO.SYNCPOINT_IF_PERSISTENT | MQGMO.UNLOCK
)

KNOWN: Final = (
    BROWSE | GROUPING | MARKING | PROPERTIES | _CURSOR_OR_SYNCPOINT | MQGMO.WAIT | MQGMO.SET_SIGNAL
    | MQGMO.FAIL_IF_QUIESCING | MQGMO.NO_SYNCPOINT | MQGMO.LOCK | MQGMO.ACCEPT_TRUNCATED_MSG | MQGMO.CONVERT
)  # fmt: skip  # options
"""Every bit that is an option of MQGET."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A rule that makes an option invalid together with any of some others."""

    option: int
    """The option of MQGMO."""
    excludes: int
    """The options that are invalid with it, as a sum."""
    rule: str
    """The id of the rule."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A rule that makes an option invalid without at least one of some others."""

    option: int
    """The option of MQGMO."""
    needs: int
    """The options, as a sum, one of which it needs."""
    rule: str
    """The id of the rule."""


EXCLUSIONS: Final = (
    Exclusion(MQGMO.SET_SIGNAL, MQGMO.UNLOCK | MQGMO.WAIT, "OPT-06"),
    Exclusion(
        MQGMO.SYNCPOINT,
        BROWSE | MQGMO.LOCK | MQGMO.NO_SYNCPOINT | MQGMO.SYNCPOINT_IF_PERSISTENT | MQGMO.UNLOCK,
        "OPT-07",
    ),
    Exclusion(
        MQGMO.SYNCPOINT_IF_PERSISTENT,
        BROWSE
        | MQGMO.COMPLETE_MSG
        | MQGMO.LOCK
        | MQGMO.MARK_SKIP_BACKOUT
        | MQGMO.NO_SYNCPOINT
        | MQGMO.SYNCPOINT
        | MQGMO.UNLOCK,
        "OPT-08",
    ),
    Exclusion(
        MQGMO.NO_SYNCPOINT,
        MQGMO.MARK_SKIP_BACKOUT | MQGMO.SYNCPOINT | MQGMO.SYNCPOINT_IF_PERSISTENT,
        "OPT-09",
    ),
    Exclusion(
        MQGMO.MARK_SKIP_BACKOUT,
        BROWSE | MQGMO.LOCK | MQGMO.NO_SYNCPOINT | MQGMO.SYNCPOINT_IF_PERSISTENT | MQGMO.UNLOCK,
        "OPT-11",
    ),
    Exclusion(MQGMO.BROWSE_FIRST, MQGMO.BROWSE_MSG_UNDER_CURSOR | MQGMO.BROWSE_NEXT | _CURSOR_OR_SYNCPOINT, "OPT-12"),
    Exclusion(MQGMO.BROWSE_NEXT, MQGMO.BROWSE_MSG_UNDER_CURSOR | MQGMO.BROWSE_FIRST | _CURSOR_OR_SYNCPOINT, "OPT-13"),
    Exclusion(MQGMO.BROWSE_MSG_UNDER_CURSOR, MQGMO.BROWSE_FIRST | MQGMO.BROWSE_NEXT | _CURSOR_OR_SYNCPOINT, "OPT-14"),
    Exclusion(MQGMO.MSG_UNDER_CURSOR, BROWSE | MQGMO.UNLOCK, "OPT-15"),
    Exclusion(MQGMO.MARK_BROWSE_HANDLE, GROUPING | MQGMO.LOCK | MQGMO.UNLOCK, "OPT-18"),
    Exclusion(MQGMO.MARK_BROWSE_CO_OP, GROUPING | MQGMO.LOCK | MQGMO.UNLOCK, "OPT-20"),
    Exclusion(MQGMO.UNMARKED_BROWSE_MSG, GROUPING | MQGMO.LOCK | MQGMO.UNLOCK, "OPT-21"),
    Exclusion(
        MQGMO.UNMARK_BROWSE_CO_OP,
        GROUPING | MQGMO.LOCK | MQGMO.UNLOCK | MQGMO.MARK_BROWSE_CO_OP | MQGMO.UNMARKED_BROWSE_MSG,
        "OPT-22",
    ),
    Exclusion(
        MQGMO.UNMARK_BROWSE_HANDLE,
        GROUPING | MQGMO.LOCK | MQGMO.UNLOCK | MQGMO.MARK_BROWSE_CO_OP | MQGMO.UNMARKED_BROWSE_MSG,
        "OPT-23",
    ),
    Exclusion(
        MQGMO.LOCK,
        MQGMO.MARK_SKIP_BACKOUT | MQGMO.SYNCPOINT | MQGMO.SYNCPOINT_IF_PERSISTENT | MQGMO.UNLOCK,
        "OPT-26",
    ),
    Exclusion(MQGMO.UNLOCK, KNOWN & ~(MQGMO.UNLOCK | MQGMO.NO_SYNCPOINT), "OPT-27"),
)

REQUIREMENTS: Final = (
    Requirement(MQGMO.MARK_SKIP_BACKOUT, MQGMO.SYNCPOINT, "OPT-10"),
    Requirement(MQGMO.MARK_BROWSE_HANDLE, BROWSE, "OPT-17"),
    Requirement(MQGMO.MARK_BROWSE_CO_OP, BROWSE, "OPT-19"),
    Requirement(MQGMO.UNMARK_BROWSE_CO_OP, BROWSE, "OPT-22"),
    Requirement(MQGMO.UNMARK_BROWSE_HANDLE, BROWSE, "OPT-23"),
    Requirement(MQGMO.LOCK, BROWSE, "OPT-25"),
)

SUMMARIES: Final = (
    (MQGMO.BROWSE_FIRST | MQGMO.BROWSE_NEXT | UNDER_CURSOR, "OPT-37"),
    (MQGMO.SYNCPOINT | MQGMO.NO_SYNCPOINT | MQGMO.SYNCPOINT_IF_PERSISTENT, "OPT-38"),
)
"""Sets of options that exclude each other; the exclusions above say the same pair by pair."""

ZOS_RULES: Final = frozenset({"OPT-06", "OPT-10", "OPT-11"})
"""The rules about options that only z/OS supports. The lists of other options hold everywhere."""

KNOWN_MATCHES: Final = (
    MQMO.MATCH_MSG_ID
    | MQMO.MATCH_CORREL_ID
    | MQMO.MATCH_GROUP_ID
    | MQMO.MATCH_MSG_SEQ_NUMBER
    | MQMO.MATCH_OFFSET
    | MQMO.MATCH_MSG_TOKEN
)
"""Every bit that is a match option."""


def broken_rules(options: int) -> Iterator[str]:
    """Yield the rules that a set of MQGMO options breaks, and so the reasons for MQRC_OPTIONS_ERROR."""
    for exclusion in EXCLUSIONS:
        if options & exclusion.option and options & exclusion.excludes:
            yield exclusion.rule
    for requirement in REQUIREMENTS:
        if options & requirement.option and not options & requirement.needs:
            yield requirement.rule
    for members, rule in SUMMARIES:
        if (options & members).bit_count() > 1:
            yield rule
    if options & ~KNOWN:
        yield "CHK-07"
