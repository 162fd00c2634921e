"""One search of a queue: what it has decided so far, so that it decides the same question alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from oracle.model.groups.get_groups import Criteria
from oracle.model.messages.messages import Message, Messages, Position
from oracle.model.requests.get import GetRequest
from oracle.model.step import Step
from oracle.mqi.constants import MQMF
from oracle.values import replace

Whole = tuple[bytes, int | None, int]
"""A group, or with its MsgSeqNumber a logical message. The last element is the Feedback of reports about segments."""

Withheld = tuple[Whole, Position | None]
"""A group or logical message; with the place of a message that is no segment or shares an Offset (AMB-91)."""

Hidden = Callable[[Message], str | None]
"""A function that returns the rule that hides a message from the call, or None."""


@dataclass(slots=True)
class Search:
    """One search of a queue."""

    hidden: Hidden
    """Returns the rule that hides a message from the call."""
    locked: frozenset[Position]
    """The places that other handles have locked."""
    lacking: set[Withheld] = field(default_factory=set)
    """The groups and logical messages that lack a part, or have one that was decided to have expired. They are withheld
    for the rest of the search."""
    sees_own: dict[tuple[bool, bool], bool] = field(default_factory=dict)
    """The decision on uncommitted puts of the call's own connection, by whether it gets inside the unit of work, and
    whether the queue manager has put the message, as it does with reports (AMB-137).

    All of a kind are decided alike; otherwise each would double the outcomes.
    """
    own: str | None = None
    """That connection, if its uncommitted puts count as available for what is to be complete, too (AMB-80)."""
    apart: bool | None = None
    """Whether segments that are in a group and segments that are in none belong to different logical messages, though
    GroupId and MsgSeqNumber are the same (AMB-101). None as long as it is not decided."""
    mixed: dict[tuple[bytes, int], bool] = field(default_factory=dict)
    """By GroupId and MsgSeqNumber, whether there are both such segments."""
    last: tuple[Message, Messages, tuple[Message, ...] | None] | None = None
    """The segments that were looked up last, with their message and queue."""


def decide_own_parts(step: Step, request: GetRequest, search: Search) -> None:
    """Decide whether one's own uncommitted messages count for what is to be complete, if there are any (AMB-80)."""
    if not request.withholds:
        return
    conn, parts = request.handle.conn, MQMF.MSG_IN_GROUP | MQMF.SEGMENT
    own = step.state.uncommitted_puts(request.queue, conn)
    if any(each.descriptor.msg_flags & parts for each in own) and step.choose(
        "do one's own uncommitted messages count as available", (False, True), "VIS-02"
    ):
        search.own = conn
        search.sees_own = {(True, False): True, (False, False): True}


def decide_token(step: Step, request: GetRequest, criteria: Criteria) -> Criteria:
    """Decide whether MQMO_MATCH_MSG_TOKEN chooses the group to start, or has to fit its first message (AMB-131)."""
    if criteria.msg_token is None or not request.logical_order:
        return criteria
    chooses = step.choose("does a token choose the group to start", (True, False), "LOG-11", "MTC-11")
    return criteria if chooses else replace(criteria, msg_token=None)


def _is_of_queue_manager(message: Message) -> bool:
    """Return whether the queue manager has put a message itself, as it does with reports (AMB-137)."""
    return message.made is not None and message.made.put is None


def may_be_unseen(request: GetRequest, message: Message) -> bool:
    """Return whether a get under the cursor, outside the unit of work, may not see its own uncommitted message."""
    return not request.browses and message.put_by == request.handle.conn and not request.in_unit_of_work(message)


def unseen_from_outside(step: Step, request: GetRequest, message: Message) -> str | None:
    """Return the rule for which a get outside the unit of work does not see one's own uncommitted message, or None.

    A browse has seen it, but that does not say that a removal does (AMB-130).
    """
    if not may_be_unseen(request, message):
        return None
    sees = step.choose("does a get outside the unit of work see its message under the cursor", (True, False), "VIS-02")
    return None if sees else "VIS-02"


def own_put_visible(step: Step, request: GetRequest, message: Message, search: Search) -> bool:
    """Return whether a message is visible although its own connection has not committed the put (VIS-02, VIS-05)."""
    if message.put_by != request.handle.conn:
        return True
    inside = request.in_unit_of_work(message)
    if request.browses:
        step.because("VIS-05")
    kind = (inside, _is_of_queue_manager(message))
    if kind not in search.sees_own:
        search.sees_own[kind] = step.choose(
            "does the putter see its uncommitted message", (inside, not inside), "VIS-02"
        )
    return search.sees_own[kind]
