"""The parameters that each PCF command uses; others have no effect, and a warning says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from oracle.mqi.pcf import Command, CommandMessage, Selector
from oracle.standin.attribute_tables import Q_NAME, Q_TYPE
from oracle.standin.command_numbers import COMMANDS, name_of
from oracle.standin.warning import warn

Q_MGR_ATTRS: Final = 1001
_Q_STATUS_ATTRS, _Q_STATUS_TYPE, _Q_MGR_STATUS_ATTRS = 1026, 1103, 1229
_NAMELIST, _NAMES, _NAMELIST_ATTRS = 2010, 2020, 1004
_AUTH_INFO, _AUTH_INFO_ATTRS = 2045, 1019

OF_COMMANDS: Final = frozenset({*Selector, Q_MGR_ATTRS, Q_NAME, Q_TYPE})
"""The parameters that are not attributes of the object that a command creates or changes."""

_ANYWHERE: Final = frozenset({Selector.COMMAND_SCOPE})
"""The parameters that docs/unit-tests.md explains: there is one queue manager."""

_LOOKED_AT: Final[Mapping[int, frozenset[int]]] = {
    Command.CHANGE_Q_MGR: frozenset({Selector.FORCE}),
    Command.INQUIRE_Q_MGR: frozenset({Q_MGR_ATTRS}),
    Command.CHANGE_Q: frozenset({Q_NAME, Q_TYPE, Selector.FORCE}),
    Command.CLEAR_Q: frozenset({Q_NAME}),
    Command.COPY_Q: frozenset({Selector.FROM_Q_NAME, Selector.TO_Q_NAME, Q_TYPE, Selector.REPLACE}),
    Command.CREATE_Q: frozenset({Q_NAME, Q_TYPE, Selector.REPLACE}),
    Command.DELETE_Q: frozenset({Q_NAME, Q_TYPE, Selector.PURGE}),
    Command.INQUIRE_Q: frozenset({Q_NAME, Q_TYPE, Selector.Q_ATTRS}),
    Command.INQUIRE_Q_NAMES: frozenset({Q_NAME, Q_TYPE}),
    Command.PING_Q_MGR: frozenset(),
    Command.INQUIRE_Q_STATUS: frozenset({Q_NAME, _Q_STATUS_TYPE, _Q_STATUS_ATTRS}),
    Command.INQUIRE_Q_MGR_STATUS: frozenset({_Q_MGR_STATUS_ATTRS}),
    Command.INQUIRE_CONNECTION: frozenset(
        {Selector.CONNECTION_ID, Selector.GENERIC_CONNECTION_ID, Selector.CONNECTION_ATTRS}
    ),
    Command.STOP_CONNECTION: frozenset({Selector.CONNECTION_ID}),
    COMMANDS["CREATE_NAMELIST"]: frozenset({_NAMELIST, _NAMES, Selector.REPLACE}),
    COMMANDS["DELETE_NAMELIST"]: frozenset({_NAMELIST}),
    COMMANDS["INQUIRE_NAMELIST"]: frozenset({_NAMELIST, _NAMELIST_ATTRS}),
    COMMANDS["INQUIRE_AUTH_INFO"]: frozenset({_AUTH_INFO, _AUTH_INFO_ATTRS}),
}

_WITH_ATTRIBUTES: Final = frozenset({Command.CHANGE_Q_MGR, Command.CHANGE_Q, Command.COPY_Q, Command.CREATE_Q})
"""The commands with attributes: those of no object are refused, and need no warning here."""


def warn_of_unused(command: CommandMessage) -> None:
    """Warn of the parameters that a command does not use."""
    looked_at = _LOOKED_AT.get(command.command)
    if looked_at is None:
        return
    for selector in command.parameters:
        given_to_object = command.command in _WITH_ATTRIBUTES and selector not in OF_COMMANDS
        if selector not in looked_at | _ANYWHERE and not given_to_object:
            warn(f"the parameter {selector} of {name_of(command.command)} has no effect on the stand-in")
