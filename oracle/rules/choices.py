"""The choices of the model as data: each question that the documents leave open, and the reason for its first answer.

`Step.choose` asks the questions. Users of a single outcome take the first answers (`oracle.testing`,
`oracle.QueueManager`, `oracle/serve.py`), so these have to be what the documents or real systems plainly show.
`oracle/data/choices.yaml` has the entries, `docs/choices.md` shows them.

>>> choices()["is an unlimited expiry capped"].answers
('yes', 'no')
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from oracle.rules.catalogue import RuleId
from oracle.text.yaml_files import parse_yaml

_Text = Annotated[str, Field(min_length=1)]


class OpenQuestion(BaseModel):
    """A question that the documents leave open."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: _Text
    """The question, as the model asks it."""
    answers: Annotated[tuple[_Text, ...], Field(min_length=2)]
    """The answers in words, in the order of the model; one may stand for several."""
    first: _Text
    """The passage that states the first answer most plainly, or a note that there is none."""
    rules: tuple[RuleId, ...]
    """The rules that leave it open, if a rule says so."""


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    choices: tuple[OpenQuestion, ...]


@cache
def choices() -> Mapping[str, OpenQuestion]:
    """Return every open question of the model by its text."""
    text = (files("oracle") / "data" / "choices.yaml").read_text(encoding="utf-8")
    return {each.question: each for each in parse_yaml(text, "data/choices.yaml", _File).choices}
