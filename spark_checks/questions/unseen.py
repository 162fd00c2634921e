"""Unseen removals: what may have taken a message away without a call that shows it.

Gets of unknown outcome and CAPEXPRY may. If one of them may have, an answer that a message is on a queue is not sure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from oracle.histories.event_log import Event
from oracle.model.requests.option_matrix import BROWSE
from oracle.mqi.constants import MQMO, MQRC, NULL_ID
from spark_checks.frames import functions as fn
from spark_checks.preparation.absence import SHORTEST_LIFE_US
from spark_checks.preparation.columns import has, holds
from spark_checks.preparation.connections import has_unknown_effect
from spark_checks.preparation.moves import PUTS, RETURNS
from spark_checks.questions.deeds import Deed
from spark_checks.questions.evidence import Evidence

Queue = tuple[str, str | None]
"""A queue: its queue manager and its name."""

TENTH_US: Final = 100_000


@dataclass(frozen=True)
class Unseen:
    """What may have taken messages from some queues unseen."""

    gets: dict[Queue, tuple[Event, ...]]
    """The gets whose message, if any, is unknown, by queue."""
    caps: dict[Queue, int]
    """The CAPEXPRY of queues that have one, in tenths of a second."""

    def reasons(self, queue: Queue, deeds: Sequence[Deed], until_us: int) -> Iterator[str]:
        """Yield what may have taken a message away by a time. `deeds` are the calls that put or returned it."""
        put = next((deed for deed in reversed(deeds) if deed.role in PUTS), None)
        seen = max((deed.lo for deed in deeds if deed.lo <= until_us), default=None)
        returned = max((deed.lo for deed in deeds if deed.role in RETURNS), default=None)
        for get in self.gets.get(queue, ()):
            later = returned is not None and returned > get.end_us
            if (
                seen is not None
                and seen <= get.end_us
                and get.start_us <= until_us
                and not later
                and _suits(get, deeds)
            ):
                reason = "a reason that was not captured" if get.reason is None else MQRC.describe(get.reason)
                sentence = f"{get.call} of connection {get.conn}, call {get.seq}, may have taken it"
                yield f"{sentence}: it ended with {reason}"
        if put is None:
            return
        cap = self.caps.get(queue)
        if cap is not None and put.hi + cap * TENTH_US <= until_us:
            yield f"CAPEXPRY of the queue, {cap} tenths of a second, may have made it expire"
        named, own = put.event.object_name, queue[1]
        if named is not None and own is not None and named != own and put.lo + SHORTEST_LIFE_US <= until_us:
            yield f"CAPEXPRY of {named}, by which it was put, may have made it expire: the log has no definition of it"


def _suits(get: Event, deeds: Sequence[Deed]) -> bool:
    """Return whether a get may have asked for a message: not if it selected by another identifier."""
    match = get.match_options
    for bit, wanted, name in (
        (MQMO.MATCH_MSG_ID, get.sel_msg_id, "msg_id"),
        (MQMO.MATCH_CORREL_ID, get.sel_correl_id, "correl_id"),
    ):
        asked = (match is None or match & bit) and wanted not in (None, NULL_ID.hex())
        known = {getattr(deed.event, name) for deed in deeds} - {None}
        if asked and known and wanted not in known:
            return False
    return True


def unseen_on(evidence: Evidence, queues: Collection[Queue]) -> Unseen:
    """Return what may have taken messages from queues unseen."""
    names = sorted({name for _, name in queues if name is not None})
    gets: dict[Queue, tuple[Event, ...]] = {}
    if names:
        found = fn.col("queue").is_in(*names) & fn.col("call").is_in("MQGET", "CALLBACK") & has_unknown_effect()
        for event in evidence.where(found & ~holds(has("options", BROWSE)), of_queue=True):
            gets[event.qmgr, event.queue] = (*gets.get((event.qmgr, event.queue), ()), event)
    caps = {(one.qmgr, one.queue): one.cap_expiry for one in evidence.facts.queues if (one.cap_expiry or 0) > 0}
    return Unseen(gets, {queue: cap for queue, cap in caps.items() if cap is not None})
