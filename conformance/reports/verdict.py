"""The verdict on a run in a sentence, and the next command: shared by page and console."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from conformance.results.defects import Defect
from conformance.results.document import Results
from oracle.judging.deviations import Standing
from oracle.judging.verdicts import Verdict

PART = "part"
NOTHING_TESTED = "nothing was tested: no rule was exercised"


def in_a_sentence(results: Results, defects: Sequence[Defect]) -> tuple[Verdict, str]:
    """Return the overall verdict in one sentence, for a reader without time."""
    broken = sum(bool(check.error) for check in results.checks)
    undecided = sum(seen.verdict is Verdict.UNDECIDED for seen in results.rules)
    occurring, stale = (
        sum(entry.standing is standing for entry in results.known) for standing in (Standing.OCCURS, Standing.STALE)
    )
    known = (
        f", {_counted(occurring, 'known deviation still occurs', 'known deviations still occur')}" if occurring else ""
    )
    if defects:
        return Verdict.VIOLATES, f"{_counted(len(defects), 'defect found', 'defects found')}{known}"
    if broken:
        return Verdict.TARGET_ERROR, f"the target failed in {_counted(broken, 'check')}"
    if results.is_empty:
        inapplicable = all(check.verdict is Verdict.NOT_APPLICABLE for check in results.checks)
        why = "; no check applies to what the target claims" if inapplicable else ""
        return Verdict.UNDECIDED, f"{NOTHING_TESTED}{why}"
    none = f"no new violation found{known}" if occurring else "no violation found"
    if stale:
        gone = _counted(stale, "known deviation no longer occurs", "known deviations no longer occur")
        return Verdict.VIOLATES, f"{none}, but {gone}: remove {'its entry' if stale == 1 else 'their entries'}"
    if results.ended_early:
        none += ", but the run ended early"
    elif undecided:
        none += f", {_counted(undecided, 'rule is', 'rules are')} undecided"
    return Verdict.UNDECIDED if undecided or results.ended_early else Verdict.CONFORMS, none


def next_command(
    results: Results, defects: Sequence[Defect], budget: str = "", found_file: str = "", known_file: str = ""
) -> str:
    """Return the command that helps most after a run of this budget.

    `PART` stands for a run of selected checks, after which the whole suite comes next. `found_file` is the file of
    `--found`, and `known_file` that of `--known`.
    """
    target = f"--target {shlex.quote(results.target.command)}"
    verdict, _ = in_a_sentence(results, defects)
    if verdict is Verdict.TARGET_ERROR or results.is_empty:
        return f"mq-conform doctor {target}"
    if defects and found_file:
        return f"mq-conform replay {shlex.quote(found_file)} {target}"
    if defects:
        return f"mq-oracle rules {defects[0].rule}"
    known = f" --known {shlex.quote(known_file)}" if known_file else ""
    if results.ended_early:
        return f"mq-conform run {target}{known} --budget {'quick' if budget in ('', PART) else budget}"
    larger = {PART: "standard", "quick": "standard", "standard": "deep"}.get(budget)
    return f"mq-conform run {target}{known} --budget {larger}" if larger else "mq-oracle coverage"


def _counted(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"
