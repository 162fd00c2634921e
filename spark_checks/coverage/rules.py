"""The rules that the audit checks, and the reasons why it does not check others that a log might show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from oracle.rules.catalogue import RuleId, Text, rules
from oracle.text.yaml_files import parse_yaml

_FILE = "rules_without_check.yaml"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class FoundBy(_Strict):
    """What finds a violation of a rule that no check names."""

    replay: bool = False
    """Whether following the queue with the oracle finds it."""
    rules: tuple[RuleId, ...] = ()
    """Rules whose checks find it."""


class WithoutCheck(_Strict):
    """Rules that no check names, for one reason."""

    reason: Text
    """The reason, as a sentence."""
    by: FoundBy = FoundBy()
    """What finds a violation of them nevertheless."""
    rules: Annotated[tuple[RuleId, ...], Field(min_length=1)]
    """The rules."""


class _File(_Strict):
    reasons: Annotated[tuple[WithoutCheck, ...], Field(min_length=1)]


@cache
def without_check() -> Mapping[str, WithoutCheck]:
    """Return the reason why no check names a rule, by rule."""
    text = (files("spark_checks.coverage") / _FILE).read_text(encoding="utf-8")
    return {rule: entry for entry in parse_yaml(text, _FILE, _File).reasons for rule in entry.rules}


def shown_by_logs() -> Iterator[str]:
    """Yield the rules of the catalogue that a log might show."""
    return (rule.id for rule in rules() if rule.log_check is not None)
