"""Records of an event log as calls and replies; what a record lacks is unknown, never a value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from oracle.errors import Place
from oracle.histories.event_log import MESSAGE_COLUMNS, Event, unpadded
from oracle.histories.history import LONGEST
from oracle.model.requests.option_matrix import MARKING
from oracle.mqi import calls
from oracle.mqi.constants import MQCC, MQFMT, MQGMO, MQMF, MQMO, MQMT, MQPMO, MQRC, NULL_ID
from oracle.mqi.structures import GetMessageOptions, MessageDescriptor, PutMessageOptions
from oracle.mqi.unknown_effect import has_unknown_effect
from oracle.protocol import ObservedReply
from oracle.replay.stand_in import stand_in
from oracle.replay.steps import UndecidedError


class UnseenMessageError(UndecidedError):
    """A call concerns a message that the queue manager has put, and a log does not show when."""


@dataclass
class Puts:
    """The messages that a log has put so far, by MsgId."""

    digests: dict[str | None, bool] = field(default_factory=dict)
    """Whether the digests of all data that were put with it are known."""
    reports: set[str | None] = field(default_factory=set)
    """Those of reports that applications put."""

    def note(self, event: Event) -> None:
        """Take a put that completed into account."""
        self.digests[event.msg_id] = self.digests.get(event.msg_id, True) and event.digest is not None
        if event.msg_type == MQMT.REPORT:
            self.reports.add(event.msg_id)

    def lack(self, event: Event) -> bool:
        """Return whether the queue manager must have put the message of a get: a report, or a trigger message."""
        if event.msg_type == MQMT.REPORT:
            return event.msg_id not in self.reports
        return unpadded(event.format or "") == MQFMT.TRIGGER and event.msg_id not in self.digests


_MESSAGE: Final = tuple(column for column in MESSAGE_COLUMNS if column != "backout_count")
"""The columns of a put that make up its message."""

_PUT_OUTPUTS: Final = ("msg_id", "correl_id", "group_id", "msg_seq_number", "offset")
"""The columns that a put returns.

`msg_flags`, `priority`, `persistence` and `expiry` are its input: the message got shows their values.
"""

_IDENTITY: Final = ("msg_id", "group_id", "msg_seq_number", "offset")
"""The columns that identify the message that a get returned."""

_MEMBERS: Final = {name: f"MQMD.{c_name}" for name, c_name in MessageDescriptor.c_names().items()}
"""The names in a reply of the members of MQMD, by column."""

_CONVERTED: Final[Mapping[str, Callable[[str], Any]]] = {
    **dict.fromkeys(("msg_id", "correl_id", "group_id"), bytes.fromhex),
    **dict.fromkeys(("format", "reply_to_q"), unpadded),
}
"""The columns whose members have another form than in the log: identifiers as bytes, names without padding."""

_SELECTIONS: Final = {
    MQMO.MATCH_MSG_ID: ("sel_msg_id", "msg_id"),
    MQMO.MATCH_CORREL_ID: ("sel_correl_id", "correl_id"),
    MQMO.MATCH_GROUP_ID: ("sel_group_id", "group_id"),
    MQMO.MATCH_MSG_SEQ_NUMBER: ("sel_seq_number", "msg_seq_number"),
    MQMO.MATCH_OFFSET: ("sel_offset", "offset"),
}
"""For each match option the column and the member that it needs."""

DECIDABLE: Final = frozenset({
    MQRC.NONE, MQRC.ALREADY_CONNECTED, MQRC.GET_INHIBITED, MQRC.HCONN_ERROR, MQRC.HOBJ_ERROR, MQRC.INCOMPLETE_GROUP,
    MQRC.INCOMPLETE_MSG, MQRC.INCONSISTENT_BROWSE, MQRC.INCONSISTENT_UOW, MQRC.MATCH_OPTIONS_ERROR,
    MQRC.MSG_TOO_BIG_FOR_Q, MQRC.NO_MSG_AVAILABLE, MQRC.NO_MSG_LOCKED, MQRC.NO_MSG_UNDER_CURSOR,
    MQRC.NOT_OPEN_FOR_BROWSE, MQRC.NOT_OPEN_FOR_INPUT, MQRC.NOT_OPEN_FOR_INQUIRE, MQRC.NOT_OPEN_FOR_OUTPUT,
    MQRC.OPTIONS_ERROR, MQRC.PUT_INHIBITED, MQRC.Q_FULL, MQRC.TRUNCATED_MSG_ACCEPTED, MQRC.TRUNCATED_MSG_FAILED,
})  # fmt: skip  # names
"""Reasons that depend only on what a log has.

They do not depend on authorities, resources, the queue manager's attributes, structure versions or arguments that are
not recorded.
"""

_OF_A_CONNECTION: Final[Mapping[str, Callable[[str], calls.MqiCall]]] = {
    "MQCONN": calls.Connect,
    "MQDISC": calls.Disconnect,
    "MQCMIT": calls.Commit,
    "MQBACK": calls.Back,
}
"""The calls that have no argument but the connection."""

MARKS_OF_A_HANDLE: Final = MQGMO.MARK_BROWSE_HANDLE | MQGMO.UNMARKED_BROWSE_MSG
"""The options about marks that need neither a token nor an interval."""

_UNREADABLE_GETS: Final = (MARKING & ~MARKS_OF_A_HANDLE) | MQGMO.SET_SIGNAL
"""Options whose effect depends on what no log has: intervals of marks, signals."""


def need(event: Event, place: Place, *columns: str) -> Mapping[str, Any]:
    """Return columns of a record by name.

    Raises UndecidedError if one was not captured.
    """
    values = vars(event)
    found = {column: values[column] for column in columns}
    if None in found.values():
        missing = next(column for column in columns if found[column] is None)
        raise UndecidedError(f"{event.call} without {missing}: it was not captured", place)
    return found


def call_of(event: Event, place: Place, identity: int) -> calls.MqiCall:
    """Return the call of a record.

    Raises UndecidedError if the record lacks something.
    """
    if event.call in _OF_A_CONNECTION:
        return _OF_A_CONNECTION[event.call](event.conn)
    if event.call == "MQOPEN":
        return calls.Open(event.conn, **need(event, place, "object_name", "options"))
    if event.call == "MQPUT1":
        name = need(event, place, "object_name")["object_name"]
        return calls.Put1(event.conn, name, *_put_parts(event, place))
    if event.call == "MQSET":
        raise UndecidedError("the values of MQSET are not recorded, so the queue's attributes are not known", place)
    return _of_a_handle(event, place, identity)


def _of_a_handle(event: Event, place: Place, identity: int) -> calls.MqiCall:
    if event.call not in ("MQCLOSE", "MQPUT", "MQGET", "MQINQ"):
        raise UndecidedError(f"the log does not hold what {event.call} does", place)
    hobj = need(event, place, "hobj")["hobj"]
    if event.call == "MQCLOSE":
        return calls.Close(event.conn, hobj, **need(event, place, "options"))
    if event.call == "MQINQ":
        return calls.Inquire(event.conn, hobj, ())
    if event.call == "MQPUT":
        return calls.Put(event.conn, hobj, *_put_parts(event, place))
    return _get(event, place, hobj, identity)


def _put_parts(event: Event, place: Place) -> tuple[MessageDescriptor, PutMessageOptions, bytes]:
    columns = dict(need(event, place, *_MESSAGE, "options", "length"))
    options, length = columns.pop("options"), columns.pop("length")
    if options & MQPMO.ASYNC_RESPONSE:
        raise UndecidedError("the log does not show whether this put, whose response is deferred, succeeded", place)
    if columns["msg_id"] == NULL_ID.hex() and event.comp_code != MQCC.FAILED:
        raise UndecidedError(f"{event.call} without the MsgId that the message was given", place)
    if columns["msg_flags"] & MQMF.SEGMENTATION_ALLOWED:
        raise UndecidedError("the queue manager may have split this message", place)
    if unpadded(columns["format"]) == MQFMT.XMIT_Q_HEADER:
        raise UndecidedError("the log does not hold the transmission header of this message", place)
    if not 0 <= length <= LONGEST:
        raise UndecidedError(f"no message is {length} bytes long", place)
    for name, convert in _CONVERTED.items():
        columns[name] = convert(columns[name])
    return MessageDescriptor(**columns), PutMessageOptions(options=options), stand_in(event.digest, length)


def _get(event: Event, place: Place, hobj: int, identity: int) -> calls.Get:
    columns = need(event, place, "options", "match_options", "buffer_length")
    options, match_options = columns["options"], columns["match_options"]
    if options & _UNREADABLE_GETS or match_options & MQMO.MATCH_MSG_TOKEN:
        raise UndecidedError(f"a log does not hold what MQGET with {MQGMO.describe(options)} rests on", place)
    wait = need(event, place, "wait_ms")["wait_ms"] if options & MQGMO.WAIT else 0
    wanted = {
        member: _converted(member, need(event, place, column)[column])
        for bit, (column, member) in _SELECTIONS.items()
        if match_options & bit
    }
    gmo = GetMessageOptions(options=options, match_options=match_options, wait_interval=wait)
    return calls.Get(event.conn, hobj, MessageDescriptor(**wanted), gmo, columns["buffer_length"], identity)


def _converted(member: str, value: Any) -> Any:
    return _CONVERTED[member](value) if member in _CONVERTED else value


def observed_of(event: Event, place: Place, puts: Puts) -> ObservedReply:
    """Return the reply in a record.

    `puts` are the earlier puts. Raises UndecidedError if the reply depends on what no log has, or if the record does
    not show it.
    """
    codes = need(event, place, "comp_code", "reason")
    comp_code, reason = codes["comp_code"], codes["reason"]
    if has_unknown_effect(comp_code, reason):
        why = f"the application did not learn whether this {event.call} took effect ({MQRC.describe(reason)})"
        raise UndecidedError(why, place)
    if reason not in DECIDABLE:
        raise UndecidedError(f"{MQRC.describe(reason)} rests on what a log does not hold", place)
    if comp_code == MQCC.FAILED:
        return ObservedReply(comp_code, reason, partial=True)
    members: dict[str, Any] = {}
    if event.call == "MQOPEN":
        members["Hobj"] = need(event, place, "hobj")["hobj"]
    elif event.call in ("MQPUT", "MQPUT1"):
        members = _descriptor(event, _PUT_OUTPUTS)
    elif event.call == "MQGET" and reason != MQRC.NO_MSG_LOCKED and not (event.options or 0) & MQGMO.UNLOCK:
        members = _got(event, place, puts)
    return ObservedReply(comp_code, reason, members=members, partial=True)


def _got(event: Event, place: Place, puts: Puts) -> dict[str, Any]:
    need(event, place, *_IDENTITY)
    if puts.lack(event):
        raise UnseenMessageError("the queue manager made this message, and a log does not show when", place)
    members = _descriptor(event, (*_MESSAGE, "backout_count"))
    if members.get("MQMD.ReplyToQ"):
        # The put may have named the definition of a remote queue, which no log has (RPY-06).
        del members["MQMD.ReplyToQ"]
    for name, value in (("GroupStatus", event.group_status), ("SegmentStatus", event.segment_status)):
        if value is not None:
            members[f"MQGMO.{name}"] = value
    if event.length is not None:
        members["DataLength"] = event.length
        known = event.digest is not None and puts.digests.get(event.msg_id, False)
        if known and _is_whole(event) and event.length <= LONGEST:
            members["data"] = stand_in(event.digest, event.length)
    return members


def _is_whole(event: Event) -> bool:
    """Return whether a get surely returned all data of one message as it was put."""
    segment = event.msg_flags is None or event.msg_flags & (MQMF.SEGMENT | MQMF.LAST_SEGMENT)
    return event.reason == MQRC.NONE and not segment


def _descriptor(event: Event, columns: Iterable[str]) -> dict[str, Any]:
    """Return the members of MQMD that a record has, by their names in a reply."""
    values = vars(event)
    found = {_MEMBERS[name]: values[name] for name in columns if values[name] is not None}
    for name, convert in _CONVERTED.items():
        member = _MEMBERS[name]
        if member in found:
            found[member] = convert(found[member])
    return found
