"""Administration by commands: messages on the command server's queue, answers on a queue made for them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from conformance.mqi.attributes import CUSTOM, DEFINED, OF_TYPE, OPEN_AS_DEFINED, Q_NAME, Q_TYPE, QUEUES_NAMED
from conformance.mqi.dispatch import Application, Dispatcher
from conformance.mqi.names import Names
from conformance.mqi.structures import characters, unpack
from conformance.mqi.troubles import GONE, of_command, of_connecting, of_end, shown
from conformance.mqi.verbs import Connection
from oracle.errors import InapplicableError, MqOracleError, TargetError
from oracle.mqi.binary import Values, byte_order, codec
from oracle.mqi.connection_layouts import NATIVE_ORDER, NATIVE_POINTERS
from oracle.mqi.constants import MQCC, MQCO, MQFMT, MQGMO, MQMO, MQMT, MQOO, MQPMO, MQRC
from oracle.mqi.definitions import QueueDefinition, define
from oracle.mqi.layouts import MQGMO as GET_OPTIONS
from oracle.mqi.layouts import MQMD, MQOD
from oracle.mqi.layouts import MQPMO as PUT_OPTIONS
from oracle.mqi.pcf import COMMAND_QUEUE, REPLY_MODEL_QUEUE, Command, CommandMessage, Failed, Kind, Parameter, Selector
from oracle.mqi.put_times import put_time_us

_ANSWER_MS: Final = 10_000
_LARGEST_ANSWER: Final = 100_000
_EXPIRY_TENTHS: Final = 600
_CAP: Final = DEFINED["CAPEXPRY"]
_SHARED: Final = MQOO.INPUT_SHARED
_NONE_FOUND: Final = (MQRC.UNKNOWN_OBJECT_NAME, Failed.NONE_FOUND, Failed.UNKNOWN_OBJECT_NAME)
_OF_ANY_QUEUE: Final = (MQRC.NOT_AUTHORIZED, Failed.OBJECT_ALREADY_EXISTS)
"""The reasons why no queue at all could be made."""
_REFUSED: Final = (Failed.CFIN_PARM_ID_ERROR, Failed.CFH_COMMAND_ERROR)


class CommandError(MqOracleError):
    """A command that failed, with its reason."""

    def __init__(self, doing: str, reason: int) -> None:
        super().__init__(f"{doing} failed ({reason})")
        self.doing, self.reason = doing, reason


@dataclass
class Administrator:
    """An administrator that makes and removes queues on a connection of its own.

    Every name here is that on the queue manager, except in definitions, whose names are those of a check.
    """

    dispatcher: Dispatcher
    """The dispatcher of its calls."""
    application: Application
    """Its connection."""
    platform: str
    """The platform of the queue manager."""
    variable: str
    """The environment variable for a password, for messages."""
    _command_queue: int = 0
    """The handle of the command server's queue; 0 while it is not open."""
    _reply_queue: int = 0
    """The handle of the queue for answers; 0 while it is not open."""
    _reply_name: str = ""
    """The name of the queue for answers; empty before it is made."""
    clock_ahead_s: float = 0.0
    """The difference of the queue manager's clock from this machine's at the last answer, as far as it is known."""

    @property
    def _manager(self) -> str:
        return self.dispatcher.manager

    def open(self, prefix: str) -> None:
        """Open the queues for commands and for answers; the latter is made under a prefix.

        Raises UsageError if that fails.
        """
        self._command_queue, _ = self._opened(COMMAND_QUEUE, MQOO.OUTPUT | MQOO.FAIL_IF_QUIESCING)
        options = MQOO.INPUT_EXCLUSIVE | MQOO.FAIL_IF_QUIESCING
        self._reply_queue, self._reply_name = self._opened(REPLY_MODEL_QUEUE, options, f"{prefix}REPLY.*")

    def close(self) -> None:
        """Close the open queues; the queue for answers is deleted by that."""
        hconn = self.application.connection.hconn
        for hobj in (self._reply_queue, self._command_queue):
            if hobj:
                self.dispatcher.direct(self.application, "close", hconn, hobj, MQCO.NONE)
        self._reply_queue = self._command_queue = 0

    def queues(self, prefix: str) -> dict[str, str]:
        """Return the types of the queues whose names begin with a prefix, without the queue for answers."""
        wanted: dict[int, Parameter] = {
            Q_NAME.selector: f"{prefix}*",
            Selector.Q_ATTRS: (Q_NAME.selector, Q_TYPE.selector),
        }
        try:
            answers = self._ask(Command.INQUIRE_Q, wanted, f"looking for queues {prefix}*")
        except CommandError as error:
            if error.reason in _NONE_FOUND:
                return {}
            raise of_command(self._manager, error.doing, error.reason) from error
        found = {
            str(answer.parameters[Q_NAME.selector]): str(Q_TYPE.back(int(str(answer.parameters[Q_TYPE.selector]))))
            for answer in answers
            if Q_NAME.selector in answer.parameters and Q_TYPE.selector in answer.parameters
        }
        found.pop(self._reply_name, None)
        return found

    def create(self, queue: Mapping[str, Any], names: Names) -> None:
        """Make a queue as a check defines it.

        Raises InapplicableError if the queue manager refuses the definition, UsageError if the right is missing.
        """
        definition = define(QueueDefinition, queue)
        if definition.qsg_disposition == "SHARED":
            raise InapplicableError("a shared queue needs a coupling facility structure that the suite does not know")
        if definition.type == "local" and definition.definition_type != "PREDEFINED":
            raise InapplicableError("a dynamic queue is made by opening a model queue, not by an administrator")
        if not names.fits(definition.name):
            raise InapplicableError(f"the name {definition.name} does not fit behind the prefix {names.prefix}")
        parameters = self._definition(definition, names)
        doing = f"making the queue {names.out(definition.name)}"
        cap = definition.cap_expiry
        if not cap:
            self._create(parameters, doing)
            return
        try:
            self._ask(Command.CREATE_Q, {**parameters, _CAP.selector: cap}, doing)
        except CommandError as error:
            if error.reason not in _REFUSED:
                raise self._refusal(error) from error
            # Before CAPEXPRY was an attribute it was a word in another attribute.
            self._create({**parameters, CUSTOM.selector: f"CAPEXPRY({cap})"}, doing)

    def alter(self, queue: Mapping[str, Any], attributes: Mapping[str, Any], names: Names) -> None:
        """Change attributes of a queue that a check has defined.

        Raises InapplicableError if the queue manager refuses that, or the right is missing.
        """
        definition = define(QueueDefinition, {**queue, **attributes})
        parameters = self._head(definition, names)
        for name, value in attributes.items():
            if name == "CAPEXPRY":
                parameters[_CAP.selector] = value or -1
            elif name in DEFINED and name != "IndexType":
                parameters[DEFINED[name].selector] = _out(name, value, names)
        try:
            self._ask(Command.CHANGE_Q, parameters, f"changing the queue {names.out(definition.name)}")
        except CommandError as error:
            raise self._refused(error) from error

    def delete(self, name: str, kind: str) -> bool:
        """Remove a queue with its messages; return whether it is gone: an open queue stays."""
        parameters: dict[int, Parameter] = {Q_NAME.selector: name}
        if kind == "local":
            parameters[Selector.PURGE] = 1
        try:
            self._ask(Command.DELETE_Q, parameters, f"removing the queue {name}")
        except CommandError as error:
            if error.reason in (Failed.OBJECT_OPEN, MQRC.OBJECT_IN_USE, MQRC.Q_NOT_EMPTY):
                return False
            if error.reason not in _NONE_FOUND:
                raise of_command(self._manager, error.doing, error.reason) from error
        return True

    def connected(self, identifier: bytes) -> bool | None:
        """Return whether a connection still exists; None if that cannot be asked."""
        wanted: dict[int, Parameter] = {Selector.CONNECTION_ID: identifier}
        try:
            return bool(self._ask(Command.INQUIRE_CONNECTION, wanted, "looking for a connection"))
        except CommandError as error:
            gone = (*_NONE_FOUND, Failed.CONNECTION_ID_ERROR)
            return False if error.reason in gone else None

    def _create(self, parameters: Mapping[int, Parameter], doing: str) -> None:
        try:
            self._ask(Command.CREATE_Q, parameters, doing)
        except CommandError as error:
            raise self._refusal(error) from error

    def _refusal(self, error: CommandError) -> MqOracleError:
        if error.reason in _OF_ANY_QUEUE:
            return of_command(self._manager, error.doing, error.reason)
        return self._refused(error)

    def _refused(self, error: CommandError) -> InapplicableError:
        return InapplicableError(f"{error.doing} was refused by {self._manager} ({shown(error.reason)})")

    def _head(self, definition: QueueDefinition, names: Names) -> dict[int, Parameter]:
        return {Q_NAME.selector: names.out(definition.name), Q_TYPE.selector: Q_TYPE.out(definition.type)}

    def _definition(self, definition: QueueDefinition, names: Names) -> dict[int, Parameter]:
        """Return the parameters of a definition, with every attribute that calls depend on."""
        parameters, kind = self._head(definition, names), definition.type
        values = definition.attributes()
        wanted = list(OF_TYPE["local" if kind == "model" else kind])
        if kind == "model":
            wanted.append("DefinitionType")
            if definition.definition_type == "PREDEFINED":
                values["DefinitionType"] = "TEMPORARY_DYNAMIC"
        if self.platform == "zos" and kind in ("local", "model"):
            wanted.append("IndexType")
        for name in wanted:
            if values[name] is not None:
                parameters[DEFINED[name].selector] = _out(name, values[name], names)
        if kind in ("local", "model"):
            parameters[OPEN_AS_DEFINED.selector] = _SHARED
        return parameters

    def _opened(self, name: str, options: int, dynamic: str = "") -> tuple[int, str]:
        values: Values = {"Version": 4, "ObjectName": name, "DynamicQName": dynamic}
        od = MQOD.encode(values, NATIVE_ORDER, pointer_size=NATIVE_POINTERS)
        hobj, after, comp_code, reason = self._call("open", od, options)
        if comp_code == MQCC.FAILED:
            raise of_command(self._manager, f"opening {name}", reason)
        return hobj, str(unpack(MQOD, after, Names(""))["ObjectName"])

    def _ask(self, command: Command, parameters: Mapping[int, Parameter], doing: str) -> list[CommandMessage]:
        """Give a command and return the answers.

        Raises CommandError if it failed, TargetError if there was no answer.
        """
        zos = self.platform == "zos"
        message = CommandMessage(command, parameters, Kind.COMMAND_XR if zos else Kind.COMMAND, version=3 if zos else 1)
        began = time.time()
        identifier = self._put(message, doing)
        answers: list[CommandMessage] = []
        while not answers or not answers[-1].last or (zos and answers[-1].kind != Kind.XR_SUMMARY):
            answers.append(self._get(identifier, doing, began))
        reasons = [answer.reason for answer in answers if answer.comp_code == MQCC.FAILED]
        if reasons:
            telling = [reason for reason in reasons if reason != Failed.COMMAND_FAILED]
            raise CommandError(doing, (telling or reasons)[0])
        return answers

    def _put(self, message: CommandMessage, doing: str) -> str:
        values: Values = {
            "MsgType": MQMT.REQUEST,
            "Format": MQFMT.ADMIN,
            "ReplyToQ": self._reply_name,
            "Expiry": _EXPIRY_TENTHS,
        }
        options = MQPMO.NO_SYNCPOINT | MQPMO.NEW_MSG_ID | MQPMO.FAIL_IF_QUIESCING
        md, _, comp_code, reason = self._call(
            "put",
            self._command_queue,
            MQMD.encode(values, NATIVE_ORDER),
            PUT_OPTIONS.encode({"Options": options}, NATIVE_ORDER),
            message.encode(NATIVE_ORDER),
        )
        if comp_code == MQCC.FAILED:
            raise of_command(self._manager, doing, reason)
        return str(MQMD.decode(md, NATIVE_ORDER)["MsgId"])

    def _get(self, identifier: str, doing: str, began: float) -> CommandMessage:
        options: Values = {
            "Version": 2,
            "Options": MQGMO.WAIT | MQGMO.NO_SYNCPOINT | MQGMO.FAIL_IF_QUIESCING | MQGMO.CONVERT,
            "WaitInterval": _ANSWER_MS,
            "MatchOptions": MQMO.MATCH_CORREL_ID,
        }
        md, _, data, _, _, comp_code, reason = self._call(
            "get",
            self._reply_queue,
            MQMD.encode({"CorrelId": identifier}, NATIVE_ORDER),
            GET_OPTIONS.encode(options, NATIVE_ORDER),
            _LARGEST_ANSWER,
        )
        if comp_code == MQCC.FAILED:
            raise of_command(self._manager, doing, reason)
        found = MQMD.decode(md, NATIVE_ORDER)
        self.clock_ahead_s = _ahead(put_time_us(str(found["PutDate"]), str(found["PutTime"])), began)
        order, charset = byte_order(int(found["Encoding"])), codec(int(found["CodedCharSetId"]))
        return CommandMessage.decode(data, order, charset)

    def _call(self, method: str, *arguments: Any) -> Any:
        values = self.dispatcher.direct(self.application, method, self.application.connection.hconn, *arguments)
        if values[-1] in GONE:
            raise of_end(self._manager, values[-1])
        return values


def connect(dispatcher: Dispatcher, connection: Connection, variable: str) -> Application:
    """Connect as the suite's own application.

    Raises UsageError if the queue manager refuses. `variable` is the environment variable of the password.
    """
    application = dispatcher.application(connection)
    values = dispatcher.direct(application, "connect", characters(connection.manager), connection.options)
    connection.hconn, _, comp_code, reason = values
    if comp_code == MQCC.FAILED:
        dispatcher.kill(application)
        raise of_connecting(connection.manager or "the default queue manager", reason, variable)
    return application


def leave(administrator: Administrator) -> None:
    """Close and disconnect, ignoring errors."""
    application = administrator.application
    with suppress(TargetError):
        administrator.close()
        administrator.dispatcher.direct(application, "disconnect", application.connection.hconn)
    administrator.dispatcher.kill(application)


def _ahead(put_us: int | None, began: float) -> float:
    """Return by how many seconds a put time is outside the interval since `began`, in which it must have been."""
    if put_us is None:
        return 0.0
    moment = put_us / 1_000_000
    return min(moment - began, 0.0) + max(moment - time.time(), 0.0)


def _out(name: str, value: Any, names: Names) -> Parameter:
    if name in QUEUES_NAMED:
        return names.out(value)
    if name == "rqmname":
        return names.manager_out(value)
    return DEFINED[name].out(value)
