"""docs/document-defects.md agrees with the catalogue, and its experiments have the stated results."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from oracle.histories.history import Bindings, disagreement, observed_of, with_connections
from oracle.histories.notation import parse
from oracle.model.queue_manager import new_state, outcomes
from oracle.model.state import State
from oracle.mqi.definitions import QueueDefinition, QueueManagerDefinition, define
from oracle.mqi.profile import Profile
from oracle.replay.history import replay_history
from oracle.rules import catalogue

DOCUMENT = Path(__file__).parents[2] / "docs" / "document-defects.md"
HEADING = re.compile(r"^### ((?:AMB-\d{2,3}|S\d+|Q-[a-k]))$", re.MULTILINE)
EXPERIMENT = re.compile(r"```mq\n([^`]*)```\n\n((?:- `[^`]*` .*\n)+)")
ANSWER = re.compile(r"- `([^`]*)` (first|allowed|wrong)\b")
LABELS = ("Texts", "Reading", "Rules", "Model", "To decide")
MOST_WAYS = 200


@dataclass(frozen=True)
class Experiment:
    """A history of the document, an answer to its last call, and the document's statement on that answer."""

    section: str
    history: str
    answer: str
    standing: str

    @property
    def text(self) -> str:
        """The history with the answer at its end."""
        return f"{self.history.rstrip()} {self.answer}"

    def start(self) -> State:
        """Return the queue manager that the comments at the top describe; without them there is the queue Q."""
        said = re.findall(r"^# (queue|qmgr|platform): (.*)$", self.history, re.MULTILINE)
        queues: list[Any] = [yaml.safe_load(text) for kind, text in said if kind == "queue"] or [{"name": "Q"}]
        qmgr: Any = next((yaml.safe_load(text) for kind, text in said if kind == "qmgr"), {})
        platform = next((text.strip() for kind, text in said if kind == "platform"), "distributed")
        return new_state(
            [define(QueueDefinition, queue) for queue in queues],
            define(QueueManagerDefinition, qmgr),
            Profile(platform=platform),  # type: ignore[arg-type]  # a wrong word is refused as it should be
        )


@cache
def sections() -> dict[str, str]:
    parts = HEADING.split(DOCUMENT.read_text(encoding="utf-8"))
    names = parts[1::2]
    assert len(set(names)) == len(names), "a section stands there twice"
    return dict(zip(names, parts[2::2], strict=True))


def experiments() -> Iterator[Experiment]:
    for name, text in sections().items():
        for history, answers in EXPERIMENT.findall(text):
            for answer, standing in ANSWER.findall(answers):
                yield Experiment(name, history, answer, standing)


def ways_through(experiment: Experiment, *, first_only: bool) -> tuple[int, str]:
    """Return the number of ways in which the model allows the history, and the last line that no way allows.

    With `first_only` the model takes the first of the allowed outcomes each time.
    """
    ways = [(experiment.start(), Bindings())]
    for identity, line in enumerate(with_connections(parse(experiment.text)), start=1):
        after: list[tuple[State, Bindings]] = []
        for state, bindings in ways:
            call = bindings.call(line, identity)
            for number, outcome in enumerate(outcomes(state, call)):
                if first_only and number:
                    break
                bound = copy.deepcopy(bindings)
                observed = observed_of(outcome.reply, {done.identity: done.reply for done in outcome.completed})
                bound.bind(line, call, observed)
                if disagreement(line, observed, bound) is None:
                    after.append((outcome.state, bound))
        if not after:
            return 0, experiment.text.splitlines()[line.number - 1]
        ways = after[:MOST_WAYS]
    return len(ways), ""


def within_latitude(experiment: Experiment) -> bool:
    """Return whether a queue manager with this observed outcome is not reported."""
    return not any(step.departs for step in replay_history(experiment.text, "experiment", experiment.start()))


def last_line(experiment: Experiment) -> str:
    return experiment.text.splitlines()[-1]


def readings() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for rule in catalogue.rules():
        for reading in rule.readings:
            found.setdefault(reading.id, set()).add(rule.id)
    return found


def test_each_reading_of_the_catalogue_has_its_section_and_the_reverse() -> None:
    assert set(sections()) == set(readings())


@pytest.mark.parametrize("name", sections())
def test_a_section_says_all_that_it_should(name: str) -> None:
    labels = re.findall(r"^\*\*([A-Z][a-z ]+)\.\*\*", sections()[name], re.MULTILINE)
    assert tuple(labels) == LABELS


@pytest.mark.parametrize("name", sections())
def test_a_section_names_the_rules_that_refer_back(name: str) -> None:
    (line,) = re.findall(r"^\*\*Rules\.\*\* (.*)$", sections()[name], re.MULTILINE)
    assert re.findall(r"[A-Z]{3}-\d\d", line) == sorted(readings()[name])


@pytest.mark.parametrize("name", sections())
def test_a_section_names_documents_of_the_catalogue(name: str) -> None:
    (paragraph,) = re.findall(r"^\*\*Texts\.\*\*(.*?)^\*\*", sections()[name], re.MULTILINE | re.DOTALL)
    named = set(re.findall(r"`([a-z-]+)`", paragraph))
    assert named
    assert named <= set(catalogue.documents())


def test_every_block_is_an_experiment_with_answers() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    body = text[HEADING.search(text).start() :]  # type: ignore[union-attr]  # there is a heading
    assert body.count("```mq") == sum(len(EXPERIMENT.findall(part)) for part in sections().values())
    assert len(re.findall(r"^- `(?:->|=>)", body, re.MULTILINE)) == len(list(experiments()))


@pytest.mark.parametrize("experiment", list(experiments()), ids=lambda each: f"{each.section}{each.answer}")
def test_an_experiment_comes_out_as_the_document_says(experiment: Experiment) -> None:
    ways, refused = ways_through(experiment, first_only=experiment.standing == "first")
    if experiment.standing == "wrong":
        assert ways == 0, "the model allows it"
        assert refused == last_line(experiment), "an earlier line is not allowed"
        assert not within_latitude(experiment), "the model allows it as another value of an output"
    else:
        assert ways or (experiment.standing == "allowed" and within_latitude(experiment)), f"not allowed: {refused}"


def test_an_experiment_that_comes_out_otherwise_is_noticed() -> None:
    history = "h = open Q INPUT_SHARED+OUTPUT\nput h m1\nget h"
    assert ways_through(Experiment("", history, "-> m1", "first"), first_only=True)[0] == 1
    assert ways_through(Experiment("", history, "-> 2033", "allowed"), first_only=False) == (0, "get h -> 2033")
