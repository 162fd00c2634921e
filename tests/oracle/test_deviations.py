"""Known deviations: the contents of a file, and the departures that an entry excuses."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from oracle.errors import BadInputError
from oracle.judging.deviations import Deviation, parse_deviations, parse_log_deviations, read_deviations

ENTRY = """deviations:
  - rule: LCK-15
    target: Some MQ*
    version: "2.*"
    observed: FAILED 2033 NO_MSG_AVAILABLE
    reason: UNLOCK comes with 3.0
    link: https://example.com/17
    review: 2027-03-31
"""


def entry(text: str = ENTRY) -> Deviation:
    return parse_deviations(text, "known.yaml")[0]


def test_an_entry_is_about_a_target_and_a_version() -> None:
    assert entry().is_about("some mq server", "2.4")
    assert not entry().is_about("some mq server", "3.0")
    assert not entry().is_about("another", "2.4")


@pytest.mark.parametrize(
    ("version", "seen", "about"),
    [
        (">=2.0 <3", "2.10.1", True),
        (">=2.0, <3", "2", True),
        (">=2.0 <3", "3.0", False),
        (">2.9", "2.10", True),
        ("<=2.9", "2.10", False),
        ("==2.1", "2.1.0", True),
        ("==2.1", "2.1.1", False),
        ("2.1", "2.2", True),
    ],
)
def test_a_version_is_a_range_and_one_version_is_no_limit(version: str, seen: str, about: bool) -> None:
    found = entry(ENTRY.replace("2.*", version))
    assert found.is_about("some mq server", seen) == about
    assert found.is_for_other_version(seen) == (version == "2.1")


def test_an_entry_covers_its_rule_in_every_check() -> None:
    assert entry().covers("lock/any", ("PRI-03", "LCK-15"))
    assert not entry().covers("lock/any", ("LCK-17",))


def test_an_entry_for_a_check_covers_whatever_it_breaks() -> None:
    about_check = entry(ENTRY.replace("rule: LCK-15", "check: lock/*"))
    assert about_check.covers("lock/any", ("PRI-03",))
    assert not about_check.covers("browse/any", ("PRI-03",))


def test_an_entry_excuses_one_way_only() -> None:
    assert entry().is_seen_in("FAILED 2033 NO_MSG_AVAILABLE")
    assert not entry().is_seen_in("OK 0 NONE")


def test_an_entry_is_due_from_its_day_on() -> None:
    assert not entry().is_due(date(2027, 3, 30))
    assert entry().is_due(date(2027, 3, 31))


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("rule: LCK-15", "rule: LCK-99", 2, "there is no rule 'LCK-99'"),
        ("review: 2027-03-31", "review: soon", 8, "deviations.0.review must be a day, such as 2027-03-31"),
        ("review: 2027-03-31", "review: 2027-99-01", 8, "2027-99-01: month must be in 1..12"),
        ("target: Some MQ*", "target: 7", 3, "deviations.0.target must be text"),
        ("FAILED 2033 NO_MSG_AVAILABLE", "''", 5, "deviations.0.observed must not be empty"),
        ("reason: UNLOCK comes with 3.0", "because: so", 2, "deviations.0.reason is missing"),
        ('"2.*"', '">=two"', 4, "'>=two' is not a bound of a range of versions; write it as >=2.0 <3"),
        ('"2.*"', '"<"', 4, "'<' is not a bound of a range of versions"),
        ("    link:", "    links:", 7, "there are rule, observed, reason, link, review, check, target, version"),
        ("rule: LCK-15", "check: locks/*", 2, "there is no check 'locks/*'"),
        ("rule: LCK-15\n    target", "target", 2, "say which rule or which check"),
        ("deviations:", "deviation:", 1, "deviations is missing"),
        (ENTRY, "", 1, "the file is empty; there are deviations"),
        (ENTRY, "# nothing yet", 1, "the file is empty; there are deviations"),
        (ENTRY, "- LCK-15", 1, "the file must have members by name; there are deviations"),
        (ENTRY, "deviations: LCK-15", 1, "deviations must be a list"),
        (ENTRY, "deviations: [LCK-15]", 1, "deviations.0 must have members by name; there are rule, observed"),
        ("  - rule", "  - [rule", None, "not YAML"),
        ("    link:", "    observed: OK\n    link:", 7, "observed is given twice"),
    ],
)
def test_a_mistake_is_told_with_its_line(old: str, new: str, line: int | None, said: str) -> None:
    with pytest.raises(BadInputError) as caught:
        parse_deviations(ENTRY.replace(old, new), "known.yaml", checks=["lock/one"])
    assert said in str(caught.value)
    assert str(caught.value).startswith("known.yaml:")
    if line is not None:
        assert caught.value.place is not None
        assert caught.value.place.line == line


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"absent\.yaml: cannot be read: No such file"):
        read_deviations(tmp_path / "absent.yaml")
    (tmp_path / "binary.yaml").write_bytes(b"\xfe\x00")
    with pytest.raises(BadInputError, match="not UTF-8 text"):
        read_deviations(tmp_path / "binary.yaml")


FOR_THE_AUDIT = """
deviations:
  - rule: PRI-*
    qmgr: QM1
    queue: ORDERS.*
    observed: "*was delivered before*"
    reason: the old gateway reorders
    review: 2027-03-31
"""


def test_an_entry_for_the_audit_is_about_queues() -> None:
    (entry,) = parse_log_deviations(FOR_THE_AUDIT, "known.yaml")
    assert entry.is_about("QM1", "ORDERS.IN")
    assert not entry.is_about("QM2", "ORDERS.IN")
    assert not entry.is_about("QM1", None)
    assert entry.covers("PRI-04")
    assert not entry.covers("EXP-09")
    assert entry.about == "rule PRI-*, queue ORDERS.*, queue manager QM1"


@pytest.mark.parametrize(
    ("old", "new", "line", "told"),
    [
        ("rule: PRI-*", "rule: XYZ-01", 3, "there is no rule 'XYZ-01'"),
        ("    qmgr: QM1", "    target: QM1", 4, "there are rule, observed, reason, link, review, qmgr, queue"),
        ("  - rule: PRI-*\n    qmgr", "  - qmgr", 3, "deviations.0.rule is missing"),
    ],
)
def test_a_mistake_in_an_entry_for_the_audit_is_told_with_its_line(old: str, new: str, line: int, told: str) -> None:
    with pytest.raises(BadInputError, match=rf"^known\.yaml:{line}: ") as raised:
        parse_log_deviations(FOR_THE_AUDIT.replace(old, new), "known.yaml")
    assert told in str(raised.value)
