"""Finer features: parts of one of the protocol's features, or of what every put and get must do.

A target may state in its reply to `hello` which of them it claims (docs/write-a-target.md). A target that does not
state any claims all, as in version 1 of the protocol. For an unclaimed feature, calls that need it are not made, its
outputs are not compared, and rules about it are not judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from oracle.judging.bearing import bearing_on
from oracle.mqi.constants import MQGMO, MQMO


@dataclass(frozen=True, slots=True)
class Detail:
    """A finer feature, and its parts."""

    means: str
    """Its description."""
    feature: str = ""
    """The feature that it is part of, if any."""
    options: int = 0
    """Options of MQGET."""
    matches: int = 0
    """Match options."""
    attributes: tuple[str, ...] = ()
    """Attributes of queues and of the queue manager."""
    outputs: tuple[str, ...] = ()
    """Members that a put or a get returns."""
    rules: tuple[str, ...] = ()
    """The rules that are about it."""

    @property
    def about(self) -> frozenset[str]:
        """The rules that cannot be judged without it."""
        return _about(self)


@cache
def _about(detail: Detail) -> frozenset[str]:
    return frozenset(detail.rules) | bearing_on("MQGET", detail.outputs) | bearing_on("MQPUT", detail.outputs)


DETAILS: Final[Mapping[str, Detail]] = {
    "under-cursor": Detail(
        "MSG_UNDER_CURSOR and BROWSE_MSG_UNDER_CURSOR",
        "browse",
        options=MQGMO.MSG_UNDER_CURSOR | MQGMO.BROWSE_MSG_UNDER_CURSOR,
    ),
    "refused-length": Detail("a get into a buffer that is too small fails with 2080", "truncation"),
    "remaining-expiry": Detail(
        "MQGET returns what is left of Expiry", "expiry", outputs=("MQMD.Expiry",), rules=("EXP-07", "EXP-10")
    ),
    "capped-expiry": Detail("CAPEXPRY", "expiry", attributes=("CAPEXPRY", "EnforceMaxExpiryError")),
    "put-dates": Detail(
        "PutDate and PutTime are returned", outputs=("MQMD.PutDate", "MQMD.PutTime"), rules=("PUT-24",)
    ),
    "resolved-defaults": Detail(
        "MQGET returns the Priority and Persistence that a message got",
        outputs=("MQMD.Priority", "MQMD.Persistence"),
        rules=("PRI-02", "PER-01", "PER-02"),
    ),
    "msg-token": Detail(
        "MQGET returns a MsgToken, and messages can be selected by it",
        matches=MQMO.MATCH_MSG_TOKEN,
        outputs=("MQGMO.MsgToken",),
        rules=("GST-05",),
    ),
    "version-2-members": Detail(
        "GroupId, MsgSeqNumber, Offset, MsgFlags and OriginalLength are returned",
        outputs=("MQMD.GroupId", "MQMD.MsgSeqNumber", "MQMD.Offset", "MQMD.MsgFlags", "MQMD.OriginalLength"),
        rules=("PUT-21",),
    ),
}
"""The finer features by name."""


def of_options(options: int) -> tuple[str, ...]:
    """Return the finer features that options of MQGET need."""
    return tuple(name for name, detail in DETAILS.items() if detail.options & options)


def unasked(claimed: Iterable[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the outputs that are not compared on a target with these claims, and the rules not judged."""
    words = set(claimed)
    left = [detail for name, detail in DETAILS.items() if name not in words]
    outputs = frozenset(output for detail in left for output in detail.outputs)
    return outputs, frozenset(rule for detail in left for rule in detail.about)
