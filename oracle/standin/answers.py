"""The results of calls: the answer of a verb, and the exception that ends one early."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, ParamSpec

from oracle.errors import NotModelledError
from oracle.model.reply import Reply
from oracle.mqi.constants import MQCC, MQRC
from oracle.standin.warning import warn_of_refusal

P = ParamSpec("P")

UNUSABLE: Final = -1
"""MQHC_UNUSABLE_HCONN, and MQHO_UNUSABLE_HOBJ."""


class Failed(Exception):  # noqa: N818 - it is an outcome of a call, not an error
    """The call ends with this reason code."""

    def __init__(self, reason: int, comp_code: int = MQCC.FAILED) -> None:
        super().__init__(MQRC.describe(reason))
        self.reason = reason
        self.comp_code = comp_code


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a verb. Structures are bytes; a verb without an output leaves its default."""

    comp_code: int = MQCC.OK
    """The completion code."""
    reason: int = MQRC.NONE
    """The reason code."""
    hconn: int = UNUSABLE
    """The handle of a connection that was made."""
    hobj: int = UNUSABLE
    """The handle of an object that was opened."""
    od: bytes | None = None
    """The MQOD. None: it is not changed."""
    md: bytes | None = None
    """The MQMD. None: it is not changed."""
    pmo: bytes | None = None
    """The MQPMO. None: it is not changed."""
    gmo: bytes | None = None
    """The MQGMO. None: it is not changed."""
    data: bytes = b""
    """The contents of the buffer."""
    data_length: int | None = None
    """The length of the whole message in bytes. None: it is not stated."""
    numbers: tuple[int, ...] = ()
    """The integer attributes that MQINQ returns, in the order of their selectors."""
    characters: bytes = b""
    """The character attributes that MQINQ returns, one after the other, each in its full length."""


def codes_of(reply: Reply) -> Answer:
    """Return an answer with only the codes."""
    return Answer(reply.comp_code, reply.reason)


def verb(function: Callable[P, Answer]) -> Callable[P, Answer]:
    """Make a function a verb: an exception that ends the call becomes the answer."""

    @functools.wraps(function)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> Answer:
        try:
            return function(*args, **kwargs)
        except Failed as ended:
            return Answer(ended.comp_code, ended.reason)
        except NotModelledError as error:
            warn_of_refusal(str(error))
            return Answer(MQCC.FAILED, MQRC.FUNCTION_NOT_SUPPORTED)

    return guarded
