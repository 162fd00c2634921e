"""Captures day after day: unfinished connections continue in the file of another day, as if all were read as one."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from fixtures.captures import TcpPacket, pcap_bytes, wire
from fixtures.channel_talks import DATA, EPOCH_US, connected, only, put_talk, with_queue
from oracle.errors import BadInputError
from oracle.histories.event_log import Event
from spark_checks.audit import audit_log
from spark_checks.days.auditing import Days, audit_day
from spark_checks.days.memory import recall
from spark_checks.frames import Engine
from spark_checks.readers.kept_objects import Keeper
from spark_checks.readers.load import read_log
from spark_checks.readers.pcap import read_captures
from spark_checks.readers.remarks import Begun, Remark
from spark_checks.watching.rounds import Plan
from tests.spark_checks.captured_history import captured
from tests.spark_checks.day_by_day import Claim, claims
from tests.spark_checks.small_queue_manager import Defect, Simulation
from tests.spark_checks.test_joined_captures import SECOND_US, comparable, cut_up, joined, told, traffic
from tests.spark_checks.test_watch import take
from tests.spark_checks.test_watch import told as told_by_watch

FOREVER_US = 10**15
STEP_US = 900


@dataclass
class Read:
    """The results of reading several days, and the unfinished state."""

    events: list[Event]
    errors: list[str]
    remarks: list[Remark]
    begun: str = ""


def day_by_day(tmp_path: Path, files: Mapping[str, bytes], *, final: bool = True) -> Read:
    """Read captures one after the other, each on a day of its own."""
    read = Read([], [], [])
    for number, (name, content) in enumerate(files.items()):
        (tmp_path / name).write_bytes(content)
        goes_on = not final or number + 1 < len(files)
        for record in read_captures([tmp_path / name], None, read.begun, goes_on=goes_on):
            if isinstance(record, BadInputError):
                message = str(record).removeprefix(f"{record.place}: ")
                read.errors.append(message.replace(f"{tmp_path}/", ""))
            elif isinstance(record, Event):
                read.events.append(record)
            elif isinstance(record, Remark):
                read.remarks.append(record)
            elif isinstance(record, Begun):
                read.begun = record.text
    return read


ADDRESS = "10.0.0.9:1414"
"""The name of a queue manager whose own name no packet has shown yet."""


def nameless(records: Iterable[Mapping[str, object]]) -> list[dict[str, object]]:
    """Return records without the queue manager's name, which a later day may be the first to show."""
    return [{name: value for name, value in record.items() if name != "qmgr"} for record in records]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), lossy=st.booleans())
@example(seed=2303, lossy=False)  # a day ends before the packet that tells the name
@example(seed=1861, lossy=True)  # the first day has no packets
@example(seed=10701, lossy=True)  # the ports are used again, and no day has seen the end of the connection before
def test_however_a_capture_is_cut_into_days_its_records_are_the_same(tmp_path: Path, seed: int, lossy: bool) -> None:
    chance = random.Random(seed)
    packets = [packet for packet in traffic() if not lossy or chance.random() > 0.05]
    whole, missed, _ = joined(tmp_path, {"whole.pcap": pcap_bytes(packets)})
    days = day_by_day(tmp_path, cut_up(packets, chance))
    found, expected = comparable(days.events), comparable(whole)
    assert nameless(found) == nameless(expected)
    names = zip(found, expected, strict=True)
    assert lossy or all(one["qmgr"] in (other["qmgr"], ADDRESS) for one, other in names)
    assert sorted(error for error in days.errors if "no MQ channel" not in error) == sorted(missed)


def test_a_later_day_names_its_own_file_and_says_what_goes_on(tmp_path: Path) -> None:
    packets = put_talk(size=100).packets
    days = day_by_day(tmp_path, {"mon.pcap": pcap_bytes(packets[:9]), "tue.pcap": pcap_bytes(packets[9:])})
    assert told(days.remarks, tmp_path) == ["tue.pcap goes on with 1 connection of mon.pcap"]
    put = only(days.events, "MQPUT")
    assert (put.source, put.hobj, put.queue) == (str(tmp_path / "tue.pcap"), 2, "APP.QUEUE")
    assert put.conn == f"{tmp_path / 'mon.pcap'}:10.0.0.5:40000>10.0.0.9:1414/1/1"


def test_a_call_under_way_waits_for_its_reply_and_ends_with_the_last_day(tmp_path: Path) -> None:
    talk = with_queue()
    talk.client(wire.get(2, 100), EPOCH_US + 100)
    asked = len(talk.packets)
    talk.server(wire.got(2, DATA, md={"MsgId": "0a" * 24}), EPOCH_US + 50 * SECOND_US)
    files = {"mon.pcap": pcap_bytes(talk.packets[:asked]), "tue.pcap": pcap_bytes(talk.packets[asked:])}
    monday = day_by_day(tmp_path, dict([next(iter(files.items()))]), final=False)
    assert {event.call for event in monday.events} == {"MQCONN", "MQOPEN"}
    get = only(day_by_day(tmp_path, files).events, "MQGET")
    assert (get.start_us, get.end_us) == (EPOCH_US + 100, EPOCH_US + 50 * SECOND_US)
    (left,) = [each for each in read_captures([], None, monday.begun) if isinstance(each, Event)]
    assert (left.call, left.comp_code, left.start_us) == ("MQGET", None, EPOCH_US + 100)


def test_a_connection_that_is_silent_for_a_day_is_over(tmp_path: Path) -> None:
    waiting = with_queue()
    waiting.client(wire.get(2, 100), EPOCH_US + 100)
    later = connected(identifier=b"AMQCQM1         87654321")
    moved = [replace_time(packet, 2 * 86_400 * SECOND_US) for packet in later.packets]
    files = {"mon.pcap": pcap_bytes(waiting.packets), "wed.pcap": pcap_bytes(moved)}
    days = day_by_day(tmp_path, files, final=False)
    assert only(days.events, "MQGET").comp_code is None
    assert len(json.loads(days.begun)) == 2


def replace_time(packet: TcpPacket, by_us: int) -> TcpPacket:
    """Return a packet of another connection so much later."""
    source, target = ((end[0], end[1] + 1 if end[1] != 1414 else 1414) for end in (packet.source, packet.target))
    members = (packet.seq, packet.ack, packet.flags, packet.data)
    return TcpPacket(packet.time_ns + by_us * 1000, source, target, *members)


def test_a_file_that_has_grown_goes_on_after_what_was_read_whatever_its_name(tmp_path: Path) -> None:
    packets = put_talk(size=100).packets
    whole, _, _ = joined(tmp_path, {"whole.pcap": pcap_bytes(packets)})
    for second in ("a.pcap", "b.pcap"):
        days = day_by_day(tmp_path, {"a.pcap": pcap_bytes(packets[:9])}, final=False)
        (tmp_path / second).write_bytes(pcap_bytes(packets))
        rest = list(read_captures([tmp_path / second], None, days.begun))
        events = [*days.events, *(each for each in rest if isinstance(each, Event))]
        assert comparable(events) == comparable(whole)
        assert not [each for each in rest if isinstance(each, BadInputError)]


def test_a_name_of_a_file_that_is_used_again_makes_no_two_connections_one(tmp_path: Path) -> None:
    first, again = connected(), connected(identifier=b"AMQCQM1         87654321")
    moved = [replace_seq(packet, 400 * SECOND_US) for packet in again.packets]
    path = tmp_path / "today.pcap"
    names, begun = [], ""
    for packets in (first.packets, moved):
        path.write_bytes(pcap_bytes(packets))
        for record in read_captures([path], None, begun, goes_on=True):
            names += [record.conn] if isinstance(record, Event) else []
            begun = record.text if isinstance(record, Begun) else begun
    assert len(names) == len(set(names)) == 2


def replace_seq(packet: TcpPacket, by_us: int) -> TcpPacket:
    """Return a packet of a later connection between the same ends."""
    seq, ack = ((number + 2**31) % 2**32 for number in (packet.seq, packet.ack))
    return TcpPacket(packet.time_ns + by_us * 1000, packet.source, packet.target, seq, ack, packet.flags, packet.data)


def test_the_name_of_a_queue_manager_is_remembered(tmp_path: Path) -> None:
    """A connection from before the capture has no name of its own; the one of the day before has it."""
    begun_before = with_queue()
    begun_before.packets = [
        TcpPacket(each.time_ns, ("10.0.0.6", 5), each.target, each.seq, each.ack, each.flags, each.data)
        if each.source[1] != 1414
        else TcpPacket(each.time_ns, each.source, ("10.0.0.6", 5), each.seq, each.ack, each.flags, each.data)
        for each in begun_before.packets
    ][-2:]
    days = {"mon.pcap": pcap_bytes(connected(qmgr="QM7").packets), "tue.pcap": pcap_bytes(begun_before.packets)}
    assert [(event.call, event.qmgr) for event in day_by_day(tmp_path, days).events] == [
        ("MQCONN", "QM7"),
        ("MQOPEN", "QM7"),
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[:-9], "it is damaged"),
        (lambda text: json.dumps(["another layout", *json.loads(text)[1:]]), "another version of this program"),
        (lambda text: text.replace("links.Link", "os.System"), "it is damaged"),
        (lambda text: json.dumps([json.loads(text)[0], 3]), "it is damaged: no captures are in it"),
    ],
)
def test_what_this_version_has_not_written_is_refused(tmp_path: Path, change: object, message: str) -> None:
    begun = day_by_day(tmp_path, {"mon.pcap": pcap_bytes(put_talk().packets[:9])}, final=False).begun
    assert callable(change)
    with pytest.raises(ValueError, match=message):
        list(read_captures([], None, change(begun)))


def test_objects_of_other_classes_are_not_kept() -> None:
    keeper = Keeper(Plan)
    with pytest.raises(TypeError, match="PosixPath"):
        keeper.text(Plan(Path("a"), Path("b"), 1, 2))
    shared = [b"bytes", {1: (2, None)}, bytearray(b"x")]
    first, second = keeper.value(keeper.text([shared[1], shared[1], shared])), None
    second = first[2][1]
    assert first[0] is first[1] is second
    assert first[2] == shared


def capture_of_histories(chance: Random) -> tuple[list[TcpPacket], set[str]]:
    """Return a capture of many queue managers, and the names of those that are right."""
    packets: list[TcpPacket] = []
    right = set()
    for number, defect in enumerate(defect for defect in Defect for _ in range(2)):
        simulation = Simulation(chance, fifo=chance.random() < 0.3, defect=defect)
        packets += captured(simulation.run(40, 3), number, STEP_US)
        if defect is Defect.NONE:
            right.add(f"QM{number}")
    return sorted(packets, key=lambda packet: packet.time_ns), right


def plain(found: Iterable[Claim]) -> set[Claim]:
    """Return findings without the name of the file in which a connection began."""

    def short(text: str) -> str:
        return re.sub(r"\S*\.pcap:", "", text)

    return {(*claim[:4], tuple((short(conn), seq) for conn, seq in claim[4]), short(claim[5])) for claim in found}


def of_one_audit(engine: Engine, path: Path, packets: Sequence[TcpPacket]) -> set[Claim]:
    path.write_bytes(pcap_bytes(packets))
    return plain(claims(audit_log(read_log(engine, [path]), replay_limit=0).findings))


def test_days_of_captures_find_what_one_audit_finds(engine: Engine, tmp_path: Path, seed: int) -> None:
    chance = Random(seed)
    packets, right = capture_of_histories(chance)
    expected = of_one_audit(engine, tmp_path / "whole.pcap", packets)
    known: set[Claim] = set()
    read = 0
    for number, stop in enumerate([*sorted(chance.sample(range(1, len(packets)), 2)), len(packets)]):
        path = tmp_path / f"{number}.pcap"
        path.write_bytes(pcap_bytes(packets[read:stop]))
        how = Days(tmp_path / "state", final=number == 2, remember_us=FOREVER_US, rest_us=0)
        try:
            found = audit_day(engine, [path], how, replay_limit=0)
        except BadInputError as refused:
            assert str(refused).endswith("audit both together")  # noqa: PT017 - most seeds have no such day
            continue
        read = stop
        known = (known - plain(claims(found.withdrawn))) | plain(claims(found.audit.findings))
        found.close()
    assert (known - expected, expected - known) == (set(), set())
    assert expected
    assert right.isdisjoint(claim[0] for claim in expected)


def test_a_day_before_the_first_call_is_refused_and_says_what_to_do(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "mon.pcap").write_bytes(pcap_bytes(put_talk(size=100).packets[:2]))
    how = Days(tmp_path / "state", final=False, remember_us=FOREVER_US, rest_us=0)
    with pytest.raises(BadInputError, match=r"mon\.pcap: no call could be read; .*; if .* audit both together"):
        audit_day(engine, [tmp_path / "mon.pcap"], how)


def test_a_watch_of_rotated_captures_finds_what_one_audit_finds(engine: Engine, tmp_path: Path) -> None:
    """The second file is read while it grows, and the first is renamed."""
    chance = Random(5)
    packets, _ = capture_of_histories(chance)
    expected = of_one_audit(engine, tmp_path / "whole.pcap", packets)
    inbox = tmp_path / "in"
    inbox.mkdir()
    plan = Plan(tmp_path / "report", tmp_path / "state", 10 * STEP_US, FOREVER_US)
    first, second, third = (len(packets) * part // 10 for part in (3, 5, 8))
    (inbox / "trace.pcap").write_bytes(pcap_bytes(packets[:first]))
    take(engine, plan, inbox)
    (inbox / "trace.pcap").rename(inbox / "trace.pcap.1")
    for end in (second, third):
        (inbox / "trace.pcap").write_bytes(pcap_bytes(packets[first:end]))
        take(engine, plan, inbox)
    (inbox / "last.pcap").write_bytes(pcap_bytes(packets[third:]))
    take(engine, plan, inbox, final=True)
    found = plain(told_by_watch(engine, plan))
    assert (found - expected, expected - found) == (set(), set())
    assert expected


def test_a_state_says_what_of_its_captures_cannot_be_read(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "mon.pcap"
    path.write_bytes(pcap_bytes(put_talk().packets[:12]))
    audit_day(engine, [path], Days(tmp_path / "state"), replay_limit=0).close()
    kept = tmp_path / "state" / "begun.json"
    whole = kept.read_text(encoding="utf-8")
    assert recall(engine, tmp_path / "state").begun == whole
    kept.write_text(whole[:-1], encoding="utf-8")
    with pytest.raises(BadInputError, match=r"begun\.json: what was begun in captures cannot be read: it is damaged"):
        recall(engine, tmp_path / "state")


def test_a_state_of_before_captures_went_on_is_read(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "mon.pcap"
    path.write_bytes(pcap_bytes(put_talk().packets[:12]))
    audit_day(engine, [path], Days(tmp_path / "state"), replay_limit=0).close()
    file = tmp_path / "state" / "state.json"
    state = json.loads(file.read_text(encoding="utf-8"))
    del state["begun"]
    file.write_text(json.dumps(state | {"version": 10}), encoding="utf-8")
    (tmp_path / "state" / "begun.json").unlink()
    memory = recall(engine, tmp_path / "state")
    assert (memory.begun, memory.days) == ("", 1)
