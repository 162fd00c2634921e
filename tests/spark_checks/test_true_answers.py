"""`mq-audit trace` and `why` say what was so: against the state of a queue manager, and in the histories found so."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from oracle.mqi.constants import MQCO, MQGMO, MQOO
from oracle.mqi.profile import PlatformName
from spark_checks.frames import Engine
from spark_checks.questions import trace as tracing
from spark_checks.questions.evidence import read_evidence
from spark_checks.questions.lives import Life
from spark_checks.questions.owners import owners
from spark_checks.questions.target import call_named
from spark_checks.questions.trace import Selection, trace
from spark_checks.questions.whereabouts import Whereabouts
from spark_checks.questions.why import Answer, why
from tests.spark_checks.histories import COMPLETE, PLAIN, QUEUE, SYNC, History, Record, ident, write_log
from tests.spark_checks.known_truth import KnownTraffic, Place, known_traffic
from tests.spark_checks.test_trace import SECOND, asked, states
from tests.spark_checks.test_why import DEFINITION, FIRST, NEXT, answer, empty_queue, said
from tests.spark_checks.wide_traffic import wide_traffic

QUEUE_MANAGERS = 25
LOCK = FIRST | MQGMO.LOCK


def cut(records: list[Record], chance: Random, form: str) -> list[Record]:
    """Return what a log has of the records that begins in the middle, or lacks some."""
    if form == "begins in the middle":
        begin = sorted(record["end_us"] for record in records)[len(records) // 3]
        return [record for record in records if record["end_us"] > begin]
    if form == "lacks calls":
        for _ in range(chance.randint(1, 4)):
            first = chance.randrange(max(1, len(records) - 5))
            del records[first : first + chance.choice((1, 1, 2, 5))]
    return records


def log_of(traffics: list[KnownTraffic], form: str, platform: PlatformName) -> list[Record]:
    log: list[Record] = [COMPLETE | {"complete": form != "lacks calls", "platform": platform}]
    for traffic in traffics:
        chance = Random(traffic.qmgr)
        width = chance.choice((0, 0, 3, 400, 2 * SECOND)) if form == "overlaps" else 0
        log += traffic.definitions(from_the_beginning=form in ("whole", "overlaps"))
        log += cut(traffic.log(width), chance, form)
    return log


def fits(said_: Whereabouts, places: list[Place]) -> bool:
    """Return whether a message is where an answer says it is."""
    name, conn = said_.queue[1] if said_.queue else None, (said_.conn or "").rpartition("/")[2]
    here = [place for place in places if place.queue == name]
    held_by = [place.message.got_by for place in here]
    others = ("several", "perhaps there", "perhaps gone")
    return {
        "there": any(not (place.dead or place.message.put_by or place.message.got_by) for place in here),
        "gone": not any(place.alive and not place.message.put_by for place in here),
        "never there": not any(place.alive for place in here),
        "held": conn in held_by,
        "uncommitted": any(place.message.put_by == conn for place in here) or "it expired" in said_.sentence,
        "locked": any(place.locked_by == conn for place in here),
        "expired": not any(place.alive for place in here),
    }.get(said_.state, said_.state in others)


def wrong_of(life: Life, traffic: KnownTraffic, ended_us: int, *, whole: bool) -> list[str]:
    """Return what an answer says of a message that is not so.

    In a whole log with exact times only the death of an application is unknown. In others, what is sure must be so.
    """
    places = list(traffic.places(traffic.at(ended_us), life.msg_id))
    known = [one for one in life.now if one.sure or (whole and (one.conn or "").rpartition("/")[2] not in traffic.died)]
    wrong = [f"{one.sentence} (sure: {one.sure})" for one in known if not fits(one, places)]
    told = {one.queue[1] for one in life.now if one.queue}
    if whole:
        wrong += [f"not told of {place.queue}" for place in places if place.alive and place.queue not in told]
    return wrong


@pytest.mark.parametrize(
    "kind",
    [("whole", "distributed"), ("overlaps", "zos"), ("begins in the middle", "distributed"), ("lacks calls", "zos")],
)
def test_where_a_message_is_said_to_be_it_is(
    engine: Engine, log_file: Path, seed: int, kind: tuple[str, PlatformName], monkeypatch: pytest.MonkeyPatch
) -> None:
    form, platform = kind
    monkeypatch.setattr(tracing, "MOST_MESSAGES", 10**6)
    kinds = (known_traffic, wide_traffic)
    made = [kinds[number % 2](str(seed), number, platform) for number in range(QUEUE_MANAGERS)]
    traffics = {traffic.qmgr: traffic for traffic in made}
    evidence = read_evidence(engine, [write_log(log_file, log_of(made, form, platform))])
    wrong: dict[tuple[str, str], list[str]] = {}
    found = trace(evidence, Selection(queues=("*",)))
    for life in found.lives:
        qmgr = life.steps[0].deed.event.qmgr
        wrong[qmgr, life.msg_id] = wrong_of(life, traffics[qmgr], found.last_us, whole=form == "whole")
    assert len(wrong) > 2 * QUEUE_MANAGERS
    assert {message: told for message, told in wrong.items() if told} == {}


def now(
    engine: Engine, path: Path, history: History, *, complete: bool = True, platform: PlatformName = "distributed"
) -> Whereabouts:
    """Return where the message `order` is at the end."""
    header: Record = {"header": "log", "platform": platform, "complete": complete}
    history = History(history.qmgr, [header, *history.records])
    (one,) = asked(engine, path, history, complete=False, msg="order").lives[0].now
    return one


def thens(engine: Engine, path: Path, history: History, *, complete: bool = True) -> list[str]:
    """Return the consequences of the calls about the message `order`."""
    return [step.then for step in asked(engine, path, history, complete=complete, msg="order").lives[0].steps]


def test_what_only_its_own_connection_saw_is_not_committed(engine: Engine, log_file: Path) -> None:
    for how in (FIRST, LOCK):
        history = History("QM1")
        history.put("shop", "order", 10, 20, options=SYNC)
        history.browse("shop", "order", 30, 40, options=how, hobj=1)
        found = now(engine, log_file, history)
        assert (found.state, found.conn, found.sure) == ("uncommitted", "QM1/shop", False)
        history.browse("eye", "order", 50, 60)
        assert now(engine, log_file, history).state == "there"


def test_a_message_that_its_own_connection_locked_was_never_there_after_the_backout(
    engine: Engine, log_file: Path
) -> None:
    history = History("QM1")
    history.put("shop", "order", 10, 20, options=SYNC)
    history.browse("shop", "order", 30, 40, options=LOCK, hobj=1)
    history.backout("shop", 50, 60)
    assert states(asked(engine, log_file, history, msg="order").lives[0]) == ["never there"]


def test_a_get_ends_the_lock_of_its_message_even_if_it_is_backed_out(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    history.open("till", 1, 2, MQOO.BROWSE | MQOO.INPUT_SHARED)
    history.put("shop", "order", 10, 20)
    history.browse("till", "order", 30, 40, options=LOCK, hobj=1)
    history.get("till", "order", 50, 60, options=SYNC, hobj=1)
    history.backout("till", 70, 80)
    history.browse("till", "order", 90, 95, hobj=1)
    found = now(engine, log_file, history)
    assert (found.state, found.since_us, found.sure) == ("there", 70, True)
    assert thens(engine, log_file, history)[1] == "the lock ended when connection QM1/till, call 3, got the message"


def test_a_message_that_was_got_and_is_seen_again_is_not_held(engine: Engine, log_file: Path) -> None:
    """The application that had got it died, of which there is no record."""
    history = History("QM1")
    history.put("shop", "order", 10, 20)
    history.get("till", "order", 30, 40, options=SYNC)
    found = now(engine, log_file, history)
    assert (found.state, found.conn, found.sure) == ("held", "QM1/till", False)
    history.browse("eye", "order", 50, 60)
    found = now(engine, log_file, history)
    assert (found.state, found.since_us, found.sure) == ("there", 50, False)
    assert "connection QM1/till had got it" in found.sentence


def test_a_second_put_with_the_msg_id_that_was_backed_out_hides_the_first_one_not(
    engine: Engine, log_file: Path
) -> None:
    history = History("QM1")
    history.put("shop", "order", 10, 20)
    history.put("shop", "order", 30, 40, options=SYNC)
    history.backout("shop", 50, 60)
    found = now(engine, log_file, history)
    assert (found.state, found.since_us, found.sure) == ("there", 10, True)


def test_two_messages_with_one_msg_id_whose_calls_overlap_are_gone_if_both_were_got(
    engine: Engine, log_file: Path
) -> None:
    history = History("QM1")
    history.put("shop", "order", 30, 80)
    history.get("till", "order", 25, 90)
    history.put("mill", "order", 50, 90)
    history.get("desk", "order", 20, 95)
    assert now(engine, log_file, history).state == "gone"


def test_of_two_messages_with_one_msg_id_one_that_is_held_was_got(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    history.put("shop", "order", 10, 20)
    history.get("till", "order", 30, 40, options=SYNC)
    history.put("shop", "order", 50, 60)
    found = now(engine, log_file, history)
    assert (found.state, found.sentence.partition(" with")[0]) == ("several", "1 of 2 messages that were put to Q")
    assert "connection QM1/till got another one" in found.sentence
    history.get("desk", "order", 70, 80)
    found = now(engine, log_file, history)
    assert (found.state, found.conn) == ("held", "QM1/till")


@pytest.mark.parametrize("end", ["commit", "backout", "disconnect"])
def test_the_end_of_a_unit_of_work_is_sure_only_in_a_complete_log(engine: Engine, log_file: Path, end: str) -> None:
    for role in ("put", "get"):
        history = History("QM1")
        history.put("shop", "order", 10, 20, options=PLAIN if role == "get" else SYNC)
        if role == "get":
            history.get("shop", "order", 30, 40, options=SYNC)
        if end == "disconnect":
            history.disconnect("shop", start=50, end=60)
        else:
            getattr(history, end)("shop", 50, 60)
        assert now(engine, log_file, history).sure
        assert not now(engine, log_file, history, complete=False).sure
        told = thens(engine, log_file, history, complete=False)[-1]
        assert ("may lack an MQCMIT or MQBACK" in told) is (end == "disconnect")


def test_what_was_got_or_had_expired_before_its_commit_was_never_visible(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    history.put("shop", "order", 10, 20, options=SYNC)
    history.get("shop", "order", 30, 40)
    history.commit("shop", 50, 60)
    assert "visible" not in thens(engine, log_file, history)[0]
    history = History("QM1")
    history.put("shop", "order", 10, 20, options=SYNC, expiry=10)
    history.commit("shop", 5 * SECOND, 5 * SECOND + 10)
    assert "it had expired when MQCMIT" in thens(engine, log_file, history)[0]


def test_of_a_message_that_was_there_before_the_log_it_says_when_it_was_first_seen(
    engine: Engine, log_file: Path
) -> None:
    history = History("QM1")
    history.browse("eye", "order", 10, 20)
    history.browse("eye", "order", 30, 40)
    found = now(engine, log_file, history)
    assert (found.state, found.sure) == ("there", False)
    assert "first seen there at 1970-01-01 00:00:00.000010" in found.sentence


def test_a_message_from_before_the_log_stands_before_those_that_came_later(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    history.header("queue", **DEFINITION)
    history.put("shop", "order", 10, 20)
    history.get("till", "elder", 30, 40)
    told = said(answer(engine, log_file, history))
    assert "and suited" not in told
    assert "the log does not show its put" in told


def _of_group(history: History, name: str, seq: int, at: int, **columns: Any) -> None:
    group: Record = {"group_id": ident("group"), "msg_seq_number": seq, "msg_flags": 8, "offset": 0}
    history.put("shop", name, at, at + 5, **(group | columns))


@pytest.mark.parametrize("kind", ["group", "cursor", "marks"])
def test_what_a_handle_had_done_before_the_log_is_not_known(engine: Engine, log_file: Path, kind: str) -> None:
    options = {
        "group": MQGMO.LOGICAL_ORDER,
        "cursor": NEXT,
        "marks": FIRST | MQGMO.UNMARKED_BROWSE_MSG,
    }[kind]
    history = empty_queue()
    if kind == "group":
        _of_group(history, "second", 2, 10)
        history.put("shop", "order", 20, 25, priority=9)
        taken: Record = {"group_id": ident("group"), "msg_seq_number": 2, "msg_flags": 8}
        history.get("till", "second", 30, 40, hobj=1, options=options, **taken)
        told = "in which group it was"
    else:
        history.put("shop", "order", 10, 15)
        history.nothing("till", 30, 40, hobj=1, options=options)
        told = "where its browse cursor was" if kind == "cursor" else "which messages it had marked"
    assert told in said(answer(engine, log_file, history))
    doubts = [doubt for each in answer(engine, log_file, history).messages for doubt in each.doubts]
    assert [told in doubt for doubt in doubts] == [True]


@pytest.mark.parametrize(("reason", "options"), [(2034, MQGMO.MSG_UNDER_CURSOR), (2209, MQGMO.UNLOCK)])
def test_that_a_handle_had_browsed_or_locked_nothing_needs_its_open(
    engine: Engine, log_file: Path, reason: int, options: int
) -> None:
    for opened in (True, False):
        history = History("QM1")
        if opened:
            history.open("till", 1, 2, MQOO.BROWSE | MQOO.INPUT_SHARED)
        code = {"comp_code": 1} if reason == 2209 else {}
        history.nothing("till", 10, 20, hobj=1, options=options, reason=reason, **code)
        assert ("not known" in said(answer(engine, log_file, history))) is not opened


def test_a_message_that_its_connection_put_only_later_was_not_there(engine: Engine, log_file: Path) -> None:
    history = empty_queue()
    history.nothing("till", 10, 90)
    history.put("till", "order", 40, 95, options=SYNC)
    found = answer_to(engine, log_file, history, 1)
    assert found.messages == []


@pytest.mark.parametrize("options", [PLAIN, SYNC])
def test_what_may_not_have_been_put_yet_is_in_doubt(engine: Engine, log_file: Path, options: int) -> None:
    history = empty_queue()
    history.nothing("till", 10, 90)
    history.put("shop", "order", 40, 95, options=options)
    history.commit("shop", 200, 210)
    (message,) = answer(engine, log_file, history).messages
    assert "its put by connection QM1/shop was under way at the same time" in message.doubts


def test_of_puts_that_overlap_none_is_known_to_come_first(engine: Engine, log_file: Path) -> None:
    history = empty_queue()
    history.put("shop", "order", 10, 50)
    history.put("mill", "other", 20, 40)
    history.get("till", "other", 60, 70)
    assert "and suited" not in said(answer(engine, log_file, history))
    history = empty_queue()
    history.put("shop", "order", 10, 50)
    history.put("shop", "other", 10, 50)
    history.get("till", "order", 60, 70)
    assert "stood first of all" in said(answer(engine, log_file, history))
    history.get("desk", "other", 45, 70)
    assert "stood first of all" in said(answer(engine, log_file, history))


def test_a_call_that_the_log_lacks_may_have_got_what_no_later_call_shows(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    history.put("shop", "order", 10, 20)
    history.nothing("till", 30, 40)
    assert answer_to(engine, log_file, history, 1, complete=False).messages[0].doubts
    history.get("desk", "order", 50, 60)
    assert not answer_to(engine, log_file, history, 1, complete=False).messages[0].doubts


@pytest.mark.parametrize("lacking", ["selection", "group of the last", "group"])
def test_what_a_get_goes_by_and_was_not_captured_is_a_doubt(engine: Engine, log_file: Path, lacking: str) -> None:
    history = empty_queue()
    history.open("till", 1, 2, MQOO.BROWSE | MQOO.INPUT_SHARED)
    if lacking == "group of the last":
        history.get("till", "elder", 3, 4, hobj=1, msg_flags=None)
    history.put("shop", "order", 10, 20, msg_flags=None if lacking == "group" else 0)
    asks = PLAIN if lacking == "selection" else PLAIN | MQGMO.LOGICAL_ORDER
    history.nothing("till", 30, 40, hobj=1, options=asks, match_options=None if lacking == "selection" else 0)
    told = said(answer(engine, log_file, history))
    assert "may have suited, but" in told
    assert "not captured" in told


def answer_to(engine: Engine, path: Path, history: History, seq: int, *, complete: bool = True) -> Answer:
    """Ask about a call of the connection `till`."""
    records = [{"header": "log", "complete": complete}, *history.records]
    evidence = read_evidence(engine, [write_log(path, records)])
    return why(evidence, call_named(f"QM1/till:{seq}", evidence), 0)


@pytest.mark.parametrize(
    ("platform", "end", "state"),
    [("zos", None, "held"), ("zos", "commit", "gone"), ("zos", "backout", "there"), ("distributed", None, "there")],
)
def test_a_message_that_skips_a_backout_is_held_on_zos_alone(
    engine: Engine, log_file: Path, platform: PlatformName, end: str | None, state: str
) -> None:
    history = History("QM1")
    history.put("shop", "order", 10, 20)
    history.get("till", "order", 30, 40, options=SYNC | MQGMO.MARK_SKIP_BACKOUT)
    history.backout("till", 50, 60)
    if end is not None:
        getattr(history, end)("till", 90, 100)
    found = now(engine, log_file, history, platform=platform)
    assert found.state == state
    assert ("one of z/OS" in found.sentence) is (platform == "distributed")


@pytest.mark.parametrize("how", ["deleted", "made by a model", "named by an alias", "unknown object"])
def test_a_message_is_gone_with_its_queue(engine: Engine, log_file: Path, how: str) -> None:
    history = History("QM1")
    if how == "named by an alias":
        history.put("mill", "elder", 1, 2)
        history.get("mill", "elder", 3, 4)
    history.open("shop", 5, 6, MQOO.OUTPUT, object_name=QUEUE if how == "unknown object" else "M")
    history.put("shop", "order", 10, 20, object_name=QUEUE, hobj=1, persistence=0)
    if how == "unknown object":
        failed: Record = {"comp_code": 2, "reason": 2085, "hobj": None, "queue": None}
        history.open("till", 30, 40, MQOO.INPUT_SHARED, **failed)
    else:
        options = MQCO.DELETE_PURGE if how == "deleted" else MQCO.NONE
        history.call("shop", "MQCLOSE", 30, 40, queue=QUEUE, hobj=1, options=int(options))
    found = now(engine, log_file, history)
    expected = {"deleted": "gone", "unknown object": "gone", "made by a model": "perhaps gone"}
    assert found.state == expected.get(how, "there")
    assert found.sure is (found.state == "gone")
    assert ("deleted" in found.sentence) is (found.state != "there")


@pytest.mark.parametrize(
    ("how", "sure"),
    [("unknown", False), ("temporary", False), ("defined", True), ("persistent", True), ("made by a model", True)],
)
def test_a_queue_that_was_made_before_the_log_may_have_ended_unseen(
    engine: Engine, log_file: Path, how: str, sure: bool
) -> None:
    history = History("QM1")
    kind = {"temporary": "TEMPORARY_DYNAMIC", "defined": "PREDEFINED"}.get(how)
    if kind is not None:
        history.header("queue", DefinitionType=kind)
    if how == "made by a model":
        history.open("shop", 5, 6, MQOO.OUTPUT, object_name="M")
    history.put("shop", "order", 10, 20, persistence=int(how == "persistent"))
    found = now(engine, log_file, history)
    assert (found.state, found.sure) == ("there", sure)
    assert ("made before the log" in found.sentence) is not sure


@pytest.mark.parametrize("by", ["shop", "mill"])
def test_what_its_putter_got_and_skipped_the_backout_of_is_not_said_held(
    engine: Engine, log_file: Path, by: str
) -> None:
    history = History("QM1")
    history.put("shop", "order", 10, 20, options=SYNC if by == "shop" else PLAIN)
    history.get("shop", "order", 30, 40, options=SYNC | MQGMO.MARK_SKIP_BACKOUT)
    history.backout("shop", 50, 60)
    log: Record = {**COMPLETE, "platform": "zos"}
    found = owners(read_evidence(engine, [write_log(log_file, [log, *history.records])]))
    assert [unit.gets for unit in found.units] == ([] if by == "shop" else [1])
    assert any("MARK_SKIP_BACKOUT" in hint for hint in found.hints) is (by == "shop")


@pytest.mark.parametrize("complete", [True, False])
def test_what_a_log_that_lacks_calls_shows_as_held_may_have_ended(
    engine: Engine, log_file: Path, complete: bool
) -> None:
    history = History("QM1")
    history.put("shop", "order", 10, 20, options=SYNC)
    log: Record = {**COMPLETE, "complete": complete}
    found = owners(read_evidence(engine, [write_log(log_file, [log, *history.records])]))
    assert len(found.units) == 1
    assert any("a call that the log lacks" in hint for hint in found.hints) is not complete


def test_a_signal_is_no_message_that_was_got(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    signal = SYNC | MQGMO.SET_SIGNAL
    history.call("till", "MQGET", 10, 20, queue="QUEUE", options=int(signal), comp_code=1, reason=2070)
    found = owners(read_evidence(engine, [write_log(log_file, [COMPLETE, *history.records])]))
    assert found.units == ()
    assert [use.gets for use in found.uses] == [0]
