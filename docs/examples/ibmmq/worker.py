"""A worker that takes an order off its queue only after it has been carried out.

It browses with a lock: no other worker sees the order meanwhile, and if this one dies the order is there for the next.
"""

from __future__ import annotations

from collections.abc import Callable

import ibmmq as mq
from ibmmq import CMQC


class CannotNow(Exception):
    """The order cannot be carried out at the moment; it is to stay where it is."""


class Worker:
    """Carries out the orders of a queue, the oldest of the highest priority first."""

    def __init__(self, manager: mq.QueueManager, queue: str, carry_out: Callable[[bytes], None]) -> None:
        options = CMQC.MQOO_BROWSE | CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_FAIL_IF_QUIESCING
        self._queue = mq.Queue(manager, queue, options)
        self._carry_out = carry_out

    def step(self, seconds: int = 5) -> bool:
        """Carry out the next order; False if none has come in time, or it has to stay."""
        if (order := self._look(seconds)) is None:
            return False
        try:
            self._carry_out(order)
        except CannotNow:
            self._release()
            return False
        self._remove()
        return True

    def _look(self, seconds: int) -> bytes | None:
        options = CMQC.MQGMO_BROWSE_FIRST | CMQC.MQGMO_LOCK | CMQC.MQGMO_WAIT | CMQC.MQGMO_FAIL_IF_QUIESCING
        gmo = mq.GMO(Options=options, MatchOptions=CMQC.MQMO_NONE, WaitInterval=1000 * seconds)
        try:
            return self._queue.get(None, mq.MD(), gmo)
        except mq.MQMIError as error:
            if error.reason == CMQC.MQRC_NO_MSG_AVAILABLE:
                return None
            raise

    def _release(self) -> None:
        self._queue.get(0, mq.MD(), mq.GMO(Options=CMQC.MQGMO_UNLOCK))

    def _remove(self) -> None:
        options = CMQC.MQGMO_MSG_UNDER_CURSOR | CMQC.MQGMO_ACCEPT_TRUNCATED_MSG
        try:
            self._queue.get(0, mq.MD(), mq.GMO(Options=options, MatchOptions=CMQC.MQMO_NONE))
        except mq.MQMIError as error:
            if error.reason != CMQC.MQRC_TRUNCATED_MSG_ACCEPTED:
                raise

    def close(self) -> None:
        """Close the queue; an order that is locked is free again."""
        self._queue.close()
