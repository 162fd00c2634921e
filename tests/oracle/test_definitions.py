"""Values that an attribute cannot have are refused, also by ALTER and MQSET."""

from __future__ import annotations

from typing import Any

import pytest

from oracle.errors import BadInputError
from oracle.mqi.definitions import QueueDefinition, QueueManagerDefinition, altered

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
