"""The rule catalogue: every normative sentence of the source documents, with an id that is never reused.

The rules are data in `oracle/rules/*.yaml`, one file per area; `oracle/rules/documents.yaml` names the documents that
they come from. Everything else in the project uses these ids: the decisions of the model, the checks of the suite and
of the audit, and every report.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel, model_validator

from oracle.errors import BadInputError, Place, UsageError
from oracle.mqi.profile import PLATFORMS, PlatformName
from oracle.text.yaml_files import parse_yaml

Platform = PlatformName | Literal["nonstop", "windows"]
Strength = Literal["must", "must-not", "may", "advice", "definition", "unpredictable"]
Observation = Literal["mqi", "mqi-multi", "clock", "log"]
_ID = re.compile(r"([A-Z]{3})-\d+")
"""The form of an id."""

RuleId = Annotated[str, Field(pattern=r"^[A-Z]{3}-\d{2}$")]
Text = Annotated[str, Field(min_length=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Document(_Strict):
    """A source document, as `oracle/rules/documents.yaml` lists it.

    It has the address of its public page, or the reason in `no_address` why it has none.
    """

    id: Annotated[str, Field(pattern=r"^[a-z][a-z-]+$")]
    """The id by which sources cite it."""
    title: Text
    """Its title, as its publisher gives it."""
    about: Text
    """Its subject."""
    address: Annotated[str, Field(pattern=r"^https?://\S+$")] | None = None
    """The address of its public page."""
    no_address: Text | None = None
    """The reason why it has none."""

    @model_validator(mode="after")
    def _address_or_reason(self) -> Document:
        if (self.address is None) == (self.no_address is None):
            raise ValueError(f"document {self.id} has either an address or, in no_address, the reason for having none")
        return self


class _Documents(RootModel[tuple[Document, ...]]):
    """The file of source documents."""


class Source(_Strict):
    """The source of a rule: a document's id and the section or option within it."""

    document: str
    """The id of the document."""
    section: Text
    """The section or option within it."""

    @property
    def address(self) -> str | None:
        """The address of the document's public page; None if it has none."""
        return documents()[self.document].address

    def __str__(self) -> str:
        return f"{documents()[self.document].title}, {self.section}"


class Reading(_Strict):
    """The reading of an unclear or contradictory passage of the documents, under a stable id."""

    id: Annotated[str, Field(pattern=r"^(AMB-\d{2,3}|S\d{1,2}|Q-[a-k])$")]
    """Its id."""
    reading: Text
    """The meaning that the passage is given."""


class Rule(_Strict):
    """One rule."""

    id: RuleId
    """Its area and number: `PRI-03`."""
    title: Text
    """What must hold, in a few words."""
    statement: Text
    """What must hold, in full."""
    source: Annotated[tuple[Source, ...], Field(min_length=1)]
    """Its sources."""
    platforms: Annotated[tuple[Platform, ...], Field(min_length=1)] = PLATFORMS
    """The platforms that it holds on."""
    strength: Strength
    """The degree to which the documents make it binding."""
    outcome: str = ""
    """The outcome of a call by this rule, if it is about one."""
    freedom: str = ""
    """The choices that it leaves to the queue manager."""
    observed_by: tuple[Observation, ...] = ()
    """The ways in which a black box shows the rule, the primary one first.

    `mqi` is one connection, `mqi-multi` several, `clock` passing time, `log` captured traffic.
    """
    unobservable: str | None = None
    """The reason why nothing shows it, if so."""
    log_check: str | None = None
    """What a log would show."""
    readings: tuple[Reading, ...] = ()
    """The readings of unclear passages behind it."""

    @property
    def area(self) -> str:
        """The area that the rule belongs to: the letters of its id."""
        return self.id[:3]

    def source_lines(self) -> Iterator[str]:
        """Yield the sources, one a line, and below the last source of a public page its address."""
        for place, source in enumerate(self.source):
            yield f"Source: {source}"
            if source.address and source.address not in {other.address for other in self.source[place + 1 :]}:
                yield f"        {source.address}"

    @model_validator(mode="after")
    def _observed_or_explained(self) -> Rule:
        if bool(self.observed_by) == (self.unobservable is not None):
            raise ValueError("a rule has either observed_by or, when nothing shows it, a reason in unobservable")
        return self


class Area(_Strict):
    """A file of the catalogue: rules about one subject whose ids share three letters."""

    area: Annotated[str, Field(pattern=r"^[A-Z]{3}$")]
    """The letters."""
    title: Text
    """Its subject."""
    rules: Annotated[tuple[Rule, ...], Field(min_length=1)]
    """The rules, in the order of their numbers."""

    @model_validator(mode="after")
    def _rules_of_this_area(self) -> Area:
        for rule in self.rules:
            if rule.area != self.area:
                raise ValueError(f"rule {rule.id} is in the file of area {self.area}")
        return self


@cache
def documents() -> Mapping[str, Document]:
    """Return the source documents by id."""
    text = (files("oracle") / "rules" / "documents.yaml").read_text(encoding="utf-8")
    return {entry.id: entry for entry in parse_yaml(text, "documents.yaml", _Documents).root}


def parse_area(text: str, name: str) -> Area:
    """Read one file of the catalogue.

    Raises BadInputError, with the file and the invalid member, if the text is not an area.
    """
    area = parse_yaml(text, name, Area)
    for rule in area.rules:
        for source in rule.source:
            if source.document not in documents():
                raise BadInputError(f"{rule.id} comes from an unknown document {source.document!r}", Place(name))
    return area


@cache
def areas() -> Mapping[str, Area]:
    """Return the whole catalogue by area, in alphabetical order."""
    folder = files("oracle") / "rules"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".yaml"))
    found = [_area(name) for name in names if name != "documents.yaml"]
    return {area.area: area for area in found}


@cache
def _area(name: str) -> Area:
    """Return the area in a file of the catalogue."""
    return parse_area((files("oracle") / "rules" / name).read_text(encoding="utf-8"), name)


@cache
def _by_id() -> Mapping[str, Rule]:
    found: dict[str, Rule] = {}
    for area in areas().values():
        for entry in area.rules:
            if entry.id in found:
                raise BadInputError(f"rule id {entry.id} is used twice", Place(f"area {area.area}"))
            found[entry.id] = entry
    return found


def rules() -> Iterator[Rule]:
    """Yield every rule of the catalogue, by area and number."""
    yield from _by_id().values()


@cache
def rule(rule_id: str) -> Rule:
    """Return one rule by its id, in any letter case.

    Only its area is read, because reading all of them takes a while. Raises UsageError if the catalogue has no such
    rule.
    """
    wanted = rule_id.upper()
    name = f"{wanted[:3].lower()}.yaml"
    known = _ID.fullmatch(wanted) and (files("oracle") / "rules" / name).is_file()
    found = next((entry for entry in _area(name).rules if entry.id == wanted), None) if known else None
    if found is None:
        raise UsageError(f"no rule {rule_id!r} in the catalogue; {_what_there_is(rule_id)}")
    return found


def _what_there_is(rule_id: str) -> str:
    """Return the text for a missing rule: the rules of its area, or that the area does not exist."""
    match = _ID.fullmatch(rule_id.upper())
    if match is None:
        return "an id looks like LCK-12"
    area = areas().get(match.group(1))
    if area is None:
        return f"no area is called {match.group(1)} (`mq-oracle coverage` lists them)"
    return f"{area.area} has {area.rules[0].id} to {area.rules[-1].id}"
