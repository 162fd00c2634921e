"""The oracle's findings in a queue's calls that it follows one by one; these tests need no Spark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fixtures.miniatures import MINIATURES
from oracle.errors import Place
from oracle.histories.event_log import Event, LogHeader, parse_record
from oracle.mqi.definitions import QueueDefinition, define
from oracle.rules import catalogue
from spark_checks.replay import piece
from spark_checks.replay.certain import Placed, certain_calls
from spark_checks.replay.circumstances import Circumstances
from spark_checks.replay.departures import RESTARTED
from spark_checks.replay.piece import CROWDED, OF_CONNECTIONS, OVERLAP, PieceResult, follow_piece
from spark_checks.replay.rest import LOOKED_AT, Rest
from tests.oracle.test_replay_log import ALIAS, BY_DEFAULT, START, log_of
from tests.spark_checks.oracle_traffic import Traffic, queues

Row = dict[str, Any]
HERE = Place("a test")
CERTAIN = Circumstances(LogHeader(complete=True), QueueDefinition(name="Q"), reports_possible=False)


def calls_of(history: str) -> list[Row]:
    """Return the records of what the model does with a history in the notation, without headers."""
    return [row for row in log_of(START + history) if "call" in row]


def bounds(events: Sequence[Event]) -> dict[tuple[str, int], tuple[int, int]]:
    """Return by connection and seq between which times a call took effect, as its connection's own order tells."""
    found = {}
    for conn in {event.conn for event in events}:
        own = sorted((event for event in events if event.conn == conn), key=lambda event: event.seq)
        late = list(accumulate((event.start_us for event in own), max))
        early = list(accumulate((event.end_us for event in reversed(own)), min))[::-1]
        for event, lo, hi in zip(own, late, early, strict=True):
            found[conn, event.seq] = min(lo, hi), max(lo, hi)
    return found


def placed(rows: Sequence[Row], queue: str = "Q", clock_us: int = 0) -> list[Placed]:
    """Return the records that concern a queue with their bounds and cuts, as the audit finds them."""
    events = [event for event in (parse_record(row, HERE) for row in rows) if isinstance(event, Event)]
    bounded = bounds(events)
    since = {event.conn: event.start_us for event in reversed(events)}
    last = {event.conn: bounded[event.conn, event.seq][0] for event in sorted(events, key=lambda event: event.seq)}
    users = {event.conn for event in events if event.queue == queue}
    concerned = [each for each in events if each.queue == queue or (each.call in OF_CONNECTIONS and each.conn in users)]
    rest, found = Rest("distributed", 2 * clock_us), []
    for event in sorted(concerned, key=lambda event: (bounded[event.conn, event.seq][0], event.conn, event.seq)):
        lo, hi = bounded[event.conn, event.seq]
        looked_at = {name: getattr(event, name, None) for name in LOOKED_AT} | {"lo": lo, "hi": hi}
        cut = rest.since_us is not None and rest.since_us <= lo
        rest.note(looked_at)
        found.append(Placed(event, lo, hi, since[event.conn], last[event.conn], cut))
    return found


def followed(rows: Sequence[Row], circumstances: Circumstances = CERTAIN) -> PieceResult:
    return follow_piece([], placed(rows), circumstances)


def said(result: PieceResult) -> list[tuple[str, int, str | None]]:
    """Return of each finding the rule, the number of calls that prove it, and the doubt."""
    return [(finding.rule, len(finding.calls), finding.doubt) for finding in result.findings]


def test_what_the_oracle_did_is_followed_without_a_finding() -> None:
    result = followed(calls_of("put h m1; put h m2 SYNCPOINT; get g; cmit; get g SYNCPOINT; cmit B; get g"))
    assert (said(result), result.followed, dict(result.not_followed)) == ([], 7, {})
    assert result.rules["DLV-05"] == 3


def test_consumers_are_followed_and_leave_a_queue_at_rest() -> None:
    rows = calls_of("put h m1; put h m2; get g; get g; put h m3; get h")
    for row in rows:
        if row["call"] == "MQGET" and row["conn"] == "B":
            row["call"] = "CALLBACK"
    result = followed(rows)
    assert (said(result), dict(result.not_followed)) == ([], {})
    assert placed(rows)[-1].cut is False
    assert placed(rows)[-2].cut is True


def test_calls_by_the_name_of_an_alias_are_judged_by_its_definition() -> None:
    rows = [row for row in log_of(f"{START}{BY_DEFAULT} get g; get g; get g", alias=ALIAS) if "call" in row]
    alias = define(QueueDefinition, {"name": "ALIAS", "type": "alias", "target": "Q", **ALIAS})
    circumstances = replace(CERTAIN, aliases=(alias,))
    result = followed(rows, circumstances)
    assert (said(result), dict(result.not_followed)) == ([], {})
    rows[-3]["msg_id"], rows[-2]["msg_id"] = rows[-2]["msg_id"], rows[-3]["msg_id"]
    assert [rule for rule, *_ in said(followed(rows, circumstances))] == ["PRI-03"]
    assert followed(rows).not_followed


def test_calls_beside_too_many_connections_are_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = calls_of("put h m1; get g; i = C.open Q OUTPUT; put i m2; get g; close i; disc C; put h m3; get h")
    assert not followed(calls).not_followed
    monkeypatch.setattr(piece, "MOST_CONNECTIONS", 2)
    result = followed(calls)
    assert result.not_followed[CROWDED] > 0
    assert result.followed > 2
    assert said(result) == []


def test_a_departure_names_the_calls_that_prove_it_and_the_replay_begins_anew() -> None:
    rows = calls_of("put h m1; get g; put h m2; put h m3; get g; get g; put h m4; get g; get g")
    assert said(followed(rows)) == []
    second, third = rows[-5], rows[-4]
    for name in ("msg_id", "digest", "length"):
        second[name], third[name] = third[name], second[name]
    result = followed(rows)
    assert said(result) == [("PRI-03", 3, None)]
    assert [call.call for call in result.findings[0].calls] == ["MQPUT", "MQPUT", "MQGET"]
    assert result.followed == 10
    assert sum(result.not_followed.values()) == 1


def test_what_departs_only_if_the_queue_manager_ran_throughout_is_in_doubt_unless_it_surely_did() -> None:
    rows = calls_of("put h m1 Persistence=0; get g")
    rows[-1].update(comp_code=2, reason=2033, msg_id=None)
    assert said(followed(rows)) == [("DLV-05", 2, None)]
    first, *others, last = rows
    late = [row for row in others if row["conn"] == "B"]
    for number, row in enumerate(late):
        row["start_us"] = row["end_us"] = last["start_us"] - 9 + number
    early = [row for row in others if row["conn"] == "A"]
    assert said(followed([first, *early, *late, last])) == [("DLV-05", 2, RESTARTED)]


@pytest.mark.parametrize(
    ("history", "reason", "rule"),
    [
        ("put h m1; get g", 2033, "DLV-05"),
        ("put h m1; put h m2; get g; get g", 2033, "DLV-05"),
        ("put h m1; put h m2; get g BROWSE_FIRST; get g BROWSE_NEXT", 2033, "DLV-05"),
        ("put h m1; get g SYNCPOINT; back B; get g", 2033, "UOW-02"),
        ("put h m1; get h BROWSE_FIRST+LOCK; get h UNLOCK; get g", 2033, "LCK-15"),
        ("put h m1; get g BROWSE_FIRST; get g BROWSE_MSG_UNDER_CURSOR", 2034, "CUR-04"),
        ("put h m1; get g", 2016, "WAI-06"),
        ("put h m1; get g", 2080, "TRN-08"),
        ("put h m1; put h m2", 2053, "DEP-06"),
        ("put h m1", 2051, "PUT-09"),
    ],
)
def test_a_departure_is_told_under_a_rule_about_how_the_call_ended(history: str, reason: int, rule: str) -> None:
    rows = calls_of(history)
    rows[-1].update(comp_code=1 if reason == 2080 else 2, reason=reason)
    if rows[-1]["call"] == "MQGET" and reason != 2080:
        rows[-1]["msg_id"] = None
    (finding,) = followed(rows).findings
    assert finding.rule == rule
    assert catalogue.rule(rule).title in finding.sentence


def test_from_an_overlap_on_nothing_is_followed_until_the_queue_is_at_rest() -> None:
    rows = calls_of("put h m1; get g; put h m2; get g; put h m3; get g")
    rows[-4]["end_us"] = rows[-3]["start_us"]
    rows[-1].update(comp_code=2, reason=2033, msg_id=None)
    result = followed(rows)
    assert dict(result.not_followed) == {OVERLAP: 2}
    assert said(result) == [("DLV-05", 2, None)]


@pytest.mark.parametrize(
    ("history", "why"),
    [
        ("put h m1 Report=256 ReplyToQ=Q; get g", "the queue manager makes reports on this message"),
        ("put h m1 MsgType=112", "whether a put is refused for this Priority or MsgType is not said"),
        ("put h m1 Priority=-2", "whether a put is refused for this Priority or MsgType is not said"),
        (
            "put h m1; get h BROWSE_FIRST+UNMARK_BROWSE_HANDLE; get g",
            "a log does not hold what MQGET with BROWSE_FIRST+UNMARK_BROWSE_HANDLE rests on",
        ),
    ],
)
def test_what_the_log_does_not_hold_is_not_followed(history: str, why: str) -> None:
    result = followed(calls_of(history))
    assert said(result) == []
    assert why in result.not_followed


@pytest.mark.parametrize(
    "history",
    [
        "put h m1 Report=256 ReplyToQ=R; put h m2 Report=COD_WITH_FULL_DATA ReplyToQ=R",
        "put h m1 Format=MQSTR; put h m2",
    ],
)
@pytest.mark.parametrize("how", ["", "CONVERT CodedCharSetId=1200", "COMPLETE_MSG", "NO_PROPERTIES"])
def test_what_is_found_does_not_rest_on_reports_elsewhere_or_on_data(history: str, how: str) -> None:
    rows = calls_of(f"{history}; get g {how}; get g {how}; get g {how}")
    result = followed(rows)
    assert (said(result), dict(result.not_followed), result.followed) == ([], {}, 7)
    rows[-3]["msg_id"], rows[-2]["msg_id"] = rows[-2]["msg_id"], rows[-3]["msg_id"]
    assert [rule for rule, *_ in said(followed(rows))] == ["PRI-03"]


@pytest.mark.parametrize(("later", "found"), [(False, []), (True, ["SYN-01"])])
def test_an_application_may_die_while_another_waits(later: bool, found: list[str]) -> None:
    """Let the death of A back out what two browses wait for; with `later`, A makes one more call after that."""
    waits = "w = get g BROWSE_NEXT+WAIT WaitInterval=9000; v = get k BROWSE_NEXT+WAIT WaitInterval=9000"
    rows = calls_of(f"k = C.open Q BROWSE; put h m1; get h SYNCPOINT; advance 1s; {waits}; advance 2s; fail A")
    browse, other = rows[-2:]
    elsewhere = {"conn": "A", "seq": 9, "call": "MQOPEN", "queue": "R", "object_name": "R", "options": 2, "hobj": 9}
    at_us = browse["end_us"] + 1000 if later else browse["start_us"] + 1000
    outcome = {"qmgr": "QM1", "comp_code": 0, "reason": 0, "start_us": at_us, "end_us": at_us + 10}
    calls = placed([*rows, elsewhere | outcome])
    order = {("C", other["seq"]): ("B", browse["seq"])}
    in_order = [replace(call, after=order.get((call.event.conn, call.event.seq))) for call in calls]
    assert [rule for rule, *_ in said(follow_piece([], in_order, CERTAIN))] == found


@pytest.mark.parametrize(
    ("opened", "how", "goes_on"),
    [
        ("INPUT_SHARED", "", True),
        ("INPUT_SHARED", "SYNCPOINT+WAIT+CONVERT WaitInterval=5", True),
        ("INPUT_SHARED", "LOGICAL_ORDER", False),
        ("INPUT_SHARED+BROWSE", "", False),
    ],
)
def test_a_message_of_the_queue_managers_own_ends_no_replay(opened: str, how: str, goes_on: bool) -> None:
    rows = calls_of(f"k = C.open Q {opened}; put h r Priority=9; put h m1; put h m2; get k {how}; get g; get g")
    report = next(row for row in rows if row["call"] == "MQGET")
    rows.remove(next(row for row in rows if row["call"] == "MQPUT"))
    report["msg_type"] = 4
    result = followed(rows)
    assert said(result) == []
    left = {"the queue manager made this message, and a log does not show when": 1 if goes_on else 3}
    assert dict(result.not_followed) == left
    rows[-2]["msg_id"], rows[-1]["msg_id"] = rows[-1]["msg_id"], rows[-2]["msg_id"]
    assert bool(said(followed(rows))) is goes_on


def test_a_report_may_have_the_msg_id_of_a_message_on_its_queue() -> None:
    rows = calls_of("k = C.open Q INPUT_SHARED; put h m1; get k; get g")
    rows[-1].update(rows[-2] | {name: rows[-1][name] for name in ("conn", "seq", "hobj", "start_us", "end_us")})
    rows[-2].update(msg_type=4, feedback=260)
    assert said(followed(rows)) == []


@pytest.mark.parametrize(
    ("history", "at_rest"),
    [
        ("put h m1; get g", True),
        ("put h m1", False),
        ("put h m1 SYNCPOINT; back", True),
        ("put h m1 SYNCPOINT; cmit; get g SYNCPOINT", False),
        ("put h m1 SYNCPOINT; cmit; get g SYNCPOINT; back B", False),
        ("put h m1 SYNCPOINT; cmit; get g SYNCPOINT; cmit B", True),
        ("put h m1 SYNCPOINT; disc; get g", True),
        ("put h m1; get h BROWSE_FIRST; get g", False),
        ("put h m1; get h BROWSE_FIRST; get g; close h", True),
        ("put h m1; get h BROWSE_FIRST; get h MSG_UNDER_CURSOR; disc", True),
        ("put h m1 LOGICAL_ORDER MsgFlags=MSG_IN_GROUP; get g", False),
        ("put h m1; get g BufferLength=0", False),
        ("put h m1; get g ACCEPT_TRUNCATED_MSG BufferLength=0", True),
        ("put h m1; get g NO_PROPERTIES", True),
        ("put h m1 Format=XYZ; get g CONVERT CodedCharSetId=1200 BufferLength=1", False),
        ("put h m1; get h BROWSE_FIRST+MARK_BROWSE_HANDLE; get g", False),
        ("put h m1; get h BROWSE_FIRST+MARK_BROWSE_HANDLE; get g; close h", True),
    ],
)
def test_a_queue_is_at_rest_when_nothing_of_it_can_show_any_more(history: str, at_rest: bool) -> None:
    rows = calls_of(history + "; C.open Q INPUT_SHARED")
    assert placed(rows)[-1].cut is at_rest


def test_the_order_is_certain_until_a_call_meets_one_of_another_connection() -> None:
    rows = calls_of("put h m1; get g; put h m2; get g")
    assert certain_calls(placed(rows), 0) == len(rows)
    rows[-2]["end_us"] = rows[-1]["start_us"]
    assert certain_calls(placed(rows), 0) == len(rows) - 2
    rows[0]["end_us"] = rows[1]["end_us"] + 1
    assert rows[0]["conn"] == rows[1]["conn"]
    assert certain_calls(placed(rows), 0) == len(rows) - 2
    assert certain_calls(placed(rows), 10**6) == 0


@given(seed=st.integers(0, 2**32))
@settings(max_examples=40, deadline=None, database=None, suppress_health_check=list(HealthCheck))
def test_the_oracle_finds_nothing_in_what_it_did_itself(seed: int) -> None:
    chance = Random(seed)
    clock_us = chance.choice((0, 0, 1))
    traffic = Traffic(chance, aside=chance.random() < 0.5).run(chance.randint(5, 60), chance.randint(1, 3))
    rows = list(traffic.recorded("QM", chance.choice((0, 0, 1, 2, 20)), clock_us))
    header = LogHeader(complete=True, clock_us=clock_us)
    for definition in queues():
        result = follow_piece(
            [], placed(rows, definition.name, clock_us), Circumstances(header, definition, reports_possible=False)
        )
        assert result.findings == []


@pytest.mark.parametrize(
    "name",
    [
        "priority_ignored",
        "others_get_it_too",
        "expired_message_returned",
        "unlock_of_nothing_is_silent",
        "commit_for_all",
        "browse_sees_uncommitted",
    ],
)
def test_a_wrong_model_is_found_in_traffic_of_its_own(name: str) -> None:
    wrong = MINIATURES[name]
    found: set[str] = set()
    for seed in range(12):
        with wrong.change.applied():
            rows = list(Traffic(Random(seed)).run(60, 2).recorded("QM", 0, 0))
        for definition in queues():
            circumstances = Circumstances(CERTAIN.header, definition, reports_possible=False)
            result = follow_piece([], placed(rows, definition.name), circumstances)
            found |= {rule for finding in result.findings for rule in (finding.rule, *finding.rules[:2])}
        if found & set(wrong.rules):
            return
    raise AssertionError(found)
