"""A program in the manner of IBM's extension module, which passes structures as bytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from oracle.mqi.binary import Layout, Values
from oracle.mqi.connection_layouts import NATIVE_ORDER, NATIVE_POINTERS
from oracle.mqi.layouts import MQGMO, MQMD, MQOD, MQPMO
from oracle.standin import verbs
from oracle.standin.answers import Answer
from oracle.testing import QueueManager, queue_manager


def pack(layout: Layout, **members: Any) -> bytes:
    return layout.encode(members, NATIVE_ORDER, pointer_size=NATIVE_POINTERS)


def unpack(layout: Layout, data: bytes | None) -> Values:
    assert data is not None
    return layout.decode(data, NATIVE_ORDER, pointer_size=NATIVE_POINTERS)


@dataclass
class Program:
    """A connected program, and what its last call returned."""

    hconn: int
    last: Answer = field(default_factory=Answer)

    @classmethod
    def connected(cls, name: str = "QM1", **arguments: Any) -> Program:
        answer = verbs.connect(name, **arguments)
        return cls(answer.hconn, answer)

    @property
    def codes(self) -> tuple[int, int]:
        return self.last.comp_code, self.last.reason

    def open(self, name: str, options: int, **members: Any) -> int:
        od = pack(MQOD, Version=4, ObjectName=name, **members)
        self.last = verbs.open_object(self.hconn, od, options)
        return self.last.hobj

    def put(self, hobj: int, data: bytes, pmo: dict[str, Any] | None = None, **members: Any) -> Values:
        md = pack(MQMD, Version=2, **members)
        self.last = verbs.put(self.hconn, hobj, md, pack(MQPMO, Version=3, **(pmo or {})), data)
        return unpack(MQMD, self.last.md or md)

    def get(self, hobj: int, gmo: dict[str, Any] | None = None, length: int = 1000, **members: Any) -> bytes:
        md, options = pack(MQMD, Version=2, **members), pack(MQGMO, Version=4, **(gmo or {}))
        self.last = verbs.get(self.hconn, hobj, md, options, length)
        return self.last.data


@pytest.fixture
def qm() -> Iterator[QueueManager]:
    with queue_manager(["Q"]) as manager:
        yield manager


@pytest.fixture
def program(qm: QueueManager) -> Program:
    return Program.connected()


@pytest.fixture
def administrator(program: Program) -> Any:
    from tests.standin.administrator import Administrator

    return Administrator(program)
