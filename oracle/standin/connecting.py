"""The parameters of MQCONNX: the sharing of the handle, the user and the password."""

from __future__ import annotations

from typing import Final

from oracle.errors import BadInputError, NotModelledError
from oracle.mqi.binary import Layout, Values
from oracle.mqi.connection_layouts import MQCNO, MQCSP, NATIVE_ORDER, NATIVE_POINTERS
from oracle.mqi.constants import MQRC
from oracle.standin.answers import Failed
from oracle.standin.memory import bytes_at
from oracle.standin.options import CONNECT, known

_NO_AUTHENTICATION, _USER_AND_PASSWORD = 0, 1
_AT_MOST_ONE: Final = (
    CONNECT["HANDLE_SHARE_NONE"].value | CONNECT["HANDLE_SHARE_BLOCK"].value | CONNECT["HANDLE_SHARE_NO_BLOCK"].value,
    CONNECT["RECONNECT"].value | CONNECT["RECONNECT_DISABLED"].value | CONNECT["RECONNECT_Q_MGR"].value,
)
"""Sets of options that exclude each other."""

_CHANNEL_NAME_LENGTH: Final = 20


def _decoded(layout: Layout, data: bytes, reason: int) -> Values:
    try:
        return layout.decode(data, NATIVE_ORDER, pointer_size=NATIVE_POINTERS)
    except BadInputError:
        raise Failed(reason) from None


def share_of(cno: bytes) -> int:
    """Return MQCNO.Options.

    Raises Failed for an invalid MQCNO, for unknown options, and for more than one option for sharing.
    """
    options = int(_decoded(MQCNO, cno, MQRC.CNO_ERROR)["Options"])
    if options & ~known("MQCNO") or any((options & several).bit_count() > 1 for several in _AT_MOST_ONE):
        raise Failed(MQRC.OPTIONS_ERROR)
    return options


def program_of_cno(cno: bytes) -> str:
    """Return MQCNO.ApplName; empty if the structure has none."""
    return str(_decoded(MQCNO, cno, MQRC.CNO_ERROR).get("ApplName", ""))


def security_of(cno: bytes) -> bytes | None:
    """Return the MQCSP that an MQCNO points to; None if there is none."""
    address = int(_decoded(MQCNO, cno, MQRC.CNO_ERROR).get("SecurityParmsPtr", 0))
    if not address:
        return None
    version = int.from_bytes(bytes_at(address + 4, 4), NATIVE_ORDER)
    return bytes_at(address, MQCSP.length(version if version in MQCSP.versions else 1, NATIVE_POINTERS))


def channel_of(cno: bytes) -> bytes | None:
    """Return the beginning of the MQCD that an MQCNO points to, the name of the channel; None if there is none."""
    address = int(_decoded(MQCNO, cno, MQRC.CNO_ERROR).get("ClientConnPtr", 0))
    return bytes_at(address, _CHANNEL_NAME_LENGTH) or None


def name_of_channel(cd: bytes | None) -> str:
    """Return the name at the beginning of an MQCD."""
    return "" if cd is None else cd[:_CHANNEL_NAME_LENGTH].decode("latin-1").partition("\0")[0].rstrip(" ")


def credentials_of(csp: bytes | None) -> tuple[str, str] | None:
    """Return the user and the password that an MQCSP points to; None if it names no user.

    Raises Failed for an invalid MQCSP, and NotModelledError for another kind of authentication.
    """
    if csp is None:
        return None
    values = _decoded(MQCSP, csp, MQRC.CSP_ERROR)
    if values["AuthenticationType"] not in (_NO_AUTHENTICATION, _USER_AND_PASSWORD):
        raise NotModelledError(
            f"MQCSP.AuthenticationType {values['AuthenticationType']}: only users with passwords are"
        )
    if values["AuthenticationType"] == _NO_AUTHENTICATION:
        return None
    user, password = (
        bytes_at(int(values[f"CSP{part}Ptr"]), int(values[f"CSP{part}Length"])) for part in ("UserId", "Password")
    )
    return user.decode("utf-8", errors="replace"), password.decode("utf-8", errors="replace")
