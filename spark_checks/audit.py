"""The audit: read inputs, prepare the log, run all checks, and judge every rule."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.storagelevel import StorageLevel

from oracle.verdicts import AuditVerdict, FindingKind
from spark_checks.checks import CHECKS
from spark_checks.checks.base import Check, Concern
from spark_checks.findings import candidates, findings
from spark_checks.preparation.columns import holds
from spark_checks.preparation.facts import log_facts
from spark_checks.preparation.log import Log, prepare
from spark_checks.preparation.sweep import best_answers, sweep, with_rows
from spark_checks.readers.load import ReadLog, read_log

Progress = Callable[[str], None]
"""Told in a few words what the audit is about to do."""


@dataclass(frozen=True)
class RuleResult:
    """The judgement on one rule: its findings by kind, and of how many records it could speak."""

    rule: str
    violations: int
    suspicions: int
    checked: int
    not_checkable: int
    missing: tuple[str, ...]

    @property
    def verdict(self) -> AuditVerdict:
        """The verdict; a rule that no record let it check is never said to conform."""
        if self.violations:
            return AuditVerdict.VIOLATES
        if self.suspicions:
            return AuditVerdict.SUSPICION
        return AuditVerdict.CONFORMS if self.checked else AuditVerdict.NOT_CHECKABLE


@dataclass(frozen=True)
class Audit:
    """The outcome of an audit.

    `findings` has the columns of the report, `faults` those of `unreadable.jsonl`.
    """

    records: int
    unreadable: int
    seconds: float
    rules: tuple[RuleResult, ...]
    findings: DataFrame
    faults: DataFrame


def coverage(log: Log, concerns: Sequence[Concern]) -> dict[str, tuple[int, int, tuple[str, ...]]]:
    """Count in one pass, for each rule, the records it judged and those it could not, and what those lack."""
    columns = []
    for number, concern in enumerate(concerns):
        lacks = {name: concern.records & holds(missing) for name, missing in concern.missing.items()}
        lacking = fn.lit(False)
        for condition in lacks.values():
            lacking = lacking | condition
        columns += [
            fn.count(fn.when(concern.records & ~lacking, 1)).alias(f"checked{number}"),
            fn.count(fn.when(lacking, 1)).alias(f"not{number}"),
            fn.array_compact(
                fn.array(fn.lit(None).cast("string"), *(fn.max(fn.when(c, fn.lit(n))) for n, c in lacks.items()))
            ).alias(f"missing{number}"),
        ]
    row = log.moves.agg(*columns).collect()[0]
    return {
        concern.rule: (row[f"checked{n}"], row[f"not{n}"], tuple(sorted(row[f"missing{n}"])))
        for n, concern in enumerate(concerns)
    }


def _count(found: DataFrame) -> dict[tuple[str, str], int]:
    rows = found.groupBy("rule", "verdict").count().collect()
    return {(row["rule"], row["verdict"]): int(row["count"]) for row in rows}


def _answers(log: Log, checks: Sequence[Check]) -> DataFrame:
    """Run the sweep that the checks share, and return each answer with its rows."""
    placed = reduce(DataFrame.unionByName, [frame for check in checks for frame in check.places(log)])
    answers = best_answers(sweep(placed), [check.families for check in checks])
    few = answers.persist(StorageLevel.MEMORY_AND_DISK)
    few.count()  # so that Spark knows how few they are when it joins them
    return with_rows(few, log.moves)


def _findings(log: Log, checks: Sequence[Check]) -> DataFrame:
    of_moves = [statement for check in checks for statement in check.of_moves(log)]
    of_answers = [statement for check in checks for statement in check.of_answers(log)]
    found = candidates(log.moves, of_moves).unionByName(candidates(_answers(log, checks), of_answers))
    return findings(found).persist(StorageLevel.MEMORY_AND_DISK)


def audit_log(read: ReadLog, checks: Sequence[Check] = CHECKS, progress: Progress = lambda _: None) -> Audit:
    """Audit what was read.

    Raises BadInputError if the log's headers contradict each other.
    """
    begun = time.monotonic()
    facts = log_facts(read.headers, read.unreadable)
    progress("matching puts and gets")
    log = prepare(read.calls, facts)
    covered = coverage(log, [concern for check in checks for concern in check.concerns(log)])
    progress("checking the rules")
    found = _findings(log, checks)
    counts = _count(found)
    rules = tuple(
        RuleResult(
            rule,
            counts.get((rule, FindingKind.VIOLATION.value), 0),
            counts.get((rule, FindingKind.SUSPICION.value), 0),
            checked,
            not_checkable,
            missing,
        )
        for rule, (checked, not_checkable, missing) in covered.items()
    )
    return Audit(read.records, read.unreadable, time.monotonic() - begun, rules, found, read.faults)


def audit(
    spark: SparkSession,
    inputs: Iterable[Path],
    progress: Progress = lambda _: None,
    before: Sequence[Path] = (),
    after: Sequence[Path] = (),
) -> Audit:
    """Read inputs as one log and audit it; `before` and `after` are as for read_log.

    Raises BadInputError as read_log and audit_log do.
    """
    progress("reading the log")
    return audit_log(read_log(spark, inputs, before, after), progress=progress)
