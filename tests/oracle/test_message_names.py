"""The names of messages: the history's, or as much of their identifier as distinguishes them."""

from __future__ import annotations

from oracle.judging.message_names import MessageNames
from oracle.model.messages.messages import MessageKey
from oracle.replay import replay


def key(text: str, number: int = 1, offset: int = 0) -> MessageKey:
    return MessageKey(bytes.fromhex(text.replace(" ", "")).ljust(24, b"\0"), number, offset)


ENDS = "414d5120 514d3120 20202020 20202020 00112233 44556677"


def test_the_end_of_an_identifier_tells_a_message_from_others() -> None:
    assert MessageNames().of(key(ENDS)) == "...223344556677"


def test_an_identifier_that_ends_in_zeros_is_shown_whole() -> None:
    assert MessageNames().of(key("aa01")) == "aa01".ljust(48, "0")


def test_identifiers_that_end_alike_are_shown_whole() -> None:
    names, other = MessageNames(), key("99" + ENDS[2:])
    names.see(key(ENDS))
    names.see(other)
    assert names.of(other) == other.msg_id.hex()
    assert names.of(key(ENDS)) == key(ENDS).msg_id.hex()


def test_parts_with_one_identifier_are_told_by_number_and_offset() -> None:
    names = MessageNames()
    for part in (key(ENDS, 1), key(ENDS, 2), key(ENDS, 2, 30)):
        names.see(part)
    assert names.of(key(ENDS, 2, 30)) == "...223344556677 number 2 offset 30"
    assert names.of(key(ENDS, 1)) == "...223344556677 number 1 offset 0"


def test_the_name_that_the_history_gives_comes_first() -> None:
    names = MessageNames()
    names.give(key(ENDS), "order")
    names.give(key(ENDS), "order")
    assert names.of(key(ENDS)) == "order"
    names.give(key(ENDS), "copy")
    assert names.of(key(ENDS)) == "order or copy"


def test_a_replayed_history_is_told_in_its_own_names() -> None:
    history = "h = open Q INPUT_SHARED+OUTPUT; put h low Priority=1; put h high Priority=5; get h -> low"
    departure = list(replay(history, "input"))[-1].followed.departure
    assert departure is not None
    assert departure.sentence.startswith("MQGET returned message low, but message high comes before it")
