"""Values that an attribute cannot have are refused, also by ALTER and MQSET."""

from __future__ import annotations

from typing import Any

import pytest

from oracle.errors import BadInputError
from oracle.mqi.definitions import QueueDefinition, QueueManagerDefinition, altered, define

QUEUE, QMGR = QueueDefinition(name="Q"), QueueManagerDefinition()


@pytest.mark.parametrize(
    ("definition", "attribute", "highest"),
    [
        (QUEUE, "MaxQDepth", 999_999_999),
        (QUEUE, "MaxMsgLength", 104_857_600),
        (QUEUE, "TriggerDepth", 999_999_999),
        (QUEUE, "CAPEXPRY", 999_999_999),
        (QMGR, "MaxMsgLength", 104_857_600),
        (QMGR, "MaxUncommittedMsgs", 999_999_999),
        (QMGR, "MarkBrowseInterval", 999_999_999),
        (QMGR, "ExpiryInterval", 99_999_999),
    ],
)
def test_a_value_out_of_range_is_refused(definition: Any, attribute: str, highest: int) -> None:
    assert altered(definition, {attribute: highest}).attributes()[attribute] == highest
    for value in (highest + 1, -2):
        with pytest.raises(BadInputError, match=attribute):
            altered(definition, {attribute: value})


@pytest.mark.parametrize("name", ["A B", "A-B", "Größe", "A\n", "'A'"])
def test_a_name_that_no_object_can_have_is_refused_where_it_is_no_captured_one(name: str) -> None:
    for attributes in ({"name": name}, {"name": "AL", "type": "alias", "target": name}):
        with pytest.raises(BadInputError, match="is no name that IBM MQ allows"):
            define(QueueDefinition, attributes)
    captured = define(QueueDefinition, {"name": name}, any_name=True)
    assert altered(captured, {"InhibitPut": 1}).name == name


def test_every_character_of_a_name_is_allowed() -> None:
    assert define(QueueDefinition, {"name": "aZ0._/%"}).name == "aZ0._/%"
