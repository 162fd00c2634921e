"""An existing queue manager: its platform, its version, and the attributes that the suite does not change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from conformance.mqi.attributes import MANAGER, PLATFORMS, inquired, selectors
from conformance.mqi.dispatch import Application, Dispatcher
from conformance.mqi.structures import object_descriptor
from conformance.mqi.troubles import of_command
from oracle.errors import InapplicableError
from oracle.mqi.constants import MQCC, MQCO, MQOO, MQOT
from oracle.mqi.definitions import QueueManagerDefinition
from oracle.protocol import FEATURES as ALL_FEATURES
from oracle.protocol import FOUND_QMGR

_NOT_JUDGED: Final[Mapping[str, str]] = {
    "quiesce": "it would disturb others",
    "expiry-scan": "it would disturb others",
    "dead-letter": "the dead-letter queue belongs to others",
    "skip-backout": "only z/OS has it, where this target has not been tried",
    "signal": "it needs an event control block in the application",
    "identity": "nobody knows whose authority a user has",
}
"""The features on which a real queue manager is not judged, each with the reason."""

FEATURES: Final = tuple(feature for feature in ALL_FEATURES if feature not in _NOT_JUDGED)
"""The features on which a real queue manager is judged."""

NOT_CLAIMED_ON: Final[Mapping[str, frozenset[str]]] = {
    "zos": frozenset({"segments", "complete-msg"}),
}
"""The features that the platforms lack."""

_FIXED: Final = (
    "MaxMsgLength",
    "MaxPriority",
    "MaxUncommittedMsgs",
    "MarkBrowseInterval",
    "CodedCharSetId",
    "MaxHandles",
    "TriggerInterval",
)
_ONLY_ZOS: Final = ("ExpiryInterval",)


@dataclass(frozen=True)
class Found:
    """An existing queue manager."""

    name: str
    """Its name."""
    platform: str
    """Its platform."""
    level: int
    """Its CommandLevel: the version in three digits, such as 930."""
    attributes: Mapping[str, Any]
    """The attributes that calls depend on, by their names in the target protocol."""

    @property
    def features(self) -> tuple[str, ...]:
        """The features on which it is judged."""
        return tuple(each for each in FEATURES if each not in NOT_CLAIMED_ON.get(self.platform, ()))

    def hello(self) -> dict[str, Any]:
        """Return the members of the reply to `hello`."""
        version = f"{self.level // 100}.{self.level // 10 % 10}.{self.level % 10}"
        return {
            "protocol": 1,
            "implementation": {"name": f"queue manager {self.name}", "version": version, "language": "C"},
            "platform": self.platform,
            "clock": "real",
            "features": list(self.features),
            FOUND_QMGR: dict(self.attributes),
        }

    def check(self, wanted: Mapping[str, Any]) -> None:
        """Check that the queue manager fits a check. Raises InapplicableError if it would have to be changed."""
        known = QueueManagerDefinition().attributes()
        for name, value in wanted.items():
            if name not in known:
                continue
            has = {"name": value, "platform": self.platform, **self.attributes}.get(name)
            if value != has:
                shown = "" if has is None else f", not {has}"
                raise InapplicableError(
                    f"it needs a queue manager with {name} {value}{shown}; the suite does not change the queue manager"
                )


def look_at(dispatcher: Dispatcher, application: Application) -> Found:
    """Inquire about the queue manager of a connection.

    Raises UsageError if the right to do so is missing.
    """
    hconn, names = application.connection.hconn, application.connection.names
    od = object_descriptor("", {"ObjectType": MQOT.Q_MGR}, names)
    hobj, _, comp_code, reason = dispatcher.direct(application, "open", hconn, od, MQOO.INQUIRE)
    if comp_code == MQCC.FAILED:
        raise of_command(dispatcher.manager, "inquiring about the queue manager", reason)
    wanted = ("name", "platform", "CommandLevel", *_FIXED)
    values = _inquire(dispatcher, application, hobj, wanted)
    platform = PLATFORMS.get(values.pop("platform"), "distributed")
    if platform == "zos":
        values |= _inquire(dispatcher, application, hobj, _ONLY_ZOS)
    dispatcher.direct(application, "close", hconn, hobj, MQCO.NONE)
    return Found(values.pop("name"), platform, values.pop("CommandLevel"), values)


def _inquire(dispatcher: Dispatcher, application: Application, hobj: int, names: tuple[str, ...]) -> dict[str, Any]:
    attributes = [MANAGER[name] for name in names]
    integers, text, comp_code, reason = dispatcher.direct(
        application, "inquire", application.connection.hconn, hobj, *selectors(attributes)
    )
    if comp_code == MQCC.FAILED:
        raise of_command(dispatcher.manager, "inquiring about the queue manager", reason)
    return dict(zip(names, inquired(attributes, integers, text), strict=True))
