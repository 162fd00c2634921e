"""Benchmark of the model: playing and following calls, and the growth with the messages on the queue.

    python bench/bench_model.py [--quick]

Prints one table. A rate is the best of several rounds over all rows, in calls a second of processor time; "time" is how
many times as long a call takes as one of the row that is named beside it. Rates depend on the machine and its present
load; compare the ratios, which were measured in the same run. `docs/performance.md` explains them.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from oracle.histories.history import observed_of
from oracle.judging.follow import Follower
from oracle.model.queue_manager import new_state, outcomes
from oracle.model.state import State
from oracle.mqi import calls
from oracle.mqi.constants import MQGMO, MQMF, MQMO, MQOO, MQPMO
from oracle.mqi.definitions import QueueDefinition, define
from oracle.mqi.structures import GetMessageOptions, MessageDescriptor, PutMessageOptions
from oracle.protocol import ObservedReply

SHALLOW: Final = 10
DEPTHS: Final = (SHALLOW, 1_000, 50_000)
MEMBERS: Final = 100
SEARCHED: Final = 1_000
BROWSED: Final = 500

RATE_AIM: Final = 40_000
"""The aim for puts or gets a second at the shallowest depth."""

DEPTH_AIM: Final = 2.0
"""The greatest factor by which a get of the first message may be slower at the deepest depth than at the shallowest."""

SEARCH_AIM: Final = 2.0
"""The greatest factor for a get that looks for a message by an identifier, or for all segments of one."""

FOLLOWING_AIM: Final = 1.5
"""The greatest factor of following calls compared with playing them."""

BY_MSG_ID: Final = f"get the last of {SEARCHED:,} by MsgId"
COMPLETE: Final = "group, COMPLETE_MSG"
PLAYING: Final = "play puts and gets"
FOLLOWING: Final = "follow puts and gets"

HANDLE: Final = MQOO.INPUT_SHARED | MQOO.OUTPUT | MQOO.BROWSE
PUT: Final = calls.Put("A", 1)


def get(options: int = 0) -> calls.Get:
    """Return a get of the first message."""
    return calls.Get("A", 1, options=GetMessageOptions(options=options, match_options=MQMO.NONE))


def first(state: State, call: calls.Call) -> State:
    """Play a call, and return the state after its first outcome."""
    outcome = next(outcomes(state, call))
    if outcome.reply.failed:
        raise RuntimeError(f"{call} failed with {outcome.reply}")
    return outcome.state


def opened(max_depth: int) -> State:
    """Return a queue manager with an empty queue and one open handle, number 1."""
    state = new_state([define(QueueDefinition, {"name": "Q", "MaxQDepth": max_depth})])
    for call in (calls.Connect("A"), calls.Open("A", "Q", HANDLE)):
        state = first(state, call)
    return state


def filled(state: State, depth: int) -> State:
    """Return the state after that many more puts."""
    for _ in range(depth):
        state = first(state, PUT)
    return state


def of_group() -> Iterator[calls.Put]:
    """Yield the puts of a group, each member in two segments."""
    for member in range(1, MEMBERS + 1):
        in_group = MQMF.LAST_MSG_IN_GROUP if member == MEMBERS else MQMF.MSG_IN_GROUP
        for of_message in (MQMF.SEGMENT, MQMF.LAST_SEGMENT):
            md = MessageDescriptor(msg_flags=in_group | of_message)
            yield calls.Put("A", 1, md, PutMessageOptions(options=MQPMO.LOGICAL_ORDER), b"half")


def play_all(state: State, history: Iterable[calls.Call]) -> None:
    """Play calls one after the other."""
    for call in history:
        state = first(state, call)


def follow_all(state: State, seen: Iterable[tuple[calls.Call, ObservedReply]]) -> None:
    """Follow calls one after the other."""
    follower = Follower(state)
    for call, observed in seen:
        if follower.follow(call, observed).departure is not None:
            raise RuntimeError(f"{call} departs from the model that answered it")


def answered(state: State, history: Iterable[calls.Call]) -> list[tuple[calls.Call, ObservedReply]]:
    """Return calls with the replies of the model."""
    seen = []
    for call in history:
        outcome = next(outcomes(state, call))
        seen.append((call, observed_of(outcome.reply)))
        state = outcome.state
    return seen


@dataclass(frozen=True)
class Row:
    """A measurement: an action with a number of calls, compared with the row of another name."""

    name: str
    action: Callable[[], object]
    calls: int = 1
    beside: str | None = None


def depth_rows() -> Iterator[Row]:
    """Yield calls at several depths, and browsing from message to message."""
    state, depth, browse = opened(2 * max(DEPTHS)), 0, [get(MQGMO.BROWSE_NEXT)] * BROWSED
    for wanted in DEPTHS:
        state, depth = filled(state, wanted - depth), wanted
        singles: dict[str, Callable[[], object]] = {
            "put": partial(first, state, PUT),
            "get the first": partial(first, state, get()),
            "browse the first": partial(first, state, get(MQGMO.BROWSE_FIRST)),
            "copy the state": state.copy,
        }
        for name, action in singles.items():
            yield Row(at_depth(name, wanted), action, 1, at_depth(name, SHALLOW) if wanted > SHALLOW else None)
        if wanted > BROWSED:
            middle = first(state, get(MQGMO.BROWSE_FIRST))
            middle.handles["A", 1].cursor = list(middle.queues["Q"].messages)[(wanted - BROWSED) // 2].position
            beside = at_depth("browse the first", SHALLOW)
            yield Row(at_depth("browse on", wanted), partial(play_all, middle, browse), len(browse), beside)


def search_rows() -> Iterator[Row]:
    """Yield a get that looks for the last message by its MsgId."""
    state = filled(opened(SEARCHED), SEARCHED)
    *_, last = state.queues["Q"].messages
    options = GetMessageOptions(match_options=MQMO.MATCH_MSG_ID)
    search = calls.Get("A", 1, MessageDescriptor(msg_id=last.descriptor.msg_id), options)
    beside = at_depth("get the first", SHALLOW)
    yield Row(BY_MSG_ID, partial(first, state, search), 1, beside)


def group_rows() -> Iterator[Row]:
    """Yield gets of a group whose members have two segments each, with other messages behind it."""
    state = opened(10 * SEARCHED)
    for call in of_group():
        state = first(state, call)
    state = filled(state, SEARCHED)
    ways = {
        "LOGICAL_ORDER": (MQGMO.LOGICAL_ORDER, 2 * MEMBERS),
        "COMPLETE_MSG": (MQGMO.COMPLETE_MSG, MEMBERS),
        "COMPLETE_MSG+LOGICAL_ORDER": (MQGMO.COMPLETE_MSG | MQGMO.LOGICAL_ORDER, MEMBERS),
        "ALL_MSGS_AVAILABLE+LOGICAL_ORDER": (MQGMO.ALL_MSGS_AVAILABLE | MQGMO.LOGICAL_ORDER, 2 * MEMBERS),
    }
    for name, (options, count) in ways.items():
        action = partial(play_all, state, [get(options)] * count)
        yield Row(f"group, {name}", action, count, at_depth("get the first", SHALLOW))


def following_rows() -> Iterator[Row]:
    """Yield rows of following puts and gets, compared with playing them."""
    state = filled(opened(10 * SHALLOW), SHALLOW)
    history: list[calls.Call] = [PUT, get()] * 50
    seen = answered(state, history)
    yield Row(PLAYING, partial(play_all, state, history), len(history))
    yield Row(FOLLOWING, partial(follow_all, state, seen), len(seen), PLAYING)


def at_depth(name: str, depth: int) -> str:
    """Return the name of a row at a depth."""
    return f"{name}, depth {depth:,}"


def rate(row: Row, seconds: float) -> float:
    """Return the calls a second of a row, measured for at least a time."""
    count, start = 0, time.process_time()
    while (spent := time.process_time() - start) < seconds:
        row.action()
        count += row.calls
    return count / spent


def measured(rows: Sequence[Row], rounds: int, seconds: float) -> dict[str, float]:
    """Return the best rate of each row. A round measures all rows, so that a slow moment affects them alike."""
    best = dict.fromkeys((row.name for row in rows), 0.0)
    for _ in range(rounds):
        for row in rows:
            best[row.name] = max(best[row.name], rate(row, seconds))
    return best


def table(rows: Sequence[Row], rates: dict[str, float]) -> Iterator[str]:
    """Yield the lines of the table."""
    yield f"{'':40} {'calls/s':>9} {'us/call':>9} {'time':>7}  beside"
    for row in rows:
        found = rates[row.name]
        beside = "" if row.beside is None else f"{rates[row.beside] / found:7.2f}  {row.beside}"
        yield f"{row.name:40} {found:9,.0f} {1e6 / found:9,.1f} {beside}".rstrip()


def verdicts(rates: dict[str, float]) -> Iterator[str]:
    """Yield the aims that are met."""
    for name in ("put", "get the first"):
        found = rates[at_depth(name, SHALLOW)]
        met = "met" if found >= RATE_AIM else f"missed by a factor of {RATE_AIM / found:.1f}; plainness comes first"
        yield f"aim: {RATE_AIM:,} calls a second, {at_depth(name, SHALLOW)}: {met}"
    shallow = at_depth("get the first", SHALLOW)
    for name, beside, aim in (
        (at_depth("get the first", max(DEPTHS)), shallow, DEPTH_AIM),
        (BY_MSG_ID, shallow, SEARCH_AIM),
        (COMPLETE, shallow, SEARCH_AIM),
        (FOLLOWING, PLAYING, FOLLOWING_AIM),
    ):
        ratio = rates[beside] / rates[name]
        met = "met" if ratio <= aim else "missed"
        yield f"aim: {name}, at most {aim:g} times {beside}: {met}, {ratio:.2f}"


def main() -> None:
    quick = "--quick" in sys.argv[1:]
    rows = [*depth_rows(), *search_rows(), *group_rows(), *following_rows()]
    rates = measured(rows, rounds=2 if quick else 6, seconds=0.05 if quick else 0.15)
    print(*table(rows, rates), "", *verdicts(rates), sep="\n")


if __name__ == "__main__":
    main()
