"""Benchmark of puts and gets over the network, compared with the model alone, and of many clients.

    python bench/bench_network.py [--quick] [--calls 1000000]

Times are those of the wall clock: two processes take part. "time" is how many times as long a call takes as the same
one on the model alone, in the same run. The rows of 1,000 puts and gets by IBM's client for Java need JAVA_CLASSES, the
class path of the compiled programs of tests/java with its client. With --calls so many calls are made for the memory.
"""

from __future__ import annotations

import logging
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Final

from bench.bench_client import alone
from fixtures.channel_client import Client, connected
from oracle.mqi.constants import MQOO
from oracle.testing import QueueManager, queue_manager

COUNT: Final = 1000
DATA: Final = b"x" * 1000
OPTIONS: Final = MQOO.INPUT_SHARED | MQOO.OUTPUT
CONNECTIONS: Final = 200
LONG: Final = bytes(4_000_000)


def seconds(call: Callable[[], object], count: int = COUNT) -> float:
    """Return the time of one call."""
    begin = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - begin) / count


def opened(client: Client) -> Client:
    """Open the queue, as handle 2."""
    client.open("Q", OPTIONS)
    return client


def of_a_call(qm: QueueManager, port: int, rounds: int) -> None:
    """Print the time of a put and a get, on the model and over the network."""
    put, get = alone(qm)
    best = {"put": [1e9, 1e9], "get": [1e9, 1e9]}
    with connected(port) as client:
        opened(client)
        for _ in range(rounds):
            calls = {"put": (put, lambda: client.put(2, DATA)), "get": (get, lambda: client.get(2))}
            for name, ways in calls.items():
                best[name] = [min(before, seconds(way)) for before, way in zip(best[name], ways, strict=True)]
    for name, (model, network) in best.items():
        print(f"{name}: {1 / model:,.0f} a second on the model, {1 / network:,.0f} over the network", end="")
        print(f", time {network / model:.2f}")


def of_java(qm: QueueManager, port: int) -> None:
    """Print the time of 1,000 puts and gets of IBM's client for Java, if it is installed."""
    classes = os.environ.get("JAVA_CLASSES")
    if classes is None:
        print("java: not measured, for JAVA_CLASSES is not set")
        return
    put, get = alone(qm)
    rounds = [(seconds(put), seconds(get)) for _ in range(6)]
    model = [min(times) for times in zip(*rounds, strict=True)]
    done = subprocess.run(  # the program of the tests
        ["java", "-cp", classes, "Speed", str(port), str(COUNT)],  # noqa: S607 - the one on the path
        capture_output=True,
        text=True,
        check=True,
        cwd=tempfile.gettempdir(),
    )
    java = [float(line) / 1e9 / COUNT for line in done.stdout.split()]
    for name, here, there in zip(("put", "get"), model, java, strict=True):
        print(f"java {name}: {1 / there:,.0f} a second, time {there / here:.2f}")


def of_many(port: int) -> None:
    """Print the time until 200 clients have connected, and each has put and got a message."""
    begin = time.perf_counter()
    with ExitStack() as block:
        clients = [opened(block.enter_context(connected(port))) for _ in range(CONNECTIONS)]
        connecting = time.perf_counter() - begin
        for client in clients:
            client.put(2, DATA)
        for client in clients:
            client.get(2)
        whole = time.perf_counter() - begin
    print(f"{CONNECTIONS} connections: {connecting:.2f} s to connect, {whole:.2f} s with a put and a get of each")


def of_a_long_message(port: int) -> None:
    """Print the time of a message of 4 MB."""
    with connected(port) as client:
        opened(client)
        there = seconds(lambda: client.put(2, LONG), 3)
        back = seconds(lambda: client.get(2, room=1 << 23), 3)
    print(f"a message of {len(LONG):,} bytes: {there * 1000:.0f} ms to put, {back * 1000:.0f} ms to get")


def of_memory(port: int, calls: int) -> None:
    """Print the growth of this process's memory over a number of calls."""
    with connected(port) as client:
        opened(client)
        for part in range(10):
            for _ in range(calls // 20):
                client.put(2, DATA)
                client.get(2)
            most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            print(f"{(part + 1) * (calls // 10):,} calls: at most {most} MB", flush=True)


def main() -> None:
    """Measure, and print a line for each measurement."""
    logging.getLogger("oracle.network").setLevel(logging.CRITICAL)  # clients that end without MQDISC are logged
    rounds = 2 if "--quick" in sys.argv[1:] else 6
    with queue_manager(["Q"], listen=0) as qm:
        port = qm.port or 0
        of_a_call(qm, port, rounds)
        of_java(qm, port)
        of_many(port)
        of_a_long_message(port)
        if "--calls" in sys.argv[1:]:
            of_memory(port, int(sys.argv[sys.argv.index("--calls") + 1]))


if __name__ == "__main__":
    main()
