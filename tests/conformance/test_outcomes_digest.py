"""The digest of allowed outcomes distinguishes versions of the model, and depends on nothing else."""

from __future__ import annotations

from functools import cache
from itertools import islice
from random import Random

import pytest

from bench.outcomes_digest import of_random, parts, text_of
from bench.random_histories import draw
from conformance.sensitivity.patches import Patch
from oracle.model.messages.messages import Messages
from oracle.mqi.structures import MessageDescriptor


def texts(histories: int) -> list[str]:
    random = Random(1)
    return [text for _ in range(histories) for text in of_random(draw(random))]


@cache
def of_the_model() -> list[str]:
    """Return the texts of twenty histories by the model as it is."""
    return texts(20)


def test_it_is_the_same_each_time_and_shows_most_of_what_can_happen() -> None:
    first = texts(60)
    assert first[: len(of_the_model())] == of_the_model()
    whole = "".join(first)
    for rule in ("VIS-01", "MTC-01", "UOW-01", "UOW-02", "LCK-01", "OPT-05"):
        assert rule in whole


@pytest.mark.parametrize(
    ("place", "replace", "by"),
    [
        ("oracle.model.units.units:commit", '"UOW-04"', '"UOW-03"'),
        (
            "oracle.model.units.arrival:place",
            '"VIS-08", "VIS-09" if fifo else "PRI-03"',
            '"VIS-09" if fifo else "PRI-03"',
        ),
        ("oracle.model.groups.get_groups:segmentation", "and not zos", "and zos"),
    ],
)
def test_another_model_has_another(place: str, replace: str, by: str) -> None:
    right = of_the_model()
    with Patch(place, replace, by).applied():
        assert texts(20) != right


def test_it_takes_in_examples_scenarios_and_random_histories() -> None:
    names = [part.name for part in parts(3)]
    assert {"VIS-01", "random 0", "random 2"} <= set(names)
    assert any(name.endswith(" on zos") for name in names)
    assert all(list(part.texts()) for part in islice(parts(0), 6))


def test_how_a_value_is_held_does_not_show() -> None:
    assert text_of({"a": 1, "b": 2}) == text_of({"b": 2, "a": 1})
    assert text_of({"a": None, "b": None}) != text_of({"b": None, "a": None})
    assert text_of(frozenset({3, 1})) == text_of(frozenset({1, 3}))
    assert text_of(Messages()) == "Messages()"
    assert text_of(MessageDescriptor(priority=1)) != text_of(MessageDescriptor(priority=2))
