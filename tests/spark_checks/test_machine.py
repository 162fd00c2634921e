"""The resources that the audit takes; these tests need no Spark."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_checks.engines.machine import GIB, Machine


@pytest.mark.parametrize(
    ("cores", "memory_gib", "heap_gib", "tasks"),
    [(2, 24, 6, 2), (8, 8, 2, 2), (8, 16, 4, 4), (16, 64, 16, 16), (4, 512, 6, 4), (1, 1, 1, 1)],
)
def test_each_task_has_a_gib_of_a_quarter_of_the_memory(cores: int, memory_gib: int, heap_gib: int, tasks: int) -> None:
    machine = Machine(cores, memory_gib * GIB)
    assert (machine.heap_gib, machine.tasks) == (heap_gib, tasks)


@given(cores=st.integers(1, 256), memory=st.integers(GIB, 4096 * GIB))
def test_no_machine_is_asked_for_more_than_it_has(cores: int, memory: int) -> None:
    machine = Machine(cores, memory)
    assert 1 <= machine.tasks <= min(cores, machine.heap_gib)
    assert machine.heap_gib == 1 or machine.heap_gib * GIB <= memory // 4


def test_this_machine_has_cores_and_memory() -> None:
    here = Machine.here()
    assert here.cores >= 1
    assert here.memory >= GIB // 2
