"""A first file of known deviations, made of a report: `mq-audit known`."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date
from glob import escape
from pathlib import Path
from typing import Any

from oracle.errors import BadInputError, Place
from oracle.judging.deviations import write_deviations
from oracle.text.yaml_files import read_text
from spark_checks.output.destination import no_report
from spark_checks.reports.gathering import OTHER_WAYS
from spark_checks.reports.texts import counted

SUMMARY = "summary.json"

_Way = tuple[str, str, str, str]
"""The common fields of an entry's findings: rule, queue manager, queue and sentence, as patterns."""


def deviations_of(directory: Path, review: date) -> str:
    """Return the text of a file with an entry for each cause in a report that is not known yet.

    Raises UsageError if the directory is no report, BadInputError if its summary is damaged.
    """
    path = directory / SUMMARY
    if not path.is_file():
        raise no_report(directory, SUMMARY)
    try:
        causes = json.loads(read_text(path))["causes"]
        counts = Counter[_Way]()
        for cause in causes:
            if not cause["known"] and cause["way"] != OTHER_WAYS:
                qmgr, queue = (_pattern(cause[name]) or "*" for name in ("qmgr", "queue"))
                counts[cause["rule"], qmgr, queue, _pattern(cause["way"])] += cause["findings"]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise BadInputError(
            "not the summary of an audit of this version: make the report again", Place(str(path))
        ) from error
    return write_deviations(_entry(way, count, review) for way, count in counts.items())


def _entry(way: _Way, count: int, review: date) -> dict[str, Any]:
    rule, qmgr, queue, observed = way
    return {
        "rule": rule,
        "qmgr": qmgr,
        "queue": queue,
        "observed": observed,
        "reason": f"not looked into yet: {counted(count, 'finding')} when this was written",
        "review": review,
    }


def _pattern(text: str) -> str:
    """Return a pattern for a text in which `*` stands for what differs."""
    return "*".join(escape(piece) for piece in text.split("*"))
