"""Scenarios: short histories as data, each tagged with the rules that it decides.

They are the files `conformance/checks/scenarios/*.yaml`, one for each area. The oracle decides which outcomes are
allowed at each step; the outcome after `->` is for the reader, and a test keeps the two in step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from importlib.resources import files
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from conformance.checks.check import Check
from conformance.checks.features import details_of
from conformance.checks.on_zos import spelled_out, with_index
from conformance.checks.rig import Rig
from conformance.sessions.session import DEFAULT_QUEUE, History, Session, Setup
from oracle.errors import BadInputError, MqOracleError, Place
from oracle.histories.notation import parse, write
from oracle.mqi.definitions import QueueDefinition, QueueManagerDefinition, define
from oracle.mqi.profile import PLATFORMS, PlatformName
from oracle.protocol import FEATURES
from oracle.rules import catalogue
from oracle.text.yaml_files import parse_yaml, write_yaml

ScenarioId = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*$")]
Feature = Literal[FEATURES]  # type: ignore[valid-type]  # the protocol's list is the type


class Scenario(BaseModel):
    """One history."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: ScenarioId
    """Its id: the area, a slash and a name."""
    title: Annotated[str, Field(min_length=1)]
    """Its subject."""
    rules: Annotated[tuple[catalogue.RuleId, ...], Field(min_length=1)]
    """The rules that it decides."""
    features: tuple[Feature, ...] = ()
    """The features that a target must claim for it."""
    platforms: Annotated[tuple[PlatformName, ...], Field(min_length=1)] = PLATFORMS
    """The platforms on which it is played."""
    spelled_out: bool = False
    """Whether, on z/OS, a line without a syncpoint option gets the one that is the default elsewhere."""
    queues: tuple[Mapping[str, Any], ...] = ({"name": DEFAULT_QUEUE},)
    """Queues as in the protocol's `setup`."""
    qmgr: Mapping[str, Any] = Field(default_factory=dict)
    """Attributes of the queue manager, as in the protocol's `setup`."""
    steps: Annotated[str, Field(min_length=1)]
    """Text in the notation."""

    def history(self, platform: PlatformName = "distributed") -> History:
        """Return the history of the scenario as a platform plays it.

        On z/OS the queues have the index without which it refuses all that asks for groups, unless the scenario is for
        z/OS alone and says itself which queue has which. Raises BadInputError, with the scenario and the line, if the
        steps are not in the notation.
        """
        lines = parse(self.steps, f"scenario {self.id}")
        if platform != "zos" or self.platforms == ("zos",):
            return History(Setup(self.queues, self.qmgr), lines)
        played = tuple(map(spelled_out, lines)) if self.spelled_out else lines
        return with_index(History(Setup(self.queues, self.qmgr), played))

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
            details=details_of([self.history()], self.rules),
        )


class ScenarioFile(BaseModel):
    """The scenarios of one area."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    area: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    """The area, with which the ids of its scenarios begin."""
    scenarios: Annotated[tuple[Scenario, ...], Field(min_length=1)]
    """The scenarios."""


def parse_scenarios(text: str, source: str) -> tuple[Scenario, ...]:
    """Read a file of scenarios.

    Raises BadInputError, with the file and the mistake, if it is not such a file; every history and definition in it is
    parsed, and every rule is looked up.
    """
    parsed = parse_yaml(text, source, ScenarioFile)
    seen: set[str] = set()
    for scenario in parsed.scenarios:
        if scenario.id.partition("/")[0] != parsed.area:
            raise BadInputError(f"{scenario.id} is in the file of area {parsed.area}", Place(source))
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


def as_scenario(history: History, check: Check, rules: Sequence[str]) -> dict[str, Any]:
    """Return a history as a scenario that decides some rules: the members of an entry in a file of scenarios."""
    setup = history.setup
    members: dict[str, Any] = {
        "id": f"found/{check.id.replace('/', '-').lower()}",
        "title": check.title,
        "rules": list(rules),
        "features": list(check.features),
        "platforms": list(check.platforms),
        "steps": "".join(f"{write(line)}\n" for line in history.lines),
    }
    if setup != Setup():
        members["queues"] = [dict(queue) for queue in setup.queues]
        members["qmgr"] = dict(setup.qmgr)
    return members


def write_scenarios(area: str, members: Sequence[Mapping[str, Any]]) -> str:
    """Return the text of a file of scenarios."""
    return write_yaml({"area": area, "scenarios": [dict(each) for each in members]})


@cache
def scenarios() -> tuple[Scenario, ...]:
    """Return every scenario of the suite, by area.

    Raises BadInputError if a file is not of the schema.
    """
    return tuple(_read_all())


def _read_all() -> Iterator[Scenario]:
    folder = files("conformance.checks") / "scenarios"
    for entry in sorted(folder.iterdir(), key=lambda item: item.name):
        if entry.name.endswith(".yaml"):
            yield from parse_scenarios(entry.read_text(encoding="utf-8"), f"scenarios/{entry.name}")


def _perform(scenario: Scenario, rig: Rig) -> Session | None:
    return rig.play_all([scenario.history(rig.dialogue.hello.platform)])
