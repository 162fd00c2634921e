"""Reasons that a verb never gives, because they are about what only other verbs do.

Each row is reported under the rule that says when the reason is given. The rows are those of which no page of a reason
code names the verb.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from oracle.mqi.constants import MQRC

_OPENS: Final = ("MQOPEN", "MQPUT1")
_PUTS: Final = ("MQPUT", "MQPUT1")
_GETS: Final = ("MQGET",)
_ENDS: Final = ("MQCMIT", "MQBACK")


@dataclass(frozen=True)
class Foreign:
    """Reasons that some verbs never give."""

    rule: str
    """The rule that says when the reasons are given."""
    reasons: tuple[MQRC, ...]
    """The reasons."""
    verbs: tuple[str, ...]
    """The verbs that never give them."""
    givers: str
    """The verbs that give them, in words."""


FOREIGN: Final = (
    Foreign(
        "OPN-10",
        (
            MQRC.UNKNOWN_OBJECT_NAME,
            MQRC.UNKNOWN_ALIAS_BASE_Q,
            MQRC.UNKNOWN_REMOTE_Q_MGR,
            MQRC.UNKNOWN_XMIT_Q,
            MQRC.UNKNOWN_DEF_XMIT_Q,
            MQRC.REMOTE_Q_NAME_ERROR,
        ),
        (*_GETS, *_ENDS),
        "a call that names a queue gives",
    ),
    Foreign("OPN-11", (MQRC.OBJECT_IN_USE,), ("MQPUT", *_GETS, *_ENDS), "a call that opens a queue gives"),
    Foreign("PUT-09", (MQRC.PUT_INHIBITED,), ("MQOPEN", *_GETS), "a put gives"),
    Foreign("DEP-06", (MQRC.Q_FULL,), ("MQOPEN", *_GETS), "a put gives"),
    Foreign("PUT-10", (MQRC.MSG_TYPE_ERROR,), ("MQOPEN", *_GETS, *_ENDS), "a put gives"),
    Foreign("PUT-11", (MQRC.MISSING_REPLY_TO_Q,), ("MQOPEN", *_GETS, *_ENDS), "a put gives"),
    Foreign("PUT-12", (MQRC.PERSISTENCE_ERROR,), ("MQOPEN", *_GETS, *_ENDS), "a put gives"),
    Foreign("PUT-13", (MQRC.PRIORITY_ERROR,), ("MQOPEN", *_GETS, *_ENDS), "a put gives"),
    Foreign("SIZ-04", (MQRC.MSG_TOO_BIG_FOR_Q,), ("MQOPEN", *_GETS, *_ENDS), "a put gives"),
    Foreign("DLV-05", (MQRC.NO_MSG_AVAILABLE,), (*_OPENS, "MQPUT", *_ENDS), "MQGET gives"),
    Foreign("CUR-04", (MQRC.NO_MSG_UNDER_CURSOR,), (*_OPENS, "MQPUT", *_ENDS), "MQGET gives"),
    Foreign("WAI-06", (MQRC.GET_INHIBITED,), (*_OPENS, "MQPUT", *_ENDS), "a get gives"),
    Foreign("CHK-06", (MQRC.WAIT_INTERVAL_ERROR,), (*_OPENS, "MQPUT", *_ENDS), "a get gives"),
    Foreign("MTC-10", (MQRC.MATCH_OPTIONS_ERROR,), (*_OPENS, "MQPUT", *_ENDS), "a get gives"),
    Foreign("BRW-14", (MQRC.INCONSISTENT_BROWSE,), (*_OPENS, "MQPUT", *_ENDS), "a browse gives"),
)
"""The reasons by which a call of another verb is found."""

ALONE: Final = ("OPN-10",)
"""The rules among them that nothing else checks."""
