"""Calls that completed although they must fail, and calls that failed for a reason that does not hold.

The oracle decides what refuses a call whatever else is on the queue; this module compares that with the log.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from oracle.errors import MqOracleError
from oracle.model.checks import Refusal
from oracle.model.refusals import refusals
from oracle.model.requests.option_matrix import BROWSE, EXCLUSIONS, REQUIREMENTS, SUMMARIES
from oracle.model.search.get_rules import rules_of_options
from oracle.mqi.constants import MQCC, MQGMO, MQOO, MQPMO, MQRC
from oracle.mqi.profile import PLATFORMS, PlatformName
from spark_checks.preparation.facts import ALTERED
from spark_checks.preparation.handles import BROWSED, OPENED, PUT
from spark_checks.shapes.judgement import Judgement, Violation
from spark_checks.shapes.shape import Expiry, Shape
from spark_checks.shapes.world import deferred, persistence_untold, uncertain_in_put, world

_GETS, _PUTS = ("MQGET",), ("MQPUT", "MQPUT1")


@dataclass(frozen=True)
class Refused:
    """A rule by which some calls are refused."""

    rule: str
    """The rule."""
    calls: tuple[str, ...]
    """The names of the calls that it refuses."""
    needs: tuple[str, ...] = ("options",)
    """The members that a record must have for the rule to judge it."""
    options: int = 0
    """The rule is about calls with at least one of these options. 0 for all calls."""
    platforms: tuple[PlatformName, ...] = PLATFORMS
    """The platforms on which it holds."""


def _of_options() -> Iterable[Refused]:
    """Make a row for each rule about options that exclude or need each other."""
    bits: dict[str, int] = {}
    for exclusion in EXCLUSIONS:
        bits[exclusion.rule] = bits.get(exclusion.rule, 0) | exclusion.option
    for requirement in REQUIREMENTS:
        bits[requirement.rule] = bits.get(requirement.rule, 0) | requirement.option
    bits |= {rule: members for members, rule in SUMMARIES}
    return [Refused(rule, _GETS, options=options) for rule, options in bits.items()]


REFUSED: Final = (
    *_of_options(),
    Refused("OPT-05", _GETS),
    Refused("OPT-19", _GETS, ("options", OPENED), MQGMO.MARK_BROWSE_CO_OP),
    Refused("OPT-24", _GETS, ("options", OPENED), MQGMO.UNMARK_BROWSE_CO_OP),
    Refused("OPT-29", _GETS, ("options", "match_options"), MQGMO.COMPLETE_MSG),
    Refused("OPT-32", _GETS, ("options", OPENED), BROWSE),
    Refused("OPT-33", _GETS, ("options", OPENED), MQGMO.MSG_UNDER_CURSOR),
    Refused("MTC-15", _GETS, ("options", "match_options"), MQGMO.COMPLETE_MSG),
    Refused("MTC-16", _GETS, ("match_options", "sel_seq_number")),
    Refused("OPN-16", _GETS, ("options", OPENED)),
    Refused("CHK-05", _GETS, ("buffer_length",)),
    Refused("CHK-06", _GETS, ("options", "wait_ms"), MQGMO.WAIT | MQGMO.SET_SIGNAL),
    Refused("CHK-07", _GETS),
    Refused("MTC-10", _GETS, ("match_options",)),
    Refused("MTC-12", _GETS, ("options", "match_options"), MQGMO.WAIT | MQGMO.SET_SIGNAL),
    Refused("BRW-14", _GETS, ("options", OPENED), MQGMO.BROWSE_NEXT),
    Refused("LOG-45", _GETS, ("options", "IndexType"), MQGMO.LOGICAL_ORDER | MQGMO.COMPLETE_MSG, platforms=("zos",)),
    *(Refused(f"OPN-0{number}", ("MQOPEN",)) for number in range(1, 10)),
    *(Refused(f"PUT-0{number}", _PUTS) for number in (1, 2, 3, 6)),
    Refused("PUT-04", ("MQPUT",)),
    Refused("PUT-05", ("MQPUT1",)),
    Refused("OPN-17", ("MQPUT",), (OPENED,)),
    Refused("PUT-10", _PUTS, ("msg_type",)),
    Refused("PUT-11", _PUTS, ("msg_type", "report", "reply_to_q")),
    Refused("PUT-12", _PUTS, ("persistence",)),
    Refused("PUT-13", _PUTS, ("priority",)),
    Refused("PUT-15", _PUTS, ("msg_flags",)),
    Refused("PUT-16", _PUTS, ("report",)),
    Refused("PUT-19", _PUTS, ("msg_flags", "length"), platforms=("distributed", "ibmi")),
    Refused("PUT-17", _PUTS, ("msg_flags", "msg_seq_number")),
    Refused("PUT-18", _PUTS, ("msg_flags", "offset")),
    Refused("PUT-20", _PUTS, ("msg_flags", "msg_type", "original_length")),
    Refused("SIZ-04", _PUTS, ("length", "MaxMsgLength", "msg_flags")),
    Refused("SEG-01", _PUTS, ("length", "MaxMsgLength", "msg_flags"), platforms=("distributed", "ibmi")),
    Refused("SEG-05", _PUTS, ("length", "MaxMsgLength", "msg_flags"), platforms=("zos",)),
    Refused("EXP-19", _PUTS, ("expiry",)),
    Refused("EXP-23", _PUTS, ("expiry",)),
    Refused("PER-05", _PUTS, ("persistence", "DefinitionType")),
    *(Refused(f"PTB-{number}", ("MQPUT",), ("options", "msg_flags", OPENED)) for number in (13, 21, 22)),
    Refused("INQ-01", ("MQINQ",), (OPENED,)),
    Refused("INQ-04", ("MQSET",), (OPENED,)),
)
"""The rules of refusal that a log can show."""

_SAME_PERSISTENCE: Final = "PTB-21"
"""The rule that depends on the persistence of the put before too."""

_SAME_AS: Final = {"DYN-03": "PER-05", "PRI-01": "PUT-13"}
"""Rules that describe a refusal that another rule of the table describes too."""

_OF_THE_HANDLE: Final = frozenset({"OPT-19", "OPT-24", "OPT-32", "OPT-33", "OPN-16", "OPN-17", "INQ-01", "INQ-04"})
_OF_THE_BROWSE: Final = frozenset({"BRW-14"})
_OF_THE_PUTS: Final = frozenset({"PTB-13", "PTB-21", "PTB-22"})
_GENERAL: Final = ("OPT-05", "CHK-08", "PTB-13")
_OF_THE_DEFINITION: Final = frozenset({"SIZ-04", "SEG-01", "SEG-05", "PER-05", "LOG-45"})

_OPEN_FOR: Final = {
    MQRC.NOT_OPEN_FOR_BROWSE: "OPT-32",
    MQRC.NOT_OPEN_FOR_INPUT: "OPN-16",
    MQRC.NOT_OPEN_FOR_OUTPUT: "OPN-17",
    MQRC.NOT_OPEN_FOR_INQUIRE: "INQ-01",
    MQRC.NOT_OPEN_FOR_SET: "INQ-04",
}
"""The reasons that only the options of the MQOPEN give, and the rule about them."""

_NEEDS_OF_MEMBERS: Final = {
    "options": "options", "match_options": "match_options", OPENED: "opened", "wait_ms": "wait",
    "buffer_length": "short_buffer", "IndexType": "index_type", "DefinitionType": "definition_type",
    "msg_type": "msg_type",
    "report": "report", "reply_to_q": "reply_to_q", "persistence": "persistence", "priority": "priority",
    "msg_flags": "msg_flags", "length": "empty", "expiry": "expiry",
    "sel_seq_number": "sel_seq_valid", "msg_seq_number": "seq_valid", "offset": "offset_sign",
    "original_length": "original_length", "MaxMsgLength": "too_long",
}  # fmt: skip  # pairs
"""By a column's name in the tables, the member of a shape that shows whether it was captured."""

_OF_UNDEFINED: Final = frozenset({"CHK-07", "MTC-10", "OPN-09", "PUT-06"})
DEFINED_ELSEWHERE: Final = (
    "the documents do not describe the option: it is one of a later version, or of a program of IBM MQ"
)
"""The doubt about options that no document defines, in a log that is not complete."""

LACKS_CALLS: Final = "the log lacks a call of this connection"


def judge_refusals(shape: Shape, platform: PlatformName, judgement: Judgement) -> None:
    """Judge whether a call completed that must fail, or failed for a reason that does not hold."""
    if shape.comp_code is None or shape.call not in _VERBS:
        return
    checkable = _checkable(shape, platform, judgement)
    if shape.call in _PUTS and (uncertain_in_put(shape) or deferred(shape)):
        return
    here = world(shape, platform)
    try:
        found = refusals(here.state, here.call)
    except MqOracleError:
        return
    judgement.checks(sorted(checkable))
    if shape.call == "MQGET":
        judgement.checks([rule for rule in rules_of_options(shape.options or 0) if rule in ACCEPTED])
    binding = [refusal for refusal in found if not refusal.optional]
    if shape.comp_code != MQCC.FAILED:
        for refusal in binding:
            _completed(shape, refusal, checkable, judgement)
    elif shape.reason is not None and all(refusal.reason != shape.reason for refusal in found):
        _unfounded(shape, judgement)


def _checkable(shape: Shape, platform: PlatformName, judgement: Judgement) -> set[str]:
    """Return the rules of the table that can be checked of a call; note for the others what was not captured."""
    checkable = set()
    for row in REFUSED:
        if not _speaks(row, shape, platform):
            continue
        missing = [name for name in row.needs if getattr(shape, _NEEDS_OF_MEMBERS[name]) is None]
        missing += persistence_untold(shape) if row.rule == _SAME_PERSISTENCE else ()
        if missing:
            judgement.lacks(row.rule, *("MQOPEN" if name == OPENED else name for name in missing))
        else:
            checkable.add(row.rule)
    return checkable


_VERBS: Final = frozenset(verb for row in REFUSED for verb in row.calls)


def _speaks(row: Refused, shape: Shape, platform: PlatformName) -> bool:
    """Return whether a row of the table may be about a call."""
    if shape.call not in row.calls or platform not in row.platforms:
        return False
    return not row.options or shape.options is None or shape.asks(row.options)


def _completed(shape: Shape, refusal: Refusal, checkable: set[str], judgement: Judgement) -> None:
    named = [_SAME_AS.get(rule, rule) for rule in refusal.rules]
    telling = [rule for rule in named if rule in checkable and rule not in _GENERAL]
    general = [rule for rule in named if rule in checkable]
    if not (telling or general):
        return
    rule = (telling or general)[0]
    reason = MQRC.describe(refusal.reason)
    about, proof = _ground(rule)
    judgement.breaks(
        Violation(
            rule,
            f"{{call}} by connection {{conn}} completed, but had to fail with {reason}{about}{_options_of(shape)}",
            proof,
            LACKS_CALLS if proof else _unless(rule),
        )
    )


def _unless(rule: str) -> str | None:
    """Return what may explain a refusal in an incomplete log of a running system, besides missing calls."""
    if rule in _OF_UNDEFINED:
        return DEFINED_ELSEWHERE
    return ALTERED if rule in _OF_THE_DEFINITION else None


def _ground(rule: str) -> tuple[str, tuple[str, ...]]:
    """Return what a refusal depends on besides the call, in words and as the calls that prove it."""
    if rule in _OF_THE_HANDLE:
        return " by the options of its MQOPEN", (OPENED,)
    if rule in _OF_THE_BROWSE:
        return " by the order of the browse before", (OPENED, BROWSED)
    if rule in _OF_THE_PUTS:
        return " by the group that the put before left unfinished", (OPENED, PUT)
    return "", ()


def _options_of(shape: Shape) -> str:
    if shape.options is None:
        return ""
    if shape.call == "MQGET":
        return f" (options {MQGMO.describe(shape.options)})"
    if shape.call in _PUTS:
        return f" (options {MQPMO.describe(shape.options)})"
    return f" (options {MQOO.describe(shape.options)})" if shape.call == "MQOPEN" else ""


def _unfounded(shape: Shape, judgement: Judgement) -> None:
    """Find failures with a reason that only the call itself can give, and does not give."""
    reason = shape.reason
    rule: str | None = None
    proof: tuple[str, ...] = ()
    if reason in _OPEN_FOR and shape.opened is not None and shape.known is not None:
        unlocks = shape.call == "MQGET" and shape.asks(MQGMO.LOCK | MQGMO.UNLOCK)
        rule, proof = "OPT-34" if unlocks else _OPEN_FOR[MQRC(reason)], (OPENED,)
    elif reason == MQRC.OPTIONS_ERROR and shape.call == "MQGET" and shape.options is not None:
        if shape.opened is not None and (shape.match_options is not None or not shape.asks(MQGMO.COMPLETE_MSG)):
            rule = _accepting(shape)
    elif reason == MQRC.EXPIRY_ERROR and shape.expiry == Expiry.LIMITED and shape.transmission is False:
        rule = "EXP-21"
    elif reason == MQRC.INCONSISTENT_BROWSE and shape.call == "MQGET" and shape.asks(MQGMO.BROWSE_FIRST):
        rule = "BRW-15"
    if rule is not None:
        judgement.breaks(
            Violation(
                rule,
                f"{{call}} by connection {{conn}} failed with {MQRC.describe(reason or 0)}, although no condition "
                f"for that reason applied{_options_of(shape)}",
                proof,
                LACKS_CALLS if proof else None,
            )
        )


ACCEPTED: Final = frozenset({"OPT-03", "BRW-12", "WAI-08", "SYN-10", "OPT-16", "OPT-29", "OPT-30", "OPT-31", "OPT-04"})


UNFOUNDED: Final = (*sorted(ACCEPTED), "OPT-34", "EXP-21", "BRW-15")
"""The rules by which a call does not fail with a reason."""


def _accepting(shape: Shape) -> str | None:
    """Return the most telling rule by which a set of options is valid; none if it depends on what a log lacks."""
    options = shape.options or 0
    properties = MQGMO.PROPERTIES_IN_HANDLE | MQGMO.PROPERTIES_FORCE_MQRFH2
    if options & (properties | MQGMO.SET_SIGNAL | MQGMO.MARK_SKIP_BACKOUT):
        return None
    rules = [rule for rule in rules_of_options(options) if rule in ACCEPTED]
    return rules[0] if rules else "OPT-04"
