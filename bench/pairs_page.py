"""Writer of `docs/pairs.md` and `docs/pairs.json`: the pairs of features that meet in the checks of the suite.

    python -m bench.pairs_page          # plays all checks with the model and writes both, in a minute or two
    python -m bench.pairs_page --told   # writes the page anew from the table

The features are the areas of the catalogue. Two of them meet if rules of both bear on one call. Rules that are behind
nearly every call do not count and are left out, by the same numbers that order suspects.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from conformance.checks.check import Check
from conformance.checks.generated import circumstances
from conformance.checks.rig import Rig
from conformance.checks.selection import all_checks
from conformance.sessions.dialogue import Dialogue
from conformance.sessions.session import Session
from conformance.targets import InProcessTarget
from oracle.errors import MqOracleError
from oracle.histories.notation import Line, write
from oracle.judging.suspects import counts
from oracle.mqi.profile import PlatformName
from oracle.rules import catalogue
from oracle.serve import Server
from oracle.text.yaml_files import parse_yaml, read_text

DOCS: Final = Path(__file__).parents[1] / "docs"
PAGE, TABLE = DOCS / "pairs.md", DOCS / "pairs.json"
REASONS: Final = Path(__file__).with_name("pairs.yaml")

PLATFORMS: Final[tuple[PlatformName, ...]] = ("distributed", "zos")
"""The platforms on which the checks are played."""

COMMON: Final = 40
"""The number of departures of the examples from which on a rule counts as too common for a meeting."""

THIN: Final = 3
"""The number of pairs of rules below which a meeting is thin; the machines aim at thin ones."""

OF_MESSAGES: Final = frozenset({
    "AMA", "ASA", "BOC", "CAP", "CHN", "CMP", "CNV", "CTX", "CVP", "DLH", "DLQ", "EXP", "FMT",
    "CUR", "DLV", "GST", "IDS", "LOG", "MDE", "MSB", "MTC", "PER", "PRI", "PRP", "PTB", "RPM", "RPT", "RPY",
    "SEG", "SIP", "SIZ", "TRG", "TRM", "TRN", "TYP", "USR", "VIS", "XMQ", "ZOS",
})  # fmt: skip  # names
"""Areas that bear on a call by the messages that it looks for, returns, stores or counts."""

_EVENTS: Final = {
    "alter": "alterations",
    "advance": "the passing of time",
    "quiesce": "quiescing",
    "fail": "the death of an application",
    "scan": "scans",
}

_HEAD: Final = """# Which features meet

Written by `python -m bench.pairs_page`, which plays every scenario, example and table with the model, by the quick
budget, on {platforms}. A test holds that the named checks show what is said of them.

The features are the areas of the catalogue. Two of them *meet* where rules of both bear on one call; a rule that may
have been broken in {common} or more of the departures of the examples rests under nearly every call and does not count.
A row has the number of pairs of rules that meet so, and a check in which two of them do, with these two and the line
of that check. Where none do, it says whether they can at all: two areas whose rules never bear on calls of one kind
cannot, nor can two where one fails every such call for a reason of its own. `bench/pairs.yaml` has those reasons, and
others that somebody has given. *Searched* is no reason: `bench/meetings.py` has joined so many pairs of histories, one
for each area, and in none of them did the two meet. What is none of these is *open*; a test holds that nothing is.

"""


@dataclass(frozen=True, slots=True)
class Cell:
    """Two areas that meet: the number of pairs of rules, and one of them with the check and the call that shows it."""

    areas: tuple[str, str]
    count: int
    rules: tuple[str, str]
    check: str
    platform: str
    call: str


@dataclass(frozen=True, slots=True)
class Pairs:
    """All meetings, and the kinds of call on which the rules of each area bear."""

    cells: tuple[Cell, ...]
    verbs: Mapping[str, tuple[str, ...]]


class Refusing(BaseModel):
    """An area that bears on some calls only by failing them, and the reason."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    area: str
    calls: tuple[str, ...]
    why: str


class Cannot(BaseModel):
    """A reason why one area cannot meet some others."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    area: str
    others: tuple[str, ...]
    why: str


class Reasons(BaseModel):
    """The reasons why areas do not meet, from `bench/pairs.yaml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    refusing: tuple[Refusing, ...] = ()
    cannot: tuple[Cannot, ...] = ()
    searched: Mapping[str, int] = Field(default_factory=dict)
    """The number of tries, by the names of the two areas in order."""

    def given(self) -> dict[tuple[str, str], str]:
        """Return the reasons of `cannot` by the two areas in their order."""
        return {
            (min(each.area, other), max(each.area, other)): each.why for each in self.cannot for other in each.others
        }


def reasons_given() -> Reasons:
    """Return the contents of the file.

    Raises BadInputError if it is not of the schema.
    """
    return parse_yaml(read_text(REASONS), f"bench/{REASONS.name}", Reasons)


def computed(checks: Iterable[Check] | None = None) -> Pairs:
    """Play checks with the model, all of them by default, and return the meetings in them."""
    found: dict[tuple[str, str], dict[tuple[str, str], tuple[str, str, str]]] = {}
    verbs: dict[str, set[str]] = {}
    chosen = tuple(all_checks() if checks is None else checks)
    for platform, check, session in sessions(chosen):
        for line, rules in calls_of(session):
            call = write(line)
            for area in {rule[:3] for rule in rules}:
                verbs.setdefault(area, set()).add(kind_of(line))
            for one, other in combinations(sorted(rules), 2):
                if one[:3] != other[:3]:
                    cell = found.setdefault((one[:3], other[:3]), {})
                    cell.setdefault((one, other), (check.id, platform, call))
    cells = []
    for areas_of_cell, met in sorted(found.items()):
        rules_of_cell, (name, where, call) = min(met.items(), key=lambda each: (_commonness(each[0]), each[0]))
        cells.append(Cell(areas_of_cell, len(met), rules_of_cell, name, where, call))
    return Pairs(tuple(cells), {area: tuple(sorted(each)) for area, each in sorted(verbs.items())})


def calls_of(session: Session) -> Iterator[tuple[Line, frozenset[str]]]:
    """Yield the calls of a session, each with the rules that bear on it in particular."""
    for exchange in session.exchanges:
        yield (
            exchange.line.without_outcome(),
            frozenset(rule for rule in exchange.followed.rules if counts().get(rule, 0) < COMMON),
        )


def sessions_of(check: Check, platform: PlatformName) -> list[Session]:
    """Play a check with the model and return its sessions."""
    kept: list[Session] = []
    rig = Rig(Dialogue(InProcessTarget("model", lambda: Server(platform))), keep=kept.append)
    with suppress(MqOracleError):  # undecided: the part that was played counts
        check.perform(rig)
    rig.finish()
    return kept


def sessions(checks: Iterable[Check]) -> Iterator[tuple[PlatformName, Check, Session]]:
    """Play checks with the model on each platform and yield their sessions.

    Those under circumstances are left out, because they are chosen by a program and may change; this page is to be
    stable.
    """
    for platform in PLATFORMS:
        for check in checks:
            if check.kind == "scenario" and check.area != circumstances.AREA and platform in check.platforms:
                for session in sessions_of(check, platform):
                    yield platform, check, session


def _commonness(rules: tuple[str, str]) -> int:
    return sum(counts().get(rule, 0) for rule in rules)


def kind_of(line: Line) -> str:
    """Return the kind of call of a line."""
    return _EVENTS.get(line.verb, f"MQ{line.verb.upper()}")


def as_json(pairs: Pairs) -> str:
    """Return the table as text, one cell a line."""
    cells = ",\n".join(json.dumps(asdict(cell)) for cell in pairs.cells)
    return f'{{"verbs": {json.dumps(pairs.verbs)},\n"cells": [\n{cells}\n]}}\n'


def read(text: str) -> Pairs:
    """Return the table in a text."""
    table = json.loads(text)
    cells = tuple(
        Cell(**{**each, "areas": tuple(each["areas"]), "rules": tuple(each["rules"])}) for each in table["cells"]
    )
    return Pairs(cells, {area: tuple(each) for area, each in table["verbs"].items()})


def page(pairs: Pairs, reasons: Reasons) -> str:
    """Return the text of the page."""
    cells = {cell.areas: cell for cell in pairs.cells}
    titles = {name: area.title for name, area in catalogue.areas().items()}
    kinds: Counter[str] = Counter()
    lines: list[str] = []
    for area in pairs.verbs:
        lines += ["", f"## {area}: {titles[area]}", "", "| with | pairs of rules | where |", "| --- | ---: | --- |"]
        for other in pairs.verbs:
            if area < other:
                kind, row = _row(area, other, cells.get((area, other)), pairs.verbs, reasons)
                kinds[kind] += 1
                lines.append(row)
    summary = (
        f"Of {sum(kinds.values())} pairs of {len(pairs.verbs)} areas {kinds['meet'] + kinds['thin']} meet, "
        f"{kinds['thin']} of them in fewer than {THIN} pairs of rules, {kinds['cannot']} cannot, "
        f"{kinds['searched']} were searched in vain, and {kinds['open']} are open."
    )
    return _HEAD.format(platforms=" and ".join(PLATFORMS), common=COMMON) + summary + "\n" + "\n".join(lines) + "\n"


def _row(
    area: str, other: str, cell: Cell | None, verbs: Mapping[str, tuple[str, ...]], reasons: Reasons
) -> tuple[str, str]:
    if cell is not None:
        platform = "" if cell.platform == PLATFORMS[0] else f" on {cell.platform}"
        where = f"{cell.rules[0]} and {cell.rules[1]} in `{cell.check}`{platform}: `{cell.call}`".replace("|", r"\|")
        return "thin" if cell.count < THIN else "meet", f"| {other} | {cell.count} | {where} |"
    kind, reason = _without(area, other, verbs, reasons)
    return kind, f"| {other} | 0 | {reason} |"


def _without(
    area: str, other: str, verbs: Mapping[str, tuple[str, ...]], reasons: Reasons
) -> tuple[Literal["cannot", "searched", "open"], str]:
    """Return the reason why two areas do not meet."""
    reason = by_kind(area, other, verbs, reasons) or reasons.given().get((area, other))
    if reason is not None:
        return "cannot", f"cannot: {reason}"
    tries = reasons.searched.get(f"{area} {other}")
    if tries is not None:
        return "searched", f"searched: not in {tries} tries" if tries else "searched: no two histories can be joined"
    return "open", "open"


def by_kind(area: str, other: str, verbs: Mapping[str, tuple[str, ...]], reasons: Reasons) -> str | None:
    """Return the reason why two areas cannot meet, by the calls on which they bear; None if that does not show it."""
    common = sorted(set(verbs[area]) & set(verbs[other]))
    if not common:
        return f"{area} bears on {_listed(verbs[area])}, {other} on {_listed(verbs[other])}"
    told: dict[str, None] = {}
    for verb in common:
        refusing = [each for each in reasons.refusing if each.area in (area, other) and verb in each.calls]
        about_messages = {area, other} - {each.area for each in refusing} <= OF_MESSAGES
        if not refusing or not about_messages:
            return None
        told |= dict.fromkeys(f"{each.area} fails the call, as {each.why}" for each in refusing[:1])
    return "; ".join(told)


def _listed(verbs: Iterable[str]) -> str:
    return ", ".join(verbs)


def main(arguments: list[str]) -> int:
    """Write the table and the page; return the exit status."""
    if "--told" not in arguments:
        TABLE.write_text(as_json(computed()), encoding="utf-8")
    PAGE.write_text(page(read(TABLE.read_text(encoding="utf-8")), reasons_given()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
