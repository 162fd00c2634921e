"""The outputs of an MQGET for the message that it found, and how far each of them may differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from oracle.model.conversion.extension import Payload
from oracle.model.expiry import remaining
from oracle.model.grounds import Rules
from oracle.model.groups.get_groups import group_status, segment_status, segmentation
from oracle.model.messages.logical_messages import Found, span
from oracle.model.messages.messages import Message
from oracle.model.reply import Anything, BytesLike, GetOutputs, Latitude, NumberAt, OneOf, Reply
from oracle.model.reports.transmission import aged
from oracle.model.requests.get import GetRequest
from oracle.model.step import Step
from oracle.mqi.constants import MQCC, MQGMO, MQMF, MQRC
from oracle.mqi.layouts import MQMDE, byte_order
from oracle.mqi.structures import OPEN_CONTEXT, GetMessageOptions, MessageDescriptor
from oracle.values import replace

_OPEN: Final = {f"MQMD.{name}": Anything() for name in OPEN_CONTEXT}
"""Members of the descriptor that are never compared."""

_OF_EVERY_MESSAGE: Final = (
    "DLV-01", "DLV-02", "DLV-03", "DLV-04", "DLV-05", "TRM-01", "MTC-09", "TYP-01", "FMT-01", "PER-01", "BOC-03",
    "GST-08",
)  # fmt: skip  # names
"""The rules behind every returned message: it was put, it is there, and it comes as it was put."""

_BEHIND_ON_ZOS: Final = {"MQGMO.SegmentStatus": ("GST-04",), "MQGMO.Segmentation": ("GST-04",)}
_BEHIND_EXTENSION: Final = {"data": ("MDE-01", "DLV-04")}
_INITIAL_GMO: Final = GetMessageOptions()
_INITIAL_STATUS: Final = (_INITIAL_GMO.group_status, _INITIAL_GMO.segment_status, _INITIAL_GMO.segmentation)


def message_reply(step: Step, request: GetRequest, found: Found, whole: Payload, reason: int) -> Reply:
    """Return the reply of an MQGET for the message that it found: as much of the data as fits, and all outputs."""
    left, expiry_latitude = remaining(step.state, found.first)
    shift = whole.extension
    returned, numbers = aged(step, found.first, whole.data[shift:])
    data = (whole.data[:shift] + returned)[: request.call.buffer_length]
    md, flags = whole.descriptor, found.descriptor.msg_flags
    if shift:
        step.because("MDE-01", "MDE-02")
    latitude: dict[str, Latitude] = {**_OPEN}
    if expiry_latitude is not None:
        latitude["MQMD.Expiry"] = expiry_latitude
        step.because("EXP-07", "EXP-10")
    if _placed_by_default(step, request, found.first):
        latitude["MQMD.Priority"] = OneOf((md.priority, found.first.rank))
        step.because("PRI-05")
    if flags:
        latitude["MQMD.OriginalLength"] = OneOf((md.original_length, -1, len(found.data), len(whole.data) - shift))
    if found.reassembled:
        latitude["MQMD.MsgFlags"] = OneOf((flags, flags & ~MQMF.SEGMENT))
    latitude["MQGMO.ReturnedLength"] = OneOf((len(data), -1))
    latitude.update(found.first.notes.latitude)
    latitude.update(_latitude_of_made(found))
    numbers = tuple(replace(number, place=_shifted(number.place, shift)) for number in numbers)
    if shift:
        numbers = (*_numbers_of_extension(md, latitude), *numbers)
    if found.first.made is not None or numbers:
        latitude.update(_latitude_of_data(found, data, numbers, shift))
    zos = step.state.profile.zos
    status = ("GST-04",) if zos else ("GST-02", "GST-03")
    step.because(*_rules_of_outputs(request, found, md, status))
    return Reply(
        comp_code=MQCC.OK if reason == MQRC.NONE else MQCC.WARNING,
        reason=reason,
        descriptor=md if expiry_latitude is None else replace(md, expiry=left),
        options=GetOutputs(
            resolved_q_name=request.queue.name,
            group_status=group_status(flags),
            segment_status=segment_status(flags, zos=zos),
            segmentation=segmentation(flags, zos=zos),
            msg_token=found.first.token or b"",
            returned_length=len(data),
            version=request.call.options.version,
        ),
        data=data,
        data_length=len(whole.data),
        latitude=latitude,
        behind=_behind(found.first, zos=zos, extended=shift > 0),
    )


def _behind(message: Message, *, zos: bool, extended: bool) -> Mapping[str, tuple[str, ...]]:
    """Return the rules behind single members of a message, by its put or by how the queue manager made it."""
    own = message.notes.behind if message.made is None else {**message.notes.behind, **message.made.behind}
    if not zos and not extended:
        return own
    return {**(_BEHIND_ON_ZOS if zos else {}), **(_BEHIND_EXTENSION if extended else {}), **own}


def _rules_of_outputs(request: GetRequest, found: Found, md: MessageDescriptor, status: tuple[str, ...]) -> Rules:
    """Return the rules by which the outputs are those of the message and not what the caller left in them (GST-07).

    `status` are those behind the status fields.
    """
    given, gmo, call = request.call.descriptor, request.call.options, request.call
    stale = (gmo.group_status, gmo.segment_status, gmo.segmentation) != _INITIAL_STATUS
    return (
        *_OF_EVERY_MESSAGE,
        *(("BOC-04",) if found.descriptor.backout_count == 0 else ()),
        *(("TRN-09",) if gmo.version > 2 else ()),
        *(("CHK-05",) if call.buffer_length == 0 else ()),
        *(("GST-06",) if len(request.handle.path) > 1 else ()),
        *(("CNV-07",) if not request.asks(MQGMO.CONVERT) else ()),
        *(("GST-07",) if stale or (given.msg_flags and given.msg_flags != md.msg_flags) else ()),
        *(("GST-01", *status) if gmo.version > 1 else ()),
    )


def _placed_by_default(step: Step, request: GetRequest, message: Message) -> bool:
    """Return whether the message was placed at DefPriority instead of its Priority, which it may then show (AMB-55)."""
    priority = min(message.descriptor.priority, step.state.definition.max_priority)
    raised = request.zos and priority < message.rank and message.descriptor.msg_flags & MQMF.MSG_IN_GROUP  # VIS-11
    return message.rank != priority and not raised


def _latitude_of_made(found: Found) -> dict[str, Latitude]:
    """Return how far a message that the queue manager made may differ from the model's."""
    made = found.first.made
    if made is None:
        return {}
    return {**made.latitude, **({"MQMD.OriginalLength": Anything()} if found.reassembled else {})}


def _latitude_of_data(found: Found, data: bytes, numbers: tuple[NumberAt, ...], shift: int) -> dict[str, Latitude]:
    """Return how far headers in the data may differ; those of the message begin `shift` bytes from the beginning."""
    free = tuple(_free_places(found, shift))
    return {"data": BytesLike(data, free, numbers)} if free or numbers else {}


def _numbers_of_extension(md: MessageDescriptor, latitude: Mapping[str, Latitude]) -> Iterator[NumberAt]:
    """Yield the numbers of an MQMDE that may differ: those that may in a version 2 descriptor."""
    for name in ("MsgFlags", "OriginalLength"):
        allowed = latitude.get(f"MQMD.{name}")
        if allowed is not None:
            (place,) = MQMDE.places(name)
            yield NumberAt(place, byte_order(md.encoding), allowed)


def _free_places(found: Found, shift: int) -> Iterator[range]:
    """Yield the bytes about which the documents say nothing: of the header of each segment, if the data have it."""
    for segment in found.segments:
        header = None if segment.made is None else segment.made.header
        if header is not None:
            yield from (_shifted(place, shift) for place in header.layout.places(*header.free))
            if header.inner is not None:
                behind = shift + header.layout.length(1)
                yield from (_shifted(place, behind) for place in header.inner.layout.places(*header.inner.free))
        shift += max(len(segment.data), span(segment))


def _shifted(place: range, shift: int) -> range:
    return range(place.start + shift, place.stop + shift)
