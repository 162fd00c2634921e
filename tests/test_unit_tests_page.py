"""The page about unit tests: the programs on it are those that `tox -e programs` runs, and all that it names exists."""

from __future__ import annotations

import re
from configparser import ConfigParser
from pathlib import Path

import pytest

from oracle.testing import QueueManager, queue_manager

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "unit-tests.md").read_text(encoding="utf-8")
EXAMPLE = ROOT / "docs" / "examples" / "faststream"


@pytest.mark.parametrize("name", ["confirmations.py", "test_confirmations.py"])
def test_the_program_on_the_page_is_the_one_that_is_run(name: str) -> None:
    assert f"```python\n{(EXAMPLE / name).read_text(encoding='utf-8')}```\n" in PAGE


def test_the_example_is_run_by_the_environment_that_the_page_names() -> None:
    tox = ConfigParser(interpolation=None)
    tox.read(ROOT / "tox.ini")
    assert "docs/examples/faststream" in tox["testenv:programs"]["commands"]
    assert "`tox -e programs`" in PAGE
    assert "tox -e programs" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_every_method_in_the_table_is_one() -> None:
    table = PAGE.partition("| method | what it does |")[2].partition("\n\n")[0]
    named = re.findall(r"`(\w+)[`(]", "".join(line.split("|")[1] for line in table.splitlines()[2:]))
    assert {"put", "messages", "advance", "until_waiting"} <= set(named)
    assert [name for name in named if not hasattr(QueueManager, name)] == []


def test_what_the_page_says_of_a_message_holds() -> None:
    said = PAGE.partition("A message that `get` and `messages` return has")[2].partition("## ")[0]
    with queue_manager(["Q"]) as qm:
        qm.put("Q", properties={"customer": "Ada"})
        (message,) = qm.messages("Q")
    names = re.findall(r"`(?:message\.)?(\w+)`", said)
    assert {"data", "properties", "header", "descriptor", "backout_count"} <= set(names)
    for name in set(names) - {"get", "messages"}:
        assert getattr(message, name) is not None
    (comparison,) = re.findall(r"`(message\.\S+ == \S+)`", said)
    assert eval(comparison, {"message": message})
