"""The browse cursor and the lock: how each MQGET that browses moves the one and takes or releases the other.

The functions follow two tables of the documents: how calls move the cursor (BRW-04 to BRW-10, CUR-06) and how they
release the lock (LCK-09 to LCK-15).
"""

from __future__ import annotations

from oracle.model.browsing.marks import set_marks
from oracle.model.groups.get_groups import information_after
from oracle.model.groups.unlike_segments import by_one_segment
from oracle.model.handles import GroupInformation, Handle
from oracle.model.messages.logical_messages import Found
from oracle.model.messages.messages import Position
from oracle.model.requests.get import GetRequest
from oracle.model.step import Step
from oracle.mqi.constants import MQGMO
from oracle.values import replace


def release_lock(step: Step, handle: Handle, *rules: str) -> None:
    """Unlock what the handle has locked; `rules` are the rules for it."""
    if not handle.locked:
        return
    step.because(*rules)
    handle.grounds = replace(handle.grounds, lock=(), release=rules, released=handle.locked)
    handle.locked = ()


def _lock(step: Step, handle: Handle, places: tuple[Position, ...], *rules: str) -> None:
    step.because(*rules)
    released = tuple(place for place in handle.grounds.released if place not in places)
    handle.grounds = replace(handle.grounds, lock=rules, released=released)
    handle.locked = places


def after_browse(step: Step, request: GetRequest, found: Found, info: GroupInformation, *, fits: bool) -> None:
    """Move the cursor onto the message that a browse returned, set marks, and lock or unlock."""
    handle = request.handle
    set_marks(step, request, found.first)
    step.because("BRW-02", "BOC-02")
    _keep_information(step, request, info)
    handle.got_in_order = None
    if request.scans:
        handle.failed_orders = frozenset()
        _move_cursor(step, request, found, fits=fits)
        return
    # S6: the order that a later BROWSE_NEXT must keep may be that of this call too
    handle.browse_orders |= {request.logical_order}
    handle.grounds = handle.grounds.adding(cursor=("CUR-06",))
    step.because("CUR-06")
    if request.asks(MQGMO.LOCK):
        places = _with_left_out(step, found, tuple(segment.position for segment in found.segments))
        if handle.locked:
            _lock(step, handle, _kept_lock(step, handle.locked, places), "CUR-07")
        else:
            _lock(step, handle, places, "CUR-08")
    elif handle.locked:
        release_lock(step, handle, "CUR-09", "LCK-14")
    else:
        step.because("CUR-11")


def _keep_information(step: Step, request: GetRequest, info: GroupInformation) -> None:
    """Retain the group information of the message browsed (BRW-17), apart from that for removals (CUR-15)."""
    handle = request.handle
    rules: tuple[str, ...] = ()
    if request.asks(MQGMO.BROWSE_FIRST):
        rules = ("BRW-17",)
    elif request.under_cursor:
        rules = ("CUR-15",)
        # the call moves nothing: the next group is still looked for behind the beginning of the cursor's group (CUR-06,
        # LOG-21)
        info = replace(info, start=handle.browsing.start)
    if info.unfinished or handle.removing.unfinished:
        step.because(*rules)
    handle.browsing = info
    handle.grounds = replace(handle.grounds, browsing=rules)


def _move_cursor(step: Step, request: GetRequest, found: Found, *, fits: bool) -> None:
    """Put the cursor on the message returned; the lock moves with it or is released."""
    handle = request.handle
    release_lock(step, handle, "LCK-09", "LCK-02")
    moved = ("BRW-04",) if fits else ("BRW-04", "TRN-02")
    step.because(*moved)
    handle.goes_on_behind = _place_of_arrival(step, request, found)
    handle.cursor = found.first.position
    handle.grounds = replace(handle.grounds, cursor=moved)
    handle.browse_orders = frozenset({request.logical_order})
    if request.asks(MQGMO.LOCK):
        places = tuple(segment.position for segment in found.segments)
        whole = found.reassembled or found.left_out
        _lock(step, handle, _with_left_out(step, found, places), "BRW-11", "LCK-03" if whole else "LCK-04")


def _place_of_arrival(step: Step, request: GetRequest, found: Found) -> Position | None:
    """Return where a logical message stands if that is where its first segment to arrive does; None if it is not.

    The cursor is on the segment with Offset 0 then, and a sweep goes on behind that place (AMB-66).
    """
    earliest = min(segment.position for segment in (*found.segments, found.first))
    if request.logical_order or earliest == found.first.position:
        return None
    passed = request.handle.passed
    if request.asks(MQGMO.BROWSE_NEXT) and passed is not None and earliest <= passed:
        return None
    behind = step.choose("does a sweep go on behind the first segment to arrive", (False, True), "CMP-01")
    return earliest if behind else None


def after_failure(step: Step, request: GetRequest) -> None:
    """Leave cursor, lock and group information as they are when a browse fails (BRW-09, BRW-18).

    The lock ends with MQRC_NO_MSG_AVAILABLE (LCK-12), and with no other failure (LCK-10, LCK-14).
    """
    handle = request.handle
    if not request.browses or not handle.open_for_browse:
        return
    _leave(step, request, "BRW-09", lock="LCK-10" if request.scans else "LCK-14")
    _note_failed(request)
    if request.asks(MQGMO.BROWSE_FIRST) and handle.browsing.unfinished:
        handle.grounds = handle.grounds.adding(browsing=("BRW-18",))
        step.because("BRW-18")


def _with_left_out(step: Step, found: Found, places: tuple[Position, ...]) -> tuple[Position, ...]:
    """Return what COMPLETE_MSG locks if segments differ: all of the logical message, or those returned (LCK-03).

    The whole logical message is to be locked, and the message returned is only the first part of it (CMP-15).
    """
    if not found.left_out:
        return places
    answers = ((*places, *found.left_out), places)
    return step.choose("does the lock cover the segments that are left out", answers, "LCK-03")


def _kept_lock(step: Step, held: tuple[Position, ...], places: tuple[Position, ...]) -> tuple[Position, ...]:
    """Return what BROWSE_MSG_UNDER_CURSOR with LOCK leaves locked: it does not unlock anything (CUR-07).

    If the lock was on a whole logical message and the call returns one segment, it may end for the others (AMB-68).
    """
    whole = (*held, *(place for place in places if place not in held))
    answers = (whole, places) if len(whole) > len(places) else (whole,)
    return step.choose("does the lock stay on the segments that are not returned", answers)


def after_empty_scan(step: Step, request: GetRequest) -> None:
    """Keep the cursor and release the lock after a BROWSE_FIRST or BROWSE_NEXT that found nothing (BRW-25, LCK-12)."""
    if not request.scans:
        return
    release_lock(step, request.handle, "LCK-12")
    after_failure(step, request)
    if request.asks(MQGMO.BROWSE_NEXT):
        request.handle.grounds = request.handle.grounds.adding(cursor=("BRW-25",))
        step.because("BRW-25")
    if _sets_out(request):
        _perhaps_set_order(request)


def after_truncation(step: Step, request: GetRequest, found: Found) -> None:
    """Keep message, cursor and lock after MQRC_TRUNCATED_MSG_FAILED (TRN-05, BRW-10, LCK-11, LCK-14).

    After BROWSE_FIRST the documents disagree: the cursor may have gone back before the first message (Q-d), and the
    group information may be that of the message returned (Q-i).
    """
    step.because("TRN-05")
    if request.in_unit_of_work(found.first):
        step.because("TRN-11")
    if not request.browses:
        return
    _leave(step, request, "BRW-10", "TRN-05", lock="LCK-11" if request.scans else "LCK-14")
    _note_failed(request)
    if not _sets_out(request):
        return
    _perhaps_set_order(request)
    handle = request.handle
    if handle.cursor is not None and step.choose("does the cursor go back after 2080", (False, True), "BRW-10"):
        handle.cursor = handle.goes_on_behind = None
    told = by_one_segment(step, found)
    info = information_after(request.information, told, logical_order=request.logical_order, in_unit_of_work=False)
    if info != handle.browsing and step.choose("is group information set after 2080", (False, True), "BRW-17"):
        handle.browsing = info
        handle.grounds = replace(handle.grounds, browsing=("BRW-17",))


def _sets_out(request: GetRequest) -> bool:
    """Return whether a browse is a BROWSE_FIRST, or works like one as the first on its handle (BRW-06)."""
    return request.asks(MQGMO.BROWSE_FIRST) or (request.scans and not request.handle.browse_orders)


def _perhaps_set_order(request: GetRequest) -> None:
    """Note that a browse that returned nothing may have set the order for BROWSE_NEXT (AMB-78)."""
    handle = request.handle
    handle.browse_orders = (handle.browse_orders or frozenset({None})) | {request.logical_order}


def _note_failed(request: GetRequest) -> None:
    """Note that a browse that did not complete may be the call with which BROWSE_NEXT is compared (AMB-78).

    A BROWSE_NEXT does not turn to an order for which it might be refused. Before a browse has set one it may (BRW-06).
    """
    handle = request.handle
    if not request.asks(MQGMO.BROWSE_NEXT) or not handle.browse_orders:
        handle.failed_orders |= {request.logical_order}


def _leave(step: Step, request: GetRequest, *cursor: str, lock: str) -> None:
    """Note that a browse has kept the cursor, and the lock if there is one, and has locked nothing (LCK-08)."""
    handle = request.handle
    held = (lock,) if handle.locked else ()
    handle.grounds = handle.grounds.adding(cursor=cursor, lock=held)
    step.because(*cursor, *held)
    if request.asks(MQGMO.LOCK):
        step.because("LCK-08")


def after_removal(step: Step, request: GetRequest, found: Found) -> None:
    """Keep the cursor where it is (BRW-08, CUR-06), and end the lock of a removed message (LCK-07)."""
    handle = request.handle
    if handle.open_for_browse:
        left = ("BRW-08", "CUR-06") if request.under_cursor else ("BRW-08",)
        handle.grounds = handle.grounds.adding(cursor=left)
        step.because(*left)
    gone = {segment.position for segment in found.segments}
    if not gone.intersection(handle.locked):
        return
    rest = tuple(place for place in handle.locked if place not in gone)
    if bool(rest) and step.choose(
        "does the rest stay locked when a segment of what is locked is removed", (False, True), "LCK-07"
    ):
        handle.locked = rest
        step.because("LCK-07")
    else:
        release_lock(step, handle, "LCK-07")
