"""The sentences that the page and the terminal share."""

from __future__ import annotations

from oracle.judging.verdicts import FindingKind
from spark_checks.reports.results import Results
from spark_checks.times import duration, moment


def counted(count: int, one: str, many: str = "") -> str:
    """Return a number with the word for what it counts."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def copied(copies: int) -> str:
    """Return how many records are copies, in words."""
    return counted(copies, "record is a copy of another", "records are copies of others")


def unread(results: Results) -> str:
    """Return a sentence on how much of the log could not be read."""
    everything = results.records + results.unreadable
    return f"{results.unreadable:,} of {counted(everything, 'record')} could not be read"


def nothing_tested(results: Results) -> str:
    """Return the reason why an audit tested nothing."""
    lacking = len(results.not_checkable)
    why = f"{counted(lacking, 'rule')} could not be checked with this log" if lacking else "no rule was exercised"
    return f"nothing was tested: {why}"


def sentence(results: Results) -> str:
    """Return the verdict in one sentence, for a reader without time."""
    found = [
        counted(results.count(kind), kind.value)
        for kind in (FindingKind.VIOLATION, FindingKind.SUSPICION)
        if results.count(kind)
    ]
    checked = [rule for rule in results.rules if rule.result.checked]
    if found:
        rules = sum(bool(rule.new_violations or rule.new_suspicions) for rule in results.rules)
        said = f"{' and '.join(found)} of {counted(rules, 'rule')}"
    elif results.is_empty:
        said = nothing_tested(results)
    else:
        said = f"no violation found; {counted(len(checked), 'rule was', 'rules were')} checked"
    if results.excused:
        said += f", {counted(results.excused, 'known finding')}"
    if results.stale:
        said += (
            f"; {counted(len(results.stale), 'known deviation no longer occurs', 'known deviations no longer occur')}"
        )
    if results.unreadable:
        said += f"; {unread(results)}"
    return said


def covered(results: Results) -> str:
    """Return the coverage of the log in a sentence or two."""
    said = (
        f"{counted(results.records, 'call')} of {counted(results.connections, 'connection')} "
        f"from {moment(results.first_us)} to {moment(results.last_us)} "
        f"({duration(results.last_us - results.first_us)}). "
    )
    if results.copies:
        said += f"{copied(results.copies)}: each call is judged once. "
    said += (
        "The log says that it contains every call."
        if results.complete
        else "The log may lack calls, so a missing call proves nothing."
    )
    checked = len(results.rules) - len(results.not_checkable) - len(results.not_exercised)
    said += f" {counted(checked, 'rule was', 'rules were')} checked, {len(results.not_checkable):,} could not be"
    unused = counted(len(results.not_exercised), "rule was", "rules were")
    return f"{said}, and {unused} not exercised."
