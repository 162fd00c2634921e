"""The identity of a client: the flows with its user, and with its user and password.

Passwords come unprotected on a channel that offers nothing else; protected ones cannot be read.
"""

from __future__ import annotations

from typing import Final

from oracle.errors import BadInputError
from oracle.wire.flows import Flow

_SHORT_USER: Final = 12
_LONG_USER: Final = 64


def read_user(flow: Flow) -> str:
    """Return the user of a flow that names one."""
    return flow.text(28, _LONG_USER) or flow.text(4, _SHORT_USER)


def read_credentials(flow: Flow, user: str) -> tuple[str, str]:
    """Return the user, the given one if the flow names none, and the password.

    Raises BadInputError for any other flow.
    """
    if flow.text(0, 4) != "CAUT":
        raise BadInputError("the credentials have an unknown form")
    length, password_length = flow.long(16), flow.long(20)
    start = _START_WITH_TOKEN if len(flow.body) >= _START_WITH_TOKEN + length + password_length else _START
    if min(length, password_length) < 0 or start + length + password_length > len(flow.body):
        raise BadInputError("credentials end too early")
    name = flow.body[start : start + length].decode("utf-8", "replace")
    password = flow.body[start + length : start + length + password_length].decode("utf-8", "replace")
    return name or user, password


_START: Final = 24
_START_WITH_TOKEN: Final = 32
"""The place of the user: newer clients have the length of a token before it."""
