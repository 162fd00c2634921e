"""Explanations of an output of MQGET that tells by its value which rule is broken."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from oracle.judging.case import Case
from oracle.judging.compare import Difference
from oracle.model.groups.get_groups import group_status, segment_status, segmentation
from oracle.mqi.calls import Back, Get
from oracle.mqi.constants import MQEI

_EXPIRY: Final = "MQMD.Expiry"
_CAPS: Final = "CAP-01"
"""The rule by which an Expiry above CAPEXPRY is lowered."""

_COUNT: Final = "MQMD.BackoutCount"
_TAKES_NOTHING: Final = "TRN-11"
"""The rule by which a get under syncpoint takes nothing if the message does not fit."""

_USER: Final = "MQMD.UserIdentifier"
_OWN_USER: Final = "USR-01"
"""The rule by which a message records the user of its connection, if its put says nothing else."""

_STALE: Final = "GST-07"
"""The rule by which what was passed to a get shows in none of its outputs."""


_GIVEN: Final[Mapping[str, Callable[[Get], object]]] = {
    "MQMD.MsgFlags": lambda call: call.descriptor.msg_flags,
    "MQGMO.GroupStatus": lambda call: call.options.group_status,
    "MQGMO.SegmentStatus": lambda call: call.options.segment_status,
    "MQGMO.Segmentation": lambda call: call.options.segmentation,
}
"""The outputs that a get has as inputs too, and the value that was passed."""

_OF_FLAGS: Final[Mapping[str, Callable[[int], str]]] = {
    "MQGMO.GroupStatus": group_status,
    "MQGMO.SegmentStatus": lambda flags: segment_status(flags, zos=False),
    "MQGMO.Segmentation": lambda flags: segmentation(flags, zos=False),
}
"""The outputs that tell of the flags of a message."""


def of_output(case: Case, item: Difference) -> tuple[str, ...]:
    """Return the rule that the value of an output tells to be broken; none if it tells of none."""
    call = case.call
    if not isinstance(call, Get) or item.waited:
        return ()
    if _exceeds_cap(case, call, item):
        return (_CAPS,)
    if item.member == _COUNT and item.observed == _due_count(case) + 1 and _was_taken(case):
        return (_TAKES_NOTHING,)
    if item.member == _USER and _OWN_USER in item.rules:
        return (_OWN_USER,)
    return (_STALE,) if _STALE in case.nearest.rules and _is_as_passed(call, item) else ()


def _due_count(case: Case) -> int:
    md = case.nearest.reply.descriptor
    return 0 if md is None else md.backout_count


def _was_taken(case: Case) -> bool:
    """Return whether a get in a unit of work that was backed out must have left the message, which did not fit."""
    ended = [number for number, (call, _, _) in enumerate(case.timeline) if isinstance(call, Back)]
    return bool(ended) and any(_TAKES_NOTHING in rules for _, _, rules in case.timeline[: ended[-1]])


def _exceeds_cap(case: Case, call: Get, item: Difference) -> bool:
    """Return whether a message whose Expiry was lowered lives longer than the CAPEXPRY of its queue."""
    if item.member != _EXPIRY or _CAPS not in item.rules:
        return False
    handle = case.state.handles.get((call.conn, call.hobj))
    queue = None if handle is None else case.state.queues.get(handle.queue)
    cap = 0 if queue is None else queue.definition.cap_expiry
    return bool(cap) and isinstance(item.observed, int) and (item.observed == MQEI.UNLIMITED or item.observed > cap)


def _is_as_passed(call: Get, item: Difference) -> bool:
    """Return whether an output has the value that was passed, or tells of the MsgFlags that were."""
    given, told = _GIVEN.get(item.member), _OF_FLAGS.get(item.member)
    if given is not None and item.observed == given(call):
        return True
    return told is not None and item.observed == told(call.descriptor.msg_flags)
