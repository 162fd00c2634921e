"""The queue manager of a test, with its clock and its queues."""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import datetime
from typing import Any

from oracle.errors import BadInputError, NotModelledError, UsageError
from oracle.model.duration import advance, check_clock
from oracle.model.queue_manager import new_state
from oracle.model.reply import Reply
from oracle.mqi import calls
from oracle.mqi.constants import MQGMO, MQMO, MQOO, MQPMO
from oracle.mqi.definitions import QueueDefinition, QueueManagerDefinition, define
from oracle.mqi.profile import PlatformName, Profile
from oracle.mqi.structures import GetMessageOptions, MessageDescriptor, PutMessageOptions, descriptor_of
from oracle.standin import commands, connections, extension
from oracle.standin.applications import program_of, user_of
from oracle.standin.manager import Clock, RunningQueueManager
from oracle.standin.options import look_at
from oracle.testing import naming
from oracle.testing.checking import check_listen, check_message, check_queue, check_queues, check_run
from oracle.testing.messages import StoredMessage, stored_message, with_properties

_TEST = "test"
_WHOLE = 1 << 30
"""The length in bytes of a buffer for any message."""


class QueueManager:
    """A running queue manager in a test.

    `running` carries out the calls. `port` is the port on which it listens; None if it does not.
    """

    def __init__(self, running: RunningQueueManager) -> None:
        self.running = running
        self.port: int | None = None
        running.aside.add(_TEST)
        running.perform(calls.Connect(_TEST, user_of(), program_of()))

    @property
    def name(self) -> str:
        """The queue manager's name."""
        return self.running.name

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules behind the last call of a program, not of this object; `mq-oracle rules ID` prints one."""
        return self.running.rules

    def define(self, queue: str | QueueDefinition, **attributes: Any) -> None:
        """Define a queue, by a name and attributes such as `MaxQDepth=10` or `BackoutThreshold=3`.

        Raises BadInputError for an invalid attribute or a name that is taken.
        """
        definition, beside = _definition(queue, attributes)
        self.running.change(lambda state: state.define(definition))
        self.running.beside[definition.name] = beside

    def alter(self, queue: str | None, **attributes: Any) -> None:
        """Change attributes of a queue, or of the queue manager (None).

        Raises BadInputError for an invalid attribute, and for a queue that does not exist.
        """
        if queue is None:
            model, beside = naming.of_manager(self.name, attributes)
        else:
            defined = self.running.state.is_defined(queue)
            kind = self.running.state.definition_of(queue).type if defined else "local"
            if {"name", "type", "QName", "QType"} & attributes.keys():
                raise BadInputError(f"name and type of {queue} cannot be changed; define another queue")
            model, beside = naming.of_queue(queue, kind, attributes)
        self.running.perform(calls.Alter(queue, model))
        self.running.beside.setdefault(queue, {}).update(beside)

    def put(
        self,
        queue: str,
        data: bytes | str = b"",
        *,
        options: int = MQPMO.NO_SYNCPOINT,
        properties: Mapping[str, Any] | None = None,
        **members: Any,
    ) -> bytes:
        """Put a message, and return its MsgId; `members` are those of MQMD in snake case, such as `priority`.

        Values of properties are text, bytes, numbers, truth values, or None.

        Raises BadInputError for a member or a property of a wrong type, NotModelledError for a refused option, and
        UsageError if the put fails.
        """
        check_message(queue, data, members)
        look_at("MQPMO", options)
        text = {"format": "MQSTR", "coded_char_set_id": 1208} if isinstance(data, str) else {}
        descriptor = descriptor_of({**text, **members})
        body = data.encode("utf-8") if isinstance(data, str) else data
        descriptor, body = with_properties(properties or {}, descriptor, body)
        call = calls.Put1(_TEST, queue, descriptor, PutMessageOptions(options=options), body)
        reply = self.running.perform(call)
        if reply.descriptor is None:
            raise UsageError(f"the message could not be put to {queue}: {reply}")
        return reply.descriptor.msg_id

    def get(self, queue: str) -> StoredMessage | None:
        """Get the next message; None if there is none.

        Raises UsageError if the queue cannot be read, and NotModelledError for a message whose properties the model
        cannot separate from its data, such as one with two MQRFH2.
        """
        with self._opened(queue, MQOO.INPUT_SHARED) as hobj:
            return stored_message(self._got(hobj, MQGMO.NO_SYNCPOINT))

    def messages(self, queue: str) -> list[StoredMessage]:
        """Return the messages that a program could get now, in order, without removing them.

        Raises UsageError and NotModelledError as `get` does.
        """
        found: list[StoredMessage] = []
        with self._opened(queue, MQOO.BROWSE) as hobj:
            while (message := stored_message(self._got(hobj, MQGMO.BROWSE_NEXT))) is not None:
                found.append(message)
        return found

    def depth(self, queue: str) -> int:
        """Return CurrentQDepth, which counts messages of open units of work that put them.

        Raises UsageError if there is no such queue.
        """
        with self._opened(queue, MQOO.INQUIRE) as hobj:
            reply = self.running.perform(calls.Inquire(_TEST, hobj, ("CurrentQDepth",)))
        return int((reply.values or {})["CurrentQDepth"])

    def advance(self, seconds: float = 0.0, tenths: int = 0) -> None:
        """Let time pass: messages expire, and waits end.

        Raises BadInputError for an invalid time, or one longer than seven years.
        """
        call = advance(seconds, tenths)
        with self.running.changed:
            check_clock(self.running.state, call)
            self.running.perform(call)

    @property
    def seconds(self) -> float:
        """The virtual time since the start of the queue manager, in seconds."""
        return self.running.state.now_ms / 1000

    def quiesce(self) -> None:
        """Begin to quiesce: calls with FAIL_IF_QUIESCING fail from now on."""
        self.running.perform(calls.Quiesce())

    def break_connections(self) -> int:
        """Break the connections of programs, as when their channel ends, and return their number.

        Their units of work are backed out, and their calls fail with MQRC_CONNECTION_BROKEN (2009). They may connect
        again.
        """
        with self.running.changed:
            state = self.running.state
            # Those that wait come first, or they would get messages that the others have backed out.
            broken = sorted(connections.of(self.running), key=lambda each: state.connections[each.conn].waiting is None)
            for connection in broken:
                connections.fail(connection.hconn)
        return len(broken)

    def until_waiting(self, threads: int = 1, timeout: float = 10.0) -> None:
        """Block until `count` threads wait in MQGET.

        `timeout` is in seconds of real time. Raises UsageError at the time-out.
        """
        end = time.monotonic() + timeout
        with self.running.changed:
            while self.running.waiting() < threads:
                left = end - time.monotonic()
                if left <= 0:
                    raise UsageError(
                        f"after {timeout} seconds {self.running.waiting()} threads wait in MQGET, not {threads}"
                    )
                self.running.changed.wait(left)

    @contextmanager
    def _opened(self, queue: str, options: int) -> Iterator[int]:
        reply = self.running.perform(calls.Open(_TEST, queue, options))
        if reply.hobj is None:
            raise UsageError(f"{queue} could not be opened: {reply}")
        try:
            yield reply.hobj
        finally:
            self.running.perform(calls.Close(_TEST, reply.hobj))

    def _got(self, hobj: int, options: int) -> Reply:
        try:
            return self.running.perform(self._get(hobj, options | MQGMO.PROPERTIES_FORCE_MQRFH2))
        except NotModelledError:  # the message begins with an MQRFH2 that cannot be read, so it has no properties
            return self.running.perform(self._get(hobj, options))

    def _get(self, hobj: int, options: int) -> calls.Get:
        gmo = GetMessageOptions(options=options, match_options=MQMO.NONE)
        return calls.Get(_TEST, hobj, MessageDescriptor(), gmo, _WHOLE, identity=self.running.next_identity())


@contextmanager
def queue_manager(
    queues: Iterable[str | QueueDefinition | Mapping[str, Any]] = (),
    *,
    name: str = "QM1",
    platform: PlatformName = "distributed",
    clock: Clock = "virtual",
    credentials: Mapping[str, str] | None = None,
    began: datetime | None = None,
    library: bool = False,
    listen: int | None = None,
    **attributes: Any,
) -> Iterator[QueueManager]:
    """Run a queue manager for the length of a block, to which code with `ibmmq` connects.

    Its options are keyword arguments and not an object, so a test names only the one or two that it changes, as with
    pytest's own functions, and needs no further import.

    `queues` are names, definitions, or attributes by name; `attributes` are those of the queue manager. With
    `credentials`, passwords by user, only these users may connect; an empty user stands for programs that name none.
    `began` is the time at the beginning of the block, for PutDate and PutTime; the default is 2024-01-01 00:00 UTC.
    `clock` says what moves the clock besides `advance`: waits that nobody else can end ("virtual"), real time ("real"),
    or nothing ("manual"). With `library`, calls come through IBM's own extension module and a shared library that takes
    the place of IBM's; it needs a C compiler, and a process in which `ibmmq` has not been imported before. With
    `listen`, clients of any language connect to that port of the loopback address; 0 takes a free one, which
    `QueueManager.port` returns. Raises BadInputError for an invalid argument or attribute, and UsageError if a queue
    manager with that name runs already, or if the port is taken.
    """
    check_listen(listen)
    manager = new_queue_manager(
        queues, name=name, platform=platform, clock=clock, credentials=credentials, began=began, **attributes
    )
    with ExitStack() as block:
        if library:
            from oracle.standin.library import serve  # noqa: PLC0415 - it is compiled where it is asked for

            serve()
        connections.start(manager.running)
        block.callback(connections.stop, manager.running)
        client = _client()
        if client is not None and not library:
            block.enter_context(extension.take_the_place_of(client))
        if listen is not None:
            from oracle.network.server import Server  # noqa: PLC0415 - few tests need the network

            server = Server(manager.running, port=listen)
            server.start()
            block.callback(server.stop)
            manager.port = server.port
        yield manager


def new_queue_manager(
    queues: Iterable[str | QueueDefinition | Mapping[str, Any]] = (),
    *,
    name: str = "QM1",
    platform: PlatformName = "distributed",
    clock: Clock = "virtual",
    credentials: Mapping[str, str] | None = None,
    began: datetime | None = None,
    **attributes: Any,
) -> QueueManager:
    """Return a queue manager to which nobody can connect yet; the arguments are those of `queue_manager`.

    Raises BadInputError for an invalid argument or attribute.
    """
    check_queues(queues)
    check_run(platform, clock, began, credentials)
    of_manager, beside = naming.of_manager(name, attributes)
    definition = define(QueueManagerDefinition, {"name": name, **of_manager})
    system = [define(QueueDefinition, each) for each in commands.SYSTEM_QUEUES]
    state = new_state(system, definition, Profile(platform=platform, headers_as_put=True))
    if began is not None:
        state.epoch_ms = round(began.timestamp() * 1000)
    running = RunningQueueManager(state, clock=clock, credentials=credentials)
    running.beside[None] = beside
    commands.CommandServer(running)
    manager = QueueManager(running)
    for queue in queues:
        check_definition(queue)
        if isinstance(queue, Mapping):
            manager.define(_name_of(queue), **_without_name(queue))
        else:
            manager.define(queue)
    return manager


def check_definition(queue: str | QueueDefinition | Mapping[str, Any]) -> None:
    """Raise BadInputError for a queue that cannot be defined: it has a wrong name, or a wrong attribute."""
    check_queue(queue)
    if isinstance(queue, Mapping):
        _definition(_name_of(queue), _without_name(queue))
    else:
        _definition(queue, {})


def _client() -> Any:
    """Return the extension module that `ibmmq` uses; None if IBM's client is not installed."""
    extension.offer()
    try:
        package = importlib.import_module("ibmmq")
    except ModuleNotFoundError as error:
        if error.name == "ibmmq":
            return None
        raise
    return package.ibmmqc


def _name_of(attributes: Mapping[str, Any]) -> str:
    return str(attributes["name"] if "name" in attributes else attributes["QName"])


def _without_name(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if name not in ("name", "QName")}


def _definition(queue: str | QueueDefinition, attributes: Mapping[str, Any]) -> tuple[QueueDefinition, dict[int, Any]]:
    if isinstance(queue, QueueDefinition):
        return queue, naming.of_queue(queue.name, queue.type, attributes)[1]
    kind = naming.kind_of(attributes)
    model, beside = naming.of_queue(queue, kind, attributes)
    if kind == "model":
        model.setdefault("DefinitionType", "TEMPORARY_DYNAMIC")
    return define(QueueDefinition, {**model, "name": queue}), beside
