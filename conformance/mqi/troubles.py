"""Explanations of reason codes for a run that cannot begin or continue, with what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from oracle.errors import TargetGoneError, UsageError
from oracle.mqi.constants import MQRC

_CONNECTING: Final[Mapping[int, str]] = {
    MQRC.NOT_AUTHORIZED: (
        "the user may not connect: give --user and the password in {variable}, or let an administrator grant +connect "
        "and +inq, and look at the channel's authentication records"
    ),
    MQRC.Q_MGR_NAME_ERROR: (
        "there is no queue manager of this name here: write its name as dspmq shows it, or reach it as a client with "
        "--channel and --host"
    ),
    MQRC.Q_MGR_NOT_AVAILABLE: "it does not run: start it and its listener, and check --host and --port",
    MQRC.HOST_NOT_AVAILABLE: "nobody answers there: check --host and --port, and that the listener runs",
    MQRC.UNKNOWN_CHANNEL_NAME: "it has no such server-connection channel: check --channel",
    MQRC.CHANNEL_NOT_AVAILABLE: "the channel is stopped or blocked: check --channel and its authentication records",
    MQRC.CHANNEL_CONFIG_ERROR: "the channel's definition does not fit: check --channel",
    MQRC.SSL_INITIALIZATION_ERROR: "TLS could not begin: check the client's configuration, mqclient.ini or the CCDT",
    MQRC.Q_MGR_QUIESCING: "it is quiescing: start it again",
    MQRC.Q_MGR_STOPPING: "it is stopping: start it again",
    MQRC.CONNECTION_QUIESCING: "the connection is quiescing: try again when it does not",
    MQRC.MAX_CONNS_LIMIT_REACHED: "it has too many connections already: give fewer --jobs, or raise its limit",
    MQRC.ENVIRONMENT_ERROR: "the library does not serve this way of connecting: give another with --library",
    MQRC.FUNCTION_NOT_SUPPORTED: "the library does not serve this way of connecting: give another with --library",
}

GONE: Final = frozenset(
    {
        MQRC.CONNECTION_BROKEN,
        MQRC.Q_MGR_NOT_AVAILABLE,
        MQRC.HOST_NOT_AVAILABLE,
        MQRC.Q_MGR_QUIESCING,
        MQRC.Q_MGR_STOPPING,
        MQRC.CONNECTION_QUIESCING,
        MQRC.CONNECTION_STOPPING,
    }
)
"""Reasons after which nothing more is possible: the suite itself never makes a real queue manager quiesce."""

_COMMANDS: Final[Mapping[int, str]] = {
    MQRC.NOT_AUTHORIZED: (
        "the user may not: let an administrator grant it, or have the queues made from what mq-conform mqsc prints and "
        "name them with --predefined"
    ),
    MQRC.UNKNOWN_OBJECT_NAME: (
        "the queue manager has no such queue: is its command server set up? Else have the queues made from what "
        "mq-conform mqsc prints and name them with --predefined"
    ),
    MQRC.NO_MSG_AVAILABLE: "there was no answer: start the command server (strmqcsv), or use --predefined",
}


def of_connecting(name: str, reason: int, variable: str) -> UsageError:
    """Return the error for a queue manager that refuses a connection."""
    what = _CONNECTING.get(reason, "look the reason up in its documentation").format(variable=variable)
    return UsageError(f"{name} cannot be connected to ({shown(reason)}): {what}")


def of_command(name: str, doing: str, reason: int) -> UsageError:
    """Return the error for an authority or an object that is missing for administration."""
    what = _COMMANDS.get(reason, "look the reason up in its documentation")
    return UsageError(f"{doing} on {name} did not work ({shown(reason)}): {what}")


def of_end(name: str, reason: int) -> TargetGoneError:
    """Return the error for a queue manager that has ended in mid-run."""
    return TargetGoneError(
        f"{name} ended during the run ({shown(reason)}): start it again and repeat the run; what could not be removed "
        "has names that begin with the queue prefix"
    )


def shown(reason: int) -> str:
    """Return a reason with its number and name."""
    name = MQRC.describe(reason)
    return name if name == str(reason) else name.replace(" ", " MQRC_")
