"""Deliberately wrong queue managers, by which the suite is measured.

Most are miniatures, the model with one documented change each: files of YAML in a folder, one for each area of the
catalogue. Others are programs that share no code with the model; `programs.yaml` in the same folder says how each is
started. A checkout has them in `fixtures/miniatures`, the wheel has none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import CodeType
from typing import Annotated, Any, Final, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from conformance.sensitivity.patches import Patch
from conformance.sessions.session import DEFAULT_QUEUE, History, Setup
from conformance.targets import InProcessTarget, ProcessTarget, Target
from oracle.errors import BadInputError, Place, UsageError
from oracle.histories.notation import parse
from oracle.mqi.profile import PlatformName
from oracle.rules import catalogue
from oracle.serve import Server
from oracle.text.yaml_files import parse_yaml, read_text

Area = Annotated[str, Field(pattern=r"^[A-Z]{3}$")]

Exchanges = tuple[tuple[str, dict[str, Any]], ...]
"""Requests, and the model's replies to them."""

PROGRAMS: Final = "programs.yaml"
"""The file of a folder of miniatures that names programs."""


class _Described(BaseModel):
    """The description of a wrong queue manager."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(pattern=r"^[a-z0-9]+(_[a-z0-9]+)*$")]
    wrong: Annotated[str, Field(pattern=r"^[A-Z].*\.$")]
    rules: Annotated[tuple[catalogue.RuleId, ...], Field(min_length=1)]
    platform: PlatformName = "distributed"

    @model_validator(mode="after")
    def _breaks_rules_that_there_are(self) -> _Described:
        known = {rule.id for rule in catalogue.rules()}
        for rule in self.rules:
            if rule not in known:
                raise ValueError(f"{self.name}: there is no rule {rule!r}")
        return self


class Witness(BaseModel):
    """A history on which a miniature departs from what the model allows, which proves that it is wrong."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    queues: tuple[Mapping[str, Any], ...] = ({"name": DEFAULT_QUEUE},)
    """Queues as in the protocol's `setup`."""
    qmgr: Mapping[str, Any] = Field(default_factory=dict)
    """Attributes of the queue manager, as in the protocol's `setup`."""
    steps: Annotated[str, Field(min_length=1)]
    """Text in the notation."""

    def history(self, name: str) -> History:
        """Return the history; errors name the miniature. Raises BadInputError if it is not in the notation."""
        return History(Setup(self.queues, self.qmgr), parse(self.steps, f"witness of {name}"))


class _Entry(_Described):
    """A miniature in its file; `at`, `replace` and `by` are those of a `Patch`.

    `meets` are the two areas of the catalogue whose features it combines wrongly. Such a miniature, and its witness,
    were written from the documents alone, before the checks that catch it.
    """

    at: Annotated[str, Field(pattern=r"^[a-z_.0-9]+:[A-Za-z_.0-9]+$")]
    replace: Annotated[str, Field(min_length=1)]
    by: str
    meets: tuple[Area, Area] | None = None
    witness: Witness | None = None


class _File(BaseModel):
    """The miniatures of one area."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    area: Area
    miniatures: Annotated[tuple[_Entry, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _breaks_a_rule_of_this_area(self) -> _File:
        for entry in self.miniatures:
            if not entry.rules[0].startswith(self.area):
                raise ValueError(f"the first rule of {entry.name} is {entry.rules[0]}, not one of area {self.area}")
        return self


class _ProgramEntry(_Described):
    """A program in its file."""

    command: Annotated[str, Field(min_length=1)]


class _Programs(BaseModel):
    """Programs, and the folder, relative to the file, in which their commands run."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    run_in: str = "."
    programs: Annotated[tuple[_ProgramEntry, ...], Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class Talk:
    """A check's dialogue with the model."""

    exchanges: Exchanges
    """The exchanges: each request as a line, and the reply to it."""
    codes: frozenset[CodeType]
    """The code that the model ran."""


def sessions_of(exchanges: Exchanges) -> Iterator[Exchanges]:
    """Yield the exchanges of each session. The first request sets the queue manager up."""
    starts = [number for number, (line, _) in enumerate(exchanges) if json.loads(line).get("op") == "setup"]
    for start, end in pairwise((*starts, len(exchanges))):
        yield exchanges[start:end]


def answers_alike(change: Patch, platform: PlatformName, exchanges: Exchanges) -> bool:
    """Return whether the model with a change gives the same answers as without."""
    server = Server(platform)
    with change.applied():
        try:
            return all(server.answer(line) == reply for line, reply in exchanges)
        except Exception:  # noqa: BLE001 - a change may break anything, which the check itself shows
            return False


class WrongOne(Protocol):
    """A wrong queue manager: its mistake, and the rules. At least one of these must be named as broken."""

    @property
    def name(self) -> str:
        """Its unique name."""

    @property
    def wrong(self) -> str:
        """Its mistake, in a sentence."""

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that it breaks."""

    @property
    def platform(self) -> PlatformName:
        """The platform that it plays."""

    def target(self) -> Target:
        """Return it as a target of the suite."""

    def goes_as(self, model: Talk) -> bool:
        """Return whether it answers as the model did, so that a check has the same result with both."""


_One = TypeVar("_One", bound=WrongOne)


@dataclass(frozen=True, slots=True)
class Program:
    """A wrong queue manager that shares no code with the model."""

    name: str
    """Its unique name."""
    wrong: str
    """Its mistake, in a sentence."""
    rules: tuple[str, ...]
    """The rules: at least one of them must be named as broken."""
    platform: PlatformName
    """The platform that it plays."""
    command: str
    """The command that starts it."""
    folder: Path
    """The folder in which the command runs."""

    def target(self) -> Target:
        """Return it as a target of the suite."""
        return ProcessTarget(self.command, self.folder)

    def goes_as(self, model: Talk) -> bool:  # noqa: ARG002 - identifiers that it generates are its own
        """Return whether it answers exactly as the model did, which it never does."""
        return False


@dataclass(frozen=True, slots=True)
class Miniature:
    """A wrong queue manager."""

    name: str
    """Its unique name."""
    wrong: str
    """Its mistake, in a sentence."""
    rules: tuple[str, ...]
    """The rules: at least one of them must be named as broken."""
    platform: PlatformName
    """The platform that it plays."""
    change: Patch
    """The change that makes the model wrong."""
    meets: tuple[str, str] | None = None
    """The two areas whose features it combines wrongly, if that is its mistake."""
    witness: Witness | None = None
    """A history that shows the mistake."""

    def target(self) -> Target:
        """Return it as a target of the suite."""
        return InProcessTarget(self.name, self.server)

    def goes_as(self, model: Talk) -> bool:
        """Return whether it answers as the model did, so that a check has the same result with both.

        It does where the model never came to the changed place; else it is asked.
        """
        return not self.change.is_met_by(model.codes) or answers_alike(self.change, self.platform, model.exchanges)

    def server(self, platform: PlatformName | None = None) -> MiniatureServer:
        """Return the wrong queue manager, ready to answer."""
        return MiniatureServer(self, platform or self.platform)


class MiniatureServer(Server):
    """The reference server, wrong while it answers; an oracle in the same process is not affected."""

    def __init__(self, miniature: Miniature, platform: PlatformName) -> None:
        super().__init__(platform)
        self._miniature = miniature

    def answer(self, line: str) -> dict[str, Any]:
        """Return the wrong queue manager's reply to one request."""
        with self._miniature.change.applied():
            return super().answer(line)


def parse_miniatures(text: str, source: str) -> tuple[Miniature, ...]:
    """Read a file of miniatures.

    Raises BadInputError, with the file, the line and the mistake, if it is not such a file.
    """
    return tuple(
        Miniature(
            entry.name,
            entry.wrong,
            entry.rules,
            entry.platform,
            Patch(entry.at, entry.replace, entry.by),
            entry.meets,
            entry.witness,
        )
        for entry in parse_yaml(text, source, _File).miniatures
    )


def parse_programs(text: str, source: Path) -> tuple[Program, ...]:
    """Read a file of programs.

    Raises BadInputError, with the file, the line and the mistake, if it is not such a file.
    """
    found = parse_yaml(text, str(source), _Programs)
    folder = (source.parent / found.run_in).resolve()
    return tuple(
        Program(entry.name, entry.wrong, entry.rules, entry.platform, entry.command, folder) for entry in found.programs
    )


def read_miniatures(folder: Path) -> tuple[Miniature, ...]:
    """Return every miniature of a folder, by area.

    Raises BadInputError if a file is not one of miniatures or a name is given twice, UsageError if there is none.
    """
    found = tuple(_refusing_twins(_read_all(folder)))
    if not found:
        raise UsageError(f"there are no miniatures in {folder}: a checkout of mqoracle has them in fixtures/miniatures")
    return found


def read_wrong_ones(folder: Path) -> tuple[WrongOne, ...]:
    """Return every miniature of a folder, and then the programs that it names.

    Raises what `read_miniatures` raises.
    """
    path = folder / PROGRAMS
    programs = parse_programs(read_text(path), path) if path.exists() else ()
    miniatures: tuple[WrongOne, ...] = read_miniatures(folder)
    return tuple(_refusing_twins((each, path) for each in (*miniatures, *programs)))


def _read_all(folder: Path) -> Iterator[tuple[Miniature, Path]]:
    for path in sorted(folder.glob("*.yaml")):
        if path.name != PROGRAMS:
            yield from ((each, path) for each in parse_miniatures(read_text(path), str(path)))


def _refusing_twins(found: Iterable[tuple[_One, Path]]) -> Iterator[_One]:
    seen: set[str] = set()
    for each, path in found:
        if each.name in seen:
            raise BadInputError(f"{each.name} is defined twice", Place(str(path)))
        seen.add(each.name)
        yield each
