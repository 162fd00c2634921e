"""Warnings of the stand-in about requests of a program that it does not carry out."""

from __future__ import annotations

import warnings

from oracle.mqi.constants import MQRC


class StandInWarning(UserWarning):
    """The program asked for something that the model does not contain, or waits for something that cannot come."""


def warn(what: str) -> None:
    """Warn. If warnings are errors, the call ends normally, and the text is printed."""
    try:
        warnings.warn(what, StandInWarning, stacklevel=2)
    except StandInWarning as warning:
        print(warning)


def warn_of_refusal(what: str) -> None:
    """Warn that a call or command fails with MQRC_FUNCTION_NOT_SUPPORTED because the model does not contain it."""
    warn(f"the oracle answers MQRC_FUNCTION_NOT_SUPPORTED ({int(MQRC.FUNCTION_NOT_SUPPORTED)}): {what}")
