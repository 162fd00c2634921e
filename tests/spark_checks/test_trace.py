"""`mq-audit trace`: the lives of messages, however they are asked for, with and without an index."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from oracle.errors import UsageError
from oracle.mqi.constants import MQGMO, MQRO
from spark_checks.cli import main
from spark_checks.frames import Engine
from spark_checks.questions.evidence import Evidence, read_evidence
from spark_checks.questions.identifiers import Wanted, shown_id
from spark_checks.questions.index import INDEX, indexed
from spark_checks.questions.lives import EITHER, Life
from spark_checks.questions.trace import MOST_MESSAGES, Selection, Trace, document_of, trace
from spark_checks.questions.trace_page import page_of
from spark_checks.readers.detect import Format
from tests.html_page import Page
from tests.spark_checks.histories import PLAIN, QUEUE, SYNC, History, ident, write_log

HEADER = {"header": "log", "complete": True}
SECOND = 1_000_000


def asked(engine: Engine, path: Path, history: History, *, complete: bool = True, **selection: Any) -> Trace:
    records = [*([HEADER] if complete else []), *history.records]
    kinds: dict[str, Any] = {
        f"{kind}s": ((Wanted.of(value),) if kind in ("msg", "group") else (value,)) for kind, value in selection.items()
    }
    return trace(read_evidence(engine, [write_log(path, records)]), Selection(**kinds))


def whats(life: Life) -> list[tuple[str, str | None]]:
    return [(step.what.partition(" (")[0], step.deed.event.queue) for step in life.steps]


def states(life: Life) -> list[str]:
    return [each.state for each in life.now]


def test_a_message_that_is_backed_out_and_moved_on_is_followed_to_the_other_queue(
    engine: Engine, log_file: Path
) -> None:
    history = History("QM1")
    history.put("shop", "order", 10, 20, options=SYNC)
    history.commit("shop", 30, 40)
    history.browse("eye", "order", 50, 55)
    history.get("till", "order", 60, 70, options=SYNC)
    history.backout("till", 80, 90)
    history.get("till", "order", 100, 110, options=SYNC, backout_count=1)
    history.put("till", "order", 120, 130, options=SYNC, queue="Q.BACKOUT", object_name="Q.BACKOUT")
    history.commit("till", 140, 150)
    (life,) = asked(engine, log_file, history, msg="order").lives
    assert whats(life) == [("put", "Q"), ("browsed", "Q"), ("got", "Q"), ("got", "Q"), ("put", "Q.BACKOUT")]
    thens = [step.then for step in life.steps]
    assert "visible since MQCMIT" in thens[0]
    assert "backed out by MQBACK" in thens[2]
    assert "removed for good by MQCMIT" in thens[3]
    assert (states(life), life.now[0].queue, life.now[0].sure) == (["there"], ("QM1", "Q.BACKOUT"), True)


def test_a_get_that_waited_for_a_message_comes_behind_its_put(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    history.get("till", "order", 10, 60, options=PLAIN | MQGMO.WAIT, wait_ms=SECOND)
    history.put("shop", "order", 50, 55, expiry=1)
    history.nothing("till", 2 * SECOND, 2 * SECOND + 5)
    (life,) = asked(engine, log_file, history, msg="order").lives
    assert [(step.kind, step.unsure) for step in life.steps] == [("put", None), ("get", None)]
    assert (states(life), life.now[0].since_us) == (["gone"], 60)


def test_of_several_messages_with_one_msg_id_some_are_left(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    for start in (10, 20, 30):
        history.put("shop", "order", start, start + 5)
    history.get("till", "order", 60, 70)
    (life,) = asked(engine, log_file, history, msg="order").lives
    assert states(life) == ["several"]
    assert life.now[0].sentence == "2 of 3 messages that were put to Q with this MsgId were not got"


def test_a_message_that_was_put_again_under_its_msg_id_lives_as_long_as_the_last_put_says(
    engine: Engine, log_file: Path
) -> None:
    history = History("QM1")
    history.put("shop", "order", 10, 15, expiry=1)
    history.get("till", "order", 20, 25, expiry=1)
    history.put("till", "order", 30, 35)
    history.nothing("desk", 2 * SECOND, 2 * SECOND + 5, match_options=1, sel_msg_id=ident("other"))
    (life,) = asked(engine, log_file, history, msg="order").lives
    assert (states(life), life.now[0].since_us) == (["there"], 30)


def test_a_message_without_data_is_not_said_to_have_moved_on(engine: Engine, log_file: Path) -> None:
    empty = sha256(b"").hexdigest()
    history = History("QM1")
    history.put("shop", "order", 10, 15, digest=empty, length=0)
    history.get("till", "order", 20, 25, digest=empty, length=0)
    history.put("till", "other", 30, 35, digest=empty, length=0)
    assert len(asked(engine, log_file, history, msg="order").lives) == 1


def test_a_report_lacks_no_put(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    history.put("shop", "order", 10, 15, report=MQRO.COA, reply_to_q=QUEUE)
    history.get("till", "told", 20, 25, msg_type=4, feedback=259, correl_id=ident("order"))
    found = asked(engine, log_file, history, msg="order")
    assert [life.relation.partition(" on")[0] for life in found.lives] == ["asked for", "a report"]
    assert not any("lacks the puts" in hint for hint in found.hints)


def test_a_message_in_an_open_unit_of_work_is_held_by_its_connection_since_then(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    history.put("shop", "order", 10, 20)
    history.get("till", "order", 60, 70, options=SYNC)
    (life,) = asked(engine, log_file, history, msg="order").lives
    assert (states(life), life.now[0].conn, life.now[0].since_us) == (["held"], "QM1/till", 60)


def test_of_a_put_whose_unit_has_no_end_nobody_else_sees_the_message(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    history.put("shop", "order", 10, 20, options=SYNC)
    history.nothing("till", 60, 70)
    (life,) = asked(engine, log_file, history, msg="order").lives
    assert states(life) == ["uncommitted"]
    assert "nobody else sees it" in life.steps[0].then


@pytest.mark.parametrize("ended", ["never", "by a backout", "by MQDISC"])
def test_of_a_put_whose_message_was_got_before_its_unit_ended_the_log_lacks_the_end(
    engine: Engine, log_file: Path, ended: str
) -> None:
    history = History("QM1")
    history.put("shop", "order", 10, 20, options=SYNC)
    history.get("till", "order", 60, 70)
    if ended == "by a backout":
        history.backout("shop", 80, 90)
    if ended == "by MQDISC":
        history.disconnect("shop", start=80, end=90)
    (life,) = asked(engine, log_file, history, complete=False, msg="order").lives
    assert life.steps[0].then == "in a unit of work; the log lacks the call that ended it"
    assert states(life) == ["gone"]


def test_what_nobody_got_before_its_expiry_has_expired(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    history.put("shop", "quote", 10, 20, expiry=10)
    history.put("shop", "other", 3 * SECOND, 3 * SECOND + 1)
    assert states(asked(engine, log_file, history, msg="quote").lives[0]) == ["expired"]
    assert states(asked(engine, log_file, history, msg="other").lives[0]) == ["there"]


@pytest.mark.parametrize(
    ("tenths", "state", "sure"),
    [(15, "there", True), (25, "perhaps gone", False), (35, "expired", False), (45, "expired", True)],
)
def test_near_its_expiry_a_message_may_be_there_or_gone(
    engine: Engine, log_file: Path, tenths: int, state: str, sure: bool
) -> None:
    history = History("QM1")
    history.put("shop", "quote", 10, 20, expiry=30)
    history.put("shop", "other", tenths * SECOND // 10, tenths * SECOND // 10 + 1)
    (now,) = asked(engine, log_file, history, msg="quote").lives[0].now
    assert (now.state, now.sure) == (state, sure)


def test_of_a_log_that_lacks_calls_nothing_is_sure_but_what_a_call_shows(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    history.put("shop", "kept", 10, 20)
    history.put("shop", "gone", 30, 40)
    history.get("till", "gone", 50, 60)
    kept = asked(engine, log_file, history, complete=False, msg="kept")
    assert not kept.lives[0].now[0].sure
    assert "a call that the log lacks" in kept.lives[0].now[0].sentence
    assert any('"complete":true' in hint for hint in kept.hints)
    assert asked(engine, log_file, history, complete=False, msg="gone").lives[0].now[0].sure


@pytest.mark.parametrize(("end", "unsure"), [(30, None), (45, EITHER)])
def test_lines_whose_times_overlap_are_told_to_be_in_no_certain_order(
    engine: Engine, log_file: Path, end: int, unsure: str | None
) -> None:
    history = History("QM1")
    history.put("shop", "order", 10, 20)
    history.browse("eye", "order", 25, end)
    history.browse("ear", "order", 40, 50)
    (life,) = asked(engine, log_file, history, msg="order").lives
    assert [step.unsure for step in life.steps] == [None, None, unsure]


def test_replies_reports_and_what_was_put_again_under_another_name_are_told_too(engine: Engine, log_file: Path) -> None:
    history, payload = History("QM1"), "ab" * 32
    history.put("shop", "order", 10, 20, digest=payload)
    history.get("till", "order", 30, 40, digest=payload)
    history.put("till", "moved", 50, 60, digest=payload, queue="Q.DEAD", format="MQDEAD")
    history.put("till", "reply", 70, 80, correl_id=ident("order"), msg_type=2, queue="R")
    history.get("shop", "reply", 90, 95, correl_id=ident("order"), msg_type=2, queue="R")
    history.put("QM1", "report", 96, 97, correl_id=ident("order"), msg_type=4, feedback=260, queue="R")
    history.put("other", "stranger", 98, 99, digest=payload)
    lives = asked(engine, log_file, history, msg="order").lives
    assert [(life.msg_id, life.relation) for life in lives] == [
        (ident("order"), "asked for"),
        (ident("moved"), f"message {ident('order')}, moved on to Q.DEAD as a dead letter"),
        (ident("reply"), f"a reply to message {ident('order')}"),
        (ident("report"), f"a report on message {ident('order')} (feedback 260)"),
    ]
    assert whats(lives[2]) == [("put", "R"), ("got", "R")]


def test_a_locked_message_and_one_that_may_have_been_got_are_no_gone_ones(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    history.put("shop", "locked", 10, 20)
    history.put("shop", "broken", 30, 40)
    history.browse("eye", "locked", 50, 55, options=MQGMO.BROWSE_FIRST | MQGMO.LOCK, hobj=1)
    history.get("till", "broken", 60, 70, comp_code=2, reason=2009)
    history.nothing("last", 80, 90)
    assert states(asked(engine, log_file, history, msg="locked").lives[0]) == ["locked"]
    assert states(asked(engine, log_file, history, msg="broken").lives[0]) == ["perhaps gone"]


def _unsure(name: str) -> History:
    """Return a history that does not show what may have taken a message away."""
    history = History("QM1")
    if name == "CAPEXPRY of the queue":
        history.header("queue", CAPEXPRY=10)
    alias = "ALIAS" if name == "CAPEXPRY of ALIAS" else QUEUE
    history.put("shop", "order", 10, 20, object_name=alias)
    if name == "may have taken it":
        history.nothing("till", 60, 70, reason=2009)
    history.nothing("last", 5 * SECOND, 5 * SECOND + 1)
    return history


@pytest.mark.parametrize("name", ["may have taken it", "CAPEXPRY of the queue", "CAPEXPRY of ALIAS", "nothing"])
def test_a_message_is_not_surely_there_if_something_that_no_call_shows_may_have_taken_it(
    engine: Engine, log_file: Path, name: str
) -> None:
    (now,) = asked(engine, log_file, _unsure(name), msg="order").lives[0].now
    assert (now.state, now.sure) == ("there", name == "nothing")
    assert name == "nothing" or name in now.sentence


def test_a_put_whose_commit_did_not_tell_is_not_said_to_have_no_end(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    history.put("shop", "order", 10, 20, options=SYNC)
    history.commit("shop", 30, 40, comp_code=2, reason=2009)
    history.nothing("last", 50, 60)
    (now,) = asked(engine, log_file, history, msg="order").lives[0].now
    assert (now.state, now.sure) == ("uncommitted", False)
    assert "how MQCMIT, call 2, ended its unit of work is not known" in now.sentence


def test_a_locked_message_expires_like_any_other(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    history.put("shop", "quote", 10, 20, expiry=10)
    history.browse("eye", "quote", 50, 55, options=MQGMO.BROWSE_FIRST | MQGMO.LOCK, hobj=1, expiry=10)
    history.nothing("last", 5 * SECOND, 5 * SECOND + 1)
    assert states(asked(engine, log_file, history, msg="quote").lives[0]) == ["expired"]


def test_a_get_that_asked_for_the_message_in_vain_is_part_of_its_life(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    history.nothing("till", 10, 20, match_options=1, sel_msg_id=ident("order"))
    history.put("shop", "order", 30, 40)
    (life,) = asked(engine, log_file, history, msg="order").lives
    assert whats(life) == [("asked for by its MsgId, not returned", "Q"), ("put", "Q")]


@pytest.mark.parametrize(
    "given",
    [
        ident("order"),
        ident("order").upper(),
        ident("order").rstrip("0"),
        f"ID:{ident('order')}",
        f"X'{ident('order')}'",
        "order",
    ],
)
def test_an_identifier_may_be_given_as_people_have_it(engine: Engine, log_file: Path, given: str) -> None:
    history = History("QM1")
    history.put("shop", "order", 10, 20)
    history.put("shop", "other", 30, 40)
    assert [life.msg_id for life in asked(engine, log_file, history, msg=given).lives] == [ident("order")]


def test_the_end_of_an_identifier_does_as_reports_print_it(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    history.put("shop", "order", 10, 20, msg_id="41" * 18 + "0123456789ab")
    history.put("shop", "other", 30, 40, msg_id="41" * 18 + "0123456789ac")
    found = asked(engine, log_file, history, msg="...0123456789AB")
    assert [life.first_us for life in found.lives] == [10]


@pytest.mark.parametrize("given", ["", "...12", "ID:xyz", "a text that is longer than twenty-four bytes"])
def test_what_is_no_identifier_is_refused(given: str) -> None:
    with pytest.raises(UsageError):
        Wanted.of(given)


def test_an_identifier_that_is_text_is_shown_as_text_too() -> None:
    assert shown_id(ident("order")) == f"{ident('order')} (order)"
    assert shown_id("ff" * 24) == "ff" * 24


def test_all_messages_of_a_queue_a_connection_a_group_and_a_payload_can_be_asked_for(
    engine: Engine, log_file: Path
) -> None:
    history = History("QM1")
    history.put("shop", "one", 10, 20, queue="Q.ONE", group_id=ident("g"))
    history.put("shop", "two", 30, 40, queue="Q.TWO", digest="cd" * 32)
    history.put("mill", "six", 50, 60, queue="Q.TWO")
    cases: tuple[tuple[dict[str, Any], list[str]], ...] = (
        ({"queue": "Q.*"}, ["one", "two", "six"]),
        ({"queue": "Q.TWO"}, ["two", "six"]),
        ({"queue": "Q.TWO", "conn": "*/mill"}, ["six"]),
        ({"conn": "QM1/shop"}, ["one", "two"]),
        ({"group": "g"}, ["one"]),
        ({"digest": "CD" * 32}, ["two"]),
        ({"msg": "one", "queue": "Q.TWO"}, []),
        ({"queue": "NONE"}, []),
    )
    for selection, names in cases:
        found = asked(engine, log_file, history, **selection)
        assert [life.msg_id for life in found.lives] == [ident(name) for name in names], selection


def test_of_many_messages_the_first_are_told_and_the_others_counted(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    for number in range(MOST_MESSAGES + 3):
        history.put("shop", f"m{number}", 10 * number, 10 * number + 5)
    found = asked(engine, log_file, history, queue="Q")
    assert (len(found.lives), found.left_out) == (MOST_MESSAGES, 3)
    assert found.lives[0].msg_id == ident("m0")


def test_a_message_that_no_call_shows_is_said_to_be_elsewhere_with_what_would_show_it(
    engine: Engine, log_file: Path
) -> None:
    history = History("QM1")
    history.put("shop", "order", 10, 20)
    found = asked(engine, log_file, history, msg="missing")
    assert found.lives == ()
    assert "before the log began" in found.hints[0]


def test_of_a_log_without_identifiers_it_says_which_setting_captures_them(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    history.put("shop", "order", 10, 20, msg_id=None)
    log = read_evidence(engine, [write_log(log_file, history.records)])
    evidence = replace(log, formats=frozenset({Format.TRACE_JSON}))
    found = trace(evidence, Selection(queues=("Q",)))
    assert found.lives == ()
    assert any("TraceLevel=MEDIUM" in hint for hint in found.hints)


def test_an_index_answers_as_the_log_does_until_the_inputs_change(engine: Engine, tmp_path: Path) -> None:
    history = History("QM1")
    history.put("shop", "order", 10, 20, options=SYNC, correl_id=ident("c"), digest="ab" * 32)
    history.commit("shop", 30, 40)
    log, index = write_log(tmp_path / "log.jsonl", [HEADER, *history.records]), tmp_path / "index"

    def answers(evidence: Evidence) -> list[Any]:
        kinds = (
            {"msgs": (Wanted.of("order"),)},
            {"msgs": (Wanted.of("c"),)},
            {"digests": ("ab" * 32,)},
            {"queues": ("Q",)},
        )
        return [document_of(trace(evidence, Selection(**kind))) for kind in kinds]

    first, was_there = indexed(engine, [log], index)
    assert not was_there
    again, was_there = indexed(engine, [log], index)
    assert was_there
    direct = answers(read_evidence(engine, [log]))
    assert answers(first) == answers(again) == direct
    assert len(direct[0]["messages"]) == 1
    history.get("till", "order", 50, 60)
    write_log(log, [HEADER, *history.records])
    changed, was_there = indexed(engine, [log], index)
    assert not was_there
    assert answers(changed) == answers(read_evidence(engine, [log])) != direct


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_the_command_prints_json_and_writes_a_page_that_needs_nothing_else(tmp_path: Path) -> None:
    history = History("QM1")
    history.put("<shop>", "order", 10, 20)
    history.get("till", "order", 30, 40)
    log, page = write_log(tmp_path / "log.jsonl", [HEADER, *history.records]), tmp_path / "trace.html"
    result = run("trace", log, "--msg", "order", "--json", "--html", page)
    assert result.exit_code == 0, result.output
    (message,) = json.loads(result.output)["messages"]
    assert [step["call"] for step in message["steps"]] == ["MQPUT", "MQGET"]
    assert message["now"][0]["state"] == "gone"
    text = page.read_text()
    assert "<shop>" not in text
    assert "QM1/&lt;shop&gt;" in text
    assert "http" not in text
    assert text.count("<svg") == 2
    assert Page(text)


def test_the_picture_has_a_lane_for_each_connection_and_queue_and_an_arrow_for_each_call(
    engine: Engine, log_file: Path
) -> None:
    history = History("QM1")
    history.put("shop", "order", 10, 20)
    history.get("till", "order", 30, 40)
    text = page_of(asked(engine, log_file, history, msg="order"))
    assert text.count('class="lane') == 2 * 3
    assert text.count('class="arrow"') == 2 * 2


def test_nothing_asked_for_and_a_directory_that_is_no_index_are_refused(tmp_path: Path) -> None:
    history = History("QM1")
    history.put("shop", "order", 10, 20)
    log = write_log(tmp_path / "log.jsonl", history.records)
    assert run("trace", log).exit_code == 2
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("dear")
    refused = run("trace", log, "--msg", "order", "--index", tmp_path / "other")
    assert (refused.exit_code, "letter.txt" in refused.stderr) == (2, True)


def test_a_damaged_index_is_refused_by_name(tmp_path: Path) -> None:
    history = History("QM1")
    history.put("shop", "order", 10, 20)
    log, index = write_log(tmp_path / "log.jsonl", history.records), tmp_path / "index"
    assert run("trace", log, "--msg", "order", "--index", index).exit_code == 0
    (index / INDEX).write_text("{")
    refused = run("trace", log, "--msg", "order", "--index", index)
    assert (refused.exit_code, "damaged" in refused.stderr) == (2, True)
