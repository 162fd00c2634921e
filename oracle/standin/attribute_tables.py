"""The attributes of objects, as tables: selector, name in the documentation of MQINQ, and treatment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from oracle.mqi.definitions import QueueDefinition, QueueManagerDefinition

NAME_LENGTH: Final = 48


def _names(kind: type[QueueDefinition | QueueManagerDefinition]) -> frozenset[str]:
    return frozenset(field.alias or name for name, field in kind.model_fields.items())


_COUNTED: Final = frozenset({"QName", "CurrentQDepth", "OpenInputCount", "OpenOutputCount"})
MODELLED: Final = _names(QueueDefinition) | _names(QueueManagerDefinition) | _COUNTED
"""The attributes of the model, by their names in the documentation of MQINQ."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of an object."""

    selector: int
    """Its number in MQINQ and MQSET."""
    name: str
    """Its name in the documentation of MQINQ."""
    length: int = 0
    """The number of characters; 0 for a number."""
    words: Mapping[str, int] | None = None
    """The numbers of the model's words."""
    default: int | str = 0
    """Its initial value."""
    nothing: int = 0
    """The value that stands for the model's 0."""
    model: str = ""
    """The model's name, if it is another. An attribute that the model lacks is kept."""
    would: str = ""
    """The effect that the attribute would have on a queue manager, if it can be observed."""
    acts: bool = False
    """Whether the stand-in acts on it itself."""
    fixed: bool = False
    """Whether it cannot be changed."""
    kept: bool = False
    """Whether only other objects have it in the model."""
    values: tuple[int, ...] = ()
    """The possible values, if they are few."""

    @property
    def in_model(self) -> str | None:
        """The model's name of the attribute; None if it is kept beside the model."""
        name = self.model or self.name
        return name if name in MODELLED and not self.kept else None

    def wrong(self, value: object) -> str:
        """Return what is wrong with a value for an attribute that is kept; nothing if it is valid."""
        if self.length:
            right = isinstance(value, str) and len(value) <= self.length
            return "" if right else f"{self.name} must be a text of at most {self.length} characters"
        if not isinstance(value, int) or isinstance(value, bool) or not -(2**31) <= value < 2**31:
            return f"{self.name} must be a whole number of 32 bits, not {value!r}"
        if self.values and value not in self.values:
            return f"{self.name} must be one of {', '.join(map(str, self.values))}, not {value}"
        return ""

    def from_model(self, value: Any) -> int | str:
        """Return the MQI's value of the attribute."""
        found: int | str = self.words[value] if self.words and isinstance(value, str) else value
        return found or (self.nothing if not self.length else found)

    def to_model(self, value: int | str) -> Any:
        """Return the model's value of the attribute; the value itself if there is no word for it."""
        if self.nothing and value == self.nothing:
            return 0
        for word, number in (self.words or {}).items():
            if number == value:
                return word
        return value

    def as_text(self, value: int | str) -> bytes:
        """Return the characters, padded with blanks."""
        return str(value).encode("latin-1").ljust(self.length)[: self.length]


QUEUE_TYPES: Final = {"local": 1, "model": 2, "alias": 3, "remote": 6}
Q_TYPE: Final = 20
Q_NAME: Final = 2016
CUSTOM: Final = 2119
DEF_INPUT_OPEN_OPTION: Final = 4
DEF_PUT_RESPONSE: Final = 184
DEF_READ_AHEAD: Final = 188

_SEQUENCES: Final = {"PRIORITY": 0, "FIFO": 1}
_USAGES: Final = {"NORMAL": 0, "TRANSMISSION": 1}
_INDEXES: Final = {"NONE": 0, "MSG_ID": 1, "CORREL_ID": 2, "MSG_TOKEN": 4, "GROUP_ID": 5}
_DEFINED: Final = {"PREDEFINED": 1, "PERMANENT_DYNAMIC": 2, "TEMPORARY_DYNAMIC": 3}
_CONTROLS: Final = {"COMPATIBILITY": 0, "NONE": 1, "ALL": 2, "FORCE_MQRFH2": 3, "V6COMPAT": 4}
_DISPOSITIONS: Final = {"QMGR": 0, "SHARED": 2}

_EVENTS: Final = "there are no event messages"
_CLUSTERS: Final = "there are no clusters"
_STATISTICS: Final = "there are no statistics, accounting and monitoring data"

_AS_Q_MGR: Final = -3

_EVERY_QUEUE: Final = (
    Attribute(Q_NAME, "QName", NAME_LENGTH, fixed=True),
    Attribute(Q_TYPE, "QType", words=QUEUE_TYPES, model="type", fixed=True),
    Attribute(2013, "QDesc", 64, default=""),
    Attribute(6, "DefPriority"),
    Attribute(5, "DefPersistence"),
    Attribute(10, "InhibitPut"),
    Attribute(276, "CapExpiry", nothing=-1, model="CAPEXPRY"),
    Attribute(CUSTOM, "Custom", 128, default="", would="only CAPEXPRY is known in it", acts=True),
    Attribute(45, "Scope", default=1, would="there is no cell directory", values=(1, 2)),
    Attribute(2029, "ClusterName", NAME_LENGTH, default="", would=_CLUSTERS),
    Attribute(2030, "ClusterNamelist", NAME_LENGTH, default="", would=_CLUSTERS),
    Attribute(61, "DefBind", values=(0, 1, 2)),
    Attribute(DEF_PUT_RESPONSE, "DefPutResponse", default=1, acts=True, values=(1, 2)),
)

_STORED: Final = (
    Attribute(9, "InhibitGet"),
    Attribute(DEF_READ_AHEAD, "DefReadAhead", acts=True, values=(0, 1, 2)),
)
"""The attributes of queues that support MQGET, directly or by an alias."""

_LOCAL: Final = (
    *_EVERY_QUEUE,
    *_STORED,
    Attribute(15, "MaxQDepth"),
    Attribute(13, "MaxMsgLength"),
    Attribute(16, "MsgDeliverySequence", words=_SEQUENCES),
    Attribute(12, "Usage", words=_USAGES),
    Attribute(57, "IndexType", words=_INDEXES),
    Attribute(63, "QSGDisp", words=_DISPOSITIONS, model="QSGDISP"),
    Attribute(23, "Shareability"),
    Attribute(7, "DefinitionType", words=_DEFINED),
    Attribute(24, "TriggerControl"),
    Attribute(28, "TriggerType"),
    Attribute(29, "TriggerDepth"),
    Attribute(26, "TriggerMsgPriority"),
    Attribute(2023, "TriggerData", 64),
    Attribute(2012, "ProcessName", NAME_LENGTH),
    Attribute(2008, "InitiationQName", NAME_LENGTH),
    Attribute(190, "PropertyControl", words=_CONTROLS),
    Attribute(DEF_INPUT_OPEN_OPTION, "DefInputOpenOption", default=2, acts=True, values=(2, 4)),
    Attribute(22, "BackoutThreshold"),
    Attribute(2019, "BackoutRequeueQName", NAME_LENGTH, default=""),
    Attribute(8, "HardenGetBackout", values=(0, 1)),
    Attribute(21, "RetentionInterval", default=999999999),
    Attribute(78, "NonPersistentMessageClass", values=(0, 10)),
    Attribute(34, "DistLists", values=(0, 1)),
    Attribute(40, "QDepthHighLimit", default=80),
    Attribute(41, "QDepthLowLimit", default=20),
    Attribute(42, "QDepthMaxEvent", default=1, values=(0, 1)),
    Attribute(43, "QDepthHighEvent", would=_EVENTS, values=(0, 1)),
    Attribute(44, "QDepthLowEvent", would=_EVENTS, values=(0, 1)),
    Attribute(54, "QServiceInterval", default=999999999),
    Attribute(46, "QServiceIntervalEvent", would=_EVENTS, values=(0, 1, 2)),
    Attribute(134, "QueueAccounting", default=_AS_Q_MGR, would=_STATISTICS),
    Attribute(123, "QueueMonitoring", default=_AS_Q_MGR, would=_STATISTICS),
    Attribute(128, "QueueStatistics", default=_AS_Q_MGR, would=_STATISTICS),
    Attribute(2138, "StreamQName", NAME_LENGTH, default="", would="messages are not copied to that queue"),
    Attribute(275, "StreamQQoS", values=(0, 1)),
    Attribute(274, "MaxQFileSize", default=-1, would="queues are in no files"),
    Attribute(96, "CLWLQueuePriority"),
    Attribute(95, "CLWLQueueRank"),
    Attribute(98, "CLWLUseQ", default=_AS_Q_MGR),
    Attribute(2124, "ClusterChannelName", NAME_LENGTH, default="", would=_CLUSTERS),
)

_COUNTS: Final = (
    Attribute(3, "CurrentQDepth", fixed=True),
    Attribute(17, "OpenInputCount", fixed=True),
    Attribute(18, "OpenOutputCount", fixed=True),
)

QUEUES: Final[Mapping[str, tuple[Attribute, ...]]] = {
    "local": (*_LOCAL, *_COUNTS),
    "model": _LOCAL,
    "alias": (
        *_EVERY_QUEUE,
        *_STORED,
        Attribute(2002, "BaseQName", NAME_LENGTH, model="target"),
        Attribute(190, "PropertyControl", kept=True, would="that of the queue behind the alias counts"),
    ),
    "remote": (
        *_EVERY_QUEUE,
        Attribute(2018, "RemoteQName", NAME_LENGTH, model="rname"),
        Attribute(2017, "RemoteQMgrName", NAME_LENGTH, model="rqmname"),
        Attribute(2024, "XmitQName", NAME_LENGTH, model="xmitq"),
    ),
}
"""The attributes of each type of queue."""

_PLATFORMS: Final = {"zos": 1, "distributed": 3, "ibmi": 4}

MANAGER: Final = (
    Attribute(2015, "QMgrName", NAME_LENGTH, model="name", fixed=True),
    Attribute(32, "Platform", words=_PLATFORMS, model="platform", fixed=True),
    Attribute(31, "CommandLevel", default=900, fixed=True),
    Attribute(2120, "Version", 8, default="09000000", fixed=True),
    Attribute(2032, "QMgrIdentifier", NAME_LENGTH, default="ORACLE", fixed=True),
    Attribute(273, "AdvancedCapability", default=1, fixed=True),
    Attribute(2003, "CommandInputQName", NAME_LENGTH, default="SYSTEM.ADMIN.COMMAND.QUEUE", fixed=True),
    Attribute(30, "SyncPoint", default=1, fixed=True),
    Attribute(13, "MaxMsgLength"),
    Attribute(14, "MaxPriority", fixed=True),
    Attribute(33, "MaxUncommittedMsgs"),
    Attribute(2006, "DeadLetterQName", NAME_LENGTH),
    Attribute(39, "ExpiryInterval"),
    Attribute(68, "MsgMarkBrowseInterval", model="MarkBrowseInterval"),
    Attribute(2, "CodedCharSetId"),
    Attribute(11, "MaxHandles"),
    Attribute(25, "TriggerInterval"),
    Attribute(2014, "QMgrDesc", 64, default="The oracle as a queue manager"),
    Attribute(2125, "ConnectionAuth", NAME_LENGTH, default="SYSTEM.DEFAULT.AUTHINFO.IDPWOS", would="give credentials"),
    Attribute(2025, "DefXmitQName", NAME_LENGTH, default="", would="there are no channels to other queue managers"),
    Attribute(192, "MaxPropertiesLength", default=-1, would="properties may have any length"),
    Attribute(34, "DistLists", fixed=True),
    Attribute(47, "AuthorityEvent", would=_EVENTS),
    Attribute(48, "InhibitEvent", would=_EVENTS),
    Attribute(49, "LocalEvent", would=_EVENTS),
    Attribute(50, "RemoteEvent", would=_EVENTS),
    Attribute(51, "ConfigurationEvent", would=_EVENTS),
    Attribute(52, "StartStopEvent", default=1),
    Attribute(53, "PerformanceEvent", would=_EVENTS),
    Attribute(73, "ChannelEvent", would=_EVENTS),
    Attribute(75, "SSLEvent", would=_EVENTS),
    Attribute(94, "LoggerEvent", would=_EVENTS),
    Attribute(99, "CommandEvent", would=_EVENTS),
    Attribute(122, "ChannelMonitoring", would=_STATISTICS),
    Attribute(123, "QueueMonitoring", would=_STATISTICS),
    Attribute(127, "MQIStatistics", would=_STATISTICS),
    Attribute(128, "QueueStatistics", would=_STATISTICS),
    Attribute(129, "ChannelStatistics", would=_STATISTICS),
    Attribute(131, "StatisticsInterval", default=1800),
    Attribute(133, "MQIAccounting", would=_STATISTICS),
    Attribute(134, "QueueAccounting", would=_STATISTICS),
    Attribute(135, "AccountingInterval", default=1800),
    Attribute(137, "TraceRouteRecording", default=2),
    Attribute(138, "ActivityRecording", default=2),
    Attribute(187, "PubSubMode", would="there is no publish/subscribe"),
    Attribute(2035, "RepositoryName", NAME_LENGTH, default="", would=_CLUSTERS),
    Attribute(2036, "RepositoryNamelist", NAME_LENGTH, default="", would=_CLUSTERS),
)
"""The attributes of the queue manager."""
