"""Handles that exclude each other: exclusive input (OPN-11), and queues that are not shareable (OPN-12).

A handle was surely open from the end of its MQOPEN to its last call that succeeded. Two handles that were open for
input at the same time are a violation, whichever was first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from oracle.mqi.constants import INPUT_OPTIONS, MQOO
from spark_checks.checks.base import Check
from spark_checks.frames import Column, Frame, Window
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import QUEUE, holds, text
from spark_checks.preparation.connections import REF_FIELDS, alive, completed
from spark_checks.preparation.doubts import Doubt
from spark_checks.preparation.facts import QueueFacts
from spark_checks.preparation.locks import life
from spark_checks.preparation.log import Log
from spark_checks.results.findings import Statement, ref
from spark_checks.results.rule_results import Covered

_HANDLE = ("qmgr", "queue", "conn", "hobj", "life")


def _queues(log: Log) -> list[tuple[str, str, bool, bool]]:
    """Return the queues on which handles may exclude each other, with whether they are shareable and may be deleted."""
    defined = {(known.qmgr, known.queue): known for known in log.facts.queues}
    found = []
    for (qmgr, queue), of_queue in log.gathered.calls.items():
        if queue is None or of_queue["inputs"] < 2:
            continue
        known = defined.get((qmgr, queue), QueueFacts(qmgr, queue))
        single = known.shareability == 0
        if single or of_queue["exclusive"]:
            found.append((qmgr, queue, single, of_queue["may_vanish"] and known.definition_type != "PREDEFINED"))
    return found


def _inputs(log: Log, queues: Sequence[tuple[str, str, bool, bool]]) -> Frame:
    """Return the handles for input, each with `until`, and with the earlier handle that stayed open longest."""
    calls = log.calls
    known = calls.engine.frame(queues, "qmgr string, queue string, single boolean, may_vanish boolean")
    itself = fn.struct("lo", "hi", *REF_FIELDS, "options")
    opens = (fn.col("call") == "MQOPEN") & completed()
    handles = (
        calls.join(fn.broadcast(known), [*QUEUE])
        .where(fn.col("hobj").is_not_null())
        .group_by(*_HANDLE[:-1], life().alias("life"), "single", "may_vanish")
        .agg(
            fn.max(fn.when(opens, itself)).alias("opened"),
            fn.max(fn.when(alive(), fn.col("lo"))).alias("until"),
        )
    )
    of_input = handles.where(holds(fn.col("opened.options").bit_and(fn.lit(int(INPUT_OPTIONS))) != 0))
    before = (
        Window.partition_by(*QUEUE).order_by("opened.hi", "conn", "hobj", "life").rows_between(Window.unbounded, -1)
    )
    longest = fn.struct("until", "opened")
    return of_input.select(
        "*",
        _exclusive(fn.col("opened")).alias("exclusive"),
        fn.max(longest).over(before).alias("other"),
        fn.max(fn.when(_exclusive(fn.col("opened")), longest)).over(before).alias("other_exclusive"),
    )


def _exclusive(opened: Column) -> Column:
    return holds(opened["options"].bit_and(fn.lit(int(MQOO.INPUT_EXCLUSIVE))) != 0)


def _opened_before(other: str, margin: int) -> Column:
    """Return whether the other handle was surely open when this one was opened, however soon that was closed again."""
    return fn.col(other)["opened"]["hi"] + margin < fn.col("opened")["lo"]


def _together(log: Log) -> Sequence[Statement]:
    """Find handles that were both open for input although one excludes the other.

    A violation in a complete log; in another one the close of a handle may be missing.
    """
    opened = fn.col("opened")
    cases = (
        ("OPN-11", "other_exclusive", fn.lit(True), " for input while connection ", " had it open for exclusive input"),
        ("OPN-11", "other", fn.col("exclusive"), " for exclusive input while connection ", " had it open for input"),
        (
            "OPN-12",
            "other",
            fn.col("single"),
            " for input, although it is not shareable, while connection ",
            " had it open for input",
        ),
    )
    return [
        Statement(
            rule=rule,
            where=holds(
                where
                & (fn.col(other)["until"] > opened["hi"] + log.margin)
                & ((fn.col("until") > opened["hi"] + log.margin) | _opened_before(other, log.margin))
            ),
            call=opened,
            msg_id=fn.lit(None).cast("string"),
            calls=[ref(fn.col(other)["opened"]), ref(opened)],
            sentence=text(
                "MQOPEN by connection ", opened["conn"], " opened the queue", how,
                fn.col(other)["opened"]["conn"], had,
            ),
            doubts=[
                Doubt(fn.lit(not log.facts.complete), "one of the two handles was closed by a call that the log lacks"),
                Doubt(fn.col("may_vanish"), "the queue was deleted in between, and another one has its name"),
            ],
            once=fn.concat_ws("|", fn.lit("open"), opened["conn"], opened["seq"].cast("string")),
            rank=rank,
        )
        for rank, (rule, other, where, how, had) in enumerate(cases)
    ]  # fmt: skip  # a sentence


def _of_queues(log: Log) -> Mapping[str, Covered]:
    defined = {(known.qmgr, known.queue): known.shareability for known in log.facts.queues}
    inputs = {name: of_queue["inputs"] for name, of_queue in log.gathered.calls.items()}
    named = sum(number for (_, queue), number in inputs.items() if queue is not None)
    nameless = sum(number for (_, queue), number in inputs.items() if queue is None)
    unknown = {name: number for name, number in inputs.items() if defined.get((name[0], name[1] or "")) is None}
    missing = () if log.facts.complete else ("complete",)
    judged = named if log.facts.complete else 0
    without = sum(unknown.values()) if log.facts.complete else named + nameless
    return {
        "OPN-11": Covered(judged, named + nameless - judged, (*missing, *(("queue",) if nameless else ()))),
        "OPN-12": Covered(named + nameless - without, without, (*missing, *(("Shareability",) if unknown else ()))),
    }


def _of_frames(log: Log) -> Sequence[tuple[Frame, Sequence[Statement]]]:
    queues = _queues(log)
    return [(_inputs(log, queues), _together(log))] if queues else []


OPENS = Check("opens", lambda _: [], of_frames=_of_frames, of_queues=_of_queues)
