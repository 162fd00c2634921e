"""A program that is called back, in the manner of IBM's extension module."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from oracle.mqi.binary import Values
from oracle.mqi.connection_layouts import MQCBC, MQCBD, MQCTLO
from oracle.mqi.constants import MQCC, MQGMO, MQOO, MQRC
from oracle.mqi.layouts import MQGMO as GMO
from oracle.mqi.layouts import MQMD
from oracle.standin import callback_verbs, verbs
from oracle.standin.callbacks import CallType, Operation, Request
from tests.standin.conftest import Program, pack, unpack

OK = (MQCC.OK, MQRC.NONE)
START, START_WAIT, STOP = Operation.START, Operation.START_WAIT, Operation.STOP
SUSPEND, RESUME = Operation.SUSPEND, Operation.RESUME
REGISTER, DEREGISTER = Operation.REGISTER, Operation.DEREGISTER
ALL_CALLS = 1 | 4 | 256 | 512
"""MQCBDO of the calls at the start and the end, and when the function is registered and no longer is."""


def failed(reason: int) -> tuple[int, int]:
    return MQCC.FAILED, reason


@dataclass
class Consumer:
    """A program that is called back: what it was called with, and what it does then."""

    program: Program
    seen: list[tuple[CallType, int, bytes | None]] = field(default_factory=list)
    contexts: list[Values] = field(default_factory=list)
    descriptors: list[Values] = field(default_factory=list)
    then: Callable[[bytes | None], object] = lambda data: None

    def called(self, hconn: int, md: bytes | None, gmo: bytes | None, data: bytes | None, cbc: bytes) -> None:
        assert hconn == self.program.hconn
        context = unpack(MQCBC, cbc)
        self.contexts.append(context)
        if md is not None:
            self.descriptors.append(unpack(MQMD, md))
        self.seen.append((CallType(int(context["CallType"])), int(context["Reason"]), data))
        self.then(data)

    @property
    def data(self) -> list[bytes]:
        return [data for _, _, data in self.seen if data is not None]

    def manage(
        self, operation: int, hobj: int, cbd: dict[str, Any] | None = None, gmo: dict[str, Any] | None = None, **md: Any
    ) -> tuple[int, int]:
        packed = pack(MQMD, Version=2, **md), pack(GMO, Version=4, **(gmo or {}))
        request = Request(pack(MQCBD, **(cbd or {})), hobj, *packed, self.called)
        answer = callback_verbs.manage_callback(self.program.hconn, operation, request)
        return answer.comp_code, answer.reason

    def consume(self, name: str, cbd: dict[str, Any] | None = None, options: int = 0, **gmo: Any) -> int:
        """Register for the messages of a queue; return its handle."""
        how = MQOO.BROWSE if options & (MQGMO.BROWSE_FIRST | MQGMO.BROWSE_NEXT) else MQOO.INPUT_SHARED
        hobj = self.program.open(name, how)
        assert self.manage(REGISTER, hobj, cbd, {"Options": options, **gmo}) == OK
        return hobj

    def handle_events(self, options: int = 0) -> None:
        assert self.manage(REGISTER, 0, {"CallbackType": 2, "Options": options}) == OK

    def control(self, operation: int, **ctlo: Any) -> tuple[int, int]:
        answer = callback_verbs.control_callbacks(self.program.hconn, operation, pack(MQCTLO, **ctlo))
        return answer.comp_code, answer.reason

    def commit(self) -> tuple[int, int]:
        answer = verbs.commit(self.program.hconn)
        return answer.comp_code, answer.reason
