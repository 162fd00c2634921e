"""Writer of `docs/coverage.md`: the checks that decide each rule.

    python -m bench.coverage_page           # writes the page
    python -m bench.coverage_page --check   # exits with 1 if the page is out of date

For each rule of the catalogue the page has its examples, its scenarios, the tables that visit it and the miniatures;
if a rule is in no check, it says why.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from bench.pages import page_command, table
from conformance.checks.beyond_protocol import MISSING_REQUESTS
from conformance.checks.check import AT_THE_MQI
from conformance.checks.examples import AREA as EXAMPLES
from conformance.checks.generated.rows import AREA as TABLES
from conformance.checks.selection import all_checks
from fixtures.miniatures import MINIATURES
from oracle.examples.rule_examples import Example, examples_of
from oracle.rules import catalogue

PAGE: Final = Path(__file__).parents[1] / "docs" / "coverage.md"

_HEAD: Final = """# What decides each rule

`python -m bench.coverage_page` writes this page; a test fails when it is out of date.

The columns: a call that the rule *accepts* and one that it *rejects*, after the calls in `oracle/rules/examples/`;
whether that example is a *check* of the suite; the *scenarios* that decide the rule; the rows of *tables* that do; and
the *miniatures*: queue managers that are wrong on purpose. At least one named rule of each must be found broken.
"""

_COLUMNS: Final = ("rule", "accepts", "rejects", "check", "scenarios", "tables", "miniatures")


def page() -> str:
    """Return the text of the page."""
    decided: dict[str, list[str]] = {}
    for check in all_checks():
        for rule in check.rules:
            decided.setdefault(rule, []).append(check.id)
    lines = [_HEAD, *_summary(decided), *_missing_requests(), *_unobservable()]
    for area in catalogue.areas().values():
        shown = [rule for rule in area.rules if _observable(rule)]
        if shown:
            rows = (_cells(rule, decided.get(rule.id, [])) for rule in shown)
            lines += ["", f"## {area.area}: {area.title}", "", *table(_COLUMNS, rows)]
    return "\n".join(lines) + "\n"


def _observable(rule: catalogue.Rule) -> bool:
    return bool(set(rule.observed_by).intersection(AT_THE_MQI))


def _summary(decided: dict[str, list[str]]) -> Iterator[str]:
    shown = [rule for rule in catalogue.rules() if _observable(rule)]
    by_log = [rule for rule in catalogue.rules() if rule.observed_by and not _observable(rule)]
    hurt = {rule for miniature in MINIATURES.values() for rule in miniature.rules}
    yield f"The catalogue has {len(list(catalogue.rules()))} rules. Calls can show {len(shown)} of them."
    yield f"Of these {sum(rule.id in decided for rule in shown)} are decided by a check,"
    yield f"{sum(bool(examples_of(rule.id)) for rule in shown)} have an example,"
    yield f"and {sum(rule.id in hurt for rule in shown)} are broken by one of {len(MINIATURES)} miniatures."
    yield f"Only a log shows {_ids(by_log)}; these are the audit's affair."


def _missing_requests() -> Iterator[str]:
    yield from ("", "## Rules for which the target protocol lacks a request", "")
    rows = ((rule_id, catalogue.rule(rule_id).title, missing) for rule_id, missing in MISSING_REQUESTS.items())
    yield from table(("rule", "title", "what is missing"), rows)


def _unobservable() -> Iterator[str]:
    yield from ("", "## Rules that nothing shows", "")
    rows = (
        (rule.id, rule.title, rule.unobservable)
        for rule in catalogue.rules()
        if rule.unobservable is not None and rule.id not in MISSING_REQUESTS
    )
    yield from table(("rule", "title", "why"), rows)


def _cells(rule: catalogue.Rule, checks: list[str]) -> tuple[str, ...]:
    found = examples_of(rule.id)
    accepts, rejects = zip(*(_shown(each) for each in found), strict=True) if found else ((), ())
    of_tables = [check.partition("/")[2] for check in checks if check.startswith(f"{TABLES}/")]
    of_examples = [check for check in checks if check.startswith(f"{EXAMPLES}/")]
    others = [check for check in checks if check not in of_examples and not check.startswith(f"{TABLES}/")]
    wrong = [name for name, miniature in MINIATURES.items() if rule.id in miniature.rules]
    return (
        f"{rule.id} {rule.title}",
        "<br>".join(accepts),
        "<br>".join(rejects),
        "yes" if of_examples else "no",
        "<br>".join(others),
        "<br>".join(of_tables),
        "<br>".join(wrong),
    )


def _shown(example: Example) -> tuple[str, str]:
    return _as_code(example.accepts), _as_code(example.rejects)


def _as_code(text: str) -> str:
    return f"`{' '.join(text.split())}`"


def _ids(rules: Iterable[catalogue.Rule]) -> str:
    return ", ".join(rule.id for rule in rules)


if __name__ == "__main__":
    sys.exit(page_command(PAGE, page))
