"""The reasons why a message did not suit an MQGET: the model's answer for each message, in words and rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from oracle.histories.event_log import Event
from oracle.model.browsing.marks import certainly_marked
from oracle.model.expiry import expires_at_ms, may_have_expired, must_have_expired
from oracle.model.groups.get_groups import Criteria, table_2
from oracle.model.messages.messages import Message, Position
from oracle.model.requests.get import GetRequest, request_of
from oracle.model.requests.option_matrix import GROUPING
from oracle.model.search.get_rules import match_rules
from oracle.model.search.one_search import Search
from oracle.model.search.search_rules import why_hidden
from oracle.model.search.selection import search_start, unavailable_because
from oracle.model.search.wholeness import is_withheld
from oracle.model.state import State
from oracle.mqi.constants import MQGMO, NULL_ID
from spark_checks.questions.handles import History, left_over
from spark_checks.questions.modelling import Modelled
from spark_checks.questions.stock import Held, Holder
from spark_checks.times import moment


@dataclass(frozen=True)
class Cause:
    """One reason why a message did not suit."""

    kind: str
    """The reason in a word or two, by which reasons are counted."""
    sentence: str
    """The reason, in words for people."""
    rules: tuple[str, ...]
    """The rules behind it."""


@dataclass(frozen=True)
class Judged:
    """A message on the queue, and the reasons why the call did not return it."""

    held: Held
    """The message."""
    place: Position
    """Its place in the order in which the call would have met the messages."""
    causes: tuple[Cause, ...]
    """The reasons why it did not suit. If there are none, it suited."""
    doubts: tuple[str, ...]
    """The reasons why it is not sure that it was there, or that it was held."""


SUITED: Final = "suited"


def judged(found: Modelled, history: History) -> list[Judged]:
    """Return why each message on the queue did not suit, in the order in which the call would have met them."""
    request = request_of(found.state, found.call)
    locked = found.state.locked_elsewhere(request.handle)
    search = Search(partial(unavailable_because, request, locked), locked)
    messages = list(request.queue.messages)
    doubts = () if history.unknown is None else (history.unknown,)
    return [
        Judged(
            found.places[message.position],
            message.position,
            tuple(_causes(found.state, request, message, search, held=found.places[message.position], history=history)),
            (*found.places[message.position].doubts, *doubts, *_groupless(request, found.places[message.position])),
        )
        for message in messages
    ]


def _groupless(request: GetRequest, held: Held) -> Iterator[str]:
    """Yield that the group of a message was not captured, if the call goes by groups."""
    if request.asks(GROUPING) and held.shown.msg_flags is None:
        yield "its group was not captured"


def _causes(
    state: State, request: GetRequest, message: Message, search: Search, *, held: Held, history: History
) -> Iterator[Cause]:
    yield from _hidden(state, request, message, search, held)
    if must_have_expired(state, message):
        yield Cause("expired", f"it had expired{_expired_at(message, held)}", ("EXP-09",))
    elif may_have_expired(state, message):
        yield Cause(
            "perhaps expired",
            f"it may have expired, which was due{_expired_at(message, held)}",
            ("EXP-08", "EXP-09"),
        )
    if request.under_cursor:
        if request.handle.cursor != message.position:
            yield Cause("not under the cursor", "it was not the message under the browse cursor", ("CUR-03",))
        return
    criteria, row = table_2(request.logical_order, request.information, request.matching())
    if not criteria.admits(message):
        yield _unlike(request, message, criteria, row, history)
    elif message.position <= search_start(request):
        sentence = "it stood before the browse cursor, and a browse never moves back"
        yield Cause("behind the cursor", sentence, ("BRW-05", *request.handle.grounds.cursor[:2]))
    elif is_withheld(state, request, message, search):
        group = request.asks(MQGMO.ALL_MSGS_AVAILABLE)
        sentence = (
            "its group was not complete on the queue" if group else "its logical message was not complete on the queue"
        )
        rules = ("AMA-01",) if group else (("CMP-01",) if request.asks(MQGMO.COMPLETE_MSG) else ("ASA-01",))
        yield Cause("incomplete", sentence, rules)
    if certainly_marked(request, message):
        yield Cause("marked", "it was marked as browsed, and the call asks for unmarked messages", ("MRK-14", "MRK-15"))


def _hidden(state: State, request: GetRequest, message: Message, search: Search, held: Held) -> Iterator[Cause]:
    own = message.put_by is not None and message.put_by == request.handle.conn
    if own and held.put_by is not None:
        sentence = f"it was put by the connection itself in a unit of work that was not committed{_since(held.put_by)}"
        yield Cause("own and not committed", f"{sentence}; whether that sees it is open", ("VIS-02",))
    rule = search.hidden(message)
    if rule is None:
        return
    further = tuple(why_hidden(state, request, message))
    if rule == "VIS-01" and held.put_by is not None:
        sentence = "it was put in a unit of work" if _perhaps_ended(held.put_by) else "it was not committed: put"
        sentence += f" by connection {held.put_by.conn}{_since(held.put_by)}, {_until(held.put_by)}"
        yield Cause("not committed", sentence, (rule, *further))
    elif rule == "SYN-01" and held.got_by is not None:
        how = "in a unit of work" if _perhaps_ended(held.got_by) else "and not committed"
        sentence = f"connection {held.got_by.conn} had got it {how}{_since(held.got_by)}, {_until(held.got_by)}"
        yield Cause("got and not committed", sentence, (rule, *further))
    elif held.locked_by is not None:
        sentence = f"connection {held.locked_by.conn} had locked it{_since(held.locked_by)}, {_until(held.locked_by)}"
        yield Cause("locked", sentence, (rule, *further))


def _since(holder: Holder) -> str:
    return f", since {moment(holder.since_us, day=False)}"


def _perhaps_ended(holder: Holder) -> bool:
    return holder.may_have_ended or holder.ended_somehow is not None


def _until(holder: Holder) -> str:
    deed = holder.deed
    end = deed.lock_end if deed.lock_end is not None else deed.end
    if end is None and holder.ended_somehow is not None:
        ended = holder.ended_somehow
        return f"and how {ended.call}, call {ended.seq}, at {moment(ended.lo, day=False)} ended that is not known"
    if end is None:
        return "and the log shows no end of that"
    how = "which the log shows to end by" if holder.may_have_ended else "until"
    return f"{how} {end.call}, call {end.seq}, at {moment(end.lo, day=False)}"


def _expired_at(message: Message, held: Held) -> str:
    end = expires_at_ms(message)
    if end is None or held.put is None:
        return ""
    return f" at {moment(held.put.lo + message.descriptor.expiry * 100_000, day=False)}"


_MEMBERS: Final = (
    ("msg_id", "MsgId", "sel_msg_id"),
    ("correl_id", "CorrelId", "sel_correl_id"),
    ("group_id", "GroupId", "sel_group_id"),
    ("msg_seq_number", "MsgSeqNumber", ""),
    ("offset", "Offset", ""),
)


def _unlike(request: GetRequest, message: Message, criteria: Criteria, row: str, history: History) -> Cause:
    """Return the cause that a message is not the one that the call asks for."""
    rules = (row, *match_rules(request)) if request.logical_order else match_rules(request)
    for name, shown, selected in _MEMBERS:
        wanted, has = getattr(criteria, name), getattr(message.descriptor, name)
        if wanted is not None and wanted != has:
            sentence = f"its {shown} is another: the call asks for {_shown(wanted)}"
            return Cause(f"other {shown}", sentence + _left_in(selected, name, request, history), rules)
    return Cause("other token", "it has another message token than the call asks for", rules)


def _left_in(selected: str, name: str, request: GetRequest, history: History) -> str:
    """Return the likely mistake behind a selection: an identifier that an earlier call may have left there."""
    if selected not in ("sel_msg_id", "sel_correl_id") or (request.logical_order and request.information.unfinished):
        return ""
    deed = left_over(history, selected, name)
    if deed is None:
        return ""
    event: Event = deed.event
    by_default = " (a version 1 MQGMO always selects by both)" if history.target.match_options is None else ""
    return (
        f", as {event.call}, call {event.seq}, had it; if that only left it in the descriptor, clear it before the "
        f"call, or leave the match option out{by_default}"
    )


def _shown(value: bytes | int) -> str:
    if isinstance(value, int):
        return str(value)
    return "any" if value == NULL_ID else value.hex()
