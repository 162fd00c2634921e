"""The tests try the same examples each time, and a hunt tries others for a given time."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import settings

from oracle.errors import UsageError
from tests.conftest import HUNTS
from tests.hunt import hunt, minutes_of, repeating

TESTS = ("a.py::one", "a.py::two", "b.py::three[x y]")


class Rounds:
    """Runs tests in no time: each takes a minute of a clock that it moves itself."""

    def __init__(self, fails_at: int | None = None) -> None:
        self.seconds, self.fails_at = 0.0, fails_at
        self.run: list[tuple[str, int]] = []

    def clock(self) -> float:
        return self.seconds

    def __call__(self, test: str, seed: int, seconds: float) -> bool | None:
        self.run.append((test, seed))
        self.seconds += min(60, seconds)
        if seconds < 60:
            return None
        return len(self.run) != self.fails_at


def test_the_same_examples_are_tried_every_time_unless_one_hunts() -> None:
    assert settings.default is not None
    assert settings.default.derandomize is not HUNTS


def test_a_hunt_gives_all_tests_a_round_before_one_has_another(capsys: pytest.CaptureFixture[str]) -> None:
    rounds = Rounds()
    assert hunt(TESTS, 6, rounds, Random(1), rounds.clock) == 0
    assert rounds.seconds == 360
    names = [test for test, _ in rounds.run]
    assert set(names[:3]) == set(names[3:]) == set(TESTS)
    assert len({seed for _, seed in rounds.run}) == 6
    assert capsys.readouterr().out == "6 rounds of 3 tests passed in 6 minutes\n"


def test_a_hunt_ends_when_its_time_is_over_and_counts_no_round_that_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    rounds = Rounds()
    assert hunt(TESTS, 2.5, rounds, Random(1), rounds.clock) == 0
    assert rounds.seconds == 150
    assert capsys.readouterr().out == "2 rounds of 3 tests passed in 2.5 minutes\n"


def test_a_failure_is_told_with_its_seed_and_the_command_that_repeats_it(capsys: pytest.CaptureFixture[str]) -> None:
    rounds = Rounds(fails_at=2)
    assert hunt(TESTS, 60, rounds, Random(2), rounds.clock) == 1
    test, seed = rounds.run[-1]
    assert len(rounds.run) == 2
    told = capsys.readouterr().out
    assert f"{test} failed with seed {seed}" in told
    assert repeating(test, seed) in told
    command = "HUNT=1 SEED=7 python -m pytest --numprocesses 0 --hypothesis-seed=7 'a.py::one'"
    assert repeating("a.py::one", 7) == command


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "soon"])
def test_a_hunt_needs_a_number_of_minutes(text: str) -> None:
    with pytest.raises(UsageError, match="HUNT_MINUTES must be a number of minutes above 0"):
        minutes_of(text)


def test_a_hunt_lasts_twenty_minutes_unless_it_is_told() -> None:
    assert (minutes_of(None), minutes_of("0.5")) == (20, 0.5)
