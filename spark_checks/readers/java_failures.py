"""The failures in a trace of the MQ classes for Java without a call on a queue manager."""

from __future__ import annotations

import re

from oracle.mqi.constants import MQRC

HIGHEST_LEVEL = 9
"""The level from which on the trace has dumps of channel data."""

_LEVEL = re.compile(r"\|\s+com\.ibm\.msg\.client\.commonservices\.trace\.level\s+:-\s+(\d{1,2})\s*$")
_REASONS = (
    re.compile(r"\[(2\d{3})\(0x[0-9a-f]+\)\] \[2\(0x2\)\]", re.I),
    re.compile(r"\breason(?: code)? '(2\d{3})'", re.I),
    re.compile(r"\bCompletion Code '2', Reason '(2\d{3})'", re.I),
    re.compile(r"\bCC=2;RC=(?!2495)(2\d{3})\b"),
)
"""The forms in which the reason of a failed call is printed: in the arguments of an exception, and in its message.

Each client first fails with 2495, when it looks for the library of bindings mode.
"""

_OF_THE_QUEUE_MANAGER = frozenset(
    {
        MQRC.CONNECTION_BROKEN,
        MQRC.MAX_CONNS_LIMIT_REACHED,
        MQRC.NOT_AUTHORIZED,
        MQRC.Q_MGR_NAME_ERROR,
        MQRC.SECURITY_ERROR,
        MQRC.Q_MGR_QUIESCING,
        MQRC.Q_MGR_STOPPING,
        MQRC.UNEXPECTED_ERROR,
        MQRC.CONNECTION_QUIESCING,
        MQRC.CONNECTION_STOPPING,
        MQRC.CHANNEL_NOT_AVAILABLE,
        MQRC.CHANNEL_CONFIG_ERROR,
        MQRC.UNKNOWN_CHANNEL_NAME,
    }
)
"""Reasons that a queue manager may have sent: a trace below the highest level does not show whether it did."""


class Failures:
    """The level of a trace, and the reason of the first call that failed."""

    def __init__(self) -> None:
        self.level: int | None = None
        self.reason: int | None = None

    def line(self, text: str) -> None:
        """Take a line of the trace that is not part of a dump, with or without its time and thread."""
        if self.reason is None and "2" in text:
            found = next(filter(None, (pattern.search(text) for pattern in _REASONS)), None)
            self.reason = None if found is None else int(found[1])
        if self.level is None and (level := _LEVEL.match(text)):
            self.level = int(level[1])

    def why_no_call(self, *, answered: bool) -> str:
        """Return the reason why a trace has no call of a channel, and what to do.

        `answered` says whether a queue manager has sent anything.
        """
        what = None if self.reason is None else f"MQCONN failed with {MQRC.describe(self.reason)}"
        if answered:
            sentence = "a queue manager answered the client, but no MQI call is in this trace"
            return sentence if what is None else f"{sentence}: {what}"
        if what is not None:
            how = "could not connect to" if self.reason in _OF_THE_QUEUE_MANAGER else "never reached"
            return f"the client {how} a queue manager while it was traced: {what}"
        if self.level is not None and self.level >= HIGHEST_LEVEL:
            return "the client sent nothing to a queue manager while it was traced"
        return "no MQI call of a channel is in this trace; it takes the client's trace at its highest level"
