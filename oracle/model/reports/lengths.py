"""The OriginalLength of a report on a whole message, about which no document says anything (AMB-119)."""

from __future__ import annotations

from oracle.model.conversion.extension import needs_extension
from oracle.model.messages.made import Made
from oracle.model.reply import OneOf
from oracle.model.step import Step
from oracle.mqi.structures import MessageDescriptor
from oracle.values import replace

_MEMBER = "MQMD.OriginalLength"


def decided_length(step: Step, md: MessageDescriptor, made: Made) -> tuple[MessageDescriptor, Made] | None:
    """Decide the OriginalLength of a message of the queue manager where it is open whether there is an MQMDE.

    Returns the descriptor and what is known of it then, or None if there is nothing to decide.
    """
    length = made.latitude.get(_MEMBER)
    if needs_extension(md) or not isinstance(length, OneOf) or len(set(length.values)) < 2:
        return None
    values = list(dict.fromkeys((md.original_length, *length.values)))
    value = step.choose("which OriginalLength has a report on a whole message", values, "RPM-07", "MDE-01")
    return replace(md, original_length=value), replace(made, latitude={**made.latitude, _MEMBER: OneOf((value,))})
