"""Explanations of an MQGET that waited and ended with a call that must leave it waiting, or the reverse."""

from __future__ import annotations

from typing import Final

from oracle.judging.case import Case
from oracle.judging.compare import ENDED, Difference, key_of
from oracle.model.requests.get import request_of
from oracle.model.search.selection import explain_absence
from oracle.model.step import Step
from oracle.mqi.calls import Call, Get, Put, Put1
from oracle.mqi.constants import MQCC, MQGMO
from oracle.rules.catalogue import rule

_AREAS: Final = ("WAI", "ACT")
"""The areas of the rules by which waits end."""

_BY_A_MESSAGE: Final = "WAI-03"
"""The rule by which a message that arrives ends a wait."""

_FOLLOWING: Final = ("WAI-05", "ACT-01")
"""The rules that follow from it for a wait without criteria, and for the only one."""

_NOT_BY_OTHERS: Final = "WAI-04"
"""The rule by which a message that does not match ends no wait."""


def of_lasting_wait(call: Call, item: Difference) -> tuple[str, ...]:
    """Return the rules by which a call must have ended a wait that still lasts; none if the difference is another."""
    unmarks = isinstance(call, Get) and call.options.options & MQGMO.UNMARK_BROWSE_CO_OP
    if (isinstance(call, Get) and not unmarks) or not item.of_wait or item.observed == ENDED:
        return ()
    of_put = isinstance(call, (Put, Put1))
    of_areas = (entry for entry in item.rules if of_put and rule(entry).area in _AREAS and entry not in _FOLLOWING)
    return tuple(dict.fromkeys((*of_areas, *(entry for entry in item.rules if entry == _BY_A_MESSAGE))))


def of_ended_wait(case: Case, item: Difference) -> tuple[str, ...]:
    """Return the rules by which a message that ended a wait must not have been returned to it.

    None if the difference is another, or if the wait ended without a message.
    """
    gets = (call for call, _, _ in case.timeline if isinstance(call, Get) and item.member.endswith(f" {call.identity}"))
    waiting = next(gets, None)
    reply = None if waiting is None else case.observed.completed.get(waiting.identity)
    if waiting is None or reply is None or reply.comp_code == MQCC.FAILED or item.observed != ENDED:
        return ()
    key, state = key_of(reply), case.nearest.state
    handle = state.handles.get((waiting.conn, waiting.hobj))
    if handle is None or handle.queue_deleted:
        return ()
    request = request_of(state, waiting)
    message = next((each for each in request.queue.messages if each.key == key), None)
    hidden = () if message is None else tuple(explain_absence(Step(state.copy()), request, message))
    return (*hidden, _NOT_BY_OTHERS) if hidden else ()
