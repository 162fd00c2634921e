"""Attributes of queues and of the queue manager, by the names of the target protocol: their selectors and values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

_NAME_LENGTH: Final = 48


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute in MQINQ and MQSET."""

    selector: int
    """Its number in MQINQ and MQSET."""
    length: int = 0
    """The number of characters; 0 for an integer."""
    words: Mapping[str, int] = field(default_factory=dict)
    """The names of an integer's values."""

    def out(self, value: Any) -> int | str:
        """Return the MQI's value."""
        found: int | str = self.words.get(value, value) if isinstance(value, str) else value
        return found

    def back(self, value: int | str) -> int | str:
        """Return the target protocol's value."""
        return next((word for word, number in self.words.items() if number == value), value)


Q_NAME: Final = Attribute(2016, _NAME_LENGTH)
Q_TYPE: Final = Attribute(20, words={"local": 1, "model": 2, "alias": 3, "remote": 6})
BASE_NAME: Final = Attribute(2002, _NAME_LENGTH)
DESCRIPTION: Final = Attribute(2013, 64)
OPEN_AS_DEFINED: Final = Attribute(4)
CUSTOM: Final = Attribute(2119, 128)

DEFINED: Final[Mapping[str, Attribute]] = {
    "MsgDeliverySequence": Attribute(16, words={"PRIORITY": 0, "FIFO": 1}),
    "DefPriority": Attribute(6),
    "DefPersistence": Attribute(5),
    "MaxQDepth": Attribute(15),
    "MaxMsgLength": Attribute(13),
    "InhibitGet": Attribute(9),
    "InhibitPut": Attribute(10),
    "Usage": Attribute(12, words={"NORMAL": 0, "TRANSMISSION": 1}),
    "IndexType": Attribute(57, words={"NONE": 0, "MSG_ID": 1, "CORREL_ID": 2, "MSG_TOKEN": 4, "GROUP_ID": 5}),
    "Shareability": Attribute(23),
    "DefinitionType": Attribute(7, words={"PREDEFINED": 1, "PERMANENT_DYNAMIC": 2, "TEMPORARY_DYNAMIC": 3}),
    "TriggerControl": Attribute(24),
    "TriggerType": Attribute(28),
    "TriggerDepth": Attribute(29),
    "TriggerMsgPriority": Attribute(26),
    "TriggerData": Attribute(2023, 64),
    "ProcessName": Attribute(2012, _NAME_LENGTH),
    "InitiationQName": Attribute(2008, _NAME_LENGTH),
    "PropertyControl": Attribute(
        190, words={"COMPATIBILITY": 0, "NONE": 1, "ALL": 2, "FORCE_MQRFH2": 3, "V6COMPAT": 4}
    ),
    "CAPEXPRY": Attribute(276),
    "target": BASE_NAME,
    "rqmname": Attribute(2017, _NAME_LENGTH),
    "rname": Attribute(2018, _NAME_LENGTH),
    "xmitq": Attribute(2024, _NAME_LENGTH),
}
"""The attributes that a queue definition has in the target protocol."""

QUEUES_NAMED: Final = frozenset({"target", "xmitq", "InitiationQName", "QName"})
"""Attributes that are names of queues of the check."""

INQUIRED: Final[Mapping[str, Attribute]] = {
    **DEFINED,
    "QName": Q_NAME,
    "CurrentQDepth": Attribute(3),
    "OpenInputCount": Attribute(17),
    "OpenOutputCount": Attribute(18),
}
"""The attributes that MQINQ gives."""

MANAGER: Final[Mapping[str, Attribute]] = {
    "name": Attribute(2015, _NAME_LENGTH),
    "platform": Attribute(32),
    "CommandLevel": Attribute(31),
    "MaxMsgLength": Attribute(13),
    "MaxPriority": Attribute(14),
    "MaxHandles": Attribute(11),
    "TriggerInterval": Attribute(25),
    "MaxUncommittedMsgs": Attribute(33),
    "MarkBrowseInterval": Attribute(68),
    "CodedCharSetId": Attribute(2),
    "ExpiryInterval": Attribute(39),
    "DeadLetterQName": Attribute(2006, _NAME_LENGTH),
}
"""The attributes of the queue manager that the suite inquires."""

PLATFORMS: Final[Mapping[int, str]] = {1: "zos", 4: "ibmi"}
"""The platform of each MQPL; all others are distributed."""

OF_TYPE: Final[Mapping[str, tuple[str, ...]]] = {
    "local": (
        "MsgDeliverySequence", "DefPriority", "DefPersistence", "MaxQDepth", "MaxMsgLength", "InhibitGet",
        "InhibitPut", "Usage", "Shareability", "TriggerControl", "TriggerType", "TriggerDepth",
        "TriggerMsgPriority", "TriggerData", "ProcessName", "InitiationQName", "PropertyControl",
    ),
    "alias": ("target", "InhibitGet", "InhibitPut", "DefPriority", "DefPersistence"),
    "remote": ("rname", "rqmname", "xmitq", "InhibitPut", "DefPriority", "DefPersistence"),
}  # fmt: skip  # pairs
"""The attributes that are always set, by the type of a queue, so that the queue manager's defaults do not show."""


def selectors(attributes: Iterable[Attribute]) -> tuple[list[int], int, int]:
    """Return the arguments of MQINQ: selectors, number of integers, number of characters."""
    wanted = list(attributes)
    return (
        [each.selector for each in wanted],
        sum(not each.length for each in wanted),
        sum(each.length for each in wanted),
    )


def inquired(attributes: Iterable[Attribute], integers: list[int], characters: bytes) -> list[int | str]:
    """Return the values that MQINQ returned, in the order of the attributes, as values of the target protocol."""
    numbers, at, values = iter(integers), 0, []
    for each in attributes:
        if each.length:
            values.append(_text(characters[at : at + each.length]))
            at += each.length
        else:
            values.append(each.back(next(numbers)))
    return values


def _text(value: bytes) -> int | str:
    return value.decode("latin-1").partition("\0")[0].rstrip(" ")
