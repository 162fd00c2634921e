"""The input members that a put may return, and that it never reveals more of its message than that."""

from __future__ import annotations

from typing import Any

import pytest

from oracle import MQOO, MQRC, QueueDefinition, QueueManager
from oracle.histories.history import observed_of
from oracle.judging.compare import differences
from oracle.judging.follow import Follower
from oracle.model.queue_manager import new_state, outcomes
from oracle.mqi.calls import Call, Connect, Put, Put1
from oracle.mqi.definitions import define
from oracle.mqi.structures import MessageDescriptor
from oracle.protocol import ObservedReply
from oracle.replay import Setup, replay

CAPPED = {"name": "Q", "DefPriority": 5, "DefPersistence": 1, "CAPEXPRY": 400}
OPEN = "h = open Q INPUT_SHARED+OUTPUT\n"
ALIAS = [
    {"name": "Q", "DefPriority": 2, "DefPersistence": 0},
    {"name": "A", "type": "alias", "target": "Q", "DefPriority": 7, "DefPersistence": 1},
]


def departs(text: str, *queues: dict[str, Any]) -> list[str]:
    """Return the rules by which the last line of a history departs; none if all lines conform."""
    steps = list(replay(text, "history", Setup({"queues": list(queues)})))
    assert [step.departs for step in steps[:-1]] == [False] * (len(steps) - 1)
    departure = steps[-1].followed.departure
    return [] if departure is None else list(departure.rules)


@pytest.mark.parametrize("verb", ["put h m", "put1 Q m"])
@pytest.mark.parametrize(
    "told",
    [
        "Priority=-1 Persistence=2 Expiry=600",
        "Priority=5 Persistence=1 Expiry=400",
        "Priority=-1 Expiry=400",
        "Priority=5 Persistence=2",
    ],
)
def test_a_put_returns_what_was_passed_or_what_it_used(verb: str, told: str) -> None:
    assert departs(f"{OPEN}{verb} Expiry=600 -> OK {told}", CAPPED) == []
    shown = "get h -> m Priority=5 Persistence=1 Expiry=400"
    assert departs(f"{OPEN}{verb} Expiry=600 -> OK {told}\n{shown}", CAPPED) == []


@pytest.mark.parametrize("verb", ["put h m", "put1 Q m"])
@pytest.mark.parametrize(
    "told", ["Priority=4", "Priority=0", "Persistence=0", "Expiry=-1", "Expiry=60", "Expiry=401", "Priority=-2"]
)
def test_a_put_returns_no_other_value(verb: str, told: str) -> None:
    assert "PUT-23" in departs(f"{OPEN}{verb} Expiry=600 -> OK {told}", CAPPED)


@pytest.mark.parametrize("told", ["Priority=5", "Persistence=1", "Expiry=400"])
def test_what_a_put_gives_itself_is_used_as_it_is(told: str) -> None:
    given = f"{OPEN}put h m Priority=3 Persistence=0 Expiry=50"
    assert departs(f"{given} -> OK Priority=3 Persistence=0 Expiry=50", CAPPED) == []
    assert "PUT-23" in departs(f"{given} -> OK {told}", CAPPED)


@pytest.mark.parametrize("call", [Put("A", 1), Put1("A", "Q")])
def test_members_that_a_put_leaves_out_are_as_they_were_passed(call: Put | Put1) -> None:
    qm = QueueManager([define(QueueDefinition, CAPPED)])
    qm.open("Q")
    outcome = next(qm.allowed(call))
    whole = observed_of(outcome.reply)
    for name in ("Priority", "Persistence", "Expiry"):
        members = {member: value for member, value in whole.members.items() if member != f"MQMD.{name}"}
        assert differences(call, outcome.reply, outcome.rules, ObservedReply(members=members)) == []


def test_the_message_is_what_a_get_shows_and_never_the_special_value() -> None:
    text = f"{OPEN}put h m -> OK Priority=-1 Persistence=2\nget h -> m"
    assert departs(f"{text} Priority=5 Persistence=1", CAPPED) == []
    assert "PRI-02" in departs(f"{text} Priority=-1", CAPPED)
    assert "PER-02" in departs(f"{text} Persistence=2", CAPPED)


def test_a_message_returned_out_of_turn_is_blamed_for_no_special_value() -> None:
    steps = list(replay(f"{OPEN}put h m1\nput h m2\nget h -> m2", "history", Setup({"queues": [CAPPED]})))
    departure = steps[-1].followed.departure
    assert departure is not None
    assert not {"MQMD.Priority", "MQMD.Persistence"} & {item.member for item in departure.differences}


def test_the_descriptor_of_the_model_can_be_used_for_another_queue() -> None:
    qm = QueueManager([define(QueueDefinition, CAPPED), "R"])
    back = qm.put(qm.open("Q"), b"one").descriptor
    assert back is not None
    assert (back.priority, back.persistence, back.expiry) == (-1, 2, -1)
    again = qm.call(
        Put("A", qm.open("R").hobj, MessageDescriptor(priority=back.priority, persistence=back.persistence))
    )
    assert again.comp_code == 0
    (stored,) = qm.state.queues["R"].messages
    assert (stored.descriptor.priority, stored.descriptor.persistence) == (0, 0)


@pytest.mark.parametrize("told", ["", " -> OK Priority=-1 Persistence=2"])
def test_one_definition_gives_the_defaults_of_all_puts_by_an_alias(told: str) -> None:
    """Which one it is shows at the first get, not at the puts; each of them has the same."""
    puts = "".join(f"put a m{number}{told}\n" for number in range(12))
    text = f"h = open Q INPUT_SHARED\na = open A OUTPUT\n{puts}"
    for priority, persistence in ((7, 1), (2, 0)):
        first = f"{text}get h -> m0 Priority={priority} Persistence={persistence}\nget h -> m1 "
        assert departs(f"{first}Priority={priority} Persistence={persistence}", *ALIAS) == []
        assert departs(f"{first}Priority={9 - priority}", *ALIAS)


def test_puts_that_tell_nothing_leave_few_states() -> None:
    queues = [*ALIAS[1:], {**ALIAS[0], "CAPEXPRY": 50}]
    follower = Follower(new_state([define(QueueDefinition, queue) for queue in queues]))
    state = follower.state
    made: list[Call] = [Connect("A"), *(Put1("A", "A", data=bytes([number])) for number in range(20))]
    for call in made:
        outcome = next(outcomes(state, call))
        assert follower.follow(call, observed_of(outcome.reply)).departure is None
        state = outcome.state
    assert len(follower.states) == 8  # whose priority, whose persistence, and whether an unlimited life is capped


def test_an_unlimited_life_is_capped_always_or_never() -> None:
    text = f"{OPEN}put h m1\nput h m2\nget h -> m1 Expiry=400\nget h -> m2 Expiry="
    assert departs(f"{text}400", CAPPED) == []
    assert departs(f"{text}-1", CAPPED)
    assert departs(f"{text.replace('=400', '=-1')}-1", CAPPED) == []


@pytest.mark.parametrize(
    ("report", "reason"),
    [(0x80000000, MQRC.UNKNOWN_REPORT_OPTION), (0x10000000, MQRC.REPORT_OPTIONS_ERROR)],
    ids=["accepted", "refused"],
)
def test_the_highest_bit_of_report_may_be_a_sign(report: int, reason: MQRC) -> None:
    """An MQLONG whose highest bit is on is negative in C: the bit alone decides what becomes of the put (PUT-16)."""
    qm = QueueManager(["Q"])
    queue = qm.open("Q", MQOO.OUTPUT)
    assert [qm.put(queue, b"m", report=each).reason for each in (report, report - 2**32)] == [reason, reason]
