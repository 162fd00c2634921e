"""Rules and model agree: each reason that the model returns is named by a rule behind it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from oracle.examples.rule_examples import examples, play
from oracle.model.step import Outcome
from oracle.mqi.constants import MQRC
from oracle.protocol.setup import state_of_setup
from oracle.replay.history import replay_history
from oracle.rules import catalogue
from oracle.rules.reason_rules import rules_of

REMOTE = {"name": "R", "type": "remote", "rname": "T"}
QUEUES: dict[str, list[dict[str, Any]]] = {
    "an alias of nothing": [{"name": "Q", "type": "alias", "target": "NOWHERE"}],
    "an alias of an alias": [
        {"name": "Q", "type": "alias", "target": "B"},
        {"name": "B", "type": "alias", "target": "C"},
    ],
    "no such queue": [{"name": "OTHER"}],
    "a remote queue without a queue manager": [{**REMOTE, "name": "Q", "rqmname": ""}],
    "a remote queue without a transmission queue": [{**REMOTE, "name": "Q", "rqmname": "FAR"}],
    "a remote queue whose transmission queue is none": [
        {**REMOTE, "name": "Q", "rqmname": "FAR", "xmitq": "L"},
        {"name": "L"},
    ],
    "a remote queue whose transmission queue is missing": [{**REMOTE, "name": "Q", "rqmname": "FAR", "xmitq": "X"}],
}
"""Definitions under which a queue called Q cannot be opened for output."""


def not_named(outcome: Outcome) -> bool:
    """Return whether an outcome has a reason that neither statement nor outcome of a rule behind it names.

    What a user may do is not modelled: of 2035 it is enough that a rule names it under what is left free.
    """
    reason = int(outcome.reply.reason)
    found = rules_of(reason)
    named = (*found.decide, *found.mention) if reason == MQRC.NOT_AUTHORIZED else found.decide
    return reason != MQRC.NONE and not {rule.id for rule in named} & set(outcome.rules)


def outcomes_of_examples() -> Iterator[tuple[str, Outcome]]:
    for example in examples():
        played = play(example)
        for step in (*played.steps, *played.wrong_steps):
            yield from ((example.rule, outcome) for outcome in step.followed.allowed)


def test_every_reason_in_an_example_is_named_by_a_rule_behind_it() -> None:
    found = list(outcomes_of_examples())
    assert len({int(outcome.reply.reason) for _, outcome in found}) > 60
    wrong = {(rule, MQRC(outcome.reply.reason).name, outcome.rules) for rule, outcome in found if not_named(outcome)}
    assert wrong == set()


@pytest.mark.parametrize("name", QUEUES)
def test_a_name_that_leads_nowhere_fails_with_a_reason_that_its_rule_names(name: str) -> None:
    state = state_of_setup({"queues": QUEUES[name]}, "distributed")
    *_, step = replay_history("h = open Q OUTPUT -> OK", name, state)
    allowed = step.followed.allowed
    assert allowed
    assert all(outcome.reply.failed and not not_named(outcome) for outcome in allowed)


def test_names_and_numbers_of_reasons_agree_in_every_text() -> None:
    for rule in catalogue.rules():
        readings = [each.reading for each in rule.readings]
        text = " ".join((rule.statement, rule.outcome, rule.freedom, rule.log_check or "", *readings))
        for name, number in re.findall(r"\bMQRC_([A-Z0-9_]+) \((\d{4})\)", text):
            assert int(MQRC[name]) == int(number), rule.id
