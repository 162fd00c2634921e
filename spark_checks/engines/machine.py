"""The resources that the audit takes where it runs on this machine alone."""

from __future__ import annotations

import os
from dataclasses import dataclass
from math import ceil

from spark_checks.engines.control_groups import memory_limits, processor_limits

GIB = 2**30
_ENOUGH_GIB = 6
_USUAL_GIB = 8


@dataclass(frozen=True)
class Machine:
    """A machine, or the part of it that a container gets."""

    cores: int
    """The number of processor cores."""
    memory: int
    """Its memory in bytes."""

    @classmethod
    def here(cls) -> Machine:
        """Return what this process may use of the machine that it runs on."""
        return cls(max(1, min([_cores(), *map(ceil, processor_limits())])), min([_memory(), *memory_limits()]))

    @property
    def heap_gib(self) -> int:
        """The size of the JVM's heap: a quarter of the memory, up to the size that is of use."""
        return min(max(_ENOUGH_GIB, self.cores), max(1, self.memory // 4 // GIB))

    @property
    def tasks(self) -> int:
        """The number of tasks that run at once: one for each core, if there is a GiB of heap for each.

        If one connection or queue has more rows than memory holds, a task keeps a buffer of a MiB open for each part
        that it wrote to disk, once for each window that reads it.
        """
        return min(self.cores, self.heap_gib)


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 2


def _memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return _USUAL_GIB * GIB
