"""How a call ended, in words."""

from __future__ import annotations

from oracle.histories.event_log import Event
from oracle.mqi.constants import MQCC, MQRC


def outcome(event: Event) -> str:
    """Return how a call ended, in words."""
    if event.comp_code is None:
        return "its outcome was not captured"
    if not event.reason:
        return MQCC.name_of(event.comp_code)
    return f"{MQCC.name_of(event.comp_code)} {MQRC.describe(event.reason)}"
