"""References to each rule: checks of suite and audit, state machines, miniatures, and neighbours."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import spark_checks
from conformance.checks.check import Check
from conformance.checks.machines import CHECKS as MACHINES
from conformance.checks.selection import all_checks
from conformance.running.worker import Options, Worker
from conformance.targets import InProcessTarget
from fixtures.miniatures import MINIATURES, Miniature
from oracle.rules import catalogue
from oracle.serve import Server
from spark_checks.coverage.rules import without_check

ROOT: Final = Path(__file__).parents[2]

_RULE_ID: Final = re.compile(r"[A-Z]{3}-\d{2}")
_AUDIT: Final = ("checks", "shapes")
"""The subpackages of the audit whose files name the rules that they check."""


@dataclass(frozen=True, slots=True)
class AuditFile:
    """A file of the audit that checks rules: its path in the checkout, and the first sentence of its docstring."""

    path: str
    about: str


@dataclass
class Standing:
    """The references to one rule. `machines` has the number of calls with the rule behind them, by state machine."""

    checks: list[Check] = field(default_factory=list)
    machines: dict[str, int] = field(default_factory=dict)
    audit: list[AuditFile] = field(default_factory=list)
    miniatures: list[Miniature] = field(default_factory=list)
    cited_with: set[str] = field(default_factory=set)


def standings(*, play_machines: bool = True) -> dict[str, Standing]:
    """Return the references to each rule, by rule.

    The state machines are played against the model, with the quick budget and one seed; `play_machines=False` leaves
    that out, which saves half a minute.
    """
    found = {rule.id: Standing() for rule in catalogue.rules()}
    for check in all_checks():
        for rule in check.rules:
            found[rule].checks.append(check)
    for machine in MACHINES if play_machines else ():
        for rule, calls in _reached(machine).items():
            found[rule].machines[machine.id] = calls
    for rule, files in _audit_files().items():
        found[rule].audit += files
    for miniature in MINIATURES.values():
        for rule in miniature.rules:
            found[rule].miniatures.append(miniature)
    for together in (*_cited_together(), *(check.rules for check in all_checks())):
        for rule in together:
            found[rule].cited_with |= set(together) - {rule}
    return found


def caught_by() -> Mapping[str, str]:
    """Return by miniature the check that catches it, as `docs/sensitivity.json` has it."""
    measured = json.loads((ROOT / "docs" / "sensitivity.json").read_text(encoding="utf-8"))
    return {entry["name"]: entry["check"] for entry in measured["miniatures"] if entry["check"]}


def _reached(machine: Check) -> Mapping[str, int]:
    """Play a state machine against the model, and return how often each rule was behind the allowed outcomes."""
    platform = machine.platforms[0]
    worker = Worker(InProcessTarget("the model", lambda: Server(platform)), Options(seed=1))
    try:
        tally = worker.perform(machine).reached
    finally:
        worker.stop()
    return tally.rules if tally is not None else {}


def _audit_files() -> dict[str, list[AuditFile]]:
    """Return by rule the files of the audit that name it, without rules that no check of the audit is about."""
    rules = {rule.id for rule in catalogue.rules() if rule.log_check is not None} - set(without_check())
    found: dict[str, list[AuditFile]] = {}
    folder = Path(spark_checks.__file__).parent
    for path in sorted(path for name in _AUDIT for path in (folder / name).glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        about = " ".join((ast.get_docstring(tree) or "").partition("\n\n")[0].split())
        for rule in rules.intersection(_named(tree)):
            found.setdefault(rule, []).append(AuditFile(path.relative_to(folder.parent).as_posix(), about))
    return found


def _cited_together() -> Iterator[tuple[str, ...]]:
    """Yield the rules behind one decision of the model: those that one `because` names."""
    for path in sorted((ROOT / "oracle").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "because":
                yield tuple(dict.fromkeys(_named_in(node.args)))


def _named_in(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        yield from _named(node)


def _named(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _RULE_ID.fullmatch(node.value):
            yield node.value
