"""Trigger messages that were due and did not come: TRI-02 (TRIGTYPE FIRST), TRI-03 (EVERY) and TRI-04 (DEPTH).

A trigger message was due when the first message came to a queue that triggers, or as many as TriggerDepth says, while
nobody had the queue open for input. It did not come if a later get from the initiation queue found nothing, and none
had been got from there. A trigger message in a log does not name its queue, so nothing is reported if any was got
since. Nothing is reported after the first event of a queue either, because the queue's contents are then unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from oracle.model.requests.option_matrix import BROWSE
from oracle.mqi.constants import MQEI, MQGMO
from oracle.mqi.layouts import MQTM
from spark_checks.checks.base import Check
from spark_checks.frames import Column, Frame, Window
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import QUEUE, has, holds, listed, text
from spark_checks.preparation.connections import BEFORE_THE_LOG, REF_FIELDS
from spark_checks.preparation.doubts import Doubt
from spark_checks.preparation.facts import QueueFacts
from spark_checks.preparation.lives import LIFE, lives
from spark_checks.preparation.log import Log
from spark_checks.preparation.moves import ANY, EMPTY, PUT, PUTS, from_front
from spark_checks.preparation.sweep import ROW
from spark_checks.results.findings import Statement, ref
from spark_checks.results.rule_results import Covered
from spark_checks.times import NEVER

_FIRST, _EVERY, _DEPTH = 1, 2, 3
_RULES: Final[Mapping[int, str]] = {_FIRST: "TRI-02", _EVERY: "TRI-03", _DEPTH: "TRI-04"}
_NEEDED: Final = {
    "qmgr": "string", "queue": "string", "initiation": "string", "rule": "string", "needed": "long",
    "least_priority": "int", "process": "boolean", "accepts": "boolean", "cap": "boolean", "gets_allowed": "boolean",
    "used_us": "long", "returned_us": "long",
}  # fmt: skip  # pairs
_NOT_THE_KEY: Final = tuple(name for name in _NEEDED if name not in QUEUE)


@dataclass(frozen=True)
class _Triggered:
    """A queue that triggers by its definition, and the definition of its initiation queue, as far as it is known."""

    queue: QueueFacts
    initiation: QueueFacts

    @property
    def needed(self) -> int:
        """The number of messages that make a trigger event."""
        return int(self.queue.trigger_depth or 0) if self.queue.trigger_type == _DEPTH else 1

    @property
    def accepts(self) -> bool:
        """Whether the initiation queue surely accepts a trigger message."""
        known = self.initiation
        room = (known.max_msg_length or 0) >= MQTM.length(1) and (known.max_depth or 0) > 0
        return known.inhibit_put == 0 and room

    def row(self, log: Log) -> tuple[Any, ...]:
        """Return the values of it that the frames need.

        Besides the definitions, these are the time since which the queue may have been open for input, and the time at
        which a message was last returned from the initiation queue.
        """
        known = self.queue
        gets_allowed = log.facts.platform != "zos" or known.inhibit_get == 0
        on_initiation = log.gathered.moves.get((known.qmgr, self.initiation.queue), {})
        used = [log.gathered.calls.get((known.qmgr, queue), {}).get("input_us", NEVER) for queue in (known.queue, None)]
        name, rule = self.initiation.queue, _RULES[int(known.trigger_type or 0)]
        least = known.trigger_priority
        cap = known.cap_expiry is not None and known.cap_expiry != 0
        return (
            known.qmgr, known.queue, name, rule, self.needed, least, known.process is not None, self.accepts, cap,
            gets_allowed, min(used), on_initiation.get("returned_us", -NEVER),
        )  # fmt: skip  # columns


def _triggered(log: Log) -> Iterator[_Triggered]:
    """Yield the queues that trigger by their definitions and that nothing else can have stopped from triggering."""
    defined = {(known.qmgr, known.queue): known for known in log.facts.queues}
    for known in log.facts.queues:
        name = (known.initiation_queue or "").strip()
        initiation = defined.get((known.qmgr, name), QueueFacts(known.qmgr, name))
        found = _Triggered(known, initiation)
        without_process = known.process is not None and not known.process.strip() and known.usage != "TRANSMISSION"
        of_no_use = initiation.usage == "TRANSMISSION" or initiation.inhibit_put == 1 or initiation.inhibit_get == 1
        inhibited = log.facts.platform == "zos" and known.inhibit_get == 1
        if known.trigger_control != 1 or known.trigger_type not in _RULES or not name or found.needed < 1:
            continue
        by_place = known.sequence == "FIFO" and known.trigger_priority != 0  # which priority counts is open (AMB-103)
        if not (
            without_process or of_no_use or inhibited or by_place or _was_set(log, known) or _was_set(log, initiation)
        ):
            yield found


def _was_set(log: Log, known: QueueFacts) -> bool:
    """Return whether an MQSET may have changed the attributes of a queue."""
    of_queues = (log.gathered.calls.get((known.qmgr, queue)) for queue in (known.queue, None))
    return any(one is not None and one["was_set"] for one in of_queues)


def _puts(log: Log, known: Frame) -> Frame:
    """Return the puts on queues that trigger, each with what is `known` of its queue, visible by `at`."""
    puts = log.moves.where(fn.col("role").is_in(*PUTS)).join(fn.broadcast(known), [*QUEUE])
    return puts.with_column("at", fn.col("effect.by")["hi"])


def _events(puts: Frame) -> Frame:
    """Return for each queue the put that made a trigger message due, as `put`. `puts` are those of `_puts`."""
    counts = fn.col("least_priority").is_null() | (fn.col("least_priority") <= 0)
    counts = counts | holds(fn.col("priority") >= fn.col("least_priority"))
    lasts = (fn.col("needed") == 1) | holds(fn.col("expiry") == MQEI.UNLIMITED)
    counted = holds((fn.col("role") == PUT) & (fn.col("effect.kind") == "visible")) & counts & lasts
    in_order = Window.partition_by(*QUEUE).order_by("at", "conn", "seq")
    event = fn.struct("at", *REF_FIELDS, "lo", "msg_id", "priority", "whole", "pinned")
    nth = puts.where(counted).with_column("nth", fn.row_number().over(in_order))
    return nth.where((fn.col("nth") == fn.col("needed")) & ~listed()).select(*QUEUE, *_NOT_THE_KEY, event.alias("put"))


def _until_event(puts: Frame, *columns: Column) -> Frame:
    """Return these columns of the puts that had begun when a trigger message was due, with the event of their queue."""
    begun = puts.select(*QUEUE, "lo", *columns).join(_events(puts), [*QUEUE])
    return begun.where(fn.col("lo") <= fn.col("put.at"))


def _due(puts: Frame) -> Frame:
    """Return the events with the times around them.

    `begun_us` is the earliest time of the first message. `due_us` is the time by which the trigger message was surely
    there; if the event may have been in a unit of work, when that had ended (TRI-11). `settled` says whether all those
    units of work have ended.
    """
    around = _until_event(puts, fn.col("at"), fn.col("effect.kind").alias("kind"))
    return around.group_by(*QUEUE, *_NOT_THE_KEY, "put").agg(
        fn.min("lo").alias("begun_us"),
        fn.max("at").alias("due_us"),
        fn.min(fn.col("kind").is_not_null()).alias("settled"),
    )


def due_puts(log: Log) -> Frame | None:
    """Return the rows of the puts up to those that made trigger messages due; None if there can be none."""
    known = _known(log)
    return None if known is None else _until_event(_puts(log, known), fn.col(ROW)).select(ROW)


def _known(log: Log) -> Frame | None:
    triggered = list(_triggered(log)) if log.facts.complete else []
    return log.calls.engine.frame([one.row(log) for one in triggered], _NEEDED) if triggered else None


def _on_initiation(log: Log, known: Frame) -> Frame:
    """Return the calls that found nothing on initiation queues, with the queue that triggers and their MQOPEN."""
    named = known.select("qmgr", fn.col("initiation").alias("queue"), fn.col("queue").alias("triggered"))
    moves = log.moves.where(fn.col("role") == EMPTY).join(fn.broadcast(named), [*QUEUE])
    of_handles = moves.with_column("life", fn.col("lives_left")).join(lives(log.calls), [*LIFE], "left")
    latest = fn.when(has("options", MQGMO.WAIT), fn.col("end_us")).otherwise(fn.col("lo"))
    nothing = (fn.col("selection") == ANY) & from_front() & ~has("options", BROWSE)
    found_nothing = fn.when(holds(nothing), fn.struct(latest.alias("latest"), "lo", "hi", *REF_FIELDS))
    return of_handles.select(
        "qmgr",
        fn.col("triggered").alias("queue"),
        fn.col("whole").alias("initiation_whole"),
        found_nothing.alias("empty"),
        _opened_us().alias("opened_us"),
    )


def _opened_us() -> Column:
    """Return the time by which the handle of a call was open; null if its MQOPEN is not known.

    A handle whose MQOPEN a complete log lacks was opened before the log, unless its connection was not.
    """
    before = fn.col("hobj").is_not_null() & fn.col("opened").is_null() & ~fn.col("connected")
    return fn.when(before, BEFORE_THE_LOG).otherwise(fn.col("opened.hi"))


def _missed(log: Log, known: Frame) -> Frame:
    """Return for each queue the event, and the first get from its initiation queue after it that found nothing."""
    around = _on_initiation(log, known).join(_due(_puts(log, known)), [*QUEUE])
    after = holds(fn.col("empty")["latest"] > fn.col("due_us") + log.margin)
    opened_before = holds(fn.col("opened_us") + log.margin < fn.col("begun_us"))
    serves = (fn.col("rule") != _RULES[_EVERY]) | opened_before
    return around.group_by(*QUEUE, *_NOT_THE_KEY, "put", "begun_us", "settled").agg(
        fn.min(fn.when(after & serves, fn.col("empty"))).alias("empty"),
        fn.min("initiation_whole").alias("initiation_whole"),
    )


def _not_made(log: Log) -> Statement:
    """Find trigger messages that were due and not there.

    A suspicion for FIRST and DEPTH: a handle may have been open for input since before the log began.
    """
    put, empty, margin = fn.col("put"), fn.col("empty"), log.margin
    every = fn.col("rule") == _RULES[_EVERY]
    unused = every | (fn.col("used_us") > empty["hi"] + margin)
    none_got = fn.col("returned_us") + margin < fn.col("begun_us")
    complete = put["whole"] & fn.col("initiation_whole") & (every | put["pinned"])
    counts = holds((fn.col("least_priority") <= 0) | (put["priority"] >= fn.col("least_priority")))
    brought = (
        fn.when(fn.col("needed") > 1, text("brought the queue to TriggerDepth ", fn.col("needed").cast("string")))
        .when(every, "put a message on the queue, which triggers for every one")
        .otherwise("put the first message on the queue")
    )
    return Statement(
        rule=fn.col("rule"),
        where=holds(complete & fn.col("settled") & none_got & unused) & empty.is_not_null(),
        call=put,
        msg_id=put["msg_id"],
        calls=[ref(put), ref(empty)],
        sentence=text(
            put["call"], " by connection ", put["conn"], " ", brought, ", and yet no trigger message was on initiation"
            " queue ", fn.col("initiation"), " for connection ", empty["conn"], ", and none had been got from it",
        ),
        doubts=[
            Doubt(~every, "an application had had the queue open for input since before the log began"),
            Doubt(~counts & ~holds(put["priority"] >= 9), "its priority is lower than TriggerMsgPriority"),
            Doubt(~fn.col("process"), "the queue names no process"),
            Doubt(~fn.col("accepts"), "the initiation queue could not take the trigger message"),
            Doubt(fn.col("cap"), "CAPEXPRY of the queue made messages expire"),
            Doubt(~fn.col("gets_allowed"), "gets from the queue were inhibited"),
        ],
        once=fn.concat(fn.lit("trigger "), fn.col("queue")),
    )  # fmt: skip  # a sentence


def _of_frames(log: Log) -> Sequence[tuple[Frame, Sequence[Statement]]]:
    known = _known(log)
    return [] if known is None else [(_missed(log, known), [_not_made(log)])]


def _of_queues(log: Log) -> Mapping[str, Covered]:
    found = {rule: Covered() for rule in _RULES.values()}
    for one in _triggered(log):
        gathered = log.own.moves.get((one.queue.qmgr, one.queue.queue))
        puts = 0 if gathered is None else int(gathered["puts"])
        rule = _RULES[int(one.queue.trigger_type or 0)]
        of_queue = Covered(puts) if log.facts.complete else Covered(0, puts, ("complete",) if puts else ())
        found[rule] = found[rule].and_also(of_queue)
    return found


TRIGGERS_DUE = Check("trigger messages due", lambda _: [], of_frames=_of_frames, of_queues=_of_queues)
