"""Checks that are telling for a rule: breaking that rule alone has been seen to make them fail.

A check is often about a rule that it only depends on: the right length of a returned message says nothing about
truncation if nothing was truncated. So a rule conforms only by telling checks. `conformance/results/untelling.yaml` has
the others; `python -m bench.telling` finds them with the miniatures and with calls that succeed although they must
fail. A check that is not listed is telling for the rules that its author names.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from oracle.rules.catalogue import RuleId
from oracle.text.yaml_files import parse_yaml


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    untelling: Mapping[RuleId, tuple[str, ...]]


@cache
def untelling() -> Mapping[str, tuple[str, ...]]:
    """Return, for each rule, the checks about it that are not telling."""
    text = (files("conformance.results") / "untelling.yaml").read_text(encoding="utf-8")
    return parse_yaml(text, "untelling.yaml", _File).untelling


def tells_of(check: str, rule: str) -> bool:
    """Return whether a check, given by its id, is telling for a rule that it is about."""
    return check not in untelling().get(rule, ())
