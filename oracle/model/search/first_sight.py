"""Values of a message that the queue manager chooses, and that are known once the message is first returned."""

from __future__ import annotations

from oracle.model.messages.logical_messages import Found
from oracle.model.state import Queue
from oracle.model.step import Step
from oracle.values import replace


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
        begun = header.encode(encoding)
        md, data = replace(md, encoding=encoding), begun + data[len(begun) :]
        header = replace(header, encoding_is_open=False)
    known = replace(made, new_msg_id=False, header=header)
    first = replace(found.first, descriptor=md, data=data, made=known)
    queue.messages = queue.messages.having(first)
    return found.with_first(first, replace(found.descriptor, msg_id=md.msg_id, encoding=md.encoding))
