"""The columns of the event log from the calls of an activity trace.

Trace of level LOW has no message descriptors, MEDIUM has some of their members, HIGH dumps the structures. Whether a
dump was made before or after the call is not documented. After an MQGET the descriptor is that of the message: a dump
that agrees with all members printed beside it shows the message, another one what the application asked for. On an
MQPUT the members are those that the application passed, except the identifiers and the put time; a priority or
persistence that is left to the queue is shown as such.

Left null, because the trace does not say: match options and selection below HIGH; the selection of an MQGET whose dump
shows what it returned; a persistence that no put has; identifiers and positions that the queue manager assigns, where
they may be printed as they were before; the backout count, which may be from an earlier get of the message; the length
of truncated data; the queue that a LOW trace does not resolve, and that of a put to another queue manager; options of
units of work that a transaction manager ends; and the options of consumers in the queue manager's own process, whose
calls may be printed in another order; handles that MQSUB returned, because the event log has no record of MQSUB; and
the selection of an MQGET besides the selection string of its handle.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from oracle.mqi.constants import MQCC, MQFMT, MQGMO, MQOT, MQPER, MQPMO, TRUNCATED
from oracle.mqi.layouts import MQGMO as GET_OPTIONS
from oracle.mqi.layouts import MQMD, Values
from oracle.mqi.put_times import put_time_us
from oracle.mqi.without_outputs import WITHOUT_OUTPUTS
from spark_checks.readers.trace_messages import Operation, Value, identifier, number, signed, structure, text
from spark_checks.readers.trace_times import SECOND_US, Span

Columns = dict[str, Any]

_MEMBERS = {
    "report": "Report",
    "msgtype": "MsgType",
    "expiry": "Expiry",
    "formatname": "Format",
    "priority": "Priority",
    "persistence": "Persistence",
    "msgid": "MsgId",
    "correlid": "CorrelId",
    "replytoq": "ReplyToQ",
    "putdate": "PutDate",
    "puttime": "PutTime",
}
"""The member of the message descriptor for each parameter."""

DUMPS = {"mqmdstruct": MQMD, "mqgmostruct": GET_OPTIONS}
"""The structure that is dumped in each parameter."""

_OPTIONS = {
    "MQOPEN": "openoptions",
    "MQCLOSE": "closeoptions",
    "MQPUT": "putoptions",
    "MQPUT1": "putoptions",
    "MQGET": "getoptions",
}
_GROUP_FIELDS = {
    "group_id": "GroupId",
    "msg_seq_number": "MsgSeqNumber",
    "offset": "Offset",
    "msg_flags": "MsgFlags",
    "original_length": "OriginalLength",
}
_ASSIGNED = ("group_id", "msg_seq_number", "offset")
_SELECTION = {
    "sel_msg_id": "MsgId",
    "sel_correl_id": "CorrelId",
    "sel_group_id": "GroupId",
    "sel_seq_number": "MsgSeqNumber",
    "sel_offset": "Offset",
}
_PERSISTENCES = (MQPER.NOT_PERSISTENT, MQPER.PERSISTENT, MQPER.PERSISTENCE_AS_Q_DEF)
_WITH_MESSAGE = ("6", "7", "msgremoved", "msgnotremoved")
"""MQCBCT_MSG_REMOVED and MQCBCT_MSG_NOT_REMOVED: the calls of a consumer that bring a message."""


@dataclass(frozen=True, slots=True)
class Handle:
    """An open object."""

    object_name: str | None
    """The name that the application gave. None if the trace does not show it."""
    queue: str | None
    """The queue that it was resolved to. None if the trace does not show it, or it is not a queue."""
    selects: bool = False
    """Whether it was opened with a selection string, by which its gets select besides their match options."""


@dataclass
class Opened:
    """The handles of a connection."""

    qmgr: str
    """The queue manager that was traced."""
    handles: dict[int, Handle] = field(default_factory=dict)
    """The open handles that the trace shows opened, by their numbers."""
    subscribed: set[int] = field(default_factory=set)
    """The numbers of the handles that MQSUB returned, for which an event log has no call."""

    def subscribe(self, operation: Operation) -> None:
        """Remember the handles that an MQSUB returned: the subscription's, and that of a queue managed for it."""
        if number(operation.fields, "compcode") != MQCC.FAILED:
            returned = (number(operation.fields, name) for name in ("hobj", "hsub"))
            self.subscribed.update(one for one in returned if one is not None and one not in self.handles)

    def columns(self, operation: Operation) -> Columns:
        """Return the object of a call, and remember or forget it if the call opened or closed it.

        A handle of MQSUB is left null, because the log has no call that opened it.
        """
        fields = operation.fields
        hobj = number(fields, "hobj")
        known = self.handles.get(-1 if hobj is None else hobj, Handle(None, None))
        named = text(fields, "objectname") if _is_queue(fields, "objecttype") else None
        selects = bool(text(fields, "selectionstring")) if operation.call == "MQOPEN" else known.selects
        found = Handle(named or known.object_name, self._resolved(fields, known), selects)
        done = number(fields, "compcode") in (MQCC.OK, MQCC.WARNING)
        if operation.call == "MQOPEN" and done and hobj is not None:
            self.handles[hobj] = found
            self.subscribed.discard(hobj)
        recorded = None if hobj in self.subscribed else hobj
        if operation.call == "MQCLOSE" and done and hobj is not None:
            self.handles.pop(hobj, None)
            self.subscribed.discard(hobj)
        return {"hobj": recorded, "object_name": found.object_name, "queue": found.queue}

    def by_string(self, operation: Operation) -> Columns:
        """Return null as the selection of a get if its handle has a selection string, for which there is no column."""
        handle = self.handles.get(number(operation.fields, "hobj") or -1)
        return dict.fromkeys(("match_options", *_SELECTION)) if handle and handle.selects else {}

    def _resolved(self, fields: Mapping[str, Value], known: Handle) -> str | None:
        owner = text(fields, "resolvedqmgr")
        local = not owner or owner == self.qmgr
        if not local or not _is_queue(fields, "objecttype") or not _is_queue(fields, "resolvedtype"):
            return None
        return text(fields, "resolvedlocalqname") or text(fields, "resolvedqname") or known.queue


def _is_queue(fields: Mapping[str, Value], name: str) -> bool:
    return name not in fields or number(fields, name) == MQOT.Q


def columns_of(operation: Operation, opened: Opened, span: Span, *, remote: bool, foreign_units: bool) -> Columns:
    """Return the columns of a call except its connection, its place and its times.

    `remote` says that the application is a client, `foreign_units` that a transaction manager ends its units of work.
    The dumps among its parameters can be decoded.
    """
    fields, call = operation.fields, operation.call or ""
    columns: Columns = {
        "comp_code": signed(number(fields, "compcode")),
        "reason": signed(number(fields, "reasoncode")),
        **opened.columns(operation),
    }
    if call in _OPTIONS:
        columns["options"] = signed(number(fields, _OPTIONS[call]))
    if call in ("MQPUT", "MQPUT1"):
        columns |= _put(fields, columns, span)
    elif call == "MQGET":
        columns |= _get(fields, columns) | opened.by_string(operation)
    elif call == "CALLBACK":
        with_message = _kind_of_callback(fields) in _WITH_MESSAGE
        columns |= _get(fields, columns) | opened.by_string(operation) if with_message else {}
        columns["options"] = columns.get("options") if remote else None
    if foreign_units:
        columns["options"] = None
    return columns


def _kind_of_callback(fields: Mapping[str, Value]) -> str:
    printed = str(fields.get("calltype", "")).lower().removeprefix("mqcbct_")
    return printed.replace(" ", "").replace("_", "")


def _put(fields: Mapping[str, Value], about: Columns, span: Span) -> Columns:
    dump = structure(fields, "mqmdstruct", MQMD)
    options = about.get("options")
    columns = _message(fields)
    columns |= _from_dump(dump, fields) if dump else {}
    columns["put_us"] = _put_time(fields, span)
    if about["comp_code"] == MQCC.FAILED:
        return columns
    if columns["persistence"] not in _PERSISTENCES:
        columns["persistence"] = None
    columns["msg_id"] = _unless_zeros(columns["msg_id"])
    if options is None or options & MQPMO.NEW_CORREL_ID:
        columns["correl_id"] = _unless_zeros(columns["correl_id"])
    if dump:
        _blank_assigned(columns, options, after=bool(options and options & MQPMO.NEW_MSG_ID) and _agree(fields, dump))
    return columns


def _blank_assigned(columns: Columns, options: int | None, *, after: bool) -> None:
    """Remove the values that the queue manager assigns, unless the dump was surely made after the call."""
    in_order = options is None or options & MQPMO.LOGICAL_ORDER
    if in_order and not after:
        columns.update(dict.fromkeys(_ASSIGNED))
    if columns.get("msg_flags") and columns.get("group_id"):
        columns["group_id"] = _unless_zeros(columns["group_id"])


def _get(fields: Mapping[str, Value], about: Columns) -> Columns:
    dump, asked = structure(fields, "mqmdstruct", MQMD), structure(fields, "mqgmostruct", GET_OPTIONS)
    columns: Columns = {"buffer_length": signed(number(fields, "bufferlength"))}
    if asked:
        columns |= {"wait_ms": asked["WaitInterval"], "match_options": asked.get("MatchOptions")}
        columns["options"] = asked["Options"]
    options = (asked or {}).get("Options", about.get("options"))
    failed = about["comp_code"] == MQCC.FAILED
    unlock = isinstance(options, int) and options & MQGMO.UNLOCK
    empty = failed or unlock or about["reason"] in WITHOUT_OUTPUTS
    returned = not empty and dump is not None and _agree(fields, dump)
    if dump and not returned and (empty or identifier(fields, "msgid")):
        columns |= {column: dump.get(member) for column, member in _SELECTION.items()}
        columns["sel_token"] = (asked or {}).get("MsgToken")
    if empty:
        return columns
    columns |= _message(fields)
    if dump and (returned or dump["Version"] == 1):
        columns |= _from_dump(dump, fields, returned=returned)
    if returned and asked:
        columns |= {"group_status": asked.get("GroupStatus"), "segment_status": asked.get("SegmentStatus")}
    if about["reason"] in TRUNCATED:
        columns["length"] = None
    return columns


def _message(fields: Mapping[str, Value]) -> Columns:
    """Return the members of the descriptor that are printed at level MEDIUM, and the length of the data."""
    extended = _text(fields, "formatname") == MQFMT.MD_EXTENSION.strip()
    date, time = (str(fields.get(name, "")).strip() for name in ("putdate", "puttime"))
    return {
        "msg_id": identifier(fields, "msgid"),
        "correl_id": identifier(fields, "correlid"),
        "priority": signed(number(fields, "priority")),
        "persistence": signed(number(fields, "persistence")),
        "expiry": signed(number(fields, "expiry")),
        "report": signed(number(fields, "report")),
        "msg_type": signed(number(fields, "msgtype")),
        "format": None if extended else _text(fields, "formatname"),
        "reply_to_q": _text(fields, "replytoq"),
        "put_us": put_time_us(date, time),
        "length": None if extended else number(fields, "msglength"),
    }


def _from_dump(dump: Values, fields: Mapping[str, Value], *, returned: bool = True) -> Columns:
    """Return the values that only a dump shows.

    A version 1 descriptor has no group fields: they have their defaults, unless an MQMDE has them (PUT-22, MDE-01).
    """
    columns: Columns = {"feedback": dump["Feedback"]} if returned else {}
    formats = (dump["Format"], _text(fields, "formatname"))
    if dump["Version"] == 1 and MQFMT.MD_EXTENSION.strip() in formats:
        return columns
    group = dump if dump["Version"] != 1 else MQMD.defaults
    return columns | {column: group[member] for column, member in _GROUP_FIELDS.items()}


def _agree(fields: Mapping[str, Value], dump: Values) -> bool:
    """Return whether a dump agrees with the message identifier and all other members that are printed."""
    if identifier(fields, "msgid") is None:
        return False
    return all(_same(fields, name, dump[member]) for name, member in _MEMBERS.items() if name in fields)


def _same(fields: Mapping[str, Value], name: str, dumped: int | str) -> bool:
    if isinstance(dumped, int):
        return signed(number(fields, name)) == dumped
    return str(fields[name]).strip().lower() == dumped.strip().lower()


def _text(fields: Mapping[str, Value], name: str) -> str | None:
    """Return a printed string, which may be empty; None if it was not printed."""
    return None if name not in fields else text(fields, name) or ""


def _unless_zeros(printed: str | None) -> str | None:
    return printed if printed and printed.strip("0") else None


def _put_time(fields: Mapping[str, Value], span: Span) -> int | None:
    """Return the put time of a message that is put, unless the application passed it or left it over."""
    printed: int | None = _message(fields)["put_us"]
    return printed if printed is not None and span[0] - SECOND_US <= printed <= span[1] else None
