"""The request `setup`: a new queue manager."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oracle.model.queue_manager import new_state
from oracle.model.state import State
from oracle.mqi.definitions import QueueDefinition, QueueManagerDefinition, define
from oracle.mqi.profile import PLATFORMS, PlatformName, Profile
from oracle.protocol.members import RequestError


def state_of_setup(request: Mapping[str, Any], platform: PlatformName) -> State:
    """Return the state that a `setup` request asks for.

    `platform` is the default if the request names none. Raises RequestError if the request has not the protocol's form,
    BadInputError for a wrong attribute, and NotModelledError for a kind of queue that the model lacks.
    """
    queues, manager = request.get("queues", []), request.get("qmgr", {})
    if not isinstance(queues, list) or not all(isinstance(queue, dict) for queue in queues):
        raise RequestError("queues must be a list of queue definitions")
    if not isinstance(manager, dict):
        raise RequestError("qmgr must be an object of attributes")
    platform = manager.get("platform", platform)
    if platform not in PLATFORMS:
        raise RequestError(f"unknown platform {platform!r}")
    return new_state(
        [define(QueueDefinition, queue) for queue in queues],
        define(QueueManagerDefinition, manager),
        Profile(platform=platform),
    )
