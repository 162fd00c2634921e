"""Who the application is that calls: its user and its name, as the context of messages shows them (USR-01, CTX-01)."""

from __future__ import annotations

import getpass
import sys
from pathlib import Path
from typing import Final

_USER_LENGTH: Final = 12
_PROGRAM_LENGTH: Final = 28


def user_of(signed_on: str = "") -> str:
    """Return the UserIdentifier of an application: who signed on, or else the user under whom this process runs."""
    return (signed_on or _own_user())[:_USER_LENGTH]


def program_of(given: str = "") -> str:
    """Return the PutApplName of an application: the name that MQCNO gives, or else that of this process's program."""
    return (given or Path(sys.executable or sys.argv[0]).name)[-_PROGRAM_LENGTH:]


def _own_user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may run under a number that no name belongs to
        return ""
