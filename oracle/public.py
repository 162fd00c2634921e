"""The names that the package `oracle` gives; it loads them when the first of them is asked for."""

from __future__ import annotations

from oracle.model.reply import Reply
from oracle.mqi.constants import MQCC, MQCO, MQGMO, MQMF, MQMO, MQOO, MQPMO, MQRC
from oracle.mqi.definitions import QueueDefinition, QueueManagerDefinition, define
from oracle.mqi.profile import Profile
from oracle.mqi.structures import GetMessageOptions, MessageDescriptor, ObjectDescriptor, PutMessageOptions
from oracle.queue_manager import QueueManager

__all__ = [
    "MQCC",
    "MQCO",
    "MQGMO",
    "MQMF",
    "MQMO",
    "MQOO",
    "MQPMO",
    "MQRC",
    "GetMessageOptions",
    "MessageDescriptor",
    "ObjectDescriptor",
    "Profile",
    "PutMessageOptions",
    "QueueDefinition",
    "QueueManager",
    "QueueManagerDefinition",
    "Reply",
    "define",
]
