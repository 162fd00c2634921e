"""The calls of a log that may still matter on a later day.

A message is *over* when it was taken for good as often as it became visible, or when its put was backed out. Later
calls then do not depend on it, except a call that is wrong by itself. A message without a put in the log was there
before, and is over when it was taken for good. These calls are carried:

- every call of the last stretch of time, as long as `--remember` says, and all calls of their messages;
- on queues without missing calls, all calls of messages that are not over, until they have expired, and of those about
  which a report is due; with a message all others of its group;
- gets and empty calls after which such a message may still be seen, and browses that passed one over: whether they were
  wrong shows when it is seen again;
- puts and gets in units of work whose end is not known, and confirmations of them;
- gets of unknown outcome, and puts that made trigger messages due;
- the browse that each open handle's cursor comes from, with its message;
- the calls of findings, and all calls of their messages, so that a later day may explain them;
- the first deletion of a queue that any of these are on;
- what all of these need around them (spark_checks.days.context).

Each call is carried with the narrowest interval known for its effect, because the calls that prove it may be left
behind. A call that began at a time whose calls are no longer remembered moves nothing on a later day, unless its put is
known. Findings that a call decides by itself or with the calls before it were reported on its own day, when all of
these were there. So most carried calls are `SETTLED` (spark_checks.preparation.connections).
"""

from __future__ import annotations

from dataclasses import dataclass

from oracle.histories.event_log import COLUMNS
from spark_checks.audit import Judged
from spark_checks.checks.browse import cursors
from spark_checks.checks.delivery import from_forgotten_times
from spark_checks.checks.dynamic_queues import deletions
from spark_checks.checks.emptiness import LOST, LOST_IN_PART, LOST_WHOLE
from spark_checks.checks.gets_of_unknown_effect import gave_no_message
from spark_checks.checks.places import BACK, stands_before
from spark_checks.checks.reports_due import perhaps_early, unanswered
from spark_checks.checks.triggers_due import due_puts
from spark_checks.days.context import CONNECTION, lasting, rows_around
from spark_checks.frames import Frame, union
from spark_checks.frames import functions as fn
from spark_checks.preparation.absence import EXPIRY_TOLERANCE_US
from spark_checks.preparation.columns import QUEUE, is_null_id, looked_up
from spark_checks.preparation.connections import ASKS, CARRIED, IN_CONTEXT, SETTLED, call_row
from spark_checks.preparation.keeping import kept
from spark_checks.preparation.log import Log
from spark_checks.preparation.messages import MESSAGE
from spark_checks.preparation.moves import EMPTY, MAYBE_PUT, PUTS, RETURNS, TAKE, TOUCH, in_open_unit
from spark_checks.preparation.sweep import ROW
from spark_checks.times import NEVER

_GROUP = (*QUEUE, "group_id")


@dataclass(frozen=True)
class Times:
    """The times up to which a log is settled, in microseconds since 1970-01-01 UTC."""

    horizon_us: int
    """The time from which on all calls are carried, by their ends."""
    told_us: int
    """The time up to which everything has been reported. It is no earlier than the horizon."""


def carried_calls(log: Log, judged: Judged, findings: Frame, times: Times) -> Frame:
    """Return the calls to carry, with the columns of an event log and CARRIED.

    `findings` are those of the checks without the oracle's replay, with the columns of the report.
    """
    calls = log.calls.with_column(ROW, call_row())
    moving = calls.where(~fn.col(CARRIED).same_as(IN_CONTEXT))
    late = moving.where(fn.col("end_us") >= times.horizon_us).select(ROW)
    untold = moving.where(fn.col("end_us") > times.told_us).select(ROW)
    of_findings = _rows_of_findings(findings)
    live = kept(lasting(calls))
    browses = _browses(log, live, untold.union_by_name(of_findings))
    asks = union([untold, of_findings, browses.where("asks").select(ROW)])
    in_open_units = log.moves.where(in_open_unit()).select(ROW)
    of_answers = _rows_of_answers(judged.answers, log.moves, log.margin)
    confirmations = perhaps_early(log)
    unknown = log.moves.where(gave_no_message()).select(ROW)
    parts = [late, in_open_units, of_answers, of_findings, browses.select(ROW), unknown]
    parts += [rows for rows in (confirmations, due_puts(log)) if rows is not None]
    seeds = kept(union(parts).distinct())
    of_messages = _rows_of_messages(log, seeds, times.horizon_us)
    of_unknown_put = fn.col("role").is_in(*RETURNS) & (fn.col("n_puts") == 0) & ~gave_no_message()
    forgotten = log.moves.where(of_unknown_put & from_forgotten_times(log)).select(ROW)
    rows = kept(seeds.union_by_name(of_messages).distinct().join(forgotten, ROW, "left_anti"))
    needed = rows.union_by_name(_deletions(log, live, rows)).union_by_name(_behind_fronts(judged.fronts, rows))
    around = rows_around(calls, kept(needed), live)
    standings = [
        around.with_column("standing", fn.lit(0)),
        rows.with_column("standing", fn.lit(1)),
        asks.join(rows, ROW, "left_semi").with_column("standing", fn.lit(2)),
    ]
    carried = kept(union(standings).group_by(ROW).agg(fn.max("standing").alias("standing")))
    standing = fn.get(fn.array(*map(fn.lit, (IN_CONTEXT, SETTLED, ASKS))), fn.col("standing"))
    in_context = fn.col(CARRIED).same_as(IN_CONTEXT)
    columns = {name: fn.col(name) for name in COLUMNS} | {
        "start_us": fn.col("lo"),
        "end_us": fn.col("hi"),
        CARRIED: fn.when(in_context, IN_CONTEXT).otherwise(standing),
    }
    found = looked_up(calls, carried, (ROW,), carried.count())
    return found.select(*(column.alias(name) for name, column in columns.items()))


def _rows_of_findings(findings: Frame) -> Frame:
    calls = findings.select("qmgr", fn.explode("calls").alias("call"))
    return calls.select(call_row("call").alias(ROW))


def _browses(log: Log, live: Frame, again: Frame) -> Frame:
    """Return the browses to carry, and whether each `asks`: those that a later day may find wrong, and their cursors.

    The browses in `again` are judged again, so their cursors are needed too, and so is the last browse of each handle
    of a connection in `live`.
    """
    found = cursors(log)
    if found is None:
        return again.limit(0).with_column("asks", fn.lit(False))
    open_ones = found.join(live.with_column("lasts", fn.lit(True)), [*CONNECTION], "left")
    again_ones = again.distinct().with_column("again", fn.lit(True))
    browses = kept(open_ones.join(again_ones, ROW, "left").where("open or again or (last and lasts)"))
    itself = browses.where("open or (last and lasts)").select(ROW, fn.col("open").alias("asks"))
    behind = browses.where("(open or again) and cursor is not null")
    return itself.union_by_name(behind.select(fn.col("cursor").alias(ROW), fn.lit(False).alias("asks")))


def _behind_fronts(fronts: Frame | None, rows: Frame) -> Frame:
    """Return the calls that show that some of the `rows` looked from the front of the queue."""
    if fronts is None:
        return rows.limit(0)
    carried = fronts.join(rows, ROW, "left_semi").select(fn.array_compact(fn.array("opened", "got")).alias("behind"))
    return carried.select(fn.explode("behind").alias(ROW))


def _rows_of_answers(answers: Frame, moves: Frame, margin: int) -> Frame:
    """Return the calls that passed over a message which has not been seen again, and the puts of those messages."""
    lost = fn.col("family").is_in(LOST, LOST_WHOLE, LOST_IN_PART)
    unseen = fn.col("endless") | lost
    wrong = (fn.col("family") != BACK) | stands_before(margin)
    few = answers.where(unseen & wrong & fn.col("asker.whole")).select(
        *QUEUE,
        "family",
        fn.col(f"asker.{ROW}").alias("asker"),
        fn.col(f"answer.{ROW}").alias("answer"),
        fn.col("answer.lo").alias("answer_lo"),
    )
    open_ones = kept(few)
    sides = open_ones.select(fn.explode(fn.array("asker", "answer")).alias(ROW))
    since = open_ones.where(lost).group_by(*QUEUE).agg(fn.min("answer_lo").alias("lost_since"))
    empty = moves.where(fn.col("role") == EMPTY).join(fn.broadcast(since), [*QUEUE])
    return sides.union_by_name(empty.where(fn.col("lo") >= fn.col("lost_since")).select(ROW))


def _rows_of_messages(log: Log, seeds: Frame, horizon_us: int) -> Frame:
    """Return all calls of messages that are not over, of those that `seeds` are about, and of their groups."""
    named = log.moves.where(fn.col("msg_id").is_not_null())
    role, kind = fn.col("role"), fn.col("effect.kind")
    unresolved = role.is_in(MAYBE_PUT, TOUCH) | (role.is_in(*PUTS, TAKE) & kind.is_null())
    gone_us = fn.max("expires_us") + EXPIRY_TOLERANCE_US + log.margin
    not_over = (
        named.where("but_for_unknown_effects")
        .group_by(*MESSAGE)
        .agg(
            fn.max(unresolved).alias("unresolved"),
            fn.count(fn.when(kind == "visible", 1)).alias("visible"),
            fn.count(fn.when(kind == "final", 1)).alias("final"),
            fn.count(fn.when(role.is_in(*PUTS), 1)).alias("puts"),
            fn.when(fn.max("expires_us") < NEVER, gone_us).otherwise(fn.lit(NEVER)).alias("gone_us"),
        )
        .where(
            (fn.col("unresolved") | (fn.col("visible") > fn.col("final")) | (fn.greatest("puts", "final") == 0))
            & (fn.col("gone_us") >= horizon_us)
        )
    )
    of_seeds = named.join(seeds, ROW, "left_semi").select(*MESSAGE)
    wanted = not_over.select(*MESSAGE).union_by_name(of_seeds)
    due = unanswered(log)
    messages = kept((wanted if due is None else wanted.union_by_name(due)).distinct())
    grouped = named.where(fn.col("group_id").is_not_null() & ~is_null_id("group_id"))
    groups = grouped.join(messages, [*MESSAGE], "left_semi").select(*_GROUP).distinct()
    of_groups = grouped.join(groups, [*_GROUP], "left_semi").select(*MESSAGE)
    return named.join(messages.union_by_name(of_groups).distinct(), [*MESSAGE], "left_semi").select(ROW)


def _deletions(log: Log, live: Frame, rows: Frame) -> Frame:
    """Return the first deletions of queues that have any of the `rows`, or open handles of `live` connections."""
    found = deletions(log)
    if found is None:
        return rows.limit(0)
    of_rows = log.moves.join(rows, ROW, "left_semi").select(*QUEUE)
    handles = log.calls.where(fn.col("call").is_in("MQOPEN", "MQCLOSE") & fn.col("queue").is_not_null())
    latest = fn.max_by("call", "seq").alias("latest")
    open_ones = handles.join(live, [*CONNECTION], "left_semi").group_by(*CONNECTION, "hobj", "queue").agg(latest)
    used = of_rows.union_by_name(open_ones.where(fn.col("latest") == "MQOPEN").select(*QUEUE))
    return found.join(used.distinct(), [*QUEUE], "left_semi").select(ROW)
