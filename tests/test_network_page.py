"""The page about the network: the program on it is the one that `tox -e java` runs, and all that it names exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from oracle.network.command import listen_command
from oracle.network.console import END, answer
from oracle.testing import queue_manager

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "network.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["Reminders.java", "OrdersTest.java"])
def test_the_program_on_the_page_is_the_one_that_is_run(name: str) -> None:
    program = (DOCS / "examples" / "java" / name).read_text(encoding="utf-8")
    assert f"<!-- docs/examples/java/{name} -->\n```java\n{program}```\n" in PAGE


def test_every_line_of_standard_input_is_on_the_page() -> None:
    with queue_manager() as qm:
        told = answer(qm, "something else").partition("there are ")[2].split(", ")
    table = PAGE.partition("| line | what it does |")[2].partition("\n\n")[0]
    shown = {line.split()[0] for line in re.findall(r"^\| `([^`]+)`", table, re.MULTILINE)}
    assert shown == set(told)
    assert END in shown


def test_every_option_that_the_page_names_is_one() -> None:
    known = {name for parameter in listen_command.params for name in parameter.opts}
    named = set(re.findall(r"--[a-z][a-z-]+", PAGE)) - {"--help"}
    assert named <= known
    assert known - named == {"--name", "--platform"}
