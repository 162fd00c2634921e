"""The options of `--target mqi:QM1`: the connection to a queue manager."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from conformance.commands.common import fail, readable_file
from conformance.mqi.definitions import read_predefined
from conformance.mqi.options import (
    DEFAULT_PORT,
    DEFAULT_PREFIX,
    PASSWORD_VARIABLE,
    TARGET_PREFIX,
    MqiOptions,
)
from oracle.errors import MqOracleError, UsageError
from oracle.text.yaml_files import read_text

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--library", metavar="PATH", help="With mqi: the MQ client's library libmqm_r, or its folder."),
    click.option("--channel", metavar="NAME", help="With mqi: the server-connection channel, to connect as a client."),
    click.option("--host", metavar="HOST", help="With mqi: the host of the queue manager, to connect as a client."),
    click.option("--port", type=click.IntRange(1, 65535), help=f"With mqi: the port there.  [default: {DEFAULT_PORT}]"),
    click.option(
        "--user", metavar="NAME", help=f"With mqi: who connects; the password is in {PASSWORD_VARIABLE} or asked for."
    ),
    click.option(
        "--queue-prefix",
        metavar="PREFIX",
        help=f"With mqi: what the names of the suite's queues begin with.  [default: {DEFAULT_PREFIX}]",
    ),
    click.option(
        "--predefined",
        type=readable_file,
        metavar="FILE",
        help="With mqi: names of existing queues to work with, where none may be made; see mq-conform mqsc.",
    ),
)


def mqi_options(command: F) -> F:
    """Give a command the options, as its parameter `mqi`: None unless the target is a queue manager."""

    @functools.wraps(command)
    def with_mqi(*args: Any, **kwargs: Any) -> Any:
        given = {name: kwargs.pop(name) for name in _NAMES}
        try:
            mqi = _reached(kwargs["target"], {name: value for name, value in given.items() if value is not None})
        except MqOracleError as error:
            fail(error)
        return command(*args, mqi=mqi, **kwargs)

    for option in reversed(_OPTIONS):
        with_mqi = option(with_mqi)
    return with_mqi  # type: ignore[return-value]  # click sees the options, the caller one argument more


_NAMES = ("library", "channel", "host", "port", "user", "queue_prefix", "predefined")


def _reached(target: str, given: dict[str, Any]) -> MqiOptions | None:
    if not target.startswith(TARGET_PREFIX):
        if given:
            option = next(iter(given)).replace("_", "-")
            raise UsageError(f"--{option} is for a queue manager, --target {TARGET_PREFIX}QM1")
        return None
    predefined: Path | None = given.pop("predefined", None)
    names = () if predefined is None else read_predefined(read_text(predefined), str(predefined))
    password = _password(given["user"]) if "user" in given else ""
    return MqiOptions(**given, password=password, predefined=names)


def _password(user: str) -> str:
    found = os.environ.get(PASSWORD_VARIABLE)
    if found is not None:
        return found
    if not sys.stdin.isatty():
        raise UsageError(f"--user {user} needs a password: put it into the environment variable {PASSWORD_VARIABLE}")
    return str(click.prompt(f"Password of {user}", hide_input=True, err=True))
