"""Daily audits: each day's log is judged together with the calls of earlier days that may still matter.

A finding is reported on the day on which the last call that it needs was read. Some findings say that a call is
missing; a call that was under way when the day's log ended is not in it, so findings are held for a quarter of an hour
of the log before they are reported. On the last day none is held. A finding that a later day explains is withdrawn.

The oracle continues to follow a queue from the last time at which it was empty and at rest, if all calls since then are
remembered. Its findings are reported once and never withdrawn.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from oracle.mqi.constants import MQGMO, MQRC
from spark_checks.audit import Audit, judge, rule_results
from spark_checks.checks import CHECKS
from spark_checks.checks.base import Check
from spark_checks.coverage.coverage import covered
from spark_checks.days.carrying import Times, carried_calls
from spark_checks.days.memory import DIGEST, MARK, Memory, recall, remember
from spark_checks.days.seen import with_read, without_seen
from spark_checks.days.state_files import REMEMBER_HOURS, fingerprints, refuse_known
from spark_checks.frames import Column, Engine, Frame
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import has, holds
from spark_checks.preparation.connections import CARRIED, call_row, is_own
from spark_checks.preparation.facts import LogFacts, Stretch, log_facts
from spark_checks.preparation.keeping import kept
from spark_checks.preparation.log import Log, prepare
from spark_checks.preparation.sweep import ROW
from spark_checks.readers.inputs import Inputs
from spark_checks.readers.load import read_log
from spark_checks.readers.streams import OverDays
from spark_checks.replay.pieces import DEFAULT_LIMIT
from spark_checks.replay.queues import Replay, replay
from spark_checks.results.findings import BY_ITSELF, FROM_REPLAY
from spark_checks.shapes.grouping import shapes_of, violating
from spark_checks.times import HOUR_US

REMEMBER_US = REMEMBER_HOURS * HOUR_US
REST_US = HOUR_US // 4
COUNTED = ("DLV-06", "DEP-06", "RPT-01")
"""The rules about a number of messages, on a queue or about another message."""


@dataclass(frozen=True)
class Days:
    """The settings of daily audits. Times are microseconds of the log, counted back from its last call's end."""

    directory: Path
    """The state directory, with what earlier days left."""
    final: bool = False
    """Whether no day follows. If so, no finding is held."""
    remember_us: int = REMEMBER_US
    """The time for which all calls are carried to the next day.

    Earlier calls are carried if they may still matter (spark_checks.days.carrying).
    """
    rest_us: int = REST_US
    """The time for which findings are held before they are reported.

    All calls of that time are carried, even if `remember_us` is less.
    """


@dataclass(frozen=True)
class Day:
    """The audit of a day."""

    audit: Audit
    """The audit, with the findings that are reported on this day."""
    withdrawn: Frame
    """The findings reported on earlier days that no longer hold."""
    withdrawn_count: int
    """The number of these."""
    memory: Memory
    """The facts that the next day needs."""
    directory: Path
    """The state directory that this is written to."""

    def close(self) -> None:
        """Write the state. Call this when the day's report is written: then all of its findings count as reported."""
        remember(self.memory, self.withdrawn, self.directory)


def _digest() -> Column:
    """Return what distinguishes findings: everything except times and counts, which a later day may know better.

    It begins with a mark if one call and its handle decide the finding.
    """
    calls = fn.transform("calls", lambda call: fn.concat_ws("/", call["conn"], call["seq"].cast("string")))
    explanation = fn.when(~fn.col("rule").is_in(*COUNTED), fn.col("explanation"))
    parts = (*map(fn.col, ("rule", "verdict", "qmgr", "queue", "msg_id", "conn")), explanation)
    known = [fn.coalesce(part, fn.lit("")) for part in parts]
    mark = fn.when(fn.col(BY_ITSELF), MARK).otherwise("")
    return fn.concat(mark, fn.md5(fn.concat_ws("\n", *known, fn.array_join(calls, "\n"))))


def _prepared(own: Frame, facts: LogFacts, memory: Memory, days: Days) -> tuple[Log, Times]:
    """Return the log of a day's own calls and the remembered ones, and its times. Neither time ever goes back.

    A call that an earlier day has read is not judged again, whether or not it is still remembered.
    """
    fresh = without_seen(own, memory.seen, memory.horizon_us)
    calls = fresh.with_column(CARRIED, fn.lit(None).cast("string"))
    if memory.calls is not None:
        calls = calls.union_by_name(memory.calls)
    log = prepare(calls, facts, memory.gathered)
    last_us = log.calls.agg(fn.max("end_us")).collect()[0][0]
    horizon_us = last_us - max(days.remember_us, days.rest_us)
    told_us = last_us if days.final else last_us - days.rest_us
    times = Times(max(memory.horizon_us, horizon_us), max(memory.told_us, told_us))
    stretch = Stretch(memory.horizon_us, memory.told_us, times.told_us)
    return replace(log, facts=replace(facts, stretch=stretch)), times


def _fresh(log: Log) -> Log:
    """Return the log with only the calls and moves of the day itself."""
    return replace(log, gathered=log.own, calls=log.calls.where(is_own()), moves=log.moves.where(is_own()))


def _judged_once(reported: Frame, calls: Frame) -> Frame:
    """Return the digests of the reported findings about a carried BROWSE_NEXT in logical order that found nothing.

    Which browse came before a carried one is not known (spark_checks.preparation.fronts), so it is not judged again:
    what it did not find stays lost, though it is seen on a later day.
    """
    in_order = has("options", MQGMO.BROWSE_NEXT) & has("options", MQGMO.LOGICAL_ORDER)
    in_vain = holds(in_order & (fn.col("reason") == MQRC.NO_MSG_AVAILABLE))
    browses = calls.where(~is_own() & in_vain).select(call_row().alias(ROW))
    called = reported.select("qmgr", DIGEST, fn.explode("calls").alias("call"))
    return called.select(DIGEST, call_row("call").alias(ROW)).join(browses, ROW, "left_semi").select(DIGEST).distinct()


def _compared(
    findings: Frame, reported: Frame | None, calls: Frame, days: Days, ended_us: int
) -> tuple[Frame, Frame, Frame]:
    """Return the findings to report, all reported ones that still hold, and those reported before that no longer hold.

    A finding that a call and its handle decide (spark_checks.shapes) is reported at once and never withdrawn, because
    it depends only on earlier calls of its connection. So it is looked for among the calls of the day alone. Such a
    rule may also be broken by several calls together: that finding is held like all others. A finding from counts is
    never withdrawn either, because a later day no longer has everything that counts. Nor is one about a call that is
    not judged again. `calls` are those of the log.
    """
    by_itself = fn.substring(DIGEST, 1, 1) == MARK
    rested = fn.lit(days.final) | by_itself | fn.forall("calls", lambda call: call["end_us"] <= ended_us)
    for_good = by_itself | fn.col("rule").is_in(*COUNTED)
    found = findings.with_column(DIGEST, _digest()).drop(BY_ITSELF)
    if reported is None:
        to_report = found.where(rested)
        return to_report, to_report, found.where(fn.lit(False))
    to_report = found.where(rested).join(reported.select(DIGEST), DIGEST, "left_anti").select(*found.columns)
    again = reported.where(~for_good).join(_judged_once(reported, calls), DIGEST, "left_anti")
    gone = again.join(found.select(DIGEST), DIGEST, "left_anti").select(*found.columns)
    stay = reported.join(gone.select(DIGEST), DIGEST, "left_anti").select(*found.columns)
    return to_report, to_report.union_by_name(stay), gone


def audit_day(
    engine: Engine,
    inputs: Inputs | Iterable[Path],
    days: Days,
    progress: Callable[[str], None] = lambda _: None,
    *,
    checks: Sequence[Check] = CHECKS,
    replay_limit: int = DEFAULT_LIMIT,
) -> Day:
    """Audit the log of a day after the earlier days, which the state in `days.directory` represents.

    `replay_limit` is how many calls of each queue the oracle follows; once it is 0, no later day can follow any.
    Coverage counts the day's own records. Raises UsageError for an input that was read on an earlier day, and
    BadInputError as read_log, audit_log and recall do.
    """
    given = Inputs.of(inputs)
    memory = recall(engine, days.directory)
    files = fingerprints(given.paths)
    refuse_known(memory.inputs, files)
    progress("reading the log")
    over_days = OverDays(memory.begun, goes_on=not days.final)
    read = read_log(engine, given, over_days=over_days)
    begun = time.monotonic()
    headers = tuple(dict.fromkeys([*memory.headers, *read.headers]))
    unreadable = memory.unreadable + read.unreadable
    progress("matching puts and gets")
    facts = log_facts(headers, unreadable)
    log, times = _prepared(read.calls, facts, memory, days)
    fresh = _fresh(log)
    shapes = shapes_of(log.calls, facts)
    of_rules = covered(fresh, checks, shapes.said)
    progress("checking the rules")
    by_shapes = violating(shapes, complete=facts.complete)
    replayed = replay(log, headers, replay_limit, memory.rests) if replay_limit else Replay()
    judgement = judge(log, checks, by_shapes, replayed, read.records)
    found = judgement.findings.where(~fn.col(FROM_REPLAY)).drop(FROM_REPLAY)
    compared, reported, withdrawn = _compared(found, memory.reported, log.calls, days, times.told_us)
    to_report = kept(
        compared.drop(DIGEST).union_by_name(judgement.findings.where(FROM_REPLAY).drop(BY_ITSELF, FROM_REPLAY))
    )
    carried = carried_calls(log, judgement, found, times)
    new_memory = Memory(
        calls=kept(carried),
        reported=kept(reported),
        seen=kept(with_read(memory.seen, log.calls)),
        headers=headers,
        gathered=log.gathered,
        unreadable=unreadable,
        days=memory.days + 1,
        inputs=memory.inputs | files.keys(),
        horizon_us=times.horizon_us,
        told_us=times.told_us,
        rests=None if replayed.rests is None else replayed.rests.remembered(times.horizon_us),
        begun=read.begun,
    )
    rules = rule_results(of_rules, to_report, replayed.replayed)
    audit = Audit(read, log, time.monotonic() - begun, rules, to_report, replayed.replayed)
    gone = kept(withdrawn.drop(DIGEST))
    return Day(audit, gone, gone.count(), new_memory, days.directory)
