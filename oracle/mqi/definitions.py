"""Definitions of queues and of the queue manager: their attributes, defaults and permitted values.

Attributes keep the names and the notation of the target protocol (`MsgDeliverySequence` is `PRIORITY` or
`FIFO`); attributes that the model does not know are ignored.

>>> QueueDefinition(name="ORDERS", MaxQDepth=10).max_q_depth
10
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator, model_validator

from oracle.errors import BadInputError
from oracle.mqi.profile import PlatformName
from oracle.text.mistakes import first_mistake

OBJECT_NAME: Final = re.compile(r"[A-Za-z0-9._/%]+")
"""The form of an object's name, besides its length."""
_LONGEST_NAME: Final = 48
_ANY_NAME: Final = "any name"

QName = Annotated[str, Field(strict=True, min_length=1, max_length=_LONGEST_NAME)]
Switch = Annotated[int, Field(strict=True, ge=0, le=1)]
Number = Annotated[int, Field(strict=True, ge=0, le=999_999_999)]
Length = Annotated[int, Field(strict=True, ge=0, le=104_857_600)]
Priority = Annotated[int, Field(strict=True, ge=0, le=9)]


def is_object_name(text: str) -> bool:
    """Return whether a text can be the name of an object."""
    return len(text) <= _LONGEST_NAME and OBJECT_NAME.fullmatch(text) is not None


class _Definition(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=False)

    @field_validator("name", "target", check_fields=False)
    @classmethod
    def _has_the_form_of_a_name(cls, value: str | None, info: ValidationInfo) -> str | None:
        if value is not None and not (info.context or {}).get(_ANY_NAME) and not OBJECT_NAME.fullmatch(value):
            raise ValueError(f"{value!r} is no name that IBM MQ allows: it has letters, digits and . _ / %")
        return value

    def attributes(self) -> dict[str, Any]:
        """Return every attribute by its field name."""
        return self.model_dump(by_alias=True)


class QueueDefinition(_Definition):
    """A queue, or a definition that leads to one or makes one."""

    name: QName
    """Its name."""
    type: Literal["local", "model", "alias", "remote"] = "local"
    """Its type. Only a local queue holds messages; opening a model queue makes one."""
    target: QName | None = None
    """For an alias, the name of the queue behind it. None for others."""
    rqmname: str = ""
    """For a remote definition, the queue manager of the queue that it stands for."""
    rname: str = ""
    """For a remote definition, the name of that queue there."""
    xmitq: str = ""
    """For a remote definition, the transmission queue. Empty: the one named like the queue manager."""
    msg_delivery_sequence: Literal["PRIORITY", "FIFO"] = Field("PRIORITY", alias="MsgDeliverySequence")
    """Whether messages are ordered by priority or by arrival."""
    def_priority: Priority = Field(0, alias="DefPriority")
    """The priority of a message that is put with MQPRI_PRIORITY_AS_Q_DEF."""
    def_persistence: Switch = Field(0, alias="DefPersistence")
    """The persistence of a message that is put with MQPER_PERSISTENCE_AS_Q_DEF."""
    max_q_depth: Number = Field(5000, alias="MaxQDepth")
    """The number of messages that it can hold."""
    max_msg_length: Length = Field(4194304, alias="MaxMsgLength")
    """The greatest number of bytes of a message's data."""
    inhibit_get: Switch = Field(0, alias="InhibitGet")
    """Whether gets are inhibited: 0 no, 1 yes."""
    inhibit_put: Switch = Field(0, alias="InhibitPut")
    """Whether puts are inhibited: 0 no, 1 yes."""
    usage: Literal["NORMAL", "TRANSMISSION"] = Field("NORMAL", alias="Usage")
    """Whether it is a transmission queue."""
    index_type: Literal["NONE", "MSG_ID", "CORREL_ID", "GROUP_ID", "MSG_TOKEN"] = Field("NONE", alias="IndexType")
    """The identifier by which it is indexed, which z/OS needs for some gets."""
    shareability: Switch = Field(1, alias="Shareability")
    """Whether several handles can be open for input at once: 0 no, 1 yes."""
    definition_type: Literal["PREDEFINED", "PERMANENT_DYNAMIC", "TEMPORARY_DYNAMIC"] = Field(
        "PREDEFINED", alias="DefinitionType"
    )
    """Whether it was defined, or made by opening a model queue; for a model, what it makes."""
    trigger_control: Switch = Field(0, alias="TriggerControl")
    """Whether trigger messages are made: 0 no, 1 yes."""
    trigger_type: Annotated[int, Field(strict=True, ge=0, le=3)] = Field(1, alias="TriggerType")
    """The event that makes trigger messages: 0 none, 1 a first message, 2 every message, 3 a depth."""
    trigger_depth: Annotated[int, Field(strict=True, ge=1, le=999_999_999)] = Field(1, alias="TriggerDepth")
    """The number of messages at which a queue of trigger type 3 triggers."""
    trigger_msg_priority: Priority = Field(0, alias="TriggerMsgPriority")
    """The lowest priority of a message that counts for a trigger."""
    trigger_data: str = Field("", alias="TriggerData")
    """The TriggerData of its trigger messages."""
    process_name: str = Field("", alias="ProcessName")
    """The name of the process that its trigger messages are to start."""
    initiation_q_name: str = Field("", alias="InitiationQName")
    """The name of the queue that its trigger messages are put to."""
    cap_expiry: Number = Field(0, alias="CAPEXPRY")
    """The longest Expiry of its messages in tenths of a second; 0 for no limit."""
    qsg_disposition: Literal["QMGR", "SHARED"] = Field("QMGR", alias="QSGDISP")
    """Whether it belongs to this queue manager, or to a queue-sharing group."""
    property_control: str | int = Field("COMPATIBILITY", alias="PropertyControl")
    """The form in which a get returns properties, if it has no option for that: a word or its number."""

    @model_validator(mode="after")
    def _alias_has_target(self) -> QueueDefinition:
        if self.type == "alias" and self.target is None:
            raise ValueError("an alias queue needs a target")
        return self


class QueueManagerDefinition(_Definition):
    """The queue manager."""

    name: QName = "QM1"
    """Its name."""
    platform: PlatformName | None = None
    """Its platform. None: the one that the target states."""
    max_msg_length: Length = Field(4194304, alias="MaxMsgLength")
    """The greatest number of bytes of a message's data."""
    max_priority: Priority = Field(9, alias="MaxPriority")
    """The highest priority of a message."""
    max_uncommitted_msgs: Annotated[int, Field(strict=True, ge=1, le=999_999_999)] = Field(
        10000, alias="MaxUncommittedMsgs"
    )
    """The number of messages that a unit of work can hold."""
    dead_letter_q_name: str = Field("", alias="DeadLetterQName")
    """The name of the queue for messages that cannot be delivered. Empty if there is none."""
    expiry_interval: Annotated[int, Field(strict=True, ge=0, le=99_999_999)] = Field(0, alias="ExpiryInterval")
    """The seconds between scans for expired messages on z/OS; 0 for never."""
    enforce_max_expiry_error: Annotated[bool, Field(strict=True)] = Field(False, alias="EnforceMaxExpiryError")
    """Whether a put fails if its Expiry is above 999999999, the documented maximum."""
    mark_browse_interval: Annotated[int, Field(strict=True, ge=-1, le=999_999_999)] = Field(
        5000, alias="MarkBrowseInterval"
    )
    """The milliseconds after which the mark of a cooperative browse ends; -1 for never."""
    coded_char_set_id: Annotated[int, Field(strict=True, ge=0)] = Field(1208, alias="CodedCharSetId")
    """Its character set, by number."""
    max_handles: Annotated[int, Field(strict=True, ge=1, le=999_999_999)] = Field(256, alias="MaxHandles")
    """The number of handles that a connection can have open at once."""
    trigger_interval: Annotated[int, Field(strict=True, ge=0, le=999_999_999)] = Field(
        999_999_999, alias="TriggerInterval"
    )
    """The milliseconds after which a queue of trigger type 1 triggers although it was not empty."""


D = TypeVar("D", QueueDefinition, QueueManagerDefinition)


def define(kind: type[D], attributes: Mapping[str, Any], *, any_name: bool = False) -> D:
    """Make a definition from attributes by name. Raises BadInputError, naming the attribute, for an invalid value.

    With `any_name` names may have any characters, as in a log or in what another queue manager has said.
    """
    try:
        return kind.model_validate(dict(attributes), context={_ANY_NAME: any_name})
    except ValidationError as error:
        owner = attributes.get("name", "the queue manager")
        mistake = first_mistake(error)
        place = f"attribute {mistake.member} of {owner}" if mistake.member else f"the definition of {owner}"
        raise BadInputError(mistake.about(place)) from error


def altered(definition: D, attributes: Mapping[str, Any]) -> D:
    """Return the definition with some attributes changed.

    Raises BadInputError, naming the attribute, for an invalid value.
    """
    return define(type(definition), {**definition.attributes(), **attributes}, any_name=True)
