"""Reasons with which a failed call leaves open whether it took effect: the one list of them.

IBM's description of the reason codes says it of a lost or ending connection (2009, 2162, 2203), for client
applications, and of a call that was under way when a client reconnected (2549). The other reasons of a reconnection
that failed end such a call likewise. Real systems gave 2195 for calls that the queue manager had carried out.

Not in this list: the call itself returns that the outcome of a commit is pending, mixed or a backout (2124, 2123,
2003), and reasons that refuse a call, as while a queue manager quiesces (2161, 2202).
"""

from __future__ import annotations

from typing import Final

from oracle.mqi.constants import MQCC, MQRC

UNLEARNT: Final = frozenset(
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
"""Reasons with which an application does not learn what its call did: the queue manager may have carried it out.

They also leave open whether the connection is still the one that it was: its unit of work may be backed out, and what
its handles held may be gone.
"""


def is_unlearnt(comp_code: int | None, reason: int | None) -> bool:
    """Return whether a call with this outcome may have taken effect although it failed.

    A reason that was not captured may be one of those that leave it open.
    """
    return comp_code == MQCC.FAILED and (reason is None or reason in UNLEARNT)
