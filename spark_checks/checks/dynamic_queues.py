"""Dynamic queues: when one must not be deleted (CLO-05, CLO-06), and what other handles may do then (CLO-07, CLO-08).

Only the first deletion of a queue in the log is judged, because another queue may have its name later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from oracle.mqi.constants import MQCC, MQCO
from spark_checks.checks.base import Check
from spark_checks.checks.exclusion import of_transaction_manager
from spark_checks.frames import Frame, Window
from spark_checks.frames import functions as fn
from spark_checks.preparation.absence import OF_QUEUE, absence_doubts, still_there
from spark_checks.preparation.columns import has, holds, text
from spark_checks.preparation.connections import REF_FIELDS, call_row, completed
from spark_checks.preparation.doubts import Doubt, end_unseen
from spark_checks.preparation.facts import PERMANENT, TEMPORARY
from spark_checks.preparation.locks import life
from spark_checks.preparation.log import Log
from spark_checks.preparation.moves import ANY, PUT, TAKE
from spark_checks.preparation.passes import gap, unseen
from spark_checks.preparation.queues import QUEUE
from spark_checks.results.findings import Statement, ref, this_call
from spark_checks.results.rule_results import Covered
from spark_checks.times import NEVER

_DELETES = MQCO.DELETE | MQCO.DELETE_PURGE
_USES = ("MQGET", "CALLBACK", "MQPUT", "MQINQ", "MQSET")


def _queues(log: Log) -> list[tuple[str, str, str | None]]:
    """Return the queues that were deleted, with their DefinitionType where it is known."""
    kinds = {(known.qmgr, known.queue): known.definition_type for known in log.facts.queues}
    found = []
    for (qmgr, queue), told in log.gathered.calls.items():
        kind = kinds.get((qmgr, queue or ""))
        if queue is not None and (told["deletions"] or (told["may_vanish"] and kind == TEMPORARY)):
            found.append((qmgr, queue, kind))
    return found


def _calls(log: Log, queues: Sequence[tuple[str, str, str | None]]) -> Frame:
    """Return the calls on deleted queues, with the MQOPEN of their handle and the `deletion`.

    MQCLOSE deletes a queue if its options say so. It also deletes a temporary dynamic queue if the handle created it,
    so opened it under another name, the model's.
    """
    known = log.calls.engine.frame(queues, "qmgr string, queue string, kind string")
    closes, opens = fn.col("call") == "MQCLOSE", (fn.col("call") == "MQOPEN") & completed()
    named = fn.struct("hi", "lo", *REF_FIELDS, "object_name", "options", "since")
    handle = Window.partition_by(*QUEUE, "conn", "hobj", life())
    by_creator = (fn.col("kind") == TEMPORARY) & (fn.col("opened.object_name") != fn.col("queue"))
    deletes = closes & (fn.col("comp_code") == MQCC.OK) & (holds(has("options", _DELETES)) | holds(by_creator))
    calls = log.calls.join(fn.broadcast(known), [*QUEUE]).where(fn.col("hobj").is_not_null())
    opened = calls.with_column("opened", fn.max(fn.when(opens, named)).over(handle))
    return opened.with_column("deletion", fn.min(fn.when(deletes, named)).over(Window.partition_by(*QUEUE)))


def deletions(log: Log) -> Frame | None:
    """Return the deleted queues, each with the `row` of the first call that deleted it; None if there are none."""
    queues = _queues(log)
    if not queues:
        return None
    deleted = _calls(log, queues).where("deletion is not null")
    return deleted.select(*QUEUE, call_row("deletion").alias("row")).distinct()


def _used_after(log: Log) -> Statement:
    """Find calls that completed with a handle of a deleted queue (CLO-08), or returned a message from it (CLO-07)."""
    deletion, opened = fn.col("deletion"), fn.col("opened")
    before = opened["hi"] + log.margin < deletion["lo"]
    after = fn.col("lo") > deletion["hi"] + log.margin
    silently = ~holds(deletion["options"].bit_and(fn.lit(int(_DELETES))) != 0)
    gone = (fn.col("kind") == TEMPORARY) & fn.col("msg_id").is_not_null() & ~fn.col("call").is_in("MQPUT")
    return Statement(
        rule=fn.when(gone, "CLO-07").otherwise("CLO-08"),
        where=holds(fn.col("call").is_in(*_USES) & completed() & before & after),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[ref(opened), ref(deletion), this_call()],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), " completed with a handle of a queue that connection ",
            deletion["conn"], " had deleted",
        ),
        doubts=[
            Doubt(fn.lit(not log.facts.complete), "its handle was opened anew by a call that the log lacks"),
            Doubt(silently, "the queue was opened by the name of an alias queue, and not created"),
        ],
        once=fn.concat_ws("|", fn.lit("deleted"), "conn", fn.col("hobj").cast("string")),
    )  # fmt: skip  # a sentence


def _held(log: Log, calls: Frame) -> Frame:
    """Return the moves on permanent dynamic queues that an MQCLOSE deleted, with that `deletion`."""
    permanent = calls.where(fn.col("kind") == PERMANENT).where("deletion is not null")
    deletions = permanent.group_by(*QUEUE).agg(fn.first("deletion").alias("deletion"))
    return log.moves.join(fn.broadcast(deletions), [*QUEUE])


def _not_empty(log: Log) -> Sequence[Statement]:
    """Find queues that were deleted although messages (CLO-05) or uncommitted puts or gets (CLO-06) were on them."""
    deletion, put = fn.col("deletion"), fn.col("put")
    purges = holds(deletion["options"].bit_and(fn.lit(int(MQCO.DELETE_PURGE))) != 0)
    # the close selects as a get of any message does, on a queue that nobody has made anew
    made_once = {"made_us": fn.lit(NEVER), "made_until_us": fn.lit(-NEVER), "dynamic": fn.lit(False)}
    of_close = {"hi": deletion["hi"], "since": deletion["since"], "selection": fn.lit(ANY)}
    facts = {**of_close, **{name: fn.col(name) for name in OF_QUEUE}, **made_once}
    at_close = fn.struct(*(value.alias(name) for name, value in facts.items()))
    there = gap() & put.is_not_null() & (fn.col("gap_from") + log.margin < deletion["lo"])
    seen = ~unseen() & (fn.col("lo") > deletion["hi"] + log.margin)
    left = there & (seen | (unseen() & still_there(put, at_close, log.margin)))
    moved = fn.col("role").is_in(PUT, TAKE) & fn.col("in_unit") & (fn.col("hi") + log.margin < deletion["lo"])
    pending = moved & (fn.col("open_until") > deletion["hi"] + log.margin)
    sentence = ("MQCLOSE by connection ", deletion["conn"], " deleted the queue although ")
    absent = [Doubt(unseen() & doubt.applies, doubt.unless) for doubt in absence_doubts(put, at_close, log)]
    return [
        Statement(
            rule="CLO-05",
            where=~purges & holds(left),
            call=deletion,
            msg_id=fn.col("msg_id"),
            calls=[put, ref(deletion), fn.when(seen, this_call())],
            sentence=text(*sentence, "the message that connection ", put["conn"], " had put was on it"),
            doubts=[Doubt(~fn.col("whole"), "an application whose calls the log lacks had got the message"), *absent],
            once=fn.lit("deleted"),
        ),
        Statement(
            rule=fn.when(purges, "CLO-06").otherwise("CLO-05"),
            where=holds(pending),
            call=deletion,
            msg_id=fn.col("msg_id"),
            calls=[this_call(), ref(deletion), ref(fn.col("unit_end"))],
            sentence=text(
                *sentence, fn.col("call"), " by connection ", fn.col("conn"), " on it had not been committed"
            ),
            doubts=[
                end_unseen(fn.col("whole")),
                of_transaction_manager(fn.col("unit_end")),
            ],
            once=fn.lit("deleted"),
            rank=1,
        ),
    ]  # fmt: skip  # a sentence


def _of_queues(log: Log) -> Mapping[str, Covered]:
    deletions = {name: told["deletions"] for name, told in log.gathered.calls.items()}
    kinds = {(known.qmgr, known.queue): known.definition_type for known in log.facts.queues}
    number = sum(deletions.values())
    known = sum(count for (qmgr, queue), count in deletions.items() if kinds.get((qmgr, queue or "")) is not None)
    missing = ("DefinitionType",) if number > known else ()
    by_type = Covered(known, number - known, missing)
    return {"CLO-05": by_type, "CLO-06": by_type, "CLO-07": by_type, "CLO-08": Covered(number)}


def _of_frames(log: Log) -> Sequence[tuple[Frame, Sequence[Statement]]]:
    queues = _queues(log)
    if not queues:
        return []
    calls = _calls(log, queues)
    frames: list[tuple[Frame, Sequence[Statement]]] = [(calls, [_used_after(log)])]
    if any(kind == PERMANENT for _, _, kind in queues):
        frames.append((_held(log, calls), _not_empty(log)))
    return frames


DYNAMIC_QUEUES = Check("dynamic queues", lambda _: [], of_frames=_of_frames, of_queues=_of_queues)
