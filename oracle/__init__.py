"""A reference model of the MQI as its documents describe it, and the catalogue of the rules behind it.

The model is pure: it takes a state and a call, and returns the set of outcomes that the documents allow, each with the
rules behind it. `oracle.model` holds it, one concept a file; `QueueManager` is the way to use it by hand:

>>> from oracle import MQOO, QueueManager
>>> qm = QueueManager(["ORDERS"])
>>> orders = qm.open("ORDERS", MQOO.INPUT_SHARED | MQOO.OUTPUT)
>>> _ = qm.put(orders, b"first")
>>> _ = qm.put(orders, b"second", priority=5)
>>> qm.get(orders).data
b'second'
>>> "PRI-03" in qm.rules
True

The model performs no I/O, does not sleep and reads no clock: only `advance` makes time pass. `oracle.standin`, which
lets programs of IBM's client run on the model, uses threads and files, and so does `oracle.testing`, its interface for
unit tests.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from oracle.model.reply import Reply
    from oracle.mqi.constants import MQCC, MQCO, MQGMO, MQMF, MQMO, MQOO, MQPMO, MQRC
    from oracle.mqi.definitions import QueueDefinition, QueueManagerDefinition, define
    from oracle.mqi.profile import Profile
    from oracle.mqi.structures import GetMessageOptions, MessageDescriptor, ObjectDescriptor, PutMessageOptions
    from oracle.queue_manager import QueueManager

__version__ = "0.1.0"

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

_HOMES: Final = {
    "Reply": "model.reply",
    "QueueDefinition": "mqi.definitions",
    "QueueManagerDefinition": "mqi.definitions",
    "define": "mqi.definitions",
    "Profile": "mqi.profile",
    "GetMessageOptions": "mqi.structures",
    "MessageDescriptor": "mqi.structures",
    "ObjectDescriptor": "mqi.structures",
    "PutMessageOptions": "mqi.structures",
    "QueueManager": "queue_manager",
}
"""The module of each name that is not in `mqi.constants`."""


def __getattr__(name: str) -> Any:
    """Return one of the names above. Its module is loaded only now, so that programs without a model start sooner."""
    if name not in __all__:
        raise AttributeError(f"module 'oracle' has no attribute {name!r}")
    return getattr(import_module(f"oracle.{_HOMES.get(name, 'mqi.constants')}"), name)
