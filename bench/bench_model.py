"""How fast the model plays calls, as ratios within one run.

    python bench/bench_model.py

Prints calls a second for put and get at several depths, each beside the shallowest queue, and the cost of copying the
state. The figures are for this machine at this moment; only the ratios are worth comparing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from oracle import calls
from oracle.constants import MQOO
from oracle.definitions import QueueDefinition, define
from oracle.model.queue_manager import new_state, outcomes
from oracle.model.state import State

DEPTHS = (10, 1_000, 50_000)
HANDLE = MQOO.INPUT_SHARED | MQOO.OUTPUT | MQOO.BROWSE


def prepared(depth: int) -> State:
    """Return a queue manager with one queue of a depth and one open handle, number 1."""
    state = new_state([define(QueueDefinition, {"name": "Q", "MaxQDepth": 10 * depth})])
    begin: tuple[calls.Call, ...] = (calls.Connect("A"), calls.Open("A", "Q", HANDLE))
    for call in (*begin, *(calls.Put("A", 1) for _ in range(depth))):
        state = next(outcomes(state, call)).state
    return state


def play_first(state: State, call: calls.Call) -> object:
    """Play a call and take the first outcome."""
    return next(outcomes(state, call))


def rate(action: Callable[[], object], at_least_seconds: float = 1.0) -> float:
    """Return how often a second an action runs."""
    count, start = 0, time.perf_counter()
    while (spent := time.perf_counter() - start) < at_least_seconds:
        for _ in range(50):
            action()
        count += 50
    return count / spent


def main() -> None:
    base: dict[str, float] = {}
    for depth in DEPTHS:
        state = prepared(depth)
        actions: dict[str, Callable[[], object]] = {
            "put": partial(play_first, state, calls.Put("A", 1)),
            "get": partial(play_first, state, calls.Get("A", 1)),
            "copy": state.copy,
        }
        for name, action in actions.items():
            found = rate(action)
            base.setdefault(name, found)
            print(f"{name:5} at depth {depth:6}: {found:9.0f} a second, {found / base[name]:5.2f} of depth {DEPTHS[0]}")


if __name__ == "__main__":
    main()
