"""The subject of a departure: the call, the part of its reply, and the allowed and observed values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from oracle.judging.compare import CALLS_END, CODES, Difference, expected_and_got, key_of
from oracle.judging.departure import Departure
from oracle.mqi.calls import Get, in_words, name_of
from oracle.mqi.constants import MQCC, MQRC

REASON, MESSAGE, WAIT = "reason", "message", "wait"
"""Subjects that are not a member of the reply: the reason, the message that a get returns, the end of a wait."""

NONE, ANY, ANOTHER = "no message", "a message", "another message"
GOES_ON, ENDS = "still waiting", "ended"

_NOTHING_FOUND: Final = (MQRC.NO_MSG_AVAILABLE, MQRC.NO_MSG_UNDER_CURSOR)
_ONE_OF_MANY: Final = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Subject:
    """A subject."""

    verb: str
    """The name of the call."""
    what: str
    """A member of the reply, `REASON`, `MESSAGE` or `WAIT`."""
    allowed: str
    """The allowed value, in words."""
    observed: str
    """The observed value, in words."""
    own: str = ""
    """The kind of a message that queue managers make, with the article; empty for other messages."""

    def __str__(self) -> str:
        if self.what == REASON:
            return f"{self.verb}: {expected_and_got(CODES, self.allowed, self.observed)}"
        if self.what == MESSAGE:
            of_kind = _OF_OWN_MESSAGES.get(self.observed, "") if self.own else ""
            return f"{self.verb} {of_kind.format(self.own) or _OF_MESSAGES[self.observed]}"
        if self.what == WAIT:
            return f"{in_words(self.verb)} {_OF_WAITS[self.observed]}"
        return f"{in_words(self.verb)}: {expected_and_got(self.what, self.allowed, self.observed)}"


_OF_MESSAGES: Final = {
    NONE: "found nothing although a message is available",
    ANY: "returned a message that it must not return",
    ANOTHER: "returned a message, but another one is due",
}
_OF_OWN_MESSAGES: Final = {
    NONE: "found nothing although {} must be there",
    ANY: "returned {} that must not be there",
}
_OF_WAITS: Final = {
    GOES_ON: "did not end the wait of an MQGET that must end",
    ENDS: "ended the wait of an MQGET that must go on waiting",
}


def subject_of(departure: Departure) -> Subject:
    """Return the subject of a departure; the first member that differs stands for all that do."""
    verb, first = name_of(departure.call), departure.differences[0]
    if first.of_wait:
        ended = first.observed == ENDS
        return Subject(verb, WAIT, GOES_ON if ended else ENDS, ENDS if ended else GOES_ON)
    message = _of_message(departure, first)
    if message is not None:
        return Subject(verb, MESSAGE, *message, own=departure.own)
    what = REASON if first.member in (CODES, CALLS_END) else _ONE_OF_MANY.sub("*", first.member)
    if first.waited:
        verb = "MQGET"
    return Subject(verb, what, first.allowed, first.seen)


def _of_message(departure: Departure, first: Difference) -> tuple[str, str] | None:
    """Return the allowed and the returned message, if a get departs by that."""
    seen = departure.observed
    if not isinstance(departure.call, Get) or seen.pending:
        return None
    came = seen.comp_code != MQCC.FAILED and key_of(seen) is not None
    if first.member == CODES:
        none_is_due = any(MQRC.describe(reason) in first.allowed for reason in _NOTHING_FOUND)
        one_is_due = not first.allowed.startswith(MQCC.name_of(MQCC.FAILED))
        if came and none_is_due:
            return NONE, ANY
        return (ANY, NONE) if seen.reason in _NOTHING_FOUND and one_is_due else None
    other = any(item.member == "MQMD.MsgId" for item in departure.differences)
    return (ANY, ANOTHER) if came and other else None
