"""PCF commands about objects that the model lacks: namelists, connections, authentication and authorities.

Namelists are kept and have no effect. Authorities are granted without effect, because a user who may connect may do
everything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from weakref import WeakKeyDictionary

from oracle.mqi.pcf import CommandMessage, Failed, Parameter, Selector
from oracle.standin import connections
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

_NAMELIST: Final = 2010
_NAMES: Final = 2020
_NAME_COUNT: Final = 19
_NAME_LENGTH: Final = 48

_AUTH_INFO_NAME: Final = 2045
_AUTH_INFO: Final = "SYSTEM.DEFAULT.AUTHINFO.IDPWOS"
_AUTH_INFO_TYPE: Final = 66
_IDPW_OS: Final = 3
_CHECK_CLIENT: Final = 258
_CHECK_OPTIONAL, _CHECK_REQUIRED = 0, 3

_APPL_TYPE: Final = 1
_USER: Final = 25
_CHANNEL_NAME: Final = 3501
_CONNECTION_NAME: Final = 3506
_CONN_INFO_TYPE: Final = 1110
_CONN_INFO_CONN: Final = 1111
_LENGTHS: Final = {_CHANNEL_NAME: 20, _CONNECTION_NAME: 264, _AUTH_INFO_NAME: _NAME_LENGTH, _NAMELIST: _NAME_LENGTH}

_NAMELIST_ATTRS, _AUTH_INFO_ATTRS = 1004, 1019

_namelists: WeakKeyDictionary[RunningQueueManager, dict[str, tuple[str, ...]]] = WeakKeyDictionary()


def _create_namelist(manager: RunningQueueManager, command: CommandMessage) -> list[Response]:
    name, names = name_in(command, _NAMELIST), command.parameters.get(_NAMES, ())
    lists = _namelists.setdefault(manager, {})
    if name in lists and number_in(command, Selector.REPLACE) != YES:
        raise Refused(Failed.OBJECT_ALREADY_EXISTS)
    lists[name] = tuple(each for each in names if isinstance(each, str)) if isinstance(names, tuple) else ()
    return []


def _delete_namelist(manager: RunningQueueManager, command: CommandMessage) -> list[Response]:
    lists = _namelists.get(manager, {})
    for name in matching(list(lists), name_in(command, _NAMELIST)):
        del lists[name]
    return []


def _inquire_namelist(manager: RunningQueueManager, command: CommandMessage) -> list[Response]:
    lists = _namelists.get(manager, {})
    responses: list[Response] = []
    for name in matching(sorted(lists), name_in(command, _NAMELIST)):
        values: dict[int, Parameter] = {_NAMELIST: name, _NAME_COUNT: len(lists[name])}
        if lists[name]:
            values[_NAMES] = tuple(each.ljust(_NAME_LENGTH) for each in lists[name])
        responses.append(response(values, command.parameters.get(_NAMELIST_ATTRS), (_NAMELIST,), _LENGTHS))
    return responses


def _inquire_connection(manager: RunningQueueManager, command: CommandMessage) -> list[Response]:
    responses: list[Response] = []
    wanted = command.parameters.get(Selector.CONNECTION_ID)
    generic = command.parameters.get(Selector.GENERIC_CONNECTION_ID, b"")
    beginning = generic if isinstance(generic, bytes) else b""
    for connection in connections.of(manager):
        values: dict[int, Parameter] = {
            Selector.CONNECTION_ID: connection.identifier,
            _CONN_INFO_TYPE: _CONN_INFO_CONN,
            _APPL_TYPE: _USER,
            _CHANNEL_NAME: connection.channel,
            _CONNECTION_NAME: "127.0.0.1" if connection.channel else "",
        }
        meant = wanted in (None, connection.identifier) and connection.identifier.startswith(beginning)
        if meant and is_admitted(command, values):
            attributes = command.parameters.get(Selector.CONNECTION_ATTRS)
            responses.append(response(values, attributes, (Selector.CONNECTION_ID, _CONN_INFO_TYPE), _LENGTHS))
    if not responses:
        raise Refused(Failed.CONNECTION_ID_ERROR if wanted is not None else Failed.NONE_FOUND)
    return responses


def _stop_connection(manager: RunningQueueManager, command: CommandMessage) -> list[Response]:
    wanted = command.parameters.get(Selector.CONNECTION_ID)
    for connection in connections.of(manager):
        if connection.identifier == wanted:
            connections.fail(connection.hconn)
            return []
    raise Refused(Failed.CONNECTION_ID_ERROR)


def _inquire_auth_info(manager: RunningQueueManager, command: CommandMessage) -> list[Response]:
    matching([_AUTH_INFO], name_in(command, _AUTH_INFO_NAME))
    values: dict[int, Parameter] = {
        _AUTH_INFO_NAME: _AUTH_INFO,
        _AUTH_INFO_TYPE: _IDPW_OS,
        _CHECK_CLIENT: _CHECK_OPTIONAL if "" in (manager.credentials or {"": ""}) else _CHECK_REQUIRED,
    }
    return [response(values, command.parameters.get(_AUTH_INFO_ATTRS), (_AUTH_INFO_NAME, _AUTH_INFO_TYPE), _LENGTHS)]


def _set_authority(manager: RunningQueueManager, command: CommandMessage) -> list[Response]:
    return []


OTHER_COMMANDS: Final[Mapping[int, Perform]] = {
    34: _create_namelist,
    35: _delete_namelist,
    36: _inquire_namelist,
    83: _inquire_auth_info,
    85: _inquire_connection,
    86: _stop_connection,
    90: _set_authority,
}
"""The function that carries out each of these commands, by its number (MQCMD)."""
