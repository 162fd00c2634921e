"""Match options that do not fit the message that logical order would return (MTC-11, LOG-12)."""

from __future__ import annotations

from collections.abc import Iterator

from oracle.model.checks import Refusal
from oracle.model.expiry import must_have_expired
from oracle.model.groups.get_groups import table_2
from oracle.model.messages.messages import Message
from oracle.model.requests.get import GetRequest
from oracle.model.search.selection import unavailable_because
from oracle.model.step import Step
from oracle.mqi.constants import MQRC
from oracle.values import replace


def is_passed_over_as_unfit(step: Step, request: GetRequest, message: Message) -> bool:
    """Return whether a group counts as not found because match options do not fit its first message (MTC-11).

    They need not be refused then; with a current group they are (LOG-12). A token alone does not hide a group: it
    chooses one, or is refused (AMB-131).
    """
    wanted = replace(request.matching(), msg_token=None)
    unfit = request.logical_order and not request.under_cursor and not wanted.admits(message)
    if not unfit or request.information.unfinished:
        return False
    return step.choose("is a group found whose first message match options do not fit", (False, True), "MTC-11")


def match_conflicts(request: GetRequest, message: Message) -> Iterator[Refusal]:
    """Refuse match options that differ from the message that logical order returns (MTC-11).

    Inside a group those for identifiers may be ignored as well (LOG-12).
    """
    wanted = request.matching()
    if request.under_cursor or wanted.admits(message):
        return
    others_fit = replace(wanted, msg_id=None, correl_id=None, group_id=None).admits(message)
    ignored = request.information.unfinished and others_fit
    yield Refusal(MQRC.MATCH_OPTIONS_ERROR, ("MTC-11", "LOG-12"), optional=ignored, unlikely=ignored)


def unfit_though_withheld(step: Step, request: GetRequest) -> Iterator[Refusal]:
    """Yield that match options do not fit the next message of a group, which the call's other options withhold.

    Such a call finds nothing, and both reasons apply (AMB-63).
    """
    if not request.logical_order or not request.withholds or request.under_cursor or not request.information.unfinished:
        return
    criteria, _ = table_2(request.logical_order, request.information, request.matching())
    locked = step.state.locked_elsewhere(request.handle)
    for message in request.queue.messages:
        hidden = unavailable_because(request, locked, message) is not None or must_have_expired(step.state, message)
        if criteria.admits(message) and not hidden:
            yield from (replace(each, optional=True, unlikely=True) for each in match_conflicts(request, message))
