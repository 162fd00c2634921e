"""The HTML pages: self-contained, complete, and safe with any output of a target."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conformance.checks.selection import all_checks, select
from conformance.reports.html import HtmlReport, comparison_page, page_of
from conformance.results.comparison import Change, compare
from conformance.results.document import Results, read_results, results_of
from conformance.running.runner import Runner
from conformance.running.worker import Options
from fixtures.miniatures import MINIATURES
from oracle.errors import BadInputError
from oracle.judging.verdicts import Verdict
from oracle.rules import catalogue
from oracle.serve import Server
from tests.conformance.conftest import ClaimingServer, target_of
from tests.html_page import Page

CHECKS = select(all_checks(), ["lock", "priority"])


@pytest.fixture(scope="module")
def wrong() -> Results:
    make = MINIATURES["lock_survives_unlock"].server
    return results_of(Runner(target_of(make), Options(seed=3)).run(CHECKS))


@pytest.fixture(scope="module")
def right() -> Results:
    return results_of(Runner(target_of(Server), Options(seed=3)).run(CHECKS))


def test_a_page_needs_nothing_else_and_is_well_formed(wrong: Results) -> None:
    page = Page(page_of(wrong))
    assert not page.open
    assert not page.fetched
    assert not page.scripts
    assert not page.lost_links


def test_a_source_is_a_link_to_its_public_page(wrong: Results) -> None:
    page, documents = page_of(wrong), catalogue.documents()
    assert f'<a href="{documents["get-options"].address}">{documents["get-options"].title}, MQGMO_LOCK</a>' in page
    assert f"{documents['facts'].title}, Reason codes" in Page(page).text


def test_a_page_says_first_what_a_manager_must_know(wrong: Results, right: Results) -> None:
    assert "2 defects found" in Page(page_of(wrong)).text[:200]
    assert "no violation found" in Page(page_of(right)).text[:200]


def test_a_page_shows_the_calls_of_a_violation_and_every_rule(wrong: Results) -> None:
    text = Page(page_of(wrong)).text
    assert "get h UNLOCK -> OK WARNING 2209 NO_MSG_LOCKED OK 0 NONE" in text
    assert all(rule.id in text for rule in wrong.rules)
    assert "also by" in text


def test_what_a_target_says_is_text_and_never_markup() -> None:
    name = "<script>alert(1)</script>"
    claims = {"implementation": {"name": name, "version": "&amp;", "language": ""}}
    results = results_of(Runner(target_of(lambda: ClaimingServer(claims)), Options()).run(CHECKS[:1]))
    page = Page(page_of(results))
    assert page.scripts == 0
    assert name in page.text


def test_runs_side_by_side_show_where_they_differ(wrong: Results, right: Results) -> None:
    comparison = compare([("old.json", wrong), ("new.json", right)])
    assert "LCK-17" in {row.rule for row in comparison.differing}
    assert "PRI-03" not in {row.rule for row in comparison.differing}
    page = Page(comparison_page(comparison))
    assert not page.open
    assert "mq-oracle" in page.text
    assert "(old.json)" in page.text
    assert "violates conforms" in page.text
    assert re.search(
        r"<title>mq-conform compare: .*, \d{4}-\d\d-\d\d \d\d:\d\d UTC</title>", comparison_page(comparison)
    )


def test_what_changed_comes_first_and_what_became_worse_before_all_else(wrong: Results, right: Results) -> None:
    comparison = compare([("old.json", right), ("new.json", wrong)])
    worse = [row.rule for row in comparison.differing if row.change is Change.WORSE]
    assert "LCK-17" in worse
    assert [row.rule for row in comparison.differing][: len(worse)] == worse
    page = comparison_page(comparison)
    assert (
        page.index('id="worse"') < page.index('id="alike"') < page.index("<details><summary>", page.index('id="alike"'))
    )
    assert f"{len(worse)} rules became worse" in Page(page).text
    assert "Rules that became worse" in Page(page).text
    turned = compare([("old.json", wrong), ("new.json", right)])
    assert {row.change for row in turned.differing if row.rule in worse} == {Change.BETTER}


def test_the_title_has_the_product_the_target_and_the_day(wrong: Results) -> None:
    title = page_of(wrong).partition("<title>")[2].partition("</title>")[0]
    assert re.fullmatch(r"mq-conform: mq-oracle \S+, \d{4}-\d\d-\d\d \d\d:\d\d UTC: 2 defects found", title)


def test_rules_that_do_not_apply_are_folded_and_every_rule_is_a_row_of_the_filter() -> None:
    results = results_of(Runner(target_of(lambda: ClaimingServer({"features": ["priority"]})), Options()).run(CHECKS))
    folded = [rule.id for rule in results.rules if rule.verdict is Verdict.NOT_APPLICABLE]
    page = page_of(results)
    assert len(folded) > 5
    for rule in folded:
        assert f'<li data-row id="{rule}">' in page
    assert Page(page).rows >= len(results.rules)


def test_a_page_has_contents_whose_places_are_there(wrong: Results) -> None:
    page = Page(page_of(wrong))
    assert {"#defects", "#rules", "#area-LCK"} <= set(page.links)
    assert page.lost_links == set()


def test_a_run_that_does_not_judge_a_rule_differs_from_one_that_does(right: Results) -> None:
    fewer = right.model_copy(update={"rules": right.rules[1:]})
    assert [row.rule for row in compare([("a", right), ("b", fewer)]).differing] == [right.rules[0].id]


def test_a_violation_that_the_last_run_did_not_test_is_no_better(wrong: Results) -> None:
    fewer = wrong.model_copy(update={"rules": tuple(rule for rule in wrong.rules if rule.id != "LCK-17")})
    comparison = compare([("a", wrong), ("b", fewer)])
    assert [(row.rule, row.change) for row in comparison.differing] == [("LCK-17", Change.UNTESTED)]
    assert "not tested" in Page(comparison_page(comparison)).text


def test_results_are_read_as_they_were_written(wrong: Results, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(wrong.text())
    assert read_results(tmp_path / "r.json") == wrong


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not JSON"),
        ("[]", "not results of mq-conform run --json"),
        ('{"version": 2}', "results of version 2; this program reads version 1"),
        ('{"version": 1, "seed": "x"}', "not results of mq-conform run --json"),
        ('{"seed": 1}', "target is missing"),
    ],
)
def test_other_files_are_refused(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(text)
    with pytest.raises(BadInputError) as caught:
        read_results(tmp_path / "r.json")
    assert said in str(caught.value)
    assert str(tmp_path / "r.json") in str(caught.value)


def test_the_report_is_written_at_the_end(tmp_path: Path) -> None:
    Runner(target_of(Server), Options(), [HtmlReport(tmp_path / "r.html")]).run(CHECKS[:1])
    assert "<!doctype html>" in (tmp_path / "r.html").read_text()
