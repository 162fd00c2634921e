"""Reasons of failed calls that leave open whether the call took effect.

IBM's description of the reason codes says so for a lost or ending connection (2009, 2162, 2203) of a client
application, and for a call in progress when a client reconnected (2549). The other reasons of a failed reconnection end
such a call likewise. Real systems gave 2195 for calls that the queue manager had carried out. The list does not include
reasons by which a commit itself returns that its outcome is pending, mixed or a backout (2124, 2123, 2003), nor reasons
that refuse a call, as while a queue manager quiesces (2161, 2202).
"""

from __future__ import annotations

from typing import Final

from oracle.mqi.constants import MQCC, MQRC

UNKNOWN_EFFECT: Final = frozenset(
    {
        MQRC.CONNECTION_BROKEN,
        MQRC.Q_MGR_STOPPING,
        MQRC.UNEXPECTED_ERROR,
        MQRC.CONNECTION_STOPPING,
        MQRC.RECONNECT_QMID_MISMATCH,
        MQRC.RECONNECT_INCOMPATIBLE,
        MQRC.RECONNECT_FAILED,
        MQRC.CALL_INTERRUPTED,
        MQRC.RECONNECT_TIMED_OUT,
    }
)
"""Reasons from which an application does not learn the effect of its call: the queue manager may have carried it out.

They also leave open whether the connection is still the same: its unit of work may be backed out, and its handles may
be gone.
"""


def has_unknown_effect(comp_code: int | None, reason: int | None) -> bool:
    """Return whether a call with this outcome may have taken effect although it failed.

    A reason that was not captured may be one of these.
    """
    return comp_code == MQCC.FAILED and (reason is None or reason in UNKNOWN_EFFECT)
