"""Which rules of the catalogue speak of a reason code, found by its name or number in their texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from oracle.mqi.constants import MQRC
from oracle.rules import catalogue
from oracle.rules.catalogue import Rule

_NAME: Final = re.compile(r"\bMQRC_([A-Z0-9_]+)")
_NUMBERS: Final = re.compile(r"\b(\d{4})(?: to (\d{4}))?\b")


@dataclass(frozen=True, slots=True)
class ReasonRules:
    """The rules that speak of a reason code."""

    reason: int
    decide: tuple[Rule, ...]
    """Those that name it in statement or outcome: they say when it is given, or that it is not."""
    mention: tuple[Rule, ...]
    """Those that name it only in the title, in what is left free, in a reading or in what a log shows."""


@cache
def rules_of(reason: int) -> ReasonRules:
    """Return the rules that speak of a reason code."""
    decide: list[Rule] = []
    mention: list[Rule] = []
    for rule in catalogue.rules():
        if reason in set(_reasons_in(f"{rule.statement} {rule.outcome}")):
            decide.append(rule)
        elif reason in set(_reasons_in(_rest_of(rule))):
            mention.append(rule)
    return ReasonRules(reason, tuple(decide), tuple(mention))


def _rest_of(rule: Rule) -> str:
    return " ".join((rule.title, rule.freedom, rule.log_check or "", *(item.reading for item in rule.readings)))


def _reasons_in(text: str) -> Iterator[int]:
    """Yield the reason codes that a text names: `MQRC_Q_FULL`, `2053`, or all of `2111 to 2118`."""
    for name in _NAME.findall(text):
        if name in MQRC.__members__:
            yield int(MQRC[name])
    for first, last in _NUMBERS.findall(text):
        yield from range(int(first), int(last or first) + 1)
