"""Whether a check tells of a rule: whether breaking that rule alone has been seen to make it fail.

A check is often about a rule that it only rests on: that a message is returned with the right length says nothing of
truncation, if nothing was truncated. So a rule conforms only by checks that tell of it.
`conformance/results/untelling.yaml` has those that do not, as `python -m bench.telling` finds out with the miniatures
and with calls that succeed although they must fail; a check that is not there tells of the rules that its author says.
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
    """Return for each rule the checks about it that do not tell of it."""
    text = (files("conformance.results") / "untelling.yaml").read_text(encoding="utf-8")
    return parse_yaml(text, "untelling.yaml", _File).untelling


def tells_of(check: str, rule: str) -> bool:
    """Return whether a check, given by its id, tells of a rule that it is about."""
    return check not in untelling().get(rule, ())
