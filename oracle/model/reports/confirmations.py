"""Confirmations of arrival and delivery (COA, COD): when the queue manager makes them.

They belong to the unit of work of the put or get and appear at its commit (RPM-03). No document says whether the
call puts them or the commit. If it is the commit, their places and times are those of the commit (AMB-109). Outside a
unit of work the call puts them.
"""

from __future__ import annotations

from typing import Final

from oracle.model.messages.messages import Message
from oracle.model.reports.discards import settle_reports_of
from oracle.model.reports.reports import asks_for, is_destination, report_if_asked
from oracle.model.state import Queue
from oracle.model.step import Step
from oracle.model.units.units import unit_of_work

_QUESTION: Final = "does the commit put the reports of its unit of work"


def confirm(step: Step, queue: Queue, message: Message, feedback: int, put_by: str | None) -> None:
    """Confirm the put or the get of a message, if it asks for that.

    `put_by` is the connection whose unit of work the confirmation belongs to; None outside one.
    """
    if not asks_for(message.descriptor, feedback) or not is_destination(step, queue, message):
        return
    if put_by is not None and _by_commit(step):
        unit_of_work(step, put_by).unconfirmed += ((message, feedback),)
        step.because("RPM-03")
    else:
        _make(step, message, feedback, put_by)


def confirm_at_commit(step: Step) -> None:
    """Make the confirmations that were left to the commits of this step."""
    unconfirmed, step.unconfirmed = step.unconfirmed, []
    for message, feedback in unconfirmed:
        _make(step, message, feedback, None)


def _make(step: Step, message: Message, feedback: int, put_by: str | None) -> None:
    settle_reports_of(step, message.descriptor)
    report_if_asked(step, message, feedback, put_by)


def _by_commit(step: Step) -> bool:
    """Return whether the commit makes the confirmations of a unit of work; a queue manager does so always or never."""
    state = step.state
    if state.confirms_at_commit is None:
        state.confirms_at_commit = step.choose(_QUESTION, (False, True), "RPM-03")
    return state.confirms_at_commit
