"""Messages that were handed to consumers, as the MQGETs that took them."""

from __future__ import annotations

from typing import Final

from oracle.errors import Place
from oracle.histories.event_log import Event
from oracle.histories.history import LONGEST
from oracle.model.requests.option_matrix import PROPERTIES
from oracle.mqi.constants import MQCC, MQGMO, MQRC
from oracle.replay.steps import UndecidedError

PLAIN_GET: Final = (
    MQGMO.SYNCPOINT
    | MQGMO.SYNCPOINT_IF_PERSISTENT
    | MQGMO.NO_SYNCPOINT
    | MQGMO.WAIT
    | MQGMO.FAIL_IF_QUIESCING
    | MQGMO.ACCEPT_TRUNCATED_MSG
    | MQGMO.CONVERT
    | PROPERTIES
)
"""The options of a get that only takes a message."""

_OF_CONSUMERS: Final = ("MQCB", "MQCTL")


def as_get(event: Event, place: Place) -> Event | None:
    """Return the MQGET that a CALLBACK stands for, any other call as it is, and None for what leaves all queues alone.

    Raises UndecidedError for a consumer that browses or keeps a place on the queue.
    """
    if event.call in _OF_CONSUMERS:
        return None
    if event.call != "CALLBACK":
        return event
    if event.comp_code == MQCC.FAILED:
        return None
    if event.options is None or event.options & ~PLAIN_GET or event.reason != MQRC.NONE:
        raise UndecidedError("the log does not show how the consumer of this CALLBACK gets its messages", place)
    taken = {"call": "MQGET", "options": event.options & ~MQGMO.WAIT, "buffer_length": LONGEST}
    return event.model_copy(update=taken)
