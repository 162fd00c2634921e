"""The times at which a queue is surely empty and at rest, where a replay can begin or be cut.

At rest means that earlier calls can have no effect on later ones: every message that was put has been got for good, no
unit of work of the queue is open, and no handle has a cursor, a lock or a current group.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from oracle.model.groups.put_groups import GROUP_FLAGS, SEGMENT_FLAGS
from oracle.model.requests.option_matrix import BROWSE
from oracle.mqi.constants import MQCC, MQCO, MQGMO, MQMF, MQPER, MQPMO, MQRC, NULL_ID
from oracle.mqi.conversion_reasons import NOT_CONVERTED
from oracle.mqi.profile import PlatformName
from oracle.mqi.unknown_effect import has_unknown_effect
from oracle.replay.consumers import PLAIN_GET
from oracle.replay.log_calls import MARKS_OF_A_HANDLE
from spark_checks.preparation.capture import GETS
from spark_checks.times import NEVER

Row = Mapping[str, Any]

LOOKED_AT: Final = (
    "qmgr", "queue", "conn", "seq", "call", "comp_code", "reason", "hobj", "options", "msg_id", "msg_flags",
    "persistence", "lo", "hi",
)  # fmt: skip  # names
"""The columns of a call that show it."""

_PLAIN_CALLS: Final = (
    "MQCONN", "MQDISC", "MQOPEN", "MQCLOSE", "MQPUT", "MQPUT1", "MQGET", "CALLBACK", "MQCMIT", "MQBACK", "MQINQ"
)  # fmt: skip  # names
_USES_HANDLE: Final = (
    BROWSE
    | MQGMO.LOCK
    | MQGMO.UNLOCK
    | MQGMO.MSG_UNDER_CURSOR
    | MQGMO.LOGICAL_ORDER
    | MQGMO.ALL_MSGS_AVAILABLE
    | MQGMO.ALL_SEGMENTS_AVAILABLE
    | MARKS_OF_A_HANDLE
)
"""Options of a get after which the handle may have a cursor, a lock, marks or a current group."""
_OF_GROUPS: Final = GROUP_FLAGS | SEGMENT_FLAGS


@dataclass
class Rest:
    """The state of a queue after its calls, in the order of their earliest times.

    Times are microseconds since 1970-01-01 UTC.
    """

    platform: PlatformName
    """The platform of the queue manager.

    It decides whether a put or get without an option for it is in a unit of work.
    """
    margin: int
    """The difference, in microseconds, that two times must have for their order to be sure."""
    messages: Counter[str] = field(default_factory=Counter)
    """The number of messages that were put for good and not got for good, by MsgId."""
    perhaps: Counter[str] = field(default_factory=Counter)
    """The number of puts of unknown outcome, by MsgId. A get of such a message shows that one took effect."""
    units: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    """The contents of each connection's unit of work, by MsgId. A put counts 1, a get -1."""
    used: set[tuple[str, int | None]] = field(default_factory=set)
    """The handles that may have a cursor, a lock or a current group.

    A handle is its connection and its number, or None if the number was not captured.
    """
    unclear: bool = False
    """Whether the queue's contents have become unknown for good."""
    latest_hi: int | None = None
    """The latest time at which a call so far can have taken effect. None before the first call."""

    @property
    def since_us(self) -> int | None:
        """The time since which the queue has surely been empty and at rest; None if it is not known to be."""
        if self.unclear or self.messages or self.perhaps or self.units or self.used:
            return None
        return -NEVER if self.latest_hi is None else self.latest_hi + self.margin + 1

    def note(self, row: Row) -> None:
        """Take a call into account."""
        self.latest_hi = row["hi"] if self.latest_hi is None else max(self.latest_hi, row["hi"])
        call, comp_code = row["call"], row["comp_code"]
        if call not in _PLAIN_CALLS or comp_code is None:
            self.unclear = True
        elif has_unknown_effect(comp_code, row["reason"]):
            self._note_unknown_effect(row)
        elif call in ("MQCMIT", "MQBACK", "MQDISC", "MQCONN"):
            self._end_unit(row)
        elif call == "MQCLOSE":
            self._close(row)
        elif call in GETS:
            self._get(row)
        elif call in ("MQPUT", "MQPUT1"):
            self._put(row)

    def _end_unit(self, row: Row) -> None:
        """Take the end of a unit of work (MQDISC commits) and of a connection's handles into account."""
        call, conn = row["call"], row["conn"]
        if call in ("MQDISC", "MQCONN") and row["comp_code"] == MQCC.OK:
            self.used = {handle for handle in self.used if handle[0] != conn}
        unit = self.units.get(conn)
        if unit is None:
            return
        if row["comp_code"] != MQCC.OK and row["reason"] != MQRC.BACKED_OUT:
            self.unclear = True
            return
        if call == "MQCONN":
            self.unclear = True
        backed_out = call == "MQBACK" or row["reason"] == MQRC.BACKED_OUT
        del self.units[conn]
        for msg_id, number in unit:
            if not backed_out:
                self._count(msg_id, number)

    def _note_unknown_effect(self, row: Row) -> None:
        """Take a call of unknown outcome into account, and the unknown outcome of its unit of work.

        A get that took a message leaves one more put than gets, as if it had not: so the queue is not at rest either.
        """
        if row["conn"] in self.units:
            self.unclear = True
        options = row["options"]
        if row["call"] == "MQCLOSE":
            self._note_deletion(options)
        elif row["call"] in GETS and (options is None or options & _USES_HANDLE):
            self.used.add((row["conn"], row["hobj"]))
        elif row["call"] in ("MQPUT", "MQPUT1"):
            made = options is None or options & MQPMO.NEW_MSG_ID
            if made or row["msg_id"] in (None, NULL_ID.hex()) or row["msg_flags"] != 0:
                self.unclear = True
            else:
                self.perhaps[row["msg_id"]] += 1

    def _count(self, msg_id: str, number: int) -> None:
        if number < 0 and not self.messages[msg_id] and self.perhaps[msg_id]:
            self.perhaps[msg_id] -= 1
        else:
            self.messages[msg_id] += number
        self.perhaps = +self.perhaps
        if not self.messages[msg_id]:
            del self.messages[msg_id]

    def _close(self, row: Row) -> None:
        if row["comp_code"] == MQCC.FAILED:
            return
        self.used.discard((row["conn"], row["hobj"]))
        self._note_deletion(row["options"])

    def _note_deletion(self, options: int | None) -> None:
        if options is None or options & (MQCO.DELETE | MQCO.DELETE_PURGE):
            self.unclear = True

    def _get(self, row: Row) -> None:
        options = row["options"]
        if options is None or options & ~(PLAIN_GET | _USES_HANDLE):
            self.unclear = True
            return
        if row["comp_code"] == MQCC.WARNING and row["reason"] in NOT_CONVERTED:
            # Only one of several warnings is returned: the message may be too long for the buffer, and still be there.
            self.unclear = True
            return
        of_group = (row["msg_flags"] or 0) & _OF_GROUPS
        if options & _USES_HANDLE or of_group:
            self.used.add((row["conn"], row["hobj"]))
        returned = row["comp_code"] != MQCC.FAILED and row["reason"] != MQRC.TRUNCATED_MSG_FAILED
        if returned and not options & (BROWSE | MQGMO.UNLOCK):
            self._move(row, -1)

    def _put(self, row: Row) -> None:
        flags, options = row["msg_flags"], row["options"]
        if flags is None or flags & MQMF.SEGMENTATION_ALLOWED:
            self.unclear = True
            return
        of_group = flags & _OF_GROUPS or options is None or options & MQPMO.LOGICAL_ORDER
        if of_group and row["call"] == "MQPUT":
            self.used.add((row["conn"], row["hobj"]))
        if row["comp_code"] != MQCC.FAILED:
            self._move(row, 1)

    def _move(self, row: Row, number: int) -> None:
        """Note a message that was put (1) or got (-1), now or at the end of the unit of work."""
        in_unit, msg_id = self._in_unit(row), row["msg_id"]
        if in_unit is None or msg_id in (None, NULL_ID.hex()):
            self.unclear = True
        elif in_unit:
            self.units.setdefault(row["conn"], []).append((msg_id, number))
        else:
            self._count(msg_id, number)

    def _in_unit(self, row: Row) -> bool | None:
        """Return whether a put or get belongs to a unit of work, None if that is not known."""
        options = row["options"]
        if options is None or (row["call"] not in GETS and options & MQPMO.ASYNC_RESPONSE):
            return None
        of_get = row["call"] in GETS
        if options & (MQGMO.SYNCPOINT if of_get else MQPMO.SYNCPOINT):
            return True
        if options & (MQGMO.NO_SYNCPOINT if of_get else MQPMO.NO_SYNCPOINT):
            return False
        if of_get and options & MQGMO.SYNCPOINT_IF_PERSISTENT:
            persistence = row["persistence"]
            return None if persistence is None else bool(persistence == MQPER.PERSISTENT)
        return self.platform == "zos"
