"""The handles that were open at a time, by the calls that open and close them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from oracle.histories.event_log import Event
from oracle.mqi.constants import INPUT_OPTIONS, MQCC, MQOO
from spark_checks.frames import functions as fn
from spark_checks.questions.evidence import Evidence


@dataclass(frozen=True)
class OpenHandle:
    """A handle that was open."""

    event: Event
    """The MQOPEN that opened it."""

    @property
    def exclusive(self) -> bool:
        """Whether it was opened for exclusive input."""
        return bool((self.event.options or 0) & MQOO.INPUT_EXCLUSIVE)

    @property
    def for_input(self) -> bool:
        """Whether it was opened for input."""
        return bool((self.event.options or 0) & INPUT_OPTIONS)

    @property
    def excludes(self) -> bool:
        """Whether it keeps others from opening the queue for input, as far as the log shows."""
        return self.exclusive or bool((self.event.options or 0) & MQOO.INPUT_AS_Q_DEF)


def open_handles(evidence: Evidence, qmgr: str, queue: str | None, at_us: int) -> Iterator[OpenHandle]:
    """Yield the handles that were open at a time, of one queue or of all (None)."""
    calls = fn.col("call").is_in("MQOPEN", "MQCLOSE", "MQDISC", "MQCONN")
    before = (fn.col("qmgr") == qmgr) & calls & (fn.col("start_us") < at_us)
    about = before if queue is None else before & ((fn.col("queue") == queue) | fn.col("queue").is_null())
    opened: dict[tuple[str, int | None], Event] = {}
    events = evidence.where(about)
    for event in sorted(events, key=lambda each: (each.conn, each.seq)):
        if event.comp_code == MQCC.FAILED:
            continue
        if event.call == "MQOPEN":
            opened[event.conn, event.hobj] = event
        elif event.call == "MQCLOSE":
            opened.pop((event.conn, event.hobj), None)
        else:
            opened = {key: one for key, one in opened.items() if key[0] != event.conn}
    yield from (OpenHandle(event) for event in sorted(opened.values(), key=lambda each: each.start_us))
