"""Writes `docs/pairs.md` and `docs/pairs.json`: which features meet in the checks of the suite, two by two.

    python -m bench.pairs_page          # plays all checks with the model and writes both, in a minute or two
    python -m bench.pairs_page --told   # writes the page anew from the table

The features are the areas of the catalogue. Two of them meet where rules of both bear on one call. Rules that rest
under nearly every call tell of no meeting and are left out, by the same numbers that order suspects.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Final

from conformance.checks.check import Check
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

DOCS: Final = Path(__file__).parents[1] / "docs"
PAGE, TABLE = DOCS / "pairs.md", DOCS / "pairs.json"

PLATFORMS: Final[tuple[PlatformName, ...]] = ("distributed", "zos")
"""The platforms on which the checks are played."""

COMMON: Final = 40
"""In so many departures of the examples, at least, may a rule have been broken that tells of no meeting."""

THIN: Final = 3
"""A meeting of fewer pairs of rules than this is a thin one, at which the machines aim."""

REFUSING: Final = frozenset({"CLO", "CON", "INQ", "QSC"})
"""Areas that bear on a get or a put by failing it: for the connection, the handle, the queue or the queue manager."""

OF_MESSAGES: Final = frozenset({
    "AMA", "ASA", "BOC", "CAP", "CHN", "CMP", "CNV", "CTX", "CVP", "DLH", "DLQ", "EXP", "FMT",
    "GST", "IDS", "LOG", "MDE", "MSB", "MTC", "PER", "PRI", "PRP", "PTB", "RPM", "RPT", "RPY",
    "SEG", "SIP", "SIZ", "TRG", "TRM", "TRN", "TYP", "USR", "VIS", "XMQ", "ZOS",
})  # fmt: skip  # names
"""Areas that bear on a get or a put by the message that it looks for, returns or stores."""

_MOVES: Final = frozenset({"MQGET", "MQPUT", "MQPUT1"})

_EVENTS: Final = ("alter", "advance", "quiesce", "fail", "scan")

_HEAD: Final = """# Which features meet

Written by `python -m bench.pairs_page`, which plays every scenario, example and table with the model, by the quick
budget, on {platforms}. A test holds that the named checks show what is said of them.

The features are the areas of the catalogue. Two of them *meet* where rules of both bear on one call; a rule that may
have been broken in {common} or more of the departures of the examples rests under nearly every call and does not count.
A row has the number of pairs of rules that meet so, and a check in which two of them do, with these two and the line
of that check. Where none do, it says whether they can at all: two areas whose rules never bear on calls of one kind
cannot, nor can one that fails a call and one about the message that the call would return. What is neither is *open*:
nobody has let these two meet, or found out why they do not.

"""


@dataclass(frozen=True, slots=True)
class Cell:
    """Two areas that meet: in how many pairs of rules, and one of them with the check and the call that shows it."""

    areas: tuple[str, str]
    count: int
    rules: tuple[str, str]
    check: str
    platform: str
    call: str


@dataclass(frozen=True, slots=True)
class Pairs:
    """All that meet, and on which kinds of call the rules of each area bear."""

    cells: tuple[Cell, ...]
    verbs: Mapping[str, tuple[str, ...]]


def computed(checks: Iterable[Check] | None = None) -> Pairs:
    """Play checks with the model, all of them unless some are given, and return what meets in them."""
    found: dict[tuple[str, str], dict[tuple[str, str], tuple[str, str, str]]] = {}
    verbs: dict[str, set[str]] = {}
    chosen = tuple(all_checks() if checks is None else checks)
    for platform in PLATFORMS:
        for check, session in _sessions(chosen, platform):
            for line, rules in calls_of(session):
                call = write(line)
                for area in {rule[:3] for rule in rules}:
                    verbs.setdefault(area, set()).add(_verb(line))
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
            replace(exchange.line, expected=None),
            frozenset(rule for rule in exchange.followed.rules if counts().get(rule, 0) < COMMON),
        )


def sessions_of(check: Check, platform: PlatformName) -> list[Session]:
    """Play a check with the model and return its sessions."""
    kept: list[Session] = []
    rig = Rig(Dialogue(InProcessTarget("model", lambda: Server(platform))), keep=kept.append)
    with suppress(MqOracleError):  # undecided: what was played counts
        check.perform(rig)
    rig.finish()
    return kept


def _sessions(checks: Iterable[Check], platform: PlatformName) -> Iterator[tuple[Check, Session]]:
    for check in checks:
        if check.kind == "scenario" and platform in check.platforms:
            for session in sessions_of(check, platform):
                yield check, session


def _commonness(rules: tuple[str, str]) -> int:
    return sum(counts().get(rule, 0) for rule in rules)


def _verb(line: Line) -> str:
    return "an event" if line.verb in _EVENTS else f"MQ{line.verb.upper()}"


def as_json(pairs: Pairs) -> str:
    """Return the table as text, one cell a line."""
    cells = ",\n".join(json.dumps(asdict(cell)) for cell in pairs.cells)
    return f'{{"verbs": {json.dumps(pairs.verbs)},\n"cells": [\n{cells}\n]}}\n'


def read(text: str) -> Pairs:
    """Return the table that a text has."""
    table = json.loads(text)
    cells = tuple(
        Cell(**{**each, "areas": tuple(each["areas"]), "rules": tuple(each["rules"])}) for each in table["cells"]
    )
    return Pairs(cells, {area: tuple(each) for area, each in table["verbs"].items()})


def page(pairs: Pairs) -> str:
    """Return the text of the page."""
    cells = {cell.areas: cell for cell in pairs.cells}
    titles = {name: area.title for name, area in catalogue.areas().items()}
    kinds: Counter[str] = Counter()
    lines: list[str] = []
    for area in pairs.verbs:
        lines += ["", f"## {area}: {titles[area]}", "", "| with | pairs of rules | where |", "| --- | ---: | --- |"]
        for other in pairs.verbs:
            if area < other:
                kind, row = _row(area, other, cells.get((area, other)), pairs.verbs)
                kinds[kind] += 1
                lines.append(row)
    summary = (
        f"Of {sum(kinds.values())} pairs of {len(pairs.verbs)} areas {kinds['meet'] + kinds['thin']} meet, "
        f"{kinds['thin']} of them in fewer than {THIN} pairs of rules, {kinds['cannot']} cannot, "
        f"and {kinds['open']} are open."
    )
    return _HEAD.format(platforms=" and ".join(PLATFORMS), common=COMMON) + summary + "\n" + "\n".join(lines) + "\n"


def _row(area: str, other: str, cell: Cell | None, verbs: Mapping[str, tuple[str, ...]]) -> tuple[str, str]:
    if cell is not None:
        platform = "" if cell.platform == PLATFORMS[0] else f" on {cell.platform}"
        where = f"{cell.rules[0]} and {cell.rules[1]} in `{cell.check}`{platform}: `{cell.call}`".replace("|", r"\|")
        return "thin" if cell.count < THIN else "meet", f"| {other} | {cell.count} | {where} |"
    common = set(verbs[area]) & set(verbs[other])
    if not common:
        reason = f"cannot: {area} bears on {_listed(verbs[area])}, {other} on {_listed(verbs[other])}"
        return "cannot", f"| {other} | 0 | {reason} |"
    failing = next((each for each in (area, other) if each in REFUSING), None)
    if failing and OF_MESSAGES & {area, other} and common <= _MOVES:
        return (
            "cannot",
            f"| {other} | 0 | cannot: {failing} fails {_listed(sorted(common))} before a message is looked at |",
        )
    return "open", f"| {other} | 0 | open |"


def _listed(verbs: Iterable[str]) -> str:
    return ", ".join(verbs)


def main(arguments: list[str]) -> int:
    """Write the table and the page; return the exit status."""
    if "--told" not in arguments:
        TABLE.write_text(as_json(computed()), encoding="utf-8")
    PAGE.write_text(page(read(TABLE.read_text(encoding="utf-8"))), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
