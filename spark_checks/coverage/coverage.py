"""Coverage: the records with which each rule could be checked, and those that lack something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import groupby

from spark_checks.checks.base import Check, Concern
from spark_checks.frames import Column, Frame
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import holds
from spark_checks.preparation.log import Log
from spark_checks.results.rule_results import Covered
from spark_checks.shapes.grouping import covered_by_shapes
from spark_checks.shapes.judging import SHAPE_RULES

Coverage = Mapping[str, Covered]
"""The coverage by rule."""

_WORD_BITS = 62
"""The number of bits used of a word: the sign bit is not used."""


@dataclass
class _Count:
    checked: int = 0
    lacking: int = 0
    missing: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class _Place:
    """The place of a concern in the words that hold a record's relation to all rules.

    One bit says whether the rule applies to the record; one bit follows for each need that the record may lack.
    """

    concern: Concern
    word: int
    bit: int

    def standing(self) -> Column:
        """Return a record's relation to the rule, as bits of the word."""
        bits: Column = fn.lit(1 << self.bit)
        for place, missing in enumerate(self.concern.missing.values(), self.bit + 1):
            bits = bits.bit_or(fn.when(holds(missing), 1 << place).otherwise(0))
        return fn.when(self.concern.records, bits.cast("long")).otherwise(fn.lit(0).cast("long"))

    def lacks(self, words: Sequence[int]) -> list[str] | None:
        """Return what the records with this relation lack; None if the rule does not apply to them."""
        bits = words[self.word] >> self.bit
        return [name for place, name in enumerate(self.concern.missing, 1) if bits >> place & 1] if bits & 1 else None


def _placed(concerns: Sequence[Concern]) -> list[_Place]:
    """Give each concern its bits: words of few bits each are counted faster than one column for each rule."""
    places: list[_Place] = []
    word, free = 0, 0
    for concern in concerns:
        needed = 1 + len(concern.missing)
        if free + needed > _WORD_BITS:
            word, free = word + 1, 0
        places.append(_Place(concern, word, free))
        free += needed
    return places


def coverage(log: Log, concerns: Sequence[Concern]) -> dict[str, Covered]:
    """Count in one pass, for each rule, the records that it judged, those that it could not judge, and what those lack.

    Most records have the same relation to all rules, so distinct relations are counted and only those are examined.
    """
    found = {concern.rule: Covered() for concern in concerns}
    places = _placed([concern.narrowed(log.kinds) for concern in concerns if log.kinds.may_hold(concern.records)])
    if not places:
        return found
    words = [
        reduce(Column.bit_or, [place.standing() for place in same]).alias(f"w{word}")
        for word, same in groupby(places, key=lambda place: place.word)
    ]
    counts = [_Count() for _ in places]
    for row in log.moves.select(*words).group_by(*(f"w{word}" for word in range(len(words)))).count().collect():
        *stand, records = row
        for place, count in zip(places, counts, strict=True):
            lacks = place.lacks(stand)
            if lacks is None:
                continue
            if lacks:
                count.lacking += records
                count.missing.update(lacks)
            else:
                count.checked += records
    for place, count in zip(places, counts, strict=True):
        rule, here = place.concern.rule, Covered(count.checked, count.lacking, tuple(sorted(count.missing)))
        found[rule] = found[rule].and_also(here)
    return found


def covered(log: Log, checks: Sequence[Check], said: Frame) -> Coverage:
    """Return the coverage of each rule, by the checks and by the shapes of calls."""
    found = coverage(log, [concern for check in checks for concern in check.concerns(log)])
    for check in checks:
        found.update(check.of_queues(log))
    by_shapes = covered_by_shapes(said)
    for rule in SHAPE_RULES:
        found[rule] = found.get(rule, Covered()).and_also(by_shapes.get(rule, Covered()))
    return dict(sorted(found.items()))
