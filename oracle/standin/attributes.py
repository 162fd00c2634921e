"""Attributes of queues and of the queue manager by their selectors, as MQINQ, MQSET and PCF messages name them.

The model has those that its rules speak of. The others in these tables have no effect: a program that keeps a backout
threshold on its queue finds there what it has put there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from oracle.definitions import QueueDefinition
from oracle.errors import BadInputError
from oracle.model.state import State

NAME_LENGTH: Final = 48

CHARACTERS: Final = range(2001, 4001)
"""The selectors of attributes that are characters (MQCA_FIRST to MQCA_LAST)."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute: its selector, its name in the model (None: it has no effect), and its initial value.

    `length` is that of characters, 0 for a number. `words` are the numbers by the words that the model has for them;
    `nothing` stands for the model's 0.
    """

    selector: int
    name: str | None
    length: int = 0
    words: Mapping[str, int] | None = None
    default: int | str = 0
    nothing: int = 0

    def from_model(self, value: Any) -> int | str:
        """Return the value as the MQI has it."""
        found: int | str = self.words[value] if self.words and isinstance(value, str) else value
        return found or (self.nothing if not self.length else found)

    def to_model(self, value: int | str) -> Any:
        """Return the value as the model has it, the value itself where there is no word for it."""
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

_SEQUENCES: Final = {"PRIORITY": 0, "FIFO": 1}
_USAGES: Final = {"NORMAL": 0, "TRANSMISSION": 1}
_INDEXES: Final = {"NONE": 0, "MSG_ID": 1, "CORREL_ID": 2, "MSG_TOKEN": 4, "GROUP_ID": 5}
_DEFINED: Final = {"PREDEFINED": 1, "PERMANENT_DYNAMIC": 2, "TEMPORARY_DYNAMIC": 3}
_CONTROLS: Final = {"COMPATIBILITY": 0, "NONE": 1, "ALL": 2, "FORCE_MQRFH2": 3, "V6COMPAT": 4}

_LOCAL: Final = (
    Attribute(Q_NAME, "QName", NAME_LENGTH),
    Attribute(Q_TYPE, "type", words=QUEUE_TYPES),
    Attribute(6, "DefPriority"),
    Attribute(5, "DefPersistence"),
    Attribute(9, "InhibitGet"),
    Attribute(10, "InhibitPut"),
    Attribute(15, "MaxQDepth"),
    Attribute(13, "MaxMsgLength"),
    Attribute(16, "MsgDeliverySequence", words=_SEQUENCES),
    Attribute(12, "Usage", words=_USAGES),
    Attribute(57, "IndexType", words=_INDEXES),
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
    Attribute(276, "CAPEXPRY", nothing=-1),
    Attribute(2013, None, 64, default=""),
    Attribute(22, None),
    Attribute(2019, None, NAME_LENGTH, default=""),
    Attribute(8, None),
    Attribute(21, None, default=999999999),
    Attribute(4, None, default=2),
    Attribute(40, None, default=80),
    Attribute(41, None, default=20),
    Attribute(42, None, default=1),
    Attribute(43, None),
    Attribute(44, None),
    Attribute(61, None),
    Attribute(188, None),
    Attribute(184, None, default=1),
    Attribute(34, None),
    Attribute(45, None, default=1),
    Attribute(78, None),
    Attribute(2029, None, NAME_LENGTH, default=""),
    Attribute(2119, None, 128, default=""),
    Attribute(2138, None, NAME_LENGTH, default=""),
)

_COUNTS: Final = (Attribute(3, "CurrentQDepth"), Attribute(17, "OpenInputCount"), Attribute(18, "OpenOutputCount"))

_BOTH: Final = (_LOCAL[0], _LOCAL[1], *_LOCAL[2:4], _LOCAL[5], Attribute(2013, None, 64, default=""))

OF_TYPE: Final[Mapping[str, Mapping[int, Attribute]]] = {
    kind: {each.selector: each for each in table}
    for kind, table in {
        "local": (*_LOCAL, *_COUNTS),
        "model": _LOCAL,
        "alias": (*_BOTH, _LOCAL[4], Attribute(2002, "target", NAME_LENGTH)),
        "remote": (
            *_BOTH,
            Attribute(2018, "rname", NAME_LENGTH),
            Attribute(2017, "rqmname", NAME_LENGTH),
            Attribute(2024, "xmitq", NAME_LENGTH),
        ),
    }.items()
}
"""The attributes of each type of queue, by selector."""

_PLATFORMS: Final = {"zos": 1, "distributed": 3, "ibmi": 4}

OF_MANAGER: Final[Mapping[int, Attribute]] = {
    each.selector: each
    for each in (
        Attribute(2015, "name", NAME_LENGTH),
        Attribute(32, "platform", words=_PLATFORMS),
        Attribute(13, "MaxMsgLength"),
        Attribute(14, "MaxPriority"),
        Attribute(33, "MaxUncommittedMsgs"),
        Attribute(2006, "DeadLetterQName", NAME_LENGTH),
        Attribute(39, "ExpiryInterval"),
        Attribute(68, "MarkBrowseInterval"),
        Attribute(2, "CodedCharSetId"),
        Attribute(2014, None, 64, default="The oracle as a queue manager"),
        Attribute(2032, None, NAME_LENGTH, default="ORACLE"),
        Attribute(31, None, default=900),
        Attribute(2120, None, 8, default="09000000"),
        Attribute(2003, None, NAME_LENGTH, default="SYSTEM.ADMIN.COMMAND.QUEUE"),
        Attribute(30, None, default=1),
        Attribute(25, "TriggerInterval"),
        Attribute(11, "MaxHandles"),
        Attribute(2125, None, NAME_LENGTH, default="SYSTEM.DEFAULT.AUTHINFO.IDPWOS"),
        Attribute(2025, None, NAME_LENGTH, default=""),
    )
}
"""The attributes of the queue manager, by selector."""

EVERY: Final = {selector: each for table in (OF_MANAGER, *OF_TYPE.values()) for selector, each in table.items()}
"""Every selector that is known for any object."""

Values = dict[int, int | str]


def definition_values(definition: QueueDefinition, beside: Mapping[int, int | str]) -> Values:
    """Return the attributes of a queue, but for the counts; `beside` are those without effect that have been set."""
    model = {"QName": definition.name, **definition.attributes()}
    return _values(OF_TYPE[definition.type], model, beside)


def manager_values(state: State, beside: Mapping[int, int | str]) -> Values:
    """Return the attributes of the queue manager."""
    model = {**state.definition.attributes(), "platform": state.profile.platform}
    return _values(OF_MANAGER, model, beside)


def _values(table: Mapping[int, Attribute], model: Mapping[str, Any], beside: Mapping[int, int | str]) -> Values:
    values: Values = {}
    for selector, each in table.items():
        if each.name is None:
            values[selector] = beside.get(selector, each.default)
        elif each.name in model:
            value = model[each.name]
            values[selector] = "" if value is None else each.from_model(value)
    return values


def split(table: Mapping[int, Attribute], values: Mapping[int, int | str]) -> tuple[dict[str, Any], Values]:
    """Part attributes into those of the model, by name, and those beside it.

    Raises BadInputError for one that is not in the table.
    """
    model: dict[str, Any] = {}
    beside: Values = {}
    for selector, value in values.items():
        if selector not in table:
            raise BadInputError(f"there is no attribute {selector} of this object")
        each = table[selector]
        if each.name is None:
            beside[selector] = value
        else:
            model[each.name] = each.to_model(value)
    return model, beside
