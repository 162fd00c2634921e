"""Examples of the rules: calls that show what a rule allows a queue manager to do, and what it forbids.

They are the files `oracle/rules/examples/*.yaml`, one for each area of the catalogue. An example begins with a new
queue manager, carries out the lines of `given`, and then shows two alternatives. Each is a line of the notation
(`oracle/histories/notation.py`) with the observed outcome after `->`. `accepts` conforms, and the rule is behind its
outcome or that of an earlier line. `rejects` departs from the documents, and the departure names the rule, as broken by
this line or by the call before it whose effect the line shows. A test plays them all, so examples and model agree.

>>> played = play(examples_of("LCK-12")[0])
>>> played.conforms, "LCK-12" in played.behind, played.departs, "LCK-12" in played.broken
(True, True, True, True)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from oracle.errors import BadInputError, UsageError
from oracle.histories.notation import Line, parse
from oracle.mqi.profile import PlatformName
from oracle.protocol.setup import state_of_setup
from oracle.replay.history import replay_history
from oracle.replay.steps import Replayed
from oracle.rules import catalogue
from oracle.text.yaml_files import parse_yaml

_ONE_QUEUE: Mapping[str, Any] = {"name": "Q"}


class Example(BaseModel):
    """One example of a rule: what comes before, a line that conforms, and one that departs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rule: catalogue.RuleId
    """The id of the rule."""
    platform: PlatformName = "distributed"
    """The platform of the queue manager."""
    queues: tuple[Mapping[str, Any], ...] = (_ONE_QUEUE,)
    """Queues as in the protocol's `setup`; by default the queue Q."""
    qmgr: Mapping[str, Any] = Field(default_factory=dict)
    """Attributes of the queue manager, as in the protocol's `setup`."""
    given: str = ""
    """The earlier calls, in the notation."""
    accepts: catalogue.Text
    """A line that conforms."""
    rejects: catalogue.Text
    """A line that departs because of the rule."""

    @model_validator(mode="after")
    def _in_the_notation(self) -> Example:
        for member in ("given", "accepts", "rejects"):
            try:
                lines = parse(getattr(self, member), member)
            except BadInputError as error:
                raise ValueError(str(error)) from error
            if member != "given":
                _refuse_unless_telling(member, lines)
        return self

    @property
    def source(self) -> str:
        """The place of the example, for error messages."""
        return f"rules/examples/{self.rule[:3].lower()}.yaml: {self.rule}"


def _refuse_unless_telling(member: str, lines: tuple[Line, ...]) -> None:
    if len(lines) != 1 or lines[0].expected is None:
        raise ValueError(f"{member} is one line that says after -> what is seen")


class ExampleFile(BaseModel):
    """The examples of one area."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    area: Annotated[str, Field(pattern=r"^[A-Z]{3}$")]
    """The three letters with which the ids of the area's rules begin."""
    examples: Annotated[tuple[Example, ...], Field(min_length=1)]
    """The examples, each of a rule of this area."""

    @model_validator(mode="after")
    def _examples_of_rules_of_this_area(self) -> ExampleFile:
        for example in self.examples:
            if not example.rule.startswith(self.area):
                raise ValueError(f"an example of {example.rule} is in the file of area {self.area}")
            try:
                catalogue.rule(example.rule)
            except UsageError as error:
                raise ValueError(str(error)) from error
        return self


@dataclass(frozen=True, slots=True)
class Played:
    """The result of playing an example."""

    steps: tuple[Replayed, ...]
    """The calls of `given`, with `accepts` at the end."""
    wrong_steps: tuple[Replayed, ...]
    """The calls of `given`, with `rejects` at the end."""

    @property
    def conforms(self) -> bool:
        """Whether all of `given` and then `accepts` is allowed."""
        return not self.steps[-1].departs

    @property
    def departs(self) -> bool:
        """Whether `given` is allowed and then `rejects` is not."""
        return self.conforms and len(self.wrong_steps) == len(self.steps) and self.wrong_steps[-1].departs

    @property
    def behind(self) -> frozenset[str]:
        """The rules behind the outcomes of `given` and `accepts`, and behind their outputs."""
        return frozenset().union(*(_rules_behind(step) for step in self.steps))

    @property
    def broken(self) -> tuple[str, ...]:
        """The rules that the departure of `rejects` names; none if it does not depart."""
        departure = self.wrong_steps[-1].followed.departure
        return () if departure is None else (*departure.rules, *departure.before)


def _rules_behind(step: Replayed) -> frozenset[str]:
    return step.followed.outputs.union(step.followed.rules)


def play(example: Example) -> Played:
    """Play an example on the model: once with `accepts` at the end, once with `rejects`.

    Raises BadInputError, naming the rule, if it cannot be played: a name is undefined, or a definition is invalid.
    """
    return Played(_steps(example, example.accepts), _steps(example, example.rejects))


def _steps(example: Example, last: str) -> tuple[Replayed, ...]:
    state = state_of_setup({"queues": list(example.queues), "qmgr": example.qmgr}, example.platform)
    return tuple(replay_history(f"{example.given.strip()}\n{last}", example.source, state))


def parse_examples(text: str, name: str) -> tuple[Example, ...]:
    """Read a file of examples.

    Raises BadInputError, with the file and the invalid member, if the text is not such a file.
    """
    return parse_yaml(text, name, ExampleFile).examples


@cache
def examples() -> tuple[Example, ...]:
    """Return every example, by area and then in the order of its file.

    Raises BadInputError if a file does not fit the schema.
    """
    return tuple(_read_all())


def _read_all() -> Iterator[Example]:
    folder = files("oracle") / "rules" / "examples"
    for entry in sorted(folder.iterdir(), key=lambda item: item.name):
        if entry.name.endswith(".yaml"):
            yield from parse_examples(entry.read_text(encoding="utf-8"), f"rules/examples/{entry.name}")


def examples_of(rule_id: str) -> tuple[Example, ...]:
    """Return the examples of a rule; none if it has none yet."""
    return tuple(example for example in examples() if example.rule == rule_id)
