"""Explanations by the queue of a call: its depth, its attributes, and who has it open."""

from __future__ import annotations

from collections.abc import Iterator

from oracle.mqi.constants import MQOO, MQRC
from spark_checks.frames import functions as fn
from spark_checks.questions.asked import MOST_TOLD, Asked, Point, by_rules
from spark_checks.questions.open_handles import open_handles
from spark_checks.questions.stock import Stock
from spark_checks.reports.texts import counted
from spark_checks.times import moment


def queue_full(asked: Asked) -> Iterator[Point]:
    """Yield what filled the queue (2053)."""
    limit, stock = asked.attribute("MaxQDepth"), asked.stock
    known = "which the log does not give" if limit is None else f"{limit:,}"
    yield Point(f"the queue held as many messages as MaxQDepth allows, {known}", ("DEP-06", "DEP-07"))
    if stock is None:
        return
    uncommitted = [each for each in stock.held if each.put_by is not None]
    taken = [each for each in stock.held if each.got_by is not None]
    total = len(stock.held) + stock.left_out
    yield Point(
        f"the log shows {counted(total, 'message')} that may have been there: "
        f"{len(uncommitted):,} put and not committed, which count, {len(taken):,} got and not committed, which do not",
        ("DEP-01", "DEP-02"),
    )
    holders: dict[str, int] = {}
    for each in uncommitted:
        assert each.put_by is not None  # chosen so
        holders[each.put_by.conn] = holders.get(each.put_by.conn, 0) + 1
    for conn, number in sorted(holders.items(), key=lambda item: -item[1])[:MOST_TOLD]:
        yield Point(f"connection {conn} had put {number:,} of them and not committed")
    yield from _last_taken(stock)


def _last_taken(stock: Stock) -> Iterator[Point]:
    if stock.gone:
        last = stock.gone[-1]
        yield Point(
            f"the last one that was taken before: by {last.call} of connection {last.conn} at {moment(last.end_us)}"
        )
    else:
        yield Point("the log shows no get that had taken one before")


def inhibited(asked: Asked) -> Iterator[Point]:
    """Yield who or what had inhibited puts or gets (2051, 2016)."""
    puts = asked.event.reason == MQRC.PUT_INHIBITED
    name, rules = ("InhibitPut", ("PUT-09", "INQ-08")) if puts else ("InhibitGet", ("INQ-09", "WAI-06"))
    value = asked.attribute(name)
    opened = asked.history.opened
    by = asked.event.object_name if opened is None else opened.event.object_name
    if value == 0 and by is not None and by != asked.event.queue:
        yield Point(f"{name} of the queue is 0, so it was on for {by}, by which it was opened", ("INQ-08", *rules))
        return
    if value is not None:
        yield Point(f"the definition that was given says {name} {value}", rules)
    else:
        yield Point(f"{name} was on for the queue, or for an alias on the way to it", rules)
    event = asked.event
    same = (fn.col("qmgr") == event.qmgr) & (fn.col("queue") == (event.queue or "")) & (fn.col("call") == "MQSET")
    sets = asked.evidence.where(same & (fn.col("start_us") <= event.end_us), of_queue=True)
    if sets:
        last = sets[-1]
        yield Point(
            f"the last MQSET on the queue before: connection {last.conn}, call {last.seq}, at {moment(last.start_us)}",
            ("INQ-05",),
        )
    else:
        who = "an administrator did, or a call before the log began or that it lacks"
        yield Point(f"no MQSET of the log did that: {who}; configuration events show who and when")


def in_use(asked: Asked) -> Iterator[Point]:
    """Yield who had the queue open (2042)."""
    event = asked.event
    exclusive = bool((event.options or 0) & MQOO.INPUT_EXCLUSIVE)
    how = "exclusively" if exclusive else "for input"
    yield Point(f"the call asked to open the queue {how}, and another handle excludes that", ("OPN-11", "OPN-12"))
    found = list(open_handles(asked.evidence, event.qmgr, event.queue or event.object_name or "", event.start_us))
    blocking = [one for one in found if one.excludes] if not exclusive else [one for one in found if one.for_input]
    for one in (blocking or [one for one in found if one.for_input])[:MOST_TOLD]:
        how = "exclusively" if one.exclusive else "for input"
        yield Point(
            f"connection {one.event.conn} had it open {how}, since {moment(one.event.start_us)} (call {one.event.seq})"
        )
    if not found:
        yield Point(
            "the log shows no other open handle: it was opened before the log began, or by a program that it lacks"
        )


def too_big(asked: Asked) -> Iterator[Point]:
    """Yield the length of the message and the limit (2030)."""
    limit = asked.attribute("MaxMsgLength")
    length = asked.event.length
    has = "not captured" if length is None else f"{length:,} bytes"
    allows = "which the log does not give" if limit is None else f"{limit:,} bytes"
    yield Point(f"the message has {has}; MaxMsgLength of the queue allows {allows}", ("SIZ-04",))
    yield from by_rules(asked)
