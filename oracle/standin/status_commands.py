"""PCF commands about the status of queues and of the queue manager.

Values that only monitoring collects are those of a queue manager without monitoring: times are blank, ages are -1.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Final

from oracle.errors import NotModelledError
from oracle.model.state import Queue
from oracle.mqi.constants import MQRC
from oracle.mqi.pcf import Command, CommandMessage, Failed, Parameter
from oracle.standin import connections
from oracle.standin.attribute_tables import Q_NAME
from oracle.standin.attributes import queue_counts
from oracle.standin.command_parts import Perform, Refused, Response, is_admitted, matching, name_in, number_in, response
from oracle.standin.manager import RunningQueueManager

_STATUS_TYPE: Final = 1103
_OF_QUEUE: Final = 1105
_QUEUE_STATUS_ATTRS: Final = 1026
_UNCOMMITTED: Final = 1027
_MONITORING: Final = 123
_OFF: Final = 0
_TIMES: Final = 1226
_OLDEST: Final = 1227
_NOT_AVAILABLE: Final = -1
_LAST_PUT_DATE, _LAST_PUT_TIME, _LAST_GET_DATE, _LAST_GET_TIME = 3128, 3129, 3130, 3131
_MEDIA_LOG: Final = 3073

_MANAGER_NAME: Final = 2015
_MANAGER_STATUS: Final = 1149
_MANAGER_STATUS_ATTRS: Final = 1229
_RUNNING, _QUIESCING = 2, 3
_CONNECTIONS: Final = 1230
_CHANNEL_INITIATOR: Final = 1232
_COMMAND_SERVER: Final = 1233
_SERVICE_STOPPED, _SERVICE_RUNNING = 0, 2
_START_DATE, _START_TIME = 3175, 3176

_LENGTHS: Final = {
    _LAST_PUT_DATE: 12,
    _LAST_PUT_TIME: 8,
    _LAST_GET_DATE: 12,
    _LAST_GET_TIME: 8,
    _MEDIA_LOG: 24,
    _START_DATE: 12,
    _START_TIME: 8,
}


def _inquire_queue_status(manager: RunningQueueManager, command: CommandMessage) -> list[Response]:
    name, state = name_in(command, Q_NAME), manager.state
    if number_in(command, _STATUS_TYPE, _OF_QUEUE) != _OF_QUEUE:
        raise NotModelledError("MQCMD_INQUIRE_Q_STATUS of another type than MQIACF_Q_STATUS")
    if name in state.definitions:
        raise Refused(Failed.Q_TYPE_ERROR)
    responses: list[Response] = []
    for each in matching(sorted(state.queues), name):
        values = _status(manager, state.queues[each])
        if is_admitted(command, values):
            wanted = command.parameters.get(_QUEUE_STATUS_ATTRS)
            responses.append(response(values, wanted, (Q_NAME, _STATUS_TYPE), _LENGTHS))
    if not responses:
        raise Refused(MQRC.UNKNOWN_OBJECT_NAME)
    return responses


def _status(manager: RunningQueueManager, queue: Queue) -> dict[int, Parameter]:
    uncommitted = sum(message.put_by is not None or message.got_by is not None for message in queue.messages)
    return {
        Q_NAME: queue.name,
        _STATUS_TYPE: _OF_QUEUE,
        **queue_counts(manager.state, queue),
        _UNCOMMITTED: uncommitted,
        _MONITORING: _OFF,
        _OLDEST: _NOT_AVAILABLE,
        _TIMES: (_NOT_AVAILABLE, _NOT_AVAILABLE),
        **dict.fromkeys((_LAST_PUT_DATE, _LAST_PUT_TIME, _LAST_GET_DATE, _LAST_GET_TIME, _MEDIA_LOG), ""),
    }


def _inquire_manager_status(manager: RunningQueueManager, command: CommandMessage) -> list[Response]:
    began = datetime.fromtimestamp(manager.state.epoch_ms / 1000, timezone.utc)
    values: dict[int, Parameter] = {
        _MANAGER_NAME: manager.name,
        _MANAGER_STATUS: _QUIESCING if manager.state.quiescing else _RUNNING,
        _CONNECTIONS: len(connections.of(manager)),
        _CHANNEL_INITIATOR: _SERVICE_STOPPED,
        _COMMAND_SERVER: _SERVICE_RUNNING,
        _START_DATE: f"{began:%Y-%m-%d}",
        _START_TIME: f"{began:%H.%M.%S}",
    }
    wanted = command.parameters.get(_MANAGER_STATUS_ATTRS)
    return [response(values, wanted, (_MANAGER_NAME, _MANAGER_STATUS), _LENGTHS)]


STATUS_COMMANDS: Final[Mapping[int, Perform]] = {
    Command.INQUIRE_Q_STATUS: _inquire_queue_status,
    Command.INQUIRE_Q_MGR_STATUS: _inquire_manager_status,
}
"""The function that carries out each of these commands, by its number (MQCMD)."""
