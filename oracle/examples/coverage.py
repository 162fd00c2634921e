"""Coverage of the rules: which ones the model implements, which have an example, and which the examples exercise.

A rule counts as implemented if the code names it: in a decision of the model (`Step.because`), a table of outputs, or a
check of the follower. The names are found in the source, so a decision that no call has reached counts too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from oracle.examples.rule_examples import examples, play
from oracle.rules import catalogue

_JUDGING = ("compare", "explain", "follow", "wrong_messages")
_DECIDING = ("model", "replay", *(f"judging/{name}.py" for name in _JUDGING))
"""The folders of the package in which the code decides by rules."""

_RULE_ID = re.compile(r"[A-Z]{3}-\d{2}")


@dataclass(frozen=True, slots=True)
class RuleCoverage:
    """The coverage of one rule."""

    rule: catalogue.Rule
    """The rule of the catalogue."""
    implemented: bool
    """Whether the code names it where it decides."""
    examples: int
    """The number of its examples."""
    exercised: bool
    """Whether it was behind an outcome when all examples were played."""

    @property
    def missing(self) -> tuple[str, ...]:
        """What an observable rule should have and lacks: `implementation`, `example`."""
        if self.rule.unobservable is not None:
            return ()
        lacks = {"implementation": not self.implemented, "example": not self.examples}
        return tuple(what for what, is_missing in lacks.items() if is_missing)


@dataclass(frozen=True, slots=True)
class AreaCoverage:
    """The rules of one area."""

    area: str
    """The three letters with which the ids of its rules begin."""
    title: str
    """Its subject."""
    rules: tuple[RuleCoverage, ...]
    """The coverage of each of its rules, in the catalogue's order."""

    @property
    def implemented(self) -> int:
        """The number of rules that the code names."""
        return sum(entry.implemented for entry in self.rules)

    @property
    def with_examples(self) -> int:
        """The number of rules that have an example."""
        return sum(entry.examples > 0 for entry in self.rules)

    @property
    def exercised(self) -> int:
        """The number of rules that were behind an outcome when all examples were played."""
        return sum(entry.exercised for entry in self.rules)

    @property
    def unobservable(self) -> int:
        """The number of unobservable rules."""
        return sum(entry.rule.unobservable is not None for entry in self.rules)

    @property
    def missing(self) -> tuple[RuleCoverage, ...]:
        """The observable rules that lack an implementation or an example."""
        return tuple(entry for entry in self.rules if entry.missing)


@cache
def coverage() -> tuple[AreaCoverage, ...]:
    """Return the coverage of each rule, by area. All examples are played.

    Raises BadInputError if an example cannot be played.
    """
    cited, exercised = implemented(), _exercised()
    counts: dict[str, int] = {}
    for example in examples():
        counts[example.rule] = counts.get(example.rule, 0) + 1
    return tuple(
        AreaCoverage(
            area.area,
            area.title,
            tuple(
                RuleCoverage(rule, rule.id in cited, counts.get(rule.id, 0), rule.id in exercised)
                for rule in area.rules
            ),
        )
        for area in catalogue.areas().values()
    )


@cache
def implemented() -> frozenset[str]:
    """Return the rules that the code names where it decides."""
    return frozenset(rule for path in _DECIDING for rule in _named_in(path))


def _named_in(path: str) -> Iterator[str]:
    """Yield the rule ids that are string literals of their own in a file or folder, without comments and docstrings."""
    place = files("oracle") / path
    if place.is_dir():
        for entry in place.iterdir():
            yield from _named_in(f"{path}/{entry.name}")
    elif path.endswith(".py"):
        for node in ast.walk(ast.parse(place.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and _RULE_ID.fullmatch(node.value):
                yield node.value


def _exercised() -> frozenset[str]:
    return frozenset().union(*(play(example).behind for example in examples()))
