"""The page `docs/pairs.md` is what its table says, and the checks that it names show what is said of them."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from bench import pairs_page
from bench.pairs_page import Cell, Pairs, calls_of, read, sessions_of
from conformance.checks.selection import all_checks
from oracle.histories.notation import write
from oracle.mqi.profile import PLATFORMS

TOLD = read(pairs_page.TABLE.read_text(encoding="utf-8"))
CHECKS = {check.id: check for check in all_checks()}
SAMPLE = Random(6).sample(TOLD.cells, 40)


def shows(cell: Cell) -> bool:
    """Whether the check of a cell has a call on which the two rules bear."""
    (platform,) = (each for each in PLATFORMS if each == cell.platform)
    return any(
        write(line) == cell.call and set(cell.rules) <= rules
        for session in sessions_of(CHECKS[cell.check], platform)
        for line, rules in calls_of(session)
    )


def test_the_page_is_that_table() -> None:
    page = pairs_page.PAGE.read_text(encoding="utf-8")
    assert page == pairs_page.page(TOLD), "python -m bench.pairs_page writes both anew"


def test_every_check_that_is_named_is_there() -> None:
    assert {cell.check for cell in TOLD.cells} <= CHECKS.keys(), "python -m bench.pairs_page writes both anew"


@pytest.mark.parametrize("cell", SAMPLE, ids=["-".join(cell.areas) for cell in SAMPLE])
def test_what_is_said_to_meet_does(cell: Cell) -> None:
    assert shows(cell)


def test_what_does_not_meet_is_noticed() -> None:
    assert not shows(replace(SAMPLE[0], rules=("LCK-99", "LCK-98")))


def test_areas_whose_calls_differ_cannot_meet_and_others_are_open() -> None:
    cells = (Cell(("ACT", "LCK"), 5, ("ACT-02", "LCK-15"), "lock/a", "distributed", "get h UNLOCK"),)
    told = Pairs(cells, {"ACT": ("MQGET",), "LCK": ("MQGET",), "OPN": ("MQOPEN",), "TRN": ("MQGET",)})
    page = pairs_page.page(told)
    assert "Of 6 pairs of 4 areas 1 meet, 0 of them in fewer than 3 pairs of rules, 3 cannot, and 2 are open." in page
    assert "| LCK | 5 | ACT-02 and LCK-15 in `lock/a`: `get h UNLOCK` |" in page
    assert "| OPN | 0 | cannot: ACT bears on MQGET, OPN on MQOPEN |" in page
    assert "| TRN | 0 | open |" in page
    assert read(pairs_page.as_json(told)) == told


def test_what_fails_a_call_does_not_meet_what_is_about_its_message() -> None:
    told = Pairs((), {"QSC": ("MQGET", "an event"), "TRN": ("MQGET",), "WAI": ("MQGET", "an event")})
    page = pairs_page.page(told)
    assert "| TRN | 0 | cannot: QSC fails MQGET before a message is looked at |" in page
    assert "| WAI | 0 | open |" in page
