"""What is lawful, and what is not, where only several calls tell: waits that meet, locks and cursors left over.

Each history ends with the call in question, and what is seen of it stands after its arrow.
"""

from __future__ import annotations

from typing import Any

import pytest

from oracle.replay import replay

MARKING = """
p = C.open Q OUTPUT
h = open Q BROWSE+CO_OP
g = B.open Q BROWSE+CO_OP
v = get h BROWSE_FIRST+UNMARKED_BROWSE_MSG+MARK_BROWSE_CO_OP+WAIT WaitInterval=-1
w = get g BROWSE_FIRST+UNMARKED_BROWSE_MSG+MARK_BROWSE_CO_OP+WAIT WaitInterval=-1
"""

LAWFUL: list[tuple[str, dict[str, Any]]] = [
    (MARKING + "put p m1 => v m1 w pending", {}),
    (MARKING + "put p m1 => v pending w m1", {}),
]

UNLAWFUL: list[tuple[str, dict[str, Any], str]] = [
    (MARKING + "put p m1 => v m1 w m1", {}, "MRK-07"),
    (MARKING + "put p m1 => v pending w pending", {}, "ACT-02"),
]


@pytest.mark.parametrize(("history", "setup"), LAWFUL)
def test_what_is_seen_at_last_is_lawful(history: str, setup: dict[str, Any]) -> None:
    assert [step.text for step in replay(history, "history", **setup) if step.departs] == []


@pytest.mark.parametrize(("history", "setup", "rule"), UNLAWFUL)
def test_what_is_seen_at_last_departs_because_of_the_rule(history: str, setup: dict[str, Any], rule: str) -> None:
    steps = list(replay(history, "history", **setup))
    assert [step.departs for step in steps[:-1]] == [False] * (len(steps) - 1)
    departure = steps[-1].followed.departure
    assert departure is not None
    assert rule in (*departure.rules, *departure.before)
