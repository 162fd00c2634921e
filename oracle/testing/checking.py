"""Checks of the arguments of tests: a wrong argument would otherwise show much later, or never."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, get_args

from oracle.errors import BadInputError
from oracle.mqi.definitions import QueueDefinition
from oracle.mqi.profile import PlatformName
from oracle.mqi.structures import MessageDescriptor, descriptor_of
from oracle.standin.manager import Clock

_INITIAL = MessageDescriptor()
_QUEUES = (
    "queues must be a list of names, definitions and attributes by name, such as ['A', {'name': 'B', 'MaxQDepth': 1}]"
)


def check_queues(queues: object) -> None:
    """Raise BadInputError for anything but a list of queues.

    A string would be a list of queues with one-letter names.
    """
    if isinstance(queues, (str, bytes, Mapping, QueueDefinition)) or not isinstance(queues, Iterable):
        raise BadInputError(f"{_QUEUES}, not {queues!r}")


def check_queue(queue: object) -> None:
    """Raise BadInputError for a value that is neither a name nor a definition nor attributes with a name."""
    if isinstance(queue, Mapping):
        if not isinstance(queue.get("name", queue.get("QName")), str):
            raise BadInputError(f"the attributes of a queue must have its name, as a text: {dict(queue)!r}")
    elif not isinstance(queue, (str, QueueDefinition)):
        raise BadInputError(f"{_QUEUES}; {queue!r} is none of these")


def check_run(platform: object, clock: object, began: object, credentials: object) -> None:
    """Raise BadInputError for an invalid argument of queue_manager."""
    for name, value, allowed in (("platform", platform, PlatformName), ("clock", clock, Clock)):
        if value not in get_args(allowed):
            raise BadInputError(f"{name} must be one of {', '.join(get_args(allowed))}, not {value!r}")
    if began is not None and not isinstance(began, datetime):
        raise BadInputError(f"began must be a datetime, such as datetime(2027, 3, 31, 9, tzinfo=UTC), not {began!r}")
    if credentials is not None and not (
        isinstance(credentials, Mapping) and all(isinstance(part, str) for pair in credentials.items() for part in pair)
    ):
        raise BadInputError("credentials must be passwords by user, such as {'ada': 'secret'}")


def check_listen(listen: object) -> None:
    """Raise BadInputError for an invalid port."""
    if listen is not None and not (isinstance(listen, int) and not isinstance(listen, bool) and 0 <= listen < 1 << 16):
        raise BadInputError(f"listen must be a port, 0 for a free one, or None, not {listen!r}")


def check_message(queue: object, data: object, members: Mapping[str, Any]) -> None:
    """Raise BadInputError for an invalid message or queue name, and UsageError for an unknown member."""
    descriptor_of(members)
    if not isinstance(queue, str):
        raise BadInputError(f"queue must be a name, not {queue!r}")
    if not isinstance(data, (bytes, str)):
        raise BadInputError(f"data must be bytes or text, not {data!r}")
    for name, value in members.items():
        initial = getattr(_INITIAL, name)
        if isinstance(initial, bytes):
            if not isinstance(value, bytes) or len(value) != len(initial):
                raise BadInputError(f"{name} must be {len(initial)} bytes, not {value!r}")
        elif isinstance(initial, str):
            if not isinstance(value, str):
                raise BadInputError(f"{name} must be text, not {value!r}")
        elif not isinstance(value, int) or isinstance(value, bool) or not -(2**31) <= value < 2**31:
            raise BadInputError(f"{name} must be a whole number of 32 bits, not {value!r}")
