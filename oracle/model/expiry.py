"""Expiry: when a message has expired, and what remains of its time.

Expiry counts from the put (EXP-03) and is approximate (EXP-08): within the profile's tolerance around its time
a message may or may not have expired.
"""

from __future__ import annotations

from collections.abc import Iterable

from oracle.model.messages.messages import Message
from oracle.model.reply import Between, Latitude
from oracle.model.state import Queue, State
from oracle.model.step import Step
from oracle.mqi.constants import MQEI
from oracle.mqi.definitions import QueueDefinition
from oracle.values import replace


def caps_of(definitions: Iterable[QueueDefinition]) -> list[int]:
    """Return the CAPEXPRY of each definition that has one, in tenths of a second; the lowest counts (CAP-03)."""
    return [cap for each in definitions if (cap := each.cap_expiry)]


def expires_at_ms(message: Message) -> int | None:
    """Return the time at which a message expires, or None if it never does (EXP-29)."""
    if message.descriptor.expiry == MQEI.UNLIMITED:
        return None
    return message.put_ms + message.descriptor.expiry * 100


def may_have_expired(state: State, message: Message) -> bool:
    """Return whether a queue manager may consider the message expired."""
    if message.made is not None and message.made.expiry_is_open:
        return True
    end = expires_at_ms(message)
    return end is not None and state.now_ms >= end - state.profile.expiry_tolerance_ms


def may_expire_at_ms(state: State, message: Message) -> int:
    """Return the first moment at which a queue manager may consider a message that can expire expired."""
    end = expires_at_ms(message)
    if end is None or (message.made is not None and message.made.expiry_is_open):
        return message.put_ms
    return max(message.put_ms, end - state.profile.expiry_tolerance_ms)


def must_have_expired(state: State, message: Message) -> bool:
    """Return whether every queue manager must consider the message expired."""
    end = expires_at_ms(message)
    if end is None or (message.made is not None and message.made.expiry_is_open):
        return False
    return state.now_ms >= end + state.profile.expiry_tolerance_ms


def has_expired(step: Step, message: Message) -> bool:
    """Return whether the message has expired; near its time a queue manager may decide either way."""
    if not may_have_expired(step.state, message):
        return False
    if must_have_expired(step.state, message):
        return True
    end = expires_at_ms(message)
    plainly = end is not None and step.state.now_ms >= end
    return step.choose("has the message expired yet", (plainly, not plainly), "EXP-08")


def pass_over(step: Step, queue: Queue, message: Message) -> None:
    """Note that a call scanned a message without wanting it: if expired, it may have been discarded (EXP-14)."""
    if note_scanned(step, queue, message):
        step.because("EXP-14")


def note_scanned(step: Step, queue: Queue, message: Message, at_ms: int | None = None) -> bool:
    """Note that a message may have been discarded, now or at some time, if it has expired; return whether it may."""
    if not may_have_expired(step.state, message):
        return False
    if message.discardable_ms is None:
        moment = step.state.now_ms if at_ms is None else at_ms
        queue.messages = queue.messages.having(replace(message, discardable_ms=moment))
    return True


def discarded_since_ms(state: State, message: Message) -> int:
    """Return the first moment at which an expired message that is discarded now may have been."""
    if state.profile.zos:
        return state.now_ms if message.discardable_ms is None else message.discardable_ms
    return min(state.now_ms, may_expire_at_ms(state, message))


def remaining(state: State, message: Message) -> tuple[int, Latitude | None]:
    """Return the Expiry that MQGET gives, in tenths of a second, and how far it may differ.

    It is the remaining time, always greater than zero, or unlimited (EXP-07, EXP-10); small intervals need not be
    counted (EXP-08). A report's own lifetime is the rest of another and as approximate as that.
    """
    end = expires_at_ms(message)
    if end is None:
        return MQEI.UNLIMITED, None
    left = max(1, -(-(end - state.now_ms) // 100))
    tolerance = -(-state.profile.expiry_tolerance_ms // 100)
    most = left + tolerance
    if message.made is None or not message.descriptor.feedback:
        most = min(most, message.descriptor.expiry)
    return left, Between(max(1, left - tolerance), most)
