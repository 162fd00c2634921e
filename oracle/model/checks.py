"""Refusals: the conditions that fail a call before it does anything.

No general order of checks is documented, so all conditions are gathered and a queue manager may return any of
the reasons that apply (CHK-02, reading AMB-63).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from oracle.model.connections import Connection
from oracle.model.handles import Handle
from oracle.model.reply import Reply, failure
from oracle.model.step import Step
from oracle.mqi.constants import MQRC
from oracle.values import quickly_made


@quickly_made
@dataclass(frozen=True, slots=True)
class Refusal:
    """A condition that fails the call."""

    reason: int
    """The reason (MQRC)."""
    rules: tuple[str, ...]
    """The rules that require it."""
    optional: bool = False
    """Whether the documents leave it open that the condition fails the call at all."""
    unlikely: bool = False
    """Whether the documents rather suggest that it does not fail the call."""


def refuse(step: Step, refusals: Iterable[Refusal]) -> Reply | None:
    """Return the failure that the conditions lead to, or None if the call continues."""
    given = tuple(refusals)
    if not given:
        return None
    distinct = _by_reason(given)
    answers: list[Refusal | None] = list(distinct)
    if all(refusal.optional for refusal in distinct):
        answers.insert(0 if all(refusal.unlikely for refusal in distinct) else len(answers), None)
    refusal = step.choose("which of the reasons that apply is returned", answers)
    return None if refusal is None else _fail(step, refusal, len(distinct))


def fail(step: Step, refusals: Iterable[Refusal]) -> Reply:
    """Return the failure of a call that cannot continue, with one of the reasons that apply."""
    distinct = _by_reason(refusals)
    return _fail(step, step.choose("which of the reasons that apply is returned", distinct), len(distinct))


def _by_reason(refusals: Iterable[Refusal]) -> list[Refusal]:
    """Return one refusal for each reason, with the rules of all that lead to it."""
    found: dict[int, Refusal] = {}
    for refusal in refusals:
        known = found.get(refusal.reason)
        if known is not None:
            rules = (*known.rules, *(rule for rule in refusal.rules if rule not in known.rules))
            optional, unlikely = known.optional and refusal.optional, known.unlikely and refusal.unlikely
            found[refusal.reason] = Refusal(refusal.reason, rules, optional, unlikely)
        else:
            found[refusal.reason] = refusal
    return list(found.values())


def _fail(step: Step, refusal: Refusal, reasons: int) -> Reply:
    step.because(*refusal.rules, "CHK-01")
    if reasons > 1:
        step.because("CHK-02")
    return failure(refusal.reason)


def find_connection(step: Step, name: str) -> Connection | Refusal:
    """Return the connection, or the refusal of a call on a connection that does not exist."""
    connection = step.state.connections.get(name)
    return connection if connection is not None else Refusal(MQRC.HCONN_ERROR, ("CON-01",))


def find_handle(step: Step, conn: str, hobj: int) -> Handle | Refusal:
    """Return the handle, or the refusal of a call on one that does not exist or whose queue is deleted (CLO-08)."""
    handle = find_any_handle(step, conn, hobj)
    if isinstance(handle, Handle) and handle.queue_deleted:
        return Refusal(MQRC.Q_DELETED, ("CLO-08",))
    return handle


def find_any_handle(step: Step, conn: str, hobj: int) -> Handle | Refusal:
    """Return the handle, or the refusal of a call on a handle that the connection does not have."""
    if conn not in step.state.connections:
        return Refusal(MQRC.HCONN_ERROR, ("CON-01",))
    handle = step.state.handles.get((conn, hobj))
    if handle is not None:
        return handle
    elsewhere = any(number == hobj for _, number in step.state.handles)
    return Refusal(MQRC.HOBJ_ERROR, ("CON-03",) if elsewhere else ("CON-02",))


def any_inhibited(step: Step, path: Sequence[str], attribute: str) -> bool:
    """Return whether a definition on the way to the queue inhibits the call (INQ-08)."""
    for name in path:
        if getattr(step.state.definition_of(name), attribute):
            if len(path) > 1:
                step.because("INQ-08")
            return True
    return False


def handle_refusals(step: Step, conn: str) -> Iterator[Refusal]:
    """Yield the refusal of one more handle for a connection with MaxHandles open ones (OPN-22).

    The target protocol does not say how many a queue manager allows, so it may allow more.
    """
    count = sum(handle.conn == conn for handle in step.state.handles.values())
    if count >= step.state.definition.max_handles:
        yield Refusal(MQRC.HANDLE_NOT_AVAILABLE, ("OPN-22",), optional=True)
    elif count:
        step.because("OPN-22")
