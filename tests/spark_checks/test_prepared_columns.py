"""The columns of a prepared log are those that spark_checks.preparation.schemas describes, with their types."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

import pytest

from spark_checks.checks import CHECKS
from spark_checks.frames import Engine
from spark_checks.frames.described import Columns, Long, schema_of
from spark_checks.frames.schema import LOG_SCHEMA
from spark_checks.preparation import schemas
from spark_checks.preparation.facts import LogFacts
from spark_checks.preparation.gathering import from_calls, from_moves
from spark_checks.preparation.groups import of_groups
from spark_checks.preparation.handles import with_handles
from spark_checks.preparation.log import Log, prepare
from spark_checks.preparation.schemas.calls import OfConnection, OfLock
from spark_checks.preparation.schemas.groups import OfGroup, OfLogicalMessage, PutAvailable
from spark_checks.preparation.schemas.handles import OfHandle
from spark_checks.preparation.schemas.messages import OfMessage
from spark_checks.preparation.schemas.moves import OfMove
from spark_checks.preparation.schemas.queues import GatheredOfCalls, GatheredOfMoves, OfQueue
from spark_checks.preparation.uses import USES, Use
from spark_checks.results.columns import Candidate
from spark_checks.results.findings import candidates
from tests.test_field_meanings import fields

FILES: Final = sorted(Path(*schemas.__path__).glob("[a-z]*.py"))


@pytest.fixture(scope="module")
def log(engine: Engine) -> Log:
    return prepare(engine.frame([], LOG_SCHEMA), LogFacts())


def test_calls_have_what_their_connection_and_their_lock_tell(log: Log) -> None:
    assert log.calls.schema == LOG_SCHEMA | schema_of(OfConnection) | schema_of(OfLock)


def test_moves_have_what_is_known_of_move_message_and_queue(log: Log) -> None:
    added = schema_of(OfMove) | schema_of(OfMessage) | schema_of(OfQueue)
    of_calls = {name: kind for name, kind in log.calls.schema.items() if name in log.moves.schema}
    assert log.moves.schema == of_calls | added


def test_calls_can_have_what_their_handles_did(log: Log) -> None:
    with_them = with_handles(log.calls, "distributed", complete=True).schema
    assert with_them == log.calls.schema | schema_of(OfHandle)


def test_moves_can_have_what_is_known_of_their_wholes(log: Log) -> None:
    added = schema_of(PutAvailable) | schema_of(OfGroup) | schema_of(OfLogicalMessage)
    assert of_groups(log).schema == log.moves.schema | added


def test_queues_have_their_facts_in_order(log: Log) -> None:
    assert list(log.queues.schema.items()) == list(schema_of(OfQueue).items())


def test_what_is_gathered_of_a_queue_has_its_columns(log: Log) -> None:
    uses = dict.fromkeys((f"{USES}{use.name}" for use in Use if use is not Use.LIMITS), "boolean")
    assert from_calls(log.calls).schema == schema_of(GatheredOfCalls)
    assert from_moves(log.moves, 0).schema == schema_of(GatheredOfMoves) | uses


def test_what_statements_find_has_the_columns_of_a_candidate(log: Log) -> None:
    statements = [statement for check in CHECKS for statement in check.of_moves(log)]
    assert candidates(log.moves, statements[:1]).schema == schema_of(Candidate)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_column_has_its_sentence(file: Path) -> None:
    made = [each for each in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(each, ast.ClassDef)]
    assert made
    assert {f"{one.name}.{name}" for one in made for name, beside in fields(one).items() if not beside} == set()


class _Placed(Columns):
    at: Long


class _Named(_Placed):
    inner: _Placed
    several: list[_Placed]


def test_a_class_in_place_of_a_type_is_a_struct_and_base_classes_come_first() -> None:
    inner = "struct<at: long>"
    assert list(schema_of(_Named).items()) == [("at", "long"), ("inner", inner), ("several", f"array<{inner}>")]
