"""Message context: who put a message, with which application, and when (CTX-01 to CTX-03).

The documents do not say who the user of an application is, but they say that all messages of a connection have the same
user. So the first message that is returned shows the user, and the others must agree with it (USR-01).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from oracle.model.checks import Refusal
from oracle.model.messages.logical_messages import Found
from oracle.model.reply import OneOf
from oracle.model.requests.put import PutRequest
from oracle.model.step import Step
from oracle.model.units.arrival import put_date_and_time
from oracle.mqi.calls import Put1
from oracle.mqi.constants import MQAT, MQOO, MQPMO, MQRC
from oracle.mqi.structures import IDENTITY_CONTEXT, ORIGIN_CONTEXT, MessageDescriptor
from oracle.values import quickly_made, replace

SETS_CONTEXT: Final = MQPMO.SET_IDENTITY_CONTEXT | MQPMO.SET_ALL_CONTEXT
"""The options by which a put gives the context of its message itself."""

_APPLICATION: Final = {"distributed": MQAT.UNIX, "zos": MQAT.ZOS, "ibmi": MQAT.OS400}

_USER: Final = "MQMD.UserIdentifier"
_INITIAL: Final = MessageDescriptor()
_NO_CONTEXT: Final[Mapping[str, Any]] = {name: getattr(_INITIAL, name) for name in IDENTITY_CONTEXT + ORIGIN_CONTEXT}


def context_refusals(request: PutRequest) -> Iterator[Refusal]:
    """Yield the refusals of a put that sets context through a handle that was not opened for it (CTX-03)."""
    options, handle = request.call.options.options, request.handle
    if handle is None:
        return
    for_all = handle.options & MQOO.SET_ALL_CONTEXT
    if options & MQPMO.SET_ALL_CONTEXT and not for_all:
        yield Refusal(MQRC.NOT_OPEN_FOR_SET_ALL, ("CTX-03",))
    if options & MQPMO.SET_IDENTITY_CONTEXT and not handle.options & MQOO.SET_IDENTITY_CONTEXT:
        yield Refusal(MQRC.NOT_OPEN_FOR_SET_IDENT, ("CTX-03",), optional=bool(for_all), unlikely=True)


@quickly_made
@dataclass(frozen=True, slots=True)
class Context:
    """The context of a message."""

    members: Mapping[str, Any]
    """The members of its descriptor with their values."""
    noted: tuple[str, ...]
    """The members behind which there are rules."""
    rules: tuple[str, ...]
    """These rules."""
    putter: int | None = None
    """The number of the connection whose user the message records. None if the user is known otherwise.

    The members of the user are then in `members`.
    """

    @property
    def values_noted(self) -> tuple[object, ...]:
        """The values of the members behind which there are rules, if they are known."""
        return () if self.putter is not None else tuple(self.members[name] for name in self.noted)


def context_of(step: Step, request: PutRequest) -> Context:
    """Return the context with which a message is stored."""
    options, given = request.call.options.options, request.call.descriptor
    date, time = put_date_and_time(step)
    if options & MQPMO.NO_CONTEXT:
        return Context(_NO_CONTEXT, IDENTITY_CONTEXT + ORIGIN_CONTEXT, ("CTX-02",))
    connection = step.state.connections[request.call.conn]
    values = {
        **_NO_CONTEXT,
        "user_identifier": step.state.users.get(connection.number, ""),
        "put_appl_type": connection.kind or _APPLICATION[step.state.profile.platform],
        "put_appl_name": connection.program,
        "put_date": date,
        "put_time": time,
    }
    set_by_caller = (IDENTITY_CONTEXT if options & SETS_CONTEXT else ()) + (
        ORIGIN_CONTEXT if options & MQPMO.SET_ALL_CONTEXT else ()
    )
    if set_by_caller:
        values |= {name: getattr(given, name) for name in set_by_caller}
        return Context(values, set_by_caller, ("CTX-03",))
    alternate = request.alternate_user
    if alternate is not None:
        rule = "USR-03" if isinstance(request.call, Put1) else "USR-02"
        return Context({**values, "user_identifier": alternate}, ("user_identifier",), ("CTX-04", rule))
    putter = connection.number
    return Context(values, ("user_identifier",), ("CTX-01", "USR-01"), putter)


def with_user(step: Step, found: Found) -> Found:
    """Give a message the user of its putter, who is known from the first message of that connection (USR-01)."""
    notes = found.first.notes
    if notes.putter is None:
        return found
    user = step.state.users.get(notes.putter, step.seen(_USER))
    if not isinstance(user, str):
        return found
    step.state.users = {**step.state.users, notes.putter: user}
    first = replace(
        found.first,
        descriptor=replace(found.first.descriptor, user_identifier=user),
        notes=replace(notes, latitude={**notes.latitude, _USER: OneOf((user,))}),
    )
    return found.with_first(first, replace(found.descriptor, user_identifier=user))
