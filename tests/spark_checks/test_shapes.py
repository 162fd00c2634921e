"""Every rule that shapes decide accepts one shape and rejects another; these tests need no Spark."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.model.requests.option_matrix import EXCLUSIONS, KNOWN, REQUIREMENTS, broken_rules
from oracle.mqi.constants import MQCC, MQCO, MQGMO, MQMF, MQMO, MQOO, MQPMO, MQRC
from oracle.mqi.profile import PlatformName
from spark_checks.shapes.grouping import judge_batches
from spark_checks.shapes.judging import SHAPE_RULES, judge
from spark_checks.shapes.shape import Duration, Expiry, HandleState, Identity, OffsetPlace, Shape

GOT = Shape(
    "MQGET", MQCC.OK, MQRC.NONE, options=MQGMO.NO_SYNCPOINT, match_options=0, opened=MQOO.INPUT_SHARED | MQOO.BROWSE,
    handle=HandleState.OPEN, in_unit=False, wait=0, fits=True, empty=False, short_buffer=False, priority=0,
    persistence=0, expiry=Expiry.UNLIMITED, msg_flags=0, group_id=Identity.NULL, first_in_group=True, seq_valid=True,
    offset_sign=0, group_status=" ", segment_status=" ", backout_count_sign=0, transmission=False,
    known=True, got=-1,
)  # fmt: skip  # members
"""An ordinary MQGET of an ordinary message, the first on its handle."""

FAILED = Shape(
    "MQGET", MQCC.FAILED, MQRC.NO_MSG_AVAILABLE, options=MQGMO.NO_SYNCPOINT, match_options=0,
    opened=MQOO.INPUT_SHARED | MQOO.BROWSE, handle=HandleState.OPEN, in_unit=False, wait=0, short_buffer=False,
    known=True, got=-1,
)  # fmt: skip  # members

PUT = Shape(
    "MQPUT", MQCC.OK, MQRC.NONE, options=MQPMO.NO_SYNCPOINT, opened=MQOO.OUTPUT, handle=HandleState.OPEN,
    in_unit=False, empty=False, priority=0, persistence=0, expiry=Expiry.UNLIMITED, msg_type=8, msg_flags=0, report=0,
    transmission=False, reply_to_q=False, group_id=Identity.NULL, first_in_group=True, seq_valid=True, offset_sign=0,
    original_length="undefined", too_long=False, null_msg_id=False, known=True, put=-1,
)  # fmt: skip  # members

OPENED = Shape("MQOPEN", MQCC.OK, MQRC.NONE, options=MQOO.INPUT_SHARED)
CLOSED = Shape(
    "MQCLOSE",
    MQCC.OK,
    MQRC.NONE,
    options=0,
    opened=MQOO.INPUT_SHARED,
    handle=HandleState.OPEN,
    known=True,
    got=-1,
    browsed=-1,
    put=-1,
)

_GROUP, _LAST = MQMF.MSG_IN_GROUP, MQMF.MSG_IN_GROUP | MQMF.LAST_MSG_IN_GROUP
_SEGMENT, _WHOLE = MQMF.SEGMENT, MQMF.SEGMENT | MQMF.LAST_SEGMENT
_LOGICAL = MQGMO.LOGICAL_ORDER | MQGMO.NO_SYNCPOINT

IN_GROUP = replace(
    GOT, options=_LOGICAL, msg_flags=_GROUP, group_id="given", group_status="G", got=_GROUP, got_logical=True,
    got_unit=False, same_group=True, seq_step=1, place=OffsetPlace.ZERO, first_in_group=False,
)  # fmt: skip  # members
"""The next message of a group, in logical order."""

IN_MESSAGE = replace(
    IN_GROUP,
    msg_flags=_SEGMENT,
    group_status=" ",
    segment_status="S",
    got=_SEGMENT,
    seq_step=0,
    place=OffsetPlace.NEXT,
    offset_sign=1,
    first_in_group=True,
)
"""The next segment of a message outside any group, in logical order."""

PUT_IN_GROUP = replace(
    PUT, options=MQPMO.LOGICAL_ORDER | MQPMO.NO_SYNCPOINT, msg_flags=_GROUP, group_id="given", put=_GROUP,
    put_logical=True, put_unit=False, put_persistence=0, same_group=True, seq_step=1, place=OffsetPlace.ZERO,
    first_in_group=False,
)  # fmt: skip  # members

UNLOCKED = replace(FAILED, comp_code=MQCC.OK, reason=MQRC.NONE, options=MQGMO.UNLOCK, may_hold_lock=True)
CURSOR = replace(GOT, options=MQGMO.MSG_UNDER_CURSOR | MQGMO.NO_SYNCPOINT, cursor=Identity.SAME, cursor_offset=False)
BROWSED = replace(GOT, options=MQGMO.BROWSE_FIRST, got=None, browsed=-1)


def but(shape: Shape, **members: Any) -> Shape:
    """Return a shape with some members changed."""
    return replace(shape, **members)


CASES: dict[str, tuple[Shape, Shape]] = {
    "BOC-04": (GOT, but(GOT, backout_count_sign=-1)),
    "BRW-14": (
        but(BROWSED, options=MQGMO.BROWSE_NEXT, browsed=0, first_order=False, last_order=False),
        but(BROWSED, options=MQGMO.BROWSE_NEXT, browsed=0, first_order=True, last_order=True),
    ),
    "BRW-15": (BROWSED, but(FAILED, options=MQGMO.BROWSE_FIRST, reason=MQRC.INCONSISTENT_BROWSE)),
    "CHK-05": (GOT, but(GOT, short_buffer=True)),
    "CHK-06": (but(GOT, options=MQGMO.WAIT, wait=1), but(GOT, options=MQGMO.WAIT, wait=-2)),
    "CHK-07": (GOT, but(GOT, options=1 << 30)),
    "CLO-01": (CLOSED, but(CLOSED, options=MQCO.DELETE | MQCO.DELETE_PURGE)),
    "CLO-02": (
        but(CLOSED, options=MQCO.DELETE, definition_type="PERMANENT_DYNAMIC"),
        but(CLOSED, options=MQCO.DELETE, definition_type="PREDEFINED"),
    ),
    "CLO-10": (but(CLOSED, options=MQCO.KEEP_SUB), but(CLOSED, options=1 << 30)),
    "CMP-01": (but(GOT, options=MQGMO.COMPLETE_MSG), but(GOT, options=MQGMO.COMPLETE_MSG, offset_sign=1)),
    "CON-01": (Shape("MQCMIT", 0, 0), Shape("MQCMIT", 0, 0, handle=HandleState.DISCONNECTED)),
    "CON-02": (GOT, but(GOT, handle=HandleState.CLOSED)),
    "CON-03": (GOT, but(GOT, handle=HandleState.NEVER)),
    "CUR-03": (CURSOR, but(CURSOR, cursor=Identity.OTHER)),
    "CVP-07": (
        but(GOT, options=MQGMO.CONVERT, comp_code=MQCC.WARNING, reason=MQRC.FORMAT_ERROR),
        but(FAILED, options=MQGMO.CONVERT, reason=MQRC.FORMAT_ERROR),
    ),
    "DEP-08": (Shape("MQBACK", 0, 0), Shape("MQBACK", MQCC.FAILED, MQRC.Q_FULL)),
    "EXP-10": (GOT, but(GOT, expiry=Expiry.ZERO)),
    "EXP-19": (PUT, but(PUT, expiry=Expiry.ZERO)),
    "EXP-21": (
        but(PUT, expiry=Expiry.LIMITED),
        but(PUT, comp_code=MQCC.FAILED, reason=MQRC.EXPIRY_ERROR, expiry=Expiry.LIMITED),
    ),
    "EXP-23": (PUT, but(PUT, expiry=Expiry.BELOW)),
    "EXP-25": (FAILED, but(FAILED, reason=MQRC.EXPIRY_ERROR)),
    "GST-01": (GOT, but(GOT, group_status="G")),
    "GST-02": (
        but(GOT, options=MQGMO.COMPLETE_MSG, msg_flags=_WHOLE, group_id="given", segment_status="L"),
        but(GOT, options=MQGMO.COMPLETE_MSG, msg_flags=_WHOLE, group_id="given", segment_status="S"),
    ),
    "IDS-07": (PUT, but(PUT, comp_code=MQCC.FAILED, reason=MQRC.CORREL_ID_ERROR)),
    "INQ-01": (
        Shape("MQINQ", 0, 0, opened=MQOO.INQUIRE, handle=HandleState.OPEN),
        Shape("MQINQ", 0, 0, opened=MQOO.OUTPUT, handle=HandleState.OPEN),
    ),
    "INQ-04": (
        Shape("MQSET", 0, 0, opened=MQOO.SET, handle=HandleState.OPEN),
        Shape("MQSET", 0, 0, opened=MQOO.OUTPUT, handle=HandleState.OPEN),
    ),
    "LCK-17": (UNLOCKED, but(UNLOCKED, may_hold_lock=False)),
    "LOG-16": (IN_MESSAGE, but(IN_MESSAGE, place=OffsetPlace.ELSEWHERE)),
    "LOG-17": (IN_GROUP, but(IN_GROUP, seq_step=2)),
    "LOG-18": (
        but(IN_GROUP, got=_GROUP | _SEGMENT, msg_flags=_GROUP | _SEGMENT, segment_status="S", seq_step=0,
            place=OffsetPlace.NEXT, offset_sign=1),
        but(IN_GROUP, got=_GROUP | _SEGMENT, msg_flags=_GROUP | _SEGMENT, segment_status="S", seq_step=0,
            place=OffsetPlace.ELSEWHERE, offset_sign=1),
    ),
    "LOG-15": (but(GOT, options=_LOGICAL), but(GOT, options=_LOGICAL, first_in_group=False)),
    "LOG-23": (
        but(FAILED, got=_GROUP, got_logical=True, got_unit=True, in_unit=True, options=MQGMO.SYNCPOINT),
        but(FAILED, got=_GROUP, got_logical=True, got_unit=True, in_unit=True, options=MQGMO.SYNCPOINT,
            reason=MQRC.INCONSISTENT_UOW),
    ),
    "LOG-25": (FAILED, but(FAILED, reason=MQRC.INCONSISTENT_UOW)),
    "LOG-39": (
        but(CLOSED, comp_code=MQCC.WARNING, reason=MQRC.INCOMPLETE_GROUP, got=_GROUP, got_logical=True),
        but(CLOSED, got=_GROUP, got_logical=True),
    ),
    "LOG-40": (
        but(CLOSED, got=_GROUP, got_logical=False),
        but(CLOSED, comp_code=MQCC.WARNING, reason=MQRC.INCOMPLETE_GROUP, got=_GROUP, got_logical=False),
    ),
    "LOG-42": (
        but(FAILED, options=MQGMO.BROWSE_FIRST), but(FAILED, options=MQGMO.BROWSE_FIRST, reason=MQRC.INCONSISTENT_UOW),
    ),
    "LOG-47": (FAILED, but(FAILED, reason=MQRC.Q_INDEX_TYPE_ERROR)),
    "MTC-01": (
        but(GOT, match_options=MQMO.MATCH_MSG_ID, by_msg_id=Identity.SAME),
        but(GOT, match_options=MQMO.MATCH_MSG_ID, by_msg_id=Identity.OTHER),
    ),
    "MTC-10": (GOT, but(GOT, match_options=1 << 20)),
    "MTC-12": (
        but(GOT, options=MQGMO.WAIT, wait=1, match_options=MQMO.MATCH_MSG_ID),
        but(GOT, options=MQGMO.WAIT, wait=1, match_options=MQMO.MATCH_MSG_TOKEN),
    ),
    "MTC-16": (
        but(GOT, match_options=MQMO.MATCH_MSG_SEQ_NUMBER, sel_seq_valid=True, by_seq_number=True),
        but(GOT, match_options=MQMO.MATCH_MSG_SEQ_NUMBER, sel_seq_valid=False, by_seq_number=True),
    ),
    "OPN-01": (OPENED, but(OPENED, options=MQOO.FAIL_IF_QUIESCING)),
    "OPN-02": (OPENED, but(OPENED, options=MQOO.INPUT_SHARED | MQOO.INPUT_EXCLUSIVE)),
    "OPN-03": (OPENED, but(OPENED, options=MQOO.OUTPUT | MQOO.BIND_ON_OPEN | MQOO.BIND_NOT_FIXED)),
    "OPN-04": (OPENED, but(OPENED, options=MQOO.INPUT_SHARED | MQOO.READ_AHEAD | MQOO.NO_READ_AHEAD)),
    "OPN-05": (OPENED, but(OPENED, options=MQOO.OUTPUT | MQOO.SAVE_ALL_CONTEXT)),
    "OPN-06": (OPENED, but(OPENED, options=MQOO.INPUT_SHARED | MQOO.SET_ALL_CONTEXT)),
    "OPN-07": (OPENED, but(OPENED, options=MQOO.INPUT_SHARED | MQOO.CO_OP)),
    "OPN-08": (OPENED, but(OPENED, options=MQOO.INPUT_SHARED | MQOO.NO_MULTICAST)),
    "OPN-09": (OPENED, but(OPENED, options=MQOO.INPUT_SHARED | 1 << 30)),
    "OPN-13": (
        but(OPENED, options=MQOO.BROWSE),
        but(OPENED, options=MQOO.BROWSE, comp_code=MQCC.FAILED, reason=MQRC.OBJECT_IN_USE),
    ),
    "OPN-16": (GOT, but(GOT, opened=MQOO.OUTPUT)),
    "OPN-17": (PUT, but(PUT, opened=MQOO.INPUT_SHARED)),
    "OPT-03": (but(GOT, options=0), but(FAILED, options=0, reason=MQRC.OPTIONS_ERROR)),
    "OPT-19": (
        but(BROWSED, options=MQGMO.BROWSE_FIRST | MQGMO.MARK_BROWSE_CO_OP, opened=MQOO.BROWSE | MQOO.CO_OP),
        but(BROWSED, options=MQGMO.BROWSE_FIRST | MQGMO.MARK_BROWSE_CO_OP),
    ),
    "OPT-24": (
        but(BROWSED, options=MQGMO.BROWSE_FIRST | MQGMO.UNMARK_BROWSE_CO_OP, opened=MQOO.BROWSE | MQOO.CO_OP),
        but(BROWSED, options=MQGMO.BROWSE_FIRST | MQGMO.UNMARK_BROWSE_CO_OP),
    ),
    "OPT-29": (
        but(GOT, options=MQGMO.COMPLETE_MSG, match_options=MQMO.MATCH_MSG_ID),
        but(GOT, options=MQGMO.COMPLETE_MSG, match_options=MQMO.MATCH_OFFSET),
    ),
    "OPT-32": (BROWSED, but(BROWSED, opened=MQOO.INPUT_SHARED)),
    "OPT-33": (CURSOR, but(CURSOR, opened=MQOO.BROWSE)),
    "OPT-34": (UNLOCKED, but(UNLOCKED, comp_code=MQCC.FAILED, reason=MQRC.NOT_OPEN_FOR_INPUT)),
    "PER-01": (GOT, but(GOT, persistence=2)),
    "PER-05": (
        but(PUT, persistence=1, definition_type="PREDEFINED"),
        but(PUT, persistence=1, definition_type="TEMPORARY_DYNAMIC"),
    ),
    "PRI-01": (GOT, but(GOT, priority=-1)),
    "PTB-06": (PUT_IN_GROUP, but(PUT_IN_GROUP, seq_step=2)),
    "PTB-08": (PUT, but(PUT, group_id="given")),
    "PTB-21": (PUT_IN_GROUP, but(PUT_IN_GROUP, put_persistence=1)),
    "PTB-22": (PUT_IN_GROUP, but(PUT_IN_GROUP, put_unit=True)),
    "PUT-01": (PUT, but(PUT, options=MQPMO.SYNCPOINT | MQPMO.NO_SYNCPOINT)),
    "PUT-02": (PUT, but(PUT, options=MQPMO.NO_CONTEXT | MQPMO.DEFAULT_CONTEXT)),
    "PUT-03": (PUT, but(PUT, options=MQPMO.ASYNC_RESPONSE | MQPMO.SYNC_RESPONSE)),
    "PUT-04": (PUT, but(PUT, options=MQPMO.ALTERNATE_USER_AUTHORITY)),
    "PUT-05": (
        but(PUT, call="MQPUT1", opened=None, handle=None, known=None),
        but(PUT, call="MQPUT1", opened=None, handle=None, known=None, options=MQPMO.LOGICAL_ORDER),
    ),
    "PUT-06": (PUT, but(PUT, options=1 << 30)),
    "PUT-10": (but(PUT, msg_type=112), but(PUT, msg_type=9)),
    "PUT-11": (but(PUT, msg_type=1, reply_to_q=True), but(PUT, msg_type=1)),
    "PUT-12": (PUT, but(PUT, persistence=3)),
    "PUT-13": (but(PUT, priority=-2), but(PUT, priority=-4)),
    "PUT-15": (PUT, but(PUT, msg_flags=1 << 10)),
    "PUT-16": (PUT, but(PUT, report=1 << 18)),
    "PUT-17": (
        but(PUT, msg_flags=_GROUP, group_id="given"),
        but(PUT, msg_flags=_GROUP, group_id="given", seq_valid=False, first_in_group=False),
    ),
    "PUT-18": (
        but(PUT, msg_flags=_SEGMENT, group_id="given"), but(PUT, msg_flags=_SEGMENT, group_id="given", offset_sign=-1),
    ),
    "PUT-19": (
        but(PUT, msg_flags=_SEGMENT, group_id="given"), but(PUT, msg_flags=_SEGMENT, group_id="given", empty=True),
    ),
    "PUT-20": (
        but(PUT, msg_flags=_SEGMENT, group_id="given", msg_type=4, original_length="enough"),
        but(PUT, msg_flags=_SEGMENT, group_id="given", msg_type=4, original_length="short"),
    ),
    "PUT-21": (GOT, but(GOT, msg_flags=MQMF.LAST_SEGMENT, group_id="given")),
    "PUT-26": (PUT, but(PUT, null_msg_id=True)),
    "QSC-05": (FAILED, but(FAILED, reason=MQRC.Q_MGR_QUIESCING)),
    "SIG-17": (FAILED, but(FAILED, comp_code=MQCC.WARNING, reason=MQRC.SIGNAL_REQUEST_ACCEPTED)),
    "SIZ-04": (PUT, but(PUT, too_long=True)),
    "TRM-02": (PUT, but(PUT, comp_code=MQCC.FAILED, reason=MQRC.MSG_ID_ERROR)),
    "TRM-04": (
        but(GOT, msg_flags=_SEGMENT, segment_status="S", group_id="given"),
        but(GOT, msg_flags=_SEGMENT, segment_status="S"),
    ),
    "TRM-05": (
        but(GOT, msg_flags=MQMF.SEGMENTATION_ALLOWED, group_id="given"), but(GOT, msg_flags=MQMF.SEGMENTATION_ALLOWED),
    ),
    "TRM-06": (GOT, but(GOT, group_id="given")),
    "TRM-07": (
        but(GOT, msg_flags=_GROUP, group_status="G", group_id="given"),
        but(GOT, msg_flags=_GROUP, group_status="G", group_id="given", seq_valid=False),
    ),
    "TRN-01": (
        but(GOT, options=MQGMO.ACCEPT_TRUNCATED_MSG, fits=False, comp_code=1, reason=MQRC.TRUNCATED_MSG_ACCEPTED),
        but(GOT, options=MQGMO.ACCEPT_TRUNCATED_MSG, fits=False),
    ),
    "TRN-04": (but(GOT, fits=False, comp_code=1, reason=MQRC.TRUNCATED_MSG_FAILED), but(GOT, fits=False)),
    "TRN-08": (GOT, but(GOT, comp_code=1, reason=MQRC.TRUNCATED_MSG_FAILED)),
    "WAI-01": (
        but(FAILED, options=MQGMO.WAIT, wait=1, duration=Duration.OPEN),
        but(FAILED, options=MQGMO.WAIT, wait=1, duration=Duration.SHORT),
    ),
    "WAI-09": (
        but(FAILED, options=MQGMO.MSG_UNDER_CURSOR, reason=MQRC.NO_MSG_UNDER_CURSOR),
        but(FAILED, options=MQGMO.MSG_UNDER_CURSOR),
    ),
    "WAI-12": (
        but(GOT, options=MQGMO.WAIT, wait=-1), but(FAILED, options=MQGMO.WAIT, wait=-1),
    ),
}  # fmt: skip  # rows
"""By rule: a shape that keeps it, and one that breaks it, on a distributed queue manager."""

ON_ZOS: dict[str, tuple[Shape, Shape]] = {
    "GST-04": (
        but(GOT, options=MQGMO.COMPLETE_MSG, msg_flags=_WHOLE, group_id="given"),
        but(GOT, options=MQGMO.COMPLETE_MSG, msg_flags=_WHOLE, group_id="given", segment_status="L"),
    ),
    "LOG-45": (
        but(GOT, options=_LOGICAL, index_type="GROUP_ID"),
        but(GOT, options=_LOGICAL, index_type="NONE"),
    ),
    "SEG-05": (PUT, but(PUT, msg_flags=MQMF.SEGMENTATION_ALLOWED, too_long=True)),
    "SIG-03": (
        but(FAILED, options=MQGMO.SET_SIGNAL, comp_code=1, reason=MQRC.SIGNAL_REQUEST_ACCEPTED, wait=1),
        but(FAILED, options=MQGMO.SET_SIGNAL, wait=1),
    ),
}


def broken(shape: Shape, platform: PlatformName = "distributed") -> set[str]:
    """Return the rules that a shape breaks."""
    return {violation.rule for violation in judge(shape, platform).violations}


@pytest.mark.parametrize("rule", sorted(CASES))
def test_a_rule_accepts_and_rejects(rule: str) -> None:
    kept, violated = CASES[rule]
    assert broken(kept) == set()
    assert rule in broken(violated)


@pytest.mark.parametrize("rule", sorted(ON_ZOS))
def test_a_rule_of_zos_accepts_and_rejects(rule: str) -> None:
    kept, violated = ON_ZOS[rule]
    assert broken(kept, "zos") == set()
    assert rule in broken(violated, "zos") | {"SEG-05" for one in broken(violated, "zos") if one == "SIZ-04"}


@pytest.mark.parametrize(
    "options",
    [
        MQGMO.MSG_UNDER_CURSOR | MQGMO.COMPLETE_MSG,
        MQGMO.BROWSE_MSG_UNDER_CURSOR | MQGMO.ALL_MSGS_AVAILABLE,
        MQGMO.BROWSE_MSG_UNDER_CURSOR | MQGMO.UNMARKED_BROWSE_MSG,
    ],
)
def test_what_may_withhold_the_message_under_the_cursor_may_do_so_with_either_reason(options: int) -> None:
    assert broken(but(FAILED, options=options)) == set()


@pytest.mark.parametrize("values", [{"priority": -3}, {"msg_type": 113}])
def test_values_that_may_be_valid_are_accepted_and_refused(values: dict[str, int]) -> None:
    assert broken(but(PUT, **values)) == set()
    for reason in (MQRC.PRIORITY_ERROR, MQRC.MSG_TYPE_ERROR):
        assert broken(but(PUT, comp_code=MQCC.FAILED, reason=reason, **values)) == set()


@pytest.mark.parametrize(
    ("before", "now", "lacks"),
    [
        (2, 2, None),
        (2, 0, "DefPersistence"),
        (1, 2, "DefPersistence"),
        (None, 1, "persistence"),
        (2, None, "persistence"),
    ],
)
def test_a_persistence_left_to_the_queue_is_no_value_that_differs(
    before: int | None, now: int | None, lacks: str | None
) -> None:
    judgement = judge(but(PUT_IN_GROUP, persistence=now, put_persistence=before), "distributed")
    assert {violation.rule for violation in judgement.violations} == set()
    assert ("PTB-21" in judgement.checked) == (lacks is None)
    assert lacks is None or lacks in judgement.lacking["PTB-21"]


@pytest.mark.parametrize("definition_type", ["PREDEFINED", "TEMPORARY_DYNAMIC"])
def test_a_put_that_shows_the_values_it_asked_for_is_no_wrong_put(definition_type: str) -> None:
    left = but(PUT, priority=-1, persistence=2, definition_type=definition_type)
    assert broken(left) == set()
    assert broken(but(left, comp_code=MQCC.FAILED, reason=MQRC.PERSISTENT_NOT_ALLOWED)) == set()


@pytest.mark.parametrize("fits", [True, False])
def test_nothing_is_said_of_the_length_of_a_message_that_was_converted(*, fits: bool) -> None:
    converted = but(GOT, options=MQGMO.CONVERT | MQGMO.ACCEPT_TRUNCATED_MSG, fits=fits)
    assert broken(converted) == set()
    assert broken(but(converted, comp_code=1, reason=MQRC.TRUNCATED_MSG_ACCEPTED)) == set()
    assert "TRN-04" in broken(but(GOT, fits=False))


@pytest.mark.parametrize("exclusion", EXCLUSIONS, ids=lambda one: one.rule)
def test_options_that_exclude_each_other_must_be_refused(exclusion: Any) -> None:
    other = exclusion.excludes & -exclusion.excludes
    options = exclusion.option | other
    found = judge(but(GOT, options=options, opened=MQOO.INPUT_SHARED | MQOO.BROWSE | MQOO.CO_OP), "zos")
    assert {violation.rule for violation in found.violations} & set(broken_rules(options))
    assert exclusion.rule in found.checked


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=lambda one: one.rule)
def test_options_that_need_others_must_be_refused_without(requirement: Any) -> None:
    found = broken(but(GOT, options=requirement.option, opened=MQOO.INPUT_SHARED | MQOO.BROWSE | MQOO.CO_OP), "zos")
    assert found & set(broken_rules(requirement.option))


@given(options=st.integers(0, KNOWN).map(lambda bits: bits & KNOWN), platform=st.sampled_from(["distributed", "zos"]))
def test_a_refusal_of_wrong_options_is_never_a_violation(options: int, platform: PlatformName) -> None:
    if any(broken_rules(options)):
        assert broken(but(FAILED, options=options, reason=MQRC.OPTIONS_ERROR), platform) == set()


@pytest.mark.parametrize("rule", sorted(CASES))
def test_what_was_not_captured_breaks_nothing(rule: str) -> None:
    _, violated = CASES[rule]
    forgotten = Shape(violated.call, violated.comp_code, violated.reason)
    about_the_reason = {"CVP-07", "DEP-08", "EXP-25", "IDS-07", "LOG-47", "OPN-13", "SIG-17", "TRM-02"}
    assert broken(forgotten) <= {rule} & about_the_reason


def test_nothing_is_said_of_a_call_whose_outcome_is_not_known() -> None:
    for shape in (GOT, PUT, OPENED, CLOSED, FAILED):
        assert not judge(replace(shape, comp_code=None, reason=None), "distributed").violations


def test_a_violation_names_a_rule_that_shapes_decide() -> None:
    for _, violated in CASES.values():
        assert broken(violated) <= set(SHAPE_RULES)


@pytest.mark.parametrize("reason", [MQRC.INCONSISTENT_UOW, MQRC.INCOMPLETE_GROUP, MQRC.INCOMPLETE_MSG])
def test_a_warning_about_the_current_group_breaks_nothing_where_that_is_not_known(reason: int) -> None:
    warned = but(GOT, comp_code=MQCC.WARNING, reason=reason, options=MQGMO.SYNCPOINT | MQGMO.MARK_SKIP_BACKOUT)
    assert broken(but(warned, known=False, got=None)) == set()


@pytest.mark.parametrize("before", ["got", "browsed", "put"])
def test_nothing_rests_on_a_message_before_whose_flags_were_not_captured(before: str) -> None:
    unknown = {before: None}
    warned = {"comp_code": MQCC.WARNING, "reason": MQRC.INCOMPLETE_GROUP}
    assert broken(but(CLOSED, **unknown)) == broken(but(CLOSED, **warned, **unknown)) == set()
    assert broken(but(GOT, options=_LOGICAL, first_in_group=False, got=None)) == set()
    assert broken(but(FAILED, reason=MQRC.INCONSISTENT_UOW, got=None)) == set()
    assert broken(but(PUT_IN_GROUP, put=None)) == set()
    assert broken(but(CLOSED, **warned)) != set()


@pytest.mark.parametrize(("shape", "said"), [(Shape("MQCONN"), False), (OPENED, True)])
def test_calls_that_no_rule_is_about_are_judged_too(shape: Shape, said: bool) -> None:
    batch = pa.RecordBatch.from_pylist([{"shape_id": 1, "calls": 7, "shape": asdict(shape)}])
    (found,) = judge_batches("distributed", [batch])
    assert found.schema.names[:3] == ["shape_id", "calls", "said"]
    assert (found.num_rows > 0) is said
