"""Warnings with which a call returns no more than CompCode and Reason."""

from __future__ import annotations

from typing import Final

from oracle.mqi.constants import MQRC

WITHOUT_OUTPUTS: Final = (MQRC.SIGNAL_REQUEST_ACCEPTED, MQRC.NO_MSG_LOCKED)
"""Warnings with which, as with MQCC_FAILED, only CompCode and Reason are returned (docs/target-protocol.md)."""
