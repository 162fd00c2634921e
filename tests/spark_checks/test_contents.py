"""Contents of queues as dmpmqmsg and amqsbcg list them."""

from __future__ import annotations

import random
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from fixtures.side_inputs import Shown, amqsbcg, dmpmqmsg
from oracle.errors import BadInputError
from spark_checks.readers.contents import Listed, Listing
from spark_checks.readers.detect import Format, detect
from spark_checks.readers.streams import STREAMED

SAMPLES = Path(__file__).parents[3] / "shared" / "samples" / "amqsbcg"
FIRST = Shown("0a" * 24, b"first " * 11, group_id="0c" * 24, seq=1, flags=8)
LAST = Shown("0b" * 24, b"it's the last: 'X", group_id="0c" * 24, seq=2, flags=24, expiry=600, format="")
FORMS: dict[str, tuple[Format, Callable[..., str], str | None]] = {
    "dmpmqmsg": (Format.DMPMQMSG, dmpmqmsg, "QM1"),
    "amqsbcg": (Format.AMQSBCG, amqsbcg, None),
}


def listed(tmp_path: Path, text: str, form: str = "") -> tuple[list[Listed], list[Listing], list[str]]:
    """Return the messages, the listings and the errors that are read from a text."""
    path = tmp_path / "contents.txt"
    path.write_text(text, encoding="utf-8")
    source = detect(path)
    assert not form or source.format is FORMS[form][0]
    records = list(STREAMED[source.format](source))
    return (
        [record for record in records if isinstance(record, Listed)],
        [record for record in records if isinstance(record, Listing)],
        [str(record) for record in records if isinstance(record, BadInputError)],
    )


@pytest.mark.parametrize("form", FORMS)
def test_messages_have_what_the_listing_shows(tmp_path: Path, form: str) -> None:
    _, write, qmgr = FORMS[form]
    messages, listings, errors = listed(tmp_path, write("APP.QUEUE", [FIRST, LAST]), form)
    assert errors == []
    assert [(each.qmgr, each.queue, each.count, each.whole) for each in listings] == [(qmgr, "APP.QUEUE", 2, True)]
    for each, shown in zip(messages, (FIRST, LAST), strict=True):
        assert each.queue == "APP.QUEUE"
        assert each.columns == {
            "msg_id": shown.msg_id, "correl_id": shown.correl_id, "group_id": shown.group_id,
            "msg_seq_number": shown.seq, "offset": 0, "msg_flags": shown.flags, "original_length": -1,
            "priority": 4, "persistence": 1, "expiry": shown.expiry, "report": 0, "msg_type": 8, "feedback": 0,
            "backout_count": 0, "format": shown.format, "reply_to_q": "", "put_us": 1_700_000_000_120_000,
            "length": len(shown.data), "digest": sha256(shown.data).hexdigest(),
        }  # fmt: skip  # members


@pytest.mark.parametrize("form", FORMS)
def test_listings_may_follow_each_other_in_a_file(tmp_path: Path, form: str) -> None:
    write = FORMS[form][1]
    _, listings, errors = listed(tmp_path, write("Q1", [FIRST]) + write("Q2", [FIRST, LAST]), form)
    assert errors == []
    assert [(each.queue, each.count, each.whole) for each in listings] == [("Q1", 1, True), ("Q2", 2, True)]


def test_amqsbcg_shows_that_a_queue_is_empty_and_dmpmqmsg_does_not(tmp_path: Path) -> None:
    assert [each.whole for each in listed(tmp_path, amqsbcg("Q", []))[1]] == [True]
    assert [each.whole for each in listed(tmp_path, amqsbcg("Q", [], ended=False))[1]] == [False]
    assert [each.whole for each in listed(tmp_path, dmpmqmsg("Q", []))[1]] == [False]


def test_a_listing_that_amqsbcg_did_not_end_is_not_whole(tmp_path: Path) -> None:
    messages, listings, _ = listed(tmp_path, amqsbcg("Q", [FIRST, LAST], ended=False))
    assert len(messages) == 2
    assert not listings[0].whole


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("broken", ["0A" * 24, "0a" * 3, "priority"])
def test_a_damaged_message_is_an_error_with_its_line_and_the_next_is_read(
    tmp_path: Path, form: str, broken: str
) -> None:
    text = FORMS[form][1]("Q", [FIRST, LAST])
    bad = {"0A" * 24: ("0A" * 24, "0A" * 23), "0a" * 3: ("0A" * 24, "0A" * 22 + "GG" * 2)}.get(broken)
    old, new = bad or (("A PRI 4", "A PRI 4four") if form == "dmpmqmsg" else ("Priority : 4", "Priority : 99999999999"))
    messages, listings, errors = listed(tmp_path, text.replace(old, new, 1), form)
    line = next(n for n, each in enumerate(text.splitlines(), start=1) if each.startswith("A VER") or "StrucId" in each)
    assert len(errors) == 1
    assert f"contents.txt:{line}: " in errors[0]
    assert [each.columns["msg_id"] for each in messages] == [LAST.msg_id]
    assert not listings[0].whole


@pytest.mark.parametrize("form", FORMS)
def test_cut_anywhere_it_never_shows_a_message_that_is_not_there(tmp_path: Path, form: str) -> None:
    text = FORMS[form][1]("Q", [FIRST, LAST])
    for end in range(text.index("Q", 50) + 60, len(text), 41):
        messages, _, _ = listed(tmp_path, text[:end])
        assert {each.columns["msg_id"] for each in messages} <= {FIRST.msg_id, LAST.msg_id}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(20))
def test_a_garbled_listing_never_raises(tmp_path: Path, form: str, seed: int) -> None:
    chance = random.Random(seed)
    text = list(FORMS[form][1]("Q", [FIRST, LAST]))
    for _ in range(20):
        text[chance.randrange(60, len(text))] = chance.choice("\n\0'X:é9 A")
    listed(tmp_path, "".join(text))


def test_properties_of_a_message_are_no_members_of_its_descriptor(tmp_path: Path) -> None:
    shown = "****   Message      ****"
    properties = f"****Message properties****\n\n  Priority : '9'\n  MsgId : 'order 7'\n  Offset : 12\n\n{shown}"
    text = amqsbcg("Q", [FIRST, LAST])
    messages, _, errors = listed(tmp_path, text.replace(shown, properties))
    assert errors == []
    assert messages == listed(tmp_path, text.replace(shown, f"\n\n\n\n\n\n{shown}"))[0]


def test_message_data_that_look_like_a_descriptor_are_data(tmp_path: Path) -> None:
    shown = Shown("0a" * 24, b"Priority : 9 'X")
    messages, _, errors = listed(tmp_path, amqsbcg("Q", [shown]))
    assert errors == []
    assert messages[0].columns["priority"] == 4


def test_text_data_have_no_digest(tmp_path: Path) -> None:
    text = dmpmqmsg("Q", [FIRST]).replace("\nX ", "\nS ", 1)
    messages, _, errors = listed(tmp_path, text)
    assert errors == []
    assert "digest" not in messages[0].columns


def test_a_message_without_its_descriptor_is_an_error(tmp_path: Path) -> None:
    text = dmpmqmsg("Q", [FIRST]) + "N\nX 00\n"
    messages, listings, errors = listed(tmp_path, text)
    assert len(messages) == 1
    assert len(errors) >= 1
    assert not listings[0].whole


@pytest.mark.skipif(not SAMPLES.exists(), reason="the samples are not beside this checkout")
def test_the_real_listings_are_read_or_refused_with_a_reason() -> None:
    read = {path.name: list(STREAMED[detect(path).format](detect(path))) for path in SAMPLES.glob("*[!e].txt")}
    whole = read["kafka-playground_DEV.QUEUE.1.txt"]
    message, listing = whole
    assert isinstance(message, Listed)
    assert message.columns["length"] == 174
    assert "digest" in message.columns
    assert isinstance(listing, Listing)
    assert listing.whole
    (refused,) = read["mq-rfhutil-issue12_segment.txt"]
    assert isinstance(refused, BadInputError)
