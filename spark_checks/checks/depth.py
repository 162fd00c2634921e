"""Depth: puts and gets must account for the known depths (DLV-06), and for a full queue (DEP-06).

Between the first and the last time at which the depth of a queue is known, the least and the greatest possible depth
are counted; a call in doubt widens the range. Uncommitted puts and gets count at once (DEP-01, DEP-02), but a listing
of a queue does not show them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from oracle.mqi.constants import MQEI, MQMF, MQPER, MQRC
from spark_checks.checks.base import Check
from spark_checks.frames import Column, Frame, Window
from spark_checks.frames import functions as fn
from spark_checks.preparation.absence import by_another_name, connected_since, uncapped_as_known
from spark_checks.preparation.columns import QUEUE, has, holds, text
from spark_checks.preparation.connections import REF_FIELDS, judged_now
from spark_checks.preparation.doubts import Doubt
from spark_checks.preparation.gathering import Name
from spark_checks.preparation.log import Log
from spark_checks.preparation.messages import MESSAGE
from spark_checks.preparation.moves import PUT, PUTS, TAKE, may_remove
from spark_checks.preparation.uses import Use
from spark_checks.results.findings import Statement, ref
from spark_checks.results.rule_results import Covered
from spark_checks.times import NEVER

_CALL = ("lo", *REF_FIELDS)
_UNDONE: Final = "undone_once"
Known = tuple[str, str, bool, int, int, int, int]
"""A queue manager and queue, whether messages come to it unseen, and the first and last known depth: when and how."""


Full = tuple[str, str, int, bool, int]
"""A queue manager and a queue, its MaxQDepth, whether messages come to it unseen, and how many of those at most."""

_OF_FULL = ("max_depth", "filled", "made", "logged_us")
_MADE_BY_A_CALL = 10
"""An upper bound of the messages that one call causes: more than all kinds of reports and one trigger message."""


def _of_queue_manager() -> Doubt:
    return Doubt(fn.lit(True), "the queue manager itself put messages there: reports, trigger messages, segments")


def _filled_unseen(log: Log) -> set[Name]:
    """Return the queues to which more messages may come than the log has puts.

    Those are all queues of a queue manager on which a put may have asked for reports, and those with a message that may
    have been split, or of which a get that skips backout may have kept one whose put was undone (AMB-102).
    """
    moves = log.gathered.moves
    reporting = {qmgr for (qmgr, _), of_queue in moves.items() if of_queue["asks"]}
    zos = log.facts.platform == "zos"
    splitting = {name for name, of_queue in moves.items() if of_queue[Use.SIDE_WORK.name if zos else "splits"]}
    return {name for name in moves if name[0] in reporting} | splitting


def _known(log: Log) -> list[Known]:
    """Return the queues whose depth is known at two times, in a complete log.

    For a log that is continued, these are the last time reported before, and the last one to be reported now.
    """
    filled = _filled_unseen(log)
    stretch = log.facts.stretch
    found = []
    for queue in log.facts.queues:
        depths = [one for one in queue.depths if stretch.kept_us + log.margin <= one[0] <= stretch.until_us]
        if not depths:
            continue
        first = max((one for one in depths if one[0] <= stretch.told_us), default=depths[0])
        if first[0] < depths[-1][0]:
            found.append((queue.qmgr, queue.queue, (queue.qmgr, queue.queue) in filled, *first, *depths[-1]))
    return found if log.facts.complete else []


def _with_undone(moves: Frame) -> Frame:
    """Add whether a put of the row's message was backed out.

    A get of such a message may be one of its own connection within the unit of work of the put. The message has left
    the queue once, not twice.
    """
    undone = holds(fn.col("role").is_in(*PUTS) & (fn.col("effect.kind") == "undone"))
    return moves.with_column(_UNDONE, holds(fn.max(undone).over(Window.partition_by(*MESSAGE))))


def _counts(log: Log, known: Sequence[Known]) -> Frame:
    """Return for each queue how many messages came and went between the two times, at least and at most."""
    margin = log.margin
    schema = "qmgr string, queue string, filled boolean, first_us long, first_depth long, last_us long, last_depth long"
    times = log.moves.engine.frame(known, schema)
    role, kind, by = fn.col("role"), fn.col("effect.kind"), fn.col("effect.by")
    lo, hi, before, end = fn.col("lo"), fn.col("hi"), fn.col("first_us"), fn.col("last_us")
    perhaps = (lo <= end + margin) & (hi >= before - margin)
    surely = (lo > before + margin) & (hi + margin < end)
    over = holds(by["hi"] + margin < end)
    lasting = (fn.col("expiry") == MQEI.UNLIMITED) & uncapped_as_known(fn.col("cap_expiry"))
    came = holds((role == PUT) & surely & (kind == "visible") & over & lasting)
    may_come = role.is_in(*PUTS) & perhaps & ~holds((kind == "undone") & over)
    went = holds((role == TAKE) & surely & (kind == "final")) & ~fn.col(_UNDONE)
    nobodys = came & (fn.col("n_puts") == 1) & (fn.col("n_held") == 0)
    may_go = may_remove() & perhaps & ~holds((kind == "released") & over)
    named = fn.struct(*_CALL, "msg_id", "persistence", "since")

    def number(where: Column) -> Column:
        return fn.count(fn.when(where, 1))

    moves = log.moves.where(fn.col("whole") & ~fn.col("reassembles")).join(fn.broadcast(times), [*QUEUE])
    rows = _with_undone(moves)
    return rows.group_by(*QUEUE, "filled", "first_depth", "last_depth", "may_vanish", "cap_expiry").agg(
        number(came).alias("came"),
        number(may_come).alias("may_come"),
        number(went).alias("went"),
        number(may_go).alias("may_go"),
        number(nobodys).alias("nobodys"),
        number(may_go & fn.col("msg_id").is_null()).alias("may_go_unnamed"),
        fn.max(fn.when(came, by_another_name(fn.col("object_name"), fn.col("queue")))).alias("by_alias"),
        fn.max(fn.when(came & (fn.col("n_final") == 0), named)).alias("last_put"),
        fn.max(fn.when(went, named)).alias("last_get"),
        fn.max(fn.when(may_come, named)).alias("last_come"),
        fn.min("lo").alias("begun"),
        fn.min(fn.when(came, holds(fn.col("persistence") == MQPER.PERSISTENT))).alias("persistent"),
    )


def _does_not_add_up(log: Log) -> Sequence[Statement]:
    """Find queues that held fewer or more messages in the end than the calls can have left (DLV-06).

    A message that nobody got is left, whatever became of others. Fewer is a violation if nothing else can have taken
    messages away: messages that can expire do not count, nor do those whose put has an unknown time. More is a
    suspicion, because trigger messages of the queue manager have no put; see also _filled_unseen.
    """
    by_name = fn.col("nobodys") - fn.col("may_go_unnamed") > fn.col("came") - fn.col("may_go")
    came = fn.when(by_name, fn.col("nobodys")).otherwise(fn.col("came"))
    may_go = fn.when(by_name, fn.col("may_go_unnamed")).otherwise(fn.col("may_go"))
    most = fn.col("first_depth") + fn.col("may_come") - fn.col("went")
    last, put, get = fn.col("last_depth"), fn.col("last_put"), fn.col("last_get")
    moved = fn.coalesce("last_get", "last_come")
    restarted = ~fn.col("persistent") & ~holds(connected_since(log, put["since"]) < fn.col("begun"))
    return [
        Statement(
            rule="DLV-06",
            where=holds(last < came - may_go) & put.is_not_null(),
            call=put,
            msg_id=put["msg_id"],
            calls=[ref(put)],
            sentence=text(
                "The queue held ", last, " messages in the end, although ", came,
                " that do not expire were put on it and no more than ", may_go,
                " of them got since its depth was first known; this is the last put of one that nobody got",
            ),
            doubts=[
                Doubt(fn.col("may_vanish"), "the queue was deleted in between"),
                Doubt(holds(fn.col("cap_expiry") != 0), "CAPEXPRY of the queue made messages expire"),
                Doubt(holds(fn.col("by_alias")), "CAPEXPRY of an alias queue made messages expire"),
                Doubt(restarted, "the queue manager was restarted in between and dropped nonpersistent messages"),
            ],
        ),
        Statement(
            rule="DLV-06",
            where=holds(last > most) & moved.is_not_null() & ~fn.col("filled"),
            call=moved,
            msg_id=moved["msg_id"],
            calls=[ref(moved)],
            sentence=text(
                "The queue held ", last, " messages in the end, although it held ", fn.col("first_depth"),
                " when its depth was first known, since when no more than ", fn.col("may_come"),
                " were put and ", fn.col("went"), " got for good; this is the last of those ",
                fn.when(get.is_not_null(), "gets").otherwise("puts"),
            ),
            doubts=[_of_queue_manager()],
        ),
    ]  # fmt: skip  # a sentence


def _full(log: Log) -> list[Full]:
    """Return the queues on which a put found no room, with what is known of them, in a complete log.

    An expired message may still count there, but a log that is continued does not remember it.
    """
    limits = {(known.qmgr, known.queue): known.max_depth or 0 for known in log.facts.queues}
    moves, forgets, filled = log.gathered.moves, log.facts.stretch.forgets, _filled_unseen(log)
    capped = {(known.qmgr, known.queue) for known in log.facts.queues if known.cap_expiry}
    forgotten = {name for name, of_queue in moves.items() if (of_queue["expires"] or name in capped) and forgets}
    splitting = {name for name, of_queue in moves.items() if of_queue["splits"] and log.facts.platform != "zos"}
    left_out = forgotten | splitting
    full = [
        (qmgr, queue)
        for (qmgr, queue), of_queue in log.gathered.calls.items()
        if of_queue["full"] and queue is not None and (qmgr, queue) not in left_out and limits.get((qmgr, queue))
    ]
    if not full or not log.facts.complete:
        return []
    calls = {row["qmgr"]: row["count"] for row in log.calls.group_by("qmgr").count().collect()}

    def made(name: tuple[str, str]) -> int:
        if name not in filled and not _may_trigger(log, name[0]):
            return 0
        return NEVER // 2 if forgets else _MADE_BY_A_CALL * calls[name[0]]

    return [(*name, limits[name], name in filled, made(name)) for name in full]


def _may_trigger(log: Log, qmgr: str) -> bool:
    """Return whether trigger messages may have been made for a queue of the log, according to the queues' headers."""
    off = {(known.qmgr, known.queue) for known in log.facts.queues if known.trigger_control == 0}
    gathered = log.gathered
    nameless = gathered.calls.get((qmgr, None))
    unknown = (qmgr, None) in gathered.moves or (nameless is not None and (nameless["inputs"] or nameless["was_set"]))
    on_queues = {name: of_queue for name, of_queue in gathered.calls.items() if name[0] == qmgr and name[1] is not None}
    return bool(unknown) or any(name not in off or of_queue["was_set"] for name, of_queue in on_queues.items())


def _refused(log: Log, full: Sequence[Full]) -> Frame:
    """Return the puts that found no room, each with `most`: the most messages that the queue can have held.

    That counts the puts that may have come first, except those that were surely backed out or got for good before.
    """
    margin, kind, by, role = log.margin, fn.col("effect.kind"), fn.col("effect.by"), fn.col("role")
    schema = "qmgr string, queue string, max_depth long, filled boolean, made long"
    limits = log.moves.engine.frame(full, schema)
    empty_first = log.queues.where("whole and pinned").select(*QUEUE, "logged_us")
    queues = fn.broadcast(empty_first.join(limits, [*QUEUE]))

    def point(line: str, at: Column, step: int, rank: int) -> Column:
        places = {"line": fn.lit(line), "at": at, "step": fn.lit(step), "rank": fn.lit(rank)}
        return fn.struct(*(column.alias(name) for name, column in places.items()))

    moved = fn.array_compact(
        fn.array(
            fn.when(role.is_in(*PUTS), point("in", fn.col("lo"), 1, 0)),
            fn.when(role.is_in(*PUTS) & (kind == "undone"), point("out", by["hi"] + margin, -1, 1)),
            fn.when((role == TAKE) & (kind == "final") & ~fn.col(_UNDONE), point("out", fn.col("hi") + margin, -1, 1)),
        )
    )
    asked = fn.array(point("in", fn.col("hi") + margin, 0, 1), point("out", fn.col("lo"), 0, 0))
    refused = (fn.col("reason") == MQRC.Q_FULL) & ~has("msg_flags", MQMF.SEGMENTATION_ALLOWED)
    itself = fn.struct(*_CALL, "msg_id", "since")
    calls = log.calls.where(refused & judged_now()).join(queues, [*QUEUE]).with_column("put", itself)
    moves = _with_undone(log.moves.drop("logged_us").join(queues, [*QUEUE]))
    points = calls.select(*QUEUE, *_OF_FULL, "put", fn.explode(asked).alias("point")).union_by_name(
        moves.select(*QUEUE, *_OF_FULL, fn.explode(moved).alias("point")), missing_as_null=True
    )
    order = Window.partition_by(*QUEUE, "point.line").order_by("point.at", "point.rank")
    so_far = fn.sum("point.step").over(order.rows_between(Window.unbounded, Window.current_row))
    counted = points.select("*", so_far.alias("count")).where("put is not null")
    return counted.group_by(*QUEUE, *_OF_FULL, "put").agg(fn.sum("count").alias("most"))


def _had_room(log: Log) -> Statement:
    """Find puts that failed with MQRC_Q_FULL although the queue held fewer messages than it may (DEP-06).

    A suspicion, because trigger messages of the queue manager have no put; nothing is reported where reports may have
    come. A violation where the queues' headers exclude trigger messages, and far below MaxQDepth, where not even
    _MADE_BY_A_CALL messages for each call would have filled the queue. A restart may make trigger messages too, so a
    connection must have lasted throughout.
    """
    put, most = fn.col("put"), fn.col("most")
    lasted = holds(connected_since(log, put["since"]) < fn.col("logged_us"))
    far_below = holds(most + fn.col("made") < fn.col("max_depth")) & lasted
    unseen = _of_queue_manager()
    return Statement(
        rule="DEP-06",
        where=(most < fn.col("max_depth")) & (~fn.col("filled") | far_below),
        call=put,
        msg_id=put["msg_id"],
        calls=[ref(put)],
        sentence=text(
            put["call"], " by connection ", put["conn"], " failed with MQRC_Q_FULL although the queue held at most ",
            most, " messages and its MaxQDepth is ", fn.col("max_depth"),
        ),
        doubts=[Doubt(~far_below, unseen.unless)],
        once=fn.lit("not full"),
    )  # fmt: skip  # a sentence


def _of_queues(log: Log) -> Mapping[str, Covered]:
    queues, known = len(log.gathered.moves), len(_known(log))
    missing = ("depth",) if log.facts.complete else ("complete",)
    return {"DLV-06": Covered(known, max(queues - known, 0), missing if queues > known else ())}


def _of_frames(log: Log) -> Sequence[tuple[Frame, Sequence[Statement]]]:
    frames: list[tuple[Frame, Sequence[Statement]]] = []
    if known := _known(log):
        frames.append((_counts(log, known), _does_not_add_up(log)))
    if full := _full(log):
        frames.append((_refused(log, full), [_had_room(log)]))
    return frames


DEPTH = Check("depth", lambda _: [], of_frames=_of_frames, of_queues=_of_queues)
