"""The hunt: tests with random histories run with new seeds, until one fails or the time has passed.

    HUNT_MINUTES=20 python -m tests.hunt [pytest arguments that choose tests]

The tests of the project try the same examples each time. Here each round is one of the tests with random ones, with a
seed of its own; every test has a round before one has another. A failure is printed with its seed and the command that
repeats it, and the exit status is 1. A round that does not end in time is stopped without a result. The environment
`hunt` of tox.ini does this.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random, SystemRandom
from typing import Final

from oracle.errors import UsageError

MINUTES: Final = "HUNT_MINUTES"
DEFAULT_MINUTES: Final = 20.0
_ROOT: Final = Path(__file__).parents[1]
_SEEDS: Final = 2**32
_NOTHING_COLLECTED: Final = 5

Run = Callable[[str, int, float], "bool | None"]
"""A function that runs a test with a seed and a time limit in seconds: whether it passed; None at the time-out."""


def hunt(tests: Sequence[str], minutes: float, run: Run, chance: Random, clock: Callable[[], float]) -> int:
    """Run tests in rounds for a number of minutes, by a clock in seconds, and return the exit status."""
    end, rounds = clock() + 60 * minutes, 0
    for test in _in_turns(tests, chance):
        left = end - clock()
        if left <= 0:
            break
        seed = chance.randrange(_SEEDS)
        passed = run(test, seed, left)
        if passed is False:
            print(f"\n{test} failed with seed {seed}, after {rounds} rounds that passed. To repeat it:\n")
            print(f"    {repeating(test, seed)}")
            return 1
        rounds += passed is True
    print(f"{rounds} rounds of {len(tests)} tests passed in {minutes:g} minutes")
    return 0


def repeating(test: str, seed: int) -> str:
    """Return the command that runs a test with a seed again."""
    return f"HUNT=1 SEED={seed} python -m pytest --numprocesses 0 --hypothesis-seed={seed} '{test}'"


def _in_turns(tests: Sequence[str], chance: Random) -> Iterator[str]:
    while True:
        yield from chance.sample(tests, len(tests))


def _run(test: str, seed: int, seconds: float) -> bool | None:
    """Run a test; the output of pytest is shown."""
    command = [sys.executable, "-m", "pytest", "-q", "--numprocesses", "0", f"--hypothesis-seed={seed}", test]
    environment = {**os.environ, "HUNT": "1", "SEED": str(seed)}
    try:
        done = subprocess.run(command, cwd=_ROOT, env=environment, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return None
    return done.returncode == 0


def random_tests(arguments: Sequence[str]) -> list[str]:
    """Return the tests that try random examples, of those that pytest collects with some arguments.

    Raises UsageError if it collects none.
    """
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "--numprocesses", "0", *arguments]
    environment = {**os.environ, "HUNT": "1"}
    found = subprocess.run(command, cwd=_ROOT, env=environment, capture_output=True, text=True, check=False)
    tests = [line for line in found.stdout.splitlines() if "::" in line and not line.startswith(" ")]
    if found.returncode not in (0, _NOTHING_COLLECTED) or not tests:
        raise UsageError(f"no test that tries random examples was found: {(found.stderr or found.stdout)[-500:]}")
    return tests


def minutes_of(text: str | None) -> float:
    """Return the duration of the hunt from HUNT_MINUTES. Raises UsageError if it is not a number above zero."""
    try:
        minutes = DEFAULT_MINUTES if text is None else float(text)
    except ValueError:
        minutes = 0
    if not 0 < minutes < float("inf"):
        raise UsageError(f"{MINUTES} must be a number of minutes above 0, not {text!r}")
    return minutes


def main() -> int:
    """Hunt, and return the exit status."""
    try:
        minutes = minutes_of(os.environ.get(MINUTES))
        tests = random_tests(sys.argv[1:])
    except UsageError as error:
        print(f"hunt: {error}", file=sys.stderr)
        return 2
    return hunt(tests, minutes, _run, Random(SystemRandom().getrandbits(64)), time.monotonic)


if __name__ == "__main__":
    sys.exit(main())
