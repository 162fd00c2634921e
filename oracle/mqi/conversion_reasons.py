"""The reason codes of a conversion that could not be carried out."""

from __future__ import annotations

from typing import Final

from oracle.mqi.constants import MQRC

NOT_CONVERTED: Final = (*range(MQRC.FORMAT_ERROR, MQRC.CONVERTED_MSG_TOO_BIG + 1), MQRC.CONVERTED_STRING_TOO_BIG)
"""The reasons of gets that returned a message as it was put, since it could not be converted."""
