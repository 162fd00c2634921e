"""A call in two inputs: reported as a copy, judged once, and never an identifier that was generated twice."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from fixtures.captures import MQBACK, REPLY, Talk, TcpPacket, Values, wire
from fixtures.channel_talks import DATA, EPOCH_US, put_talk, with_queue
from fixtures.java_traces import trace_text
from oracle.mqi.constants import MQGMO, MQPMO
from spark_checks.audit import audit
from spark_checks.commands.inspection import inspect
from spark_checks.frames import Engine
from spark_checks.readers.load import read_log
from tests.spark_checks.histories import COMPLETE, History, write_log

PUTS = 4
NEW = MQPMO.NEW_MSG_ID | MQPMO.NO_SYNCPOINT


def puts(offset_us: int = 0, digits: str = "ab") -> Talk:
    """Return a conversation in which messages are put that have their MsgIds generated, tens of milliseconds apart."""
    talk = with_queue()
    for number in range(PUTS):
        at = EPOCH_US + offset_us + 50_000 * (number + 1)
        made = {"MsgId": f"{number:02}" + digits * 23, "PutDate": "20231114", "PutTime": f"2213201{number}"}
        talk.client(wire.put(2, DATA, md={"Format": "MQSTR"}, pmo={"Options": NEW}), at)
        talk.server(wire.put_done(2, md={"Format": "MQSTR", **made}, pmo={"Options": NEW}, length=len(DATA)), at + 200)
    return talk


def traces(folder: Path, *conversations: Iterable[TcpPacket]) -> list[Path]:
    """Write each as the trace of a program."""
    paths = []
    for number, packets in enumerate(conversations):
        path = folder / f"client_{number}.trc"
        path.write_text(trace_text(packets), encoding="utf-8")
        paths.append(path)
    return paths


def test_a_trace_given_twice_holds_each_call_once(engine: Engine, tmp_path: Path) -> None:
    packets = puts().packets
    read = read_log(engine, traces(tmp_path, packets, packets))
    assert (read.records, read.copies, read.calls.count()) == (2 * (PUTS + 2), PUTS + 2, PUTS + 2)


def test_a_trace_that_begins_within_another_one_adds_what_comes_after(engine: Engine, tmp_path: Path) -> None:
    packets = puts().packets
    read = read_log(engine, traces(tmp_path, packets[:-2], packets[-6:]))
    assert (read.records, read.copies, read.calls.count()) == (PUTS + 1 + 3, 2, PUTS + 2)
    found = audit(engine, traces(tmp_path, packets[:-2], packets[-6:]))
    assert found.findings.count() == 0


def test_traces_of_two_programs_are_not_copies(engine: Engine, tmp_path: Path) -> None:
    read = read_log(engine, traces(tmp_path, puts().packets, puts(digits="cd").packets))
    assert (read.records, read.copies) == (2 * (PUTS + 2), 0)


def test_a_trace_of_another_clock_is_not_told_as_a_copy(engine: Engine, tmp_path: Path) -> None:
    read = read_log(engine, traces(tmp_path, puts().packets, puts(offset_us=7_000).packets))
    assert read.copies == 0
    found = audit(engine, traces(tmp_path, puts().packets, puts(offset_us=7_000).packets)).findings.collect()
    assert [(one["rule"], one["verdict"]) for one in found] == [("IDS-03", "suspicion")]


def test_a_message_returned_twice_within_a_millisecond_makes_no_copy_of_another_call(
    engine: Engine, tmp_path: Path
) -> None:
    paths = [tmp_path / f"client_{number}.trc" for number in range(2)]
    for number, path in enumerate(paths):
        path.write_text(talk_text(number), encoding="utf-8")
    read = read_log(engine, paths)
    assert (read.records, read.copies) == (2 * 9, 0)


def talk_text(number: int) -> str:
    """Return the trace of one of two programs to which one message is returned.

    The first backs it out in the millisecond in which the second one gets it.
    """
    talk = with_queue()
    gmo: Values = {"Options": MQGMO.SYNCPOINT}
    returned = wire.got(2, DATA, md={"MsgId": "414d51" + "07" * 21}, gmo=gmo)
    calls = [(wire.get(2, 100, gmo=gmo), returned), (wire.call(MQBACK), wire.call(MQBACK + REPLY))]
    for put in range(5):
        made: Values = {"MsgId": f"{5 * number + put:048}"}
        calls.insert(put, (wire.put(2, DATA), wire.put_done(2, md=made, length=len(DATA))))
    for step, (request, reply) in enumerate(calls):
        talk.client(request, EPOCH_US + 50_000 + 100 * step)
        talk.server(reply, EPOCH_US + 50_020 + 100 * step)
    return trace_text(talk.packets)


def test_one_trace_has_no_copies(engine: Engine, tmp_path: Path) -> None:
    assert read_log(engine, traces(tmp_path, put_talk().packets)).copies == 0


def test_event_logs_that_overlap_are_judged_once_and_say_so(engine: Engine, tmp_path: Path) -> None:
    history = History("QM")
    for number in range(6):
        history.put("P", f"m{number}", 10 * number + 10, 10 * number + 12, options=NEW)
    one = write_log(tmp_path / "one.jsonl", [COMPLETE, *history.records[:4]])
    two = write_log(tmp_path / "two.jsonl", [COMPLETE, *history.records[2:]])
    found = audit(engine, [one, two])
    assert found.findings.count() == 0
    assert (found.read.records, found.log.copies_in(found.read.calls)) == (8, 2)
    inspected = inspect(engine, [one, two])
    assert (inspected.records, inspected.copies) == (8, 2)
    assert json.loads(json.dumps(inspected.document()))["copies"] == 2
