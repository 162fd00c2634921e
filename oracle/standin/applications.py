"""The identity of the calling application: its user and its name in the context of messages (USR-01, CTX-01)."""

from __future__ import annotations

import getpass
import sys
from pathlib import Path
from typing import Final

_USER_LENGTH: Final = 12
_PROGRAM_LENGTH: Final = 28


def user_of(signed_on: str = "") -> str:
    """Return the UserIdentifier of an application: the user who signed on, or else the user of this process."""
    return (signed_on or _own_user())[:_USER_LENGTH]


def program_of(given: str = "") -> str:
    """Return the PutApplName of an application: the name in the MQCNO, or else that of this process's program."""
    return (given or Path(sys.executable or sys.argv[0]).name)[-_PROGRAM_LENGTH:]


def _own_user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may run under a number without a name
        return ""
