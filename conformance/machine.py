"""The state machine: Hypothesis strings calls together, the oracle says at each reply what was allowed.

Every run of the machine is a session on a fresh queue manager of the same target. Calls are made as lines of the
notation, so that what is found prints, replays and shrinks like any history.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, TypeVar

import hypothesis.strategies as st
from hypothesis import HealthCheck, Phase, Verbosity, reject, seed, settings
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.errors import Flaky, Unsatisfiable
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from conformance import vocabulary
from conformance.bench import Bench, Budget
from conformance.checks import Check
from conformance.session import Exchange, Session, Setup
from conformance.vocabulary import Word, said
from oracle.constants import MQEI, MQGMO, MQOO, MQPMO
from oracle.errors import MqOracleError
from oracle.follow import TooManyStatesError
from oracle.notation import Line, Reference

T = TypeVar("T")

_INPUT: Final = MQOO.INPUT_AS_Q_DEF | MQOO.INPUT_SHARED | MQOO.INPUT_EXCLUSIVE
_WAITING_MOST: Final = 2
"""How many connections wait at most: one of the three is always free to go on."""

_SWEEPER: Final = "Z"
"""The connection that looks, at the end of a run, at what is left."""

RUNS: Final = {Budget.QUICK: 300, Budget.STANDARD: 2000, Budget.DEEP: 20000}
CALLS_A_RUN: Final = {Budget.QUICK: 30, Budget.STANDARD: 40, Budget.DEEP: 60}
"""How many sessions the machine begins, and about how many calls it makes in each."""


class _DepartedError(Exception):
    """A session has departed from the documents: Hypothesis need not look further."""


@dataclass
class _Search:
    """What a search works on, and what has ended it."""

    bench: Bench
    sessions: int = 0
    found: Session | None = None
    ended: Exception | None = None


class Calls(RuleBasedStateMachine):
    """Applications on up to three connections that call in any order.

    `FIFO` is the delivery sequence of the second queue, for targets that claim it; on z/OS that queue is indexed by
    GroupId, which logical order needs there (LOG-45).
    """

    def __init__(self, search: _Search) -> None:
        super().__init__()
        if search.ended is not None:
            raise search.ended
        self._search = search
        search.sessions += 1
        hello = search.bench.dialogue.hello
        self.features = frozenset(hello.features) | ({"clock"} if hello.clock == "virtual" else set())
        second = {
            "name": "F",
            **({"MsgDeliverySequence": "FIFO"} if "fifo" in self.features else {}),
            **({"IndexType": "GROUP_ID"} if hello.platform == "zos" else {}),
        }
        self._names = 0
        self.session = search.bench.session(Setup(queues=({"name": "Q"}, second)))

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        """Open two handles and put a few messages, without which little can happen."""
        self._connect("A")
        most = said(vocabulary.OPENINGS, self.features)[0]
        self._play(Line("open", name=self._name("h"), queue="Q", options=most.options))
        self.open(data)
        for _ in range(3):
            self.put(data)

    @precondition(lambda self: len(self.session.state.handles) < vocabulary.HANDLES_MOST)
    @rule(data=st.data())
    def open(self, data: st.DataObject) -> None:
        """Open a queue on some connection."""
        conn = _any(data, self._free(vocabulary.CONNECTIONS))
        queue, word = _any(data, vocabulary.QUEUES), self._word(data, vocabulary.OPENINGS)
        self._connect(conn)
        self._play(Line("open", conn, name=self._name("h"), queue=queue, options=word.options))

    @precondition(lambda self: self._room() and self._handles(MQOO.OUTPUT))
    @rule(data=st.data())
    def put(self, data: st.DataObject) -> None:
        """Put a message, or two."""
        handle = _any(data, self._handles(MQOO.OUTPUT))
        for _ in range(_any(data, (1, 2))):
            self._put(handle, self._words(data, vocabulary.MESSAGE_WORDS))

    @precondition(lambda self: "groups" in self.features and self._room() and self._handles(MQOO.OUTPUT))
    @rule(data=st.data())
    def put_in_group(self, data: st.DataObject) -> None:
        """Put a message of a group, or a segment, whose place in the group is given by hand."""
        handle = _any(data, self._handles(MQOO.OUTPUT))
        self._put(handle, self._words(data, vocabulary.GROUP_WORDS))

    @precondition(lambda self: "logical-order" in self.features and self._room() and self._handles(MQOO.OUTPUT))
    @rule(data=st.data())
    def put_in_order(self, data: st.DataObject) -> None:
        """Put a few messages of a group, or segments, in logical order."""
        handle = _any(data, self._handles(MQOO.OUTPUT))
        with_all = self._words(data, (vocabulary.GROUP_SYNCPOINTS, vocabulary.PERSISTENCES))
        for flags in _any(data, [run.flags for run in vocabulary.GROUP_RUNS if self.features.issuperset(run.features)]):
            self._put(handle, Word(MQPMO.LOGICAL_ORDER, (("MsgFlags", flags),)) + with_all)

    @precondition(lambda self: "put1" in self.features and self._room())
    @rule(data=st.data())
    def put1(self, data: st.DataObject) -> None:
        """Put a message without a handle."""
        conn = _any(data, self._free(vocabulary.CONNECTIONS))
        queue, word = _any(data, vocabulary.QUEUES), self._words(data, vocabulary.MESSAGE_WORDS)
        self._connect(conn)
        self._play(Line("put1", conn, queue=queue, message=self._name("m"), options=word.options, members=word.members))

    @precondition(lambda self: self._handles(_INPUT))
    @rule(data=st.data())
    def get(self, data: st.DataObject) -> None:
        """Get a message."""
        self._get(data, self._handles(_INPUT), vocabulary.REMOVAL_WORDS)

    @precondition(lambda self: self._handles(_INPUT))
    @rule(data=st.data())
    def get_plainly(self, data: st.DataObject) -> None:
        """Get whatever comes first, which most calls of an application do."""
        self._get(data, self._handles(_INPUT), (vocabulary.GET_SYNCPOINTS,))

    @precondition(lambda self: "logical-order" in self.features and self._handles(_INPUT))
    @rule(data=st.data())
    def get_in_order(self, data: st.DataObject) -> None:
        """Get a few messages in logical order."""
        handle = _any(data, self._handles(_INPUT))
        word = Word(MQGMO.LOGICAL_ORDER) + self._words(data, (vocabulary.GET_SYNCPOINTS, vocabulary.MATCHES))
        for _ in range(_any(data, (1, 2, 3))):
            self._play(Line("get", handle=handle, options=word.options, members=word.members))

    @precondition(lambda self: "wait" in self.features and len(self.session.waiting) < _WAITING_MOST)
    @rule(data=st.data())
    def get_or_browse_waiting(self, data: st.DataObject) -> None:
        """Get or browse a message, or wait for one."""
        name, removers, browsers = self._name("w"), self._handles(_INPUT), self._handles(MQOO.BROWSE)
        if browsers and "browse" in self.features and _any(data, (False, False, True)):
            self._get(data, browsers, (vocabulary.WAITS, vocabulary.BROWSES, vocabulary.LOCKS), name)
        elif removers:
            self._get(data, removers, (vocabulary.WAITS, vocabulary.GET_SYNCPOINTS, vocabulary.WAITED_FOR), name)

    @precondition(lambda self: "browse" in self.features and self._handles(MQOO.BROWSE))
    @rule(data=st.data())
    def browse(self, data: st.DataObject) -> None:
        """Browse, and perhaps lock."""
        self._get(data, self._handles(MQOO.BROWSE), vocabulary.BROWSE_WORDS)

    @precondition(lambda self: "browse" in self.features and self._handles(MQOO.BROWSE))
    @rule(data=st.data())
    def browse_plainly(self, data: st.DataObject) -> None:
        """Browse the next message, and perhaps lock it."""
        self._get(data, self._handles(MQOO.BROWSE), (vocabulary.BROWSES, vocabulary.LOCKS))

    @precondition(lambda self: "lock" in self.features and self._browsers())
    @rule(data=st.data())
    def unlock(self, data: st.DataObject) -> None:
        """Release a lock, or what might be one."""
        self._play(Line("get", handle=_any(data, self._browsers()), options=MQGMO.UNLOCK))

    @precondition(lambda self: self._units_of_work())
    @rule(data=st.data())
    def end_unit_of_work(self, data: st.DataObject) -> None:
        """Commit a unit of work or back it out, and perhaps go on with a group: where it goes on, must be known now."""
        conn = _any(data, self._units_of_work())
        self._play(Line(_any(data, ("cmit", "back", "back")), conn))
        if "logical-order" in self.features and _any(data, (True, False)):
            own = [name for name in self._handles(0) if self.session.bindings.handles[name].conn == conn]
            self._go_on_in_order(data, own)

    @precondition(lambda self: self.session.state.connections)
    @rule(data=st.data())
    def leave(self, data: st.DataObject) -> None:
        """Close a handle, or, more rarely, disconnect or die."""
        connected, handles = tuple(self.session.state.connections), self._handles(0)
        verb = _any(data, ("close", "close", "close", "disc", "fail")) if handles else "fail"
        if verb == "close":
            self._play(Line("close", handle=_any(data, handles)))
        else:
            self._play(Line(verb, _any(data, connected if verb == "fail" else self._free(connected))))

    @precondition(lambda self: "clock" in self.features and self._time_matters())
    @rule(data=st.data())
    def advance(self, data: st.DataObject) -> None:
        """Let time pass; where something waits, perhaps put a message meanwhile."""
        self._play(Line("advance", milliseconds=_any(data, vocabulary.ADVANCES_MS)))
        if self.session.waiting and self._handles(MQOO.OUTPUT) and _any(data, (True, False)):
            self.put(data)
            self._play(Line("advance", milliseconds=_any(data, vocabulary.ADVANCES_MS)))

    @precondition(lambda self: "inhibit" in self.features and self._handles(0))
    @rule(data=st.data())
    def inhibit(self, data: st.DataObject) -> None:
        """Inhibit a queue, by MQSET or as an administrator, try what is forbidden now, and permit it again."""
        handle = _any(data, self._handles(0))
        bound = self.session.bindings.handles[handle]
        opened = self.session.state.handles[bound.conn, bound.hobj]
        attribute = _any(data, ("InhibitGet", "InhibitPut"))
        by_set = bool(opened.options & MQOO.SET) and _any(data, (True, False))
        for value in (1, 0):
            change = ((attribute, value),)
            if by_set:
                self._play(Line("set", handle=handle, attributes=change))
            else:
                self._play(Line("alter", queue=opened.queue, attributes=change))
            if value and attribute == "InhibitPut" and opened.options & MQOO.OUTPUT:
                self.put(data)
            elif value and attribute == "InhibitGet" and self._handles(_INPUT):
                self.get_plainly(data)

    @precondition(lambda self: "inquire" in self.features and self._handles(MQOO.INQUIRE))
    @rule(data=st.data())
    def inquire(self, data: st.DataObject) -> None:
        """Inquire the depth, or other attributes."""
        handle = _any(data, self._handles(MQOO.INQUIRE))
        self._play(Line("inq", handle=handle, inquired=_any(data, vocabulary.INQUIRIES)))

    def teardown(self) -> None:
        """Back out, let everybody leave, and look at what is left: what went wrong unseen may show now."""
        if self._search.ended is not None or sys.exc_info()[0] is not None:
            return
        for conn in self._units_of_work():
            self._play(Line("back", conn))
        for conn in tuple(self.session.state.connections):
            self._play(Line("fail", conn))
        self._connect(_SWEEPER)
        for queue in ("Q", "F"):
            self._sweep(queue)

    def _sweep(self, queue: str) -> None:
        handle, inquires = self._name("h"), "inquire" in self.features
        options = MQOO.INPUT_SHARED | (MQOO.INQUIRE if inquires else 0)
        self._play(Line("open", _SWEEPER, name=handle, queue=queue, options=options))
        if inquires:
            self._play(Line("inq", handle=handle, inquired=("CurrentQDepth",)))
        for _ in range(vocabulary.MESSAGES_MOST + 1):
            if self._play(Line("get", handle=handle)).reply["CompCode"]:
                return

    def _play(self, line: Line) -> Exchange:
        try:
            exchange = self.session.play(line)
        except TooManyStatesError:
            reject()  # this session says nothing any more, others may
        except MqOracleError as error:
            self._search.ended = error
            raise
        if exchange.followed.departure is not None:
            if self._search.bench.excuses(self.session):
                reject()  # the search is for what is not known
            self._search.found = self.session
            self._search.ended = _DepartedError()
            raise self._search.ended
        return exchange

    def _go_on_in_order(self, data: st.DataObject, handles: Sequence[str]) -> None:
        writers = [name for name in handles if name in self._handles(MQOO.OUTPUT)]
        readers = [name for name in handles if name in self._handles(_INPUT)]
        if writers:
            self._put(_any(data, writers), Word(MQPMO.LOGICAL_ORDER) + self._word(data, vocabulary.GROUP_FLAGS))
        if readers:
            self._play(Line("get", handle=_any(data, readers), options=MQGMO.LOGICAL_ORDER | MQGMO.NO_SYNCPOINT))

    def _put(self, handle: str, word: Word) -> None:
        self._play(Line("put", handle=handle, message=self._name("m"), options=word.options, members=word.members))

    def _get(
        self, data: st.DataObject, handles: Sequence[str], groups: Sequence[Sequence[Word]], name: str | None = None
    ) -> None:
        handle = _any(data, handles)
        word = self._words(data, groups)
        recent = tuple(self.session.bindings.messages)[-2:]
        if recent and "match" in self.features and vocabulary.MATCHES in groups:
            word += _any(data, (*[vocabulary.NOTHING] * 6, Word(members=(("MsgId", Reference(_any(data, recent))),))))
        self._play(Line("get", name=name, handle=handle, options=word.options, members=word.members))

    def _connect(self, conn: str) -> None:
        if conn not in self.session.state.connections:
            self._play(Line("conn", conn))

    def _name(self, kind: str) -> str:
        self._names += 1
        return f"{kind}{self._names}"

    def _word(self, data: st.DataObject, group: Sequence[Word]) -> Word:
        return _any(data, said(group, self.features))

    def _words(self, data: st.DataObject, groups: Sequence[Sequence[Word]]) -> Word:
        return sum((self._word(data, group) for group in groups), vocabulary.NOTHING)

    def _free(self, connections: Sequence[str]) -> list[str]:
        """Return the connections that do not wait."""
        return [conn for conn in connections if conn not in self.session.waiting]

    def _handles(self, options: int) -> list[str]:
        """Return the names of the handles that are open with any of these options, on connections that do not wait."""
        state, waiting = self.session.state, self.session.waiting
        return [
            name
            for name, handle in self.session.bindings.handles.items()
            if handle.conn not in waiting
            and (opened := state.handles.get((handle.conn, handle.hobj))) is not None
            and (not options or opened.options & options)
        ]

    def _browsers(self) -> list[str]:
        """Return the handles that have browsed something."""
        handles, bindings = self.session.state.handles, self.session.bindings.handles
        names = self._handles(MQOO.BROWSE)
        return [name for name in names if handles[bindings[name].conn, bindings[name].hobj].cursor is not None]

    def _units_of_work(self) -> list[str]:
        """Return the connections that have one open and do not wait."""
        connections, waiting = self.session.state.connections, self.session.waiting
        return [name for name, conn in connections.items() if conn.unit_of_work is not None and name not in waiting]

    def _time_matters(self) -> bool:
        """Whether some message expires or some call's wait ends."""
        state = self.session.state
        waits = (conn.waiting for conn in state.connections.values())
        messages = (message for queue in state.queues.values() for message in queue.messages)
        return any(wait is not None and wait.deadline_ms is not None for wait in waits) or any(
            message.descriptor.expiry != MQEI.UNLIMITED for message in messages
        )

    def _room(self) -> bool:
        """Whether another message may be put, and somebody is free to put it."""
        return sum(len(queue.messages) for queue in self.session.state.queues.values()) < vocabulary.MESSAGES_MOST


@cache
def _indices(count: int) -> st.SearchStrategy[int]:
    return st.integers(0, count - 1)


def _any(data: st.DataObject, values: Sequence[T]) -> T:
    return values[data.draw(_indices(len(values)))]


def perform(bench: Bench) -> Session | None:
    """Run the machine until a session departs from the documents or the budget is spent.

    Raises TargetError if the target breaks.
    """
    set_hypothesis_home_dir(Path(tempfile.gettempdir()) / "mqoracle-hypothesis")
    search, chosen_seed = _Search(bench), bench.seed
    while search.ended is None and search.sessions < RUNS[bench.budget]:
        _run(search, chosen_seed)
        chosen_seed += 1
    if isinstance(search.ended, MqOracleError):
        raise search.ended
    return search.found


def _run(search: _Search, chosen_seed: int) -> None:
    """Let Hypothesis search; what it finds is in the search.

    It repeats what failed, and the repetition ends at once. It also gives up if calls that it makes again are answered
    otherwise, as they may be by a target with choices: then the rest of the budget is left for another seed.
    """

    @seed(chosen_seed)
    def machine() -> Calls:
        return Calls(search)

    runs = RUNS[search.bench.budget] - search.sessions
    with suppress(_DepartedError, MqOracleError, Flaky, Unsatisfiable):
        run_state_machine_as_test(machine, settings=_settings(search.bench.budget, runs))  # type: ignore[arg-type]  # takes any factory
        search.sessions = RUNS[search.bench.budget]


def _settings(budget: Budget, runs: int) -> settings:
    """Return how Hypothesis is to search: it only generates, as shrinking is done on the lines of the history."""
    return settings(
        max_examples=runs,
        stateful_step_count=CALLS_A_RUN[budget],
        deadline=None,
        database=None,
        derandomize=False,
        phases=(Phase.generate,),
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
        print_blob=False,
    )


CHECK: Final = Check(
    "machine/calls",
    "Calls of several applications in any order",
    "machine",
    perform,
)
"""The machine as a check."""
