"""Passing context from a message that was got to one that is put."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from oracle.mqi.constants import MQGMO, MQOO, MQPMO, MQRC
from oracle.mqi.layouts import MQMD, MQOD
from oracle.mqi.layouts import MQPMO as PMO
from oracle.standin import verbs
from oracle.testing import QueueManager, queue_manager
from tests.standin.conftest import Program, pack

SAVES = MQOO.INPUT_SHARED | MQOO.BROWSE | MQOO.SAVE_ALL_CONTEXT
ALL = MQPMO.PASS_ALL_CONTEXT
IDENTITY = MQPMO.PASS_IDENTITY_CONTEXT


@pytest.fixture
def qm() -> Iterator[QueueManager]:
    with queue_manager(["Q", "OTHER"]) as manager:
        manager.put(
            "Q",
            b"1",
            options=MQPMO.SET_ALL_CONTEXT,
            user_identifier="ada",
            put_appl_name="engine",
            appl_identity_data="identity",
            accounting_token=b"\7" * 32,
            put_date="20200202",
            put_time="10203040",
        )
        yield manager


def stored(qm: QueueManager) -> tuple[str, str, str, str]:
    (message,) = qm.messages("OTHER")
    descriptor = message.descriptor
    return descriptor.user_identifier, descriptor.appl_identity_data, descriptor.put_appl_name, descriptor.put_date


def passed(program: Program, target: int, option: int, source: int) -> int:
    """Put a message with the context that a handle has saved, and return the reason code."""
    program.put(target, b"passed", {"Options": option, "Context": source})
    return program.last.reason


def test_all_context_is_passed(program: Program, qm: QueueManager) -> None:
    source, target = program.open("Q", SAVES), program.open("OTHER", MQOO.OUTPUT | MQOO.PASS_ALL_CONTEXT)
    program.get(source)
    assert passed(program, target, ALL, source) == MQRC.NONE
    assert stored(qm) == ("ada", "identity", "engine", "20200202")


def test_identity_context_is_passed_and_the_origin_is_the_program(program: Program, qm: QueueManager) -> None:
    source, target = program.open("Q", SAVES), program.open("OTHER", MQOO.OUTPUT | MQOO.PASS_IDENTITY_CONTEXT)
    program.get(source)
    assert passed(program, target, IDENTITY, source) == MQRC.NONE
    user, identity, name, date = stored(qm)
    assert (user, identity, date) == ("ada", "identity", "20240101")
    assert name != "engine"


def test_mqput1_passes_context(program: Program, qm: QueueManager) -> None:
    source = program.open("Q", SAVES)
    program.get(source)
    pmo = pack(PMO, Version=2, Options=ALL, Context=source)
    answer = verbs.put1(program.hconn, pack(MQOD, ObjectName="OTHER"), pack(MQMD), pmo, b"")
    assert answer.reason == MQRC.NONE
    assert stored(qm)[0] == "ada"


@pytest.mark.parametrize(
    ("opened", "option", "reason"),
    [
        (0, ALL, MQRC.NOT_OPEN_FOR_PASS_ALL),
        (MQOO.PASS_IDENTITY_CONTEXT, ALL, MQRC.NOT_OPEN_FOR_PASS_ALL),
        (MQOO.SET_IDENTITY_CONTEXT, ALL, MQRC.NOT_OPEN_FOR_PASS_ALL),
        (MQOO.SET_ALL_CONTEXT, ALL, MQRC.NONE),
        (0, IDENTITY, MQRC.NOT_OPEN_FOR_PASS_IDENT),
        (MQOO.PASS_ALL_CONTEXT, IDENTITY, MQRC.NONE),
        (MQOO.SET_IDENTITY_CONTEXT, IDENTITY, MQRC.NONE),
        (MQOO.PASS_ALL_CONTEXT, MQPMO.SET_ALL_CONTEXT, MQRC.NOT_OPEN_FOR_SET_ALL),
        (MQOO.PASS_IDENTITY_CONTEXT, MQPMO.SET_IDENTITY_CONTEXT, MQRC.NOT_OPEN_FOR_SET_IDENT),
        (MQOO.PASS_ALL_CONTEXT, ALL | IDENTITY, MQRC.OPTIONS_ERROR),
    ],
)
def test_a_handle_passes_only_what_it_was_opened_for(program: Program, opened: int, option: int, reason: int) -> None:
    source, target = program.open("Q", SAVES), program.open("OTHER", MQOO.OUTPUT | opened)
    program.get(source)
    assert passed(program, target, option, source) == reason


def test_there_must_be_a_handle_that_saves_and_has_saved(program: Program) -> None:
    source, plain = program.open("Q", SAVES), program.open("Q", MQOO.INPUT_SHARED)
    target = program.open("OTHER", MQOO.OUTPUT | MQOO.PASS_ALL_CONTEXT)
    assert passed(program, target, ALL, source) == MQRC.CONTEXT_NOT_AVAILABLE
    assert passed(program, target, ALL, plain) == MQRC.CONTEXT_HANDLE_ERROR
    assert passed(program, target, ALL, 99) == MQRC.CONTEXT_HANDLE_ERROR
    program.get(source, {"Options": MQGMO.BROWSE_FIRST})
    assert passed(program, target, ALL, source) == MQRC.CONTEXT_NOT_AVAILABLE
    program.get(source)
    program.get(source)
    assert passed(program, target, ALL, source) == MQRC.NONE


def test_a_handle_that_is_closed_has_nothing_to_pass(program: Program) -> None:
    source, target = program.open("Q", SAVES), program.open("OTHER", MQOO.OUTPUT | MQOO.PASS_ALL_CONTEXT)
    program.get(source)
    verbs.close(program.hconn, source, 0)
    assert passed(program, target, ALL, source) == MQRC.CONTEXT_HANDLE_ERROR
