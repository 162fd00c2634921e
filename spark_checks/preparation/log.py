"""The prepared log, which all checks share.

The preparation costs two shuffles: by connection, for the bounds and units of work, and by queue, for
everything else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from oracle.mqi.constants import MQCC
from spark_checks.frames import Column, Frame
from spark_checks.frames import functions as fn
from spark_checks.frames.kinds import Kinds, kinds_of
from spark_checks.preparation.columns import QUEUE, holds, packed, unpacked
from spark_checks.preparation.connections import APART, CARRIED, by_connection, is_own, with_content, without_copies
from spark_checks.preparation.facts import LogFacts
from spark_checks.preparation.gathering import Gathered, gather
from spark_checks.preparation.keeping import kept
from spark_checks.preparation.locks import with_locks
from spark_checks.preparation.messages import matched, rank_with_default
from spark_checks.preparation.moves import moves_of
from spark_checks.preparation.queues import queue_facts, uses_of
from spark_checks.preparation.uses import Use

_KINDS_BY = (
    "role",
    "whole",
    "pinned",
    "selection",
    "options",
    "msg_flags",
    "msg_type",
    "comp_code",
    "in_unit",
    "put.options",
    "put.msg_flags",
    "put.in_unit",
    "effect.kind",
    "why_released",
    "reassembles",
    "sequence",
    "cap_expiry",
)
"""The columns of moves by which kinds of rows are told apart: they have few values, and most conditions read them."""


@dataclass(frozen=True)
class Log:
    """A prepared log. The columns of its frames are described in spark_checks.preparation.schemas."""

    facts: LogFacts
    """The facts of the headers."""
    calls: Frame
    """All calls in the order of their connections, with the columns of an event log, OfConnection and OfLock."""
    moves: Frame
    """All puts and gets that affected a queue.

    They have some of the columns of `calls`, and those of OfMove, OfMessage and OfQueue.
    """
    queues: Frame
    """The facts of each queue that was put to or got from, one row each: OfQueue."""
    gathered: Gathered = field(default_factory=Gathered)
    """The facts from which those of the queues follow, from this log and earlier days."""
    own: Gathered = field(default_factory=Gathered)
    """The part of these that comes from this log."""
    uses: frozenset[Use] = frozenset()
    """The uses of MQ in the log: the checks that have something to look at."""

    @cached_property
    def reasons(self) -> frozenset[int]:
        """The reasons with which calls failed, also carried ones: checks of a rare one need not look for it."""
        failed = self.calls.where(holds(fn.col("comp_code") == MQCC.FAILED) & fn.col("reason").is_not_null())
        return frozenset(row["reason"] for row in failed.select("reason").distinct().collect())

    @cached_property
    def kinds(self) -> Kinds:
        """The kinds of rows of `moves`: what no row can fulfil need not be looked for."""
        columns = self.moves.columns
        by = [name for name in _KINDS_BY if name.partition(".")[0] in columns]
        return kinds_of(self.moves, by=by, nulls=[name for name in columns if name not in by])

    def of_connections(self, shown: Column) -> Frame:
        """Return the calls of all connections that have a call for which `shown` holds."""
        connections = self.calls.where(shown).select("qmgr", "conn").distinct()
        return self.calls.join(fn.broadcast(connections), ["qmgr", "conn"])

    def copies_in(self, calls: Frame) -> int:
        """Return how many of the calls that this was made from occur twice, and are judged once."""
        return calls.count() - self.calls.where(is_own()).count()

    @property
    def margin(self) -> int:
        """The difference, in microseconds, that two times must have for their order to be sure."""
        return 2 * self.facts.clock_us


def never_ended(log: Log, end: Column) -> Column:
    """Return whether a unit of work without `end` in the log surely was not committed within the log.

    A complete log has each call that took effect in its time, but shows of no call whether a transaction manager ended
    its unit of work (docs/event-log.md). On other platforms, programs that end without MQDISC may commit.
    """
    return end.is_null() & fn.lit(log.facts.complete and log.facts.platform == "distributed")


def prepare(calls: Frame, facts: LogFacts, earlier: Gathered | None = None) -> Log:
    """Prepare a log for the checks.

    `calls` has the columns of an event log, and may have CARRIED. `earlier` are the facts gathered of the queues in
    earlier logs, some of whose calls are carried.
    """
    marked = calls if CARRIED in calls.columns else calls.with_column(CARRIED, fn.lit(None).cast("string"))
    apart = packed(with_content(marked), APART)
    ordered = kept(unpacked(with_locks(by_connection(without_copies(apart), facts.clock_us, complete=facts.complete))))
    moving = moves_of(ordered, facts.platform, facts.asynchronous)
    by_queue = kept(matched(moving, facts.clock_us, complete=facts.complete))
    own = gather(ordered, by_queue, facts.clock_us)
    gathered = own if earlier is None else earlier.merged(own)
    queues = queue_facts(calls.engine, gathered, facts)
    moves = by_queue.join(fn.broadcast(queues), [*QUEUE], "left").with_column("rank", rank_with_default())
    return Log(facts, ordered, moves, queues, gathered, own, uses_of(gathered, facts))
