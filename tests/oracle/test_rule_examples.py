"""Every observable rule has an example with an accepted and a rejected call."""

from __future__ import annotations

from functools import cache

import pytest

from bench import bearing
from bench.suspects import counted
from oracle.errors import BadInputError
from oracle.examples.rule_examples import Example, Played, examples, parse_examples, play
from oracle.judging.suspects import counts
from oracle.rules import catalogue

GOOD = """
area: LCK
examples:
  - rule: LCK-12
    given: h = open Q BROWSE+INPUT_SHARED
    accepts: get h -> 2033
    rejects: get h -> OK
"""


@cache
def played_of(number: int) -> Played:
    return play(examples()[number])


def name_of(example: Example) -> str:
    return f"{example.rule}/{examples().index(example)}"


@pytest.mark.parametrize("number", range(len(examples())), ids=lambda number: name_of(examples()[number]))
def test_the_accepting_line_conforms_and_the_rejecting_one_departs_because_of_the_rule(number: int) -> None:
    example, played = examples()[number], played_of(number)
    assert played.conforms, played.steps[-1].followed.departure
    assert example.rule in played.behind
    assert played.departs, "the rejecting line is allowed"
    assert example.rule in played.broken, played.wrong_steps[-1].followed.departure


def test_of_most_examples_the_rule_is_among_the_first_that_the_departure_names() -> None:
    places = [played_of(number).broken.index(example.rule) for number, example in enumerate(examples())]
    assert sum(place == 0 for place in places) > 0.5 * len(places)
    assert sum(place < 3 for place in places) > 0.8 * len(places)
    assert sum(place < 6 for place in places) > 0.9 * len(places)


def test_the_suspects_are_counted_about_right() -> None:
    found = counted(played_of(number).broken for number in range(len(examples())))
    wrong = {
        rule: (counts().get(rule, 0), found[rule])
        for rule in found.keys() | counts().keys()
        if not 0.5 * found[rule] - 3 <= counts().get(rule, 0) <= 2 * found[rule] + 3
    }
    assert wrong == {}, "python -m bench.suspects counts anew"


def test_the_table_of_what_shows_in_an_output_is_that_of_the_examples() -> None:
    assert bearing.TABLE.read_text(encoding="utf-8") == bearing.text(), "python -m bench.bearing writes it anew"


def test_every_observable_rule_has_an_example_and_no_other_has_one() -> None:
    observable = {rule.id for rule in catalogue.rules() if rule.unobservable is None}
    shown = {example.rule for example in examples()}
    assert sorted(observable - shown) == [], "need an example in oracle/rules/examples"
    assert sorted(shown - observable) == [], "have an example, so they can be observed"


def test_no_example_stands_there_twice() -> None:
    for number, example in enumerate(examples()):
        assert example not in examples()[:number], example.rule


def test_a_good_file_is_accepted() -> None:
    (example,) = parse_examples(GOOD, "lck.yaml")
    assert example.rule == "LCK-12"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("rule: LCK-12", "rule: LCK-99"), "no rule 'LCK-99'"),
        (("rule: LCK-12", "rule: BRW-01"), "is in the file of area LCK"),
        (("    accepts: get h -> 2033\n", ""), "accepts"),
        (("accepts: get h -> 2033", "accepts: get h"), "accepts is one line"),
        (("rejects: get h -> OK", "rejects: get h -> OK; get h -> OK"), "rejects is one line"),
        (("given: h = open Q", "given: h = opne Q"), "given:1.*opne"),
        (("given:", "givne:"), "givne"),
        (("area: LCK", "area: [LCK"), "not YAML"),
    ],
)
def test_a_bad_file_is_refused_with_its_name_and_the_member(change: tuple[str, str], message: str) -> None:
    with pytest.raises(BadInputError, match=f"lck.yaml.*({message})"):
        parse_examples(GOOD.replace(*change), "lck.yaml")


def test_an_example_that_shows_nothing_is_told_from_one_that_does() -> None:
    (example,) = parse_examples(GOOD.replace("accepts: get h -> 2033", "accepts: get h -> 2016"), "lck.yaml")
    played = play(example)
    assert not played.conforms
    assert not played.departs
    (example,) = parse_examples(GOOD.replace("rejects: get h -> OK", "rejects: get h -> 2033"), "lck.yaml")
    assert not play(example).departs


def test_an_example_with_a_name_that_means_nothing_is_refused_with_its_rule() -> None:
    (example,) = parse_examples(GOOD.replace("accepts: get h", "accepts: get k"), "lck.yaml")
    with pytest.raises(BadInputError, match=r"LCK-12.*no handle 'k'"):
        play(example)
