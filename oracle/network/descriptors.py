"""The limit of the operating system on this process's connections: each takes a file descriptor."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

_FOR_ALL_ELSE: Final = 100
"""File descriptors that are left to the rest of the process."""


def most_connections(wanted: int) -> int:
    """Return the number of connections that are wanted, or that are possible at once; at least one."""
    try:
        import resource  # noqa: PLC0415 - not every operating system has it
    except ImportError:
        return wanted
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return wanted if soft == resource.RLIM_INFINITY else max(1, min(wanted, soft - _FOR_ALL_ELSE))


def make_room(connections: int) -> None:
    """Raise this process's limit to a number of connections, as far as the operating system allows it."""
    with suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415 - not every operating system has it

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = connections + _FOR_ALL_ELSE
        if soft != resource.RLIM_INFINITY and soft < wanted:
            most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
