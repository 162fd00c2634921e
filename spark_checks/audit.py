"""The audit in one function: read inputs, prepare the log, run all checks, and judge every rule."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from oracle.judging.verdicts import FindingKind
from spark_checks.checks import CHECKS
from spark_checks.checks.base import Check
from spark_checks.coverage.coverage import Coverage, covered
from spark_checks.frames import Engine, Frame, union
from spark_checks.frames import functions as fn
from spark_checks.frames.kinds import Kinds
from spark_checks.preparation.facts import log_facts
from spark_checks.preparation.fronts import fronts, with_fronts
from spark_checks.preparation.keeping import kept
from spark_checks.preparation.log import Log, prepare
from spark_checks.preparation.sweep import ROW, Pass, Stretches, best_answers, busy_keys, spots, sweep, with_rows
from spark_checks.preparation.wholes import with_wholes
from spark_checks.readers.inputs import Inputs
from spark_checks.readers.load import ReadLog, read_log
from spark_checks.replay.pieces import DEFAULT_LIMIT
from spark_checks.replay.queues import Replay, not_said_yet, replay
from spark_checks.replay.replayed import Replayed
from spark_checks.results.findings import BY_ITSELF, FROM_REPLAY, Statement, candidates, findings, located
from spark_checks.results.rule_results import Covered, RuleResult
from spark_checks.shapes.grouping import shapes_of, violating

_MOST_IN_ONE_TASK = 1_000_000
_SAMPLED_ONE_IN = 16

Progress = Callable[[str], None]
"""A function that is called with a few words about the next step of the audit."""


@dataclass(frozen=True)
class Audit:
    """The outcome of an audit."""

    read: ReadLog
    """What was read from the inputs."""
    log: Log
    """The log as prepared for the checks."""
    seconds: float
    """The time that preparing and checking took, in seconds; reading is not included."""
    rules: tuple[RuleResult, ...]
    """The result for each rule, ordered by id."""
    findings: Frame
    """The findings, with the columns of a report (spark_checks.results.findings)."""
    replayed: Replayed
    """The part of the log that the oracle followed call by call."""


def _count(found: Frame) -> dict[tuple[str, str], int]:
    rows = found.group_by("rule", "verdict").count().collect()
    return {(row["rule"], row["verdict"]): int(row["count"]) for row in rows}


def _stretches(log: Log, rows: Frame, passes: Sequence[Pass], records: int) -> list[Stretches]:
    """Cut the rows of the sweep where one queue has so large a part of a large log that other cores would be idle.

    The cuts are chosen from a sample of the rows: they need not be exact, and placing all rows takes long.
    """
    most = max(_MOST_IN_ONE_TASK, records // (2 * rows.engine.parallelism))
    largest = max((of_queue["moves"] for of_queue in log.gathered.moves.values()), default=0)
    if min(records, largest) <= most:
        return []
    sample = rows.where(fn.pmod(ROW, fn.lit(_SAMPLED_ONE_IN)) == 0)
    return busy_keys(kept(spots(sample, passes)), most // _SAMPLED_ONE_IN)


@dataclass(frozen=True)
class Judged:
    """The findings of a log, and what a later day needs besides."""

    findings: Frame
    """The findings, with the columns of the report, BY_ITSELF and FROM_REPLAY."""
    answers: Frame
    """The answers of the shared sweep, each with the rows of its query and of its offer."""
    fronts: Frame | None
    """The calls that looked from the front of their queue on, and how that is known.

    None if there are none; see spark_checks.preparation.fronts.
    """


def _passes(log: Log, checks: Sequence[Check]) -> list[Pass]:
    """Return the passes in which some row of the log may answer another; one at least."""
    passes = [one for check in checks for one in check.passes(log)]
    return [one for one in passes if one.may_answer(log.kinds)] or passes[:1]


def _statements(
    log: Log, checks: Sequence[Check], passes: Sequence[Pass], answers: Frame
) -> list[tuple[Frame, Sequence[Statement]]]:
    """Return the frames that the checks look at, each with the statements that may be true of its rows."""
    families = Kinds([{"family": one.family} for one in passes])
    of_moves = [statement for check in checks for statement in check.of_moves(log)]
    of_answers = [statement for check in checks for statement in check.of_answers(log)]
    shared = [(log.moves, log.kinds, of_moves), (answers, families, of_answers)]
    possible = [(rows, [one for one in all_ if kinds.may_hold(one.where)]) for rows, kinds, all_ in shared]
    frames = [frame for frame in possible if frame[1]] or [(log.moves, of_moves[:1])]
    return [*frames, *(frame for check in checks for frame in check.of_frames(log))]


def _answers(log: Log, checks: Sequence[Check], passes: Sequence[Pass], records: int, of_fronts: Frame | None) -> Frame:
    """Run the shared sweep, and return each answer with its rows. `of_fronts` are the log's `fronts`."""
    read = {name for one in passes for name in one.reads()}
    columns = {name: column() for check in checks for name, column in check.columns.items() if name in read}
    rows = with_wholes(with_fronts(log.moves, of_fronts), log).with_columns(columns)
    swept = sweep(spots(rows, passes), _stretches(log, rows, passes, records))
    answers = best_answers(swept, [check.families for check in checks])
    answered = kept(answers)
    return with_rows(answered, answered.count(), log.moves)


def judge(log: Log, checks: Sequence[Check], by_shapes: Frame | None, replayed: Replay, records: int) -> Judged:
    """Apply the checks to a log of about `records` records.

    `by_shapes` are the candidates of the shapes of its calls.
    """
    of_fronts, passes = fronts(log), _passes(log, checks)
    answers = _answers(log, checks, passes, records, of_fronts)
    found = union([candidates(rows, statements) for rows, statements in _statements(log, checks, passes, answers)])
    if by_shapes is not None:
        found = found.union_by_name(by_shapes)
    if replayed.candidates is not None:
        found = kept(found)
        found = found.union_by_name(not_said_yet(found, replayed.candidates))
    few = kept(findings(found))
    return Judged(kept(located(few, log.calls, few.count())), answers, of_fronts)


def rule_results(of_rules: Coverage, found: Frame, replayed: Replayed) -> tuple[RuleResult, ...]:
    """Combine per rule what the checks covered, what the oracle followed, and the number of findings."""
    counts = _count(found)
    covered_by = {rule: Covered(replayed.rules.get(rule, 0)) for rule, _ in counts} | dict(of_rules)
    return tuple(
        RuleResult.of(
            rule,
            covered_by[rule],
            counts.get((rule, FindingKind.VIOLATION.value), 0),
            counts.get((rule, FindingKind.SUSPICION.value), 0),
        )
        for rule in sorted(covered_by)
    )


def audit_log(
    read: ReadLog,
    checks: Sequence[Check] = CHECKS,
    progress: Progress = lambda _: None,
    *,
    replay_limit: int = DEFAULT_LIMIT,
) -> Audit:
    """Audit what was read.

    The oracle follows at most `replay_limit` calls of each queue whose calls have a certain order.

    Raises BadInputError if the log's headers contradict each other.
    """
    begun = time.monotonic()
    facts = log_facts(read.headers, read.unreadable)
    progress("matching puts and gets")
    log = prepare(read.calls, facts)
    shapes = shapes_of(log.calls, facts)
    of_rules = covered(log, checks, shapes.said)
    progress("checking the rules")
    replayed = replay(log, read.headers, replay_limit) if replay_limit else Replay()
    by_shapes = violating(shapes, complete=facts.complete)
    found = judge(log, checks, by_shapes, replayed, read.records).findings.drop(BY_ITSELF, FROM_REPLAY)
    rules = rule_results(of_rules, found, replayed.replayed)
    return Audit(read, log, time.monotonic() - begun, rules, found, replayed.replayed)


def audit(
    engine: Engine,
    inputs: Inputs | Iterable[Path],
    progress: Progress = lambda _: None,
    *,
    replay_limit: int = DEFAULT_LIMIT,
) -> Audit:
    """Read inputs as one log and audit it. `replay_limit` has the meaning that it has in audit_log.

    Raises BadInputError as read_log and audit_log do.
    """
    progress("reading the log")
    return audit_log(read_log(engine, inputs), progress=progress, replay_limit=replay_limit)
