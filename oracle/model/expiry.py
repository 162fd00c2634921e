"""Expiry: when a message has expired, what remains of its time, and when it is discarded.

Expiry counts from the put (EXP-03) and is approximate (EXP-08): within the profile's tolerance around its time
a message may or may not have expired. An expired message is never returned (EXP-09); it is discarded by the call
that would have returned it (EXP-11), and nothing else is promised.
"""

from __future__ import annotations

from dataclasses import replace

from oracle.constants import MQEI
from oracle.model.messages import Message
from oracle.model.reply import Between, Latitude
from oracle.model.state import Queue, State
from oracle.model.step import Step


def expires_at_ms(message: Message) -> int | None:
    """Return the time at which a message expires, or None if it never does (EXP-29)."""
    if message.descriptor.expiry == MQEI.UNLIMITED:
        return None
    return message.put_ms + message.descriptor.expiry * 100


def may_have_expired(state: State, message: Message) -> bool:
    """Whether a queue manager may take the message for expired."""
    end = expires_at_ms(message)
    return end is not None and state.now_ms >= end - state.profile.expiry_tolerance_ms


def must_have_expired(state: State, message: Message) -> bool:
    """Whether every queue manager must take the message for expired."""
    end = expires_at_ms(message)
    return end is not None and state.now_ms >= end + state.profile.expiry_tolerance_ms


def has_expired(step: Step, message: Message) -> bool:
    """Whether the message has expired; near its time a queue manager may say either."""
    if not may_have_expired(step.state, message):
        return False
    if must_have_expired(step.state, message):
        return True
    end = expires_at_ms(message)
    plainly = end is not None and step.state.now_ms >= end
    return step.choose("has the message expired yet", (plainly, not plainly), "EXP-08")


def discard(step: Step, queue: Queue, message: Message) -> None:
    """Discard an expired message; this is not part of any unit of work (EXP-26)."""
    queue.messages = queue.messages.without(message)
    step.because("EXP-09", "EXP-11", "EXP-26")


def pass_over(step: Step, queue: Queue, message: Message) -> None:
    """Note that a call scanned a message without wanting it: if expired, it may have been discarded (EXP-14)."""
    if not message.perhaps_discarded and may_have_expired(step.state, message):
        queue.messages = queue.messages.having(replace(message, perhaps_discarded=True))


def remaining(state: State, message: Message) -> tuple[int, Latitude | None]:
    """Return the Expiry that MQGET gives, in tenths of a second, and how far it may differ.

    It is what remains of the time, always greater than zero, or unlimited (EXP-07, EXP-10); small intervals need
    not be counted (EXP-08).
    """
    end = expires_at_ms(message)
    if end is None:
        return MQEI.UNLIMITED, None
    left = max(1, -(-(end - state.now_ms) // 100))
    tolerance = -(-state.profile.expiry_tolerance_ms // 100)
    return left, Between(max(1, left - tolerance), min(message.descriptor.expiry, left + tolerance))


def settle_depth(step: Step, queue: Queue) -> None:
    """Decide which expired messages have gone, before something looks at the depth.

    Expired messages count until they are discarded (EXP-24, DEP-05). When that is, is open: on z/OS only calls and
    scans discard them (ZOS-01), elsewhere the queue manager may do so at any time (EXP-31).
    """
    zos = step.state.profile.zos
    doubtful = [
        message
        for message in queue.messages
        if may_have_expired(step.state, message)
        and message.put_by is None
        and message.got_by is None
        and (message.perhaps_discarded or not zos)
    ]
    if not doubtful:
        return
    gone = step.choose("how many expired messages have been discarded", range(len(doubtful) + 1), "EXP-24", "DEP-05")
    for message in doubtful[:gone]:
        queue.messages = queue.messages.without(message)
