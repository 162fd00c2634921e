"""Reports of made-up results: the page, JUnit, the terminal, exit statuses, known deviations. None needs Spark."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from rich.console import Console

from oracle.judging.deviations import LogDeviation, Standing
from spark_checks.replay.replayed import Replayed
from spark_checks.reports import gathering, html, junit
from spark_checks.reports.causes import alike, way
from spark_checks.reports.charts import charts_of, depths
from spark_checks.reports.ending import show_ending
from spark_checks.reports.gate import FailOn, Gate
from spark_checks.reports.html import page_of
from spark_checks.reports.results import Courses, Fault, QueueCourse, Results, Slice, summary
from spark_checks.reports.terminal import show_results
from spark_checks.reports.timeline import NARROW, picture
from spark_checks.results.rule_results import RuleResult
from tests.html_page import Page
from tests.spark_checks.sample_results import HOSTILE, RULES, hostile, late, overtaken, results


def known(observed: str = "*after its Expiry had passed.", **members: Any) -> LogDeviation:
    entry: dict[str, Any] = {"rule": "EXP-09", "reason": "an old bug", "review": date(2999, 1, 1), **members}
    return LogDeviation(observed=observed, **entry)


@pytest.fixture(scope="module")
def many() -> Results:
    of_one_consumer = [late(number, f"10.0.0.7:{number}/{number % 9}") for number in range(4_000)]
    of_many_queues = [overtaken(number, f"Q{number}") for number in range(2_500)]
    return results([*of_one_consumer, *of_many_queues])


def test_one_bad_consumer_is_one_row_with_an_exact_count(many: Results) -> None:
    (group,) = [group for group in many.groups if group.cause.rule == "EXP-09"]
    assert group.count == 4_000
    assert (group.connection, group.queue) == ("10.0.0.7:*/*", "ORDERS")
    assert len(group.examples) == gathering.EXAMPLES_OF_A_CAUSE
    assert (group.first_number, group.first_us) == (1, late(0)["calls"][0]["start_us"])
    assert group.last_us == max(late(number)["calls"][-1]["end_us"] for number in (0, 3_999))


def test_what_is_kept_is_limited_and_every_finding_is_counted(many: Results) -> None:
    assert sum(group.count for group in many.groups) == 6_500
    assert len(many.groups) <= gathering.CAUSES + len(RULES)
    assert sum(len(group.examples) for group in many.groups) == gathering.EXAMPLES
    assert len(many.around) <= gathering.EXAMPLES + gathering.FIRST_FINDINGS
    assert len(page_of(many)) < 2_000_000


def test_a_page_says_what_it_does_not_show(many: Results) -> None:
    text = Page(page_of(many)).text
    hidden = many.groups[html.GROUPS_SHOWN :]
    assert f"{len(hidden):,} further causes with {sum(group.count for group in hidden):,} findings" in text
    assert "3,997 more like it" in text


@pytest.mark.parametrize("make", [results, lambda: results([late(7)]), hostile], ids=["none", "one", "hostile"])
def test_a_page_needs_nothing_else_and_runs_nothing(make: Any) -> None:
    page = Page(page_of(make()))
    assert page.open == []
    assert (page.scripts, page.fetched) == (0, [])
    assert page.lost_links == set()


def test_a_page_shows_hostile_texts_as_they_are() -> None:
    page = Page(page_of(hostile()))
    assert page.text.count(HOSTILE) >= 10
    assert "alert" not in " ".join(page.tags)


def test_the_verdict_comes_first_and_findings_before_what_was_not_checked() -> None:
    text = Page(page_of(results([late(1), late(2), overtaken(1)]))).text
    verdict = text.index("2 violations and 1 suspicion of 2 rules.")
    headings = ("Findings by cause", "What was covered", "Queues over time", "Rules that this traffic exercised")
    places = [text.rindex(each) for each in headings]
    assert [verdict, *places] == sorted([verdict, *places])


def test_the_title_has_the_product_the_inputs_and_the_day() -> None:
    made = replace(results(), inputs="monday.jsonl and tuesday")
    title = page_of(made).partition("<title>")[2].partition("</title>")[0]
    assert re.fullmatch(r"mq-audit: monday\.jsonl and tuesday, \d{4}-\d\d-\d\d \d\d:\d\d UTC: .*", title)


def test_identifiers_are_short_with_the_whole_on_hover_and_in_a_button() -> None:
    whole = "414d5120514d312020202020202020200000000000000570"
    text = page_of(results([{**late(7), "msg_id": whole}]))
    assert f'<span class="id" title="{whole}">414d5120…00000570</span>' in text
    assert whole in Page(text).copied


def test_rules_that_were_not_exercised_are_folded() -> None:
    page = page_of(results())
    (rule,) = (rule for rule in results().rules if not rule.exercised)
    folded = page.partition("1 rule was not exercised by this traffic")[2]
    assert f'<li data-row id="{rule.result.rule}">' in folded.partition("</details>")[0]
    assert page.count(f'id="{rule.result.rule}"') == 1


def test_a_page_is_drawn_for_a_desk_and_for_a_telephone_and_calls_are_labelled() -> None:
    text = page_of(results([late(7)]))
    assert text.count('<svg class="wide"') == text.count('<svg class="narrow"') > 0
    assert text.count('class="call"') == 4
    (finding,) = results([late(7)]).groups[0].examples
    drawn = picture(finding, width=NARROW)
    assert all(bar.x >= 0 and bar.x + bar.width <= NARROW for bar in drawn.bars)


def test_a_page_without_findings_says_what_was_checked() -> None:
    text = Page(page_of(results())).text
    assert "No violation found; 3 rules were checked." in text
    assert "3 rules were checked, 1 could not be, and 1 rule was not exercised." in text
    assert "Findings by cause" not in text
    assert "add the queues' definitions" in text
    assert "complete, depth" in text


def test_where_nothing_could_be_checked_that_is_the_verdict() -> None:
    unchecked = results(rules=[RuleResult("PRI-04", 0, 0, 0, 5, ("queue",))])
    assert "Nothing was tested: 1 rule could not be checked with this log." in Page(page_of(unchecked)).text


def test_nothing_tested_is_said_first_and_is_no_success() -> None:
    unchecked = results(rules=[RuleResult("PRI-04", 0, 0, 0, 5, ("queue",))])
    unused = results(rules=[RuleResult("PRI-04", 0, 0, 0, 0, ())])
    assert shown(unchecked).startswith("Nothing was tested: 1 rule could not be checked with this log\n")
    assert shown(unused).startswith("Nothing was tested: no rule was exercised\n")
    for made in (unchecked, unused):
        assert [Gate(fail_on).exit_status(made) for fail_on in (FailOn.NEVER, FailOn.VIOLATION)] == [2, 2]
        assert Gate(allow_empty=True).exit_status(made) == 0
    assert Gate(FailOn.UNDECIDED).exit_status(unchecked) == 1


def test_an_audit_ends_with_the_verdict_the_report_and_the_next_command(capsys: pytest.CaptureFixture[str]) -> None:
    show_ending(results(), Path("my report"), [Path("a.pcap")])
    assert capsys.readouterr().out.splitlines() == [
        "Verdict: no violation found; 3 rules were checked",
        f"Report: {Path('my report') / 'report.html'}",
        "Next: mq-audit inspect a.pcap",
    ]
    show_ending(results([late(1)]), Path("my report"), [Path("a.pcap")])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Verdict: 1 violation of 1 rule"
    assert lines[-1] == "Next: mq-audit show 'my report' --finding 1"


def test_a_page_tells_what_the_oracle_followed() -> None:
    replayed = Replayed(700, {"a call that <failed>": 9}, {"unknown contents": 2}, {"EXP-23": 31, "LCK-12": 40})
    text = Page(page_of(results(replayed=replayed))).text
    assert "700 calls on queues were replayed on the model" in text
    assert "9 calls were skipped in the replay: 9: a call that <failed>" in text
    assert "2 queues were not replayed: 2: unknown contents" in text
    assert "40 calls that were replayed depended on it." in text
    assert "replayed on the model" not in Page(page_of(results())).text


def test_a_finding_is_drawn_with_its_sentence_rule_and_source() -> None:
    page = Page(page_of(results([late(7)])))
    assert "MQGET by connection 10.0.0.7:4711/1 returned a message 7.5 seconds after" in page.text
    assert "IBM MQ 9.2, MQMD, Expiry (MQLONG), paragraph on expired messages" in page.text
    assert page.tags.count("rect") == 2 * 4
    assert "day.jsonl:14" in page.text


def test_a_picture_keeps_order_overlap_and_connections() -> None:
    made = results([overtaken(1)])
    (finding,) = made.groups[0].examples
    drawn = picture(finding)
    bars = {bar.number: bar for bar in drawn.bars}
    assert [bars[number].x for number in (1, 2, 3, 4)] == sorted(bars[number].x for number in (1, 2, 3, 4))
    assert bars[3].x + bars[3].width > bars[4].x, "the gets overlap"
    assert bars[1].x + bars[1].width <= bars[2].x, "the puts do not"
    assert [lane.name for lane in drawn.lanes] == ["web", "billing"]
    assert bars[1].y == bars[2].y != bars[3].y == bars[4].y
    assert all(bar.x >= 0 and bar.x + bar.width <= drawn.width for bar in drawn.bars)


def test_sentences_of_one_cause_are_told_alike() -> None:
    one, other = late(1, "app/1"), late(2, "app/22")
    ways = {way(each["explanation"], [call["conn"] for call in each["calls"]]) for each in (one, other)}
    assert ways == {"MQGET by connection * returned a message * seconds after its Expiry had passed."}
    assert way("MQPUT by P got MQRC_2", ["P", ""]) == "MQPUT by * got MQRC_2"
    assert alike("AMQ.5F3A66C120016E02") == alike("AMQ.5F3A66C120017B44") == "AMQ.*"
    assert alike("BACKBONE") == "BACKBONE"


def test_depth_follows_puts_and_gets_from_what_is_known() -> None:
    slices = (Slice(0, 2, None, None, None, None), Slice(3, -5, None, None, None, None))
    courses = Courses(1_000, 10, ())
    assert depths(courses, QueueCourse("QM1", "Q", 7, slices)) == [(-1, 3), (0, 5), (3, 0)]
    assert depths(courses, QueueCourse("QM1", "Q", 7, slices, (0, 9))) == [(-1, 9), (0, 11), (3, 6)]
    assert depths(courses, QueueCourse("QM1", "Q", 7, slices, (1_020, 9))) == [(-1, 7), (0, 9), (3, 4)]


def test_a_queue_without_expiry_has_no_chart_of_it() -> None:
    course = QueueCourse("QM1", "Q", 7, (Slice(0, 2, 5, 9, None, None),))
    titles = [chart.title for chart in charts_of(Courses(0, 10, (course,)), course).charts]
    assert [title.split()[0] for title in titles] == ["Committed", "Age"]


def cases_of(made: Results, fail_on: FailOn = FailOn.VIOLATION) -> dict[str, str]:
    """Return how each test case of the JUnit report ended."""
    suite = ET.fromstring(junit.document(made, Gate(fail_on))).find("testsuite")
    assert suite is not None
    cases = {case.get("name", "")[:6]: next(iter(case), None) for case in suite.findall("testcase")}
    for count, tag in (("failures", "failure"), ("skipped", "skipped")):
        assert suite.get(count) == str(sum(child is not None and child.tag == tag for child in cases.values()))
    return {
        name: "passed" if child is None or child.tag == "system-out" else child.tag for name, child in cases.items()
    }


@pytest.mark.parametrize(
    ("fail_on", "status", "failed"),
    [
        (FailOn.NEVER, 0, set()),
        (FailOn.VIOLATION, 1, {"EXP-09"}),
        (FailOn.SUSPICION, 1, {"EXP-09", "PRI-04"}),
        (FailOn.UNDECIDED, 1, {"EXP-09", "PRI-04", "DLV-03"}),
    ],
)
def test_junit_fails_where_the_exit_status_does(fail_on: FailOn, status: int, failed: set[str]) -> None:
    made = results([late(1), overtaken(1)])
    assert Gate(fail_on).exit_status(made) == status
    cases = cases_of(made, fail_on)
    assert {rule for rule, ended in cases.items() if ended == "failure"} == failed
    assert cases["DLV-01"] == "passed"
    assert cases["DLV-03"] in ("skipped", "failure")


@pytest.mark.parametrize(
    ("unreadable", "percent", "fails"),
    [(0, 0, 0), (1, 0, 1), (1, 5, 0), (1_315, 5, 0), (1_316, 5, 1), (300_000, 5, 1), (300_000, 100, 0)],
)
def test_a_log_of_which_much_cannot_be_read_fails(unreadable: int, percent: float, fails: int) -> None:
    made = results(unreadable=unreadable, faults=(Fault("day.jsonl", 3, "not a line of JSON"),))
    assert Gate(unreadable_percent=percent).exit_status(made) == fails
    suite = ET.fromstring(junit.document(made, Gate(unreadable_percent=percent))).find("testsuite")
    assert suite is not None
    case = suite.find("testcase[@name='records read']")
    assert case is not None
    assert suite.get("failures") == str(fails)
    told = [(each.tag, each.text or "") for each in case]
    assert [tag for tag, _ in told] == (["failure"] if fails else ["system-out"] if unreadable else [])
    assert all(f"{unreadable:,} of {25_000 + unreadable:,} records could not be read" in text for _, text in told)
    assert all("day.jsonl:3: not a line of JSON" in text for _, text in told)
    assert Gate(FailOn.NEVER, percent).exit_status(made) == 0


def test_a_damaged_record_is_told_plainly_and_fails_no_day() -> None:
    faults = (Fault("day.jsonl", 3, "not a line of JSON"), Fault("notes.txt", None, "no log"))
    made = results(unreadable=2, faults=faults)
    assert Gate().exit_status(made) == 0
    assert "2 of 25,002 records could not be read" in Page(page_of(made)).text
    text = shown(made)
    assert "2 of 25,002 records could not be read, so the audit does not treat the log as complete" in text
    assert "  day.jsonl:3: not a line of JSON\n  notes.txt: no log\n" in text
    assert "unreadable.jsonl" not in text


def test_damage_that_is_not_shown_and_copies_are_told() -> None:
    text = shown(results(unreadable=4, copies=2, faults=(Fault("day.jsonl", 3, "no"),) * 4))
    assert text.count("  day.jsonl:3: no\n") == 3
    assert "  all of them are in unreadable.jsonl of the report\n" in text
    assert "2 records are copies of others: each call counts once\n" in text


def test_junit_holds_what_xml_cannot() -> None:
    assert cases_of(hostile())["EXP-09"] == "failure"


def test_a_suspicion_alone_fails_only_if_asked() -> None:
    made = results([overtaken(1)])
    assert [Gate(fail_on).exit_status(made) for fail_on in (FailOn.VIOLATION, FailOn.SUSPICION)] == [0, 1]


def test_a_known_finding_is_counted_shown_and_no_failure() -> None:
    made = results([late(1), late(2), overtaken(3)], [known()])
    assert Gate().exit_status(made) == 0
    assert [(entry.standing, entry.findings) for entry in made.known] == [(Standing.OCCURS, 2)]
    told = summary(made)
    assert (told["violations"], told["suspicions"], told["known"]) == (0, 1, 2)
    assert cases_of(made)["EXP-09"] == "passed"
    text = Page(page_of(made)).text
    assert ", 2 known findings" in text
    assert "an old bug" in text
    assert text.index("Known deviations") < text.index("2 violations, known")


def test_what_is_shown_first_is_new_then_worse_then_more_frequent() -> None:
    rows = [late(1), overtaken(5, "OTHER"), *(overtaken(number) for number in (2, 3, 4)), late(6, queue="LAST")]
    made = results(rows, [known(queue="ORDERS")])
    assert [(group.cause.rule, group.queue, group.excused_by is None) for group in made.groups] == [
        ("EXP-09", "LAST", True),
        ("PRI-04", "ORDERS", True),
        ("PRI-04", "OTHER", True),
        ("EXP-09", "ORDERS", False),
    ]


@pytest.mark.parametrize(
    "entry",
    [
        known("*in another way*"),
        known(queue="OTHER*"),
        known(qmgr="QM2"),
        known(rule="PRI-04"),
    ],
    ids=["another way", "another queue", "another queue manager", "another rule"],
)
def test_what_an_entry_does_not_state_is_not_excused(entry: LogDeviation) -> None:
    made = results([late(1)], [entry])
    assert Gate().exit_status(made) == 1
    assert made.excused == 0


def test_an_entry_that_no_longer_occurs_is_stale_and_a_failure() -> None:
    made = results([overtaken(1)], [known()])
    assert [entry.standing for entry in made.known] == [Standing.STALE]
    assert Gate().exit_status(made) == 1
    assert "failure" in cases_of(made).values()
    assert "1 known deviation no longer occurs" in Page(page_of(made)).text


def test_an_entry_that_this_log_could_not_show_says_nothing() -> None:
    made = results([], [known(queue="ELSEWHERE"), known(rule="DLV-03")])
    assert [entry.standing for entry in made.known] == [Standing.NOT_TRIED, Standing.NOT_TRIED]
    assert Gate().exit_status(made) == 0


def shown(made: Results, *, all_rules: bool = False) -> str:
    console = Console(file=io.StringIO(), width=200)
    show_results(made, console, all_rules=all_rules)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_terminal_shows_rules_with_findings_the_worst_first_and_counts_the_rest() -> None:
    text = shown(results([overtaken(1), late(1)]))
    assert text.index("EXP-09") < text.index("PRI-04")
    assert "DLV-0" not in text
    assert "1 rule conforms, 1 rule is not checkable, 1 rule was not exercised (--all-rules shows them)" in text
    assert "1 violation, 1 suspicion" in text


def test_the_terminal_shows_all_rules_if_asked() -> None:
    text = shown(results(), all_rules=True)
    assert all(rule.rule in text for rule in RULES)
    assert "--all-rules" not in text


def test_a_finding_of_a_rule_without_coverage_is_not_lost() -> None:
    made = results([late(1)], rules=())
    assert Gate().exit_status(made) == 1
    assert "EXP-09" in shown(made)
