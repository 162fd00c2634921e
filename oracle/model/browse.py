"""The browse cursor and the lock: how each MQGET that browses moves the one and takes or releases the other.

The functions follow two tables of the documents: how calls move the cursor (BRW-04 to BRW-10, CUR-06) and how they
release the lock (LCK-09 to LCK-15).
"""

from __future__ import annotations

from oracle.constants import MQGMO
from oracle.model.get_request import GetRequest
from oracle.model.groups import information_after
from oracle.model.logical_messages import Found
from oracle.model.marks import set_marks
from oracle.model.messages import Position
from oracle.model.state import GroupInformation, Handle
from oracle.model.step import Step


def release_lock(handle: Handle) -> None:
    """Unlock whatever the handle has locked."""
    handle.locked = ()


def after_browse(step: Step, request: GetRequest, found: Found, info: GroupInformation) -> None:
    """Move the cursor onto the message that a browse returned, set marks, and lock or unlock."""
    handle = request.handle
    places = tuple(segment.position for segment in found.segments)
    set_marks(step, request, found.first)
    locks = request.asks(MQGMO.LOCK)
    handle.browsing = info
    step.because("BRW-02")
    if request.scans:
        if handle.locked:
            step.because("LCK-09", "LCK-02")
        handle.cursor = found.first.position
        handle.browse_orders = frozenset({request.logical_order})
        handle.locked = places if locks else ()
        scope = "LCK-03" if found.reassembled else "LCK-04"
        step.because("BRW-04", *(("BRW-11", scope) if locks else ()))
        return
    # S6: the order that a later BROWSE_NEXT must keep may be that of this call too
    handle.browse_orders |= {request.logical_order}
    step.because("CUR-06")
    if locks and handle.locked:
        handle.locked = _kept_lock(step, handle.locked, places)
    elif locks:
        step.because("CUR-08")
        handle.locked = places
    elif handle.locked:
        step.because("CUR-09", "LCK-14")
        release_lock(handle)


def _kept_lock(step: Step, held: tuple[Position, ...], places: tuple[Position, ...]) -> tuple[Position, ...]:
    """Return what BROWSE_MSG_UNDER_CURSOR with LOCK leaves locked: what was is not unlocked (CUR-07).

    Where the lock was on a whole logical message and the call returns one segment, it may end for the others (AMB-68).
    """
    step.because("CUR-07")
    whole = (*held, *(place for place in places if place not in held))
    answers = (whole, places) if len(whole) > len(places) else (whole,)
    return step.choose("does the lock stay on the segments that are not returned", answers)


def after_empty_scan(step: Step, request: GetRequest) -> None:
    """BROWSE_FIRST or BROWSE_NEXT found nothing: the cursor stays, but the lock is released (BRW-25, LCK-12)."""
    if not request.scans:
        return
    step.because("BRW-09", "BRW-25")
    if request.handle.locked:
        release_lock(request.handle)
        step.because("LCK-12")
    if request.asks(MQGMO.BROWSE_FIRST):
        request.handle.browse_orders |= {request.logical_order}


def after_truncated_scan(step: Step, request: GetRequest, found: Found) -> None:
    """BROWSE_FIRST or BROWSE_NEXT ended with MQRC_TRUNCATED_MSG_FAILED: cursor and lock stay (BRW-10, LCK-11).

    After BROWSE_FIRST the documents disagree: the cursor may have gone back before the first message (Q-d), and the
    group information may be that of the message returned (Q-i).
    """
    step.because("BRW-10", "TRN-05", "LCK-08", "LCK-11")
    if not request.asks(MQGMO.BROWSE_FIRST):
        return
    handle = request.handle
    handle.browse_orders |= {request.logical_order}
    if handle.cursor is not None and step.choose("does the cursor go back after 2080", (False, True), "BRW-17"):
        handle.cursor = None
    if request.logical_order and step.choose("is group information set after 2080", (False, True), "BRW-17"):
        handle.browsing = information_after(request.information, found, logical_order=True, in_unit_of_work=False)
