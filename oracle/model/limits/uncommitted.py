"""The number of uncommitted messages of a unit of work, which MaxUncommittedMsgs limits (UOW-07).

The facts mention uncommitted puts and gets. The number is a range, because they leave some cases open. A message that
the unit of work has both put and got may count as two, one or none. Also open are a report that cannot be put anywhere,
trigger messages that wait for the end, and the segments of a message whose split has not been observed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from oracle.model.checks import Refusal
from oracle.model.groups.splitting import pieces_may_differ
from oracle.model.messages.messages import Message
from oracle.model.reports.reply_queues import route_of_reply
from oracle.model.reports.reports import asks_for
from oracle.model.state import State
from oracle.model.step import Step
from oracle.model.units.skip_backout import find
from oracle.mqi.constants import MQFB, MQRC
from oracle.mqi.structures import MessageDescriptor


@dataclass(frozen=True, slots=True)
class Count:
    """The number of uncommitted messages, as a range."""

    least: int
    """The fewest that the facts allow."""
    plain: int
    """The number of puts and gets."""
    most: int
    """The most that the facts allow."""

    def plus(self, least: int, most: int, plain: int | None = None) -> Count:
        """Return the count with more messages. `plain` defaults to the most of them."""
        return Count(self.least + least, self.plain + (most if plain is None else plain), self.most + most)


def uncommitted(state: State, conn: str) -> Count:
    """Return the number of uncommitted messages in a connection's unit of work; none if it has no unit of work."""
    work = state.connections[conn].unit_of_work
    if work is None:
        return Count(0, 0, 0)
    held = both = triggering = 0
    for place in work.touched:
        queue, message = find(state, place)
        if queue is not None and message is not None:
            own_put, own_get = message.put_by == conn, message.got_by == conn
            held += not (own_put and own_get)
            both += own_put and own_get
            triggering += own_put and bool(queue.definition.trigger_control)
    fewer, more = pieces_may_differ(state, work.touched, conn)
    plain = len(work.touched) + both + len(work.unconfirmed)
    held += sum(route_of_reply(state, message.descriptor) is not None for message, _ in work.unconfirmed)
    return Count(held - fewer, plain, plain + max(triggering, len(work.triggered) + len(work.triggered_by_each)) + more)


def with_get(state: State, count: Count, conn: str, message: Message) -> Count:
    """Return the count with one more get.

    A message that the unit of work put itself may count once for both, or not at all.
    """
    own = message.put_by == conn
    count = count.plus(-1, 1, plain=1) if own else count.plus(1, 1)
    return with_report(state, count, message.descriptor, MQFB.COD)


def with_report(state: State, count: Count, md: MessageDescriptor, feedback: int, *, surely: bool = True) -> Count:
    """Return the count with the report that a message asks for, if any.

    Without a reply queue of this queue manager there may be none, and `surely` says whether there is one with it.
    """
    if not asks_for(md, feedback):
        return count
    route = route_of_reply(state, md) if surely else None
    return count.plus(int(route is not None and route.remote is None), 1)


def limit_refusals(step: Step, count: Count, *rules: str) -> Iterator[Refusal]:
    """Yield the refusal of a call that would lead to this count, if that may be too many."""
    limit = step.state.definition.max_uncommitted_msgs
    if count.most > limit:
        reason = MQRC.SYNCPOINT_LIMIT_REACHED
        optional, unlikely = count.least <= limit, count.plain <= limit
        yield Refusal(reason, ("UOW-07", *rules), optional=optional, unlikely=unlikely)
