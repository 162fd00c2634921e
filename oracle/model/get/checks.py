"""The refusals of MQGET before it looks for a message."""

from __future__ import annotations

from collections.abc import Iterator, Set
from functools import lru_cache
from typing import Final, NamedTuple

from oracle.model.checks import Refusal, any_inhibited, find_any_handle, find_handle
from oracle.model.conversion.properties import property_refusals
from oracle.model.get.signals import signal_refusals
from oracle.model.groups.get_groups import Criteria
from oracle.model.messages.messages import Message
from oracle.model.requests.get import GetRequest, request_of
from oracle.model.requests.option_matrix import (
    BROWSE,
    GROUPING,
    KNOWN_MATCHES,
    UNDER_CURSOR,
    ZOS_RULES,
    broken_rules,
)
from oracle.model.search.get_rules import GROUP_MATCHES
from oracle.model.search.selection import finds_nothing, nothing_available, nothing_under_cursor
from oracle.model.state import DELETED
from oracle.model.step import Step
from oracle.mqi.calls import Get
from oracle.mqi.constants import MAX_MSG_SEQ_NUMBER, MQGMO, MQMO, MQRC, MQWI
from oracle.values import replace

_AGAINST_INDEX = (
    MQRC.MATCH_OPTIONS_ERROR,
    MQRC.MSG_TOKEN_ERROR,
    MQRC.OPTIONS_ERROR,
    MQRC.MSG_ID_ERROR,
    MQRC.CORREL_ID_ERROR,
    MQRC.Q_INDEX_TYPE_ERROR,
)

_OF_SELECTION: Final = frozenset(
    {
        MQRC.OPTIONS_ERROR,
        MQRC.MATCH_OPTIONS_ERROR,
        MQRC.MSG_SEQ_NUMBER_ERROR,
        MQRC.MSG_TOKEN_ERROR,
        MQRC.WRONG_GMO_VERSION,
        MQRC.WRONG_MD_VERSION,
    }
)
"""The reasons against the selection of a call: there is then nothing to search by."""

_REFUSED_BY_STATE = (
    MQGMO.BROWSE_NEXT
    | MQGMO.MARK_SKIP_BACKOUT
    | MQGMO.SET_SIGNAL
    | MQGMO.WAIT
    | MQGMO.MARK_BROWSE_CO_OP
    | MQGMO.UNMARK_BROWSE_CO_OP
    | MQGMO.COMPLETE_MSG
)
"""The options that `_state_refusals` examines."""


_BESIDE_UNLOCK = MQGMO.UNLOCK | MQGMO.NO_SYNCPOINT
"""The options of an MQGET that only unlocks (OPT-27)."""


def get_refusals(step: Step, call: Get, request: GetRequest | Refusal) -> Iterator[Refusal]:
    """Yield every condition that fails an MQGET, whatever is on the queue. `request` is the call on its handle."""
    gmo, md = call.options, call.descriptor
    yield from _call_refusals(
        _Parameters(
            gmo.version,
            gmo.options,
            gmo.match_options,
            gmo.wait_interval,
            md.version,
            md.msg_seq_number,
            call.buffer_length,
            step.state.profile.zos,
        )
    )
    if isinstance(request, Refusal):
        yield request
        yield from _beside_a_deleted_queue(step, call)
    else:
        yield from _handle_refusals(step, request)


def _beside_a_deleted_queue(step: Step, call: Get) -> Iterator[Refusal]:
    """Yield what else fails a call whose queue is deleted: what its handle and the queue manager refuse (AMB-63)."""
    handle = find_any_handle(step, call.conn, call.hobj)
    if isinstance(handle, Refusal):
        return
    request = GetRequest(call, handle, DELETED, step.state.profile.zos)
    yield from _handle_refusals(step, request)
    if handle.had_signal and request.asks(MQGMO.SET_SIGNAL | MQGMO.WAIT):
        yield Refusal(MQRC.SIGNAL_OUTSTANDING, ("SIG-12",), optional=True, unlikely=True)
    inconsistent = inconsistent_unit_of_work(step, request)
    if inconsistent is not None:
        yield inconsistent


class _Parameters(NamedTuple):
    """All values by which a call may be refused in any state: of MQGMO, of MQMD, the buffer, and the platform."""

    version: int
    options: int
    match_options: int
    wait_interval: int
    md_version: int
    msg_seq_number: int
    buffer_length: int
    zos: bool


@lru_cache(maxsize=1024)
def _call_refusals(call: _Parameters) -> tuple[Refusal, ...]:
    """Return what fails an MQGET by its parameters alone. Cached, so that each distinct call is judged once."""
    return (
        *_structure_refusals(call),
        *_option_refusals(call),
        *property_refusals(call.options),
        *_match_refusals(call),
    )


def request_on_handle(step: Step, call: Get) -> GetRequest | Refusal:
    """Return the call on its handle, or the refusal of a call on a handle that does not exist."""
    handle = find_handle(step, call.conn, call.hobj)
    return handle if isinstance(handle, Refusal) else request_of(step.state, call)


def search_refusals(step: Step, request: GetRequest, binding: Set[int]) -> Iterator[Refusal]:
    """Yield what a call refused for `binding` reasons may give as well (AMB-63): reasons of the search for a message.

    The reason of an empty-handed search applies only if the call would find nothing or, if it is refused for its
    selection, if no selection could find anything. MQRC_NO_MSG_AVAILABLE does not replace MQRC_GET_INHIBITED or a
    quiescing reason (AMB-25), nor does a call that waits give it at once (WAI-01).
    """
    if request.asks(MQGMO.UNLOCK):
        return
    inconsistent = inconsistent_unit_of_work(step, request)
    if inconsistent is not None:
        yield inconsistent
    if request.under_cursor:
        rule = nothing_under_cursor(step.state, request)
        if rule is not None:
            yield Refusal(MQRC.NO_MSG_UNDER_CURSOR, (rule,))
        return
    forbidden = {MQRC.GET_INHIBITED, MQRC.Q_MGR_QUIESCING} & binding or request.waits or request.sets_signal
    in_vain = nothing_available if _OF_SELECTION & binding else finds_nothing
    if not forbidden and in_vain(step.state, request):
        yield Refusal(MQRC.NO_MSG_AVAILABLE, ("WAI-10",))


def inconsistent_unit_of_work(step: Step, request: GetRequest, message: Message | None = None) -> Refusal | None:
    """Return the refusal of a LOGICAL_ORDER removal that differs in its unit of work from the group's first message.

    With SYNCPOINT_IF_PERSISTENT this is known only when the message is known (SIP-03).
    """
    if request.browses or not request.logical_order or request.under_cursor:
        return None
    info = request.information
    if not info.unfinished:
        return None
    if message is None and request.asks(MQGMO.SYNCPOINT_IF_PERSISTENT):
        return None
    step.because("SYN-11")
    inside = request.in_unit_of_work(message)
    if inside == info.in_unit_of_work:
        return None
    first, before = "LOG-22" if info.in_unit_of_work else "LOG-24", "LOG-35" if info.logical_order else "LOG-36"
    return Refusal(MQRC.INCONSISTENT_UOW, (first, before, "LOG-48"))


def _structure_refusals(call: _Parameters) -> Iterator[Refusal]:
    if call.version not in (1, 2, 3, 4):
        yield Refusal(MQRC.GMO_ERROR, ("CHK-04",))
    if call.options & MQGMO.UNLOCK:
        return  # the message parameters are not examined (LCK-18)
    if call.md_version not in (1, 2):
        yield Refusal(MQRC.MD_ERROR, ("CHK-04",))
    if call.buffer_length < 0:
        yield Refusal(MQRC.BUFFER_LENGTH_ERROR, ("CHK-05",))
    if call.options & GROUPING & MQGMO.LOGICAL_ORDER:
        if call.version == 1:
            yield Refusal(MQRC.WRONG_GMO_VERSION, ("LOG-26", "CHK-08"))
        if call.md_version == 1:
            yield Refusal(MQRC.WRONG_MD_VERSION, ("LOG-27", "CHK-08"))
    elif call.options & GROUPING:
        yield from _perhaps_too_old(call)


def _perhaps_too_old(call: _Parameters) -> Iterator[Refusal]:
    """Refuse structures of version 1 for the other options about groups, which may need a later one (AMB-139)."""
    if call.version == 1:
        yield Refusal(MQRC.WRONG_GMO_VERSION, ("CHK-08",), optional=True, unlikely=True)
    if call.md_version == 1:
        yield Refusal(MQRC.WRONG_MD_VERSION, ("CHK-08",), optional=True, unlikely=True)


def _option_refusals(call: _Parameters) -> Iterator[Refusal]:
    """Refuse combinations that are not valid; rules about options of z/OS bind where these have an effect (Q-b)."""
    options = call.options
    broken = tuple(broken_rules(options))
    if broken:
        yield Refusal(MQRC.OPTIONS_ERROR, ("OPT-05", *broken), optional=not call.zos and ZOS_RULES.issuperset(broken))
    if options & (MQGMO.WAIT | MQGMO.SET_SIGNAL) and call.wait_interval < MQWI.UNLIMITED:
        yield Refusal(MQRC.WAIT_INTERVAL_ERROR, ("CHK-06",), optional=bool(options & UNDER_CURSOR))


def _match_refusals(call: _Parameters) -> Iterator[Refusal]:
    if call.version == 1 or call.options & MQGMO.UNLOCK:
        return
    matches, options = call.match_options, call.options
    ignored = bool(options & UNDER_CURSOR)
    if matches & ~KNOWN_MATCHES:
        yield Refusal(MQRC.MATCH_OPTIONS_ERROR, ("MTC-10",), optional=ignored)
    if matches & GROUP_MATCHES and call.md_version == 1:
        yield Refusal(MQRC.WRONG_MD_VERSION, ("MTC-14",), optional=ignored)
    number = call.msg_seq_number
    if matches & MQMO.MATCH_MSG_SEQ_NUMBER and not 1 <= number <= MAX_MSG_SEQ_NUMBER:
        yield Refusal(MQRC.MSG_SEQ_NUMBER_ERROR, ("MTC-16",), optional=ignored)
    if matches & MQMO.MATCH_MSG_TOKEN:
        if options & (MQGMO.WAIT | MQGMO.SET_SIGNAL):
            yield Refusal(MQRC.MSG_TOKEN_ERROR, ("MTC-12",), optional=ignored)
        if call.version < 3:
            for reason in (MQRC.WRONG_GMO_VERSION, MQRC.MATCH_OPTIONS_ERROR):
                yield Refusal(reason, ("MTC-13", "CHK-08"), optional=ignored)
    if options & MQGMO.COMPLETE_MSG and matches & MQMO.MATCH_OFFSET:
        for reason in (MQRC.OPTIONS_ERROR, MQRC.MATCH_OPTIONS_ERROR):
            yield Refusal(reason, ("OPT-29", "MTC-15"), optional=ignored)


def _handle_refusals(step: Step, request: GetRequest) -> Iterator[Refusal]:
    handle, zos, options = request.handle, request.zos, request.options
    unlock = options & MQGMO.UNLOCK != 0
    if not handle.open_for_browse:
        if request.asks(BROWSE):
            yield Refusal(MQRC.NOT_OPEN_FOR_BROWSE, ("OPT-32",))
        if request.asks(MQGMO.MSG_UNDER_CURSOR):
            yield Refusal(MQRC.NOT_OPEN_FOR_BROWSE, ("OPT-33",))
        if unlock:
            yield Refusal(MQRC.NOT_OPEN_FOR_BROWSE, ("OPT-34",), optional=True)
    # an UNLOCK with other options may count as the get that they ask for (AMB-63)
    if not handle.open_for_input and not request.browses and (not unlock or options & ~_BESIDE_UNLOCK):
        rule = "OPT-33" if request.asks(MQGMO.MSG_UNDER_CURSOR) else "OPN-16"
        yield Refusal(MQRC.NOT_OPEN_FOR_INPUT, (rule,), optional=unlock, unlikely=unlock)
    path = handle.path[:-1] if handle.queue_deleted else handle.path
    last = handle.last_definition
    if any_inhibited(step, path, "inhibit_get") or (last is not None and last.inhibit_get):
        yield Refusal(MQRC.GET_INHIBITED, ("WAI-06", "INQ-09", "INQ-08"), optional=unlock)
    if step.state.quiescing and request.asks(MQGMO.FAIL_IF_QUIESCING):
        yield Refusal(MQRC.Q_MGR_QUIESCING, ("QSC-01",))
    if zos and request.asks(GROUPING) and request.queue.definition.index_type != "GROUP_ID":
        yield Refusal(MQRC.Q_INDEX_TYPE_ERROR, ("LOG-45",))
    if options & _REFUSED_BY_STATE:
        yield from _state_refusals(step, request)


def _state_refusals(step: Step, request: GetRequest) -> Iterator[Refusal]:
    """Refuse options for what is on the handle, in the unit of work or under the cursor, and those of z/OS."""
    handle, zos = request.handle, request.zos
    if request.asks(MQGMO.BROWSE_NEXT):
        yield from _browse_order_refusals(request, zos=zos)
    yield from _platform_refusals(step, request)
    yield from signal_refusals(request)
    yield from _co_op_refusals(request)
    if request.asks(MQGMO.COMPLETE_MSG) and request.under_cursor and handle.cursor is not None:
        message = request.queue.messages.at(handle.cursor)
        if message is not None and message.descriptor.offset != 0:
            yield Refusal(MQRC.INVALID_MSG_UNDER_CURSOR, ("CUR-12",), optional=zos)


def _platform_refusals(step: Step, request: GetRequest) -> Iterator[Refusal]:
    """Refuse options of z/OS: elsewhere they have no effect, and it is open whether they fail the call (Q-b)."""
    if not request.zos:
        for option, rule in ((MQGMO.MARK_SKIP_BACKOUT, "MSB-01"), (MQGMO.SET_SIGNAL, "SIG-17")):
            if request.asks(option):
                yield Refusal(MQRC.OPTIONS_ERROR, (rule,), optional=True)
        return
    if request.queue.definition.index_type == "MSG_TOKEN" and request.asks(MQGMO.WAIT | MQGMO.SET_SIGNAL):
        yield from _selection_refusals(request)
    refusal = second_mark(step, request)
    if refusal is not None:
        yield replace(refusal, optional=True)  # the search may come first and decide (AMB-63)


def second_mark(step: Step, request: GetRequest) -> Refusal | None:
    """Return the refusal of a get that would be the second one marked to skip backout in its unit of work (MSB-06)."""
    if not request.zos or not request.asks(MQGMO.MARK_SKIP_BACKOUT):
        return None
    work = step.state.connections[request.call.conn].unit_of_work
    if work is None or work.skips_backout is None:
        step.because("MSB-06")
        return None
    return Refusal(MQRC.SECOND_MARK_NOT_ALLOWED, ("MSB-06",))


def _selection_refusals(request: GetRequest) -> Iterator[Refusal]:
    """Refuse a selection by a waiting call on a queue indexed by message token.

    The documents do not name the reason. An under-cursor option makes the call ignore MQGMO_WAIT and what it selects
    by; whether the rule binds MQGMO_SET_SIGNAL beside one is open (AMB-140).
    """
    under_cursor = request.under_cursor
    if under_cursor and not request.asks(MQGMO.SET_SIGNAL):
        return
    version_1 = request.call.options.version == 1
    selects = request.matching() != Criteria() if version_1 else request.match_options != MQMO.NONE
    if selects:
        for reason in _AGAINST_INDEX:
            rule = "WAI-13" if version_1 else "WAI-14"
            yield Refusal(reason, (rule,), optional=under_cursor, unlikely=under_cursor)


def _co_op_refusals(request: GetRequest) -> Iterator[Refusal]:
    """Refuse the cooperative options on a handle outside the cooperating set.

    The documents do not name the reason (AMB-20).
    """
    if request.handle.in_cooperating_set:
        return
    for option, rule in ((MQGMO.MARK_BROWSE_CO_OP, "OPT-19"), (MQGMO.UNMARK_BROWSE_CO_OP, "OPT-24")):
        if request.asks(option):
            yield Refusal(MQRC.OPTIONS_ERROR, (rule,))
            yield Refusal(MQRC.NOT_OPEN_FOR_BROWSE, (rule,))
            yield Refusal(MQRC.OPTION_NOT_VALID_FOR_TYPE, (rule,))


def _browse_order_refusals(request: GetRequest, *, zos: bool) -> Iterator[Refusal]:
    """Refuse a BROWSE_NEXT in another order than before (BRW-14); two readings differ on the call that sets it (S6)."""
    handle, own = request.handle, request.logical_order
    orders, got, failed = handle.browse_orders, handle.got_in_order, handle.failed_orders
    if orders - {own, None}:
        unclear = bool(orders & {own, None}) or got is own or own in failed
        yield Refusal(MQRC.INCONSISTENT_BROWSE, ("BRW-14",), optional=unclear or zos)
    elif (orders and got is not None and got is not own) or failed - {own}:
        yield Refusal(MQRC.INCONSISTENT_BROWSE, ("BRW-14",), optional=True, unlikely=True)
