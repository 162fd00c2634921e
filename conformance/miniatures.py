"""Deliberately wrong queue managers, by which the suite is measured: the model with one documented change each.

They are files of YAML in a folder, one for each area of the catalogue; a checkout has them in `fixtures/miniatures`.
The wheel has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from conformance.patches import Patch
from oracle import catalogue
from oracle.errors import BadInputError, Place, UsageError
from oracle.profile import PlatformName
from oracle.serve import Server
from oracle.yaml_files import parse_yaml, read_text


class _Entry(BaseModel):
    """A miniature as its file has it; `at`, `replace` and `by` are those of a `Patch`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(pattern=r"^[a-z0-9]+(_[a-z0-9]+)*$")]
    wrong: Annotated[str, Field(pattern=r"^[A-Z].*\.$")]
    rules: Annotated[tuple[catalogue.RuleId, ...], Field(min_length=1)]
    platform: PlatformName = "distributed"
    at: Annotated[str, Field(pattern=r"^[a-z_.0-9]+:[A-Za-z_.0-9]+$")]
    replace: Annotated[str, Field(min_length=1)]
    by: str


class _File(BaseModel):
    """The miniatures of one area."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    area: Annotated[str, Field(pattern=r"^[A-Z]{3}$")]
    miniatures: Annotated[tuple[_Entry, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _breaks_a_rule_of_this_area(self) -> _File:
        known = {rule.id for rule in catalogue.rules()}
        for entry in self.miniatures:
            if not entry.rules[0].startswith(self.area):
                raise ValueError(f"the first rule of {entry.name} is {entry.rules[0]}, not one of area {self.area}")
            for rule in entry.rules:
                if rule not in known:
                    raise ValueError(f"{entry.name}: there is no rule {rule!r}")
        return self


@dataclass(frozen=True, slots=True)
class Miniature:
    """A wrong queue manager: what is wrong with it, and the rules of which at least one must be named as broken."""

    name: str
    wrong: str
    rules: tuple[str, ...]
    platform: PlatformName
    change: Patch

    @property
    def area(self) -> str:
        """The area of its first rule."""
        return self.rules[0][:3]

    def server(self, platform: PlatformName | None = None) -> MiniatureServer:
        """Return the wrong queue manager, ready to answer."""
        return MiniatureServer(self, platform or self.platform)


class MiniatureServer(Server):
    """The reference server, wrong while it answers: an oracle in the same process stays as it is."""

    def __init__(self, miniature: Miniature, platform: PlatformName) -> None:
        super().__init__(platform)
        self._miniature = miniature

    def answer(self, line: str) -> dict[str, Any]:
        """Return the wrong queue manager's reply to one request."""
        with self._miniature.change.applied():
            return super().answer(line)


def parse_miniatures(text: str, source: str) -> tuple[Miniature, ...]:
    """Read a file of miniatures.

    Raises BadInputError, with the file, the line and what is wrong in it, if it is not one.
    """
    return tuple(
        Miniature(entry.name, entry.wrong, entry.rules, entry.platform, Patch(entry.at, entry.replace, entry.by))
        for entry in parse_yaml(text, source, _File).miniatures
    )


def read_miniatures(folder: Path) -> tuple[Miniature, ...]:
    """Return every miniature of a folder, by area.

    Raises BadInputError if a file is not one of miniatures or a name is given twice, UsageError if there is none.
    """
    found = tuple(_read_all(folder))
    if not found:
        raise UsageError(f"there are no miniatures in {folder}: a checkout of mqoracle has them in fixtures/miniatures")
    return found


def _read_all(folder: Path) -> Iterator[Miniature]:
    seen: set[str] = set()
    for path in sorted(folder.glob("*.yaml")):
        for miniature in parse_miniatures(read_text(path), str(path)):
            if miniature.name in seen:
                raise BadInputError(f"{miniature.name} is defined twice", Place(str(path)))
            seen.add(miniature.name)
            yield miniature
