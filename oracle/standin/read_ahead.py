"""Read ahead, as a client sees it: the options of MQGET that may change between the calls of a handle.

No message is really sent ahead, so none is lost with a handle, and MQCO_QUIESCE has nothing to wait for. The document
behind it is "MQGET options and read ahead" of IBM's documentation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from oracle.model.requests.option_matrix import BROWSE
from oracle.mqi.constants import INPUT_OPTIONS, MQGMO, MQOO, MQRC
from oracle.mqi.structures import GetMessageOptions, MessageDescriptor
from oracle.standin.answers import Failed
from oracle.standin.attribute_tables import DEF_READ_AHEAD

_YES, _DISABLED = 1, 2

SAME: Final = MQGMO.SYNCPOINT_IF_PERSISTENT | MQGMO.NO_SYNCPOINT | MQGMO.ACCEPT_TRUNCATED_MSG | MQGMO.CONVERT
"""The options that must be the same in every call."""

NOT_ALLOWED: Final = (
    MQGMO.SET_SIGNAL
    | MQGMO.SYNCPOINT
    | MQGMO.MARK_SKIP_BACKOUT
    | MQGMO.MSG_UNDER_CURSOR
    | MQGMO.LOCK
    | MQGMO.UNLOCK
    | MQGMO.LOGICAL_ORDER
    | MQGMO.COMPLETE_MSG
    | MQGMO.ALL_MSGS_AVAILABLE
    | MQGMO.ALL_SEGMENTS_AVAILABLE
)
"""The options that end read ahead when the first call has one of them, and fail a later call."""


def is_asked_for(options: int, attributes: Mapping[int, int | str]) -> bool:
    """Return whether an MQOPEN with these options enables read ahead.

    `attributes` are those of the queue that it names.
    """
    if not options & (INPUT_OPTIONS | MQOO.BROWSE) or options & MQOO.NO_READ_AHEAD:
        return False
    if options & MQOO.BROWSE and options & INPUT_OPTIONS:
        return False
    default = attributes.get(DEF_READ_AHEAD, 0)
    return default != _DISABLED and (bool(options & MQOO.READ_AHEAD) or default == _YES)


@dataclass(slots=True)
class ReadAhead:
    """Read ahead on a handle."""

    first: tuple[int, bool, int, int] | None = None
    """The options of the handle's first MQGET; None before it."""
    ended: bool = False
    """Whether that call ended read ahead."""

    def look_at(self, options: GetMessageOptions, descriptor: MessageDescriptor, ccsid: int) -> None:
        """Check an MQGET before it is carried out; a CodedCharSetId of 0 means `ccsid`.

        Encoding and CodedCharSetId count only with MQGMO_CONVERT. Raises Failed if the call has options that read ahead
        does not allow, or other ones than the first call.
        """
        if self.ended:
            return
        form = (descriptor.encoding, descriptor.coded_char_set_id or ccsid)
        if not options.options & MQGMO.CONVERT:
            form = (0, 0)
        asked = (options.options & SAME, bool(options.options & BROWSE), *form)
        forbidden = bool(options.options & NOT_ALLOWED)
        if self.first is None:
            self.ended, self.first = forbidden, asked
        elif forbidden:
            raise Failed(MQRC.OPTIONS_ERROR)
        elif asked != self.first:
            raise Failed(MQRC.OPTIONS_CHANGED)
