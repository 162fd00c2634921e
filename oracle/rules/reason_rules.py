"""The rules of the catalogue that mention a reason code, found by its name or number in their texts."""

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
    """The rules that mention a reason code."""

    reason: int
    """The number of the reason code."""
    decide: tuple[Rule, ...]
    """The rules that name it in statement or outcome: they say when it is given, or that it is not."""
    mention: tuple[Rule, ...]
    """The rules that name it only in the title, the freedom, a reading or the log check."""


def rules_of(reason: int) -> ReasonRules:
    """Return the rules that mention a reason code."""
    named = _named()
    decide = tuple(rule for rule, decided, _ in named if reason in decided)
    mention = tuple(rule for rule, decided, mentioned in named if reason in mentioned - decided)
    return ReasonRules(reason, decide, mention)


def reasons_of(rule_id: str) -> frozenset[int]:
    """Return the reason codes that a rule names in its statement and outcome."""
    return next((decided for rule, decided, _ in _named() if rule.id == rule_id), frozenset())


@cache
def _named() -> tuple[tuple[Rule, frozenset[int], frozenset[int]], ...]:
    """Return each rule with the reason codes in its statement and outcome, and those in its other texts."""
    return tuple(
        (
            rule,
            frozenset(_reasons_in(f"{rule.statement} {rule.outcome}")),
            frozenset(_reasons_in(_rest_of(rule))),
        )
        for rule in catalogue.rules()
    )


def _rest_of(rule: Rule) -> str:
    return " ".join((rule.title, rule.freedom, rule.log_check or "", *(item.reading for item in rule.readings)))


def _reasons_in(text: str) -> Iterator[int]:
    """Yield the reason codes that a text names: `MQRC_Q_FULL`, `2053`, or all of `2111 to 2118`."""
    for name in _NAME.findall(text):
        if name in MQRC.__members__:
            yield int(MQRC[name])
    for first, last in _NUMBERS.findall(text):
        yield from range(int(first), int(last or first) + 1)
