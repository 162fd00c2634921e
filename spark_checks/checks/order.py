"""Order: higher priority first, and first in, first out within a priority (PRI-03) or on a FIFO queue (PRI-04, VIS-03).

A get without selection, and a BROWSE_FIRST (BRW-03), must return the first of the messages that are available; one by
CorrelId the first with that CorrelId, one in logical order the first that begins a group or is in none. So it is wrong
if, throughout the call, another such message was available that stands before the one returned: one of higher priority,
or one of the same rank that was put before. One that was put before and committed later stands before it too (VIS-03).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from oracle.mqi.constants import MQGMO
from spark_checks.checks.base import Check, Concern, absent
from spark_checks.checks.delivery import another_report
from spark_checks.checks.emptiness import by_unseen_string, passed_over
from spark_checks.frames import Column
from spark_checks.frames import functions as fn
from spark_checks.preparation.absence import absence_doubts, locked_before, still_there
from spark_checks.preparation.columns import has, holds, text, unknown_or
from spark_checks.preparation.doubts import Doubt
from spark_checks.preparation.fronts import FROM_FRONT
from spark_checks.preparation.identity import from_before, held_unseen, of_earlier_put, put_in_log, stayed
from spark_checks.preparation.log import Log
from spark_checks.preparation.messages import own_rank
from spark_checks.preparation.moves import (
    BY_CORREL_ID,
    IN_PIECES,
    SUITED_BY_SEVERAL,
    TAKE,
    TOUCH,
    from_front,
    tells_its_message,
)
from spark_checks.preparation.passes import asked_for, begun, ended, gap, open_spot, suited
from spark_checks.preparation.sweep import Pass, Spot
from spark_checks.results.findings import Statement, committed_by, ref

_FIFO_RANK = -1
_HIGHER, _EARLIER, _COMMITTED_LATER = "higher priority", "put earlier", "put earlier and committed later"
_FAMILIES = (_HIGHER, _EARLIER, _COMMITTED_LATER)
"""The families of passes, in the order in which a get that is wrong in several ways is explained."""


def _by_priority(margin: int) -> list[Pass]:
    """Return the passes that look for messages of higher priority; the queue must be known to go by priority.

    A message is offered once for each lower priority at which a message was taken.
    """
    by_priority = fn.col("sequence") == "PRIORITY"
    rank = fn.col("rank")
    lower = fn.filter("taken_ranks", lambda taken: taken < rank)
    offers = open_spot(gap() & by_priority & rank.is_not_null(), each=_combined("suits", lower))
    queries = open_spot(first_asked() & by_priority, each=_combined("asks", fn.array("taken_rank")))
    return begun(_HIGHER, offers, queries, margin, at=took_effect())


def _by_put(margin: int) -> list[Pass]:
    """Return the passes that look for messages of the same rank that were put before.

    Either the other message was surely visible before this one was put; or one connection put both, and what made the
    other visible came no later than what made this one visible. So where the times do not show when the unit of work
    ended, a put outside a unit of work is compared only with earlier ones outside.
    """
    open_end, putter = fn.lit(None), fn.col("put.conn")
    gap_rank, taken_rank = one_rank_if_fifo("rank"), one_rank_if_fifo("taken_rank")
    offers = Spot(gap(), fn.col("gap_from") + margin, open_end, (gap_rank,), fn.col("suits"))
    queries = Spot(first_asked(), fn.col("put_since"), open_end, (taken_rank,), fn.col("asks"))
    outside, inside = holds(~fn.col("put.in_unit")), holds(fn.col("put.in_unit"))
    own_uncommitted = (fn.col("conn") == putter) & ~outside & ~holds(fn.col("seq") > fn.col("put.visible.seq"))
    comparable = fn.when(outside, fn.array(fn.lit("inside"), fn.lit("outside"))).otherwise(fn.array(fn.lit("inside")))
    return [
        Pass(_EARLIER, "put after by time", offers, queries),
        Pass(
            _EARLIER,
            "put after by seq",
            replace(
                offers,
                where=gap() & fn.col("gap_first") & (~outside | fn.col("put.visible.loose")),
                at=fn.col("put.seq"),
                same=(gap_rank, putter),
                each=_combined("suits", comparable),
            ),
            replace(
                queries,
                where=first_asked() & ~holds(own_uncommitted),
                at=fn.col("put.seq"),
                same=(taken_rank, putter),
                each=_combined("asks", fn.array(fn.when(inside, "inside").otherwise("outside"))),
            ),
        ),
    ]


def _by_put_in_unit(margin: int) -> Pass:
    """Return the pass that looks for messages that were put before, and committed before the call."""
    in_unit = gap() & fn.col("gap_first") & holds(fn.col("put.in_unit"))
    offers = open_spot(in_unit, one_rank_if_fifo("rank"), each=fn.col("suits"))
    queries = open_spot(first_asked(), one_rank_if_fifo("taken_rank"), each=fn.col("asks"))
    return Pass(
        _COMMITTED_LATER,
        "put after by time",
        replace(offers, at=fn.col("put.hi") + margin, since=fn.col("gap_from") + margin),
        replace(queries, at=fn.col("put_since"), since=took_effect()),
    )


def took_effect() -> Column:
    """Return the earliest time at which a call that returned a message can have taken effect: not before that was put.

    A call that waits begins long before. The commit is no bound: a message may be visible to its own connection before
    it, a transaction manager may have committed before the MQDISC, and the message may have been returned too early.
    """
    put, commit = fn.col("put"), fn.col("put")["visible"]
    perhaps_sooner = (put["conn"] == fn.col("conn")) | (commit["call"] == "MQDISC") | (commit["lo"] > fn.col("hi"))
    came = fn.when(perhaps_sooner, put["lo"]).otherwise(commit["lo"])
    return fn.greatest("lo", came)


def first_asked() -> Column:
    """Return whether a row is a get or a BROWSE_FIRST that had to return the first available message that suits it.

    The place of a message assembled from segments is left open.
    """
    in_one_piece = fn.col("put.msg_flags").bit_and(IN_PIECES) == 0
    known_place = ~has("options", MQGMO.COMPLETE_MSG) | holds(in_one_piece)
    return tells_its_message() & fn.col("selection").is_in(*SUITED_BY_SEVERAL) & fn.col(FROM_FRONT) & known_place


def asks() -> Column:
    """Return what a get asks for if several messages may suit it."""
    return fn.array_compact(fn.array(asked_for()))


def suits() -> Column:
    """Return the selections that a gap's message suits, of those that asked for the first of several on its queue."""
    return fn.array_compact(fn.array(*suited("taken_by", SUITED_BY_SEVERAL)))


def _combined(texts: str, others: Column) -> Column:
    """Return each text of a column combined with each of some other values."""
    with_others = fn.transform(texts, lambda text: fn.transform(others, lambda other: fn.concat_ws("/", other, text)))
    return fn.flatten(with_others)


def one_rank_if_fifo(rank: str) -> Column:
    """Return the rank in a column, or one rank shared by all messages on a queue in arrival order."""
    return fn.when(fn.col("sequence") == "FIFO", fn.lit(_FIFO_RANK)).otherwise(fn.col(rank))


def _passes(log: Log) -> Sequence[Pass]:
    return ended([*_by_priority(log.margin), *_by_put(log.margin), _by_put_in_unit(log.margin)], log.margin)


def _sentence() -> Column:
    get, later, other = fn.col("asker"), fn.col("answer"), fn.col("answer.put")
    priority = fn.coalesce(get["priority"], get["rank"])
    committed_later = fn.when(fn.col("family") == _COMMITTED_LATER, " and committed later").otherwise("")
    how = fn.when(
        fn.col("family") == _HIGHER,
        text("of priority ", priority, " although one of priority ", later["rank"], asked_too(get)),
    ).otherwise(text("although one that had been put before it ", where_put_before(get), committed_later))
    putter = fn.when(other.is_not_null(), text(" of connection ", other["conn"])).otherwise("")
    return text(
        get["call"], " by connection ", get["conn"], " returned a message ", how, ", message ", later["msg_id"],
        putter, ", was available throughout the call; ", shown_by(later),
    )  # fmt: skip  # a sentence


def where_put_before(get: Column) -> Column:
    """Return the messages among which the order of their puts matters to a get."""
    among = fn.when(get["sequence"] == "FIFO", "on this FIFO queue").otherwise("with the same priority")
    return fn.concat(among, asked_too(get))


def asked_too(get: Column) -> Column:
    """Return in words what else a passed message has in common with the one that a get returned."""
    return fn.when(get["selection"] == BY_CORREL_ID, " and the CorrelId that was asked for").otherwise("")


def shown_by(later: Column) -> Column:
    """Return the text that says what shows that the passed message of an answer was there."""
    return fn.when(
        ~fn.col("endless"),
        text("it was still there for connection ", later["conn"], " afterwards"),
    ).otherwise("nobody got it before")


def left_open(log: Log, index_type: Column) -> tuple[Column, Doubt]:
    """Return whether the queue's index leaves the order of messages open, and the doubt if the index is not known.

    On z/OS the physical order on a queue that is indexed by group is not defined.
    """
    open_ = fn.lit(log.facts.platform == "zos") & holds(index_type == "GROUP_ID")
    unknown = fn.lit(log.facts.platform == "zos") & index_type.is_null()
    return open_, Doubt(unknown, "the queue is indexed by group, which leaves the order open on z/OS")


def out_of_order(log: Log, rule: Column, where: Column, before: Column, sentence: Column) -> Statement:
    """Find gets that returned a message although they had to return another one.

    A violation if the log is complete, if no message with the same identifier as the returned one can have been on the
    queue before the log began, and if the passed message is seen afterwards; or if it is not, on the further grounds of
    spark_checks.preparation.absence. A suspicion if that is open. No finding in an incomplete log if the message is not
    seen afterwards, because that is common there. A message that many gets passed over is one finding; a lost one is
    none.  The `asker` is the get, the `answer` the call that shows the passed message afterwards, or else its put;
    `before` is the call that shows, together with that put, why the message had to come first. `rule` is the one that a
    get breaks; a BROWSE_FIRST and a first BROWSE_NEXT break rules of their own (BRW-03, BRW-06).
    """
    get, later, other = fn.col("asker"), fn.col("answer"), fn.col("answer.put")
    seen, options = ~fn.col("endless"), get["options"]
    first, next_ = options.bit_and(MQGMO.BROWSE_FIRST) != 0, options.bit_and(MQGMO.BROWSE_NEXT) != 0
    open_, perhaps_open = left_open(log, get["index_type"])
    report = another_report(later.get_field)
    return Statement(
        rule=fn.when(first, "BRW-03").when(next_, "BRW-06").otherwise(rule),
        where=where
        & ~open_
        & ~held_unseen(later)
        & ~of_earlier_put(log.margin, get.get_field)
        & (seen | still_there(other, get, log.margin)),
        call=get,
        msg_id=get["msg_id"],
        calls=[other, before, get, fn.when(seen, ref(later))],
        sentence=sentence,
        doubts=[
            perhaps_open,
            by_unseen_string(get),
            Doubt(~get["whole"], "an application whose calls the log lacks held the other message for a while"),
            locked_before(other, later["given_back"]),
            from_before(put_in_log(log.margin, get.get_field) & (~seen | stayed(log.margin, later.get_field))),
            Doubt(seen & report.applies, report.unless),
            *(Doubt(~seen & doubt.applies, doubt.unless) for doubt in absence_doubts(other, get, log)),
        ],
        once=passed_over(later["msg_id"]),
        rank=1,
    )


def _of_answers(log: Log) -> Sequence[Statement]:
    get, other = fn.col("asker"), fn.col("answer.put")
    higher, fifo = fn.col("family") == _HIGHER, get["sequence"] == "FIFO"
    later = fn.col("family") == _COMMITTED_LATER
    rule = fn.when(later, "VIS-03").when(~higher & fifo, "PRI-04").otherwise("PRI-03")
    before = fn.when(higher, committed_by(other)).otherwise(ref(get["put"]))
    return [out_of_order(log, rule, fn.col("family").is_in(*_FAMILIES), before, _sentence())]


def order_needs() -> dict[str, Column]:
    """Return the columns that a record may lack by which the order of messages is judged."""
    return absent("queue", "msg_id", "comp_code", "options") | {
        "match_options": fn.col("selection").is_null(),
        "MQPUT": fn.col("n_puts") == 0,
        "complete": ~fn.col("whole"),
    }


def _concerns(log: Log) -> Sequence[Concern]:
    del log
    selection, needs = fn.col("selection"), order_needs()
    in_order = selection.is_null() | selection.is_in(*SUITED_BY_SEVERAL)
    first = holds(has("options", MQGMO.BROWSE_FIRST))
    gets = fn.col("role").is_in(TAKE, TOUCH) & in_order & unknown_or(from_front()) & ~first
    fifo = holds(fn.col("sequence") == "FIFO")
    unknown = absent("priority") | {"MsgDeliverySequence": fn.col("sequence").is_null()}
    unordered = fn.col("priority").is_null() | fn.col("sequence").is_null()
    no_order = {"MsgDeliverySequence": ~fifo & unordered}
    return [
        Concern("PRI-03", gets & ~fifo, needs | unknown),
        Concern("PRI-04", gets & fifo, needs),
        Concern("VIS-03", gets & unknown_or(fn.col("put.in_unit")), needs | no_order),
        Concern("BRW-03", tells_its_message() & in_order & first, needs | no_order),
    ]


ORDER = Check(
    "order",
    _concerns,
    passes=_passes,
    columns={"taken_rank": own_rank, "asks": asks, "suits": suits},
    families=_FAMILIES,
    of_answers=_of_answers,
)
