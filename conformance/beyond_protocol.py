"""Rules that calls could show, but no request of the target protocol: what the protocol would need for each.

They are in no check. `docs/coverage.md` lists them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_POSTED: Final = "a member of replies that reports the signals which were delivered, with their completion codes"
_HANDLES: Final = "the verb MQCRTMH, and the member MsgHandle of MQGMO"

MISSING_REQUESTS: Final[Mapping[str, str]] = {
    "PRP-02": _HANDLES,
    "PRP-04": _HANDLES,
    "SIG-08": _POSTED,
    "SIG-11": _POSTED,
    "SIG-13": _POSTED,
    "SIG-14": _POSTED,
}
"""For each such rule, what a later version of the protocol would have to contain."""
