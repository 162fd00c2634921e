"""Deletions of dynamic queues: the calls that deleted a queue with its messages, or may have.

An MQCLOSE with MQCO_DELETE or MQCO_DELETE_PURGE deletes a dynamic queue (CLO-05, CLO-06). A temporary dynamic queue
ends with the handle by which it was made (CLO-07), which was opened under the name of its model. A queue that is opened
under the name of an alias looks like that, unless its definition is known or it was there before or afterwards. A
temporary dynamic queue that was made before the log may end without a call of the log: with the application that made
it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from oracle.histories.event_log import COLUMNS, Event
from oracle.mqi.constants import MQCC, MQCO, MQPER, MQRC
from spark_checks.frames import Column
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import has, holds
from spark_checks.preparation.connections import completed
from spark_checks.preparation.facts import TEMPORARY
from spark_checks.questions.deeds import Deed
from spark_checks.questions.evidence import Evidence, event_of
from spark_checks.questions.unseen import Queue
from spark_checks.times import NEVER, moment

_DELETES: Final = MQCO.DELETE | MQCO.DELETE_PURGE
_MOST: Final = 1000
"""The number of MQOPENs under other names that are looked at."""


_Key = tuple[str, str, int]


@dataclass(frozen=True)
class Deletion:
    """A call that deleted a queue with its messages, or may have."""

    call: Event
    """The call: an MQCLOSE, the MQDISC of the connection, its last call, or one that shows that the queue is gone."""
    made_as: str | None
    """The name under which its handle was opened. None if the call certainly deleted the queue, or shows that."""

    @property
    def sentence(self) -> str:
        """What the call did, in words."""
        call = self.call
        named = f"{call.call} of connection {call.conn}, call {call.seq}, at {moment(call.start_us)}"
        if call.comp_code == MQCC.FAILED and call.call == "MQCLOSE":
            return f"{named}, may have purged its messages although it was refused (CLO-06)"
        if call.comp_code == MQCC.FAILED:
            return f"the queue was deleted, as {MQRC.describe(call.reason or 0)} of {named}, shows"
        if self.made_as is None:
            return f"the queue was deleted by {named}"
        if call.call not in ("MQCLOSE", "MQDISC"):
            dead = f"the queue has ended if connection {call.conn} died after its last call, call {call.seq}"
            return f"if it was a temporary dynamic queue, made by opening {self.made_as}, {dead}"
        if not self.made_as:
            return f"if it was a temporary dynamic queue, {named}, deleted it: the log does not show how it was opened"
        return f"if it was a temporary dynamic queue, made by opening {self.made_as}, {named}, deleted it"


@dataclass(frozen=True)
class Deletions:
    """The deletions of some queues."""

    margin: int = 0
    """The difference, in microseconds, that two times must have for their order to be sure."""
    of_queues: dict[Queue, tuple[Deletion, ...]] = field(default_factory=dict)
    """The deletions of each queue, in the order of their times."""
    temporary: dict[Queue, int | None] = field(default_factory=dict)
    """The queues that may be temporary dynamic ones, each with the start of the first MQOPEN that may have made it.

    None for a queue that was made before the log.
    """

    def may_end_unseen(self, queue: Queue, deeds: Sequence[Deed]) -> bool:
        """Return whether a queue may have ended without a call of the log after those about a message on it.

        A temporary dynamic queue holds no persistent messages. If an MQOPEN of the log made it, its handle says when it
        ended.
        """
        if queue not in self.temporary or any(deed.event.persistence == MQPER.PERSISTENT for deed in deeds):
            return False
        made_us = self.temporary[queue]
        return made_us is None or any(deed.hi + self.margin < made_us for deed in deeds)

    def of_message(self, queue: Queue, deeds: Sequence[Deed], until_us: int | None = None) -> Deletion | None:
        """Return what deleted a queue after the last call that showed a message on it; None if nothing did.

        Only deletions before `until_us` count, and one that certainly was one counts first.
        """
        if not deeds or queue not in self.of_queues:
            return None
        last = max(deeds, key=lambda deed: (deed.lo, deed.event.seq))
        after = [
            one
            for one in self.of_queues[queue]
            if self._is_after(one.call, last) and (until_us is None or one.call.end_us + self.margin < until_us)
        ]
        return next((one for one in after if one.made_as is None), after[-1] if after else None)

    def since(self, queue: Queue, since_us: int, until_us: int) -> Deletion | None:
        """Return what deleted a queue after a time, and by another one; what certainly did comes first."""
        after = [
            one
            for one in self.of_queues.get(queue, ())
            if one.call.start_us > since_us + self.margin and one.call.end_us <= until_us
        ]
        return next((one for one in after if one.made_as is None), after[-1] if after else None)

    def _is_after(self, call: Event, deed: Deed) -> bool:
        if call.conn == deed.event.conn:
            return call.seq > deed.event.seq
        return call.start_us > deed.hi + self.margin


def deletions_on(evidence: Evidence, queues: Collection[Queue]) -> Deletions:
    """Return what deleted queues, or may have."""
    kinds = {(known.qmgr, known.queue): known.definition_type for known in evidence.facts.queues}
    names = sorted({name for qmgr, name in queues if name is not None and kinds.get((qmgr, name)) != "PREDEFINED"})
    if not names:
        return Deletions(evidence.margin)
    shown = [*evidence.where(fn.coalesce("queue", "object_name").is_in(*names) & _shows()), *_orphans(evidence, names)]
    openers = [event for event in shown if event.call == "MQOPEN" and event.comp_code != MQCC.FAILED][:_MOST]
    found: dict[Queue, list[Deletion]] = {}
    for event in shown:
        if event.call == "MQOPEN" and event.comp_code != MQCC.FAILED:
            continue
        deletes = _certainly_deletes(event)
        if deletes or kinds.get((event.qmgr, str(event.queue))) is None:
            queue = event.qmgr, event.queue or event.object_name
            found.setdefault(queue, []).append(Deletion(event, None if deletes else ""))
    for opened, closed in _ended_with_their_handle(evidence, kinds, openers):
        surely = _kind(kinds, opened) == TEMPORARY and closed.call in ("MQCLOSE", "MQDISC")
        made_as = None if surely else opened.object_name
        found.setdefault((opened.qmgr, opened.queue), []).append(Deletion(closed, made_as))
    ordered = {
        queue: tuple(sorted(own, key=lambda one: (one.call.end_us, one.call.seq))) for queue, own in found.items()
    }
    perhaps = [(qmgr, name) for qmgr, name in queues if kinds.get((qmgr, str(name))) in (None, TEMPORARY)]
    return Deletions(evidence.margin, ordered, _made(evidence, perhaps, openers))


def _shows() -> Column:
    """Return whether a call deletes or purges a queue, shows that it is gone, or opens it under another name."""
    opens = (fn.col("call") == "MQOPEN") & completed() & (fn.col("object_name") != fn.col("queue"))
    closes = (fn.col("call") == "MQCLOSE") & (fn.col("comp_code") == MQCC.OK) & holds(has("options", _DELETES))
    purges = (fn.col("call") == "MQCLOSE") & holds(has("options", MQCO.DELETE_PURGE))
    closes |= purges & (fn.col("comp_code") == MQCC.FAILED)
    gone = (fn.col("reason") == MQRC.Q_DELETED) | (
        (fn.col("call") == "MQOPEN") & (fn.col("reason") == MQRC.UNKNOWN_OBJECT_NAME)
    )
    return holds(opens | closes | gone)


def _certainly_deletes(event: Event) -> bool:
    """Return whether a call certainly deleted its queue, or shows that the queue is gone."""
    if event.comp_code == MQCC.FAILED:
        return event.call != "MQCLOSE"  # a refused MQCO_DELETE_PURGE only may have purged the messages (CLO-06)
    return bool((event.options or 0) & _DELETES)


_Kinds = Mapping[tuple[str, str], str | None]
"""The definition type by queue manager and queue, None or missing if it is not known."""


def _ended_with_their_handle(
    evidence: Evidence, kinds: _Kinds, openers: Sequence[Event]
) -> Iterator[tuple[Event, Event]]:
    """Yield the MQOPENs that may have made a temporary dynamic queue, each with the call by which it ended."""
    ended = [pair for pair in _closed(evidence, openers) if _kind(kinds, pair[0]) in (None, TEMPORARY)]
    outlived = _outlived(evidence, [pair for pair in ended if _kind(kinds, pair[0]) is None], openers)
    return (pair for pair in ended if _key(pair[0]) not in outlived)


def _made(evidence: Evidence, queues: Sequence[Queue], openers: Sequence[Event]) -> dict[Queue, int | None]:
    """Return when the first MQOPEN that may have made each queue began; None if the queue was there before it."""
    names = sorted({name for _, name in queues if name is not None})
    used = evidence.by_queue.where(fn.col("queue").is_in(*names) & holds(_works()))
    rows = used.group_by("qmgr", "queue").agg(fn.min("end_us").alias("first_us")).collect()
    first = {(row["qmgr"], row["queue"]): row["first_us"] for row in rows}
    made: dict[Queue, int | None] = dict.fromkeys(queues)
    for queue in queues:
        opened_us = min((one.start_us for one in openers if (one.qmgr, one.queue) == queue), default=NEVER)
        if opened_us <= first.get(queue, NEVER - 1) + evidence.margin:
            made[queue] = opened_us
    return made


def _orphans(evidence: Evidence, names: Sequence[str]) -> list[Event]:
    """Return the last calls on queues that closed a handle whose MQOPEN the log lacks, if no call came after them."""
    opened = evidence.calls.where((fn.col("call") == "MQOPEN") & completed()).select("qmgr", "conn", "hobj").distinct()
    mine = evidence.by_queue.where(fn.col("queue").is_in(*names))
    closes = holds((fn.col("call") == "MQCLOSE") & (fn.col("comp_code") == MQCC.OK)) & ~holds(has("options", _DELETES))
    orphans = mine.where(closes).join(opened, ["qmgr", "conn", "hobj"], "left_anti")
    last = mine.where(holds(_works())).group_by("qmgr", "queue").agg(fn.max("end_us").alias("last_us"))
    both = orphans.join(last, ["qmgr", "queue"], "left")
    after = both.where(fn.col("last_us").is_null() | (fn.col("start_us") >= fn.col("last_us")))
    return [event_of(row) for row in after.select(*COLUMNS).order_by("start_us").limit(_MOST).collect()]


def _works() -> Column:
    """Return whether a call shows that its queue is there."""
    return (completed() | (fn.col("reason") == MQRC.NO_MSG_AVAILABLE)) & (fn.col("call") != "MQCLOSE")


def _kind(kinds: _Kinds, opened: Event) -> str | None:
    return kinds.get((opened.qmgr, str(opened.queue)))


def _key(event: Event) -> _Key:
    return event.qmgr, event.conn, event.seq


def _closed(evidence: Evidence, openers: Sequence[Event]) -> Iterable[tuple[Event, Event]]:
    """Yield the MQOPENs, each with the call that closed its handle without MQCO_DELETE, or the last of its connection.

    A connection without an end may have died after that.
    """
    if not openers:
        return
    conns = sorted({event.conn for event in openers})
    ends = fn.col("call").is_in("MQCLOSE", "MQDISC") & (fn.col("comp_code") == MQCC.OK)
    ended = evidence.where(ends & fn.col("conn").is_in(*conns))
    of_conns: dict[tuple[str, str], list[Event]] = {}
    for event in ended:
        of_conns.setdefault((event.qmgr, event.conn), []).append(event)
    keys = {(event.qmgr, event.conn) for event in openers}
    last = evidence.named((*key, evidence.connections[key]["last_seq"]) for key in keys)
    last_of = {(event.qmgr, event.conn): event for event in last}
    for opened in openers:
        later = (
            event
            for event in of_conns.get((opened.qmgr, opened.conn), ())
            if event.seq > opened.seq and (event.call == "MQDISC" or event.hobj == opened.hobj)
        )
        closed = min(later, key=lambda event: event.seq, default=last_of[opened.qmgr, opened.conn])
        if not (closed.call == "MQCLOSE" and (closed.options or 0) & _DELETES):
            yield opened, closed


def _outlived(evidence: Evidence, ended: Sequence[tuple[Event, Event]], openers: Sequence[Event]) -> set[_Key]:
    """Return the MQOPENs by which a queue was not made that ended with them.

    The queue was there before, or after the handle was closed. Later calls do not show that once another MQOPEN may
    have made it again.
    """
    rows = []
    for opened, closed in ended:
        others = [one for one in openers if (one.qmgr, one.queue) == (opened.qmgr, opened.queue) and one is not opened]
        again_us = min((one.start_us for one in others if one.start_us > closed.start_us), default=NEVER)
        first_us = opened.start_us if all(one.start_us > opened.start_us for one in others) else -NEVER
        rows.append((*_key(opened), opened.queue, first_us, closed.end_us, again_us))
    if not rows:
        return set()
    schema = "qmgr string, opener string, number long, queue string, first_us long, closed_us long, again_us long"
    used = evidence.calls.where(holds(_works())).select("qmgr", "queue", "start_us", "end_us")
    both = used.join(fn.broadcast(evidence.engine.frame(rows, schema)), ["qmgr", "queue"])
    margin = evidence.margin
    before = fn.col("end_us") + margin < fn.col("first_us")
    after = (fn.col("start_us") > fn.col("closed_us") + margin) & (fn.col("end_us") + margin < fn.col("again_us"))
    shown = both.where(before | after).select("qmgr", "opener", "number").distinct().collect()
    return {(row["qmgr"], row["opener"], row["number"]) for row in shown}
