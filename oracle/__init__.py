"""A reference model of the MQI as its documents describe it, and the catalogue of the rules behind it.

The model is pure: a state and a call in, the set of outcomes that the documents allow out, each with the rules that it
rests on. `oracle.model` holds it, one concept a file; `QueueManager` is the way to use it by hand:

>>> from oracle import MQOO, QueueManager
>>> qm = QueueManager(["ORDERS"])
>>> orders = qm.open("ORDERS", MQOO.INPUT_SHARED | MQOO.OUTPUT)
>>> _ = qm.put(orders, b"first")
>>> _ = qm.put(orders, b"second", priority=5)
>>> qm.get(orders).data
b'second'
>>> "PRI-03" in qm.rules
True

Nothing of it performs I/O, sleeps or reads a clock: time passes when `advance` says so. Threads and files are for
`oracle.standin`, which lets programs of IBM's client run on the model, and `oracle.testing`, its door for unit tests.
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
"""By name the module that has it, where that is not `mqi.constants`."""


def __getattr__(name: str) -> Any:
    """Return one of the names above, and load its module only now, so that what needs no model starts sooner."""
    if name not in __all__:
        raise AttributeError(f"module 'oracle' has no attribute {name!r}")
    return getattr(import_module(f"oracle.{_HOMES.get(name, 'mqi.constants')}"), name)
