"""The suite's sensitivity: deliberately wrong queue managers are wrong and caught, and the broken rule is named."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.checks.check import Check
from conformance.checks.rig import Budget
from conformance.checks.selection import all_checks
from conformance.cli import main
from conformance.reports.sensitivity import as_json, as_markdown, rows_of
from conformance.sensitivity import sharpness as sensitivity
from conformance.sensitivity.miniatures import (
    PROGRAMS,
    Program,
    WrongOne,
    parse_miniatures,
    read_miniatures,
    read_wrong_ones,
)
from conformance.sensitivity.patches import Patch
from conformance.sensitivity.sharpness import Caught, Traces, is_sharp_enough, judge, measure, sample
from fixtures.miniatures import MINIATURES, Miniature
from oracle.errors import BadInputError, UsageError
from oracle.examples.rule_examples import examples
from oracle.model.groups import get_groups, put_groups
from oracle.mqi.constants import MQMF, MQRC
from oracle.rules import catalogue
from oracle.serve import Server
from tests.conformance.conftest import play, rig_of

FOLDER = Path(__file__).parents[2] / "fixtures" / "miniatures"
SCENARIOS = tuple(check for check in all_checks() if check.kind == "scenario")

NO_MINIATURE: set[str] = set()
"""Areas of the catalogue that calls can show and for which no miniature breaks a rule."""

CI_SAMPLE = {"distributed": 8, "zos": 1, "program": 1}
"""How many of each kind are judged as a user would see them; where there is one of a kind, it is not worth a trace."""

MEASURED = {
    row["name"]: row
    for row in json.loads((FOLDER.parents[1] / "docs" / "sensitivity.json").read_text(encoding="utf-8"))["miniatures"]
}
"""What the last measurement of the suite says of each wrong queue manager."""

SOON = 9_000
"""The requests within which the suite catches most; to play the meetings and examples after them takes a minute.

Those that it catches later are shown to be caught by a check of their rules, like all.
"""

TABLES = {
    "Table 1": ("ACT-01", "ACT-02", "ACT-03"),
    "Table 2": ("LOG-15", "LOG-16", "LOG-17", "LOG-18", "LOG-19"),
    "Table 3": ("LOG-35", "LOG-36", "LOG-37", "LOG-38", "LOG-39", "LOG-40"),
    "put table": tuple(row.rule for row in put_groups.PUT_TABLE),
}
"""The rules that are the rows of the documents' tables; the fourth row of Table 1 forbids nothing (ACT-04)."""

GOOD = """
area: GST
miniatures:
  - name: last_in_group_not_told
    wrong: GroupStatus does not tell of the last message.
    rules: [GST-01]
    at: oracle.model.groups.get_groups:group_status
    replace: return MQGS.LAST_MSG_IN_GROUP
    by: return MQGS.MSG_IN_GROUP
"""


def kind_of(wrong: WrongOne) -> str:
    """Return the platform of a miniature, or that it is a program."""
    return wrong.platform if isinstance(wrong, Miniature) else "program"


def checks_about(miniature: Miniature) -> tuple[Check, ...]:
    """Return the examples and scenarios of the rules that a miniature breaks."""
    return tuple(check for check in SCENARIOS if set(check.rules) & set(miniature.rules))


@pytest.mark.parametrize("name", MINIATURES)
def test_every_miniature_is_really_wrong_and_a_check_of_its_rules_names_one(name: str) -> None:
    miniature = MINIATURES[name]
    caught = judge(miniature, checks_about(miniature), None, Budget.QUICK)
    assert caught.check, caught
    assert caught.rule in miniature.rules
    assert caught.trouble == "", "the change makes the model break down instead of being wrong"


def is_caught_soon(wrong: WrongOne) -> bool:
    """Return whether a wrong queue manager was caught soon when it was measured; a new one counts as such."""
    return wrong.name not in MEASURED or MEASURED[wrong.name]["steps"] < SOON


def test_a_sample_is_caught_by_the_suite_as_a_user_runs_it() -> None:
    soon = [each for each in read_wrong_ones(FOLDER) if is_caught_soon(each)]
    kinds = {kind: [each for each in soon if kind_of(each) == kind] for kind in CI_SAMPLE}
    chosen = [one for kind, count in CI_SAMPLE.items() for one in sample(kinds[kind], count, seed=10)]
    known = {"distributed": Traces("distributed"), "zos": None, "program": None}
    rows = [judge(wrong, all_checks(), known[kind_of(wrong)], Budget.QUICK) for wrong in chosen]
    assert [row.miniature.name for row in rows if not row.check] == []
    assert len(rows) == 10


def test_a_check_that_is_answered_as_by_the_model_counts_as_if_it_had_been_carried_out() -> None:
    miniature = MINIATURES["starts_in_the_middle"]
    checks = SCENARIOS[-300:-200] + checks_about(miniature)[:3]
    known = Traces("distributed")
    traced = [trace for trace in map(known.of, checks) if trace is not None]
    assert any(miniature.goes_as(trace.talk) for trace in traced)
    one, other = (judge(miniature, checks, each, Budget.QUICK) for each in (known, None))
    assert (one.check, one.rule, one.steps) == (other.check, other.rule, other.steps)


def test_there_are_miniatures_for_every_area_that_calls_can_show() -> None:
    areas = {example.rule[:3] for example in examples() if catalogue.rule(example.rule).observed_by}
    broken = {rule[:3] for miniature in MINIATURES.values() for rule in miniature.rules}
    assert areas - broken == NO_MINIATURE
    assert len(MINIATURES) >= 150


@pytest.mark.parametrize("table", TABLES)
def test_there_is_a_miniature_for_every_row_of_the_tables(table: str) -> None:
    broken = {rule for miniature in MINIATURES.values() for rule in miniature.rules}
    assert set(TABLES[table]) - broken == set()


def test_no_two_miniatures_make_the_same_change() -> None:
    changes = [(each.platform, each.change.place, each.change.replace, each.change.by) for each in MINIATURES.values()]
    assert [change for change in changes if changes.count(change) > 1] == []


def test_a_miniature_leaves_the_oracle_as_it_is() -> None:
    text = "h = open Q INPUT_SHARED+OUTPUT; put h m1; put h m2 Priority=5; get h"
    assert play(text, MINIATURES["priority_ignored"].server).departure is not None
    assert play(text, Server).departure is None


def test_a_miniature_of_a_table_leaves_what_was_cached_of_it_as_it_is() -> None:
    text = "h = open Q OUTPUT; put h s1 LOGICAL_ORDER MsgFlags=SEGMENT; put h s2 LOGICAL_ORDER MsgFlags=LAST_SEGMENT"
    assert play(text, Server).departure is None
    assert play(text, MINIATURES["first_segment_without_group_id"].server).departure is not None
    assert play(text, Server).departure is None


def test_a_patch_reaches_a_function_a_property_and_a_table_and_lets_them_go_again() -> None:
    with Patch("oracle.model.groups.get_groups:group_status", "MQGS.LAST_MSG_IN_GROUP", "MQGS.MSG_IN_GROUP").applied():
        assert get_groups.group_status(MQMF.LAST_MSG_IN_GROUP) == "G"
    assert get_groups.group_status(MQMF.LAST_MSG_IN_GROUP) == "L"
    table = put_groups.PUT_TABLE
    with Patch(
        "oracle.model.groups.put_groups:PUT_TABLE", '"previous", "one", "next"', '"previous", "one", "zero"'
    ).applied():
        assert put_groups.PUT_TABLE[3].offset == "zero"
    assert put_groups.PUT_TABLE is table
    text = "h = open Q INPUT_SHARED+OUTPUT; put h m1; put h m2 Priority=5; get h -> m1"
    with Patch("oracle.model.messages.messages:Message.position", "-self.rank", "0").applied():
        assert play(text, Server).departure is None
    assert play(text.replace("m1", "m2", 1), Server).exchanges[-1].reply["DataLength"] == 2


def test_a_patch_reaches_what_other_modules_have_cached_of_its_place() -> None:
    text = "h = open Q INPUT_SHARED+BROWSE; get h SYNCPOINT+NO_SYNCPOINT"
    patch = Patch(
        "oracle.model.requests.option_matrix:broken_rules", "for exclusion in EXCLUSIONS:", "for exclusion in ():"
    )
    summaries = Patch(
        "oracle.model.requests.option_matrix:SUMMARIES", "MQGMO.SYNCPOINT | MQGMO.NO_SYNCPOINT", "MQGMO.SYNCPOINT"
    )
    assert _reason(text) == MQRC.OPTIONS_ERROR
    with patch.applied(), summaries.applied():
        assert _reason(text) == MQRC.NO_MSG_AVAILABLE
    assert _reason(text) == MQRC.OPTIONS_ERROR


def _reason(text: str) -> int:
    """Return the reason of the last call, whatever the oracle says about it."""
    reason: int = play(text, Server).exchanges[-1].reply["Reason"]
    return reason


@pytest.mark.parametrize(
    ("place", "replace", "told"),
    [
        ("oracle.model.nowhere:commit", "x", "no module oracle.model.nowhere"),
        ("oracle.model.units.units:comit", "x", "there is no comit"),
        ("oracle.model.state:State.deep", "x", "there is no deep"),
        ("oracle.model.units.units:commit", "no such text", "stands there 0 times"),
        ("oracle.model.units.units:commit", "message", "times, not once"),
        ("oracle.model.state:State", "x", "neither a function nor a table"),
        ("os:getcwd", "x", "only modules of the package oracle"),
    ],
)
def test_a_patch_without_its_target_is_an_error(place: str, replace: str, told: str) -> None:
    with pytest.raises(BadInputError, match=told), Patch(place, replace, "y").applied():
        pass


def test_a_patch_that_was_applied_goes_to_another_process() -> None:
    patch = Patch("oracle.model.groups.get_groups:group_status", "MQGS.LAST_MSG_IN_GROUP", "MQGS.MSG_IN_GROUP")
    with patch.applied():
        pass
    other = pickle.loads(pickle.dumps(patch))
    assert other == patch
    with other.applied():
        assert get_groups.group_status(MQMF.LAST_MSG_IN_GROUP) == "G"


def test_a_patch_that_is_no_python_is_an_error() -> None:
    with (
        pytest.raises(BadInputError, match="is not valid Python there"),
        Patch("oracle.model.groups.get_groups:group_status", "return MQGS.LAST_MSG_IN_GROUP", "return (").applied(),
    ):
        pass


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("area: GST", "area: LCK"), "bad.yaml:.*first rule of last_in_group_not_told is GST-01"),
        (("[GST-01]", "[GST-99]"), "no rule 'GST-99'"),
        (("[GST-01]", "[]"), "bad.yaml:6: miniatures.0.rules"),
        (("wrong: Group", "wrong: group"), "bad.yaml:5: miniatures.0.wrong"),
        (("    by: return MQGS.MSG_IN_GROUP\n", ""), "miniatures.0.by"),
        (("at: oracle", "in: oracle"), "miniatures.0"),
        (("area: GST", "area: [GST"), "not YAML"),
    ],
)
def test_a_file_with_errors_is_refused_with_the_place(change: tuple[str, str], told: str) -> None:
    assert len(parse_miniatures(GOOD, "good.yaml")) == 1
    with pytest.raises(BadInputError, match=told):
        parse_miniatures(GOOD.replace(*change), "bad.yaml")


def test_a_folder_without_miniatures_or_with_a_name_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there are no miniatures"):
        read_miniatures(tmp_path)
    for name in ("one.yaml", "two.yaml"):
        (tmp_path / name).write_text(GOOD, encoding="utf-8")
    with pytest.raises(BadInputError, match=r"two.yaml.*defined twice"):
        read_miniatures(tmp_path)


LISTED = """
run_in: ..
programs:
  - name: forgets_everything
    wrong: No message is ever found.
    rules: [DLV-05]
    command: python forgetful.py
"""


def test_the_programs_of_a_folder_are_measured_too_where_their_command_runs(tmp_path: Path) -> None:
    (tmp_path / "few").mkdir()
    (tmp_path / "few" / "gst.yaml").write_text(GOOD, encoding="utf-8")
    (tmp_path / "few" / PROGRAMS).write_text(LISTED, encoding="utf-8")
    answers = """if True:
        import json, sys
        for line in sys.stdin:
            seq, op = json.loads(line)["seq"], json.loads(line)["op"]
            hello = {"protocol": 1, "implementation": {"name": "forgetful", "version": "1"}, "platform": "distributed"}
            hello |= {"features": ["core"], "clock": "virtual"}
            reply = {"CompCode": 0, "Reason": 0, "Hobj": 1} if op == "call" else {"ok": True}
            if json.loads(line).get("verb") == "MQGET":
                reply = {"CompCode": 2, "Reason": 2033}
            print(json.dumps({"seq": seq, **(hello if op == "hello" else reply)}), flush=True)
    """
    (tmp_path / "forgetful.py").write_text(answers, encoding="utf-8")
    program = read_wrong_ones(tmp_path / "few")[-1]
    assert (program.name, program.rules) == ("forgets_everything", ("DLV-05",))
    about = tuple(check for check in SCENARIOS if "DLV-05" in check.rules)
    assert judge(program, about, None, Budget.QUICK).rule == "DLV-05"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("DLV-05", "DLV-99"), "no rule 'DLV-99'"),
        (("    command: python forgetful.py\n", ""), "programs.yaml:4: programs.0.command"),
        (("forgets_everything", "last_in_group_not_told"), "programs.yaml: last_in_group_not_told is defined twice"),
    ],
)
def test_a_file_of_programs_with_errors_is_refused_with_the_place(
    tmp_path: Path, change: tuple[str, str], told: str
) -> None:
    (tmp_path / "gst.yaml").write_text(GOOD, encoding="utf-8")
    (tmp_path / PROGRAMS).write_text(LISTED.replace(*change), encoding="utf-8")
    with pytest.raises(BadInputError, match=told):
        read_wrong_ones(tmp_path)


def test_the_sample_is_the_same_for_the_same_seed() -> None:
    every = list(read_wrong_ones(FOLDER))
    assert {type(each) for each in every} == {Miniature, Program}
    assert sample(every, 5, seed=1) == sample(every, 5, seed=1)
    assert sample(every, 5, seed=1) != sample(every, 5, seed=2)
    assert len(sample(every, 5, seed=1)) == 5
    assert sample(every, None, seed=1) == sample(every, 10**6, seed=1) == tuple(every)


def test_a_table_that_was_begun_is_gone_on_with(tmp_path: Path) -> None:
    one, other, third = list(MINIATURES.values())[:3]
    rows = [
        Caught(one, "lock/a", one.rules[0], 12, 0.25, Budget.QUICK),
        Caught(third, steps=9, misnamed="lock/a: LCK-01"),
    ]
    path = tmp_path / "table.json"
    path.write_text(as_json(rows, Budget.QUICK, 3), encoding="utf-8")
    assert rows_of(path, [one, other, third], Budget.QUICK, 3) == rows
    assert rows_of(path, [replace(one, rules=("LCK-01",))], Budget.QUICK, 3) == []
    with pytest.raises(BadInputError, match="measured with --budget quick --seed 3"):
        rows_of(path, [one], Budget.QUICK, 4)
    path.write_text("[]", encoding="utf-8")
    with pytest.raises(BadInputError, match=r"table.json: it is not a table"):
        rows_of(path, [one], Budget.QUICK, 3)


def test_a_greater_budget_goes_on_with_what_a_lesser_one_did_not_catch(tmp_path: Path) -> None:
    one, other = list(MINIATURES.values())[:2]
    rows = [Caught(one, "lock/a", one.rules[0], 12, 0.25, Budget.QUICK), Caught(other, steps=9)]
    path = tmp_path / "table.json"
    path.write_text(as_json(rows, Budget.QUICK, 0), encoding="utf-8")
    assert rows_of(path, [one, other], Budget.STANDARD, 0) == rows[:1]
    path.write_text(as_json(rows, Budget.STANDARD, 0), encoding="utf-8")
    assert rows_of(path, [one, other], Budget.STANDARD, 0) == rows
    with pytest.raises(BadInputError, match="measured with --budget standard"):
        rows_of(path, [one, other], Budget.QUICK, 0)


def test_the_command_goes_on_from_its_own_file(tmp_path: Path) -> None:
    (tmp_path / "gst.yaml").write_text(GOOD, encoding="utf-8")
    (only,) = read_miniatures(tmp_path)
    table = tmp_path / "table.json"
    row = Caught(only, "groups/known", "GST-01", 7, 0.5, Budget.QUICK)
    table.write_text(as_json([row], Budget.QUICK, 0), encoding="utf-8")
    arguments = ["sensitivity", "--miniatures", str(tmp_path), "--resume"]
    result = CliRunner().invoke(main, [*arguments, "--json", str(table)])
    assert result.exit_code == 0
    assert "groups/known" in result.stdout
    assert CliRunner().invoke(main, arguments).exit_code == 2


def test_the_tables_for_people_and_programs_tell_what_was_not_caught() -> None:
    one, other = list(MINIATURES.values())[:2]
    rows = [Caught(one, "lock/a", one.rules[0], 12, 0.25, Budget.STANDARD), Caught(other, steps=900)]
    page, document = as_markdown(rows, Budget.STANDARD, 3), json.loads(as_json(rows, Budget.STANDARD, 3))
    assert f"| `{one.name}` | {one.wrong} | `lock/a` | {one.rules[0]} | 12 | 0.2 | standard |" in page
    assert "**not caught**" in page
    assert "Of 2 wrong queue managers 0 at quick and 1 at standard are caught" in page
    assert "Caught 1 by scenarios; half of them within 12 steps" in page
    assert "\n0 of them an earlier check had found wrong already" in page
    assert (document["budget"], document["seed"], document["caught"]) == ("standard", 3, {"quick": 0, "standard": 1})
    assert [each["check"] for each in document["miniatures"]] == ["lock/a", None]


def test_quick_promises_95_in_100_and_standard_all() -> None:
    miniature = next(iter(MINIATURES.values()))
    soon, late = (Caught(miniature, "x/y", miniature.rules[0], budget=each) for each in (Budget.QUICK, Budget.STANDARD))
    rows = [soon] * 95 + [Caught(miniature)] * 5
    assert is_sharp_enough(rows, Budget.QUICK)
    assert not is_sharp_enough(rows, Budget.STANDARD)
    assert not is_sharp_enough([*rows, Caught(miniature)], Budget.QUICK)
    assert is_sharp_enough([soon] * 95 + [late] * 5, Budget.STANDARD)
    assert not is_sharp_enough([soon] * 94 + [late] * 6, Budget.STANDARD)


def test_several_are_judged_side_by_side_each_by_the_least_budget(tmp_path: Path) -> None:
    (tmp_path / "gst.yaml").write_text(GOOD, encoding="utf-8")
    (only,) = read_miniatures(tmp_path)
    (row,) = measure(tmp_path, [only], Budget.STANDARD, jobs=2)
    assert (row.miniature, row.budget) == (only, Budget.QUICK)
    assert row.rule in only.rules


def test_what_quick_does_not_catch_is_judged_by_standard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gst.yaml").write_text(GOOD, encoding="utf-8")
    tried: list[Budget] = []

    def judged(wrong: WrongOne, checks: object, known: object, budget: Budget, seed: int) -> Caught:
        tried.append(budget)
        return Caught(wrong, "machine/x", "GST-01", budget=budget) if budget is Budget.STANDARD else Caught(wrong)

    monkeypatch.setattr(sensitivity, "judge", judged)
    (row,) = measure(tmp_path, read_miniatures(tmp_path), Budget.DEEP)
    assert tried == [Budget.QUICK, Budget.STANDARD]
    assert row.budget is Budget.STANDARD
    (row,) = measure(tmp_path, read_miniatures(tmp_path), Budget.QUICK)
    assert (row.check, row.budget) == ("", None)


def test_what_a_check_blames_otherwise_is_told() -> None:
    miniature = replace(MINIATURES["lock_survives_unlock"], rules=("PRI-03",))
    caught = judge(miniature, checks_about(MINIATURES["lock_survives_unlock"]), None, Budget.QUICK)
    assert (caught.check, caught.budget) == ("", None)
    assert caught.misnamed.partition(" names ")[2].startswith("LCK-")


def test_the_command_refuses_a_folder_without_miniatures(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["sensitivity", "--miniatures", str(tmp_path)])
    assert result.exit_code == 2
    assert "there are no miniatures in" in result.stderr


def test_the_command_refuses_a_change_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "gst.yaml").write_text(GOOD.replace("groups:group_status", "groups:gone"), encoding="utf-8")
    result = CliRunner().invoke(main, ["sensitivity", "--miniatures", str(tmp_path)])
    assert result.exit_code == 2
    assert "there is no gone" in result.stderr


def test_a_miniature_can_be_served_as_a_child_process() -> None:
    command = [sys.executable, "-m", "fixtures.miniatures"]
    root = Path(__file__).parents[2]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    assert set(MINIATURES) == {line.partition(":")[0] for line in listed.splitlines()}
    requests = '{"seq":1,"op":"hello","protocol":1}\n{"seq":2,"op":"bye"}\n'
    served = subprocess.run(
        [*command, "splits_on_zos"], cwd=root, input=requests, check=True, capture_output=True, text=True
    ).stdout
    assert '"platform":"zos"' in served.splitlines()[0]
    assert '"seq":2' in served.splitlines()[1]


def test_the_shortest_counterexample_of_a_simple_miniature_is_short() -> None:
    for name in ("priority_ignored", "lock_survives_unlock"):
        found = [check.perform(rig_of(MINIATURES[name].server)) for check in checks_about(MINIATURES[name])]
        assert min(len(session.exchanges) for session in found if session is not None) <= 8


def test_where_no_miniatures_are_it_says_what_to_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("conformance.commands.sensitivity._OF_THE_CHECKOUT", tmp_path / "none")
    result = CliRunner().invoke(main, ["sensitivity"])
    assert result.exit_code == 2
    assert "give --miniatures DIR, the folder fixtures/miniatures of a checkout" in result.output
