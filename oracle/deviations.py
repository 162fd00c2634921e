"""Known deviations: departures from the documents that the people who run a check have looked at and accepted.

A file of them is YAML:

    deviations:
      - rule: LCK-15                # or `check: lock/*`, or both; wildcards as in a shell
        target: My queue manager    # the implementation's name
        version: "2.*"              # its version; any, if left out
        observed: FAILED 2033 NO_MSG_AVAILABLE
        reason: UNLOCK is not implemented before 3.0
        link: https://example.com/issues/17
        review: 2027-03-31          # the day from which on somebody must look again

An entry excuses a departure only in the way that `observed` states, so that one defect does not hide another. One that
no longer occurs is stale and must go.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from oracle import catalogue
from oracle.errors import BadInputError, Place
from oracle.yaml_files import line_of, parse_yaml, read_text

_Text = Annotated[str, Field(min_length=1)]


class Deviation(BaseModel):
    """One entry. `rule`, `check`, `target`, `version` and `observed` are patterns, in any letter case."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rule: _Text = "*"
    check: _Text = "*"
    target: _Text
    version: _Text = "*"
    observed: _Text
    reason: _Text
    link: str = ""
    review: date

    @model_validator(mode="after")
    def _is_about_something(self) -> Deviation:
        if self.rule == self.check == "*":
            raise ValueError("say which rule or which check it is about")
        return self

    def is_about(self, target: str, version: str) -> bool:
        """Whether the entry concerns this implementation."""
        return _means(self.target, target) and _means(self.version, version)

    def covers(self, check: str, rules: Iterable[str]) -> bool:
        """Whether the entry concerns departures of a check from any of these rules."""
        return _means(self.check, check) and any(_means(self.rule, rule) for rule in rules)

    def is_seen_in(self, observed: str) -> bool:
        """Whether a departure has happened in the way that the entry states."""
        return _means(self.observed, observed)

    def is_due(self, today: date) -> bool:
        """Whether somebody must look at the entry again."""
        return today >= self.review

    def __str__(self) -> str:
        about = [f"rule {self.rule}"] * (self.rule != "*") + [f"check {self.check}"] * (self.check != "*")
        return f"{', '.join(about)}: {self.observed} ({self.reason})"


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    deviations: tuple[Deviation, ...]


def parse_deviations(text: str, source: str, checks: Iterable[str] | None = None) -> tuple[Deviation, ...]:
    """Read a file of known deviations; `checks` are the ids of the checks that there are, if that is known.

    Raises BadInputError, with file and line, if it is not one, or if an entry's pattern means no rule or no check.
    """
    entries = parse_yaml(text, source, _File).deviations
    known_checks = None if checks is None else tuple(checks)
    for number, entry in enumerate(entries):
        for member, names in (("rule", tuple(rule.id for rule in catalogue.rules())), ("check", known_checks)):
            pattern = getattr(entry, member)
            if names is not None and not any(_means(pattern, name) for name in names):
                place = Place(source, line_of(text, ("deviations", number, member)))
                raise BadInputError(f"there is no {member} {pattern!r}", place)
    return entries


def read_deviations(path: Path, checks: Iterable[str] | None = None) -> tuple[Deviation, ...]:
    """Read a file of known deviations, as `parse_deviations` does.

    Raises BadInputError also if the file cannot be read.
    """
    return parse_deviations(read_text(path), str(path), checks)


def _means(pattern: str, name: str) -> bool:
    return fnmatchcase(name.lower(), pattern.lower())
