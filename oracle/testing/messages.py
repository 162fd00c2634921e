"""A message for tests: its data, its properties by name, and the members of its descriptor."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final

from oracle.errors import BadInputError
from oracle.model.conversion.rules_header import read_header
from oracle.model.reply import Reply
from oracle.mqi.constants import MQRC
from oracle.mqi.structures import MessageDescriptor
from oracle.standin import message_handles
from oracle.standin.answers import Failed
from oracle.standin.message_handles import MessageHandle
from oracle.text.similar_names import do_you_mean

_MEMBERS: Final = tuple(each.name for each in fields(MessageDescriptor))
_NO_CONNECTION: Final = -1


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message on a queue. The members of its descriptor are attributes too, such as `message.backout_count`."""

    descriptor: MessageDescriptor
    """The MQMD of MQGET with MQGMO_NO_PROPERTIES."""
    data: bytes
    """The data of MQGET with MQGMO_NO_PROPERTIES."""
    properties: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """The properties: names as MQINQMP returns them, without `usr.`, and Python values."""
    header: bytes = b""
    """The MQRFH2 that the properties are kept in, as MQGMO_PROPERTIES_FORCE_MQRFH2 returns it before the data; empty
    where the message begins with none."""

    def __getattr__(self, name: str) -> Any:
        """Return a member of the descriptor.

        Raises AttributeError, with similar names, for an unknown member.
        """
        if name in _MEMBERS:
            return getattr(self.descriptor, name)
        hint = do_you_mean(name, [*_MEMBERS, "data", "properties", "header"])
        raise AttributeError(f"a message has no {name!r}{hint and f'; {hint}'}")

    def __dir__(self) -> list[str]:
        """Return the names of the attributes, for completion."""
        return [*object.__dir__(self), *_MEMBERS]


def stored_message(reply: Reply) -> StoredMessage | None:
    """Return the message that an MQGET with MQGMO_PROPERTIES_FORCE_MQRFH2 has returned; None if there is none."""
    if reply.descriptor is None or reply.data is None:
        return None
    header = read_header(reply.descriptor, reply.data)
    if header is None:
        return StoredMessage(reply.descriptor, reply.data)
    handle = MessageHandle(_NO_CONNECTION)
    handle.add(header)
    properties = {name: each.as_python() for name, each in handle.properties.items()}
    descriptor, data = header.without_properties()
    begin = reply.data[: len(reply.data) - len(header.rest)]
    return StoredMessage(descriptor, data, properties, begin)


_KINDS: Final = {
    str: message_handles.STRING,
    bytes: message_handles.BYTE_STRING,
    bool: message_handles.BOOLEAN,
    int: message_handles.INT64,
    float: message_handles.FLOAT64,
    type(None): message_handles.NULL,
}
"""The types of properties of a message that a test puts."""


def with_properties(
    properties: Mapping[str, Any], descriptor: MessageDescriptor, data: bytes
) -> tuple[MessageDescriptor, bytes]:
    """Return descriptor and data of a message that is put with properties.

    Raises BadInputError for an invalid name, and for a value that no property can have.
    """
    handle = MessageHandle(_NO_CONNECTION)
    for name, value in properties.items():
        kind = _KINDS.get(type(value))
        if kind is None:
            raise BadInputError(f"property {name} must be text, bytes, a number, a truth value or None, not {value!r}")
        try:
            handle.set(name, kind, message_handles.as_bytes(kind, value))
        except (Failed, struct.error) as error:
            reason = f"MQRC {MQRC.describe(error.reason)}" if isinstance(error, Failed) else "it has 64 bits at most"
            raise BadInputError(f"the message cannot have the property {name!r} of {value!r}: {reason}") from error
    return message_handles.wrapped(handle, descriptor, data)
