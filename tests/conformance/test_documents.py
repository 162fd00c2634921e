"""The documents name only commands, options, features and files that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from conformance.cli import main
from conformance.running.jobs import JOBS
from oracle.protocol import FEATURES
from spark_checks.cli import main as audit

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [DOCS / name for name in ("write-a-target.md", "ci.md", "run-against-ibm-mq.md", "github-actions.yml")]
DOCUMENTS = [*(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")), *sorted(DOCS.glob("*.md"))]
FOLDERS = {path.name for path in ROOT.iterdir() if path.is_dir()}
OF_READERS = {"conformance/known.yaml"}
"""Paths in the repository of the page's reader."""
OF_PYTEST = {"--pyargs", "--mq-target", "--mq-allow-empty", "--junitxml", "--numprocesses", "--hypothesis-seed"}


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


def links(page: Path) -> list[str]:
    """Return the files that a document links to, as it writes them."""
    return re.findall(r"\]\((?!\w+:)([^)#]+)", page.read_text(encoding="utf-8"))


def named_paths(page: Path) -> list[str]:
    """Return the paths of this repository that a document quotes: files, and folders with a slash."""
    quoted = re.findall(r"`([\w.-]+/[\w./-]*)`", page.read_text(encoding="utf-8"))
    paths = [path for path in quoted if path.endswith("/") or Path(path).suffix]
    return [path for path in paths if path.partition("/")[0] in FOLDERS and path not in OF_READERS]


def exists(path: str) -> bool:
    """Say whether a path leads somewhere; a file name in capitals stands for any in its folder."""
    pattern = re.sub(r"(?<=/)[A-Z]+(?=\.)", "*", path)
    return any(ROOT.glob(pattern))


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    assert [link for link in links(page) if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: page.name)
def test_every_path_of_this_repository_exists(page: Path) -> None:
    assert [path for path in named_paths(page) if not exists(path)] == []


def test_links_and_paths_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "[a](nowhere.md), [b](other.md#part), [c](https://c), `tests/none.txt`, `oracle/`, `a/b.c`, `tests/X`"
    )
    assert links(page) == ["nowhere.md", "other.md"]
    assert named_paths(page) == ["tests/none.txt", "oracle/"]
    assert [exists(path) for path in ("tests/none.txt", "oracle/", "oracle/rules/AREA.yaml")] == [False, True, True]
    assert links(DOCUMENTS[0])
    assert sum(len(named_paths(page)) for page in DOCUMENTS) > 50


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
