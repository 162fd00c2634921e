"""The container of messages behaves like a sorted list."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from oracle.model.messages import FRONT, Message, Messages
from oracle.structures import MessageDescriptor

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
