"""JUnit's form of a report for continuous integration: one suite of test cases."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree as ET

_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML does not allow; output of programs and logs may contain them."""


@dataclass(frozen=True, slots=True)
class Case:
    """A test case."""

    group: str
    """Its group, such as an area of the catalogue; it ends the name of its class."""
    name: str
    """Its name."""
    ended: Literal["failure", "error", "skipped"] | None = None
    """Its outcome. None: it passed."""
    message: str = ""
    """The reason in one line."""
    text: str = ""
    """The details. They are the output of a case that passed."""
    seconds: float = 0.0
    """Its duration in seconds; 0 if unknown."""


def document(suite_name: str, cases: Iterable[Case], properties: Mapping[str, str]) -> str:
    """Return the report as text; a case that passed shows its text as its output."""
    all_cases = list(cases)
    counts = Counter(case.ended for case in all_cases)
    suite = ET.Element(
        "testsuite",
        name=suite_name,
        tests=str(len(all_cases)),
        failures=str(counts["failure"]),
        errors=str(counts["error"]),
        skipped=str(counts["skipped"]),
        time=f"{sum(case.seconds for case in all_cases):.3f}",
    )
    listed = ET.SubElement(suite, "properties")
    for name, value in properties.items():
        ET.SubElement(listed, "property", name=name, value=_clean(value))
    for case in all_cases:
        _add_case(suite, suite_name, case)
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _add_case(suite: ET.Element, suite_name: str, case: Case) -> None:
    element = ET.SubElement(
        suite, "testcase", classname=f"{suite_name}.{case.group}", name=_clean(case.name), time=f"{case.seconds:.3f}"
    )
    if case.ended is not None:
        ET.SubElement(element, case.ended, message=_clean(case.message)).text = _clean(case.text)
    elif case.text:
        ET.SubElement(element, "system-out").text = _clean(case.text)


def _clean(text: str) -> str:
    return _NOT_IN_XML.sub("?", text)
