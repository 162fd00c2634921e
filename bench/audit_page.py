"""Writer of `docs/audit-rules.md`: how the audit checks each rule that a log might show.

    python -m bench.audit_page           # audits the examples of all rules and writes the page; takes seconds
    python -m bench.audit_page --check   # audits them too, and exits with 1 if the page is out of date
    python -m bench.audit_page --told    # rewrites the page with what it says of the examples; audits nothing

Each example of a rule is audited twice, with its accepting line and with its rejecting line. The first must have no
violation; the page says under which rules the second is found.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from bench.pages import page_command
from oracle.examples.rule_examples import examples
from oracle.histories.event_log import LogHeader, to_line
from oracle.judging.verdicts import FindingKind
from oracle.mqi.profile import PLATFORMS, PlatformName
from oracle.rules import catalogue
from spark_checks.audit import audit
from spark_checks.coverage.rules import shown_by_logs, without_check
from spark_checks.engines.choosing import LOCAL, choose, started
from spark_checks.frames import Engine
from spark_checks.shapes.judging import SHAPE_RULES
from tests.spark_checks.example_logs import is_recorded, log_of

PAGE: Final = Path(__file__).parents[1] / "docs" / "audit-rules.md"

_NOT_RECORDED: Final = "not recorded"
_NOT_FOUND: Final = "not found"

_HEAD: Final = """# How the audit checks each rule

`python -m bench.audit_page` writes this page, and `tox -e agreement` checks it. It lists the rules of the catalogue
that a log might show: how each is checked, and under which rules the audit finds the rejecting example of
`oracle/rules/examples/`, recorded as a log. A violation often violates several rules; the audit names those that its
checks are about. An example that depends on events that no log records (attributes altered by command, a queue
manager that quiesces, channels) is not recorded. An example ends with the wrong call. What shows only later, such as a
lock that was kept or a message that is still there, is found in a longer log, but not in the example.

"""

_ROW: Final = re.compile(r"\| [A-Z]{3}-\d{2} \|")

Found = Mapping[str, frozenset[str]]


def findings_of_examples(engine: Engine, platform: PlatformName, *, rejected: bool) -> Found:
    """Audit the examples of a platform as one log, and return the rules that each rule's examples are found to violate.

    A rule without an example that a log holds is left out.
    """
    lines = [to_line(LogHeader(complete=True, platform=platform))]
    names: dict[str, str] = {}
    for number, example in enumerate(examples()):
        if example.platform == platform and is_recorded(example):
            names[f"{example.rule}#{number}"] = example.rule
            lines += [to_line(record) for record in log_of(example, f"{example.rule}#{number}", rejected=rejected)]
    found: dict[str, set[str]] = {rule: set() for rule in names.values()}
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "examples.jsonl"
        log.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        for row in audit(engine, [log]).findings.collect():
            if row["verdict"] == FindingKind.VIOLATION.value:
                found[names[row["qmgr"]]].add(row["rule"])
    return {rule: frozenset(rules) for rule, rules in found.items()}


def all_findings(*, rejected: bool) -> Found:
    """Return findings_of_examples of all platforms together, for the rules that a log might show."""
    together: dict[str, frozenset[str]] = {}
    with started(choose(LOCAL, None, 0)) as engine:
        for platform in PLATFORMS:
            for rule, found in findings_of_examples(engine, platform, rejected=rejected).items():
                together[rule] = together.get(rule, frozenset()) | found
    return {rule: together[rule] for rule in shown_by_logs() if rule in together}


def _how(rule: str) -> str:
    reason = without_check().get(rule)
    if reason is not None:
        return reason.reason.strip()
    return "by the shape of calls" if rule in SHAPE_RULES else "by a check over calls"


def _found_as(rule: str, found: Found) -> str:
    if rule not in found:
        return _NOT_RECORDED
    return ", ".join(sorted(found[rule], key=lambda other: (other != rule, other))) or _NOT_FOUND


def told(text: str) -> Found:
    """Return the results of the examples that a page contains."""
    rows = [[cell.strip() for cell in line.split("|")] for line in text.splitlines() if _ROW.match(line)]
    said = {row[1]: row[-2] for row in rows}
    return {
        rule: frozenset() if found == _NOT_FOUND else frozenset(found.split(", "))
        for rule, found in said.items()
        if found != _NOT_RECORDED
    }


def page(found: Found) -> str:
    """Return the text of the page."""
    return _HEAD + "\n".join(_lines(found)) + "\n"


def _lines(found: Found) -> Iterator[str]:
    shown = list(shown_by_logs())
    checked = [rule for rule in shown if rule not in without_check()]
    caught = [rule for rule in shown if found.get(rule)]
    yield (
        f"Of {len(shown)} rules {len(checked)} have a check of their own. The rejecting examples of {len(caught)} "
        f"rules are found, those of {sum(rule in found for rule in shown)} are recorded."
    )
    for area in catalogue.areas().values():
        rows = [rule for rule in area.rules if rule.log_check is not None]
        if rows:
            yield from ("", f"## {area.area}: {area.title}", "", "| rule | rule title | checked | example found as |")
            yield "| --- | --- | --- | --- |"
            yield from (
                f"| {rule.id} | {rule.title} | {_how(rule.id)} | {_found_as(rule.id, found)} |" for rule in rows
            )


def _found() -> Found:
    return told(PAGE.read_text(encoding="utf-8")) if "--told" in sys.argv[1:] else all_findings(rejected=True)


if __name__ == "__main__":
    sys.exit(page_command(PAGE, lambda: page(_found())))
