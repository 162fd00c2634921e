"""The audit agrees with the oracle on small histories: explained ones have no violation, refuted ones are found.

Here every history of up to three calls that the oracle explains is audited, and some of those that it refutes; and some
random longer ones, by the checks alone. With WHOLE_AGREEMENT=1 in the environment, as `tox -e agreement` sets it, all
of them are, and every explained one of four calls; `docs/audit-agreement.md` must then be what comes out.
"""

from __future__ import annotations

import os
from itertools import chain, permutations

import pytest

from bench import agreement_page
from fixtures.agreement.alphabets import ALPHABETS, COMMIT, get, put
from fixtures.agreement.families import FAMILIES, core_of, family_of
from fixtures.agreement.histories import Called, History, histories, intervals
from fixtures.agreement.longer import ends_open
from fixtures.agreement.search import Search
from fixtures.agreement.verdicts import Judged, judge, small_histories
from oracle.mqi.constants import MQGMO, MQPMO
from spark_checks.frames import Engine

WHOLE = bool(os.environ.get("WHOLE_AGREEMENT"))
ONE_IN = 24
"""How many refuted histories there are for each that is audited here."""

SEARCH = Search()
PUT, GET, NOTHING = put("m"), get("m"), get(None)


def history(*calls: Called) -> History:
    return History(tuple(sorted(calls, key=lambda call: call.key)))


@pytest.fixture(scope="module")
def judged(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> list[Judged]:
    known = list(small_histories(agreement_page.CALLS))
    explained = {number for number, (_, each) in enumerate(known) if SEARCH.explains(each)}
    chosen = [
        each
        for number, each in enumerate(known)
        if WHOLE or number in explained or len(each[1].calls) < 3 or number % ONE_IN == 0
    ]
    of_four = ((name, each) for name in ALPHABETS for each in histories(ALPHABETS[name], 4) if SEARCH.explains(each))
    log = tmp_path_factory.mktemp("agreement") / "log.jsonl"
    return judge(engine, chain(chosen, of_four) if WHOLE else chosen, log)


@pytest.fixture(scope="module")
def by_checks(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> list[Judged]:
    refuted, explained = (agreement_page.REFUTED, agreement_page.EXPLAINED) if WHOLE else (220, 150)
    log = tmp_path_factory.mktemp("longer") / "log.jsonl"
    return agreement_page.judged_by_checks(engine, refuted, explained, log)


def test_the_checks_alone_accuse_no_longer_history_that_the_oracle_explains(by_checks: list[Judged]) -> None:
    explained = [each for each in by_checks if each.explained]
    assert len(explained) >= 100
    assert [str(each) for each in explained if each.violated] == []


def test_the_checks_alone_find_nearly_all_longer_histories_that_leave_nothing_open(by_checks: list[Judged]) -> None:
    refuted = [each for each in by_checks if not each.explained and not ends_open(each.history)]
    for coarse, least, one_in in ((False, 80, 40), (True, 40, 5)):
        alike = [each for each in refuted if each.history.coarse is coarse]
        missed = [str(each.history) for each in alike if not each.violated]
        assert len(alike) >= least
        assert len(missed) * one_in < len(alike), missed


def test_nothing_that_the_oracle_explains_is_accused(judged: list[Judged]) -> None:
    explained = [each for each in judged if each.explained]
    assert len(explained) > 1000
    assert [str(each) for each in explained if each.violated] == []


def test_what_the_oracle_refutes_is_found_or_belongs_to_a_family(judged: list[Judged]) -> None:
    refuted = [each for each in judged if not each.explained]
    missed = [each for each in refuted if not each.violated]
    assert [str(each.history) for each in missed if family_of(each.history, SEARCH) is None] == []
    assert len(missed) * 20 < len(refuted)


def test_every_rule_of_order_delivery_and_emptiness_finds_some(judged: list[Judged]) -> None:
    found = {rule for each in judged for rule in each.violated}
    assert found >= {"DLV-01", "DLV-05", "PRI-03", "SYN-08"}


@pytest.mark.skipif(not WHOLE, reason="takes minutes: tox -e agreement")
def test_the_page_says_what_came_out(judged: list[Judged], by_checks: list[Judged]) -> None:
    of_page = [each for each in judged if len(each.history.calls) <= agreement_page.CALLS]
    written, now = agreement_page.PAGE.read_text(encoding="utf-8"), agreement_page.page(of_page, by_checks)
    for part, until in ((0, "## By which rules"), (2, "## Longer histories")):
        # Which of several rules a finding names first is not held.
        assert written.partition(until)[part] == now.partition(until)[part]


def test_the_page_has_the_families_and_the_calls() -> None:
    text = agreement_page.PAGE.read_text(encoding="utf-8")
    assert f"up to {agreement_page.CALLS} calls" in text
    for symbols in ALPHABETS.values():
        assert all(symbol.text in text for symbol in symbols)
    rows = {line.split(" | ")[0].removeprefix("| ") for line in text.partition("## What is not found")[2].splitlines()}
    assert rows & {family.name for family in FAMILIES} or "Nothing: every history" in text


@pytest.mark.parametrize(("count", "orders"), [(1, 1), (2, 3), (3, 19), (4, 207)])
def test_intervals_lie_in_every_way_to_each_other(count: int, orders: int) -> None:
    """Compare with the known numbers of interval orders on labelled elements."""
    found = {
        frozenset(pair for pair in permutations(range(count), 2) if lying[pair[0]][1] < lying[pair[1]][0])
        for chosen in intervals(count)
        for lying in permutations(chosen)
    }
    assert len(found) == orders


@pytest.mark.parametrize(
    ("calls", "explained"),
    [
        ((Called("A", PUT, 0, 0), Called("B", GET, 1, 1)), True),
        ((Called("A", PUT, 0, 0), Called("B", GET, 0, 0)), True),
        ((Called("A", PUT, 1, 1), Called("B", GET, 0, 0)), False),
        ((Called("A", PUT, 0, 0), Called("B", NOTHING, 1, 1)), False),
        ((Called("A", PUT, 0, 1), Called("B", NOTHING, 1, 1)), True),
        ((Called("A", put("m", MQPMO.SYNCPOINT), 0, 0), Called("B", NOTHING, 1, 1)), True),
        ((Called("A", put("m", MQPMO.SYNCPOINT), 0, 0), Called("A", COMMIT, 1, 1), Called("B", NOTHING, 2, 2)), False),
        ((Called("A", PUT, 0, 0), Called("A", get("m", MQGMO.SYNCPOINT), 1, 1), Called("B", GET, 2, 2)), True),
    ],
)
def test_the_search_explains_what_some_order_explains(calls: tuple[Called, ...], explained: bool) -> None:
    assert SEARCH.explains(history(*calls)) is explained


def test_the_core_of_a_history_is_what_refutes_it() -> None:
    idle = Called("B", COMMIT, 0, 0)
    lost = (Called("A", PUT, 1, 1), Called("B", NOTHING, 2, 2))
    assert core_of(history(idle, *lost), SEARCH) == lost
