"""Rules behind an allowed outcome that a departing reply has kept all the same.

The rules of an outcome are all that led to it. A reply that departs from it in one way has mostly kept those about
something else: a call that was not refused has kept the rules by which its options must be accepted, and a message that
is missing has kept the order of the queue. Such rules come last among those in doubt.

>>> from oracle.model.queue_manager import new_state, outcomes
>>> from oracle.mqi.calls import Connect
>>> connected = next(outcomes(new_state([]), Connect("A")))
>>> about_something_else(Connect("A"), ObservedReply(1, 2002), connected, ()) >= {"OPT-16", "WAI-10"}
True
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from oracle.judging.compare import CALLS_END, CODES, ENDED, Difference
from oracle.judging.needless import NOTHING_FOUND, verbs_in
from oracle.model.requests.option_matrix import BROWSE, UNDER_CURSOR
from oracle.model.step import Outcome
from oracle.mqi.calls import Call, Get, Inquire, Put, name_of
from oracle.mqi.constants import MQCC, MQGMO
from oracle.protocol.replies import ObservedReply
from oracle.rules.catalogue import rule
from oracle.rules.reason_rules import rules_of

CALL_FAILED: Final = "CHK-01"
"""The rule behind every call that fails."""

_ACCEPTING: Final = frozenset(
    {"BRW-12", "LOG-47", "OPT-03", "OPT-04", "OPT-16", "OPT-29", "OPT-30", "OPT-31", "OPT-34", "SYN-10", "UOW-03"}
)
"""The rules by which a call must be accepted, with its options or although there is nothing to do."""

_NOT_WAITING: Final = frozenset({"WAI-10", "WAI-11"})
"""The rules by which a call must not wait."""

_LENGTH_OF_WAITS: Final = frozenset({"WAI-12"})
"""The rules about the interval of a wait."""

_NOT_ENDING_WAITS: Final = frozenset({"QSC-05", "WAI-04"})
"""The rules by which waits must go on."""

_WARNING: Final = frozenset({"LOG-37", "LOG-38"})
"""The rules that say when a get warns of its group."""

_GROUPS_OF_PUTS: Final = frozenset(f"PTB-{number:02}" for number in range(1, 26))
"""The rules about the group information that a put uses and stores: its outputs show it."""

_ORDER: Final = frozenset({"PRI-03", "PRI-04", "PRI-06", "PRI-07", "VIS-03", "VIS-08", "VIS-09", "VIS-10"})
"""The rules about the place of a message on its queue."""

_SHARED: Final = frozenset({"IDS-07"})
"""The rules by which several messages may suit a get, so that it finds one."""

_OF_BROWSES: Final = frozenset({"VIS-05"})
"""The rules about what a browse must pass over."""

_FINDING: Final = frozenset({"MTC-13"})
"""The rules by which a get must find a message."""

_NOT_BACK: Final = frozenset({"SYN-08", "CTX-01", "CTX-02", "CTX-03", "CTX-04"})
"""The rules that only a message that is returned can break: what was got must not come back, and its context."""

_WITHOUT_LOCKS: Final = frozenset({"CUR-11"})
"""The rules about the cursor of a handle where others have locks, and where they have none."""

_KEEPING_GROUPS: Final = frozenset({"UOW-04"})
"""The rules by which a call leaves the group information alone."""

_OF_CURSORS: Final = frozenset({"BRW-03", "BRW-04", "BRW-08", "BRW-09", "CUR-06", "TRN-02"})
"""The rules about where a cursor is: only a call that uses one can show it."""

_OF_ITS_UNIT: Final = frozenset({"SYN-04", "SYN-05"})
"""The rules by which a get is in a unit of work or in none: only what comes later can show it."""

_DEPTH: Final = frozenset({f"DEP-{number:02}" for number in (*range(1, 6), 9, 10)})
"""The rules about the value of CurrentQDepth."""

_OF_NEW_HANDLES: Final = frozenset({"OPN-13", "OPN-14", "BRW-01", "LOG-06"})
"""The rules about a new handle of which no attribute of its queue tells."""

_OF_OUTPUTS: Final = frozenset(
    {"GST-01", "GST-02", "GST-03", "GST-04", "GST-05", "GST-06", "PUT-21", "PUT-24", "FMT-01", "TYP-01"}
    | {"RPM-01", "RPM-02", "RPM-04", "RPM-05", "RPM-07", "RPM-08", "RPM-10", "DLH-01", "DLH-02"}
    | {"TRI-06", "TRI-07", "TRG-01", "CTX-01", "CTX-02", "USR-01"}
)
"""The rules about single members of a message."""


def about_something_else(
    call: Call, observed: ObservedReply, nearest: Outcome, found: Sequence[Difference]
) -> frozenset[str]:
    """Return the rules that a reply with these differences has kept, whatever else is wrong with it."""
    members = {item.member for item in found}
    about_wait = CALLS_END in members or any(item.of_wait for item in found)
    kept = _OF_OUTPUTS
    if not refused(observed.comp_code, observed.reason):
        kept |= _ACCEPTING
        if CODES not in members and not isinstance(call, Get):
            kept |= _refusing_this(call, nearest)
    elif not nearest.reply.failed:
        kept |= _refusing_otherwise(observed, nearest)
    if not observed.pending:
        kept |= _NOT_WAITING
    if not about_wait:
        kept |= _LENGTH_OF_WAITS
    if not any(item.of_wait and item.observed == ENDED for item in found):
        kept |= _NOT_ENDING_WAITS
    if not isinstance(call, Put) and not (isinstance(call, Get) and call.options.options & MQGMO.LOGICAL_ORDER):
        kept |= _KEEPING_GROUPS
    if isinstance(call, Inquire):
        kept |= _ORDER | _OF_NEW_HANDLES | _GROUPS_OF_PUTS | (_DEPTH if CODES in members else frozenset())
    if isinstance(call, Get):
        kept |= _kept_by_get(call, observed, members, nearest)
    of_members = (item for item in found if item.member not in (CODES, CALLS_END) and not item.of_wait)
    return kept - {entry for item in of_members for entry in item.rules}


def units_of_later_calls(call: Call, observed: ObservedReply, before: Sequence[str]) -> frozenset[str]:
    """Return the rules by which a get is in a unit of work or in none, unless it may show that of a call before."""
    if not isinstance(call, Get) or refused(observed.comp_code, observed.reason):
        return frozenset()
    return _OF_ITS_UNIT.difference(before)


def _kept_by_get(call: Get, observed: ObservedReply, members: set[str], nearest: Outcome) -> frozenset[str]:
    kept = _GROUPS_OF_PUTS
    if CODES not in members:
        kept |= _SHARED
    if not call.options.options & BROWSE:
        kept |= _OF_BROWSES
    if not call.options.options & (BROWSE | UNDER_CURSOR):
        kept |= _OF_CURSORS
    if nearest.reply.failed and observed.comp_code == MQCC.FAILED:
        kept |= _FINDING
    if not any(handle.locked for handle in nearest.state.handles.values()):
        kept |= _WITHOUT_LOCKS
    if observed.reason in NOTHING_FOUND:
        kept |= _NOT_BACK
    if CODES not in members or refused(observed.comp_code, observed.reason):
        kept |= _WARNING
    if CODES in members and observed.reason in NOTHING_FOUND and not call.options.options & MQGMO.BROWSE_NEXT:
        kept |= _ORDER  # it looks at the whole queue, so that no place hides a message from it
    return kept


def _refusing_otherwise(observed: ObservedReply, nearest: Outcome) -> frozenset[str]:
    """Return the rules by which a call fails for another reason than it did, though it must not fail."""
    deciding = {each.id for each in rules_of(observed.reason).decide}
    return frozenset(entry for entry in nearest.rules if refuses(entry) and entry not in deciding)


def _refusing_this(call: Call, nearest: Outcome) -> frozenset[str]:
    """Return the rules by which calls of this verb fail, for one that must not have failed and has not."""
    verb = name_of(call)
    return frozenset(entry for entry in nearest.rules if refuses(entry) and verb in verbs_in(rule(entry).statement))


def refused(comp_code: int, reason: int) -> bool:
    """Return whether a call that ended so was refused. A get that only found nothing was not."""
    return comp_code == MQCC.FAILED and reason not in NOTHING_FOUND


def refuses(entry: str) -> bool:
    """Return whether a rule says that a call fails: an earlier call that has done so has kept it."""
    return rule(entry).outcome.startswith("MQCC_FAILED")
