"""Writer of `docs/known-defects.md`: published defects of IBM MQ, the calls that show them, and the audit's findings.

python -m bench.known_defects_page           # audits the logs of tests/spark_checks/known_defects.py, writes the page
python -m bench.known_defects_page --check   # exits with 1 if the page is out of date
"""

from __future__ import annotations

import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from bench.pages import page_command
from oracle.mqi.constants import MQCC, MQGMO, MQMO, MQOO, MQPMO, MQRC
from oracle.mqi.profile import PLATFORMS
from oracle.rules import catalogue
from spark_checks.audit import audit
from spark_checks.engines.choosing import LOCAL, choose, started
from spark_checks.frames import Engine, Row
from tests.spark_checks.histories import History, Record, write_log
from tests.spark_checks.known_defects import DEFECTS, Defect

PAGE: Final = Path(__file__).parents[1] / "docs" / "known-defects.md"

_HEAD: Final = """# Known defects of IBM MQ, as a log shows them

IBM publishes defects of its queue managers as APARs. Each section has the calls of a short log that shows such a
defect, and what `mq-audit run` finds in that log. The logs are made up for this page
(`tests/spark_checks/known_defects.py`). They show the symptom that the APAR describes; a log of your own with the same
symptom may have another cause.
`python -m bench.known_defects_page` writes this page, and a test holds it.

| APAR | what goes wrong | platform | found as |
| --- | --- | --- | --- |
"""

_OPTIONS: Final[dict[str, Any]] = {"MQOPEN": MQOO, "MQGET": MQGMO, "MQPUT": MQPMO, "MQPUT1": MQPMO}


def findings(engine: Engine) -> dict[str, list[Row]]:
    """Audit the logs of all defects, those of a platform together, and return the findings of each APAR."""
    found: dict[str, list[Row]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for platform in PLATFORMS:
            records: list[Record] = [{"header": "log", "complete": True, "platform": platform}]
            for defect in DEFECTS:
                if defect.platform == platform:
                    records += _history(defect).records
            if len(records) > 1:
                result = audit(engine, [write_log(Path(folder) / f"{platform}.jsonl", records)])
                for row in result.findings.order_by("qmgr", "rule").collect():
                    found[row["qmgr"]].append(row)
    return found


def _history(defect: Defect) -> History:
    history = History(defect.apar)
    defect.write(history)
    return history


def page(engine: Engine) -> str:
    """Return the page."""
    found = findings(engine)
    rows = "".join(f"{_row(defect, found[defect.apar])}\n" for defect in DEFECTS)
    return _HEAD + rows + "".join(_section(defect, found[defect.apar]) for defect in DEFECTS)


def _row(defect: Defect, found: Sequence[Row]) -> str:
    said = ", ".join(f"{row['verdict']} of {row['rule']}" for row in found) or "not found"
    return f"| [{defect.apar}](#{defect.apar.lower()}) | {defect.title} | {defect.platform} | {said} |"


def _section(defect: Defect, found: Sequence[Row]) -> str:
    calls = [_call(record) for record in sorted(_calls(defect), key=lambda record: int(record["start_us"]))]
    told = [_definition(record) for record in _history(defect).records if record.get("header") == "queue"]
    lines = [f"\n## {defect.apar}\n", f"{defect.title}.\n", *told, *calls, ""]
    for row in found:
        rule = catalogue.rule(row["rule"])
        lines.append(
            f"**{row['verdict']} of {rule.id}** ({rule.title}): {row['explanation']}".replace(f"{defect.apar}/", "")
        )
        lines.append("")
    if not found:
        lines += [f"Not found: {defect.why_not}.", ""]
    return "\n".join(lines)


def _definition(record: Record) -> str:
    """Return the known facts of the queue, or of the queue manager, as a line of the page."""
    attributes = {name: value for name, value in record.items() if name not in ("header", "qmgr", "queue")}
    told = ", ".join(f"{name} {value}" for name, value in attributes.items())
    return f"- known of {'the queue' if record['queue'] else 'the queue manager'}: {told}"


def _calls(defect: Defect) -> Iterator[Record]:
    return (record for record in _history(defect).records if "header" not in record)


def _call(record: Record) -> str:
    """Return a call as a line of the page."""
    name = str(record["conn"]).partition("/")[2]
    parts = [f"`{record['call']}`"]
    if record.get("msg_id"):
        parts.append(f"message {bytes.fromhex(record['msg_id']).rstrip(chr(0).encode()).decode()}")
    options = _OPTIONS.get(record["call"])
    if options is not None and record.get("options"):
        parts.append(options.describe(record["options"]))
    if record.get("match_options"):
        parts.append(MQMO.describe(record["match_options"]))
    for member, word in (("priority", "Priority"), ("backout_count", "BackoutCount")):
        if record.get(member):
            parts.append(f"{word} {record[member]}")
    if record["comp_code"]:
        parts.append(f"{MQCC.name_of(record['comp_code'])} {MQRC.describe(record['reason'])}")
    return f"- {record['start_us']} to {record['end_us']} us, {name}: {', '.join(parts)}"


def _of_engine() -> str:
    with started(choose(LOCAL, None, 0)) as engine:
        return page(engine)


if __name__ == "__main__":
    sys.exit(page_command(PAGE, _of_engine))
