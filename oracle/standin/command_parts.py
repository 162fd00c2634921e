"""Common parts of the PCF commands: failures, parameters, and the responses to inquiries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from oracle.errors import BadInputError, NotModelledError
from oracle.mqi.constants import MQRC
from oracle.mqi.pcf import CommandMessage, Failed, Parameter, Selector
from oracle.standin.attributes import EVERY, warn_of_unknown
from oracle.standin.manager import RunningQueueManager

Response = dict[int, Parameter]
Perform = Callable[[RunningQueueManager, CommandMessage], list[Response]]

YES: Final = 1
"""MQRP_YES and MQPO_YES."""


class Refused(Exception):  # noqa: N818 - it is an outcome of a command
    """A command fails for this reason, one of MQRC or of MQRCCF."""

    def __init__(self, reason: int) -> None:
        super().__init__(f"the command fails with reason {reason}")
        self.reason = reason


def name_in(command: CommandMessage, selector: int) -> str:
    """Return a parameter that is a name.

    Raises Refused if it is missing.
    """
    value = command.parameters.get(selector)
    if not isinstance(value, str) or not value:
        raise Refused(Failed.PARM_MISSING)
    return value


def number_in(command: CommandMessage, selector: int, default: int = 0) -> int:
    """Return a parameter that is a number."""
    value = command.parameters.get(selector, default)
    return value if isinstance(value, int) else default


def is_admitted(command: CommandMessage, values: Mapping[int, Parameter]) -> bool:
    """Return whether an object with these attributes passes the filters of an inquiry.

    Raises NotModelledError for an operator that is not known here.
    """
    warn_of_unknown(each.selector for each in command.filters)
    try:
        return all(
            isinstance(value := values.get(each.selector), (int, str, bytes)) and each.admits(value)
            for each in command.filters
        )
    except BadInputError as error:
        raise NotModelledError(str(error)) from None


def matching(names: list[str], wanted: str) -> list[str]:
    """Return the names that match a name, or a beginning with an asterisk. Raises Refused if there is none."""
    found = [name for name in names if name == wanted or (wanted.endswith("*") and name.startswith(wanted[:-1]))]
    if not found:
        raise Refused(MQRC.UNKNOWN_OBJECT_NAME)
    return found


def response(
    values: Mapping[int, Parameter],
    wanted: object,
    always: tuple[int, ...] = (),
    lengths: Mapping[int, int] | None = None,
) -> Response:
    """Return the attributes of an inquiry: the requested selectors or else all, and those that it always returns.

    `lengths` are those of character values whose selectors are in no table of attributes.
    """
    all_of_them = not isinstance(wanted, tuple) or Selector.ALL in wanted
    found: Response = {}
    if isinstance(wanted, tuple):
        warn_of_unknown(each for each in wanted if isinstance(each, int) and each not in values)
    for selector in dict.fromkeys((*always, *(values if all_of_them or not isinstance(wanted, tuple) else wanted))):
        value = values.get(selector)
        if isinstance(value, str):
            length = (lengths or {}).get(selector) or EVERY[selector].length
            found[selector] = value.ljust(length)[:length]
        elif value is not None:
            found[selector] = value
    return found
