"""How the stand-in tells a test that it does not do what the program has asked for."""

from __future__ import annotations

import warnings

from oracle.mqi.constants import MQRC


class StandInWarning(UserWarning):
    """The program asked for something that the model does not contain, or waits for what cannot come."""


def tell(what: str) -> None:
    """Warn; where warnings are errors, the call ends all the same, and the text is printed."""
    try:
        warnings.warn(what, StandInWarning, stacklevel=2)
    except StandInWarning as warning:
        print(warning)


def tell_refusal(what: str) -> None:
    """Warn that a call or a command fails with MQRC_FUNCTION_NOT_SUPPORTED, as the model does not contain this."""
    tell(f"the oracle answers MQRC_FUNCTION_NOT_SUPPORTED ({int(MQRC.FUNCTION_NOT_SUPPORTED)}): {what}")
