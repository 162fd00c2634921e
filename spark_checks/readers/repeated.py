"""What replies on a client channel repeat of their requests: it shows that a reply belongs to another request.

The channel protocol numbers no calls, and a capture or trace may lack a reply and the next request unnoticed.
"""

from __future__ import annotations

from oracle.mqi.constants import MQCC
from oracle.wire.bodies import Body
from oracle.wire.headers import Kind

_WITH_HANDLE = (Kind.MQGET, Kind.MQPUT, Kind.MQSET, Kind.MQINQ)
_MEMBERS = (("MQPMO", "Options"), ("MQGMO", "Options"), ("MQGMO", "WaitInterval"), ("MQGMO", "MatchOptions"))

Member = tuple[str, str]


def fits(kind: Kind, request: Body | None, reply: Body, repeats: set[Member]) -> bool:
    """Return whether a reply may be that of a call of a kind.

    `repeats` are the members that replies of the channel have repeated so far, and is brought up to date. Those that
    none has repeated count for nothing, because a queue manager may leave them out.
    """
    if request is None or kind == Kind.MQOPEN:
        return request is None or _may_open(request, reply)
    if kind not in _WITH_HANDLE:
        return True
    members = [(member, request.long(*member), reply.long(*member)) for member in _MEMBERS]
    if kind == Kind.MQPUT and reply.comp_code != MQCC.FAILED:
        members.append((("", "length"), request.number, reply.number))
    shown = [(member, asked == answered) for member, asked, answered in members if None not in (asked, answered)]
    if request.hobj != reply.hobj or any(member in repeats and not same for member, same in shown):
        return False
    repeats.update(member for member, same in shown if same)
    return True


def _may_open(request: Body, reply: Body) -> bool:
    """Return whether a reply may be that of an MQOPEN, by the object's name; that of a dynamic queue is another."""
    asked, answered = request.text("MQOD", "ObjectName"), reply.text("MQOD", "ObjectName")
    pattern = request.text("MQOD", "DynamicQName")
    if asked is None or answered is None or asked == answered:
        return True
    return pattern is not None and answered.startswith(pattern.partition("*")[0])
