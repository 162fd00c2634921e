"""The command server: it carries out the PCF commands on SYSTEM.ADMIN.COMMAND.QUEUE and answers them.

Queues are created, changed, inquired, cleared and deleted; the queue manager is changed, inquired and pinged. Other
commands of PCF fail with MQRC_FUNCTION_NOT_SUPPORTED (2298) and a warning that names them; an unknown number fails with
MQRCCF_CFH_COMMAND_ERROR (3007).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from oracle.errors import BadInputError, NotModelledError
from oracle.model.messages.messages import Messages
from oracle.model.state import Queue, State
from oracle.mqi import calls
from oracle.mqi.connection_layouts import NATIVE_ORDER
from oracle.mqi.constants import MQCC, MQEI, MQFMT, MQGMO, MQMO, MQMT, MQOO, MQPMO, MQRC, MQRO, NULL_ID
from oracle.mqi.definitions import OBJECT_NAME, QueueDefinition, altered, define
from oracle.mqi.layouts import byte_order
from oracle.mqi.pcf import COMMAND_QUEUE, REPLY_MODEL_QUEUE, Command, CommandMessage, Failed, Kind, Selector
from oracle.mqi.structures import GetMessageOptions, MessageDescriptor, PutMessageOptions
from oracle.standin.attribute_tables import NAME_LENGTH, Q_NAME, Q_TYPE, QUEUE_TYPES, Attribute
from oracle.standin.attributes import (
    CHARACTERS,
    OF_MANAGER,
    OF_TYPE,
    Values,
    definition_values,
    manager_values,
    queue_counts,
    split,
    warn_of_kept,
    warn_of_unknown,
)
from oracle.standin.command_numbers import name_of
from oracle.standin.command_parameters import OF_COMMANDS, Q_MGR_ATTRS, warn_of_unused
from oracle.standin.command_parts import (
    YES,
    Perform,
    Refused,
    Response,
    is_admitted,
    matching,
    name_in,
    number_in,
    response,
)
from oracle.standin.manager import RunningQueueManager
from oracle.standin.other_commands import OTHER_COMMANDS
from oracle.standin.status_commands import STATUS_COMMANDS
from oracle.standin.warning import warn_of_refusal

SYSTEM_QUEUES: Final = (
    {"name": COMMAND_QUEUE, "MaxMsgLength": 32768},
    {"name": "SYSTEM.DEFAULT.LOCAL.QUEUE"},
    {"name": REPLY_MODEL_QUEUE, "type": "model", "DefinitionType": "TEMPORARY_DYNAMIC", "Shareability": 0},
    {"name": "SYSTEM.DEAD.LETTER.QUEUE"},
)
"""The initial queues of a queue manager, as definitions of the model."""

_CONN: Final = "command server"
_LONGEST: Final = 1 << 22

_ALL_TYPES: Final = 1001


class CommandServer:
    """The command server of a running queue manager.

    `serve` carries out the commands that have come since its last call.
    """

    def __init__(self, manager: RunningQueueManager) -> None:
        self._manager = manager
        manager.perform(calls.Connect(_CONN))
        reply = manager.perform(calls.Open(_CONN, COMMAND_QUEUE, MQOO.INPUT_SHARED))
        self._hobj = reply.hobj or 0
        manager.services.append(self.serve)

    def serve(self) -> None:
        """Carry out the commands that have come, and put their responses."""
        while len(self._manager.state.queues[COMMAND_QUEUE].messages):
            options = GetMessageOptions(options=MQGMO.NO_SYNCPOINT, match_options=MQMO.NONE)
            reply = self._manager.perform(calls.Get(_CONN, self._hobj, MessageDescriptor(), options, _LONGEST))
            if reply.descriptor is None or reply.data is None:
                return
            self._answer(reply.descriptor, self._responses(reply.descriptor, reply.data))

    def _responses(self, descriptor: MessageDescriptor, data: bytes) -> list[bytes]:
        try:
            command = CommandMessage.decode(data, byte_order(descriptor.encoding))
        except BadInputError:
            return _written([_failure(0, Failed.COMMAND_FAILED)])
        if command.kind not in (Kind.COMMAND, Kind.COMMAND_XR):
            return _written([_failure(command.command, Failed.COMMAND_FAILED)])
        warn_of_unused(command)
        responses = self._carried_out(command)
        extended = command.kind == Kind.COMMAND_XR and self._manager.state.profile.platform == "zos"
        return _written(_extended(responses) if extended else responses)

    def _carried_out(self, command: CommandMessage) -> list[CommandMessage]:
        try:
            responses = COMMANDS.get(command.command, _unknown)(self._manager, command) or [{}]
        except Refused as refused:
            return [_failure(command.command, refused.reason)]
        except NotModelledError as error:
            warn_of_refusal(str(error))
            return [_failure(command.command, MQRC.FUNCTION_NOT_SUPPORTED)]
        return [CommandMessage(command.command, values, Kind.RESPONSE) for values in responses]

    def _answer(self, request: MessageDescriptor, responses: Iterable[bytes]) -> None:
        if request.msg_type != MQMT.REQUEST:
            return
        passes_expiry = request.report & MQRO.PASS_DISCARD_AND_EXPIRY
        descriptor = MessageDescriptor(
            msg_type=MQMT.REPLY,
            format=MQFMT.ADMIN,
            msg_id=request.msg_id if request.report & MQRO.PASS_MSG_ID else NULL_ID,
            correl_id=request.correl_id if request.report & MQRO.PASS_CORREL_ID else request.msg_id,
            persistence=request.persistence,
            expiry=request.expiry if passes_expiry else MQEI.UNLIMITED,
        )
        for data in responses:
            options = PutMessageOptions(options=MQPMO.NO_SYNCPOINT)
            with suppress(NotModelledError):  # the command has been carried out, whatever happens to its response
                self._manager.perform(calls.Put1(_CONN, request.reply_to_q, descriptor, options, data))


def _failure(command: int, reason: int) -> CommandMessage:
    return CommandMessage(command, {}, Kind.RESPONSE, MQCC.FAILED, reason)


def _extended(responses: list[CommandMessage]) -> list[CommandMessage]:
    """Return responses as z/OS gives them: items, or messages about a failure, and a summary after them."""
    failed = any(response.comp_code == MQCC.FAILED for response in responses)
    kind = Kind.XR_MSG if failed else Kind.XR_ITEM
    items = [replace(each, kind=kind) for each in responses if failed or each.parameters]
    code, reason = (MQCC.FAILED, int(Failed.COMMAND_FAILED)) if failed else (MQCC.OK, int(MQRC.NONE))
    return [*items, CommandMessage(responses[0].command, {}, Kind.XR_SUMMARY, code, reason)]


def _written(responses: list[CommandMessage]) -> list[bytes]:
    """Return the messages of a response with their numbers, the last of them marked."""
    return [
        replace(response, number=number, last=number == len(responses)).encode(NATIVE_ORDER)
        for number, response in enumerate(responses, 1)
    ]


def _attributes(command: CommandMessage) -> Values:
    """Return the attributes that a command gives an object."""
    return {
        selector: value
        for selector, value in command.parameters.items()
        if selector not in OF_COMMANDS and isinstance(value, (int, str))
    }


def _kind(command: CommandMessage, default: int = 1) -> str:
    number = number_in(command, Q_TYPE, default)
    for kind, each in QUEUE_TYPES.items():
        if each == number:
            return kind
    raise Refused(Failed.ATTR_VALUE_ERROR)


def _parted(owner: str, table: Mapping[int, Attribute], values: Values) -> tuple[dict[str, Any], Values]:
    """Split the attributes of a command, and warn of those that have no effect.

    Raises Refused for one that the object does not have, or that cannot be changed.
    """
    try:
        model, beside = split(table, values)
    except BadInputError:
        warn_of_unknown(values)
        characters = any(selector in CHARACTERS for selector in values if selector not in table)
        raise Refused(Failed.CFST_PARM_ID_ERROR if characters else Failed.CFIN_PARM_ID_ERROR) from None
    if any(table[selector].wrong(value) for selector, value in beside.items()):
        raise Refused(Failed.ATTR_VALUE_ERROR)
    warn_of_kept(owner, table, beside)
    return model, beside


def _definition(kind: str, name: str, values: Values) -> tuple[QueueDefinition, Values]:
    model, beside = _parted(name, OF_TYPE[kind], values)
    if kind == "model":
        model.setdefault("DefinitionType", "TEMPORARY_DYNAMIC")
    if not OBJECT_NAME.fullmatch(name):
        raise Refused(Failed.OBJECT_NAME_ERROR)
    try:
        return define(QueueDefinition, {**model, "name": name, "type": kind}), beside
    except BadInputError:
        raise Refused(Failed.ATTR_VALUE_ERROR) from None


def _create(manager: RunningQueueManager, command: CommandMessage) -> list[Response]:
    name, kind = name_in(command, Q_NAME), _kind(command)
    definition, beside = _definition(kind, name, _attributes(command))
    _define(manager, definition, beside, replaces=number_in(command, Selector.REPLACE) == YES)
    return []


def _copy(manager: RunningQueueManager, command: CommandMessage) -> list[Response]:
    source, name = name_in(command, Selector.FROM_Q_NAME), name_in(command, Selector.TO_Q_NAME)
    original = _existing(manager, source)
    model, given = _parted(name, OF_TYPE[original.type], _attributes(command))
    try:
        definition = altered(original.model_copy(update={"name": name}), model)
    except BadInputError:
        raise Refused(Failed.ATTR_VALUE_ERROR) from None
    beside = {**manager.beside.get(source, {}), **given}
    _define(manager, definition, beside, replaces=number_in(command, Selector.REPLACE) == YES)
    return []


def _define(manager: RunningQueueManager, definition: QueueDefinition, beside: Values, *, replaces: bool) -> None:
    """Define a queue. An existing one is changed if it may be replaced, and keeps its messages."""
    name = definition.name

    def edit(state: State) -> None:
        if not state.is_defined(name):
            state.define(definition)
        elif not replaces:
            raise Refused(Failed.OBJECT_ALREADY_EXISTS)
        elif state.definition_of(name).type != definition.type:
            raise Refused(Failed.OBJECT_WRONG_TYPE)
        elif name in state.queues:
            state.queues[name].definition = definition
        else:
            state.definitions[name] = definition

    manager.change(edit)
    manager.beside[name] = dict(beside)


def _change(manager: RunningQueueManager, command: CommandMessage) -> list[Response]:
    name = name_in(command, Q_NAME)
    definition = _existing(manager, name)
    if number_in(command, Q_TYPE, QUEUE_TYPES[definition.type]) != QUEUE_TYPES[definition.type]:
        raise Refused(Failed.OBJECT_WRONG_TYPE)
    model, beside = _parted(name, OF_TYPE[definition.type], _attributes(command))
    try:
        manager.perform(calls.Alter(name, model))
    except BadInputError:
        raise Refused(Failed.ATTR_VALUE_ERROR) from None
    manager.beside[name] = {**manager.beside.get(name, {}), **beside}
    return []


def _existing(manager: RunningQueueManager, name: str) -> QueueDefinition:
    if not manager.state.is_defined(name):
        raise Refused(MQRC.UNKNOWN_OBJECT_NAME)
    return manager.state.definition_of(name)


def _delete(manager: RunningQueueManager, command: CommandMessage) -> list[Response]:
    name = name_in(command, Q_NAME)
    definition = _existing(manager, name)
    if number_in(command, Q_TYPE, QUEUE_TYPES[definition.type]) != QUEUE_TYPES[definition.type]:
        raise Refused(Failed.Q_WRONG_TYPE)
    delete_queue(manager, name, purge=number_in(command, Selector.PURGE) == YES)
    return []


def delete_queue(manager: RunningQueueManager, name: str, *, purge: bool) -> None:
    """Delete a queue that is not open; one with messages only if they may be purged.

    Raises Refused if it does not exist, is in use, or is not empty.
    """
    definition = _existing(manager, name)

    def edit(state: State) -> None:
        if any(name in handle.path and not handle.queue_deleted for handle in state.handles.values()):
            raise Refused(MQRC.OBJECT_IN_USE)
        if definition.type != "local":
            del state.definitions[name]
            return
        if len(state.queues[name].messages) and not purge:
            raise Refused(MQRC.Q_NOT_EMPTY)
        _empty(state, state.queues[name])
        del state.queues[name]

    manager.change(edit)
    manager.beside.pop(name, None)


def _clear(manager: RunningQueueManager, command: CommandMessage) -> list[Response]:
    name = name_in(command, Q_NAME)
    if _existing(manager, name).type != "local":
        raise Refused(Failed.OBJECT_WRONG_TYPE)

    def edit(state: State) -> None:
        if any(True for _ in state.handles_of(name)):
            raise Refused(MQRC.OBJECT_IN_USE)
        _empty(state, state.queues[name])

    manager.change(edit)
    return []


def _empty(state: State, queue: Queue) -> None:
    """Discard the messages of a queue that is not open.

    Raises Refused if some of them belong to a unit of work.
    """
    if any(message.put_by is not None or message.got_by is not None for message in queue.messages):
        raise Refused(MQRC.Q_NOT_EMPTY)
    queue.messages = Messages()
    state.expiration_reports = tuple(each for each in state.expiration_reports if each[0] != queue.name)


def _inquire(manager: RunningQueueManager, command: CommandMessage) -> list[Response]:
    found = _matching(manager, name_in(command, Q_NAME), number_in(command, Q_TYPE, _ALL_TYPES))
    wanted = command.parameters.get(Selector.Q_ATTRS)
    responses: list[Response] = []
    for name in found:
        values = queue_values(manager, name)
        if is_admitted(command, values):
            responses.append(response(values, wanted, (Q_NAME, Q_TYPE, *(each.selector for each in command.filters))))
    return responses


def queue_values(manager: RunningQueueManager, name: str) -> Values:
    """Return every attribute of a queue, with its counts."""
    state = manager.state
    values = definition_values(state.definition_of(name), manager.beside.get(name, {}))
    if name in state.queues:
        values.update(queue_counts(state, state.queues[name]))
    return values


def _matching(manager: RunningQueueManager, pattern: str, kind: int) -> list[str]:
    """Return the names of the queues of a type that match a name, or a beginning with an asterisk.

    Raises Refused if there is none.
    """
    state = manager.state
    found = matching(sorted((*state.queues, *state.definitions)), pattern)
    return [name for name in found if kind in (_ALL_TYPES, QUEUE_TYPES[state.definition_of(name).type])]


def _inquire_names(manager: RunningQueueManager, command: CommandMessage) -> list[Response]:
    found = _matching(manager, name_in(command, Q_NAME), number_in(command, Q_TYPE, _ALL_TYPES))
    return [{Selector.Q_NAMES: tuple(name.ljust(NAME_LENGTH) for name in found)}]


def _inquire_manager(manager: RunningQueueManager, command: CommandMessage) -> list[Response]:
    values = manager_values(manager.state, manager.beside.get(None, {}))
    return [response(values, command.parameters.get(Q_MGR_ATTRS), always=(2015,))]


def _change_manager(manager: RunningQueueManager, command: CommandMessage) -> list[Response]:
    model, beside = _parted(manager.name, OF_MANAGER, _attributes(command))
    try:
        manager.perform(calls.Alter(None, model))
    except (BadInputError, NotModelledError):
        raise Refused(Failed.ATTR_VALUE_ERROR) from None
    manager.beside[None] = {**manager.beside.get(None, {}), **beside}
    return []


def _unknown(manager: RunningQueueManager, command: CommandMessage) -> list[Response]:
    name = name_of(command.command)
    if name is None:
        raise Refused(Failed.CFH_COMMAND_ERROR)
    raise NotModelledError(f"the command {name}")


def _ping(manager: RunningQueueManager, command: CommandMessage) -> list[Response]:
    return []


COMMANDS: Final[Mapping[int, Perform]] = {
    Command.CHANGE_Q_MGR: _change_manager,
    Command.INQUIRE_Q_MGR: _inquire_manager,
    Command.CHANGE_Q: _change,
    Command.CLEAR_Q: _clear,
    Command.COPY_Q: _copy,
    Command.CREATE_Q: _create,
    Command.DELETE_Q: _delete,
    Command.INQUIRE_Q: _inquire,
    Command.INQUIRE_Q_NAMES: _inquire_names,
    Command.PING_Q_MGR: _ping,
    **STATUS_COMMANDS,
    **OTHER_COMMANDS,
}
"""The function that carries out each command, by its number (MQCMD)."""
