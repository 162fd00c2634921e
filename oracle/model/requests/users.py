"""Alternate users: the authority with which a queue is opened (USR-02, USR-03, CTX-04)."""

from __future__ import annotations

from collections.abc import Iterator

from oracle.model.checks import Refusal
from oracle.mqi.calls import Open, Put1
from oracle.mqi.constants import MQOO, MQPMO, MQRC


def alternate_user(call: Open | Put1) -> str | None:
    """Return the alternate user that a call names; None if there is none. Without the option the name is ignored."""
    if isinstance(call, Open):
        wanted, user = call.options & MQOO.ALTERNATE_USER_AUTHORITY, call.descriptor.alternate_user_id
    else:
        wanted, user = call.options.options & MQPMO.ALTERNATE_USER_AUTHORITY, call.object_descriptor.alternate_user_id
    return user if wanted and user else None


def authority_refusals(call: Open | Put1) -> Iterator[Refusal]:
    """Yield the refusal of an alternate user who may lack authority."""
    if alternate_user(call) is not None:
        rule = "USR-02" if isinstance(call, Open) else "USR-03"
        yield Refusal(MQRC.NOT_AUTHORIZED, (rule,), optional=True, unlikely=True)
