"""Every choice of the model has its entry, with the first answer first and with a lawful queue manager that differs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bench import choices_page
from fixtures.variants import VARIANTS
from oracle.rules import catalogue
from oracle.rules.choices import choices
from tests.conformance.conftest import play as play_on

MODEL = Path(__file__).parents[2] / "oracle" / "model"
QUESTIONS = ("choose", "choose_for_good")
"""The methods of `Step` that ask; its own file defines them."""


@dataclass(frozen=True)
class Asked:
    """A place of the model that asks a question: its answers as written there, and the rules named in plain text."""

    place: str
    question: str
    answers: str
    rules: tuple[str, ...]


def _text_of(node: ast.expr, module: ast.Module) -> str:
    """Return the text that an expression stands for: itself, or a constant of the module."""
    constants = {
        statement.target.id: statement.value
        for statement in module.body
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
    }
    found = constants.get(node.id) if isinstance(node, ast.Name) else node
    assert isinstance(found, ast.Constant), f"a question is a text or a constant, not {ast.unparse(node)}"
    return str(found.value)


def _asked_in(path: Path) -> Iterator[Asked]:
    module = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in QUESTIONS:
            question, answers, *rules = node.args
            named = tuple(
                rule.value for rule in rules if isinstance(rule, ast.Constant) and isinstance(rule.value, str)
            )
            place = f"{path.name}:{node.lineno}"
            yield Asked(place, _text_of(question, module), ast.unparse(answers), named)


ASKED = [asked for path in sorted(MODEL.rglob("*.py")) if path.name != "step.py" for asked in _asked_in(path)]


def test_every_question_of_the_model_has_an_entry_and_every_entry_a_question() -> None:
    assert {asked.question for asked in ASKED} == set(choices())


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: asked.place)
def test_an_entry_says_what_the_model_does(asked: Asked) -> None:
    entry = choices()[asked.question]
    assert set(asked.rules) <= set(entry.rules), "the entry lacks rules that the model names"
    first = {"(True, False)": "yes", "(False, True)": "no", "(1, 0)": "yes", "(0, 1)": "no"}.get(asked.answers)
    if first is not None:
        assert entry.answers[0].startswith(first), f"the model answers {first!r} first"


def test_the_rules_of_an_entry_exist() -> None:
    for entry in choices().values():
        for rule in entry.rules:
            assert catalogue.rule(rule).id == rule


def test_every_question_has_a_variant_that_answers_otherwise() -> None:
    assert [question for question in choices() if not choices_page.variants_of(question)] == []


def test_the_page_is_up_to_date() -> None:
    written = choices_page.PAGE.read_text(encoding="utf-8")
    assert written == choices_page.page(), "python -m bench.choices_page writes it anew"


def test_by_turns_gives_one_answer_after_the_other() -> None:
    refused = "put h a Priority=-2 Expiry=0"
    played = play_on(f"h = open Q OUTPUT; {refused}; {refused}; {refused}", VARIANTS["by-turns"].server)
    reasons = [exchange.reply["Reason"] for exchange in played.exchanges[-3:]]
    assert reasons[0] != reasons[1]
    assert reasons[0] == reasons[2]
