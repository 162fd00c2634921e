"""Writes `docs/sensitivity-unseen.md`: the share of wrong queue managers that the suite caught unseen.

    python -m bench.unseen_page           # writes the page
    python -m bench.unseen_page --check   # exits with 1 if the page is out of date

`docs/sensitivity-unseen.json` was measured once, before the suite was extended by what it had missed, and cannot be
measured again. Beside it the page has what `docs/sensitivity.json` says now.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

from fixtures.miniatures import MINIATURES

DOCS: Final = Path(__file__).parents[1] / "docs"
PAGE, BEFORE, NOW = DOCS / "sensitivity-unseen.md", DOCS / "sensitivity-unseen.json", DOCS / "sensitivity.json"

_HEAD: Final = """# How sharp the suite was on what it had not seen

Written by `python -m bench.unseen_page`. [sensitivity.md](sensitivity.md) tells what the suite surely finds: whatever
it missed has been given a check. This page tells what it found before that.

{all} wrong queue managers were written from the documents alone, before anybody looked at which checks would catch
them, and each with a history that proves it wrong. {meeting} of them are wrong about two features that meet. They are
subtle on purpose: a corner of one rule, or one condition of several. Then the suite was measured as it was, by its
scenarios, examples of rules and tables, with the quick budget and without the state machines: it caught {caught}, which
is {share} in 100; of those about two features {caught_meeting}, which is {share_meeting} in 100, and of the others
{caught_other}, which is {share_other} in 100. That was its sharpness on defects of this kind. Then it was extended: by
tables in which features meet (`conformance/checks/meetings/`), and by a case for each condition that one of these
breaks. So what it finds of them now says no more than that.

After that {second} more were written likewise, about rules that none had broken before. Of these it caught
{caught_second}, which is {share_second} in 100, by the checks that decide the rules which they break alone, with the
quick budget; others, and greater budgets, were not tried. Each has been given its case since.

"""

_COLUMNS: Final = ("wrong queue manager", "what is wrong", "two features", "caught before", "caught now")


def page() -> str:
    """Return the text of the page."""
    table = json.loads(BEFORE.read_text(encoding="utf-8"))
    now = _by_name(json.loads(NOW.read_text(encoding="utf-8"))["miniatures"])
    before, second = _by_name(table["first"]), _by_name(table["second"])
    meeting = {name for name in before if MINIATURES[name].meets is not None}
    caught, caught_second = _caught(before), _caught(second)
    head = _HEAD.format(
        all=len(before),
        meeting=len(meeting),
        caught=len(caught),
        share=_share(len(caught), len(before)),
        caught_meeting=len(caught & meeting),
        share_meeting=_share(len(caught & meeting), len(meeting)),
        caught_other=len(caught - meeting),
        share_other=_share(len(caught - meeting), len(before) - len(meeting)),
        second=len(second),
        caught_second=len(caught_second),
        share_second=_share(len(caught_second), len(second)),
    )
    lines = [_row(_COLUMNS), _row(("---",) * len(_COLUMNS))]
    for name, row in (before | second).items():
        each = MINIATURES[name]
        features = " and ".join(each.meets or ())
        lines.append(_row((f"`{name}`", each.wrong, features, _check(row), _check(now.get(name, {})))))
    return head + "\n".join(lines) + "\n"


def _by_name(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in rows}


def _caught(rows: dict[str, dict[str, Any]]) -> set[str]:
    return {name for name, row in rows.items() if row["check"]}


def _share(part: int, whole: int) -> int:
    return round(100 * part / whole)


def _check(row: dict[str, Any]) -> str:
    return f"`{row['check']}`" if row.get("check") else "no"


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def main(arguments: list[str]) -> int:
    """Write the page, or say whether it is out of date; return the exit status."""
    if "--check" not in arguments:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page():
        sys.stderr.write("docs/sensitivity-unseen.md is out of date; python -m bench.unseen_page writes it\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
