"""Replies: JSON objects from the model, as a target writes them, and the replies that the runner reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from oracle.model.reply import Completion, Reply
from oracle.mqi import calls
from oracle.mqi.structures import GetMessageOptions, MessageDescriptor, Structure
from oracle.protocol.members import INITIAL, NAMES, RequestError, bytes_of, format_structure, parse_member, plain, take
from oracle.values import quickly_made


def format_reply(reply: Reply, call: calls.Call, completed: tuple[Completion, ...] = ()) -> dict[str, Any]:
    """Return the members of the reply to a call, without its `seq`."""
    members: dict[str, Any] = {"ok": True} if isinstance(call, calls.Happening) else _mqi_members(reply, call)
    if completed:
        members["completed"] = [{"seq": done.identity, **_mqi_members(done.reply, None)} for done in completed]
    return members


def _mqi_members(reply: Reply, call: calls.Call | None) -> dict[str, Any]:
    if reply.pending:
        return {"pending": True}
    members: dict[str, Any] = {"CompCode": reply.comp_code, "Reason": int(reply.reason)}
    if reply.hobj is not None:
        members["Hobj"] = reply.hobj
        if isinstance(call, calls.Open):
            members["ObjectName"] = reply.object_name or call.object_name
    if reply.descriptor is not None:
        members["MQMD"] = format_structure(reply.descriptor)
    if reply.options is not None:
        members["MQGMO"] = {name: plain(value) for name, value in reply.options.members().items()}
    if reply.data is not None:
        members["data"] = reply.data.hex()
        members["DataLength"] = reply.data_length
    if reply.values is not None:
        members["values"] = dict(reply.values)
    return members


@quickly_made
@dataclass(frozen=True, slots=True)
class ObservedReply:
    """A reply as a target gave it."""

    comp_code: int = 0
    """CompCode (MQCC)."""
    reason: int = 0
    """Reason (MQRC)."""
    pending: bool = False
    """Whether it is that of an MQGET that waits."""
    members: Mapping[str, Any] = field(default_factory=dict)
    """The outputs, named as in the protocol, `MQMD.MsgId`; bytes are decoded.

    A member that is left out was not changed; in a `partial` reply it is not known.
    """
    completed: Mapping[int, ObservedReply] = field(default_factory=dict)
    """The waiting calls that ended, by identity."""
    partial: bool = field(default=False, repr=False)
    """Whether members may be missing, as in a reply that a log shows."""
    posted: Mapping[int, int] | None = field(default=None, repr=False)
    """The signals that were delivered: the code, one of MQEC, by the identity of the MQGET that had set the signal.

    None if that cannot be observed, as in the target protocol.
    """
    unasked: frozenset[str] = field(default=frozenset(), repr=False)
    """Members that were not requested: they are not judged."""


def parse_reply(reply: Mapping[str, Any]) -> ObservedReply:
    """Read the reply of a target to a call or an event.

    Raises RequestError if it has not the protocol's form: the target is then broken.
    """
    completed: dict[int, ObservedReply] = {}
    for done in take(reply, "completed", list, []):
        if not isinstance(done, dict):
            raise RequestError("completed must be a list of objects")
        completed[take(done, "seq", int)] = _parse_codes(done, {})
    if reply.get("ok") is True:
        return ObservedReply(completed=completed)
    return _parse_codes(reply, completed)


def _parse_codes(reply: Mapping[str, Any], completed: Mapping[int, ObservedReply]) -> ObservedReply:
    if reply.get("pending") is True:
        return ObservedReply(pending=True, completed=completed)
    comp_code, reason = take(reply, "CompCode", int), take(reply, "Reason", int)
    members: dict[str, Any] = {}
    for name, kind in _REPLY_MEMBERS.items():
        if name in reply:
            members[name] = take(reply, name, kind)
    if "data" in reply:
        members["data"] = bytes_of(reply["data"], "data")
    if "MQMD" in reply:
        members.update(_reply_structure(reply, "MQMD", MessageDescriptor))
    if "MQGMO" in reply:
        members.update(_reply_structure(reply, "MQGMO", GetMessageOptions))
    return ObservedReply(comp_code, reason, members=members, completed=completed)


def _reply_structure(reply: Mapping[str, Any], name: str, kind: type[Structure]) -> dict[str, Any]:
    initial, known = INITIAL[kind], NAMES[kind]
    return {
        f"{name}.{c_name}": parse_member(c_name, value, getattr(initial, known[c_name]))
        for c_name, value in take(reply, name, dict).items()
        if c_name in known
    }


_REPLY_MEMBERS = {"Hobj": int, "ObjectName": str, "DataLength": int, "values": dict}
