"""Failures for which a complete log shows no ground: inhibited queues (PUT-09, WAI-06), a second mark or signal.

A queue is inhibited by its definition, by that of the name under which it was opened, or by MQSET. MQSET changes the
definition of the name under which its handle was opened: for an alias, not that of the queue behind it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from oracle.mqi.constants import MQCC, MQGMO, MQRC
from spark_checks.checks.base import Check
from spark_checks.frames import Column, Frame, Window
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import QUEUE, has, holds, text, unknown_or
from spark_checks.preparation.connections import REF_FIELDS, completed, has_unknown_effect, judged_now
from spark_checks.preparation.handles import opens
from spark_checks.preparation.log import Log
from spark_checks.results.findings import Statement, ref, this_call
from spark_checks.results.rule_results import Covered

_SIGNAL: Final = "SIG-12"


def _ended_with(*reasons: int) -> Column:
    return holds((fn.col("comp_code") == MQCC.FAILED) & fn.col("reason").is_in(*reasons))


def _may_end_with(reason: int, log: Log) -> bool:
    """Return whether a complete log of z/OS has a call that failed with a reason."""
    return log.facts.complete and log.facts.platform == "zos" and reason in log.reasons


def _allowed(log: Log) -> list[tuple[str, str, bool, bool]]:
    """Return the queues whose definitions allow puts or gets, with whether they allow puts, and gets.

    If earlier calls are not all remembered, queues that any MQSET may have changed are left out.
    """
    was_set = {
        name for name, of_queue in log.gathered.calls.items() if of_queue["was_set"] and log.facts.stretch.forgets
    }
    return [
        (one.qmgr, one.queue, one.inhibit_put == 0, one.inhibit_get == 0)
        for one in log.facts.queues
        if one.definition_type == "PREDEFINED"
        and 0 in (one.inhibit_put, one.inhibit_get)
        and not was_set & {(one.qmgr, one.queue), (one.qmgr, None)}
    ]


def _inhibited(log: Log) -> Frame | None:
    """Return the calls refused by a queue that allows them, as far as its definition says; None if there are none.

    `name` is the name under which a call's handle was opened, or of an MQPUT1 itself. `was_set` is whether an MQSET may
    have changed the queue's own definition.
    """
    known = _allowed(log)
    if not log.facts.complete or not known or not log.reasons & {MQRC.PUT_INHIBITED, MQRC.GET_INHIBITED}:
        return None
    refused = _ended_with(MQRC.PUT_INHIBITED, MQRC.GET_INHIBITED)
    queues = log.calls.where(refused & fn.col("queue").is_not_null() & judged_now()).select(*QUEUE).distinct()
    defined = log.calls.engine.frame(known, "qmgr string, queue string, puts boolean, gets boolean")
    asked = queues.join(fn.broadcast(defined), [*QUEUE])
    sets = (fn.col("call") == "MQSET") & unknown_or((fn.col("comp_code") != MQCC.FAILED) | has_unknown_effect())
    nameless = log.calls.where(sets & fn.col("queue").is_null()).select("qmgr").distinct()
    handle = Window.partition_by("qmgr", "conn", "hobj").order_by("seq").rows_between(Window.unbounded, -1)
    opened = fn.last(fn.when(opens(), fn.col("object_name")), ignorenulls=True).over(handle)
    own = fn.when(fn.col("call") == "MQPUT1", fn.col("object_name")).otherwise(opened)
    calls = (
        log.calls.join(fn.broadcast(asked), [*QUEUE])
        .join(fn.broadcast(nameless), ["qmgr"], "left_anti")
        .with_column("name", own)
    )
    of_queue = Window.partition_by(*QUEUE)
    was_set = fn.max(sets & unknown_or(fn.col("name") == fn.col("queue"))).over(of_queue)
    return calls.with_column("was_set", was_set).where(refused & judged_now())


def _refused(log: Log) -> Sequence[Statement]:
    """Find puts and gets by the queue's own name that ended as if it were inhibited."""
    del log
    by_its_name = holds((fn.col("name") == fn.col("queue")) & ~fn.col("was_set"))
    return [
        Statement(
            rule=rule,
            where=by_its_name & fn.col("call").is_in(*verbs) & _ended_with(reason) & fn.col(allows),
            call=this_call(),
            msg_id=fn.lit(None).cast("string"),
            calls=[this_call()],
            sentence=text(
                fn.col("call"), " by connection ", fn.col("conn"), f" ended with {MQRC.describe(reason)} although the"
                " queue's definition allows it, and no MQSET through the queue's own name changed that",
            ),
            once=fn.concat_ws("|", fn.lit("inhibited"), fn.lit(rule)),
        )
        for rule, verbs, reason, allows in (
            ("PUT-09", ("MQPUT", "MQPUT1"), MQRC.PUT_INHIBITED, "puts"),
            ("WAI-06", ("MQGET",), MQRC.GET_INHIBITED, "gets"),
        )
    ]  # fmt: skip  # a sentence


def _second_marks(log: Log) -> Frame | None:
    """Return the gets that were refused as a second one with a mark, each with the connection's `last` event before.

    That is the end of a unit of work, or a call that may have marked.
    """
    if not _may_end_with(MQRC.SECOND_MARK_NOT_ALLOWED, log):
        return None
    second = _ended_with(MQRC.SECOND_MARK_NOT_ALLOWED) & judged_now()
    done = completed() | fn.col("comp_code").is_null() | has_unknown_effect()
    marks = (fn.col("call") == "MQGET") & unknown_or(has("options", MQGMO.MARK_SKIP_BACKOUT)) & done
    ends = fn.col("call").is_in("MQCMIT", "MQBACK") & (fn.col("comp_code") == MQCC.OK)
    event = fn.when(
        holds(marks | ends | has_unknown_effect()), fn.struct(*REF_FIELDS, holds(ends & ~marks).alias("ends"))
    )
    before = Window.partition_by("qmgr", "conn").order_by("seq").rows_between(Window.unbounded, -1)
    last = fn.last(event, ignorenulls=True).over(before)
    return log.of_connections(second).with_column("last", last).where(second)


def _not_second() -> Statement:
    """Find gets refused as a second one with a mark, where none in their unit of work had one."""
    last = fn.col("last")
    return Statement(
        rule="MSB-06",
        where=holds(last["ends"]) | holds(last.is_null() & fn.col("connected")),
        call=this_call(),
        msg_id=fn.lit(None).cast("string"),
        calls=[ref(last), this_call()],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), " ended with MQRC_SECOND_MARK_NOT_ALLOWED although no"
            " get of its unit of work had MQGMO_MARK_SKIP_BACKOUT",
        ),
    )  # fmt: skip  # a sentence


def _second_signals(log: Log) -> Frame | None:
    """Return the gets that were refused for an outstanding signal, each with the MQOPEN `opened` of its handle.

    `signal` is the last call since then that may have set one, `unseen` whether a call without a handle may have.
    """
    if not _may_end_with(MQRC.SIGNAL_OUTSTANDING, log):
        return None
    outstanding = _ended_with(MQRC.SIGNAL_OUTSTANDING) & judged_now()
    accepted = (fn.col("reason") == MQRC.SIGNAL_REQUEST_ACCEPTED) | fn.col("comp_code").is_null() | has_unknown_effect()
    sets = (fn.col("call") == "MQGET") & unknown_or(has("options", MQGMO.SET_SIGNAL)) & unknown_or(accepted)
    itself = fn.struct("seq", "conn", "call")
    handle = Window.partition_by("qmgr", "conn", "hobj").order_by("seq").rows_between(Window.unbounded, -1)
    connection = Window.partition_by("qmgr", "conn").order_by("seq").rows_between(Window.unbounded, -1)
    columns = {
        "opened": fn.last(fn.when(opens(), itself), ignorenulls=True).over(handle),
        "signal": fn.last(fn.when(holds(sets), itself), ignorenulls=True).over(handle),
        "unseen": holds(fn.max(holds(sets & fn.col("hobj").is_null()) | holds(has_unknown_effect())).over(connection)),
    }
    return log.of_connections(outstanding).with_columns(columns).where(outstanding & fn.col("hobj").is_not_null())


def _not_second_signal() -> Statement:
    """Find gets refused for an outstanding signal through a handle that had set none since it was opened."""
    opened, signal = fn.col("opened"), fn.col("signal")
    none = signal.is_null() | (signal["seq"] < opened["seq"])
    return Statement(
        rule=_SIGNAL,
        where=opened.is_not_null() & none & ~fn.col("unseen"),
        call=this_call(),
        msg_id=fn.lit(None).cast("string"),
        calls=[ref(opened), this_call()],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), " ended with MQRC_SIGNAL_OUTSTANDING although its handle"
            " had set no signal since it was opened",
        ),
    )  # fmt: skip  # a sentence


def _of_queues(log: Log) -> Mapping[str, Covered]:
    refused = _second_signals(log) if log.gathered.calls else None
    return {_SIGNAL: Covered() if refused is None else Covered(checked=refused.count())}


def _of_frames(log: Log) -> Sequence[tuple[Frame, Sequence[Statement]]]:
    inhibited, marks, signals = _inhibited(log), _second_marks(log), _second_signals(log)
    found: list[tuple[Frame, Sequence[Statement]]] = []
    if inhibited is not None:
        found.append((inhibited, _refused(log)))
    if marks is not None:
        found.append((marks, [_not_second()]))
    if signals is not None:
        found.append((signals, [_not_second_signal()]))
    return found


UNFOUNDED = Check("unfounded failures", lambda _: [], of_frames=_of_frames, of_queues=_of_queues)
