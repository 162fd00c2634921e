"""Benchmark of puts and gets by IBM's Python client on the oracle, compared with the model alone.

    python bench/bench_client.py [--quick]

It needs `ibmmq` and a C compiler. A rate is the best of several rounds over all rows, in calls a second of processor
time; "time" is how many times as long a call takes as the same one on the model alone, in the same run.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, Final

from oracle.model.queue_manager import outcomes
from oracle.mqi import calls
from oracle.mqi.constants import MQMO, MQOO
from oracle.mqi.structures import GetMessageOptions
from oracle.standin.extension import take_the_place_of
from oracle.testing import QueueManager, queue_manager

COUNT: Final = 500
DATA: Final = b"x" * 1000
OPTIONS: Final = MQOO.INPUT_SHARED | MQOO.OUTPUT

Row = tuple[str, Callable[[], None], Callable[[], None]]


def through_client(mq: Any) -> tuple[Callable[[], None], Callable[[], None]]:
    """Return functions that put and get a message with the client."""
    queue = mq.Queue(mq.connect("QM1", "CHANNEL", "localhost(1414)"), "Q", OPTIONS)
    md, gmo = mq.MD(), mq.GMO(MatchOptions=MQMO.NONE)

    def put() -> None:
        queue.put(DATA)

    def get() -> None:
        md.MsgId = b""
        queue.get(None, md, gmo)

    return put, get


def alone(qm: QueueManager) -> tuple[Callable[[], None], Callable[[], None]]:
    """Return functions that put and get a message on the model alone."""
    qm.running.perform(calls.Connect("alone"))
    hobj = qm.running.perform(calls.Open("alone", "Q", OPTIONS)).hobj or 0
    state = [qm.running.state]
    options = GetMessageOptions(match_options=MQMO.NONE)

    def put() -> None:
        state[0] = next(outcomes(state[0], calls.Put("alone", hobj, data=DATA))).state

    def get() -> None:
        state[0] = next(outcomes(state[0], calls.Get("alone", hobj, options=options))).state

    return put, get


def seconds(call: Callable[[], None]) -> float:
    """Return the processor time of one call."""
    begin = time.process_time()
    for _ in range(COUNT):
        call()
    return (time.process_time() - begin) / COUNT


@contextmanager
def way(name: str, mq: Any) -> Iterator[None]:
    """Let the client use the implementation of that name."""
    with take_the_place_of(mq.ibmmqc) if name == "extension" else nullcontext():
        yield


def main() -> None:
    rounds = 2 if "--quick" in sys.argv[1:] else 8
    best: dict[tuple[str, str], float] = {}
    with queue_manager(["Q"], library=True) as qm:
        import ibmmq as mq  # noqa: PLC0415 - it needs the library

        programs = {"model alone": alone(qm), "extension": through_client(mq), "library": through_client(mq)}
        for _ in range(rounds):
            for name, (put, get) in programs.items():
                with way(name, mq):
                    for verb, call in (("put", put), ("get", get)):
                        best[verb, name] = min(best.get((verb, name), 1e9), seconds(call))
    print("| what | calls/s | time |\n| --- | ---: | ---: |")
    for (verb, name), least in sorted(best.items(), reverse=True):
        print(f"| {verb}, {name} | {1 / least:,.0f} | {least / best[verb, 'model alone']:.2f} |")


if __name__ == "__main__":
    main()
