"""A listener that the queue manager calls back with each message, and that commits what has been handled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ibmmq as mq
from ibmmq import CMQC


class Listener:
    """Handles the messages of a queue as they come; what cannot be handled is backed out, and comes again.

    Handlers that return True have finished, and their messages are committed.
    """

    def __init__(self, manager: mq.QueueManager, queue: str, handle: Callable[[bytes], bool]) -> None:
        self._manager, self._handle = manager, handle
        self._queue = mq.Queue(manager, queue, CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_FAIL_IF_QUIESCING)
        cbd = mq.CBD(CallbackType=CMQC.MQCBT_MESSAGE_CONSUMER, CallbackFunction=self._called)
        gmo = mq.GMO(Options=CMQC.MQGMO_SYNCPOINT | CMQC.MQGMO_FAIL_IF_QUIESCING)
        self._queue.cb(operation=CMQC.MQOP_REGISTER, cbd=cbd, md=mq.MD(), gmo=gmo)

    def _called(self, msg: bytes | None, cbc: mq.CBC, **rest: Any) -> None:
        if msg is None:
            return  # an event, such as that the queue manager quiesces
        try:
            finished = self._handle(msg[: cbc.DataLength])
        except Exception:
            self._manager.backout()
            raise
        if finished:
            self._manager.commit()


def start(manager: mq.QueueManager) -> None:
    """Let messages come to the listeners of a connection."""
    manager.ctl(CMQC.MQOP_START, mq.CTLO())


def stop(manager: mq.QueueManager) -> None:
    """Let no more come; the handler that is at work finishes."""
    manager.ctl(CMQC.MQOP_STOP, mq.CTLO())
