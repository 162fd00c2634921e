"""The history of a handle before a call: how it was opened, its cursor, its lock, and its unit of work."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from oracle.histories.event_log import Event
from oracle.model.requests.option_matrix import BROWSE, SCANS, UNDER_CURSOR
from oracle.mqi.constants import MQCC, MQGMO, MQMO, MQRC
from spark_checks.frames import functions as fn
from spark_checks.questions.deeds import Deed, End, deeds_of
from spark_checks.questions.evidence import Evidence

_MOST_BEFORE: Final = 2000
"""The number of the connection's calls before the call that are looked at."""


@dataclass(frozen=True)
class History:
    """What the connection of a call did before it."""

    target: Event
    """The call."""
    before: tuple[Deed, ...]
    """The calls before it, in their order."""
    whole: bool
    """Whether the connection's first call in the log is among these."""

    @property
    def of_handle(self) -> Iterator[Deed]:
        """The calls on the handle since it was opened, the last one first."""
        for deed in reversed(self.before):
            event = deed.event
            if event.hobj == self.target.hobj and event.hobj is not None:
                if event.call == "MQCLOSE" and event.comp_code != MQCC.FAILED:
                    return
                yield deed
                if event.call == "MQOPEN" and event.comp_code != MQCC.FAILED:
                    return

    def last(self, fits: Callable[[Deed], bool]) -> Deed | None:
        """Return the last call on the handle that fits."""
        return next((deed for deed in self.of_handle if fits(deed)), None)

    @property
    def opened(self) -> Deed | None:
        """The MQOPEN of the handle, None if it is not known."""
        return self.last(lambda deed: deed.event.call == "MQOPEN")

    @property
    def cursor(self) -> Deed | None:
        """The browse that set the browse cursor to its position; None if there was none."""
        return self.last(lambda deed: bool(deed.asks & SCANS) and returned(deed.event))

    @property
    def lock(self) -> Deed | None:
        """The last call on the handle that locked a message, None if there was none."""
        return self.last(lambda deed: bool(deed.asks & MQGMO.LOCK) and returned(deed.event))

    @property
    def got(self) -> Deed | None:
        """The last call on the handle that removed a message, but for those whose group a backout made it forget."""
        gets = [deed for deed in self.of_handle if not deed.asks & BROWSE and returned(deed.event)]
        while gets and (end := self._forgotten(gets[0])) is not None:
            gets = [deed for deed in gets if not _ended_by(deed, end)]
        return gets[0] if gets else None

    def _forgotten(self, get: Deed) -> End | None:
        """Return the backout of a get if that restored the group of the handle.

        It may not if its queue was used outside the unit of work while that was open (UOW-05).
        """
        end = get.end
        if not get.in_unit or end is None or end.how != "released" or end.seq >= self.target.seq:
            return None
        begun = min(deed.event.seq for deed in self.before if _ended_by(deed, end))
        used = any(
            begun < deed.event.seq < end.seq and not deed.in_unit and not deed.asks & BROWSE and _moved(deed.event)
            for deed in self.before
            if deed.event.queue == self.target.queue
        )
        return None if used else end

    @property
    def unknown(self) -> str | None:
        """The sentence that says what the call goes by and the log does not show; None if it shows all of that.

        That is the selection, or the group, the browse cursor or the marks of a handle whose MQOPEN is not known.
        """
        asks = self.target.options or 0
        if _selects_unknown(self.target):
            return "what the call selected by was not captured"
        last = self.cursor if asks & BROWSE else self.got
        if asks & MQGMO.LOGICAL_ORDER and last is not None and last.event.msg_flags is None:
            return f"the group of the message that call {last.event.seq} returned was not captured"
        if self.opened is not None:
            return None
        sentence = "the log does not show the MQOPEN of the handle, so it is not known"
        if asks & MQGMO.LOGICAL_ORDER and last is None:
            return f"{sentence} in which group it was"
        if asks & (MQGMO.BROWSE_NEXT | UNDER_CURSOR) and self.cursor is None:
            return f"{sentence} where its browse cursor was"
        return f"{sentence} which messages it had marked" if asks & MQGMO.UNMARKED_BROWSE_MSG else None

    @property
    def whole_unit(self) -> bool:
        """Whether `unit` begins with the unit of work: the log shows what ended the one before."""
        return any(_ends_unit(deed.event) for deed in self.before)

    @property
    def unit(self) -> list[Deed]:
        """The puts and gets of the unit of work that is open when the call begins."""
        found: list[Deed] = []
        for deed in reversed(self.before):
            if _ends_unit(deed.event):
                break
            if deed.in_unit and deed.event.comp_code != MQCC.FAILED:
                found.append(deed)
        return found[::-1]


def _selects_unknown(event: Event) -> bool:
    """Return whether a get may have selected by an identifier that was not captured."""
    match = event.match_options
    pairs = ((MQMO.MATCH_MSG_ID, event.sel_msg_id), (MQMO.MATCH_CORREL_ID, event.sel_correl_id))
    by_group = match is not None and bool(match & MQMO.MATCH_GROUP_ID) and event.sel_group_id is None
    return by_group or any((match is None or match & bit) and value is None for bit, value in pairs)


def _ends_unit(event: Event) -> bool:
    return event.call in ("MQCMIT", "MQBACK", "MQDISC", "MQCONN") or event.reason == MQRC.BACKED_OUT


def _ended_by(deed: Deed, end: End) -> bool:
    """Return whether a put or get was in the unit of work that a call ended."""
    return bool(deed.in_unit) and deed.end is not None and deed.end.seq == end.seq


def _moved(event: Event) -> bool:
    return returned(event) or (event.call == "MQPUT" and event.comp_code != MQCC.FAILED)


def returned(event: Event) -> bool:
    """Return whether an MQGET returned a message and was completed."""
    done = event.comp_code in (MQCC.OK, MQCC.WARNING) and event.reason != MQRC.TRUNCATED_MSG_FAILED
    return event.call == "MQGET" and done and not (event.options or 0) & MQGMO.UNLOCK


def history_of(evidence: Evidence, target: Event) -> History:
    """Return what the connection of a call did before it."""
    own = (fn.col("qmgr") == target.qmgr) & (fn.col("conn") == target.conn) & (fn.col("seq") < target.seq)
    last = evidence.calls.where(own).select("seq").order_by(fn.desc("seq")).limit(_MOST_BEFORE).collect()
    if not last:
        return History(target, (), whole=True)
    first = min(row["seq"] for row in last)
    deeds = deeds_of(evidence, [((target.qmgr, target.conn), (first, target.seq - 1))])
    ordered = sorted(deeds, key=lambda deed: deed.event.seq)
    return History(target, tuple(ordered), whole=len(last) < _MOST_BEFORE)


def left_over(history: History, column: str, before: str) -> Deed | None:
    """Return the earlier call that left its identifier in the descriptor; None if the call's identifier is another.

    `column` is the call's selection, `before` the member that an earlier call set to the same value.
    """
    wanted = getattr(history.target, column)
    with_message: Sequence[str] = ("MQGET", "MQPUT", "MQPUT1")
    for deed in reversed(history.before):
        event = deed.event
        if event.call in with_message and event.comp_code != MQCC.FAILED and getattr(event, before) == wanted:
            return deed
    return None
