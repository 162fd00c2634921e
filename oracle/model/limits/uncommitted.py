"""The number of uncommitted messages of a unit of work, which MaxUncommittedMsgs limits (UOW-07).

The facts mention uncommitted puts and gets, and count a put once however many pieces the queue manager makes of its
message. The number is a range, because they leave some cases open. A message that the unit of work has both put and got
may count as two, one or none, also when its queue has been deleted (AMB-79). Segments that one get returned as one
message may count as one or each (AMB-132). Also open are a report that cannot be put anywhere, and trigger messages
that wait for the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from oracle.model.checks import Refusal
from oracle.model.connections import Place, UnitOfWork
from oracle.model.groups.splitting import more_pieces, more_pieces_got
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
    puts: set[object] = set()
    kept: set[object] = set()
    gone = others = both = triggering = 0
    for place in work.touched:
        queue, message = find(state, place)
        if queue is None or message is None:
            gone += 1
        elif message.put_by != conn:
            others += 1
        else:
            puts.add(_put_of(place, message))
            if message.got_by == conn:
                both += 1
            else:
                kept.add(_put_of(place, message))
            triggering += bool(queue.definition.trigger_control)
    more = more_pieces_got(state, work.touched, conn)
    plain = gone + len(puts) + others + both + len(work.unconfirmed)
    least = len(kept) + others - work.taken_whole
    least += sum(route_of_reply(state, message.descriptor) is not None for message, _ in work.unconfirmed)
    triggers = max(triggering, len(work.triggered) + len(work.triggered_by_each))
    return Count(least, plain, plain + work.put_and_deleted + triggers + more)


def _put_of(place: Place, message: Message) -> object:
    """Return what all pieces of one put share."""
    split = None if message.made is None else message.made.put
    return place if split is None else (place[0], split)


def with_get(state: State, count: Count, queue: str, conn: str, segments: Sequence[Message]) -> Count:
    """Return the count with one more get, of one message or of all segments of one (AMB-132).

    A message that the unit of work put itself may count once for both, or not at all.
    """
    own = {_put_of((queue, each.position), each) for each in segments if each.put_by == conn}
    strange = any(each.put_by != conn for each in segments)
    number = len(segments)
    count = count.plus(int(strange) - len(own), number + more_pieces(segments), plain=number)
    for each in segments:
        count = with_report(state, count, each.descriptor, MQFB.COD)
    return count


def note_taken(work: UnitOfWork, conn: str, segments: Sequence[Message]) -> None:
    """Note that one get of a unit of work has returned these segments as one message (AMB-132)."""
    work.taken_whole += max(0, sum(each.put_by != conn for each in segments) - 1)


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
