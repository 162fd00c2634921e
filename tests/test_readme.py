"""The README's samples: histories can be pasted, and the results are those shown."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from oracle.replay import replay

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CHINESE = (ROOT / "README.zh-CN.md").read_text(encoding="utf-8")


def blocks(text: str) -> list[tuple[str, str]]:
    """Return the language and the text of each block of code."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


BLOCKS = blocks(README)


def test_the_histories_depart_as_is_said_behind_them() -> None:
    histories = [text for language, text in BLOCKS if not language and text.startswith("h = open")]
    assert len(histories) == 2
    for text in histories:
        departure = list(replay(text, "README.md"))[-1].followed.departure
        assert departure is not None
        _, _, said = text.splitlines()[-1].partition("# ")
        shown = said.partition("allowed: ")[2].partition(",")[0] or said.split(", but ")[0].split("...")[0]
        assert shown in f"{departure.sentence} {departure.differences} {departure.allowed}"


def test_the_model_answers_as_is_said_behind_the_call() -> None:
    (sample,) = [text for language, text in BLOCKS if language == "python" and "QueueManager(" in text]
    code, last = sample.rsplit("\n", 2)[0], sample.splitlines()[-1]
    asked, said = last.split("  # ")
    names: dict[str, object] = {}
    exec(code, names)
    data, rules = eval(asked, names)
    told_data, told_rules = ast.literal_eval(said.replace(", ...", ""))
    assert data == told_data
    assert rules[: len(told_rules)] == told_rules


def test_nobody_is_sent_to_a_package_index_for_this_project() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.*"), *(ROOT / "spark_checks").rglob("*.py")]
    assert [path for path in pages if re.search(r'pip install "?mqoracle\b', path.read_text(encoding="utf-8"))] == []


def without_comments(text: str) -> list[str]:
    return [re.sub(r"\s+# .*", "", line) for line in text.splitlines()]


def test_both_readmes_have_the_same_blocks_and_what_a_history_shows_is_not_translated() -> None:
    ours, theirs = BLOCKS, blocks(CHINESE)
    assert [language for language, _ in ours] == [language for language, _ in theirs]
    for (_, text), (_, chinese) in zip(ours, theirs, strict=True):
        assert without_comments(text) == without_comments(chinese)
        if text.startswith(("h = open", "from oracle")):
            assert text == chinese


def test_both_readmes_have_the_same_sections_options_and_links() -> None:
    for pattern in (r"^##? ", r"^- ", r"^\| "):
        assert len(re.findall(pattern, README, re.MULTILINE)) == len(re.findall(pattern, CHINESE, re.MULTILINE)), (
            pattern
        )
    assert sorted(re.findall(r"`([^`\n]+)`", README)) == sorted(re.findall(r"`([^`\n]+)`", CHINESE))
    links = [re.findall(r"\]\(([^)]+)\)", text) for text in (README, CHINESE)]
    assert links[0][0] == "README.zh-CN.md"
    assert links[1][0] == "README.md"
    assert sorted(links[0][1:]) == sorted(links[1][1:])
    assert all((ROOT / link).exists() for link in links[0])
