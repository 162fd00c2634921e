"""The JUnit report: one test case for each check, as continuous integration shows them."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

from conformance.checks import CheckResult, Counterexample
from conformance.events import Event, RunFinished
from conformance.reports import texts
from conformance.reports.files import write_report
from oracle.verdicts import Verdict

_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot hold; a target's standard error may have them."""


class JunitReport:
    """Writes the report when the run is over."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def notify(self, event: Event) -> None:
        """Write the report at the end.

        Raises UsageError if the file cannot be written.
        """
        if isinstance(event, RunFinished):
            write_report(self._path, document(event))


def document(finished: RunFinished) -> str:
    """Return the report as text."""
    counts = Counter(result.verdict for result in finished.results)
    suite = ET.Element(
        "testsuite",
        name="mq-conform",
        tests=str(len(finished.results)),
        failures=str(counts[Verdict.VIOLATES]),
        errors=str(counts[Verdict.TARGET_ERROR]),
        skipped=str(counts[Verdict.NOT_APPLICABLE] + counts[Verdict.UNDECIDED]),
        time=f"{sum(result.seconds for result in finished.results):.3f}",
    )
    properties = ET.SubElement(suite, "properties")
    for name, value in (("target", finished.started.target), ("seed", str(finished.started.seed))):
        ET.SubElement(properties, "property", name=name, value=_clean(value))
    for result in finished.results:
        _add_case(suite, result)
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _add_case(suite: ET.Element, result: CheckResult) -> None:
    case = ET.SubElement(
        suite,
        "testcase",
        classname=f"mq-conform.{result.check.area}",
        name=result.check.id,
        time=f"{result.seconds:.3f}",
    )
    if result.counterexample is not None:
        _add(case, "failure", texts.explanation(result.counterexample), _story(result, result.counterexample))
    elif result.verdict is Verdict.TARGET_ERROR:
        _add(case, "error", result.error.partition("\n")[0], result.error)
    elif result.verdict is not Verdict.CONFORMS:
        _add(case, "skipped", f"{result.verdict.value}: {result.missing}", "")


def _story(result: CheckResult, found: Counterexample) -> str:
    return "\n".join(
        (
            *texts.calls(found),
            f"allowed: {texts.allowed(found)}",
            f"observed: {texts.observed(found)}",
            f"rules: {', '.join(result.blamed)}",
        )
    )


def _add(case: ET.Element, tag: str, message: str, text: str) -> None:
    ET.SubElement(case, tag, message=_clean(message)).text = _clean(text)


def _clean(text: str) -> str:
    return _NOT_IN_XML.sub("?", text)
