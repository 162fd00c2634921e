"""Known deviations: departures from the documents that the people who run a check have looked at and accepted.

A file of them is YAML:

    deviations:
      - rule: LCK-15                # or `check: lock/*`, or both; wildcards as in a shell
        target: My queue manager    # the implementation's name
        version: ">=2.0 <3"         # a range of its versions, or a pattern such as 2.*; any, if left out
        observed: FAILED 2033 NO_MSG_AVAILABLE
        reason: UNLOCK is not implemented before 3.0
        link: https://example.com/issues/17
        review: 2027-03-31          # the day from which on somebody must look again

In a file for the audit `qmgr` and `queue` stand in place of `check`, `target` and `version`; `rule` must be there, and
`observed` means the sentence of a finding.

An entry that names one version, as older files do, excuses the same deviation in every version, and the report says so:
a new version alone is no failure. An entry excuses a departure only in the way that `observed` states, so that one
defect does not hide another. An entry that no longer matches fails the run: remove it.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from enum import Enum
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Final, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from oracle.errors import BadInputError, Place
from oracle.rules import catalogue
from oracle.text.yaml_files import line_of, parse_yaml, read_text, write_yaml

_Text = Annotated[str, Field(min_length=1)]

_REVIEW_DAYS = 90

_BOUND: Final = re.compile(r"(<=|>=|==|<|>)([0-9][0-9A-Za-z.+_-]*)")
_ORDERS: Final = {"<": operator.lt, "<=": operator.le, "==": operator.eq, ">=": operator.ge, ">": operator.gt}


def first_review() -> date:
    """Return the review date of an entry that is written today."""
    return date.today() + timedelta(days=_REVIEW_DAYS)


class Standing(str, Enum):
    """The state of a known deviation after a run."""

    OCCURS = "occurs"
    STALE = "stale"
    NOT_TRIED = "not tried"
    OTHER_TARGET = "other target"

    @property
    def words(self) -> str:
        """The words for it in reports."""
        return _IN_WORDS[self]


_IN_WORDS: Final = {
    Standing.OCCURS: "still occurs",
    Standing.STALE: "no longer occurs: remove the entry",
    Standing.NOT_TRIED: "not tested in this run",
    Standing.OTHER_TARGET: "for another target or version",
}


class _Entry(BaseModel):
    """The common members of both kinds of entries. `rule` and `observed` are patterns, in any letter case."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rule: _Text = "*"
    observed: _Text
    reason: _Text
    link: str = ""
    review: date

    @property
    def about(self) -> str:
        """Its scope, in words."""
        raise NotImplementedError

    def is_seen_in(self, observed: str) -> bool:
        """Return whether a departure happened in the way that the entry states."""
        return _means(self.observed, observed)

    def is_due(self, today: date) -> bool:
        """Return whether somebody must look at the entry again."""
        return today >= self.review

    def __str__(self) -> str:
        return f"{self.about}: {self.observed} ({self.reason})"


class Deviation(_Entry):
    """An entry for the suite."""

    check: _Text = "*"
    """A pattern of the checks' names."""
    target: _Text
    """A pattern of the target's name."""
    version: _Text = "*"
    """A pattern of the target's version."""

    @field_validator("version")
    @classmethod
    def _is_a_range(cls, version: str) -> str:
        if version[0] in "<>=":
            for bound in version.replace(",", " ").split():
                if _BOUND.fullmatch(bound) is None:
                    raise ValueError(f"{bound!r} is not a bound of a range of versions; write it as >=2.0 <3")
        return version

    @model_validator(mode="after")
    def _is_about_something(self) -> Deviation:
        if self.rule == self.check == "*":
            raise ValueError("say which rule or which check it is about")
        return self

    @property
    def about(self) -> str:
        """Its scope, in words."""
        return ", ".join([f"rule {self.rule}"] * (self.rule != "*") + [f"check {self.check}"] * (self.check != "*"))

    def is_about(self, target: str, version: str) -> bool:
        """Return whether the entry applies to this implementation."""
        return _means(self.target, target) and (self._has_one_version or self._admits(version))

    def is_for_other_version(self, version: str) -> bool:
        """Return whether the entry names one version and this is another.

        It is still excused, and the report says so.
        """
        return self._has_one_version and not self._admits(version)

    @property
    def _has_one_version(self) -> bool:
        return self.version[0] not in "<>=" and not any(sign in self.version for sign in "*?[")

    def _admits(self, version: str) -> bool:
        if self.version[0] in "<>=":
            bounds = map(_BOUND.fullmatch, self.version.replace(",", " ").split())
            return all(_ORDERS[each[1]](_order_of(version), _order_of(each[2])) for each in bounds if each)
        return _means(self.version, version)

    def covers(self, check: str, rules: Iterable[str]) -> bool:
        """Return whether the entry applies to departures of a check from any of these rules."""
        return _means(self.check, check) and any(_means(self.rule, rule) for rule in rules)


class LogDeviation(_Entry):
    """An entry for the audit; its `observed` is about a finding's sentence."""

    rule: _Text
    """A pattern of the rule's id."""
    qmgr: _Text = "*"
    """A pattern of the queue manager's name."""
    queue: _Text = "*"
    """A pattern of the queue's name."""

    @property
    def about(self) -> str:
        """Its scope, in words."""
        where = [f"queue {self.queue}"] * (self.queue != "*") + [f"queue manager {self.qmgr}"] * (self.qmgr != "*")
        return ", ".join([f"rule {self.rule}", *where])

    def is_about(self, qmgr: str | None, queue: str | None) -> bool:
        """Return whether the entry applies to this queue; a queue that the log does not name has an empty name."""
        return _means(self.qmgr, qmgr or "") and _means(self.queue, queue or "")

    def covers(self, rule: str) -> bool:
        """Return whether the entry applies to findings of a rule."""
        return _means(self.rule, rule)


E = TypeVar("E", bound=_Entry)


class _File(BaseModel, Generic[E]):
    model_config = ConfigDict(extra="forbid", frozen=True)

    deviations: tuple[E, ...]


def parse_deviations(text: str, source: str, checks: Iterable[str] | None = None) -> tuple[Deviation, ...]:
    """Read a file of known deviations of the suite.

    `checks` are the ids of the existing checks, if known. Raises BadInputError, with file and line, if it is not such a
    file, or if a pattern matches no rule or no check.
    """
    entries = parse_yaml(text, source, _File[Deviation]).deviations
    _refuse_unknown(entries, "rule", (rule.id for rule in catalogue.rules()), text, source)
    if checks is not None:
        _refuse_unknown(entries, "check", checks, text, source)
    return entries


def parse_log_deviations(text: str, source: str) -> tuple[LogDeviation, ...]:
    """Read a file of known deviations of the audit.

    Raises BadInputError, with file and line, if it is not such a file, or if a pattern matches no rule.
    """
    entries = parse_yaml(text, source, _File[LogDeviation]).deviations
    _refuse_unknown(entries, "rule", (rule.id for rule in catalogue.rules()), text, source)
    return entries


def read_deviations(path: Path, checks: Iterable[str] | None = None) -> tuple[Deviation, ...]:
    """Read a file of known deviations, as `parse_deviations` does.

    Raises BadInputError also if the file cannot be read.
    """
    return parse_deviations(read_text(path), str(path), checks)


def read_log_deviations(path: Path) -> tuple[LogDeviation, ...]:
    """Read a file of known deviations, as `parse_log_deviations` does.

    Raises BadInputError also if the file cannot be read.
    """
    return parse_log_deviations(read_text(path), str(path))


def write_deviations(entries: Iterable[Mapping[str, Any]]) -> str:
    """Return the text of a file of known deviations, from the members of its entries."""
    document = {"deviations": [dict(entry) for entry in entries]}
    return write_yaml(document)


def _refuse_unknown(entries: Sequence[_Entry], member: str, names: Iterable[str], text: str, source: str) -> None:
    """Raise BadInputError if a member's pattern matches none of the names."""
    known = tuple(names)
    for number, entry in enumerate(entries):
        pattern = getattr(entry, member)
        if not any(_means(pattern, name) for name in known):
            place = Place(source, line_of(text, ("deviations", number, member)))
            raise BadInputError(f"there is no {member} {pattern!r}", place)


def _order_of(version: str) -> tuple[int, ...]:
    """Return the numbers of a version, by which versions are ordered; trailing zeros do not count."""
    numbers = [int(number) for number in re.findall(r"[0-9]+", version)]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def _means(pattern: str, name: str) -> bool:
    return fnmatchcase(name.lower(), pattern.lower())
