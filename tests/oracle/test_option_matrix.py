"""The option matrix agrees with the tables of the reference, if those are available."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from oracle.model.requests.option_matrix import EXCLUSIONS, KNOWN, REQUIREMENTS, Exclusion, broken_rules
from oracle.mqi.constants import MQGMO

TABLES = Path(__file__).parents[3] / "shared" / "reference" / "tables.yaml"
BITS = [1 << number for number in range(31) if KNOWN >> number & 1]


def with_companions(options: int) -> list[int]:
    """Return the options with each choice of what they need."""
    needs = [row.needs for row in REQUIREMENTS if options & row.option and not options & row.needs]
    choices = [[bit for bit in BITS if need & bit] for need in needs]
    return [options | sum(set(choice)) for choice in itertools.product(*choices)]


@pytest.mark.skipif(not TABLES.exists(), reason="the reference is not beside this checkout")
def test_every_pair_is_valid_or_invalid_as_the_reference_says() -> None:
    for pair in yaml.safe_load(TABLES.read_text(encoding="utf-8"))["option_pairs"]["pairs"]:
        both = getattr(MQGMO, pair["a"]) | getattr(MQGMO, pair["b"])
        if pair["status"] == "undetectable":
            continue
        valid = any(not set(broken_rules(options)) for options in with_companions(both))
        assert valid == (pair["status"] != "invalid"), (pair["a"], pair["b"])


@pytest.mark.parametrize("row", EXCLUSIONS, ids=lambda row: row.rule)
def test_an_option_is_refused_with_each_that_it_excludes_and_alone_accepted(row: Exclusion) -> None:
    for bit in BITS:
        if row.excludes & bit:
            assert row.rule in broken_rules(row.option | bit)
    assert any(not list(broken_rules(options)) for options in with_companions(row.option))


@given(st.lists(st.sampled_from(BITS), max_size=4), st.sampled_from(BITS))
def test_adding_an_option_never_mends_a_forbidden_pair(bits: list[int], more: int) -> None:
    options = 0
    for bit in bits:
        options |= bit
    forbidden = {row.rule for row in EXCLUSIONS if options & row.option and options & row.excludes}
    assert forbidden <= set(broken_rules(options | more))


@pytest.mark.parametrize("bit", [1 << 29, 1 << 30, 1 << 19])
def test_a_bit_that_is_no_option_is_refused(bit: int) -> None:
    assert "CHK-07" in broken_rules(bit)


def test_zero_is_valid() -> None:
    assert list(broken_rules(MQGMO.NONE)) == []
