"""Records of the event log from MQI calls on a client channel.

The request gives what the application passed, the reply what the queue manager assigned. A version 1 descriptor
has no group fields, and none is guessed: on a put it means an ungrouped message, on a get it means one whose
group fields have their defaults, because the queue manager would put an MQMDE before the data otherwise
(PUT-22, MDE-01). An MQMDE is read as part of the descriptor, so that one message has the same columns, length and
digest whichever version its descriptors have.

Left null, because the capture does not show them: values that the queue manager assigned if the reply is missing; the
queue of a put that was resolved to another queue manager; the options of calls in units of work that a transaction
manager ends; the length of truncated data where only the returned length was sent.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any

from oracle.errors import BadInputError
from oracle.histories.event_log import MESSAGE_COLUMNS, Event
from oracle.mqi.constants import MQCC, MQFMT, MQGMO, MQMF, MQOT, MQPMO, TRUNCATED
from oracle.mqi.layouts import MQMD, MQMDE, Values, byte_order, codec
from oracle.mqi.put_times import put_time_us
from oracle.mqi.structures import MD_VERSION_2_MEMBERS, MessageDescriptor
from oracle.mqi.without_outputs import WITHOUT_OUTPUTS
from oracle.wire.bodies import Body
from oracle.wire.headers import Kind
from spark_checks.readers.mqi_calls import Call

Columns = dict[str, Any]

_VERBS = {Kind.SPI: "MQOPEN", Kind.ASYNC_MESSAGE: "CALLBACK"}

_C_NAMES = MessageDescriptor.c_names()
_GROUP_FIELDS = tuple(_C_NAMES[name] for name in MD_VERSION_2_MEMBERS)
_GROUP_DEFAULTS: Values = {name: MQMD.defaults[name] for name in _GROUP_FIELDS}
_EXTENSION_LENGTH = MQMDE.length(2)


def to_event(call: Call, qmgr: str | None, *, since_ns: int, until_ns: int) -> Event:
    """Return the record of a call, with an empty `qmgr` if the queue manager is not known.

    `since_ns` and `until_ns` bound calls whose request or whose reply is missing.
    """
    begun = call.began or call.after
    start = (begun.since_ns if begun else since_ns) // 1000
    end = -(-(call.ended.time_ns if call.ended else until_ns) // 1000)
    columns: Columns = {}
    if call.reply:
        columns |= {"comp_code": call.reply.comp_code, "reason": call.reply.reason}
    columns |= _BY_KIND.get(call.kind, _plain)(call, qmgr)
    if begun is None and columns.get("wait_ms"):
        start = min(start, end - columns["wait_ms"] * 1000)  # it may have waited before the capture began
    if call.connection.foreign_units:
        columns["options"] = None
    return Event(
        qmgr=qmgr or "",
        conn=call.connection.name,
        seq=call.seq,
        start_us=start,
        end_us=max(start, end),
        call=_VERBS.get(call.kind, call.kind.name),
        source=call.place.source,
        line=call.place.line,
        **columns,
    )


def _plain(call: Call, _: str | None) -> Columns:
    """Return the columns of a call that has at most an object handle."""
    body = call.request or call.reply
    columns: Columns = {"hobj": body.hobj if body else None}
    if call.handle:
        columns |= {"queue": call.handle.queue, "object_name": call.handle.object_name}
    return columns


def _open(call: Call, _: str | None) -> Columns:
    body = call.request or call.reply
    if body is None:
        return {}
    name = body.text("MQOD", "ObjectName")
    queue = call.handle.queue if call.handle else name if body.long("MQOD", "ObjectType") == MQOT.Q else None
    return {
        "hobj": call.reply.hobj if call.reply else None,
        "queue": queue,
        "object_name": name,
        "options": call.request.number if call.request else None,
    }


def _close(call: Call, qmgr: str | None) -> Columns:
    return {**_plain(call, qmgr), "options": call.request.number if call.request else None}


def _put(call: Call, qmgr: str | None) -> Columns:
    request, reply = call.request, call.reply
    body = request or reply
    if body is None or "MQMD" not in body.structures:
        return _plain(call, qmgr)
    options = body.long("MQPMO", "Options") or 0
    assigned = reply.structures.get("MQMD") if reply and reply.comp_code != MQCC.FAILED else None
    failed = reply is not None and reply.comp_code == MQCC.FAILED
    message = _message(assigned or body.structures["MQMD"], body)
    extended = message.pop("extended")
    if request and not extended:
        message["msg_flags"] = _version_2(request.structures["MQMD"])["MsgFlags"]
    if not failed and (assigned is None or extended):
        message |= _unassigned(message, options, all_fields=assigned is None)
    queue = _resolved(reply, qmgr, call.handle.queue if call.handle else body.text("MQOD", "ObjectName"))
    name = call.handle.object_name if call.handle else body.text("MQOD", "ObjectName")
    return {"hobj": body.hobj, "queue": queue, "object_name": name, "options": options, **message}


def _resolved(reply: Body | None, qmgr: str | None, queue: str | None) -> str | None:
    """Return the queue that a put reached; None if it is on another queue manager."""
    found = reply.text("MQPMO", "ResolvedQName") if reply else None
    owner = reply.text("MQPMO", "ResolvedQMgrName") if reply else None
    if found and owner and qmgr and owner != qmgr:
        return None
    return found or queue


def _unassigned(message: Columns, options: int, *, all_fields: bool) -> Columns:
    """Return null for values that the queue manager assigned and the capture does not show."""
    grouped = bool(message["msg_flags"])
    unknown: set[str] = set()
    if options & MQPMO.LOGICAL_ORDER:
        unknown |= {"group_id", "msg_seq_number", "offset"}
    if grouped and not int(message["group_id"] or "0", 16):
        unknown.add("group_id")
    if all_fields:
        unknown.add("put_us")
        unknown |= _ignored(message)
        if options & MQPMO.NEW_MSG_ID or not int(message["msg_id"], 16):
            unknown.add("msg_id")
        if options & MQPMO.NEW_CORREL_ID:
            unknown.add("correl_id")
    return dict.fromkeys(unknown)


def _ignored(message: Columns) -> set[str]:
    """Return the group fields that an application passed and its MsgFlags make the queue manager set."""
    flags = message["msg_flags"] or 0
    member = flags & (MQMF.MSG_IN_GROUP | MQMF.LAST_MSG_IN_GROUP)
    names = {"msg_seq_number"} if not member else set()
    names |= {"group_id", "offset", "original_length"} if not flags else set()
    return {name for name in names if message[name] != _GROUP_DEFAULTS[_C_NAMES[name]]}


def _get(call: Call, _: str | None) -> Columns:
    request, reply = call.request, call.reply
    body = request or reply
    if body is None:
        return {}
    columns = _plain(call, None)
    asked = {"options": "Options", "wait_ms": "WaitInterval", "match_options": "MatchOptions"}
    columns |= {column: body.long("MQGMO", name) for column, name in asked.items()}
    if request:
        columns |= _selection(request)
        columns["buffer_length"] = request.number
    columns |= _by_string(call)
    options = columns["options"] or 0
    if reply is None or reply.comp_code == MQCC.FAILED:
        return columns
    resolved = reply.text("MQGMO", "ResolvedQName")
    if resolved:
        columns["queue"] = resolved
        if call.handle:
            call.handle.queue = resolved
    if options & MQGMO.UNLOCK or reply.reason in WITHOUT_OUTPUTS or "MQMD" not in reply.structures:
        return columns
    columns |= _message(reply.structures["MQMD"], reply)
    columns.pop("extended")
    returned = reply.number or 0
    if reply.reason in TRUNCATED:
        columns["digest"] = None
        if request is None or returned <= (request.number or 0):
            columns["length"] = None
    columns["group_status"] = reply.structures.get("MQGMO", {}).get("GroupStatus")
    columns["segment_status"] = reply.structures.get("MQGMO", {}).get("SegmentStatus")
    return columns


def _by_string(call: Call) -> Columns:
    """Return null as a handle's selection if it has a selection string, for which a record has no column."""
    selects = call.handle is not None and call.handle.selects
    return dict.fromkeys(("match_options", "sel_msg_id", "sel_correl_id", "sel_group_id")) if selects else {}


def _selection(request: Body) -> Columns:
    descriptor = request.structures.get("MQMD", {})
    names = {
        "sel_msg_id": "MsgId",
        "sel_correl_id": "CorrelId",
        "sel_group_id": "GroupId",
        "sel_seq_number": "MsgSeqNumber",
        "sel_offset": "Offset",
    }
    selection: Columns = {column: descriptor.get(name) for column, name in names.items()}
    selection["sel_token"] = request.structures.get("MQGMO", {}).get("MsgToken")
    return selection


def _callback(call: Call, _: str | None) -> Columns:
    delivery = call.delivery
    if delivery is None:
        return {}
    columns: Columns = {"hobj": delivery.hobj, "reason": delivery.reason}
    if call.handle:
        columns |= {"queue": delivery.queue or call.handle.queue, "object_name": call.handle.object_name}
    if call.consumer:
        columns |= call.consumer.columns | _by_string(call)
    if "MQMD" not in delivery.body.structures:
        return {**columns, "comp_code": MQCC.FAILED if delivery.reason else None}
    columns |= _message(delivery.body.structures["MQMD"], delivery.body)
    columns.pop("extended")
    cut = delivery.captured < delivery.total
    if cut:
        columns["digest"] = None
    if delivery.reason or not cut:
        return {**columns, "comp_code": MQCC.WARNING if delivery.reason else MQCC.OK}
    if (columns.get("options") or 0) & MQGMO.ACCEPT_TRUNCATED_MSG:
        return {**columns, "comp_code": MQCC.OK}
    # Truncated but without a reason: it is not known whether the message was removed.
    return {**columns, "comp_code": None, "reason": None}


def _message(descriptor: Values, carrier: Body) -> Columns:
    """Return the message's columns from a descriptor and the flow that has its data.

    The member `extended` says whether the group fields come from an MQMDE.
    """
    length = carrier.number
    data = carrier.data[:length] if length is not None and 0 <= length <= len(carrier.data) else None
    fields: Columns = _version_2(descriptor)
    extended = False
    if _may_have_extension(descriptor):
        extension = _extension(descriptor, carrier.data)
        if extension:
            extended = True
            fields |= {name: extension[name] for name in (*_GROUP_FIELDS, "Format")}
            length = None if length is None else length - _EXTENSION_LENGTH
            data = None if data is None else data[_EXTENSION_LENGTH:]
        elif data is None:
            fields |= dict.fromkeys((*_GROUP_FIELDS, "Format"))
            length = None
    return {
        **{column: fields[_C_NAMES[column]] for column in MESSAGE_COLUMNS},
        "put_us": put_time_us(str(fields["PutDate"]), str(fields["PutTime"])),
        "length": length,
        "digest": None if data is None else sha256(data).hexdigest(),
        "extended": extended,
    }


def _version_2(descriptor: Values) -> Values:
    return {**_GROUP_DEFAULTS, **descriptor}


def _may_have_extension(descriptor: Values) -> bool:
    """Return whether an MQMDE before the data counts: not if the descriptor has group fields of its own."""
    own = _version_2(descriptor)
    unset = all(own[name] == _GROUP_DEFAULTS[name] for name in _GROUP_FIELDS)
    return descriptor["Format"] == MQFMT.MD_EXTENSION and unset


def _extension(descriptor: Values, data: bytes) -> Values | None:
    order, charset = byte_order(int(descriptor["Encoding"])), codec(int(descriptor["CodedCharSetId"]))
    try:
        found = MQMDE.decode(data[:_EXTENSION_LENGTH], order, charset)
    except BadInputError:
        return None
    return found if found["StrucLength"] == _EXTENSION_LENGTH else None


_BY_KIND: dict[Kind, Callable[[Call, str | None], Columns]] = {
    Kind.MQOPEN: _open,
    Kind.SPI: _open,
    Kind.MQCLOSE: _close,
    Kind.MQPUT: _put,
    Kind.MQPUT1: _put,
    Kind.MQGET: _get,
    Kind.ASYNC_MESSAGE: _callback,
}
