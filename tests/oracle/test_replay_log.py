"""The replay of event logs: the model's calls conform, changed records depart, unclear ones are undecided."""

from __future__ import annotations

import json
import tracemalloc
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from oracle.cli import main
from oracle.errors import BadInputError, MqOracleError
from oracle.histories.event_log import PADDED, Event, to_line
from oracle.histories.history import Bindings, observed_of, with_connections
from oracle.histories.notation import parse
from oracle.histories.recording import Interval, Recorder
from oracle.model.queue_manager import new_state, outcomes
from oracle.mqi.calls import Get, MqiCall
from oracle.mqi.constants import MQPMO
from oracle.mqi.definitions import QueueDefinition, define
from oracle.mqi.unknown_effect import UNKNOWN_EFFECT
from oracle.replay import Replayed, UndecidedError, replay
from tests.spark_checks.oracle_traffic import WITH_PROPERTIES

Row = dict[str, Any]

MS = 1000
START = "h = open Q BROWSE+INPUT_SHARED+OUTPUT+INQUIRE; g = B.open Q BROWSE+INPUT_SHARED;"
HEADERS: tuple[Row, ...] = (
    {"header": "log", "version": 1, "clock_us": 0, "complete": True, "platform": "distributed"},
    {"header": "queue", "qmgr": "QM1", "queue": "Q", **QueueDefinition(name="Q").attributes()},
    {"header": "depth", "qmgr": "QM1", "queue": "Q", "at_us": 0, "depth": 0},
)


def log_of(history: str, choose: int = 0, alias: Row | None = None, **attributes: Any) -> list[Row]:
    """Return the records of a history that the model carries out; `choose` picks among the allowed outcomes.

    With `alias`, attributes of it, there is an alias ALIAS of the queue.
    """
    of_alias = [] if alias is None else [{"type": "alias", "target": "Q", **alias}]
    named = [{"name": "Q", **attributes}, *({"name": "ALIAS", **each} for each in of_alias)]
    state = new_state([define(QueueDefinition, each) for each in named])
    bindings, recorder, events = Bindings(), Recorder("QM1", {"ALIAS": "Q"}), []
    waiting: dict[int, tuple[Get, int]] = {}
    for number, line in enumerate(with_connections(parse(history)), start=1):
        call = bindings.call(line, number)
        allowed = list(outcomes(state, call))
        outcome = allowed[choose % len(allowed)]
        observed = observed_of(outcome.reply, {done.identity: done.reply for done in outcome.completed})
        bindings.bind(line, call, observed)
        begin = (state.now_ms + number) * MS
        state = outcome.state
        if observed.pending and isinstance(call, Get):
            waiting[number] = (call, begin)
        elif isinstance(call, MqiCall):
            events.append(recorder.record(call, observed, Interval(begin, begin + 10)))
        for identity, done in observed.completed.items():
            get, since = waiting.pop(identity)
            events.append(recorder.record(get, done, Interval(since, (state.now_ms + number) * MS)))
    headers = [dict(header) for header in HEADERS]
    headers[1].update(attributes)
    headers += [{"header": "queue", "qmgr": "QM1", "queue": "ALIAS", **each} for each in of_alias]
    return [*headers, *(json.loads(to_line(event)) for event in events)]


def replayed(rows: list[Row]) -> list[Replayed]:
    return list(replay("\n".join(json.dumps(row) for row in rows), "log.jsonl"))


PROPERTIES = f"Format=MQHRF2 CodedCharSetId=1208 Data={WITH_PROPERTIES}"
GROUP = "put h one MsgFlags=MSG_IN_GROUP LOGICAL_ORDER; put h two MsgFlags=LAST_MSG_IN_GROUP LOGICAL_ORDER;"

CONFORMING = [
    "put h m1 Priority=3; put h m2 Priority=5; get g; get g; get g",
    "put h m1; get h BROWSE_FIRST+LOCK; get g; get h UNLOCK; get h UNLOCK; get g",
    "put h m1 SYNCPOINT; get g; cmit; get g SYNCPOINT; back B; get h",
    "put h m1 Expiry=50; advance 9s; get g; inq h CurrentQDepth",
    "put h m1; put h m2; get g MatchOptions=MATCH_MSG_ID MsgId=@m2; get g BufferLength=1; get g ACCEPT_TRUNCATED_MSG",
    "get g WAIT WaitInterval=2000; advance 3s; put h m1; get g WAIT WaitInterval=2000",
    GROUP + "get g LOGICAL_ORDER; get g LOGICAL_ORDER; close h; close g; disc; disc B",
    "put1 Q m1; get h SYNCPOINT; disc; get g",
]


@pytest.mark.parametrize("history", CONFORMING)
@pytest.mark.parametrize("choose", [0, 1])
def test_what_the_model_does_conforms(history: str, choose: int) -> None:
    steps = replayed(log_of(START + history, choose))
    departures = [(step.text, step.followed.departure.sentence) for step in steps if step.followed.departure]
    assert departures == []
    assert len(steps) > 4


calls = st.sampled_from([
    "put h m Priority=3", "put h m Expiry=20", "put h n SYNCPOINT", "get h", "get g", "get g SYNCPOINT", "cmit",
    "cmit B", "back", "back B", "get h BROWSE_FIRST+LOCK", "get h UNLOCK", "get g BROWSE_NEXT", "advance 3s",
    "inq h CurrentQDepth", "get h WAIT WaitInterval=100; advance 5s", "put1 Q o", "get h BufferLength=0",
    "get h BROWSE_FIRST", "put h s MsgFlags=SEGMENT LOGICAL_ORDER", "put h t MsgFlags=LAST_SEGMENT LOGICAL_ORDER",
    "get g COMPLETE_MSG MatchOptions=0", "get h BROWSE_NEXT+COMPLETE_MSG MatchOptions=0", "put h r Format=MQSTR",
    "get g CONVERT CodedCharSetId=1200 MatchOptions=0", f"put h p {PROPERTIES}", "get g NO_PROPERTIES MatchOptions=0",
    "get h BROWSE_NEXT+MARK_BROWSE_HANDLE+UNMARKED_BROWSE_MSG MatchOptions=0",
])  # fmt: skip  # each as often as it is drawn


@given(st.lists(calls, max_size=12), st.integers(0, 3))
def test_no_history_of_the_model_departs(history: list[str], choose: int) -> None:
    rows = log_of(START + ";".join(history), choose)
    assert not any(step.departs for step in replayed(rows))


def test_clocks_that_are_nearly_right_are_enough_where_calls_lie_apart() -> None:
    rows = log_of(START + "put h m1 Expiry=50; get g WAIT WaitInterval=2000; get g WAIT WaitInterval=2000; advance 3s")
    rows[0]["clock_us"] = 400
    assert not any(step.departs for step in replayed(rows))


@pytest.mark.parametrize(
    ("later_us", "clock_us", "decided"), [(0, 0, True), (1, 0, False), (1, 1, True), (3, 1, False)]
)
def test_a_queue_that_was_empty_before_its_first_put_or_get_was_so_from_the_beginning(
    later_us: int, clock_us: int, decided: bool
) -> None:
    rows = log_of(START + "put h m1; get g")
    rows[0]["clock_us"] = clock_us
    rows[2]["at_us"] = next(row["start_us"] for row in rows if row.get("call") == "MQPUT") + later_us
    if decided:
        assert not any(step.departs for step in replayed(rows))
        return
    with pytest.raises(UndecidedError, match="was empty when the log began"):
        replayed(rows)


def test_a_log_that_goes_on_for_ages_is_refused() -> None:
    rows = log_of(START + "put h m1; get g")
    rows[-1].update(start_us=2**59, end_us=2**59)
    with pytest.raises(BadInputError, match=r"log\.jsonl:9: the clock cannot be moved beyond the year 9999"):
        replayed(rows)


def test_an_application_may_die_without_a_record() -> None:
    rows = log_of(START + "put h m1; get g SYNCPOINT; fail B; get h")
    assert not any(step.departs for step in replayed(rows))
    rows = log_of(START + "put h m1; get g SYNCPOINT; get h")
    assert not any(step.departs for step in replayed(rows))


@pytest.mark.parametrize(
    ("history", "changes", "rule"),
    [
        ("put h m1; get g", {"comp_code": 2, "reason": 2033, "msg_id": None}, "DLV-05"),
        ("put h m1; get g", {"digest": "00" * 32}, "DLV-04"),
        ("put h m1; get g", {"length": 7}, "TRN-06"),
        ("put h m1; get g", {"backout_count": 2}, "BOC-01"),
        ("put h m1; get g", {"msg_id": "ab" * 24}, "DLV-01"),
        ("put h m1; get h BROWSE_FIRST+LOCK; get h UNLOCK; get h UNLOCK", {"comp_code": 0, "reason": 0}, "LCK-17"),
        ("get g WAIT WaitInterval=5000; advance 6s", {"end_us": 1_000_000}, "WAI-01"),
    ],
)
def test_a_changed_record_departs(history: str, changes: Row, rule: str) -> None:
    rows = log_of(START + history)
    rows[-1].update(changes)
    if changes.get("reason") == 2080:
        rows[-1].update(
            {name: value for name, value in rows[-2].items() if name not in ("seq", "start_us", "end_us", *changes)}
        )
    steps = replayed(rows)
    departure = steps[-1].followed.departure
    assert departure is not None
    assert rule in departure.rules
    assert steps[-1].place.line == len(rows)


def test_a_message_out_of_order_departs() -> None:
    rows = log_of(START + "put h m1 Priority=1; put h m2 Priority=5; get g; get g")
    first, second = rows[-2], rows[-1]
    for name in ("msg_id", "digest", "priority"):
        first[name], second[name] = second[name], first[name]
    departure = replayed(rows)[-1].followed.departure
    assert departure is not None
    assert departure.rules[0] == "PRI-03"


def without(column: str, call: str) -> Any:
    def change(rows: list[Row]) -> None:
        for row in rows:
            if row.get("call") == call:
                row.pop(column, None)

    return change


def header(number: int, **changes: Any) -> Any:
    def change(rows: list[Row]) -> None:
        rows[number].update(changes)
        for name, value in changes.items():
            if value is None:
                del rows[number][name]

    return change


def last(**changes: Any) -> Any:
    return lambda rows: rows[-1].update(changes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (header(0, complete=False), "does not say that it is complete"),
        (header(1, MaxQDepth=None), "queue Q: its header does not give MaxQDepth"),
        (header(1, queue="R"), "queue Q: the log has no header"),
        (header(1, Usage="TRANSMISSION"), "transmission"),
        (header(2, depth=1), "was empty when the log began"),
        (without("priority", "MQPUT"), "MQPUT without priority"),
        (without("match_options", "MQGET"), "MQGET without match_options"),
        (without("sel_msg_id", "MQGET"), "MQGET without sel_msg_id"),
        (without("reason", "MQGET"), "MQGET without reason"),
        (without("msg_id", "MQGET"), "MQGET without msg_id"),
        (last(options=8), "rests on"),
        (last(options=16384, reason=2119, comp_code=1, buffer_length=1), "left its message on the queue"),
        (last(comp_code=2, reason=2035), "2035 NOT_AUTHORIZED rests on"),
        (last(call="MQSET"), "MQSET are not recorded"),
        (last(call="CALLBACK", options=16), "how the consumer of this CALLBACK"),
        (last(call="CALLBACK", reason=2079, comp_code=1), "how the consumer of this CALLBACK"),
        (last(conn="C"), "connection C began before the log"),
        (lambda rows: rows[4].update(object_name="ALIAS", queue="R"), "definition of ALIAS"),
        (lambda rows: rows[4].update(object_name="ALIAS"), "defaults of the alias ALIAS"),
    ],
)
def test_what_the_log_does_not_say_is_undecided(change: Any, message: str) -> None:
    rows = log_of(START + "put h m1; get g")
    change(rows)
    with pytest.raises(UndecidedError, match=message):
        replayed(rows)


def test_a_put_whose_response_is_deferred_is_undecided() -> None:
    rows = log_of(START + "put h m1; get g")
    rows[-2]["options"] = MQPMO.ASYNC_RESPONSE
    with pytest.raises(UndecidedError, match="deferred"):
        replayed(rows)


PUT = "put h m1 Priority=3 Persistence=0"


def by_alias(history: str) -> list[Row]:
    """Return the records of a history in which handle h was opened by the name of an alias, and so is each MQPUT1."""
    rows = log_of(START + history)
    for row in rows:
        if row.get("call") == "MQPUT1" or (row.get("call") == "MQOPEN" and row["conn"] == "A"):
            row["object_name"] = "ALIAS"
    return rows


@pytest.mark.parametrize(
    "history",
    [
        f"{PUT}; get g; {PUT} SYNCPOINT; cmit; get h",
        "put1 Q m1 Priority=3 Persistence=1; get h BROWSE_FIRST+LOCK; get h UNLOCK; get g; close h",
    ],
)
def test_calls_by_the_name_of_an_alias_are_calls_on_its_queue(history: str) -> None:
    steps = replayed(by_alias(history))
    assert len(steps) == len([row for row in by_alias(history) if "call" in row])
    assert not any(step.departs for step in steps)


def test_a_departure_beside_an_alias_is_found_where_the_alias_cannot_matter() -> None:
    lost = by_alias("k = B.open Q OUTPUT; put k m1; get h")
    assert not any(step.departs for step in replayed(lost))
    lost[-1].update(comp_code=2, reason=2033, msg_id=None)
    assert replayed(lost)[-1].departs


@pytest.mark.parametrize(
    ("history", "changes", "why"),
    [
        (f"{PUT}; get g", {"comp_code": 2, "reason": 2033, "msg_id": None}, "CAPEXPRY of the alias"),
        (f"{PUT}; get g", {"expiry": 100}, "CAPEXPRY of the alias"),
        (f"{PUT}; get h", {"comp_code": 2, "reason": 2016, "msg_id": None}, "definition of the alias ALIAS"),
        (PUT, {"comp_code": 2, "reason": 2051}, "definition of the alias ALIAS"),
        ("put h m1 Persistence=1", {}, "defaults of the alias ALIAS"),
        ("put1 Q m1 Priority=3", {}, "defaults of the alias ALIAS"),
    ],
)
def test_what_rests_on_the_attributes_of_an_alias_is_undecided(history: str, changes: Row, why: str) -> None:
    rows = by_alias(history)
    rows[-1].update(changes)
    with pytest.raises(UndecidedError, match=why):
        replayed(rows)


ALIAS = {"DefPriority": 5, "DefPersistence": 1, "InhibitGet": 0, "InhibitPut": 0, "CAPEXPRY": 20}
BY_DEFAULT = "k = A.open ALIAS OUTPUT; put h m1 Priority=3; put k m2 Priority=-1 Persistence=2; put h m3 Priority=3;"


@pytest.mark.parametrize("history", [f"{BY_DEFAULT} get g; get g", f"{BY_DEFAULT} advance 9s; get g; get g; get g"])
def test_an_alias_whose_definition_the_log_has_is_judged_by_it(history: str) -> None:
    rows = log_of(START + history, alias=ALIAS)
    assert not any(step.departs for step in replayed(rows))
    rows[3]["DefPriority"], rows[3]["CAPEXPRY"] = 1, 0
    assert any(step.departs for step in replayed(rows))
    del rows[3]["CAPEXPRY"]
    with pytest.raises(UndecidedError, match="defaults of the alias ALIAS"):
        replayed(rows)


def test_puts_that_an_alias_refuses_are_judged_by_its_definition() -> None:
    rows = log_of(f"{START} k = A.open ALIAS OUTPUT; put k m1", alias=ALIAS | {"InhibitPut": 1})
    assert rows[-1]["reason"] == 2051
    assert not any(step.departs for step in replayed(rows))
    rows[3]["InhibitPut"] = 0
    assert replayed(rows)[-1].departs


def test_a_report_that_is_missing_is_undecided_because_it_may_have_gone_to_another_queue_manager() -> None:
    rows = log_of(START + "put h m1 Report=COD ReplyToQ=Q; get g; get g")
    rows[-1].update(comp_code=2, reason=2033, msg_id=None)
    with pytest.raises(UndecidedError, match="ReplyToQMgr"):
        replayed(rows)


@pytest.mark.parametrize("reason", sorted(UNKNOWN_EFFECT))
@pytest.mark.parametrize("number", [0, 1])
def test_a_call_of_which_it_was_not_learnt_what_it_did_is_undecided(reason: int, number: int) -> None:
    rows = log_of(START + "put h m1; get g")
    calls = [row for row in rows if row.get("call") in ("MQPUT", "MQGET")]
    calls[number].update(comp_code=2, reason=reason)
    with pytest.raises(UndecidedError, match=r"did not learn whether this MQ(PUT|GET) took effect"):
        replayed(rows)


LONG = 104_857_600


def long_ones(number: int, **of_get: Any) -> list[Row]:
    """Return the records of messages that are as long as any may be, and are got into buffers of that size."""
    rows = log_of(START + "put h m1; get g BufferLength=9999; " * number, MaxMsgLength=LONG)
    for row in rows:
        if row.get("call") in ("MQPUT", "MQGET"):
            row.update(length=LONG, digest="ab" * 32)
        if row.get("call") == "MQGET":
            row.update({"buffer_length": 2**31 - 1, **of_get})
    return rows


def test_lengths_are_numbers_and_take_no_memory() -> None:
    rows = long_ones(40)
    tracemalloc.start()
    steps = replayed(rows)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(steps) == len(rows) - len(HEADERS)
    assert not any(step.departs for step in steps)
    assert peak < 50 * 2**20


@pytest.mark.parametrize("length", [LONG - 1, 2**31 - 1, 2**62])
def test_another_length_than_that_of_the_put_departs(length: int) -> None:
    last = replayed(long_ones(1, length=length))[-1]
    assert last.followed.departure is not None
    assert str(length) in last.followed.departure.sentence
    assert {"DLV-04", "TRN-06"} & {*last.followed.departure.rules[:2]}


def test_another_digest_of_a_long_message_departs() -> None:
    last = replayed(long_ones(1, digest="cd" * 32))[-1]
    assert last.followed.departure is not None
    assert "DLV-04" in last.followed.departure.rules


def test_a_history_puts_no_message_that_is_longer_than_any_may_be() -> None:
    with pytest.raises(BadInputError, match="no message is longer than 104857600 bytes"):
        list(replay("h = open Q OUTPUT\nput h m1 Length=3000000000\n", "history.txt"))


def test_a_replay_without_enough_memory_ends_with_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def exhausted(*_: object) -> Any:
        raise MemoryError

    monkeypatch.setattr("oracle.cli.replay", exhausted)
    path = tmp_path / "history.txt"
    path.write_text("h = open Q OUTPUT\n", encoding="utf-8")
    ended = CliRunner().invoke(main, ["replay", str(path)])
    assert ended.exit_code == 2
    assert ended.output == "mq-oracle: there is not enough memory for this input\n"


def test_what_a_record_shows_as_it_was_passed_is_no_reply() -> None:
    rows = log_of(START + "put h m1 Persistence=2; get g")
    rows[-2].update(priority=-1, persistence=2)
    assert not any(step.departs for step in replayed(rows))
    rows[-2]["msg_id"] = "00" * 24
    with pytest.raises(UndecidedError, match="without the MsgId"):
        replayed(rows)


@pytest.mark.parametrize(("name", "departs"), [("FAR", False), ("THERE", False), ("", True)])
def test_a_reply_queue_may_come_back_as_another_but_not_as_none(name: str, departs: bool) -> None:
    rows = log_of(f"{START} put h m1 ReplyToQ=FAR; get g")
    rows[-1]["reply_to_q"] = name
    assert any(step.departs for step in replayed(rows)) == departs


def test_overlapping_calls_of_two_connections_are_named() -> None:
    rows = log_of(START + "put h m1; get g")
    rows[-1]["start_us"] = rows[-2]["end_us"]
    with pytest.raises(
        UndecidedError, match=r"log.jsonl:9: .*MQGET of connection B and MQPUT of connection A at log.jsonl:8"
    ):
        replayed(rows)
    rows = log_of(START + "put h m1; get g")
    rows[0]["clock_us"] = 600
    with pytest.raises(UndecidedError, match="the order is not certain"):
        replayed(rows)


def test_records_may_stand_in_any_order() -> None:
    rows = log_of(START + "put h m1; get g; get g")
    assert not any(step.departs for step in replayed([*rows[:3], *reversed(rows[3:])]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (last(seq="one"), "log.jsonl:9: seq"),
        (last(qmgr="QM2"), "2 queue managers"),
        (last(conn="A", seq=3), "two calls with seq 3"),
        (header(1, MaxQDepth=-1), "MaxQDepth"),
    ],
)
def test_a_bad_log_is_refused(change: Any, message: str) -> None:
    rows = log_of(START + "put h m1; get g")
    change(rows)
    with pytest.raises(BadInputError, match=message):
        replayed(rows)


def test_the_command_replays_a_log_and_names_two_calls_that_overlap(tmp_path: Path) -> None:
    rows = log_of(START + "put h m1; get g")
    path = tmp_path / "log.jsonl"
    for end, code, said in ((0, 0, "6 calls, all conform"), (10**6, 2, "MQPUT of connection A")):
        rows[-2]["end_us"] += end
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        result = CliRunner().invoke(main, ["replay", str(path)])
        assert result.exit_code == code
        assert said in result.output


def test_a_log_without_calls_is_refused() -> None:
    with pytest.raises(BadInputError, match="no calls"):
        replayed(list(HEADERS))


@given(
    st.lists(
        st.tuples(
            st.integers(0, 8),
            st.sampled_from(sorted(Event.model_fields)),
            st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1), st.sampled_from(["MQGET", "ab" * 24, "", "Q"])),
        ),
        max_size=3,
    )
)
def test_no_log_breaks_a_replay(changes: list[tuple[int, str, Any]]) -> None:
    rows = log_of(START + "put h m1; get g")
    for number, column, value in changes:
        rows[number][column] = value
    with suppress(MqOracleError):
        replayed(rows)


@pytest.mark.parametrize("pad", ["   ", "\0\0\0", "\0xy"])
def test_names_may_be_padded_as_fields_of_fixed_length_hold_them(pad: str) -> None:
    rows = log_of(START + "put h m1 Format=MQSTR ReplyToQ=R; get g")
    for row in rows[3::2]:
        row.update({name: row[name] + pad for name in PADDED if row.get(name) is not None})
    rows[1]["queue"] += pad
    assert [step.followed.departure for step in replayed(rows)] == [None] * 6
    rows[-1]["format"] = "MQSTRx"
    assert any(step.departs for step in replayed(rows))


def test_a_message_handed_to_a_consumer_was_got() -> None:
    rows = log_of(START + "put h m1 Priority=3; put h m2; get g WAIT+SYNCPOINT WaitInterval=5; get g; back B; get h")
    first, second = (row for row in rows if row.get("call") == "MQGET" and row["conn"] == "B")
    for row in first, second:
        row["call"] = "CALLBACK"
        del row["buffer_length"]
    registered = {**rows[-1], "call": "MQCB", "seq": rows[-1]["seq"] + 1, "start_us": 10**6, "end_us": 10**6}
    assert not any(step.departs for step in replayed([*rows, registered]))
    first["msg_id"], second["msg_id"] = second["msg_id"], first["msg_id"]
    assert any(step.departs for step in replayed(rows))


@pytest.mark.parametrize(
    ("column", "value", "why"),
    [
        ("format", "MQXMIT  ", "the transmission header"),
        ("msg_flags", 1, "may have split this message"),
    ],
)
def test_what_a_put_may_do_besides_is_undecided(column: str, value: Any, why: str) -> None:
    rows = log_of(START + "put h m1; get g")
    rows[-2][column] = value
    with pytest.raises(UndecidedError, match=why):
        replayed(rows)


WHOLE = "put h a MsgFlags=SEGMENT LOGICAL_ORDER; put h b MsgFlags=LAST_SEGMENT LOGICAL_ORDER; put h m3;"
WITHOUT_DATA = {
    "converted": "put h m1 Format=MQSTR; put h m2; get g CONVERT CodedCharSetId=1200; get g; get g",
    "converted and cut": (
        "put h m1 Format=MQSTR; put h m2;"
        "get g CONVERT+ACCEPT_TRUNCATED_MSG CodedCharSetId=1200 BufferLength=2; get g; get g"
    ),
    "not converted": "put h m1 Format=XYZ; put h m2; get g CONVERT CodedCharSetId=1200; get g; get g",
    "properties": f"put h m1 {PROPERTIES}; put h m2; get g BROWSE_FIRST; get g NO_PROPERTIES; get g; get g",
    "properties of a queue": f"put h m1 {PROPERTIES} Priority=3; put h m2; put h m3; get g; get g; get g",
    "properties too long": f"put h m1 {PROPERTIES}; put h m2; get g NO_PROPERTIES BufferLength=1; get g; get h",
    "converted too long": (
        "put h m1 Format=MQSTR; put h m2; get g CONVERT CodedCharSetId=1200 BufferLength=1; get g; get h"
    ),
    "whole": f"{WHOLE} get g BROWSE_FIRST+COMPLETE_MSG; get g COMPLETE_MSG; get g",
    "whole and cut": f"{WHOLE} get g COMPLETE_MSG+ACCEPT_TRUNCATED_MSG BufferLength=1; get g",
    "marked": (
        "put h m1; put h m2; get g BROWSE_FIRST+MARK_BROWSE_HANDLE;get g BROWSE_FIRST+UNMARKED_BROWSE_MSG; get h; get h"
    ),
}


@pytest.mark.parametrize("history", WITHOUT_DATA.values(), ids=WITHOUT_DATA.keys())
@pytest.mark.parametrize("choose", [0, 1])
def test_gets_are_followed_whatever_becomes_of_the_data(history: str, choose: int) -> None:
    rows = log_of(START + history, choose)
    assert not any(step.departs for step in replayed(rows))
    first = next(row for row in rows if row.get("call") == "MQGET")
    last_get = next(row for row in reversed(rows) if row.get("msg_id") and row["call"] == "MQGET")
    first["msg_id"] = last_get["msg_id"]
    assert any(step.departs for step in replayed(rows))
