"""The MQMDE: how a version 1 MQGET gets the fields that only a version 2 descriptor has."""

from __future__ import annotations

from dataclasses import dataclass

from oracle.mqi.constants import MQFMT
from oracle.mqi.layouts import MQMDE, Values, byte_order
from oracle.mqi.structures import MD_VERSION_2_MEMBERS, MessageDescriptor
from oracle.values import quickly_made, replace


@quickly_made
@dataclass(frozen=True, slots=True)
class Payload:
    """The contents that an MQGET has to return."""

    descriptor: MessageDescriptor
    """The descriptor, which fits the caller's version."""
    data: bytes
    """The data, with the MQMDE before them if there is one."""
    extension: int = 0
    """The length of the MQMDE that the queue manager put before the data."""


def extended(md: MessageDescriptor, data: bytes) -> Payload:
    """Return the payload of a message for a descriptor of this version.

    With version 1 an MQMDE comes before the data if one of its fields is not the default (MDE-01); it counts in the
    length (MDE-02).
    """
    if md.version > 1 or not needs_extension(md):
        return Payload(md, data)
    extension = MQMDE.encode(members_of_extension(md), byte_order(md.encoding))
    return Payload(replace(md, format=MQFMT.MD_EXTENSION), extension + data, len(extension))


def members_of_extension(md: MessageDescriptor) -> Values:
    """Return the members of the MQMDE that a message needs: the fields that version 1 lacks, and what follows it."""
    values = {name: getattr(md, name) for name in MD_VERSION_2_MEMBERS}
    c_names = md.c_names()
    members = {c_names[name]: value.hex() if isinstance(value, bytes) else value for name, value in values.items()}
    return {**members, "Encoding": md.encoding, "CodedCharSetId": md.coded_char_set_id, "Format": md.format}


def needs_extension(md: MessageDescriptor) -> bool:
    """Return whether a field of the version 2 descriptor differs from its default."""
    initial = MessageDescriptor()
    return any(getattr(md, name) != getattr(initial, name) for name in MD_VERSION_2_MEMBERS)
