"""Rules behind an allowed outcome that a departing reply has kept all the same.

The rules of an outcome are all that led to it. A reply that departs from it in one way has mostly kept those about
something else: a call that was not refused has kept the rules by which its options must be accepted, and a message that
is missing has kept the order of the queue. Such rules come last among those in doubt.

>>> from oracle.mqi.calls import Inquire
>>> about_something_else(Inquire("A", 1, ("CurrentQDepth",)), ObservedReply(), ()) >= {"PRI-03", "OPT-16"}
True
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from oracle.judging.compare import CALLS_END, CODES, Difference
from oracle.judging.needless import NOTHING_FOUND
from oracle.mqi.calls import Call, Get, Inquire
from oracle.mqi.constants import MQCC, MQGMO
from oracle.protocol.replies import ObservedReply
from oracle.rules.catalogue import rule

CALL_FAILED: Final = "CHK-01"
"""The rule behind every call that fails."""

_ACCEPTING: Final = frozenset(
    {"BRW-12", "LOG-47", "OPT-03", "OPT-04", "OPT-16", "OPT-29", "OPT-30", "OPT-31", "OPT-34", "SYN-10"}
)
"""The rules by which a call must be accepted with its options."""

_NOT_WAITING: Final = frozenset({"WAI-10", "WAI-11"})
"""The rules by which a call must not wait."""

_ORDER: Final = frozenset({"PRI-03", "PRI-04", "PRI-06", "PRI-07", "VIS-03", "VIS-08", "VIS-09", "VIS-10"})
"""The rules about the place of a message on its queue."""

_DEPTH: Final = frozenset({f"DEP-{number:02}" for number in (*range(1, 6), 9, 10)})
"""The rules about the value of CurrentQDepth."""

_OF_OUTPUTS: Final = frozenset(
    {"GST-01", "GST-02", "GST-03", "GST-04", "GST-05", "GST-06", "PUT-21", "PUT-24", "FMT-01", "TYP-01"}
    | {"RPM-01", "RPM-02", "RPM-04", "RPM-05", "RPM-07", "RPM-08", "RPM-10", "DLH-01", "DLH-02"}
    | {"TRI-06", "TRI-07", "TRG-01", "CTX-01", "CTX-02", "USR-01"}
)
"""The rules about single members of a message."""


def about_something_else(call: Call, observed: ObservedReply, found: Sequence[Difference]) -> frozenset[str]:
    """Return the rules that a reply with these differences has kept, whatever else is wrong with it."""
    kept = _OF_OUTPUTS if refused(observed.comp_code, observed.reason) else _OF_OUTPUTS | _ACCEPTING
    members = {item.member for item in found}
    if not observed.pending:
        kept |= _NOT_WAITING
    if isinstance(call, Inquire):
        kept |= _ORDER | (_DEPTH if CODES in members else frozenset())
    if _missed(call, observed, members):
        kept |= _ORDER
    return kept - {entry for item in found if item.member not in (CODES, CALLS_END) for entry in item.rules}


def refused(comp_code: int, reason: int) -> bool:
    """Return whether a call that ended so was refused. A get that only found nothing was not."""
    return comp_code == MQCC.FAILED and reason not in NOTHING_FOUND


def refuses(entry: str) -> bool:
    """Return whether a rule says that a call fails: an earlier call that has done so has kept it."""
    return rule(entry).outcome.startswith("MQCC_FAILED")


def _missed(call: Call, observed: ObservedReply, members: set[str]) -> bool:
    """Return whether a get found nothing that looks at the whole queue, so that no place hides a message from it."""
    if not isinstance(call, Get) or CODES not in members or observed.reason not in NOTHING_FOUND:
        return False
    return not call.options.options & MQGMO.BROWSE_NEXT
