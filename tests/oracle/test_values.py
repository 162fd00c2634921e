"""Values with some members changed."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.model.grounds import Grounds
from oracle.model.groups.get_groups import Criteria
from oracle.model.messages.messages import Message, Messages
from oracle.model.reply import Reply
from oracle.model.step import Outcome
from oracle.mqi.calls import Get, Put
from oracle.mqi.structures import GetMessageOptions, MessageDescriptor
from oracle.values import copier, replace, with_members

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


@given(st.dictionaries(st.sampled_from(["priority", "persistence", "expiry", "offset"]), numbers))
def test_members_that_an_input_names_are_changed_likewise(changes: dict[str, Any]) -> None:
    md = MessageDescriptor(expiry=30, reply_to_q="R")
    assert with_members(md, changes) == dataclasses.replace(md, **changes)


def test_a_member_that_an_input_names_and_there_is_not_is_refused() -> None:
    with pytest.raises(TypeError, match="MessageDescriptor has no member importance"):
        with_members(MessageDescriptor(), {"importance": 1})


QUICKLY_MADE = [MessageDescriptor, GetMessageOptions, Put, Get, Message, Messages, Reply, Outcome, Grounds, Criteria]


@pytest.mark.parametrize("kind", QUICKLY_MADE, ids=lambda kind: str(kind.__name__))
def test_a_value_that_is_made_quickly_is_what_dataclasses_make(kind: type) -> None:
    members = dataclasses.fields(kind)
    plain = dataclasses.make_dataclass(
        kind.__name__, [(each.name, Any, _likewise(each)) for each in members], frozen=True, slots=True
    )
    given_ones = {each.name: object() for each in members if _has_no_default(each)}
    made, expected = kind(**given_ones), plain(**given_ones)
    for each in members:
        assert getattr(made, each.name) == getattr(expected, each.name)
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(made, members[0].name, 1)
    with pytest.raises(TypeError):
        kind(**given_ones, importance=1)


def _has_no_default(each: dataclasses.Field[Any]) -> bool:
    return each.default is dataclasses.MISSING and each.default_factory is dataclasses.MISSING


def _likewise(each: dataclasses.Field[Any]) -> Any:
    return dataclasses.field(default=each.default, default_factory=each.default_factory, kw_only=False)


def test_each_list_that_a_value_begins_with_is_its_own() -> None:
    assert Reply().latitude is not Reply().latitude


def test_a_value_goes_to_another_process_and_comes_back() -> None:
    md = replace(MessageDescriptor(priority=3), expiry=7)
    assert pickle.loads(pickle.dumps(md)) == md == copy.copy(md)
    assert type(copy.deepcopy(md)) is MessageDescriptor


def test_states_are_copied_part_by_part() -> None:
    copied = copier(Grounds)(Grounds(cursor=("BRW-04",)))
    assert copied == Grounds(cursor=("BRW-04",))
