"""Segments that do not agree whether, or how, their message is in a group (AMB-124).

An application can put such segments without logical order. The documents do not say which of them tells the group that
is current after MQGET has returned them as one message: the first, whose descriptor is returned, or the last, which
tells it where they are returned one by one.
"""

from __future__ import annotations

from oracle.model.groups.put_groups import GROUP_FLAGS
from oracle.model.messages.logical_messages import Found
from oracle.model.step import Step
from oracle.values import replace


def by_one_segment(step: Step, found: Found) -> Found:
    """Return what was found with the group flags of the segment that tells the group from then on."""
    if not found.reassembled:
        return found
    flags, last = found.descriptor.msg_flags, found.segments[-1].descriptor.msg_flags & GROUP_FLAGS
    if flags & GROUP_FLAGS == last:
        return found
    if not step.choose_for_good(
        "does the last segment tell the group of a whole message", (False, True), "LOG-07", "LOG-08"
    ):
        return found
    return found.with_first(found.first, replace(found.descriptor, msg_flags=flags & ~GROUP_FLAGS | last))
