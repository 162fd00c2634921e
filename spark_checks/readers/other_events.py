"""Events and reports of IBM MQ that have no calls: the reason that is given for them, and what to capture instead.

>>> without_calls("Queue Statistics")
'Queue Statistics: calls are counted and not shown: switch on activity trace, ALTER QMGR ACTVTRC(ON)'
>>> without_calls("Perfm Event", "Queue Full")
'Perfm Event (Queue Full): neither calls nor definitions: switch on activity trace, ALTER QMGR ACTVTRC(ON)'
"""

from __future__ import annotations

import re
from typing import Final

_COUNTING: Final = re.compile("statistics|accounting", re.IGNORECASE)
_INSTEAD: Final = "switch on activity trace, ALTER QMGR ACTVTRC(ON)"
_KIND: Final = re.compile(rb'"eventType"\s*:\s*\{\s*"name"\s*:\s*"([^"\\]{1,40})"')
_REASON: Final = re.compile(rb'"eventReason"\s*:\s*\{\s*"name"\s*:\s*"([^"\\]{1,60})"')

SUMMARY: Final = re.compile(r"^[ \t]*Tid[ \t]+Date[ \t]+Time[ \t]+Operation\b", re.MULTILINE)
"""The heading of the calls in a summary, as `amqsact` prints it without -v."""

OF_A_SUMMARY: Final = "a summary of calls without their parameters: print them with amqsact -v"


def counts_calls(kind: str) -> bool:
    """Return whether events of a kind, named as IBM MQ prints it, are statistics or accounting data."""
    return _COUNTING.search(kind) is not None


def without_calls(kind: str, reason: str = "") -> str:
    """Return the reason why events of a kind cannot be used, and what to capture instead.

    `kind` and `reason` are as IBM MQ prints them: the type of the event, and the reason that it names.
    """
    what = "calls are counted and not shown" if counts_calls(kind) else "neither calls nor definitions"
    named = f"{kind} ({reason})" if reason not in {"", "None"} else kind
    return f"{named}: {what}: {_INSTEAD}"


def of_json(event: bytes) -> str:
    """Return the reason why an event that `amqsevt -o json` printed cannot be used."""
    kind, reason = _KIND.search(event), _REASON.search(event)
    if kind is None:
        return "events of other kinds, and no activity trace"
    return without_calls(kind[1].decode("utf-8", "replace"), reason[1].decode("utf-8", "replace") if reason else "")
