"""Invoices that come as groups of messages: an invoice is booked as a whole or not at all.

An invoice that fails is backed out and comes again. When that has happened as often as the queue's backout threshold
says, its messages are moved to the queue's backout-requeue queue.
"""

from __future__ import annotations

from collections.abc import Callable

import ibmmq as mq
from ibmmq import CMQC

Part = tuple[bytes, mq.MD]


class Bookkeeper:
    """Books the invoices of a queue."""

    def __init__(self, manager: mq.QueueManager, queue: str, book: Callable[[list[bytes]], None]) -> None:
        self._manager = manager
        self._book = book
        options = CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_INQUIRE | CMQC.MQOO_FAIL_IF_QUIESCING
        self._queue = mq.Queue(manager, queue, options)
        limits = self._queue.inquire([CMQC.MQIA_BACKOUT_THRESHOLD, CMQC.MQCA_BACKOUT_REQ_Q_NAME])
        self._threshold = limits[CMQC.MQIA_BACKOUT_THRESHOLD]
        self._failures = limits[CMQC.MQCA_BACKOUT_REQ_Q_NAME].strip()

    def step(self, seconds: int = 5) -> bool:
        """Book the next invoice, or move it aside; False if no whole one has come in time, or this one has failed."""
        parts = self._parts(seconds)
        if not parts:
            return False
        if self._threshold and parts[0][1].BackoutCount >= self._threshold:
            self._move_aside(parts)
            self._manager.commit()
            return True
        try:
            self._book([data for data, _ in parts])
        except ValueError:
            self._manager.backout()
            return False
        self._manager.commit()
        return True

    def _parts(self, seconds: int) -> list[Part]:
        """Return the messages of the next group, all got in one unit of work."""
        parts: list[Part] = []
        options = (
            CMQC.MQGMO_SYNCPOINT
            | CMQC.MQGMO_LOGICAL_ORDER
            | CMQC.MQGMO_ALL_MSGS_AVAILABLE
            | CMQC.MQGMO_WAIT
            | CMQC.MQGMO_FAIL_IF_QUIESCING
        )
        while True:
            md = mq.MD()
            gmo = mq.GMO(Options=options, MatchOptions=CMQC.MQMO_NONE, WaitInterval=1000 * seconds)
            try:
                parts.append((self._queue.get(None, md, gmo), md))
            except mq.MQMIError as error:
                if error.reason == CMQC.MQRC_NO_MSG_AVAILABLE:
                    return []
                raise
            if gmo.GroupStatus == CMQC.MQGS_LAST_MSG_IN_GROUP:
                return parts

    def _move_aside(self, parts: list[Part]) -> None:
        for data, md in parts:
            pmo = mq.PMO(Options=CMQC.MQPMO_SYNCPOINT)
            self._manager.put1(self._failures, data, md, pmo)
