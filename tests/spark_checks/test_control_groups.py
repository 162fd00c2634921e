"""What a container or a service may use of its machine is what its control groups say."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark_checks.engines import machine
from spark_checks.engines.control_groups import memory_limits, processor_limits
from spark_checks.engines.machine import GIB, Machine

UNIFIED = "0::/work.slice/audit.service\n"
SEPARATE = "5:cpu,cpuacct:/docker/1f\n4:memory:/docker/1f\n1:name=systemd:/\n"


def tree(root: Path, groups: str, **files: str) -> Path:
    """Make what a process of these groups sees: `files` are relative to the hierarchies, with __ for a slash."""
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/cgroup").write_text(groups, encoding="utf-8")
    for name, text in files.items():
        file = root / "sys/fs/cgroup" / name.replace("__", "/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return root


def test_limits_of_a_group_and_of_those_above_it_hold(tmp_path: Path) -> None:
    files = {
        "work.slice__audit.service__memory.max": "2147483648\n",
        "work.slice__memory.max": "1073741824\n",
        "work.slice__audit.service__cpu.max": "150000 100000\n",
        "work.slice__cpu.max": "max 100000\n",
        "other.service__memory.max": "1\n",
    }
    root = tree(tmp_path, UNIFIED, **files)
    assert sorted(memory_limits(root)) == [GIB, 2 * GIB]
    assert list(processor_limits(root)) == [1.5]


def test_a_container_that_does_not_see_its_path_has_the_limits_at_the_top(tmp_path: Path) -> None:
    files = {
        "memory__memory.limit_in_bytes": "536870912\n",
        "cpu__cpu.cfs_quota_us": "400000\n",
        "cpu__cpu.cfs_period_us": "100000\n",
    }
    root = tree(tmp_path, SEPARATE, **files)
    assert list(memory_limits(root)) == [GIB // 2]
    assert list(processor_limits(root)) == [4.0]


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"memory.max": "max\n", "cpu.max": "max 100000\n"},
        {"memory.max": "", "cpu.max": "100000"},
        {"memory.max": "plenty", "cpu.max": "half of it"},
        {"memory.max": "-1", "cpu.max": "-1 100000"},
    ],
)
def test_where_no_limit_is_set_there_is_none(tmp_path: Path, files: dict[str, str]) -> None:
    root = tree(tmp_path, "0::/\nnonsense\n", **files)
    assert [*memory_limits(root), *processor_limits(root)] == []


def test_without_control_groups_there_is_no_limit(tmp_path: Path) -> None:
    assert [*memory_limits(tmp_path), *processor_limits(tmp_path)] == []


def test_the_machine_is_what_the_process_may_use_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Machine.here()
    monkeypatch.setattr(machine, "memory_limits", lambda: iter([GIB // 4, 2**62]))
    monkeypatch.setattr(machine, "processor_limits", lambda: iter([0.5, 1000.0]))
    assert Machine.here() == Machine(1, GIB // 4)
    monkeypatch.setattr(machine, "memory_limits", lambda: iter([2**62]))
    monkeypatch.setattr(machine, "processor_limits", lambda: iter([1000.0]))
    assert Machine.here() == whole
