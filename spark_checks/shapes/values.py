"""Rules that a few values of one call decide, as a table: where each applies, what it needs, when it is broken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from oracle.model.groups.get_groups import group_status, segment_status
from oracle.model.handles import ends_group
from oracle.model.requests.option_matrix import BROWSE, KNOWN_MATCHES, UNDER_CURSOR
from oracle.mqi.constants import INPUT_OPTIONS, MQCC, MQCO, MQGMO, MQMF, MQMO, MQPER, MQRC, MQSS
from oracle.mqi.profile import PLATFORMS, PlatformName
from oracle.mqi.without_outputs import WITHOUT_OUTPUTS
from spark_checks.preparation.handles import CURSOR, GOT, LOCK, OPENED, WITHOUT_SUBSCRIPTION
from spark_checks.shapes.judgement import Judgement, Violation
from spark_checks.shapes.other_verbs import FOREIGN
from spark_checks.shapes.refusals import DEFINED_ELSEWHERE, LACKS_CALLS
from spark_checks.shapes.shape import Duration, Expiry, HandleState, Identity, Shape
from spark_checks.shapes.world import with_implied

Test = Callable[[Shape], bool]

_OF_GROUPS: Final = (
    MQRC.INCOMPLETE_GROUP,
    MQRC.INCOMPLETE_MSG,
    MQRC.INCONSISTENT_UOW,
)
_PARTIAL: Final = (MQRC.INCONSISTENT_CCSIDS, MQRC.INCONSISTENT_ENCODINGS)
_DELETES: Final = MQCO.DELETE | MQCO.DELETE_PURGE
_CONVERSION: Final = range(MQRC.FORMAT_ERROR, MQRC.CONVERTED_MSG_TOO_BIG + 1)
_MAY_WITHHOLD: Final = (
    MQGMO.UNMARKED_BROWSE_MSG | MQGMO.COMPLETE_MSG | MQGMO.ALL_MSGS_AVAILABLE | MQGMO.ALL_SEGMENTS_AVAILABLE
)
"""Options that may withhold the message under the cursor, and with either reason: it is open (AMB-66, AMB-77)."""
_UNRECORDED: Final = "the handle came from a call that has no record, such as MQSUB"


def _get(shape: Shape) -> bool:
    return shape.call == "MQGET"


def _returned(shape: Shape) -> bool:
    """Return whether the call returned a message."""
    completed = shape.comp_code in (MQCC.OK, MQCC.WARNING) and shape.reason not in WITHOUT_OUTPUTS
    return shape.call in ("MQGET", "CALLBACK") and completed and not shape.asks(MQGMO.UNLOCK)


def _failed(*reasons: int) -> Test:
    return lambda shape: _get(shape) and shape.reason in reasons


def _may_be_refused(shape: Shape) -> bool:
    """Return whether MatchOptions may fail whatever message is asked for (MTC-10, MTC-15)."""
    matches = shape.match_options or 0
    return bool(matches & ~KNOWN_MATCHES or (matches & MQMO.MATCH_OFFSET and shape.asks(MQGMO.COMPLETE_MSG)))


def _put(shape: Shape) -> bool:
    return shape.call in ("MQPUT", "MQPUT1")


def _completed(shape: Shape) -> bool:
    return shape.comp_code in (MQCC.OK, MQCC.WARNING)


def _closed(shape: Shape) -> bool:
    return shape.call == "MQCLOSE" and _completed(shape)


def _predefined(shape: Shape) -> bool:
    """Return whether the queue's definition shows that it is not a dynamic queue."""
    return shape.definition_type == "PREDEFINED"


def _unfinished(flags: int | None) -> bool:
    """Return whether a message with these flags leaves a group or a logical message unfinished."""
    if flags is None or flags < 0:
        return False
    in_group = flags & MQMF.MSG_IN_GROUP and not ends_group(flags)
    return bool(in_group or (flags & MQMF.SEGMENT and not flags & MQMF.LAST_SEGMENT))


@dataclass(frozen=True)
class ValueRule:
    """A rule about values of one call."""

    rule: str
    """The id of the rule."""
    about: Test
    """The shapes that it applies to."""
    needs: tuple[str, ...]
    """The members of the shape that it uses. If one is None, the rule cannot judge the shape."""
    broken: Test
    """The shapes among these that break it."""
    says: str
    """The explanation after "{call} by connection {conn}", without its full stop."""
    proof: tuple[str, ...] = ()
    """The earlier calls that prove it, by their names in spark_checks.preparation.handles."""
    unless: str | None = None
    """A doubt that remains in any log. None if there is none."""
    platforms: tuple[PlatformName, ...] = PLATFORMS
    """The platforms on which it holds."""
    if_incomplete: str | None = None
    """A doubt that remains if the log is not complete. None if there is none but missing calls."""
    looks_back: bool = False
    """Whether it depends on earlier calls, even if none is named as proof. An incomplete log may lack one of them."""
    counts: bool = True
    """Whether a call that does not break it was checked by the rule, or the rule is about other calls."""


_ELSEWHERE: Final[tuple[PlatformName, ...]] = ("distributed", "ibmi")


def _of_handles(rule: str, state: HandleState, says: str) -> tuple[ValueRule, ...]:
    """Return the rows for a rule about calls with handles in a state that no call may use.

    MQSUB returns handles too, and a log has no record of it. No call can put or set with those handles, and they belong
    to dynamic queues that the queue manager makes.
    """
    return (
        ValueRule(
            rule, lambda s: _completed(s) and s.call in WITHOUT_SUBSCRIPTION, ("handle",), lambda s: s.handle == state,
            says, looks_back=True,
        ),
        ValueRule(
            rule, lambda s: _completed(s) and s.call not in WITHOUT_SUBSCRIPTION and _predefined(s), ("handle",),
            lambda s: s.handle == state, says, looks_back=True,
        ),
        ValueRule(
            rule, lambda s: _completed(s) and s.call not in WITHOUT_SUBSCRIPTION and not _predefined(s), ("handle",),
            lambda s: s.handle == state, says, unless=_UNRECORDED,
        ),
    )  # fmt: skip  # rows


def _failed_as(verbs: Sequence[str]) -> Test:
    return lambda shape: shape.call in verbs and shape.comp_code == MQCC.FAILED


def _ended_with(reason: MQRC) -> Test:
    return lambda shape: shape.reason == reason


def _of_other_verbs() -> tuple[ValueRule, ...]:
    """Return a row for each reason and the verbs that never give it."""
    return tuple(
        ValueRule(
            row.rule,
            _failed_as(row.verbs),
            ("reason",),
            _ended_with(reason),
            f"failed with {MQRC.describe(reason)}, which only {row.givers}",
            counts=False,
        )
        for row in FOREIGN
        for reason in row.reasons
    )


VALUE_RULES: Final = (
    *_of_other_verbs(),
    ValueRule(
        "PRI-01", _returned, ("priority",), lambda s: (s.priority or 0) < 0,
        "returned a message whose Priority is below zero",
    ),
    ValueRule(
        "PER-01", _returned, ("persistence",), lambda s: s.persistence not in (MQPER.NOT_PERSISTENT, MQPER.PERSISTENT),
        "returned a message whose Persistence is neither MQPER_NOT_PERSISTENT nor MQPER_PERSISTENT",
    ),
    ValueRule(
        "BOC-04", _returned, ("backout_count_sign",), lambda s: s.backout_count_sign == -1,
        "returned a message with a BackoutCount below zero",
    ),
    ValueRule(
        "TRM-07", lambda s: _returned(s) and bool((s.msg_flags or 0) & MQMF.MSG_IN_GROUP), ("msg_flags", "seq_valid"),
        lambda s: s.seq_valid is False, "returned a message of a group whose MsgSeqNumber is no number from 1 on",
    ),
    ValueRule(
        "TRM-04", lambda s: _returned(s) and bool((s.msg_flags or 0) & (MQMF.SEGMENT | MQMF.LAST_SEGMENT)),
        ("msg_flags", "group_id"), lambda s: s.group_id == Identity.NULL,
        "returned a segment without a GroupId",
    ),
    ValueRule(
        "TRM-05", lambda s: _returned(s) and bool((s.msg_flags or 0) & MQMF.SEGMENTATION_ALLOWED),
        ("msg_flags", "group_id"), lambda s: s.group_id == Identity.NULL,
        "returned a message with MQMF_SEGMENTATION_ALLOWED and no GroupId", platforms=_ELSEWHERE,
    ),
    ValueRule(
        "TRM-06", lambda s: _returned(s) and s.msg_flags == 0, ("msg_flags", "group_id"),
        lambda s: s.group_id == "given",
        "returned a message with a GroupId that is in no group, is no segment and may not be segmented",
    ),
    ValueRule(
        "CMP-01", lambda s: _returned(s) and s.asks(MQGMO.COMPLETE_MSG) and s.reason == MQRC.NONE,
        ("offset_sign", "msg_flags"),
        lambda s: s.offset_sign != 0 or (s.msg_flags or 0) & (MQMF.SEGMENT | MQMF.LAST_SEGMENT) == MQMF.SEGMENT,
        "returned a part of a logical message with MQGMO_COMPLETE_MSG", platforms=_ELSEWHERE,
    ),
    ValueRule(
        "WAI-01",
        lambda s: _failed(MQRC.NO_MSG_AVAILABLE)(s) and s.asks(MQGMO.WAIT) and s.wait == 1 and not s.asks(UNDER_CURSOR),
        ("options", "duration"), lambda s: s.duration == Duration.SHORT,
        "ended with MQRC_NO_MSG_AVAILABLE before its wait interval was over",
    ),
    ValueRule(
        "WAI-12", lambda s: _get(s) and s.asks(MQGMO.WAIT) and s.wait == -1 and not s.asks(UNDER_CURSOR), ("options",),
        lambda s: s.reason == MQRC.NO_MSG_AVAILABLE,
        "ended with MQRC_NO_MSG_AVAILABLE although it was to wait without limit",
    ),
    ValueRule(
        "WAI-09", lambda s: _get(s) and s.asks(UNDER_CURSOR) and not s.asks(_MAY_WITHHOLD), ("options",),
        lambda s: s.reason == MQRC.NO_MSG_AVAILABLE,
        "ended with MQRC_NO_MSG_AVAILABLE although it asked for the message under the cursor",
    ),
    ValueRule(
        "CUR-01", lambda s: _get(s) and s.asks(MQGMO.BROWSE_MSG_UNDER_CURSOR), ("options", "match_options"),
        lambda s: s.reason == MQRC.MATCH_OPTIONS_ERROR and not _may_be_refused(s),
        "failed for its MatchOptions although it asked for the message under the cursor", platforms=_ELSEWHERE,
    ),
    ValueRule(
        "SIG-03", lambda s: _get(s) and s.asks(MQGMO.SET_SIGNAL) and not s.asks(UNDER_CURSOR), ("options",),
        lambda s: s.reason == MQRC.NO_MSG_AVAILABLE,
        "ended with MQRC_NO_MSG_AVAILABLE although it had set a signal", platforms=("zos",),
    ),
    ValueRule(
        "SIG-17", _get, ("reason",), lambda s: s.reason == MQRC.SIGNAL_REQUEST_ACCEPTED,
        "accepted a signal, which only z/OS does", platforms=_ELSEWHERE,
    ),
    ValueRule(
        "QSC-05", lambda s: _get(s) and not s.asks(MQGMO.FAIL_IF_QUIESCING), ("options", "reason"),
        lambda s: s.reason == MQRC.Q_MGR_QUIESCING,
        "failed with MQRC_Q_MGR_QUIESCING although it did not specify MQGMO_FAIL_IF_QUIESCING",
    ),
    ValueRule(
        "LOG-42", lambda s: _get(s) and s.asks(BROWSE), ("options", "reason"), lambda s: s.reason in _OF_GROUPS,
        "got a reason about an inconsistent group while browsing",
    ),
    ValueRule(
        "LOG-25", lambda s: _get(s) and bool(s.known) and not s.asks(BROWSE) and not _unfinished(s.got),
        ("options", "reason", "got"), lambda s: s.reason in _OF_GROUPS,
        "got a reason about an inconsistent group although none was unfinished on its handle", (OPENED, GOT),
    ),
    ValueRule(
        "LOG-23", lambda s: _get(s) and bool(s.known) and not s.asks(BROWSE) and s.got_unit is True and bool(s.in_unit),
        ("options", "reason"), lambda s: s.reason == MQRC.INCONSISTENT_UOW,
        "failed with MQRC_INCONSISTENT_UOW although it and the call before were both within a unit of work",
        (OPENED, GOT),
    ),
    ValueRule(
        "LCK-17", lambda s: _get(s) and s.asks(MQGMO.UNLOCK) and bool(s.known) and s.comp_code == MQCC.OK,
        ("options", "may_hold_lock"), lambda s: s.may_hold_lock is False,
        "unlocked with MQRC_NONE although its handle held no lock", (OPENED, CURSOR),
    ),
    ValueRule(
        "LCK-15", lambda s: _get(s) and s.asks(MQGMO.UNLOCK) and bool(s.holds_lock), ("options", "reason"),
        lambda s: s.reason == MQRC.NO_MSG_LOCKED,
        "ended with MQRC_NO_MSG_LOCKED although its handle held a lock", (LOCK,),
    ),
    ValueRule(
        "LCK-06", lambda s: _get(s) and s.asks(UNDER_CURSOR) and not s.asks(_MAY_WITHHOLD) and bool(s.holds_lock),
        ("options", "reason"), lambda s: s.reason == MQRC.NO_MSG_UNDER_CURSOR,
        "ended with MQRC_NO_MSG_UNDER_CURSOR although its handle had locked the message there", (LOCK,),
    ),
    ValueRule(
        "CLO-01", _closed, ("options",), lambda s: (s.options or 0) & _DELETES == _DELETES,
        "completed with both options that delete the queue",
    ),
    ValueRule(
        "CLO-10", _closed, ("options",), lambda s: bool((s.options or 0) & ~MQCO.bits()),
        "completed with a close option that the documents do not define", if_incomplete=DEFINED_ELSEWHERE,
    ),
    ValueRule(
        "CLO-02", lambda s: _closed(s) and bool((s.options or 0) & _DELETES), ("options", "definition_type"),
        lambda s: s.definition_type == "PREDEFINED", "deleted a predefined queue",
    ),
    *_of_handles(
        "CON-02", HandleState.CLOSED, "completed with a handle that the connection had closed before",
    ),
    *_of_handles(
        "CON-03", HandleState.NEVER, "completed with a handle that its connection had never opened",
    ),
    ValueRule(
        "CON-01", lambda s: _completed(s) and s.call != "MQCONN", ("handle",),
        lambda s: s.handle == HandleState.DISCONNECTED, "completed although its connection had ended with MQDISC",
    ),
    ValueRule(
        "OPN-13", lambda s: s.call == "MQOPEN" and not s.asks(INPUT_OPTIONS), ("options", "reason"),
        lambda s: s.reason == MQRC.OBJECT_IN_USE, "failed with MQRC_OBJECT_IN_USE although it did not ask for input",
        platforms=_ELSEWHERE,
    ),
    ValueRule(
        "LOG-47", lambda s: s.call in ("MQGET", "MQPUT", "MQPUT1"), ("reason",),
        lambda s: s.reason == MQRC.Q_INDEX_TYPE_ERROR, "failed for the index type of the queue, which only z/OS has",
        platforms=_ELSEWHERE,
    ),
    ValueRule(
        "TRM-02", _put, ("reason",), lambda s: s.reason == MQRC.MSG_ID_ERROR,
        "failed for its MsgId, which any message may have",
    ),
    ValueRule(
        "IDS-07", _put, ("reason",), lambda s: s.reason == MQRC.CORREL_ID_ERROR,
        "failed for its CorrelId, which any message may have",
    ),
    ValueRule(
        "EXP-25", _get, ("reason",), lambda s: s.reason == MQRC.EXPIRY_ERROR,
        "failed with MQRC_EXPIRY_ERROR, which MQGET never returns",
    ),
    ValueRule(
        "CVP-07", lambda s: _get(s) and s.asks(MQGMO.CONVERT), ("options", "reason"),
        lambda s: s.comp_code == MQCC.FAILED and s.reason in _CONVERSION,
        "failed because its message could not be converted, which is a warning",
    ),
    ValueRule(
        "DEP-08", lambda s: s.call == "MQBACK", ("reason",), lambda s: s.reason == MQRC.Q_FULL,
        "failed with MQRC_Q_FULL",
    ),
    ValueRule(
        "PUT-21", _returned, ("msg_flags",), lambda s: with_implied(s.msg_flags or 0) != (s.msg_flags or 0),
        "returned a message without the MsgFlags that its others imply",
    ),
    ValueRule(
        "PUT-26", lambda s: _put(s) and _completed(s), ("null_msg_id",), lambda s: bool(s.null_msg_id),
        "completed and left its message without a MsgId",
    ),
    ValueRule(
        "GST-01", _returned, ("msg_flags", "group_status"),
        lambda s: s.group_status != group_status(with_implied(s.msg_flags or 0)),
        "returned a GroupStatus that contradicts the group flags of its message",
    ),
    ValueRule(
        "GST-02", lambda s: _returned(s) and s.reason not in _PARTIAL, ("msg_flags", "segment_status"),
        lambda s: s.segment_status != segment_status(with_implied(s.msg_flags or 0), zos=False),
        "returned a SegmentStatus that contradicts the segment flags of its message", platforms=_ELSEWHERE,
    ),
    ValueRule(
        "GST-04", _returned, ("segment_status",), lambda s: s.segment_status != MQSS.NOT_A_SEGMENT,
        "returned a SegmentStatus that is not blank", platforms=("zos",),
    ),
    ValueRule(
        "EXP-10", _returned, ("expiry",), lambda s: s.expiry in (Expiry.ZERO, Expiry.BELOW),
        "returned a message with an Expiry that no returned message has: neither above zero nor MQEI_UNLIMITED",
    ),
)  # fmt: skip  # rows
"""The rules about values of one call."""


def judge_values(shape: Shape, platform: PlatformName, judgement: Judgement) -> None:
    """Judge a shape by every rule about values."""
    for row in VALUE_RULES:
        if platform not in row.platforms or not row.about(shape):
            continue
        missing = [name for name in row.needs if getattr(shape, name) is None]
        if missing and row.counts:
            judgement.lacks(row.rule, *(_COLUMNS.get(name, name) for name in missing))
        if missing:
            continue
        if row.counts:
            judgement.checks((row.rule,))
        if row.broken(shape):
            sentence = f"{{call}} by connection {{conn}} {row.says}"
            lacks = LACKS_CALLS if row.proof or row.looks_back else row.if_incomplete
            judgement.breaks(Violation(row.rule, sentence, row.proof, lacks, row.unless))


_COLUMNS: Final = {
    "seq_valid": "msg_seq_number",
    "offset_sign": "offset",
    "backout_count_sign": "backout_count",
    "duration": "wait_ms",
    "handle": "hobj",
    "may_hold_lock": "MQOPEN",
    "definition_type": "DefinitionType",
    "null_msg_id": "msg_id",
    "got": "msg_flags",
}
