"""Dynamic queues: when one must not be deleted (CLO-05, CLO-06), and what other handles may do then (CLO-07, CLO-08).

Only the first deletion of a queue in the log is judged, because another queue may have its name later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from oracle.mqi.constants import MQCC, MQCO, MQRC
from spark_checks.checks.base import Check
from spark_checks.checks.exclusion import of_transaction_manager
from spark_checks.frames import Frame, Window
from spark_checks.frames import functions as fn
from spark_checks.preparation.absence import OF_QUEUE, absence_doubts, still_there
from spark_checks.preparation.columns import QUEUE, has, holds, text
from spark_checks.preparation.connections import REF_FIELDS, call_row, completed
from spark_checks.preparation.doubts import Doubt, end_unseen
from spark_checks.preparation.facts import PERMANENT, TEMPORARY
from spark_checks.preparation.locks import life
from spark_checks.preparation.log import Log
from spark_checks.preparation.moves import ANY, PUT, TAKE
from spark_checks.preparation.passes import gap, unseen
from spark_checks.results.findings import Statement, ref, this_call
from spark_checks.results.rule_results import Covered
from spark_checks.times import NEVER

_DELETES = MQCO.DELETE | MQCO.DELETE_PURGE
_USES = ("MQGET", "CALLBACK", "MQPUT", "MQINQ", "MQSET")


@dataclass(frozen=True)
class _Dynamic:
    """A queue that was deleted, or ended with the handle by which it was made."""

    qmgr: str
    queue: str
    kind: str | None
    """Its DefinitionType, from its own header or from that of its model. None if it is not known."""
    model: str | None
    """The defined model queue by whose name it was opened, and so made. None if none is known."""


def _queues(log: Log) -> list[_Dynamic]:
    own = {(known.qmgr, known.queue): known.definition_type for known in log.facts.queues}
    found = []
    for (qmgr, queue), of_queue in log.gathered.calls.items():
        if queue is None or not (of_queue["deletions"] or of_queue["may_vanish"]):
            continue
        model = log.facts.model_of(qmgr, of_queue.get("opened_as", ()))
        kind = own.get((qmgr, queue)) or (None if model is None else model.definition_type)
        if of_queue["deletions"] or kind == TEMPORARY:
            found.append(_Dynamic(qmgr, queue, kind, None if model is None else model.queue))
    return found


def _calls(log: Log, queues: Sequence[_Dynamic]) -> Frame:
    """Return the calls on deleted queues, with the MQOPEN of their handle and the first `deletion`.

    MQCLOSE deletes a queue if its options say so. A temporary dynamic queue also ends with the handle that created it,
    which was opened under another name, the model's: with its MQCLOSE or with the MQDISC of its connection.
    """
    rows = [(each.qmgr, each.queue, each.kind, each.model) for each in queues]
    known = log.calls.engine.frame(rows, "qmgr string, queue string, kind string, model string")
    closes, opens = fn.col("call") == "MQCLOSE", (fn.col("call") == "MQOPEN") & completed()
    named = fn.struct("hi", "lo", *REF_FIELDS, "object_name", "options", "since")
    handle = Window.partition_by(*QUEUE, "conn", "hobj", life())
    by_creator = (fn.col("kind") == TEMPORARY) & (fn.col("opened.object_name") != fn.col("queue"))
    surely_made = holds(fn.col("opened.object_name").same_as(fn.col("model")) & fn.col("model").is_not_null())
    by_option = holds(has("options", _DELETES))
    deletes = closes & (fn.col("comp_code") == MQCC.OK) & (by_option | holds(by_creator))
    ending = fn.struct("hi", "lo", *REF_FIELDS, "options", "since", (by_option | surely_made).alias("surely"))
    calls = log.calls.join(fn.broadcast(known), [*QUEUE]).where(fn.col("hobj").is_not_null())
    opened = calls.with_column("opened", fn.max(fn.when(opens, named)).over(handle))
    closed = opened.with_column("closed", fn.min(fn.when(deletes, ending)).over(Window.partition_by(*QUEUE)))
    created = closed.where(opens & holds(by_creator)).select(*QUEUE, "conn", "seq", surely_made.alias("made"))
    ended = closed.join(_disconnected(log, created), [*QUEUE], "left")
    return ended.with_column("deletion", fn.least("closed", "disconnected")).drop("closed", "disconnected")


def _disconnected(log: Log, created: Frame) -> Frame:
    """Return for each temporary queue the first MQDISC of a connection that had `created` it, as `disconnected`."""
    ends = (fn.col("call") == "MQDISC") & (fn.col("comp_code") == MQCC.OK)
    last = log.calls.where(ends).select("qmgr", "conn", "lo", "hi", "options", "since", fn.col("seq").alias("at"))
    both = created.join(last, ["qmgr", "conn"]).where(fn.col("at") > fn.col("seq"))
    itself = fn.struct(
        "hi", "lo", "conn", fn.col("at").alias("seq"), fn.lit("MQDISC").alias("call"), "options", "since",
        fn.col("made").alias("surely"),
    )  # fmt: skip  # names
    return both.group_by(*QUEUE).agg(fn.min(itself).alias("disconnected"))


def deletions(log: Log) -> Frame | None:
    """Return the deleted queues, each with the `row` of the first call that deleted it; None if there are none."""
    queues = _queues(log)
    if not queues:
        return None
    deleted = _calls(log, queues).where("deletion is not null")
    return deleted.select(*QUEUE, call_row("deletion").alias("row")).distinct()


def _used_after(log: Log) -> Statement:
    """Find calls with a handle of a deleted queue that show the queue (CLO-08), or a message of it (CLO-07)."""
    deletion, opened = fn.col("deletion"), fn.col("opened")
    before = opened["hi"] + log.margin < deletion["lo"]
    after = fn.col("lo") > deletion["hi"] + log.margin
    there = completed() | (fn.col("reason") == MQRC.NO_MSG_AVAILABLE)
    gone = (fn.col("kind") == TEMPORARY) & fn.col("msg_id").is_not_null() & ~fn.col("call").is_in("MQPUT")
    return Statement(
        rule=fn.when(gone, "CLO-07").otherwise("CLO-08"),
        where=holds(fn.col("call").is_in(*_USES) & there & before & after),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[ref(opened), ref(deletion), this_call()],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"),
            fn.when(holds(completed()), " completed").otherwise(" found no message"),
            " with a handle of a queue that connection ", deletion["conn"], " had deleted",
        ),
        doubts=[
            Doubt(fn.lit(not log.facts.complete), "its handle was opened anew by a call that the log lacks"),
            Doubt(~deletion["surely"], "the queue was opened by the name of an alias queue, and not created"),
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
    unit_end = fn.col("unit_end")
    of_deleter = (fn.col("conn") == deletion["conn"]) & (fn.col("seq") < deletion["seq"])
    pending_there = of_deleter & (unit_end.is_null() | (unit_end["seq"] > deletion["seq"]))
    pending = moved & ((fn.col("open_until") > deletion["hi"] + log.margin) | pending_there)
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
            calls=[this_call(), ref(deletion), ref(unit_end)],
            sentence=text(
                *sentence, fn.col("call"), " by connection ", fn.col("conn"), " on it had not been committed"
            ),
            doubts=[
                end_unseen(fn.col("whole")),
                of_transaction_manager(unit_end),
            ],
            once=fn.lit("deleted"),
            rank=1,
        ),
    ]  # fmt: skip  # a sentence


def _of_queues(log: Log) -> Mapping[str, Covered]:
    queues = _queues(log)
    deletions = {(each.qmgr, each.queue): log.gathered.calls[each.qmgr, each.queue]["deletions"] for each in queues}
    number = sum(deletions.values())
    known = sum(deletions[each.qmgr, each.queue] for each in queues if each.kind is not None)
    missing = ("DefinitionType",) if number > known else ()
    by_type = Covered(known, number - known, missing)
    temporary = sum(each.kind == TEMPORARY for each in queues)
    return {
        "CLO-05": by_type,
        "CLO-06": by_type,
        "CLO-07": Covered(temporary, number - known, missing),
        "CLO-08": Covered(number + temporary),
    }


def _of_frames(log: Log) -> Sequence[tuple[Frame, Sequence[Statement]]]:
    queues = _queues(log)
    if not queues:
        return []
    calls = _calls(log, queues)
    frames: list[tuple[Frame, Sequence[Statement]]] = [(calls, [_used_after(log)])]
    if any(each.kind == PERMANENT for each in queues):
        frames.append((_held(log, calls), _not_empty(log)))
    return frames


DYNAMIC_QUEUES = Check("dynamic queues", lambda _: [], of_frames=_of_frames, of_queues=_of_queues)
