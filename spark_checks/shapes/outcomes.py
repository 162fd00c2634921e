"""The outcomes of calls, checked by the oracle in the smallest queue manager that fits.

The message was on the queue, and the handle was as its calls had left it. So the call must be able to return that
message, by Table 2, its match options and its cursor, with those statuses. A close must end as in Table 3.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from oracle.errors import MqOracleError
from oracle.judging.departure import Departure
from oracle.judging.follow import Follower
from oracle.model.groups.put_groups import GROUP_FLAGS, SEGMENT_FLAGS
from oracle.model.requests.option_matrix import BROWSE, UNDER_CURSOR, broken_rules
from oracle.mqi.constants import MQCC, MQGMO, MQMT, MQRC, TRUNCATED
from oracle.mqi.profile import PlatformName
from oracle.protocol import ObservedReply
from spark_checks.preparation.handles import BROWSED, CURSOR, GOT, OPENED, PUT
from spark_checks.shapes.judgement import Judgement, Violation
from spark_checks.shapes.refusals import LACKS_CALLS
from spark_checks.shapes.shape import Shape
from spark_checks.shapes.world import (
    MSG_ID,
    World,
    deferred,
    put_descriptor,
    uncertain_in_put,
    world,
    world_with_message,
)

_GROUPING: Final = MQGMO.COMPLETE_MSG | MQGMO.ALL_MSGS_AVAILABLE | MQGMO.ALL_SEGMENTS_AVAILABLE
_PARTS: Final = GROUP_FLAGS | SEGMENT_FLAGS
_OF_THE_GROUP: Final = (MQRC.INCOMPLETE_GROUP, MQRC.INCOMPLETE_MSG, MQRC.INCONSISTENT_UOW)
"""The warnings that depend on the current group of the handle."""

OF_MATCHING: Final = ("MTC-01", "MTC-05", "IDS-10", "WAI-04")
OF_LOGICAL_ORDER: Final = (
    "LOG-01", "LOG-02", "LOG-03", "LOG-06", "LOG-07", "LOG-08", "LOG-09", "LOG-10", "LOG-12", "LOG-15", "LOG-16",
    "LOG-17", "LOG-18", "LOG-20", "BRW-16",
)  # fmt: skip  # names
OF_TABLE_3: Final = (
    "LOG-22", "LOG-23", "LOG-24", "LOG-25", "LOG-35", "LOG-36", "LOG-37", "LOG-38", "LOG-39", "LOG-40", "LOG-41",
    "LOG-42", "LOG-43",
)  # fmt: skip  # names
OF_CURSOR: Final = ("CUR-01", "CUR-02", "CUR-03", "CUR-04", "CUR-12", "BRW-04", "WAI-09")
OF_PUT_TABLE: Final = tuple(f"PTB-{number:02}" for number in (*range(1, 13), 14, 15, *range(16, 21), 25))
OF_LENGTH: Final = ("TRN-01", "TRN-04", "TRN-08")
OUTCOME_RULES: Final = (*OF_MATCHING, *OF_LOGICAL_ORDER, *OF_TABLE_3, *OF_CURSOR, *OF_LENGTH, *OF_PUT_TABLE)
"""The rules that are decided here."""

_DECIDED: Final = frozenset(OUTCOME_RULES)

_CLOSING: Final = ("LOG-39", "LOG-40", "LOG-41", "LOG-43", "PTB-16", "PTB-17", "PTB-18", "PTB-19", "PTB-20")
_BY_ITSELF: Final = frozenset({*OF_MATCHING, *OF_LENGTH})
"""The rules by which a get is judged without the calls of its handle before it."""
_STANDS_FOR: Final = {
    "LOG-19": "MTC-01",
    "LOG-28": "MTC-01",
    "LOG-05": "LOG-15",
    "BRW-01": "CUR-04",
    "MTC-18": "MTC-01",
    "MTC-19": "MTC-01",
}
"""Rules of the oracle's explanation that a rule decided here replaces."""

_FOLLOWED: Final = frozenset(
    {
        MQRC.NONE,
        *TRUNCATED,
        MQRC.INCOMPLETE_GROUP,
        MQRC.INCOMPLETE_MSG,
        MQRC.INCONSISTENT_UOW,
    }
)
"""The reasons that depend only on what a shape has."""


def judge_outcome(shape: Shape, platform: PlatformName, judgement: Judgement) -> None:
    """Judge what a get returned, or how a close ended, by what the handle did before."""
    if shape.comp_code is None or shape.reason not in _FOLLOWED:
        return
    if shape.call == "MQCLOSE":
        if shape.known is None or not shape.known:
            for rule in _CLOSING:
                judgement.lacks(rule, "MQOPEN")
        elif None in (shape.got, shape.browsed, shape.put):
            for rule in _CLOSING:
                judgement.lacks(rule, "msg_flags")
        elif not _clears(shape):
            _follow(shape, judgement, world(shape, platform), {})
    elif shape.call in ("MQPUT", "MQPUT1"):
        _judge_put(shape, platform, judgement)
    elif shape.call == "MQGET" and shape.options is not None and not shape.asks(MQGMO.UNLOCK):
        _judge_get(shape, platform, judgement)


def _clears(shape: Shape) -> bool:
    """Return whether a close does more than close, or its options are not known."""
    return shape.options is None or shape.options != 0


def _judge_put(shape: Shape, platform: PlatformName, judgement: Judgement) -> None:
    """Judge a put by the put table: the identification that it used, and how it ended after the group before it."""
    rows = OF_PUT_TABLE[:12]
    needed = ("options", "msg_flags", "group_id", "first_in_group", "offset_sign", "persistence")
    missing = [_COLUMNS.get(name, name) for name in needed if getattr(shape, name) is None]
    if shape.call == "MQPUT" and not shape.known:
        missing.append("MQOPEN")
    elif shape.call == "MQPUT" and shape.put is None:
        missing.append("msg_flags")
    if missing:
        for rule in rows:
            judgement.lacks(rule, *missing)
    elif (
        not uncertain_in_put(shape)
        and not deferred(shape)
        and not _lacks_before(shape, shape.put)
        and not shape.too_long
        and shape.msg_type != MQMT.REPORT
    ):
        here = world(shape, platform)
        members: dict[str, Any] = {}
        if shape.comp_code != MQCC.FAILED:
            md = put_descriptor(shape)
            members = {"MQMD.GroupId": md.group_id, "MQMD.MsgSeqNumber": md.msg_seq_number, "MQMD.Offset": md.offset}
        _follow(shape, judgement, here, members)


def _judge_get(shape: Shape, platform: PlatformName, judgement: Judgement) -> None:
    """Judge an MQGET that returned a message. What depends on the handle is judged only if its calls are known."""
    if shape.comp_code == MQCC.FAILED or any(broken_rules(shape.options or 0)):
        return
    if shape.asks(MQGMO.CONVERT):
        # It is open whether the buffer must hold the stored or the converted message (AMB-53).
        shape = replace(shape, fits=None)
    before = shape.browsed if shape.asks(BROWSE) else shape.got
    lacking = _lacking(shape, before)
    for rule, column in lacking.items():
        judgement.lacks(rule, column)
    if lacking or _left_open(shape, before):
        return
    missing = _missing(shape)
    for rule, columns in missing.items():
        judgement.lacks(rule, *columns)
    if shape.asks(MQGMO.LOGICAL_ORDER) and missing.keys() & set(OF_LOGICAL_ORDER):
        return
    if not shape.known:
        shape = replace(shape, known=False)
    here = world_with_message(shape, platform)
    _follow(shape, judgement, here, _members(here))


def _lacking(shape: Shape, before: int | None) -> dict[str, str]:
    """Return the rules by which a get cannot be judged, each with the column of its handle that it lacks.

    `before` are the flags of the last message of its kind.
    """
    logical, under_cursor = shape.asks(MQGMO.LOGICAL_ORDER), shape.asks(UNDER_CURSOR)
    of_groups = (*OF_LOGICAL_ORDER, *OF_TABLE_3)
    if (logical or under_cursor) and not shape.known:
        return dict.fromkeys(of_groups if logical else OF_CURSOR, "MQOPEN")
    if logical and before is None:
        return dict.fromkeys(of_groups, "msg_flags")
    if under_cursor and shape.cursor is None:
        return dict.fromkeys(OF_CURSOR, "msg_id")
    return {}


def _left_open(shape: Shape, before: int | None) -> bool:
    """Return whether the result of a get depends on more of its group or message than the shape has."""
    warned = shape.reason in _OF_THE_GROUP and (not shape.known or before is None)
    return shape.asks(_GROUPING) or warned or (_goes_by(shape) and _lacks_before(shape, before))


def _goes_by(shape: Shape) -> bool:
    """Return whether a get continues or ends the group or message that the last one of its kind left unfinished."""
    return not shape.asks(MQGMO.BROWSE_FIRST) and (shape.asks(MQGMO.LOGICAL_ORDER) or not shape.asks(BROWSE))


def _lacks_before(shape: Shape, before: int | None) -> bool:
    """Return whether it is unknown how a call continues a group or message, given the flags of the last one."""
    if before is None or before < 0 or not before & _PARTS:
        return False
    units = () if shape.asks(BROWSE) else (shape.in_unit, shape.put_unit if shape.call == "MQPUT" else shape.got_unit)
    return None in (shape.same_group, shape.seq_step, shape.place, *units)


_NEEDS: Final = (
    (OF_LENGTH, ("fits", "msg_flags")),
    (OF_LOGICAL_ORDER, ("group_id", "first_in_group", "offset_sign", "msg_flags")),
    (OF_MATCHING, ("match_options",)),
)
_COLUMNS: Final = {"fits": "buffer_length", "first_in_group": "msg_seq_number", "offset_sign": "offset"}


def _missing(shape: Shape) -> dict[str, tuple[str, ...]]:
    """Return, by rule, the columns that the call lacks."""
    found: dict[str, tuple[str, ...]] = {}
    for rules, members in _NEEDS:
        lacking = tuple(_COLUMNS.get(name, name) for name in members if getattr(shape, name) is None)
        for rule in rules if lacking else ():
            if rule not in OF_LOGICAL_ORDER or shape.asks(MQGMO.LOGICAL_ORDER):
                found[rule] = lacking
    return found


def _members(here: World) -> dict[str, Any]:
    """Return what the call returned, as far as it was captured, in the values of the world."""
    assert here.message is not None  # the world of a get that returned a message
    md = here.message.descriptor
    return {"MQMD.MsgId": md.msg_id, "MQMD.MsgSeqNumber": md.msg_seq_number, "MQMD.Offset": md.offset}


def _follow(shape: Shape, judgement: Judgement, here: World, members: dict[str, Any]) -> None:
    """Let the oracle judge the call, and note the rules behind it or how it departs."""
    reason = shape.reason or 0
    if reason in TRUNCATED and (shape.fits is None or shape.msg_flags is None):
        return
    observed = ObservedReply(shape.comp_code or 0, reason, members=members, partial=True)
    try:
        followed = Follower(here.state).follow(here.call, observed)
    except MqOracleError:
        return
    if followed.departure is None:
        judgement.checks([rule for rule in (*followed.rules, *followed.outputs) if rule in _DECIDED])
    else:
        judgement.breaks(_violation(shape, followed.departure))


def _violation(shape: Shape, departure: Departure) -> Violation:
    named = [_STANDS_FOR.get(rule, rule) for rule in departure.rules]
    decided = sorted((rule for rule in named if rule in _DECIDED), key=lambda rule: _tells_less(rule, shape))
    rule = (decided or named)[0]
    sentence = _in_words(departure)
    if shape.call in ("MQPUT", "MQPUT1"):
        return Violation(rule, sentence, (OPENED, PUT), LACKS_CALLS)
    if shape.call == "MQCLOSE":
        return Violation(rule, sentence, (OPENED, GOT, PUT), LACKS_CALLS)
    if rule in OF_CURSOR:
        return Violation(rule, sentence, (OPENED, CURSOR), LACKS_CALLS)
    if rule not in _BY_ITSELF or shape.reason in _OF_THE_GROUP:
        return Violation(rule, sentence, (OPENED, BROWSED if shape.asks(BROWSE) else GOT), LACKS_CALLS)
    return Violation(rule, sentence)


def _tells_less(rule: str, shape: Shape) -> bool:
    """Return whether another rule describes a call more closely, or this one is about puts that were not made."""
    return rule == "LOG-20" or (shape.call == "MQCLOSE" and shape.put == -1 and rule.startswith("PTB-"))


def _in_words(departure: Departure) -> str:
    """Return the oracle's sentence as one about a call of the log."""
    sentence = departure.sentence.removesuffix(".").replace(f"...{MSG_ID.hex()[-12:]}", "{msg_id}")
    verb, _, rest = sentence.partition(" ")
    return (
        f"{{call}} by connection {{conn}} {rest}"
        if verb.startswith("MQ")
        else f"{{call}} by connection {{conn}}: {sentence}"
    )
