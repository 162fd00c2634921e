"""The pages about targets and gates name only commands, options, features and files that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from conformance.cli import main
from conformance.jobs import JOBS
from oracle.protocol import FEATURES
from spark_checks.cli import main as audit

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [DOCS / name for name in ("write-a-target.md", "ci.md", "run-against-ibm-mq.md", "github-actions.yml")]
OF_PYTEST = {"--pyargs", "--mq-target", "--junitxml"}


def options() -> set[str]:
    """Return every option of every subcommand, of the audit's too."""
    commands = (*main.commands.values(), *audit.commands.values())
    found = {opt for command in commands for parameter in command.params for opt in parameter.opts}
    return found | OF_PYTEST


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_option_exists(page: Path) -> None:
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", page.read_text(encoding="utf-8")))
    assert named
    assert named <= options()


@pytest.mark.parametrize("page", PAGES[:3], ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if not (DOCS / link).is_file()] == []


def test_the_features_named_are_of_the_protocol() -> None:
    text = (DOCS / "write-a-target.md").read_text(encoding="utf-8")
    order = text.partition("A good order:")[2].partition(".")[0]
    assert len(re.findall("`([a-z-]+)`", order)) > 10
    assert set(re.findall("`([a-z0-9-]+)`", order)) <= set(FEATURES)


def test_the_number_of_copies_is_the_one_that_runs() -> None:
    assert JOBS["real"] == 12
    assert "twelve copies" in (DOCS / "write-a-target.md").read_text(encoding="utf-8")


def test_the_workflow_is_one() -> None:
    workflow = yaml.safe_load((DOCS / "github-actions.yml").read_text(encoding="utf-8"))
    steps = workflow["jobs"]["conformance"]["steps"]
    runs = [step["run"] for step in steps if "run" in step]
    assert any(run.startswith("mq-conform doctor") for run in runs)
    assert any(run.startswith("mq-conform run") for run in runs)
