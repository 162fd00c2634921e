"""The rules about groups and segments that bear on a put, as a table: each rule beside its situation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from oracle.model.groups.put_groups import GROUP_FLAGS, SEGMENT_FLAGS
from oracle.model.handles import NOTHING_CURRENT
from oracle.model.requests.put import PutRequest
from oracle.model.state import State


def _previous_was_ordered(put: PutRequest) -> bool:
    return put.information.logical_order


def _both_incomplete(put: PutRequest) -> bool:
    """Return whether a put leaves both its group and its logical message unfinished."""
    info, flags = put.information, put.descriptor.msg_flags
    if put.logical_order:
        return info.in_group and info.in_logical_message and not flags & (GROUP_FLAGS | SEGMENT_FLAGS)
    return info.in_group and info.in_logical_message and info.logical_order


def _gets_have_information(put: PutRequest) -> bool:
    handle = put.handle
    return handle is not None and not handle.removing == handle.browsing == NOTHING_CURRENT


_BEARING: Final[tuple[tuple[str, Callable[[PutRequest], bool]], ...]] = (
    ("PTB-14", lambda put: not put.logical_order and put.information.unfinished and _previous_was_ordered(put)),
    ("PTB-15", lambda put: not put.logical_order and put.information.unfinished and not _previous_was_ordered(put)),
    ("PTB-20", _both_incomplete),
    ("PTB-25", lambda put: put.logical_order and put.information != NOTHING_CURRENT and not _previous_was_ordered(put)),
    ("LOG-30", lambda put: put.logical_order and _gets_have_information(put)),
)


def rules_of_put(state: State, put: PutRequest) -> tuple[str, ...]:
    """Return the rules about groups that bear on a put because of what its handle retains."""
    if put.handle is None or not (put.logical_order or put.information.unfinished):
        return ()
    rules = tuple(rule for rule, bears in _BEARING if bears(put))
    return (*rules, "PTB-23") if _goes_on_after_commit(state, put) else rules


def _goes_on_after_commit(state: State, put: PutRequest) -> bool:
    """Return whether the put continues a group that was begun in an earlier unit of work of its connection."""
    info = put.information
    if put.handle is None or not (put.logical_order and info.unfinished and info.in_unit_of_work):
        return False
    work = state.connections[put.call.conn].unit_of_work
    return put.in_unit_of_work and (work is None or put.handle.hobj not in work.saved)
