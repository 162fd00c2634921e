"""A small undamaged input of every format that has a reader."""

from __future__ import annotations

import json
from functools import cache

import pyarrow as pa
import pyarrow.parquet as pq

from fixtures.activity_traces import Tracing, amqsact, amqsevt
from fixtures.captures import pcap_bytes, pcapng_bytes
from fixtures.channel_talks import put_talk
from fixtures.java_traces import trace_text
from fixtures.side_inputs import CONFIG, QLOCAL, Shown, amqsbcg, config_event, config_text, dmpmqmsg, mqsc
from oracle.histories.event_log import Event, to_line
from tests.spark_checks.traced_history import played

_SHOWN = [Shown("0a" * 24, group_id="0d" * 24, seq=1, flags=8), Shown("0b" * 24, group_id="0d" * 24, seq=2, flags=24)]

COMMANDS = """* Script generated on 2025-01-31   at 10.20.30
* Queue manager name: QM1
DEFINE QLOCAL('APP.QUEUE') +
   DESCR('the ''orders'' (all)') +
   DEFPRTY(4) MSGDLVSQ(FIFO) +
   MAXDEPTH(5000) +
   REPLACE
def ql(other) get(disabled) -
 noshare replace
DEFINE QALIAS('ALIAS') TARGET('APP.QUEUE') REPLACE
"""


def few_calls() -> list[Event]:
    """Return a history with each kind of call and outcome once."""
    first = {(event.call, event.reason): event for event in reversed(played())}
    return sorted(first.values(), key=lambda event: event.start_us)


def _parquet() -> bytes:
    sink = pa.BufferOutputStream()
    rows = [event.model_dump(exclude_none=True) for event in few_calls()]
    pq.write_table(pa.Table.from_pylist(rows), sink, row_group_size=4)
    return bytes(sink.getvalue())


@cache
def samples() -> dict[str, bytes]:
    """Return the inputs by name; they are small, so that much of the damage hits what matters."""
    history, packets = few_calls(), put_talk().packets
    config = [config_event(CONFIG), config_event({**CONFIG, "queueName": "OTHER"})]
    few = Tracing(batch=3)
    return {
        "event log": "".join(to_line(event) + "\n" for event in history).encode(),
        "Parquet": _parquet(),
        "pcap": pcap_bytes(packets),
        "pcapng": pcapng_bytes(packets),
        "Java trace": trace_text(packets).encode(),
        "runmqsc": mqsc(QLOCAL, {**QLOCAL, "QUEUE": "OTHER"}).encode(),
        "MQSC commands": COMMANDS.encode(),
        "configuration events": "".join(json.dumps(each, indent=2) + "\n" for each in config).encode(),
        "configuration events in text": (config_text(CONFIG) + config_text(CONFIG, 2)).encode(),
        "dmpmqmsg": dmpmqmsg("APP.QUEUE", _SHOWN).encode(),
        "amqsbcg": amqsbcg("APP.QUEUE", _SHOWN).encode(),
        "amqsact": amqsact(history, few).encode(),
        "amqsevt json": amqsevt(history, few, "json").encode(),
        "amqsevt json_compact": amqsevt(history, few, "json_compact").encode(),
        "amqsevt json_array": amqsevt(history, few, "json_array").encode(),
        "amqsevt go": amqsevt(history, few, "go").encode(),
    }
