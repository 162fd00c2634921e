"""Message context: who put a message, with which application, and when (CTX-01 to CTX-03).

Who the user of an application is, the documents do not say; that it is the same user for all messages of a connection,
they do. So the first message that is returned tells, and the others must agree with it (USR-01).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from oracle.calls import Put1
from oracle.constants import MQAT, MQOO, MQPMO, MQRC
from oracle.model.arrival import put_date_and_time
from oracle.model.checks import Refusal
from oracle.model.logical_messages import Found
from oracle.model.made import PutNotes
from oracle.model.put_request import PutRequest
from oracle.model.reply import OneOf
from oracle.model.step import Step
from oracle.structures import IDENTITY_CONTEXT, ORIGIN_CONTEXT, MessageDescriptor

_SETS_IDENTITY: Final = MQPMO.SET_IDENTITY_CONTEXT | MQPMO.SET_ALL_CONTEXT

_APPLICATION: Final = {"distributed": MQAT.UNIX, "zos": MQAT.ZOS, "ibmi": MQAT.OS400}

_USER: Final = "MQMD.UserIdentifier"


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


def with_context(
    step: Step, request: PutRequest, md: MessageDescriptor, notes: PutNotes
) -> tuple[MessageDescriptor, PutNotes]:
    """Return the descriptor as stored with its context, and the notes about that."""
    options, given = request.call.options.options, request.call.descriptor
    date, time = put_date_and_time(step)
    initial = MessageDescriptor()
    values: dict[str, Any] = {name: getattr(initial, name) for name in IDENTITY_CONTEXT + ORIGIN_CONTEXT}
    if options & MQPMO.NO_CONTEXT:
        return _known(replace(md, **values), notes, IDENTITY_CONTEXT + ORIGIN_CONTEXT, "CTX-02")
    connection = step.state.connections[request.call.conn]
    values |= {
        "user_identifier": step.state.users.get(connection.number, ""),
        "put_appl_type": _APPLICATION[step.state.profile.platform],
        "put_appl_name": connection.program,
        "put_date": date,
        "put_time": time,
    }
    set_by_caller = (IDENTITY_CONTEXT if options & _SETS_IDENTITY else ()) + (
        ORIGIN_CONTEXT if options & MQPMO.SET_ALL_CONTEXT else ()
    )
    values |= {name: getattr(given, name) for name in set_by_caller}
    if set_by_caller:
        return _known(replace(md, **values), notes, set_by_caller, "CTX-03")
    alternate = request.alternate_user
    if alternate is not None:
        rule = "USR-03" if isinstance(request.call, Put1) else "USR-02"
        md = replace(md, **{**values, "user_identifier": alternate})
        return _known(md, notes, ("user_identifier",), "CTX-04", rule)
    putter = connection.number
    return replace(md, **values), replace(notes.having(_USER, "CTX-01", "USR-01"), putter=putter)


def _known(
    md: MessageDescriptor, notes: PutNotes, members: tuple[str, ...], *rules: str
) -> tuple[MessageDescriptor, PutNotes]:
    """Return the descriptor, and notes that these members of it are known exactly."""
    c_names = md.c_names()
    latitude = {f"MQMD.{c_names[name]}": OneOf((getattr(md, name),)) for name in members}
    for member in latitude:
        notes = notes.having(member, *rules)
    return md, replace(notes, latitude={**notes.latitude, **latitude})


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
    return replace(
        found,
        segments=(first, *found.segments[1:]),
        descriptor=replace(found.descriptor, user_identifier=user),
    )
