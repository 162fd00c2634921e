"""Values with some members changed."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.model.messages import Message
from oracle.mqi.structures import MessageDescriptor
from oracle.values import replace

numbers = st.integers(0, 9)


@given(numbers, numbers, st.binary(min_size=24, max_size=24))
def test_it_is_what_dataclasses_make_of_it(priority: int, persistence: int, msg_id: bytes) -> None:
    md = MessageDescriptor(expiry=30, reply_to_q="R")
    changes: dict[str, Any] = {"priority": priority, "persistence": persistence, "msg_id": msg_id}
    changed = replace(md, **changes)
    assert changed == dataclasses.replace(md, **changes)
    assert type(changed) is MessageDescriptor


def test_the_value_itself_stays_as_it_was() -> None:
    md = MessageDescriptor(priority=1)
    assert replace(md, priority=5).priority == 5
    assert md.priority == 1


def test_what_it_makes_cannot_be_changed_either() -> None:
    message = replace(Message(MessageDescriptor(), b"data", 0, 1, 0), rank=3)
    with pytest.raises(dataclasses.FrozenInstanceError):
        message.rank = 4  # type: ignore[misc]  # what is tried


@pytest.mark.parametrize("member", ["importance", "Priority", "read"])
def test_a_member_that_there_is_not_is_refused(member: str) -> None:
    with pytest.raises(TypeError, match=f"MessageDescriptor has no member {member}"):
        replace(MessageDescriptor(), **{member: 1})
