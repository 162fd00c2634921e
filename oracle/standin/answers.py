"""How calls end: what a verb returns, and what ends it before its time."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, ParamSpec

from oracle.errors import NotModelledError
from oracle.model.reply import Reply
from oracle.mqi.constants import MQCC, MQRC
from oracle.standin.telling import tell_refusal

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
    """What a verb returns; structures are bytes."""

    comp_code: int = MQCC.OK
    reason: int = MQRC.NONE
    hconn: int = UNUSABLE
    hobj: int = UNUSABLE
    od: bytes | None = None
    md: bytes | None = None
    pmo: bytes | None = None
    gmo: bytes | None = None
    data: bytes = b""
    data_length: int | None = None
    numbers: tuple[int, ...] = ()
    characters: bytes = b""


def codes_of(reply: Reply) -> Answer:
    """Return an answer that has nothing but codes."""
    return Answer(reply.comp_code, reply.reason)


def verb(function: Callable[P, Answer]) -> Callable[P, Answer]:
    """Make a function a verb: what it raises to end the call becomes the answer."""

    @functools.wraps(function)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> Answer:
        try:
            return function(*args, **kwargs)
        except Failed as ended:
            return Answer(ended.comp_code, ended.reason)
        except NotModelledError as error:
            tell_refusal(str(error))
            return Answer(MQCC.FAILED, MQRC.FUNCTION_NOT_SUPPORTED)

    return guarded
