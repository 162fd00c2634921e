"""Values of a message that the queue manager chooses, and that are known once the message is first returned."""

from __future__ import annotations

from typing import Final

from oracle.model.conversion.extension import needs_extension
from oracle.model.messages.logical_messages import Found
from oracle.model.messages.made import Header
from oracle.model.messages.messages import Message
from oracle.model.reports.lengths import decided_length
from oracle.model.requests.get import GetRequest
from oracle.model.requests.option_matrix import GROUPING
from oracle.model.search.get_rules import GROUP_MATCHES
from oracle.model.state import Queue
from oracle.model.step import Step
from oracle.mqi.layouts import MQDLH, MQXQH, byte_order
from oracle.mqi.structures import MD_VERSION_2_MEMBERS, MessageDescriptor
from oracle.values import replace

_OUTER_HAS_GROUP: Final = "has the outer descriptor the group fields of the message"
_DESCRIBES: Final = {MQXQH: ("MsgDesc.Encoding", "CHN-02"), MQDLH: ("Encoding", "DLH-02")}
"""The member of a header that holds the Encoding of the structure behind it, and the rule of that."""


def with_token(step: Step, queue: Queue, found: Found, *, stays: bool) -> Found:
    """Give a message its token: unique, and never changed (GST-05).

    The token is noted on the queue if the message stays; a call that removes it, or takes it into a unit of work, notes
    it itself.
    """
    if found.first.token is not None:
        return found
    token = step.generate("MQGMO.MsgToken", lambda number: number.to_bytes(16, "big"), bytes)
    first = replace(found.first, token=token)
    if stays:
        queue.messages = queue.messages.having(first)
    return found.with_first(first)


def with_chosen_values(step: Step, queue: Queue, found: Found) -> Found:
    """Give a message that the queue manager made the MsgId and the Encoding that it chose (IDS-04)."""
    made = found.first.made
    if made is None:
        return found
    step.because(*made.rules)
    md, data, header = found.first.descriptor, found.first.data, made.header
    if made.new_msg_id:
        md = replace(md, msg_id=step.generate("MQMD.MsgId", lambda _: md.msg_id, bytes))
    if header is not None and header.encoding_is_open:
        encoding = step.generate("MQMD.Encoding", lambda _: md.encoding, int)
        header, begun = _with_inner(step, replace(header, encoding_is_open=False), encoding)
        md, data = replace(md, encoding=encoding), begun + data[len(begun) :]
    known = replace(made, new_msg_id=False, header=header)
    first = replace(found.first, descriptor=md, data=data, made=known)
    queue.messages = queue.messages.having(first)
    return found.with_first(first, replace(found.descriptor, msg_id=md.msg_id, encoding=md.encoding))


def with_version_2_members(step: Step, queue: Queue, found: Found) -> Found:
    """Decide the members that version 1 lacks, where it is open whether an MQMDE shows them.

    They are those of the outer descriptor of a transmitted message (CHN-04), and the OriginalLength of a report on a
    whole message (AMB-119).
    """
    first = found.first
    if first.made is None:
        return found
    header = first.made.header
    if header is not None and header.layout is MQXQH:
        decided = _outer_members(step, first.descriptor, header), first.made
    else:
        decided = decided_length(step, first.descriptor, first.made) or (first.descriptor, first.made)
    if decided[0] is first.descriptor:
        return found
    members = {name: getattr(decided[0], name) for name in MD_VERSION_2_MEMBERS}
    first = replace(first, descriptor=decided[0], made=decided[1])
    queue.messages = queue.messages.having(first)
    return found.with_first(first, replace(found.descriptor, **members))


def decide_outer_members(step: Step, request: GetRequest) -> None:
    """Decide for a call that selects by group fields whether outer descriptors have those of their messages (AMB-122).

    One decision is for all messages on the queue of which it is open.
    """
    queue = request.queue
    by_group = request.asks(GROUPING) or request.match_options & GROUP_MATCHES
    if not queue.is_transmission_queue or not by_group:
        return
    given = [(each, _members_of_inner(each)) for each in queue.messages]
    wrapped = [(each, outer) for each, outer in given if outer is not None]
    if bool(wrapped) and step.choose(_OUTER_HAS_GROUP, (False, True), "CHN-04"):
        for message, outer in wrapped:
            queue.messages = queue.messages.having(replace(message, descriptor=outer))


def _members_of_inner(message: Message) -> MessageDescriptor | None:
    """Return the outer descriptor with the group fields of the message, where it is open whether it has them."""
    header = None if message.made is None else message.made.header
    if header is None or header.layout is not MQXQH or header.inner is None or needs_extension(message.descriptor):
        return None
    return _with_members(message.descriptor, header.inner)


def _outer_members(step: Step, md: MessageDescriptor, header: Header) -> MessageDescriptor:
    """Return the outer descriptor of a transmitted message: it may have the group fields of the message, or none."""
    if header.inner is None or needs_extension(md):
        return md
    return _with_members(md, header.inner) if step.choose(_OUTER_HAS_GROUP, (False, True), "CHN-04", "MDE-01") else md


def _with_members(md: MessageDescriptor, inner: Header) -> MessageDescriptor:
    values = inner.values
    c_names = md.c_names()
    given = {name: values[c_names[name]] for name in MD_VERSION_2_MEMBERS}
    return replace(md, **{**given, "group_id": bytes.fromhex(str(given["group_id"]))})


def _with_inner(step: Step, header: Header, encoding: int) -> tuple[Header, bytes]:
    """Return the header in its Encoding, with the structure behind it if the queue manager made that as well.

    The member of the header that describes what follows holds the Encoding of the message that was there first. The
    queue manager may write both structures alike, and the member may say so; that of an MQXQH may also hold the
    Encoding of the message (AMB-111).
    """
    inner = header.inner
    if inner is None:
        return header, header.encode(encoding)
    member, rule = _DESCRIBES[header.layout]
    own = header.values[member]
    assert isinstance(own, int)
    ways = [(own, own)]
    if byte_order(own) != byte_order(encoding):
        ways += [(encoding, encoding), *([(encoding, own)] if header.layout is MQXQH else [])]
    written, said = step.choose("in which byte order is the second structure of the queue manager", ways, rule)
    header = replace(header, values={**header.values, member: said})
    return header, header.encode(encoding) + inner.encode(written)
