"""Definitions of queues and of the queue manager: their attributes, defaults and permitted values.

Attributes keep the names and the notation of the target protocol (`MsgDeliverySequence` is `PRIORITY` or
`FIFO`); attributes that the model does not know are ignored.

>>> QueueDefinition(name="ORDERS", MaxQDepth=10).max_q_depth
10
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from oracle.errors import BadInputError
from oracle.mqi.profile import PlatformName
from oracle.text.mistakes import first_mistake

QName = Annotated[str, Field(strict=True, min_length=1, max_length=48)]
Switch = Annotated[int, Field(strict=True, ge=0, le=1)]
Count = Annotated[int, Field(strict=True, ge=0)]
Priority = Annotated[int, Field(strict=True, ge=0, le=9)]


class _Definition(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=False)

    def attributes(self) -> dict[str, Any]:
        """Return every attribute by its field name."""
        return self.model_dump(by_alias=True)


class QueueDefinition(_Definition):
    """A queue. `CAPEXPRY` is in tenths of a second, 0 for no cap; lengths are in bytes."""

    name: QName
    type: Literal["local", "model", "alias", "remote"] = "local"
    target: QName | None = None
    rqmname: str = ""
    rname: str = ""
    xmitq: str = ""
    msg_delivery_sequence: Literal["PRIORITY", "FIFO"] = Field("PRIORITY", alias="MsgDeliverySequence")
    def_priority: Priority = Field(0, alias="DefPriority")
    def_persistence: Switch = Field(0, alias="DefPersistence")
    max_q_depth: Count = Field(5000, alias="MaxQDepth")
    max_msg_length: Count = Field(4194304, alias="MaxMsgLength")
    inhibit_get: Switch = Field(0, alias="InhibitGet")
    inhibit_put: Switch = Field(0, alias="InhibitPut")
    usage: Literal["NORMAL", "TRANSMISSION"] = Field("NORMAL", alias="Usage")
    index_type: Literal["NONE", "MSG_ID", "CORREL_ID", "GROUP_ID", "MSG_TOKEN"] = Field("NONE", alias="IndexType")
    shareability: Switch = Field(1, alias="Shareability")
    definition_type: Literal["PREDEFINED", "PERMANENT_DYNAMIC", "TEMPORARY_DYNAMIC"] = Field(
        "PREDEFINED", alias="DefinitionType"
    )
    trigger_control: Switch = Field(0, alias="TriggerControl")
    trigger_type: Annotated[int, Field(strict=True, ge=0, le=3)] = Field(1, alias="TriggerType")
    trigger_depth: Annotated[int, Field(strict=True, ge=1)] = Field(1, alias="TriggerDepth")
    trigger_msg_priority: Priority = Field(0, alias="TriggerMsgPriority")
    trigger_data: str = Field("", alias="TriggerData")
    process_name: str = Field("", alias="ProcessName")
    initiation_q_name: str = Field("", alias="InitiationQName")
    cap_expiry: Count = Field(0, alias="CAPEXPRY")
    qsg_disposition: Literal["QMGR", "SHARED"] = Field("QMGR", alias="QSGDISP")
    property_control: str | int = Field("COMPATIBILITY", alias="PropertyControl")

    @model_validator(mode="after")
    def _alias_has_target(self) -> QueueDefinition:
        if self.type == "alias" and self.target is None:
            raise ValueError("an alias queue needs a target")
        return self


class QueueManagerDefinition(_Definition):
    """The queue manager.

    `ExpiryInterval` is in seconds, `MarkBrowseInterval` and `TriggerInterval` are in milliseconds; `MaxHandles` is the
    number of handles that a connection may have open at once.
    """

    name: QName = "QM1"
    platform: PlatformName | None = None
    max_msg_length: Count = Field(4194304, alias="MaxMsgLength")
    max_priority: Priority = Field(9, alias="MaxPriority")
    max_uncommitted_msgs: Annotated[int, Field(strict=True, ge=1)] = Field(10000, alias="MaxUncommittedMsgs")
    dead_letter_q_name: str = Field("", alias="DeadLetterQName")
    expiry_interval: Count = Field(0, alias="ExpiryInterval")
    enforce_max_expiry_error: Annotated[bool, Field(strict=True)] = Field(False, alias="EnforceMaxExpiryError")
    mark_browse_interval: Annotated[int, Field(strict=True, ge=-1)] = Field(5000, alias="MarkBrowseInterval")
    coded_char_set_id: Annotated[int, Field(strict=True, ge=0)] = Field(1208, alias="CodedCharSetId")
    max_handles: Annotated[int, Field(strict=True, ge=1, le=999_999_999)] = Field(256, alias="MaxHandles")
    trigger_interval: Annotated[int, Field(strict=True, ge=0, le=999_999_999)] = Field(
        999_999_999, alias="TriggerInterval"
    )


D = TypeVar("D", QueueDefinition, QueueManagerDefinition)


def define(kind: type[D], attributes: Mapping[str, Any]) -> D:
    """Make a definition of attributes by name.

    Raises BadInputError, naming the attribute, if a value is not one that the attribute can have.
    """
    try:
        return kind.model_validate(dict(attributes))
    except ValidationError as error:
        owner = attributes.get("name", "the queue manager")
        mistake = first_mistake(error)
        place = f"attribute {mistake.member} of {owner}" if mistake.member else f"the definition of {owner}"
        raise BadInputError(mistake.about(place)) from error


def altered(definition: D, attributes: Mapping[str, Any]) -> D:
    """Return the definition with some attributes changed.

    Raises BadInputError, naming the attribute, if a value is not one that the attribute can have.
    """
    return define(type(definition), {**definition.attributes(), **attributes})
