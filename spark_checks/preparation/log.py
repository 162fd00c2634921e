"""The log as the checks see it: prepared once, shared by all.

The preparation costs two shuffles: by connection, for the bounds and units of work, and by queue, for
everything else.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn
from pyspark.storagelevel import StorageLevel

from spark_checks.preparation.connections import by_connection, without_copies
from spark_checks.preparation.facts import LogFacts
from spark_checks.preparation.messages import matched
from spark_checks.preparation.moves import moves_of
from spark_checks.preparation.queues import QUEUE, queue_facts


@dataclass(frozen=True)
class Log:
    """A prepared log.

    `moves` has all puts and gets that did something to a queue, with what is known of their message and of
    their queue; the columns are described in spark_checks.preparation.moves, .messages and .queues.
    """

    facts: LogFacts
    moves: DataFrame

    @property
    def margin(self) -> int:
        """By how much, in microseconds, two times must differ for their order to be sure."""
        return 2 * self.facts.clock_us


def kept(frame: DataFrame) -> DataFrame:
    """Compute a frame once, on its first use, for all that builds on it.

    What follows is planned without the plan behind it, which saves most of the time that a small log takes.
    Where executors may be lost, the rows are kept twice.
    """
    local = (frame.sparkSession.sparkContext.master or "").startswith("local")
    level = StorageLevel.MEMORY_AND_DISK if local else StorageLevel.MEMORY_AND_DISK_2
    return frame.localCheckpoint(eager=False, storageLevel=level)


def prepare(calls: DataFrame, facts: LogFacts) -> Log:
    """Prepare a log for the checks; `calls` has the columns of an event log."""
    ordered = kept(by_connection(without_copies(calls), facts.clock_us))
    by_queue = kept(matched(moves_of(ordered, facts.platform), facts.clock_us))
    queues = queue_facts(ordered, by_queue, facts)
    return Log(facts, by_queue.join(fn.broadcast(queues), [*QUEUE], "left"))
