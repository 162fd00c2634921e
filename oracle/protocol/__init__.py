"""Target protocol 1: requests and replies as JSON objects, and as the calls and replies of the model.

Any implementation is tested through the protocol; `mq-oracle serve` speaks it as a target, and the conformance suite as
the runner. Byte fields are lowercase hexadecimal text, structures are objects with C member names, and a member left
out has its initial value on the way in and is unchanged on the way out.
"""

from __future__ import annotations

from oracle.protocol.members import RequestError, format_structure, parse_structure
from oracle.protocol.replies import ObservedReply, format_reply, parse_reply
from oracle.protocol.requests import format_call, parse_call

__all__ = [
    "CLAIMED_DETAILS",
    "FEATURES",
    "FOUND_QMGR",
    "VERSION",
    "ObservedReply",
    "RequestError",
    "format_call",
    "format_reply",
    "format_structure",
    "parse_call",
    "parse_reply",
    "parse_structure",
]

VERSION = 1

FOUND_QMGR = "mqoracle-found-qmgr"
"""A private member of hello, which no other target has by chance: attributes that `setup` keeps."""

CLAIMED_DETAILS = "mqoracle-details"
"""A private member of hello: the finer features that the target claims; all of them by default."""

FEATURES = (
    "priority", "fifo", "match", "browse", "lock", "syncpoint", "wait", "expiry", "groups", "segments",
    "logical-order", "complete-msg", "truncation", "mark-browse", "reports", "transmission", "dead-letter", "trigger",
    "convert", "properties", "inhibit", "quiesce", "dynamic-queues", "put1", "inquire", "signal", "skip-backout",
    "expiry-scan", "limits", "persistence", "identity",
)  # fmt: skip  # names
"""Every feature that a target may name in its reply to `hello`."""
