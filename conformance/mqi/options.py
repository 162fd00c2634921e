"""The connection to a queue manager, and the names that the suite may use on it."""

from __future__ import annotations

import os
import secrets
import string
from dataclasses import dataclass, field
from typing import Final

from oracle.errors import UsageError

TARGET_PREFIX: Final = "mqi:"
PASSWORD_VARIABLE: Final = "MQORACLE_PASSWORD"  # noqa: S105 - the name of a variable
DEFAULT_PREFIX: Final = "MQORACLE"
DEFAULT_PORT: Final = 1414

_LONGEST_PREFIX: Final = 18
_NAME_CHARACTERS: Final = frozenset(string.ascii_letters + string.digits + "._%/")
_TOKEN_CHARACTERS: Final = string.ascii_uppercase + string.digits


def _new_token() -> str:
    return "".join(secrets.choice(_TOKEN_CHARACTERS) for _ in range(4))


@dataclass(frozen=True)
class MqiOptions:
    """The options of a connection to a queue manager."""

    library: str = ""
    """The path of the client's library, or of its folder. Empty: the usual places are searched."""
    channel: str = ""
    """The client channel. Without it and a host, the library's own configuration decides."""
    host: str = ""
    """The host of the listener."""
    port: int = DEFAULT_PORT
    """The port of the listener."""
    user: str = ""
    """The user to sign on as. Empty for none."""
    password: str = field(default="", repr=False)
    """The password of that user."""
    queue_prefix: str = DEFAULT_PREFIX
    """The beginning of the names of all queues of the suite, before the token."""
    predefined: tuple[str, ...] = ()
    """Queues to work with if none may be made."""
    token: str = field(default_factory=_new_token)
    """A token that distinguishes the queues of this run from those of others."""

    def __post_init__(self) -> None:
        if bool(self.channel) != bool(self.host):
            raise UsageError("--channel and --host belong together: give both, or neither for the library's own way")
        if not self.queue_prefix or len(self.queue_prefix) > _LONGEST_PREFIX:
            raise UsageError(f"--queue-prefix must have 1 to {_LONGEST_PREFIX} characters, so that names fit behind it")
        wrong = set(self.queue_prefix) - _NAME_CHARACTERS
        if wrong:
            raise UsageError(f"--queue-prefix {self.queue_prefix!r}: no queue's name can have {min(wrong)!r} in it")
        if self.queue_prefix.upper().startswith("SYSTEM"):
            raise UsageError("--queue-prefix must not begin with SYSTEM: those queues belong to the queue manager")

    @property
    def own_prefix(self) -> str:
        """The beginning of the names of all queues of this run."""
        return f"{self.queue_prefix}.{self.token}."

    def environment(self) -> dict[str, str]:
        """Return the environment of a process that connects: for a client, MQSERVER has the address."""
        if not self.channel:
            return dict(os.environ)
        return {**os.environ, "MQSERVER": f"{self.channel}/TCP/{self.host}({self.port})"}
