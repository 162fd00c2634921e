"""The limits that control groups of Linux set for this process: what a container, a CI job or a service may use.

Both versions are read. A process is in one group of each hierarchy, and the limits of the groups above it hold for it
too. In a container the group's own path may be that of the host, which is not there; its limits are then those at the
top of the hierarchy.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

_MEMBERSHIP: Final = "proc/self/cgroup"
_HIERARCHIES: Final = "sys/fs/cgroup"


def memory_limits(root: Path = Path("/")) -> Iterator[int]:
    """Yield each limit of memory, in bytes. `root` is where `/proc` and `/sys` are."""
    for group in _groups(root, "memory"):
        for name in ("memory.max", "memory.limit_in_bytes"):
            yield from (limit for limit in _numbers(group / name)[:1] if limit > 0)


def processor_limits(root: Path = Path("/")) -> Iterator[float]:
    """Yield each limit of processor time, in processors."""
    for group in _groups(root, "cpu"):
        both = _numbers(group / "cpu.max") or [
            *_numbers(group / "cpu.cfs_quota_us"),
            *_numbers(group / "cpu.cfs_period_us"),
        ]
        if len(both) == 2 and min(both) > 0:
            quota, period = both
            yield quota / period


def _groups(root: Path, controller: str) -> Iterator[Path]:
    """Yield the directories of the groups that limit this process, and of those above them."""
    for line in _text(root / _MEMBERSHIP).splitlines():
        number, controllers, path = (*line.split(":", 2), "", "")[:3]
        if number == "0":
            top = root / _HIERARCHIES
        elif controller in controllers.split(","):
            top = root / _HIERARCHIES / controller
        else:
            continue
        group = top / path.strip("/")
        yield from (each for each in (group, *group.parents) if each.is_relative_to(top))


def _numbers(file: Path) -> list[int]:
    """Return the numbers of a file; none if it says that there is no limit, or is not there."""
    words = _text(file).split()
    return [int(word) for word in words] if all(word.lstrip("-").isdecimal() for word in words) else []


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
