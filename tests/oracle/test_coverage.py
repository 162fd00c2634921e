"""Every observable rule is implemented, and `mq-oracle coverage` says which are and which are not."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from click.testing import CliRunner

from oracle.cli import main
from oracle.examples.coverage import RuleCoverage, coverage, implemented
from oracle.examples.rule_examples import examples
from oracle.rules import catalogue

Entries = Mapping[str, RuleCoverage]


@pytest.fixture(scope="module")
def entries() -> Entries:
    """Return the coverage of every rule, by id."""
    return {entry.rule.id: entry for area in coverage() for entry in area.rules}


def run(*arguments: str) -> str:
    result = CliRunner().invoke(main, ["coverage", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_every_observable_rule_is_a_decision_of_the_model() -> None:
    observable = {rule.id for rule in catalogue.rules() if rule.unobservable is None}
    assert sorted(observable - implemented()) == [], "no decision of the model names them"


def test_a_rule_counts_as_implemented_by_a_decision_and_not_by_a_comment() -> None:
    assert "LCK-12" in implemented()  # decided in oracle/model/browsing/browse.py
    assert "NAM-01" not in implemented()
    assert implemented() <= {rule.id for rule in catalogue.rules()}


def test_what_is_exercised_is_implemented(entries: Entries) -> None:
    assert [rule for rule, entry in entries.items() if entry.exercised and not entry.implemented] == []


def test_a_rule_with_an_example_is_exercised(entries: Entries) -> None:
    for example in examples():
        assert entries[example.rule].examples >= 1
        assert entries[example.rule].exercised, example.rule


def test_a_rule_that_nothing_shows_lacks_nothing(entries: Entries) -> None:
    assert [rule for rule, entry in entries.items() if entry.rule.unobservable is not None and entry.missing] == []


def test_the_table_counts_every_rule_once(entries: Entries) -> None:
    rows = {words[0]: [int(word) for word in words[1:]] for words in map(str.split, run().splitlines()[1:])}
    total = rows.pop("all")
    assert set(rows) == set(catalogue.areas())
    assert total == [sum(column) for column in zip(*rows.values(), strict=True)]
    assert total[0] == len(entries)


def test_missing_lists_what_a_rule_lacks(entries: Entries) -> None:
    lacking = {rule for rule, entry in entries.items() if entry.missing and entry.rule.area == "LCK"}
    lines = [line.split() for line in run("--missing", "--area", "lck").splitlines()]
    assert {words[0] for words in lines if words[0] in entries} == lacking


def test_json_says_everything_of_each_rule(entries: Entries) -> None:
    told = {entry["id"]: entry for entry in json.loads(run("--json"))}
    assert list(told) == list(entries)
    assert told["LCK-12"]["implemented"] is True
    assert told["LCK-12"]["examples"] >= 1
    assert told["LCK-12"]["missing"] == []
    nothing_shows = next(rule for rule in catalogue.rules() if rule.unobservable is not None)
    assert told[nothing_shows.id]["unobservable"] == nothing_shows.unobservable
    assert {entry["id"] for entry in json.loads(run("--json", "--missing"))} == {
        rule for rule, entry in told.items() if entry["missing"]
    }


def test_an_unknown_area_is_refused() -> None:
    result = CliRunner().invoke(main, ["coverage", "--area", "XXX"])
    assert result.exit_code == 2
    assert "no area" in result.output


@pytest.mark.parametrize("shown", ["given", "accepts", "rejects"])
def test_a_rule_is_explained_with_its_example(shown: str) -> None:
    text = CliRunner().invoke(main, ["rules", "LCK-12"]).output
    example = next(example for example in examples() if example.rule == "LCK-12")
    for line in getattr(example, shown).replace(";", "\n").splitlines():
        assert line.strip() in text
