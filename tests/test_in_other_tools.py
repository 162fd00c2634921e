"""The project in other tools: the action, the hook for pre-commit, images, completion, the package page."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from bench.wheel_smoke import copied_by_the_dockerfile

ROOT = Path(__file__).parents[1]
BIN = str(Path(sys.executable).parent)
CONFORMS = "h = open Q INPUT_SHARED+OUTPUT\nput h m1\nget h -> m1\n"
VIOLATES = CONFORMS.replace("-> m1", "-> 2033")


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def shell(line: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", line],
        cwd=folder,
        env={**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def action(folder: Path, **given: str) -> subprocess.CompletedProcess[str]:
    """Carry out the last step of the action as its runner does, with some inputs given and the others by default."""
    described = read("action.yml")
    inputs = {name: entry["default"] for name, entry in described["inputs"].items()} | given
    step = described["runs"]["steps"][-1]
    names = {name: re.fullmatch(r"\$\{\{ inputs\.([a-z-]+) \}\}", value) for name, value in step["env"].items()}
    return shell(step["run"], folder, **{name: inputs[match[1]] for name, match in names.items() if match})


def test_the_action_tests_a_target_and_leaves_reports(tmp_path: Path) -> None:
    done = action(tmp_path, target="mq-oracle serve", arguments="--select 'lock/unlock*'")
    assert done.returncode == 0, done.stderr
    made = {path.name for path in (tmp_path / "mq-report").iterdir()}
    assert {"junit.xml", "results.json", "report.html"} <= made


def test_the_action_fails_with_a_violation_unless_it_is_known(tmp_path: Path) -> None:
    wrong = f"{sys.executable} -m fixtures.miniatures lock_survives_unlock"
    inside = {"target": f"env PYTHONPATH={ROOT} {wrong}", "arguments": "--select lock/unlock-without-a-lock"}
    assert action(tmp_path, **inside).returncode == 1
    known = shell("mq-conform known --from mq-report/results.json --output known.yaml", tmp_path)
    assert known.returncode == 0, known.stderr
    assert action(tmp_path, known="known.yaml", **inside).returncode == 0


def test_the_action_audits_a_log(tmp_path: Path) -> None:
    log = ROOT / "docs" / "examples" / "orders.jsonl"
    done = action(tmp_path, tool="audit", log=str(log), report="out")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "report.html").exists()
    assert action(tmp_path, tool="dance").returncode == 2


def test_every_input_of_the_action_is_used_and_described() -> None:
    described = read("action.yml")
    used = set(re.findall(r"inputs\.([a-z-]+)", str(described["runs"]) + str(described["outputs"])))
    assert used == set(described["inputs"])
    assert all(entry["description"] for entry in described["inputs"].values())


def test_the_hook_lets_histories_pass_that_conform_and_no_others(tmp_path: Path) -> None:
    (hook,) = read(".pre-commit-hooks.yaml")
    assert re.search(hook["files"], "histories/one.mqhistory")
    (tmp_path / "one.mqhistory").write_text(CONFORMS, encoding="utf-8")
    (tmp_path / "two.mqhistory").write_text(VIOLATES, encoding="utf-8")
    (tmp_path / "three.mqhistory").write_text("once upon a time\n", encoding="utf-8")
    good = shell(f"{hook['entry']} one.mqhistory one.mqhistory", tmp_path)
    assert (good.returncode, good.stdout) == (0, "")
    bad = shell(f"{hook['entry']} two.mqhistory one.mqhistory", tmp_path)
    assert bad.returncode == 1
    assert re.fullmatch(r"two\.mqhistory:3: MQGET found nothing .* \[[A-Z]{3}-\d\d\]\n", bad.stdout)
    none = shell(f"{hook['entry']} two.mqhistory three.mqhistory gone.mqhistory", tmp_path)
    assert none.returncode == 2
    assert "two.mqhistory:3" in none.stdout
    assert "three.mqhistory:1" in none.stderr
    assert "gone.mqhistory" in none.stderr


def test_check_says_of_each_file_that_it_conforms(tmp_path: Path) -> None:
    (tmp_path / "one.mqhistory").write_text(CONFORMS, encoding="utf-8")
    assert shell("mq-oracle check one.mqhistory", tmp_path).stdout == "one.mqhistory: conforms, 4 calls\n"


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("mq-oracle exp", "explain"),
        ("mq-oracle rules LCK-1", "LCK-12"),
        ("mq-conform co", "compare"),
        ("mq-audit ru", "run"),
        ("mq-audit run --fail-", "--fail-on"),
    ],
)
def test_the_shell_completes(words: str, found: str, tmp_path: Path) -> None:
    program = words.split(maxsplit=1)[0]
    variable = f"_{program.upper().replace('-', '_')}_COMPLETE"
    assert f'eval "$({variable}=bash_source {program})"' in (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    source = shell(f"{variable}=bash_source {program}", tmp_path)
    assert "complete" in source.stdout
    answered = shell(
        program, tmp_path, COMP_WORDS=words, COMP_CWORD=str(words.count(" ")), **{variable: "bash_complete"}
    )
    assert f"plain,{found}" in answered.stdout.split()


def test_the_dockerfile_copies_what_the_wheel_is_made_of_and_has_an_image_for_each_tool() -> None:
    assert all((ROOT / name).exists() for name in copied_by_the_dockerfile())
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    packages = re.search(r"^packages = \[(.*)\]$", project, re.MULTILINE)
    assert packages is not None
    assert set(re.findall(r'"(\w+)"', packages[1])) <= set(copied_by_the_dockerfile())
    tools = re.findall(r"^(mq-\w+) = ", project, re.MULTILINE)
    assert re.findall(r"^FROM small AS (\S+)$", text, re.MULTILINE) == tools
    assert re.findall(r'^ENTRYPOINT \["(\S+)"\]$', text, re.MULTILINE) == tools


def test_a_package_page_has_absolute_links_or_none() -> None:
    names: dict[str, Any] = {}
    source = (ROOT / "hatch_build.py").read_text(encoding="utf-8")
    function = source.partition("_LINK = ")[2].partition("class ")[0]
    exec(f"import re\n_LINK = {function}", names)
    text = "[a](docs/a.md#b), [c](https://c), [d](#e)"
    assert names["package_page"](text, "") == "a, [c](https://c), [d](#e)"
    assert names["package_page"](text, "https://x/") == "[a](https://x/docs/a.md#b), [c](https://c), [d](#e)"
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"\]\((?!https://|#)", names["package_page"](readme, "https://x/")) == []
