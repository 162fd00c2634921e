"""The order of the rules that a departure may have broken, the likeliest first.

A departing reply may have broken any rule behind the allowed outcome, and most of those are behind nearly every call: a
returned message alone shows that a dozen rules were obeyed. A rule that may have been broken in few departures says
more about each of them. So the weight of a rule is the number of departures of the examples (`oracle/rules/examples/`)
in which it may have been broken, and the lightest comes first. A rule becomes lighter if something points to it: the
sentence about the departure, the members that differ, or the expected reason. `oracle/data/suspects.yaml` has the
numbers, and `python -m bench.suspects` counts anew.

>>> ordered([(("TRM-01", "LCK-12", "DLV-01"), REST)])
('LCK-12', 'DLV-01', 'TRM-01')
>>> ordered([(["PRI-03"], SAID), (["PRI-03", "PRI-04", "SYN-05"], REST)])
('PRI-04', 'PRI-03', 'SYN-05')
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from oracle.rules.catalogue import RuleId, rule
from oracle.text.yaml_files import parse_yaml

SURE, SAID, OF_REASON, DIFFERS, EFFECT, LEFT_ALONE, REST, FAR = 1 / 8, 1 / 8, 1 / 4, 1 / 4096, 1 / 2, 1 / 32, 1.0, 4.0
"""The factors of the weight of a rule.

From the smallest, they are for the rule that is broken in any case; the rules that the sentence states; those that
decide about the reason, or about a warning that the call must not have given; those behind the first member that
differs; those behind the earlier call whose effect shows, and those by which it must have none; all others; and those
that are not behind the allowed outcome, but behind the puts before a get, a further member that differs or a failure
that must not be.
"""


KEPT = 4096.0
"""The factor of a rule that the reply has kept, as far as it shows, so that it comes last."""

PERMITS = 64.0
"""The factor of a rule that only permits something or leaves it open: the rules that demand something come before."""

DEFINES = 2.0
"""The factor of a rule that defines something."""

_OF_STRENGTH: Final[Mapping[str, float]] = {"definition": DEFINES, "may": PERMITS, "unpredictable": PERMITS}


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    departures: Mapping[RuleId, Annotated[int, Field(ge=1)]]


@cache
def counts() -> Mapping[str, int]:
    """Return the number of departures of the examples in which each rule may have been broken.

    Rules in none are left out.
    """
    text = (files("oracle") / "data" / "suspects.yaml").read_text(encoding="utf-8")
    return parse_yaml(text, "data/suspects.yaml", _File).departures


def ordered(suspects: Iterable[tuple[Iterable[str], float]], kept: Container[str] = ()) -> tuple[str, ...]:
    """Return each rule once, the likeliest to be broken first, and in the given order if weights are equal.

    Each of `suspects` is some rules with the factor of their weight; a rule may be in more than one. `kept` are rules
    that the reply has kept.
    """
    weights: dict[str, float] = {}
    for rules, factor in suspects:
        for name in dict.fromkeys(rules):
            weights[name] = weights.get(name, _weight(name) * (KEPT if name in kept else 1.0)) * factor
    return tuple(sorted(weights, key=weights.__getitem__))


@cache
def _weight(name: str) -> float:
    """Return the weight that a rule has where nothing is known in particular."""
    return counts().get(name, 1) * _OF_STRENGTH.get(rule(name).strength, 1.0)
