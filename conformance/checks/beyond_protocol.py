"""Rules that no request of the target protocol can exercise, with the request that each would need.

They are in no check, whether the catalogue calls them observable (a call could show them) or not.
`docs/coverage.md` lists them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_POSTED: Final = "a member of replies that reports the signals which were delivered, with their completion codes"
_CHANNELS: Final = "a second queue manager, and requests that move a message over a channel or stop it midway"
_HANDLES: Final = "the verb MQCRTMH, and the member MsgHandle of MQGMO"

MISSING_REQUESTS: Final[Mapping[str, str]] = {
    "CNV-08": _CHANNELS,
    "CON-06": "a second MQCONN on a name that is connected, which version 1 promises targets never to send",
    "IDS-06": "the members of MQOD and MQPUT for a distribution list",
    "PER-03": "a request that restarts the queue manager",
    "PER-07": _CHANNELS,
    "PER-08": _CHANNELS,
    "PRP-02": _HANDLES,
    "PRP-04": _HANDLES,
    "SIG-08": _POSTED,
    "SIG-11": _POSTED,
    "SIG-13": _POSTED,
    "SIG-14": _POSTED,
    "SIZ-12": _CHANNELS,
    "SIZ-13": _CHANNELS,
    "XMQ-13": _CHANNELS,
}
"""For each such rule, the request that a later version of the protocol would need."""
