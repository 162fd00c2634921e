"""`mq-oracle serve` on damaged and odd requests: an answer to each, and never more than an answer."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from oracle.serve import Server, serve
from tests.fuzz.bounds import bounded, tried
from tests.fuzz.damage import NUMBERS, changed

REQUESTS: list[dict[str, Any]] = [
    {"op": "hello", "protocol": 1},
    {"op": "setup", "queues": [{"name": "Q", "MaxQDepth": 3}, {"name": "M", "type": "model"}], "qmgr": {"name": "QM1"}},
    {"op": "call", "conn": "A", "verb": "MQCONN"},
    {"op": "call", "conn": "A", "verb": "MQOPEN", "ObjectName": "Q", "Options": 8 | 2 | 16 | 32},
    {
        "op": "call", "conn": "A", "verb": "MQPUT", "Hobj": 1, "data": "6869", "MQPMO": {"Options": 2},
        "MQMD": {"Version": 2, "Priority": 4, "Expiry": 100, "MsgFlags": 8, "GroupId": "0a" * 24, "Report": 2097152},
    },
    {
        "op": "call", "conn": "A", "verb": "MQGET", "Hobj": 1, "BufferLength": 10,
        "MQGMO": {"Version": 2, "Options": 1 | 2, "WaitInterval": 1000, "MatchOptions": 1},
        "MQMD": {"MsgId": "0b" * 24},
    },
    {"op": "advance", "tenths": 20},
    {"op": "call", "conn": "A", "verb": "MQINQ", "Hobj": 1, "attributes": ["MaxQDepth"]},
    {"op": "call", "conn": "A", "verb": "MQCMIT"},
    {"op": "call", "conn": "A", "verb": "MQCLOSE", "Hobj": 1, "Options": 0},
    {"op": "call", "conn": "A", "verb": "MQDISC"},
]  # fmt: skip  # values

VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=60), st.just("\udfff"), st.just("0a" * 24),
    st.integers(-(2**31), 2**32), st.lists(st.integers(), max_size=3), st.dictionaries(st.text(max_size=8), st.none()),
    st.just([[[[[]]]]]), st.just("Q"), st.just("M"), st.sampled_from([2033, 2**31 - 1, -(2**31), 10**400]),
)  # fmt: skip  # values


def places(members: dict[str, Any]) -> list[tuple[dict[str, Any], str]]:
    """Return where values stand in a request, also in the structures within."""
    found = [(members, name) for name in members]
    for value in members.values():
        if isinstance(value, dict):
            found += places(value)
    return found


@st.composite
def odd(draw: st.DrawFn) -> str:
    """Return a request in which values are others, or its text is damaged."""
    request = json.loads(json.dumps({"seq": draw(st.integers(0, 99)), **draw(st.sampled_from(REQUESTS))}))
    for _ in range(draw(st.integers(0, 2))):
        members, name = draw(st.sampled_from(places(request)))
        members[name] = draw(VALUES)
    line = json.dumps(request)
    if draw(st.integers(0, 3)) == 0:
        line = changed(line.encode(), draw(NUMBERS)).decode("utf-8", errors="surrogateescape")
    return line.replace("\n", " ")


@tried(0.1)
@given(odd_ones=st.lists(odd(), min_size=1, max_size=6), after=st.integers(0, len(REQUESTS)))
def test_every_request_has_an_answer_of_one_line(odd_ones: list[str], after: int) -> None:
    lines = [json.dumps({"seq": number, **request}) for number, request in enumerate(REQUESTS[:after])]
    server = Server()
    with bounded():
        for line in [*lines, *odd_ones]:
            if not line.strip():
                continue
            reply = next(serve([line], server))
            assert "\n" not in reply
            reply.encode("utf-8")
            assert {"seq"} < set(json.loads(reply))
