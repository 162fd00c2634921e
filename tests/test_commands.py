"""Every command of the README and of docs/ is carried out in an empty directory, and has its expected exit status.

`tests/commands.yaml` has them. In `tox` the commands are those of the installed wheel, which the empty directory cannot
take from a checkout.
"""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import copy
from typing import Annotated

import pytest
from pydantic import BaseModel, ConfigDict, Field, RootModel

from fixtures.captures import pcap_bytes
from fixtures.channel_talks import put_talk
from fixtures.side_inputs import QLOCAL, Shown, amqsbcg, mqsc
from oracle.text.yaml_files import parse_yaml
from spark_checks.demo.planting import plant_defects
from spark_checks.demo.simulation import simulate_day
from tests.fuzz.samples import samples

ROOT = Path(__file__).parents[1]
TABLE = Path(__file__).with_name("commands.yaml")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PROGRAMS = r"(?:[A-Z_]+=\S+ )?(?:mq-oracle|mq-conform|mq-audit|pytest|python3?|tox|docker|pip|\.venv\S*)(?= )"
TIME_LIMIT_S = 300

TARGET = """import json, sys
from oracle.serve import Server

server = Server()
for line in sys.stdin:
    reply = server.answer(line)
    if reply.get("Reason") == 2209:  # an UNLOCK without a lock must warn
        reply.update(CompCode=0, Reason=0)
    print(json.dumps(reply), flush=True)
"""
HISTORY = """h = open Q INPUT_SHARED+OUTPUT
put h low Priority=1
put h high Priority=5
get h -> low
"""


class Command(BaseModel):
    """A command of a page, as `commands.yaml` describes it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    run: str
    status: int = 0
    added: Annotated[str, Field(alias="with")] = ""
    replace: dict[str, str] = Field(default_factory=dict)
    input: str = ""
    shows: str = ""
    not_run: str = ""
    as_on: str = ""

    @property
    def line(self) -> str:
        """The line that is carried out."""
        text = self.run.replace('"..."', '"python3 my_target.py"')
        for old, new in self.replace.items():
            assert old in text
            text = text.replace(old, new)
        return f"{text} {self.added}".strip()

    @property
    def carried_out(self) -> bool:
        """Whether it is carried out as a command of its page."""
        return not self.not_run and not self.as_on


class Table(RootModel[dict[str, list[Command]]]):
    """The commands by page."""


def table() -> dict[str, list[Command]]:
    return parse_yaml(TABLE.read_text(encoding="utf-8"), TABLE.name, Table).root


def commands_of(page: Path) -> Iterator[str]:
    """Yield the commands of a page, in blocks of code and in indented ones, without their comments."""
    fenced, language = False, ""
    for line in page.read_text(encoding="utf-8").splitlines():
        fence = re.match(r"```(\w*)$", line)
        if fence:
            fenced, language = not fenced, fence[1] if not fenced else ""
        elif (fenced and language in ("", "sh")) or (not fenced and line.startswith("    ")):
            text = re.sub(r"\s+# .*", "", line.strip())
            if re.match(PROGRAMS, text):
                yield text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_table_has_the_commands_of_every_page_in_its_order(page: Path) -> None:
    assert [each.run for each in table().get(page.name, [])] == list(commands_of(page))


def test_the_table_has_no_other_pages_and_runs_most_commands() -> None:
    assert set(table()) <= {page.name for page in PAGES}
    commands = [each for of_page in table().values() for each in of_page]
    assert sum(not each.not_run for each in commands) > len(commands) / 2


def test_what_is_left_to_another_page_is_carried_out_there_in_the_same_words() -> None:
    for command in (each for of_page in table().values() for each in of_page if each.as_on):
        there = [each for each in table()[command.as_on] if each.carried_out and each.line == command.line]
        assert [each.status for each in there] == [command.status], command.line


@pytest.fixture(scope="session")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with a day of traffic, which the other inputs are copied from."""
    folder = tmp_path_factory.mktemp("inputs")
    (folder / "day.jsonl").write_text(plant_defects(simulate_day()).log(), encoding="utf-8")
    carried_out("mq-conform run --target 'mq-oracle serve' --select 'lock/unlock*' --json new.json", folder)
    return folder


@pytest.fixture
def empty(tmp_path: Path, inputs: Path) -> Path:
    """Return a directory that has the inputs of the pages' commands and nothing else."""
    made = samples()
    files = {
        "capture.pcap": pcap_bytes(put_talk().packets),
        "trace.json.gz": gzip.compress(made["amqsevt json"]),
        "mqjavaclient_1.trc.gz": gzip.compress(made["Java trace"]),
        "qlocal.txt": mqsc({**QLOCAL, "QUEUE": "OTHER"}).encode(),
        "queues.txt": amqsbcg("OTHER", [Shown("0a" * 24)]).encode(),
        "my_target.py": TARGET.encode(),
        "my_package/adapter.py": b"from oracle.serve import Server\n\n\ndef make():\n    return Server()\n",
        "history.txt": HISTORY.encode(),
        "one.mqhistory": HISTORY.replace("-> low", "-> high").encode(),
        "two.mqhistory": HISTORY.replace("-> low", "-> high").encode(),
        "known-findings.yaml": b"deviations: []\n",
    }
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    copy(ROOT / "docs" / "examples" / "orders.jsonl", tmp_path)
    for folder in ("monday", "tuesday"):
        (tmp_path / folder).mkdir()
    copy(ROOT / "docs" / "examples" / "orders.jsonl", tmp_path / "monday")
    copy(inputs / "day.jsonl", tmp_path / "tuesday")
    copy(inputs / "day.jsonl", tmp_path / "monday.jsonl")
    for name in ("old.json", "new.json"):
        copy(inputs / "new.json", tmp_path / name)
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")  # `sensitivity` is for a checkout
    return tmp_path


def carried_out(line: str, folder: Path, given: str = "", status: int | None = None) -> str:
    """Carry a line out in a folder as a shell does, and return what it printed."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        cwd=folder,
        env={**os.environ, "PATH": path, "TARGET": "python3 my_target.py", "COLUMNS": "80"},
        input=given,
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT_S,
        check=False,
    )
    printed = done.stdout + done.stderr
    assert status is None or done.returncode == status, f"{line}: exit status {done.returncode}\n{printed[-4000:]}"
    assert "Traceback" not in printed, printed
    return printed


@pytest.mark.parametrize("page", [name for name, commands in table().items() if any(c.carried_out for c in commands)])
def test_the_commands_of_a_page_end_as_expected(page: str, empty: Path) -> None:
    for command in table()[page]:
        if command.carried_out:
            printed = carried_out(command.line, empty, command.input, command.status)
            assert command.shows in printed, f"{command.line}\n{printed[-4000:]}"
