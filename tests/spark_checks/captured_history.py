"""Histories of the small queue manager as packets: each connection is a client's TCP connection with one open queue."""

from __future__ import annotations

from collections.abc import Sequence

from fixtures.captures import MQBACK, MQCMIT, MQDISC, REPLY, Talk, TcpPacket, Values, merged, wire
from oracle.mqi.constants import MQOO
from tests.spark_checks.histories import QUEUE, Record
from tests.spark_checks.small_queue_manager import Call

BEGIN_US = 1_700_000_000_000_000
HOBJ = 2
_OPTIONS = MQOO.OUTPUT | MQOO.INPUT_SHARED | MQOO.BROWSE
_ENDS = {"MQCMIT": MQCMIT, "MQBACK": MQBACK, "MQDISC": MQDISC}
_DESCRIPTOR = {
    "msg_id": "MsgId", "correl_id": "CorrelId", "priority": "Priority", "persistence": "Persistence",
    "expiry": "Expiry", "msg_type": "MsgType", "format": "Format", "backout_count": "BackoutCount",
}  # fmt: skip  # pairs
_SELECTION = {"sel_msg_id": "MsgId", "sel_correl_id": "CorrelId"}
_DATA = b"the data of a message"


def captured(calls: Sequence[Call], number: int, step_us: int) -> list[TcpPacket]:
    """Return the packets of a history on a queue manager; calls are `apart_us` apart, and take a third of it."""
    talks: dict[str, Talk] = {}
    for place, call in enumerate(calls):
        at_us = BEGIN_US + (place + 1) * step_us
        if call.conn not in talks:
            talks[call.conn] = _connected(number, 40_000 + len(talks), at_us - step_us // 2)
        talk = talks[call.conn]
        if call.columns["call"] == "died":
            talk.reset(at_us)
            continue
        asked, answered = _flows(call.columns)
        talk.client(asked, at_us, 150)
        talk.server(answered, at_us + step_us // 3, 150)
    return merged(*talks.values())


def _connected(number: int, port: int, at_us: int) -> Talk:
    begin = number * 1_000_003 + port  # no two connections have their numbers in common: they would be copies
    talk = Talk(((f"10.1.{number}.5", port), (f"10.1.{number}.9", 1414)), [begin * 71, begin * 137])
    talk.handshake(at_us)
    talk.client(wire.initial("*", client=True), at_us + 10)
    talk.server(wire.initial(f"QM{number}", client=False), at_us + 20)
    talk.client(wire.connect(), at_us + 30)
    talk.server(wire.connected(f"AMQCQM{number:<10}{port:08}".encode()), at_us + 40)
    talk.client(wire.open(QUEUE, int(_OPTIONS)), at_us + 50)
    talk.server(wire.opened(QUEUE, HOBJ), at_us + 60)
    return talk


def _flows(columns: Record) -> tuple[bytes, bytes]:
    """Return the request of a call and its reply."""
    code = (int(columns["comp_code"]), int(columns["reason"]))
    if columns["call"] in _ENDS:
        kind = _ENDS[columns["call"]]
        return wire.call(kind), wire.call(kind + REPLY, code=code)
    shown = {name: columns[column] for column, name in _DESCRIPTOR.items() if column in columns}
    options: Values = {"Options": int(columns["options"])}
    if columns["call"] in {"MQPUT", "MQPUT1"}:
        return wire.put(HOBJ, _DATA, md=shown, pmo=options), wire.put_done(HOBJ, md=shown, pmo=options, code=code)
    selection = {name: columns[column] for column, name in _SELECTION.items() if column in columns}
    asked: Values = {**options, "MatchOptions": int(columns.get("match_options", 0))}
    reply = wire.got(HOBJ, _DATA if shown else b"", md=shown, gmo=asked, code=code)
    return wire.get(HOBJ, 1000, md=selection, gmo=asked), reply
