"""Scenarios: short histories as data, each tagged with the rules that it decides.

They are the files `conformance/scenarios/*.yaml`, one for each area. The outcome demanded at each step is what the
oracle allows; what a scenario says after `->` is its author's word for the reader, and a test holds both together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial
from importlib.resources import files
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from conformance.bench import Bench
from conformance.checks import PLATFORMS, Check
from conformance.session import DEFAULT_QUEUE, History, Session, Setup
from oracle import catalogue
from oracle.definitions import QueueDefinition, QueueManagerDefinition, define
from oracle.errors import BadInputError, MqOracleError, Place
from oracle.notation import parse
from oracle.profile import PlatformName
from oracle.protocol import FEATURES

ScenarioId = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*$")]
Feature = Literal[FEATURES]  # type: ignore[valid-type]  # the protocol's list is the type


class Scenario(BaseModel):
    """One history. `queues` and `qmgr` are as in the protocol's `setup`, `steps` is text in the notation."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: ScenarioId
    title: Annotated[str, Field(min_length=1)]
    rules: Annotated[tuple[catalogue.RuleId, ...], Field(min_length=1)]
    features: tuple[Feature, ...] = ()
    platforms: Annotated[tuple[PlatformName, ...], Field(min_length=1)] = PLATFORMS
    queues: tuple[Mapping[str, Any], ...] = ({"name": DEFAULT_QUEUE},)
    qmgr: Mapping[str, Any] = Field(default_factory=dict)
    steps: Annotated[str, Field(min_length=1)]

    def history(self) -> History:
        """Return what is to be done.

        Raises BadInputError, naming the scenario and the line, if the steps are not of the notation.
        """
        return History(Setup(self.queues, self.qmgr), parse(self.steps, f"scenario {self.id}"))

    def check(self) -> Check:
        """Return the check that plays the scenario."""
        return Check(
            self.id,
            self.title,
            "scenario",
            partial(_perform, self),
            rules=self.rules,
            features=self.features,
            platforms=self.platforms,
        )


class ScenarioFile(BaseModel):
    """The scenarios of one area."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    area: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    scenarios: Annotated[tuple[Scenario, ...], Field(min_length=1)]


def parse_scenarios(text: str, source: str) -> tuple[Scenario, ...]:
    """Read a file of scenarios.

    Raises BadInputError, with the file and what is wrong in it, if it is not one; every history and definition in it
    is read to the end, every rule looked up.
    """
    try:
        parsed = ScenarioFile.model_validate(yaml.safe_load(text))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise BadInputError("not YAML", Place(source, None if mark is None else mark.line + 1)) from error
    except ValidationError as error:
        first = error.errors()[0]
        member = ".".join(str(part) for part in first["loc"]) or "file"
        raise BadInputError(f"{member}: {first['msg']}", Place(source)) from error
    seen: set[str] = set()
    for scenario in parsed.scenarios:
        if scenario.id.partition("/")[0] != parsed.area:
            raise BadInputError(f"{scenario.id} stands in the file of area {parsed.area}", Place(source))
        if scenario.id in seen:
            raise BadInputError(f"{scenario.id} is defined twice", Place(source))
        seen.add(scenario.id)
        _validate(scenario, source)
    return parsed.scenarios


def _validate(scenario: Scenario, source: str) -> None:
    try:
        scenario.history()
        for queue in scenario.queues:
            define(QueueDefinition, queue)
        define(QueueManagerDefinition, scenario.qmgr)
        for rule in scenario.rules:
            catalogue.rule(rule)
    except MqOracleError as error:
        raise BadInputError(f"{scenario.id}: {error}", Place(source)) from error


@cache
def scenarios() -> tuple[Scenario, ...]:
    """Return every scenario of the suite, by area.

    Raises BadInputError if a file is not of the schema.
    """
    return tuple(_read_all())


def _read_all() -> Iterator[Scenario]:
    folder = files("conformance") / "scenarios"
    for entry in sorted(folder.iterdir(), key=lambda item: item.name):
        if entry.name.endswith(".yaml"):
            yield from parse_scenarios(entry.read_text(encoding="utf-8"), f"scenarios/{entry.name}")


def _perform(scenario: Scenario, bench: Bench) -> Session | None:
    session = bench.play(scenario.history())
    return None if session.departure is None else session
