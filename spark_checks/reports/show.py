"""One finding of a report, with the calls around it: `mq-audit show`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from rich.console import Console

from oracle.errors import BadInputError, Place, UsageError
from oracle.mqi.constants import MQCO, MQEI, MQGMO, MQOO, MQPMO, NULL_ID
from oracle.rules import catalogue
from oracle.text.yaml_files import read_text
from spark_checks.output.destination import no_report
from spark_checks.reports.results import Finding, finding_of
from spark_checks.reports.timeline import outcome
from spark_checks.times import duration, moment

FINDINGS, AROUND = "findings.jsonl", "around.jsonl"

_OPTIONS = {"MQOPEN": MQOO, "MQCLOSE": MQCO, "MQPUT": MQPMO, "MQPUT1": MQPMO, "MQGET": MQGMO, "CALLBACK": MQGMO}
_SHOWN = {
    "priority": None,
    "expiry": None,
    "group_id": NULL_ID.hex(),
    "msg_seq_number": 1,
    "offset": 0,
    "backout_count": 0,
    "wait_ms": 0,
}
"""The columns that are shown, unless they have this value."""
_WIDEST = 40

Calls = Sequence[Mapping[str, Any]]


def read_finding(directory: Path, number: int) -> Finding:
    """Return a finding of a report by its number.

    Raises UsageError if there is no report or no such finding, BadInputError if the file is damaged.
    """
    path = directory / FINDINGS
    if not path.is_file():
        raise no_report(directory, FINDINGS)
    try:
        with path.open(encoding="utf-8") as file:
            line = next(islice(file, number - 1, None), None) if 0 < number <= sys.maxsize else None
            if line is not None:
                members = json.loads(line)
                return finding_of(members, members["finding"], known=members["known"])
        with path.open(encoding="utf-8") as file:
            count = sum(1 for _ in file)
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise BadInputError(
            "not a line of findings of this version: make the report again", Place(str(path), number)
        ) from error
    raise UsageError(f"there is no finding {number}; the report has {count:,}")


def read_around(directory: Path, number: int) -> Calls | None:
    """Return the calls around a finding; None if the report does not keep them. Raises BadInputError."""
    path = directory / AROUND
    if not path.is_file():
        return None
    for place, line in enumerate(read_text(path).splitlines(), start=1):
        if line.startswith(f'{{"finding": {number},'):
            try:
                return list(json.loads(line)["calls"])
            except (ValueError, LookupError, TypeError, RecursionError) as error:
                raise BadInputError(
                    "not the calls around a finding of this version: make the report again", Place(str(path), place)
                ) from error
    return None


def show_finding(finding: Finding, around: Calls | None, console: Console) -> None:
    """Show a finding: the sentence, the rule, and its calls and those around them, in the order of their beginnings."""
    rule = catalogue.rule(finding.rule)
    _print(console, f"Finding {finding.number}: {finding.rule} {rule.title}, {finding.verdict.value}", "bold")
    _print(console, finding.explanation)
    where = f"Queue {finding.queue or 'not captured'} of {finding.qmgr or 'a queue manager not captured'}"
    _print(console, where + (f", message {finding.msg_id}." if finding.msg_id else "."))
    if finding.known:
        _print(console, "A known deviation excuses it.")
    _print(console, "\n".join(("", rule.statement.strip(), *rule.source_lines(), "")))
    _show_calls(finding, _with_named(finding, around or ()), console)
    if around is None:
        _print(console, "\nThe report does not keep the calls around this finding: --log INPUT reads them.")


def _with_named(finding: Finding, around: Calls) -> Calls:
    """Return the calls with those of the finding among them, in the order of their beginnings."""
    have = {(call["conn"], call["seq"]) for call in around}
    named = [{**vars(call), "queue": finding.queue} for call in finding.calls if (call.conn, call.seq) not in have]
    return sorted([*around, *named], key=lambda call: (call["start_us"], call["conn"], call["seq"]))


def _show_calls(finding: Finding, calls: Calls, console: Console) -> None:
    """Show calls, one a line, those of the finding with their number. Times are of the day in the first line."""
    numbers = {(call.conn, call.seq): number for number, call in enumerate(finding.calls, start=1)}
    _print(console, f"  {moment(calls[0]['start_us'])}" if calls else "")
    width = min(_WIDEST, max((len(call["conn"]) for call in calls), default=0))
    for call in calls:
        number = numbers.get((call["conn"], call["seq"]))
        name = " ".join(filter(None, (call["call"], call.get("queue") or call.get("object_name"))))
        place = f"{call.get('source') or ''}:{call.get('line') or ''}".strip(":")
        _print(
            console,
            f"{'' if number is None else number:>2} {moment(call['start_us'], day=False)} "
            f"{duration(call['end_us'] - call['start_us']):>7} {call['conn']:{width}} "
            f"{', '.join([name, *_what(call)])} ({place})",
            "bold" if number is not None else "dim",
        )


def _what(call: Mapping[str, Any]) -> Iterable[str]:
    """Yield the known facts of a call: its options, its outcome, its message."""
    names = _OPTIONS.get(call["call"])
    if names is not None and call.get("options"):
        yield names.describe(call["options"])
    ending = outcome(call)
    if ending:
        yield ending
    if call.get("msg_id"):
        yield f"message ...{call['msg_id'][-12:]}"
    for name, usual in _SHOWN.items():
        if call.get(name) not in (None, usual):
            yield f"{name} {_value(name, call[name])}"


def _value(name: str, value: Any) -> str:
    return "unlimited" if name == "expiry" and value == MQEI.UNLIMITED else str(value)


def _print(console: Console, text: str, style: str | None = None) -> None:
    console.print(text, style=style, highlight=False, markup=False, soft_wrap=True)
