"""The resources that the audit takes when Spark runs on this machine alone."""

from __future__ import annotations

import os
from dataclasses import dataclass

GIB = 2**30
_ENOUGH_GIB = 6
_USUAL_GIB = 8


@dataclass(frozen=True)
class Machine:
    """A machine."""

    cores: int
    """The number of processor cores."""
    memory: int
    """Its memory in bytes."""

    @classmethod
    def here(cls) -> Machine:
        """Return the machine that this runs on."""
        try:
            memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        except (AttributeError, OSError, ValueError):
            memory = _USUAL_GIB * GIB
        return cls(os.cpu_count() or 2, memory)

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
