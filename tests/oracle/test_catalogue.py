"""The catalogue is complete and its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from oracle.errors import BadInputError, UsageError
from oracle.rules import catalogue

ROOT = Path(__file__).parents[2]
RULE_ID = re.compile(r"\b([A-Z]{3}-\d{2})\b")
SHARED_RULES = ROOT.parent / "shared" / "reference" / "rules.yaml"

MUST = re.compile(r"\bmust\b")
TITLES_WITHOUT_MUST = {
    "ASA-10": "it allows a difference between two options",
    "SIG-18": "it describes a platform that no longer exists",
    "SIG-19": "it describes a platform that no longer exists",
}
"""Rules of strength must whose titles do not say what must be, and why."""

GOOD = """
area: XYZ
title: An area
rules:
  - id: XYZ-01
    title: A rule
    statement: Something must happen.
    source: [{document: facts, section: '1'}]
    strength: must
    observed_by: [mqi]
"""


def test_every_area_file_is_named_after_its_area() -> None:
    files = {path.stem for path in (ROOT / "oracle" / "rules").glob("*.yaml")} - {"documents"}
    assert files == {area.lower() for area in catalogue.areas()}


def test_rules_of_an_area_are_numbered_without_gaps() -> None:
    for area in catalogue.areas().values():
        numbers = [int(rule.id[4:]) for rule in area.rules]
        assert numbers == list(range(1, len(numbers) + 1)), area.area


@pytest.mark.skipif(not SHARED_RULES.exists(), reason="the reference is not beside this checkout")
def test_every_rule_of_the_reference_is_in_the_catalogue_in_other_words() -> None:
    for original in yaml.safe_load(SHARED_RULES.read_text(encoding="utf-8")):
        ours = catalogue.rule(original["id"])
        assert ours.strength == original["strength"], ours.id
        assert ours.statement.split() != original["statement"].split(), ours.id


def test_every_rule_id_in_the_code_and_the_catalogue_exists() -> None:
    known = {rule.id for rule in catalogue.rules()}
    places = [*ROOT.glob("oracle/**/*.py"), *ROOT.glob("oracle/rules/*.yaml"), *ROOT.glob("conformance/**/*.py")]
    places += [*ROOT.glob("conformance/**/*.yaml"), *ROOT.glob("spark_checks/**/*.py"), *ROOT.glob("fixtures/**/*.py")]
    for path in places:
        cited = set(RULE_ID.findall(path.read_text(encoding="utf-8")))
        lost = {rule_id for rule_id in cited - known if not rule_id.startswith(("AMB", "UTF"))}
        assert lost == set(), path


def test_a_rule_is_found_in_any_letter_case() -> None:
    assert catalogue.rule("lck-12").id == "LCK-12"


@pytest.mark.parametrize(
    ("rule_id", "told"),
    [
        ("LCK-99", "no rule 'LCK-99' in the catalogue; LCK has LCK-01 to LCK-\\d\\d"),
        ("lck-100", "LCK has LCK-01 to LCK-\\d\\d"),
        ("XYZ-01", "no area is called XYZ"),
        ("lock", "an id looks like LCK-12"),
    ],
)
def test_an_unknown_rule_is_refused_with_what_there_is(rule_id: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        catalogue.rule(rule_id)


def test_a_title_says_by_itself_what_must_be() -> None:
    without = {
        rule.id for rule in catalogue.rules() if rule.strength in ("must", "must-not") and not MUST.search(rule.title)
    }
    assert without == set(TITLES_WITHOUT_MUST)
    pronouns = re.compile(r"^Its?\b|\bthe option\b|\bthat message\b")
    assert [rule.title for rule in catalogue.rules() if pronouns.search(rule.title)] == []


def test_a_title_fits_a_line_and_is_the_title_of_one_rule() -> None:
    titles = [rule.title for rule in catalogue.rules()]
    assert [title for title in titles if len(title) > 75 or title.endswith(".")] == []
    assert sorted(titles) == sorted(set(titles))


def test_a_good_area_is_accepted() -> None:
    assert catalogue.parse_area(GOOD, "xyz.yaml").rules[0].area == "XYZ"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("observed_by: [mqi]", ""), "unobservable"),
        (("observed_by: [mqi]", "observed_by: [mqi]\n    unobservable: why"), "unobservable"),
        (("id: XYZ-01", "id: ABC-01"), "is in the file of area XYZ"),
        (("strength: must", "strength: perhaps"), "strength"),
        (("document: facts", "document: nowhere"), "unknown document"),
        (("statement: Something must happen.", "statement: ''"), "statement"),
        (("title: A rule", "titel: A rule"), "titel|title"),
        (("area: XYZ", "area: [XYZ"), "not YAML: did not find expected"),
    ],
)
def test_a_bad_area_is_refused_with_its_file(change: tuple[str, str], message: str) -> None:
    with pytest.raises(BadInputError, match=f"xyz.yaml.*({message})"):
        catalogue.parse_area(GOOD.replace(*change), "xyz.yaml")
