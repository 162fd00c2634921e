"""The container of messages behaves like a sorted list."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from oracle.model.messages.messages import FRONT, Message, Messages
from oracle.mqi.constants import MQMF, NULL_ID
from oracle.mqi.structures import MessageDescriptor, descriptor_of

MD = MessageDescriptor()

operations = st.lists(st.tuples(st.sampled_from(["put", "take", "replace"]), st.integers(0, 9), st.integers(0, 10**6)))


def build(steps: list[tuple[str, int, int]]) -> tuple[Messages, list[Message]]:
    """Play operations on a container and on a plain list."""
    messages = Messages()
    plain: list[Message] = []
    for arrival, (what, rank, number) in enumerate(steps, start=1):
        if what == "put" or not plain:
            message = Message(MD, b"", rank, arrival, 0)
            messages, plain = messages.having(message), [*plain, message]
        elif what == "take":
            message = plain.pop(number % len(plain))
            messages = messages.without(message)
        else:
            index = number % len(plain)
            message = Message(MD, b"changed", plain[index].rank, plain[index].arrival, 0)
            messages = messages.having(message)
            plain[index] = message
        plain.sort(key=lambda each: each.position)
    return messages, plain


@given(operations)
def test_it_keeps_what_a_sorted_list_keeps(steps: list[tuple[str, int, int]]) -> None:
    messages, plain = build(steps)
    assert list(messages) == plain
    assert len(messages) == len(plain)


@given(operations, st.integers(0, 10**6))
def test_it_finds_by_position(steps: list[tuple[str, int, int]], number: int) -> None:
    messages, plain = build(steps)
    assert list(messages.after(FRONT)) == plain
    for index, message in enumerate(plain):
        assert messages.at(message.position) == message
        assert list(messages.after(message.position)) == plain[index + 1 :]
    assert messages.at((-10, number)) is None


def test_large_queues_are_cut_into_pieces_without_losing_order() -> None:
    messages = Messages()
    for arrival in range(2000):
        messages = messages.having(Message(MD, b"", arrival * 7 % 10, arrival, 0))
    positions = [message.position for message in messages]
    assert positions == sorted(positions)
    assert len(messages.pieces) > 1
    for message in list(messages)[::3]:
        messages = messages.without(message)
    assert len(messages) == len(list(messages)) == 1333


def test_changing_makes_a_new_one() -> None:
    before = Messages().having(Message(MD, b"", 0, 1, 0))
    before.having(Message(MD, b"", 0, 2, 0))
    assert len(before) == 1


def message(number: int, **members: object) -> Message:
    """Return a message by its arrival number, with its own MsgId if none is given."""
    md = descriptor_of({"msg_id": identifier(number), **members})
    return Message(md, b"", 0, number, 0)


def identifier(number: int) -> bytes:
    return number.to_bytes(24, "big")


def test_those_with_an_identifier_are_found_whichever_it_is() -> None:
    messages = Messages()
    for number in range(1, 40):
        messages = messages.having(message(number, correl_id=identifier(100 + number % 3), group_id=identifier(7)))
    assert [each.arrival for each in messages.perhaps_with(identifier(5))] == [5]
    assert [each.arrival for each in messages.perhaps_with(identifier(101))] == list(range(1, 40, 3))
    assert [each.arrival for each in messages.perhaps_with(identifier(101), (0, 20))] == list(range(22, 40, 3))
    assert len(list(messages.perhaps_with(identifier(7)))) == 39
    assert list(messages.perhaps_with(identifier(999))) == []


def test_segments_are_found_by_their_logical_message() -> None:
    messages = Messages()
    for number in range(1, 21):
        segment = {"group_id": identifier(7), "msg_seq_number": number // 2, "msg_flags": MQMF.SEGMENT}
        messages = messages.having(message(number, **segment))
    assert [each.arrival for each in messages.perhaps_with((identifier(7), 4))] == [8, 9]


def test_those_that_may_expire_are_always_among_them() -> None:
    messages = Messages()
    for number in range(1, 40):
        messages = messages.having(message(number, expiry=10 if number in (3, 30) else -1))
    assert [each.arrival for each in messages.perhaps_with(identifier(20))] == [3, 20, 30]


def test_without_an_identifier_all_are_looked_at() -> None:
    messages = Messages().having(message(1)).having(message(2))
    assert [each.arrival for each in messages.perhaps_with(None)] == [1, 2]
    assert [each.arrival for each in messages.perhaps_with(NULL_ID)] == [1, 2]


def test_containers_that_share_their_places_find_only_what_they_hold() -> None:
    both = Messages().having(message(1)).having(message(2))
    one, other = both.without(message(1)), both.having(message(3))
    changed = both.having(message(2, msg_id=identifier(9)))
    assert [each.arrival for each in both.perhaps_with(identifier(1))] == [1]
    assert list(one.perhaps_with(identifier(1))) == []
    assert list(one.perhaps_with(identifier(3))) == []
    assert [each.arrival for each in other.perhaps_with(identifier(3))] == [3]
    assert [each.arrival for each in changed.perhaps_with(identifier(9))] == [2]


def test_going_on_from_one_container_again_and_again_stays_cheap() -> None:
    messages = Messages()
    for number in range(1, 100):
        messages = messages.having(message(number))
    begun_anew, known = 0, messages.places
    for _ in range(5000):
        messages.having(message(100))
        begun_anew += messages.places is not known
        known = messages.places
    assert begun_anew < 10


def test_places_of_messages_that_have_gone_are_forgotten() -> None:
    messages = Messages().having(message(1, correl_id=identifier(500)))
    for number in range(2, 5000):
        messages = messages.having(message(number, correl_id=identifier(500)))
        messages = messages.without(message(number))
    assert messages.places.noted < 1000
    assert [each.arrival for each in messages.perhaps_with(identifier(500))] == [1]
