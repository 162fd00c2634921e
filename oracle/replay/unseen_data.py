"""Puts and gets whose data rest on what a log does not hold: code pages, and the properties of messages.

Which message a get returns does not depend on its data, and only the reply shows whether they fitted into the buffer.
So such a get is followed as one with a buffer of the greatest length, or of none where the message was too long, and
nothing of its data is compared.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from oracle.errors import Place
from oracle.histories.event_log import Event, unpadded
from oracle.histories.history import LONGEST
from oracle.model.requests.option_matrix import PROPERTIES
from oracle.mqi.constants import MQCC, MQFMT, MQGMO, MQMF, MQRC
from oracle.mqi.conversion_reasons import NOT_CONVERTED
from oracle.replay.steps import UndecidedError

_CHANGES_DATA: Final = MQGMO.CONVERT | PROPERTIES
_IN_SEGMENTS: Final = MQMF.SEGMENT | MQMF.LAST_SEGMENT | MQMF.SEGMENTATION_ALLOWED


@dataclass
class UnseenData:
    """The messages of a log whose data contain their properties."""

    with_properties: set[str | None] = field(default_factory=set)
    """Their MsgIds."""

    def plain(self, event: Event, place: Place) -> Event:
        """Return a put or get as one whose data do not count; any other call as it is.

        Raises UndecidedError if the length of the data decides what the call does.
        """
        if event.call in ("MQPUT", "MQPUT1") and _begins_with_properties(event):
            return self._put(event, place)
        return self._get(event, place) if event.call == "MQGET" else event

    def _put(self, event: Event, place: Place) -> Event:
        """Return the put of a message with properties as one of a single byte, whose length is below all limits."""
        if event.reason == MQRC.MSG_TOO_BIG_FOR_Q or (event.msg_flags or 0) & _IN_SEGMENTS:
            raise UndecidedError("the log does not hold how long the message's properties are", place)
        if event.comp_code != MQCC.FAILED:
            self.with_properties.add(event.msg_id)
        return event.model_copy(update={"format": "", "length": 1, "digest": None})

    def _get(self, event: Event, place: Place) -> Event:
        options, cut = event.options or 0, event.reason == MQRC.TRUNCATED_MSG_FAILED
        if options & MQGMO.UNLOCK or event.reason == MQRC.OPTIONS_ERROR:
            return event
        has_properties = event.msg_id in self.with_properties or _begins_with_properties(event)
        changed = has_properties or options & _CHANGES_DATA or (cut and self.with_properties)
        if not changed:
            # What the segments hold together was not put by any one call.
            return event.model_copy(update={"digest": None}) if options & MQGMO.COMPLETE_MSG else event
        plain: dict[str, Any] = {
            "options": None if event.options is None else options & ~_CHANGES_DATA,
            "buffer_length": 0 if cut else LONGEST,
            "length": None,
            "digest": None,
        }
        if has_properties or options & PROPERTIES:
            plain["format"] = None
        if event.reason == MQRC.TRUNCATED_MSG_ACCEPTED or self._returned_as_put(event, place):
            plain |= {"comp_code": MQCC.OK, "reason": MQRC.NONE}
        return event.model_copy(update=plain)

    def _returned_as_put(self, event: Event, place: Place) -> bool:
        """Return whether a get returned a message that could not be converted.

        Raises UndecidedError if that reason may hide that the buffer was too small.
        """
        if event.comp_code != MQCC.WARNING or event.reason not in NOT_CONVERTED:
            return False
        if None in (event.length, event.buffer_length) or (event.length or 0) > (event.buffer_length or 0):
            raise UndecidedError("the log does not show whether this MQGET left its message on the queue", place)
        return True


def _begins_with_properties(event: Event) -> bool:
    return unpadded(event.format or "") == MQFMT.RF_HEADER_2
