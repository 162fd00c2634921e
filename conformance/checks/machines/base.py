"""The base of every state machine: applications with connections and handles, and the session that follows their calls.

Every run of a machine is a session on a fresh queue manager of the same target. Calls are made as lines of the
notation, so departures are printed, replayed and shrunk like any history. The acts of applications are in
`conformance.checks.machines.acts`; a machine is a class that combines acts with words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar, Final, TypeVar

from conformance.checks.machines.acting import SessionOverError, act
from conformance.checks.machines.search import Search
from conformance.checks.machines.vocabulary import queues
from conformance.checks.machines.vocabulary.word import NOTHING, Group, Word, said
from conformance.sessions.session import Exchange, Session, Setup
from oracle.errors import InapplicableError, MqOracleError, TargetError, UntoldError, UsageError
from oracle.histories.notation import Line
from oracle.judging.follow import TooManyStatesError
from oracle.model.handles import Handle
from oracle.mqi.constants import MQEI, MQGMO, MQOO, MQRC

T = TypeVar("T")


_SWEEPER: Final = "Z"
"""The connection that empties the queues at the end of a run."""

_LOOKER: Final = "Y"
"""The connection that looks at the queues before applications end."""


_POSSIBILITIES_MOST: Final = 32
"""The number of states that the target may be in while a session goes on."""


_IN_VAIN_MOST: Final = 3
"""The number of gets in a row that may find no message, before anything else happens."""


@dataclass(frozen=True, slots=True)
class _Ending:
    """How the applications of a session end."""

    unit: str = ""
    """The call that ends units of work, if any."""
    leaving: str = "fail"
    """The call by which applications leave."""
    looks: bool = False
    """Whether a separate connection looks at the queues before that: it sees locks, and what is uncommitted."""


_ENDINGS: Final = (
    _Ending("back"),
    _Ending("back"),
    _Ending("back", looks=True),
    _Ending("cmit", "disc"),
    _Ending("cmit", "disc", looks=True),
    _Ending("back", "disc"),
    _Ending(),
    _Ending(leaving="disc", looks=True),
)


class Applications:
    """Applications on a few connections, which open handles.

    The class attributes of a machine define its objects.
    """

    CONNECTIONS: ClassVar[Sequence[str]] = ("A", "B", "B", "C")
    """The names of the connections; likelier ones are repeated."""
    QUEUES: ClassVar[Mapping[str, Sequence[Group]]] = {
        "Q": (queues.GROUP_INDEX,),
        "F": (queues.FIFO, queues.GROUP_INDEX),
    }
    """The queues by name, each with the words of its definition: one of each group is used."""
    QMGR: ClassVar[Sequence[Group]] = ()
    """The words of the queue manager's definition: one of each group is used."""
    OPENED: ClassVar[Sequence[str]] = ("Q", "Q", "F")
    """The names of the queues that are opened; likelier ones are repeated."""
    OPENINGS: ClassVar[Group] = queues.OPENINGS
    """The words of MQOPEN."""
    HANDLES_MOST: ClassVar[int] = 5
    """The greatest number of open handles: small, so that calls meet."""
    MESSAGES_MOST: ClassVar[int] = 8
    """The greatest number of messages on the queues: small, so that calls meet."""
    SHARE: ClassVar[int] = 1
    """The machine's share of the sessions of a run."""
    SWARM: ClassVar[bool] = False
    """Whether each session uses only some of the words, chosen anew."""
    CAREFUL: ClassVar[bool] = False
    """Whether the machine avoids calls that the model cannot follow."""

    session: Session
    """The session in which the calls are made; `begin` begins it."""
    begins: bool = False
    """Whether calls are those of a given history, some of which may have no meaning after the target's replies."""

    def __init__(self, search: Search) -> None:
        search.begin_session()
        self._search = search
        hello = search.rig.dialogue.hello
        clock = {"clock"} if hello.clock == "virtual" else set()
        self.features = hello.claimed | {hello.platform} | clock
        self._names = 0
        self._taken: frozenset[str | None] = frozenset()
        self._swarm: Random | None = None
        self._chosen: dict[Group, Group] = {}
        self._ending = _ENDINGS[0]
        self._in_vain = 0

    def begin(self, draws: Random) -> None:
        """Define the queue manager and make the initial calls."""
        if self.SWARM:
            self._swarm = Random(any_of(draws, range(1 << 16)))
        self._ending = any_of(draws, _ENDINGS)
        self.session = self._new_session(self.setup(draws))
        self.start(draws)

    def _new_session(self, setup: Setup) -> Session:
        try:
            session = self._search.rig.session(setup)
        except InapplicableError as error:
            self._search.inapplicable = error
            raise SessionOverError from error  # this queue manager is impossible, others may be possible
        self._search.applied = True
        return session

    def setup(self, draws: Random) -> Setup:
        """Return the queue manager of a session."""
        defined = tuple({"name": name, **self._attributes(draws, words)} for name, words in self.QUEUES.items())
        return Setup(defined, self._attributes(draws, self.QMGR))

    def start(self, draws: Random) -> None:
        """Open two handles, without which little can happen."""
        self.connect("A")
        self.play(Line("open", name=self.new_name("h"), queue="Q", options=self.said(self.OPENINGS)[0].options))
        self.open(draws)
        self.prepare(draws)

    def queues(self) -> Sequence[str]:
        """Return the names of the queues."""
        return tuple(self.QUEUES)

    def opened_names(self) -> Sequence[str]:
        """Return the names that are opened; likelier ones are repeated."""
        return self.OPENED

    def prepare(self, draws: Random) -> None:
        """Make the further initial calls of a session."""

    @act(lambda self: len(self.session.state.handles) < self.HANDLES_MOST)
    def open(self, draws: Random) -> None:
        """Open a queue on some connection."""
        conn = any_of(draws, self.free(self.CONNECTIONS))
        queue, word = any_of(draws, self.opened_names()), self.word(draws, self.OPENINGS)
        self.connect(conn)
        self.play(Line("open", conn, name=self.new_name("h"), queue=queue, options=word.options, members=word.members))

    def teardown(self) -> None:
        """End all applications in the session's way, and look at what is left: unseen errors may show now."""
        self.before_the_end()
        ending = self._ending
        if ending.looks and "browse" in self.features:
            for queue in self._every_queue():
                self._look(queue)
        for conn in self.units_of_work() if ending.unit else ():
            self.play(Line(ending.unit, conn))
        for conn in tuple(self.session.state.connections):
            self.play(Line("fail" if conn in self.session.waiting else ending.leaving, conn))
        for queue in self._every_queue():
            self._sweep(queue)

    def before_the_end(self) -> None:
        """Make calls that show what the applications have not asked for yet."""

    def _every_queue(self) -> Sequence[str]:
        """Return the local queues, also those that have come since."""
        return tuple(dict.fromkeys((*self.queues(), *self.session.state.queues)))

    def _look(self, queue: str) -> None:
        self._get_all(_LOOKER, queue, MQOO.BROWSE, MQGMO.BROWSE_NEXT)

    def _sweep(self, queue: str) -> None:
        self._get_all(_SWEEPER, queue, MQOO.INPUT_SHARED, MQGMO.NONE)

    def _get_all(self, conn: str, queue: str, opening: int, way: int) -> None:
        """Inquire the depth of a queue, and get or browse its messages."""
        self.connect(conn)
        handle, inquires = self.new_name("h"), "inquire" in self.features
        options = opening | (MQOO.INQUIRE if inquires else 0)
        self.play(Line("open", conn, name=handle, queue=queue, options=options))
        if handle not in self.session.bindings.handles:
            return
        if inquires:
            self.play(Line("inq", handle=handle, inquired=("CurrentQDepth",)))
        for _ in range(self.MESSAGES_MOST + 1):
            exchange = self.play(Line("get", handle=handle, options=way))
            if exchange is None or exchange.reply["CompCode"]:
                return

    def play(self, line: Line) -> Exchange | None:
        """Carry out a line; None if the target cannot express it, or if a careful machine's model lacks it."""
        try:
            if self.CAREFUL and not self.session.foresees(line):
                return None
            exchange = self.session.play(line)
        except (TooManyStatesError, UntoldError) as error:
            self._search.rig.tally.undecided += 1
            raise SessionOverError from error  # this session cannot continue, others may
        except InapplicableError:
            return None
        except MqOracleError as error:
            begins = self.begins and isinstance(error, UsageError)
            if self.session.departures and not begins and not isinstance(error, TargetError):
                raise SessionOverError from error  # objects that the machine needs may be missing after a departure
            raise
        if line.verb != "get":
            self._in_vain = 0
        elif exchange.reply.get("Reason") == MQRC.NO_MSG_AVAILABLE:
            self._in_vain += 1
        if exchange.followed.departures:
            self._search.note(self.session.sightings[-len(exchange.followed.departures) :])
        if self.session.lost or self.session.is_over:
            raise SessionOverError  # the allowed outcomes are no longer known
        if self.session.possibilities > _POSSIBILITIES_MOST:
            raise SessionOverError  # nearly any outcome is allowed, and to find that out takes long
        return exchange

    def may_find(self) -> bool:
        """Return whether a get may find something: the latest few gets in a row have not been in vain."""
        return self._in_vain < _IN_VAIN_MOST

    def connect(self, conn: str) -> None:
        """Connect, unless connected."""
        if conn not in self.session.state.connections:
            self.play(Line("conn", conn))

    def new_name(self, kind: str) -> str:
        """Return a name that this session has not used."""
        self._names += 1
        name = f"{kind}{self._names}"
        return self.new_name(kind) if name in self._taken else name

    def said(self, group: Group) -> Group:
        """Return the words that may be used with this target, in this session."""
        words = said(group, self.features)
        if self._swarm is None:
            return words
        if group not in self._chosen:
            some = tuple(word for word in words if self._swarm.random() < 0.5)
            self._chosen[group] = some or (self._swarm.choice(words),)
        return self._chosen[group]

    def sayable(self, words: Group) -> Group:
        """Return the words that may be used with this target; there may be none."""
        return tuple(word for word in words if self.features.issuperset(word.features))

    def word(self, draws: Random, group: Group) -> Word:
        """Draw a word."""
        return any_of(draws, self.said(group))

    def words(self, draws: Random, groups: Sequence[Group]) -> Word:
        """Draw a word of each group."""
        return sum((self.word(draws, group) for group in groups), NOTHING)

    def free(self, connections: Sequence[str]) -> list[str]:
        """Return the connections that do not wait."""
        return [conn for conn in connections if conn not in self.session.waiting]

    def opened(self, name: str) -> Handle:
        """Return an open handle by its name."""
        bound = self.session.bindings.handles[name]
        return self.session.state.handles[bound.conn, bound.hobj]

    def handles(self, options: int = 0) -> list[str]:
        """Return the names of the open handles with any of these options, on connections that do not wait.

        A closed handle whose number the target has given to another is not among them.
        """
        state, waiting = self.session.state, self.session.waiting
        newest = {handle: name for name, handle in self.session.bindings.handles.items()}
        return [
            name
            for handle, name in newest.items()
            if handle.conn not in waiting
            and (opened := state.handles.get((handle.conn, handle.hobj))) is not None
            and (not options or opened.options & options)
        ]

    def can_put(self) -> bool:
        """Return whether there is a handle to put with, and room for another message."""
        return self.room() and bool(self.handles(MQOO.OUTPUT))

    def room(self) -> bool:
        """Return whether another message may be put."""
        return sum(len(queue.messages) for queue in self.session.state.queues.values()) < self.MESSAGES_MOST

    def units_of_work(self) -> list[str]:
        """Return the connections that have an open unit of work and do not wait."""
        connections, waiting = self.session.state.connections, self.session.waiting
        return [name for name, conn in connections.items() if conn.unit_of_work is not None and name not in waiting]

    def time_matters(self) -> bool:
        """Return whether some message expires, some call's wait or signal ends, or a mark lapses."""
        state = self.session.state
        waits = (conn.waiting for conn in state.connections.values())
        messages = [message for queue in state.queues.values() for message in queue.messages]
        return (
            any(wait is not None and wait.deadline_ms is not None for wait in waits)
            or any(handle.signal is not None for handle in state.handles.values())
            or any(each.descriptor.expiry != MQEI.UNLIMITED or each.co_op_marked_ms is not None for each in messages)
        )

    def _attributes(self, draws: Random, groups: Sequence[Group]) -> dict[str, Any]:
        return dict(self.words(draws, groups).members)


def any_of(draws: Random, values: Sequence[T]) -> T:
    """Draw one of the values."""
    return draws.choice(values)
