"""Advice on what to switch on so that more can be checked, by what is missing and in which format."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from spark_checks.readers.detect import Format
from spark_checks.readers.remarks import Remark, Topic

_SELECTION = ("match_options", "sel_msg_id", "sel_correl_id", "sel_group_id", "sel_seq_number", "sel_offset")
_GROUP = ("group_id", "msg_seq_number", "offset", "msg_flags", "original_length", "group_status", "segment_status")

_BY_NEED: Mapping[str, str] = {
    "complete": (
        "if you know that the log contains every call, make it one event log "
        '(mq-audit convert INPUTS --out events.jsonl) and write "complete":true into its first line'
    ),
    Topic.CUT_PACKETS.value: "packets are cut, and so are the messages in them: capture whole packets (tcpdump -s 0)",
    Topic.HIDDEN.value: "TLS hides the calls of some clients: add activity trace, or their Java trace",
    "depth": "list the queues just before the log begins (amqsbcg, dmpmqmsg -i), and give the listings with --before",
    "MQPUT": "the log lacks the puts before its first call: begin the capture earlier, or give listings with --before",
    "MsgDeliverySequence": (
        "add the queues' definitions: the output of DISPLAY QLOCAL(*) ALL in runmqsc, or configuration events"
    ),
    "MarkBrowseInterval": "add the output of DISPLAY QMGR MARKINT in runmqsc: so long browsed messages stay marked",
}

_GROUPS_BY_LISTING = "listings of the queues (amqsbcg, dmpmqmsg -i) among the inputs supply group fields by MsgId"

_BY_FORMAT: Mapping[str, tuple[tuple[tuple[str, ...], str], ...]] = {
    "activity trace": (
        (
            (*_GROUP, *_SELECTION),
            "MQMD and MQGMO are whole at TraceLevel=HIGH only (mqat.ini); version 2 of them has the group fields",
        ),
        (
            ("msg_id", "priority", "persistence", "expiry"),
            "activity trace has message descriptors from TraceLevel=MEDIUM on (mqat.ini)",
        ),
        (_GROUP, _GROUPS_BY_LISTING),
    ),
    "packet capture": (
        (("comp_code",), "calls without replies: capture both directions, with whole packets (tcpdump -s 0)"),
        (_SELECTION, "match options are on the wire only where the program passes a version 2 MQGMO"),
    ),
    "Java client trace": (
        (("comp_code", "digest"), "cut dumps: let the client trace whole buffers, at its highest level"),
        (_SELECTION, "match options are in the trace only where the program passes a version 2 MQGMO"),
    ),
}
"""By a word in the name of a format, the columns that it may lack, and what to do."""


def advice(
    formats: Collection[Format],
    columns: Mapping[str, float],
    missing: Collection[str],
    remarks: Collection[Remark] = (),
) -> list[str]:
    """Return the advice, the most useful first.

    `columns` has, by column, the share of records that have it among those that can have it; `missing` names what rules
    lack, and `remarks` are those of the readers.
    """
    needs = {*missing, *(remark.topic.value for remark in remarks)}
    found = [text for need, text in _BY_NEED.items() if need in needs]
    names = [kind.value for kind in formats]
    for word, hints in _BY_FORMAT.items():
        if not any(word in name for name in names):
            continue
        found += [text for lacking, text in hints if any(columns.get(name, 1.0) < 1.0 for name in lacking)]
    return found
