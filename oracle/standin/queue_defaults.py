"""Attributes of queues that the model lacks and that calls use as defaults; see `Attribute.acts`."""

from __future__ import annotations

from typing import Final

from oracle.mqi.constants import MQOO, MQPMO
from oracle.standin.attribute_tables import DEF_INPUT_OPEN_OPTION, DEF_PUT_RESPONSE
from oracle.standin.manager import RunningQueueManager
from oracle.standin.read_ahead import is_asked_for

_EXCLUSIVE: Final = 4
"""MQOO_INPUT_EXCLUSIVE as the value of DefInputOpenOption."""

_ASYNCHRONOUS: Final = 2
"""MQPRT_ASYNC_RESPONSE."""


def input_option(manager: RunningQueueManager, name: str, options: int) -> int:
    """Return the options of an MQOPEN with MQOO_INPUT_AS_Q_DEF resolved, if the queue says exclusive (OPN-14)."""
    path = manager.state.resolve(name) or (name,)
    default = manager.beside.get(path[-1], {}).get(DEF_INPUT_OPEN_OPTION)
    if options & MQOO.INPUT_AS_Q_DEF and default == _EXCLUSIVE:
        return options & ~MQOO.INPUT_AS_Q_DEF | MQOO.INPUT_EXCLUSIVE
    return options


def looks_ahead(manager: RunningQueueManager, name: str, options: int) -> bool:
    """Return whether an MQOPEN enables read ahead, by its options or by DefReadAhead of the queue that it names."""
    return is_asked_for(options, manager.beside.get(name, {}))


def puts_asynchronously(manager: RunningQueueManager, name: str, options: int) -> bool:
    """Return whether a put uses DefPutResponse of the queue that it names, and that is asynchronous."""
    if options & (MQPMO.ASYNC_RESPONSE | MQPMO.SYNC_RESPONSE):
        return False
    return manager.beside.get(name, {}).get(DEF_PUT_RESPONSE) == _ASYNCHRONOUS


def take_over(manager: RunningQueueManager, model: str, made: str) -> None:
    """Give a dynamic queue the kept attributes of its model queue."""
    manager.beside[made] = dict(manager.beside.get(model, {}))


def tidy(manager: RunningQueueManager) -> None:
    """Forget the kept attributes of queues that no longer exist."""
    for name in [name for name in manager.beside if name is not None and not manager.state.is_defined(name)]:
        del manager.beside[name]
