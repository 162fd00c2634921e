"""Counts of what was done with a target and what was reached, for the report of a search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from oracle.model.state import State
from oracle.mqi.calls import Call, Get, Put, Put1, name_of
from oracle.mqi.constants import NULL_ID
from oracle.protocol import ObservedReply


@dataclass
class Tally:
    """Counts of what was done and what was reached."""

    steps: int = 0
    """The number of requests."""
    rules: Counter[str] = field(default_factory=Counter)
    """The number of times that each rule was behind the allowed outcomes."""
    calls: Counter[str] = field(default_factory=Counter)
    """The number of calls by name."""
    completions: Counter[str] = field(default_factory=Counter)
    """The number of calls by name and reason code."""
    sessions: int = 0
    """The number of fresh queue managers."""
    undecided: int = 0
    """The number of sessions that the oracle could not follow to the end."""
    deepest: int = 0
    """The largest number of messages on a queue."""
    longest_group: int = 0
    """The largest number of messages of one group on a queue."""
    waits: int = 0
    """The number of waits that were begun."""
    most_waiting: int = 0
    """The largest number of calls that waited at one time."""
    units_of_work: int = 0
    """The number of units of work that were begun."""
    most_units_of_work: int = 0
    """The largest number of units of work at one time."""
    most_locks: int = 0
    """The largest number of locks at one time."""
    most_marks: int = 0
    """The largest number of marks at one time."""

    def note(self, call: Call, observed: ObservedReply | None, rules: Iterable[str], before: State, now: State) -> None:
        """Count a call, its reply (None if time passed without one) and the resulting state."""
        verb = name_of(call)
        self.steps += 1
        self.rules.update(rules)
        self.calls[verb] += 1
        if observed is not None:
            self.completions[f"{verb} {'pending' if observed.pending else observed.reason}"] += 1
            self.waits += observed.pending
        self._note_units_of_work(before, now)
        self.most_waiting = max(self.most_waiting, sum(each.waiting is not None for each in now.connections.values()))
        if isinstance(call, (Put, Put1)):
            self._note_messages(now)
        elif isinstance(call, Get):
            self.most_locks = max(self.most_locks, sum(bool(handle.locked) for handle in now.handles.values()))
            marks = sum(len(handle.marked) for handle in now.handles.values())
            marks += sum(
                message.co_op_marked_ms is not None for queue in now.queues.values() for message in queue.messages
            )
            self.most_marks = max(self.most_marks, marks)

    def _note_units_of_work(self, before: State, now: State) -> None:
        working = {name for name, each in now.connections.items() if each.unit_of_work is not None}
        earlier = {name for name, each in before.connections.items() if each.unit_of_work is not None}
        self.units_of_work += len(working - earlier)
        self.most_units_of_work = max(self.most_units_of_work, len(working))

    def _note_messages(self, now: State) -> None:
        for queue in now.queues.values():
            groups = Counter(message.descriptor.group_id for message in queue.messages)
            del groups[NULL_ID]
            self.deepest = max(self.deepest, len(queue.messages))
            self.longest_group = max(self.longest_group, *groups.values(), 0)
