"""The option matrix: every pair of MQGMO options is passed once, alone and with what the two need.

Each get finds a message, and the cursor and a lock if it needs them, so that only the options can make it fail: a queue
manager may report any of several errors (CHK-02). A pair that the documents exclude, or that is excluded by what one of
the two needs, must be refused; every other pair must not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from conformance.checks.check import Check
from conformance.checks.features import OF_OPTIONS
from conformance.checks.generated.rows import AREA, GROUP_QUEUE
from conformance.checks.rig import Rig
from conformance.sessions.details import DETAILS, of_options
from conformance.sessions.session import History, Session, Setup
from oracle.histories.notation import parse
from oracle.model.requests.option_matrix import BROWSE, EXCLUSIONS, KNOWN, REQUIREMENTS, UNDER_CURSOR
from oracle.mqi.constants import MQGMO
from oracle.mqi.profile import PLATFORMS, PlatformName

OPTIONS: Final = {
    name: bit for name, bit in MQGMO.members().items() if isinstance(bit, int) and bit.bit_count() == 1 and bit & KNOWN
}
"""Every option of MQGET that has a bit of its own, by name."""

_AT_THE_CURSOR: Final = UNDER_CURSOR | MQGMO.BROWSE_NEXT | MQGMO.UNLOCK
"""The options that need the cursor on a message, or continue from it in the order in which it got there."""

_ZOS_ONLY: Final = MQGMO.SET_SIGNAL | MQGMO.MARK_SKIP_BACKOUT


def checks() -> Iterator[Check]:
    """Yield a check for each option: its pairs with every other one."""
    for name, bit in OPTIONS.items():
        yield Check(
            f"{AREA}/options-{name.lower().replace('_', '-')}",
            f"{name} with every other option of MQGET",
            "scenario",
            partial(_perform, name),
            rules=rules_of(bit),
            features=tuple(sorted((needed(bit) | {"browse", "mark-browse"}) - DETAILS.keys())),
            platforms=_platforms(bit),
            details=of_options(bit),
        )


def rules_of(bit: int) -> tuple[str, ...]:
    """Return the rules of an option's own rows; for one without rows, why it is compatible with others or not."""
    own = [entry.rule for entry in (*EXCLUSIONS, *REQUIREMENTS) if entry.option == bit]
    return tuple(dict.fromkeys(own)) or (("PRP-05",) if bit == MQGMO.PROPERTIES_IN_HANDLE else ("OPT-04",))


def needed(bit: int) -> set[str]:
    """Return the features without which an option is not passed to a target."""
    return {feature for mask, feature in OF_OPTIONS["get"] if mask & bit}.union(of_options(bit))


def _platforms(bit: int) -> tuple[PlatformName, ...]:
    return ("zos",) if bit & _ZOS_ONLY else PLATFORMS


def pairs(name: str, features: frozenset[str], platform: PlatformName) -> Iterator[int]:
    """Yield the options of each get: pairs that a target can be given, with what they need."""
    bit = OPTIONS[name]
    for other in OPTIONS.values():
        if other == bit or not features.issuperset(needed(other)) or platform not in _platforms(other):
            continue
        both = bit | other
        yield both
        companions = companions_of(both)
        if companions:
            yield both | companions


def companions_of(options: int) -> int:
    """Return what options need and lack: for a browse option the first of them."""
    lacking = [entry.needs for entry in REQUIREMENTS if options & entry.option and not options & entry.needs]
    return sum({MQGMO.BROWSE_FIRST if needs == BROWSE else needs for needs in lacking})


def history(given: Sequence[int]) -> History:
    """Return gets with these options, on one handle, each with what it needs before it."""
    taking = sum(not options & BROWSE for options in given)
    lines = ["h = open Q BROWSE+INPUT_SHARED+OUTPUT+CO_OP"]
    lines += [f"put h m{number} NO_SYNCPOINT" for number in range(taking + 1)]
    for options in given:
        lines += _get(options)
    return History(Setup((GROUP_QUEUE,)), parse("\n".join(lines)))


def _get(options: int) -> Iterator[str]:
    if options & _AT_THE_CURSOR:
        order = "+LOGICAL_ORDER" * bool(options & MQGMO.LOGICAL_ORDER)
        lock = "+LOCK" * bool(options & MQGMO.UNLOCK)
        yield f"get h BROWSE_FIRST{order}{lock}"
    yield f"get h {options:#x}"
    if options & (MQGMO.SYNCPOINT | MQGMO.MARK_SKIP_BACKOUT):
        yield "cmit"


def _perform(name: str, rig: Rig) -> Session | None:
    hello = rig.dialogue.hello
    return rig.play_all([history(tuple(pairs(name, hello.claimed, hello.platform)))])
