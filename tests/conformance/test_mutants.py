"""The mutants of the model: the changes, the checks that notice them, and those that are already judged."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from bench import mutants as hunting
from bench.mutants import Hunt, Mutant, judged, mutants
from bench.mutations import mutations
from conformance.checks.selection import all_checks
from conformance.sensitivity.patches import Patch
from oracle.text.yaml_files import parse_yaml, read_text

SOURCE = """
LIMITS = (1, 2)

def full(state, queue):
    '''What it says.'''
    if state.depth >= queue.most and not queue.free:
        step.because("DEP-06")
        queue.count += 1
        return True
    return any(x for x in queue if x.kept)

def rules_of(queue):
    return ("DEP-06",) if queue.full else ()
"""

CHECKS = [check for check in all_checks() if check.id.startswith(("example/DEP-06", "segmentation/"))]


def changes(place: str) -> set[tuple[str, str]]:
    return {(each.replace.strip(), each.by.strip()) for each in mutations(SOURCE) if each.place == place}


def test_the_operators_change_conditions_statements_and_values() -> None:
    whole = "state.depth >= queue.most and not queue.free"
    assert {
        (whole, "True"),
        (whole, "False"),
        (whole, "(not queue.free)".replace("(not", "((not").replace("free)", "free))")),
        (whole, "((state.depth >= queue.most))"),
        ("state.depth >= queue.most", "state.depth > queue.most"),
        ("not queue.free", "bool(queue.free)"),
        ("queue.count += 1", "pass"),
        ("any", "all"),
        ("x.kept", "True"),
    } <= changes("full")
    assert {("(1, 2)", "(1,)"), ("(1, 2)", "(2,)"), ("2", "3")} <= changes("LIMITS")


def test_what_only_notes_rules_is_left_alone() -> None:
    assert changes("rules_of") == set()
    assert not any("because" in replace and "DEP-06" not in by for replace, by in changes("full"))


def test_nearly_every_mutant_of_the_model_can_be_made() -> None:
    every = list(mutants("oracle.model.limits"))
    assert len(every) > 50
    assert [each.patch for each in every if not each.can_be_made()] == []


def test_a_mutant_is_met_where_it_stands_and_noticed_by_what_departs() -> None:
    every = list(mutants("oracle.model.put.split_checks"))
    hunt = Hunt(every, CHECKS)
    states = {(each.patch.place.partition(":")[2], each.patch.by): hunt.state(each) for each in every}
    assert (
        states["_too_big", "length >= request.queue.definition.max_msg_length"] == "segmentation/too-big-for-one-of-two"
    )
    assert states["_too_big", "length >= step.state.definition.max_msg_length"] == "not noticed"
    nowhere = Mutant(Patch("oracle.model.channels:_", "a", "b"), "", "", frozenset({("no file", 1)}))
    assert hunt.state(nowhere) == "never met"


def test_what_was_judged_is_still_a_mutant_and_says_why() -> None:
    known = judged()
    modules = {patch.place.partition(":")[0] for patch in known}
    assert known <= {each.patch for module in modules for each in mutants(module)}
    entries = parse_yaml(read_text(hunting.JUDGED), "mutants.yaml", hunting.JudgedFile).judged
    assert all(len(entry.why) > 20 for entry in entries)
    assert len(entries) == len(known)


def test_the_command_prints_what_nobody_notices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hunting, "all_checks", lambda: CHECKS)
    monkeypatch.setattr(hunting, "judged", frozenset)
    arguments = ["--module", "oracle.model.put.split_checks", "--sample", "1000"]
    told = CliRunner().invoke(hunting.main, arguments).output
    assert "not noticed: >= in a comparison, put/split_checks.py" in told
    assert "by: length >= step.state.definition.max_msg_length" in told
    assert "noticed: " in told.splitlines()[-1]
    late = CliRunner().invoke(hunting.main, [*arguments, "--minutes", "0"]).output
    assert late.splitlines()[-1] == ""


def test_a_mutant_that_never_ends_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hunting, "SECONDS", 0.5)
    patch = Patch(
        "oracle.model.waiting.waiting:perform_advance",
        '_finish(step, connection_of(state, waiter), empty_handed, "WAI-01", "WAI-12")',
        "pass",
    )
    (check,) = (each for each in all_checks() if each.id == "example/WAI-01")
    assert hunting.notices(check, "distributed", patch)
