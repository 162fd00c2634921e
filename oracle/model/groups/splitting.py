"""Messages that the queue manager splits into segments, because they are too long and may be segmented (area SEG).

The queue manager chooses where it splits a message, and the MsgIds of the segments after the first (SEG-01). The model
places pieces as it would cut them itself, and each stays *open* until it is returned. Then the reply shows where the
queue manager cut, and the open pieces around it are cut anew. An inquired depth shows how many pieces there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from oracle.errors import NotModelledError
from oracle.model.connections import Place
from oracle.model.messages.logical_messages import Found
from oracle.model.messages.made import Made, OpenPiece, PutNotes
from oracle.model.messages.messages import Message, Position
from oracle.model.state import Queue, State
from oracle.model.step import Step
from oracle.model.units.arrival import own_identifier, place
from oracle.mqi.constants import MQFMT, MQMF
from oracle.mqi.definitions import QueueDefinition
from oracle.mqi.structures import MessageDescriptor
from oracle.values import replace

SMALLEST: Final = 16
"""The smallest length of a segment of a message in MQFMT_STRING or a format of the user's own (SEG-06)."""

_BEHIND: Final = {
    "data": ("SEG-01", "SEG-02"),
    "DataLength": ("SEG-01", "SEG-02"),
    "MQMD.MsgFlags": ("SEG-02",),
    "MQMD.GroupId": ("SEG-02",),
    "MQMD.MsgSeqNumber": ("SEG-02",),
    "MQMD.Offset": ("SEG-02",),
    "MQMD.Format": ("SEG-03",),
    "MQMD.CorrelId": ("CMP-13",),
    "MQMD.Priority": ("CMP-13",),
    "MQMD.Persistence": ("CMP-13",),
}
"""The rules behind the members of a piece."""

Run = list[Message]
"""Open pieces of one message that follow each other without a gap."""


def longest_piece(state: State, definition: QueueDefinition) -> int:
    """Return the greatest length of a segment on a queue."""
    return min(definition.max_msg_length, state.definition.max_msg_length)


def is_split(state: State, definition: QueueDefinition, md: MessageDescriptor, data: bytes) -> bool:
    """Return whether a put splits its message: too long, allowed to be segmented, and not on z/OS (SEG-01, SEG-05)."""
    allowed = bool(md.msg_flags & MQMF.SEGMENTATION_ALLOWED) and not state.profile.zos
    return allowed and len(data) > longest_piece(state, definition) > 0


def is_impossible(md: MessageDescriptor, longest: int) -> bool:
    """Return whether no segment of the message can be both long enough and short enough (SEG-06)."""
    return longest < SMALLEST and not _is_built_in(md.format)


def may_be_impossible(md: MessageDescriptor, length: int, longest: int) -> bool:
    """Return whether a queue manager may consider the split impossible.

    The smallest lengths for built-in formats are not given, nor whether the last segment may be shorter than 16 bytes.
    """
    return _is_built_in(md.format) or fewest(length, longest) * SMALLEST > length


def fewest(length: int, longest: int) -> int:
    """Return the smallest number of pieces."""
    return -(-length // longest)


def most(length: int) -> int:
    """Return the largest number of pieces that the model assumes: only the last may be shorter than 16 bytes."""
    return -(-length // SMALLEST)


def place_pieces(
    step: Step, queue: Queue, md: MessageDescriptor, data: bytes, *, put_by: str | None, notes: PutNotes
) -> None:
    """Place a message in pieces.

    The arrival number of a piece gives its place in the message, so that another cut keeps the order. Raises
    NotModelledError on a queue that triggers: how often the pieces trigger is not stated.
    """
    if queue.definition.trigger_control:
        raise NotModelledError("splitting a message on a queue with TriggerControl is not modelled")
    state, longest = step.state, longest_piece(step.state, queue.definition)
    sizes, arrival = _sizes(len(data), longest), step.state.next_arrival
    whole = replace(md, msg_flags=md.msg_flags & ~MQMF.LAST_SEGMENT | MQMF.SEGMENT)
    last = md.msg_flags | MQMF.LAST_SEGMENT if not md.msg_flags & MQMF.SEGMENT else md.msg_flags
    for start, end, descriptor in _cut(step, whole, sizes, last | MQMF.SEGMENT):
        state.next_arrival = arrival + start
        made = Made(behind=_BEHIND, piece=OpenPiece(longest, msg_id_is_open=start > 0), put=arrival)
        place(step, queue, descriptor, data[start:end], put_by=put_by, made=made, notes=notes)
    state.next_arrival = arrival + len(data)
    queue.has_pieces = True
    step.because("SEG-01", "SEG-02")


def learn_place(step: Step, queue: Queue, passed: MessageDescriptor, *, converted: bool) -> None:
    """Cut an open message where the reply that is being followed shows that the queue manager did.

    DataLength is the length of the piece, unless the data came without the properties in front of them (PRP-01). What
    the reply leaves out is as it was passed.
    """
    length = step.seen("DataLength") if queue.has_pieces else None
    if not isinstance(length, int):
        return

    def shown(name: str, otherwise: object) -> object:
        seen = step.seen(f"MQMD.{name}")
        return otherwise if seen is None else seen

    number, offset = shown("MsgSeqNumber", passed.msg_seq_number), shown("Offset", passed.offset)
    if not (isinstance(number, int) and isinstance(offset, int)):
        return
    group_id, msg_id = shown("GroupId", passed.group_id), shown("MsgId", passed.msg_id)
    for run in _open_runs(queue):
        first = run[0].descriptor
        start = offset - first.offset
        if (first.group_id, first.msg_seq_number) != (group_id, number) or not 0 <= start < _length(run):
            continue
        sizes = _sizes_around(run, start, length)
        if sizes is None or not (converted or _has(run, start, step.seen("data"))):
            return
        places = _cut_anew(step, queue, run, sizes)
        _settle(queue, places[start], msg_id if isinstance(msg_id, bytes) else None)


def learn_count(step: Step, queue: Queue, depth: int) -> None:
    """Cut open messages into as many pieces as an inquired depth shows.

    `depth` is what the model would return. The number of pieces of a single open message is then known; of several only
    the sum is, which is not remembered.
    """
    values = step.seen("values") if queue.has_pieces else None
    seen = values.get("CurrentQDepth") if isinstance(values, Mapping) else None
    if not isinstance(seen, int):
        return
    runs = [run for run in _open_runs(queue) if run[0].got_by is None and not _piece(run[0]).counted]
    for run in runs:
        wanted = len(run) + seen - depth
        count = max(fewest(_length(run), _piece(run[0]).longest), min(wanted, _length(run)))
        _cut_anew(step, queue, run, _even(_length(run), count), counted=len(runs) == 1)
        depth += count - len(run)


def depth_may_differ(queue: Queue) -> tuple[int, int]:
    """Return by how much the depth of a queue may be lower and higher than the model's, for pieces not yet seen."""
    if not queue.has_pieces:
        return 0, 0
    runs = [run for run in _open_runs(queue) if run[0].got_by is None and not _piece(run[0]).counted]
    lower = sum(len(run) - fewest(_length(run), _piece(run[0]).longest) for run in runs)
    return lower, sum(max(0, most(_length(run)) - len(run)) for run in runs)


def more_pieces_got(state: State, places: Iterable[Place], conn: str) -> int:
    """Return how many more pieces the messages that a connection got at places may have than the model's.

    They are those of its unit of work, so a run of pieces is among them as a whole or not at all.
    """
    names = dict.fromkeys(name for name, _ in places)
    queues = [state.queues[name] for name in names if name in state.queues and state.queues[name].has_pieces]
    runs = [run for queue in queues for run in _open_runs(queue) if run[0].got_by == conn]
    return sum(map(_more_pieces, runs))


def more_pieces(segments: Iterable[Message]) -> int:
    """Return how many more pieces these segments may be than they are in the model, because some are open."""
    return _more_pieces([each for each in segments if each.made is not None and each.made.piece is not None])


def _more_pieces(run: Run) -> int:
    return 0 if not run or _piece(run[0]).counted else max(0, most(_length(run)) - len(run))


def begins_there(step: Step, queue: Queue, message: Message) -> bool:
    """Return whether a piece begins where the model has cut it, which is open behind another open piece (SEG-01)."""
    if message.made is None or message.made.piece is None:
        return True
    inside = any(message in run[1:] for run in _open_runs(queue))
    return not inside or step.choose("does a segment begin at that offset", (True, False), "SEG-01")


def with_known_place(queue: Queue, found: Found) -> Found:
    """Note that a piece has been returned, so that its place is known."""
    made = found.first.made
    if made is None or made.piece is None or found.reassembled:
        return found
    first = replace(found.first, made=replace(made, piece=None))
    queue.messages = queue.messages.having(first)
    return found.with_first(first)


def refuse_unseen_place(found: Found, version: int) -> None:
    """Refuse to return an open piece in a version 1 MQMD, which does not show its place.

    Raises NotModelledError.
    """
    made = found.first.made
    if version == 1 and made is not None and made.piece is not None and not found.reassembled:
        raise NotModelledError("a segment made by the queue manager in a version 1 MQMD is not modelled")


def _is_built_in(format_name: str) -> bool:
    return format_name.startswith("MQ") and format_name != MQFMT.STRING


def _piece(message: Message) -> OpenPiece:
    assert message.made is not None  # callers have tested whether it is an open piece
    assert message.made.piece is not None  # and found that it is
    return message.made.piece


def _length(run: Run) -> int:
    return sum(len(message.data) for message in run)


def _sizes(length: int, longest: int) -> list[int]:
    """Return how the model cuts: pieces as long as may be, at multiples of 16 bytes (SEG-04)."""
    size = longest // SMALLEST * SMALLEST or longest
    return [min(size, length - start) for start in range(0, length, size)]


def _even(length: int, count: int) -> list[int]:
    """Return that many pieces of nearly the same length."""
    return [length * (number + 1) // count - length * number // count for number in range(count)]


def _open_runs(queue: Queue) -> Iterator[Run]:
    """Yield the runs of open pieces on a queue, in order. A unit of work has all of a run or nothing."""
    run: Run = []
    for message in queue.messages:
        is_open = message.made is not None and message.made.piece is not None
        if run and not (is_open and _follows(run[-1], message)):
            yield run
            run = []
        if is_open:
            run.append(message)
    if run:
        yield run


def _follows(one: Message, other: Message) -> bool:
    before, after = one.descriptor, other.descriptor
    same = (before.group_id, before.msg_seq_number) == (after.group_id, after.msg_seq_number)
    return same and after.offset == before.offset + len(one.data) and other.arrival == one.arrival + len(one.data)


def _has(run: Run, start: int, data: object) -> bool:
    """Return whether the observed part of some data, as far as the buffer took it, is in a run at a place."""
    return not isinstance(data, bytes) or b"".join(message.data for message in run).startswith(data, start)


def _sizes_around(run: Run, start: int, length: int) -> list[int] | None:
    """Return a cut of a run in which a piece of this length begins there, or None if there can be none."""
    total, piece = _length(run), _piece(run[0])
    if not 1 <= length <= min(piece.longest, total - start):
        return None
    rest = total - start - length
    if not piece.counted:
        return [*_sizes(start, piece.longest), length, *_sizes(rest, piece.longest)]
    before = fewest(start, piece.longest)
    after = len(run) - 1 - before
    while after > rest and before < start:
        before, after = before + 1, after - 1
    if not fewest(rest, piece.longest) <= after <= rest:
        return None
    return [*_even(start, before), length, *_even(rest, after)]


def _cut(
    step: Step, first: MessageDescriptor, sizes: Iterable[int], last_flags: int
) -> Iterator[tuple[int, int, MessageDescriptor]]:
    """Yield where each piece begins and ends, and its descriptor (CMP-13, SEG-03); only the last has `last_flags`."""
    start, ends = 0, list(sizes)
    for number, size in enumerate(ends):
        descriptor = first
        if number:
            descriptor = replace(first, msg_id=own_identifier(step), offset=first.offset + start, format=MQFMT.NONE)
        if number == len(ends) - 1:
            descriptor = replace(descriptor, msg_flags=last_flags)
        yield start, start + size, descriptor
        start += size


def _cut_anew(step: Step, queue: Queue, run: Run, sizes: list[int], *, counted: bool = False) -> dict[int, Position]:
    """Replace a run by other pieces, and return their positions by their beginnings in it."""
    data, first, open_piece = b"".join(message.data for message in run), run[0], _piece(run[0])
    known = replace(open_piece, counted=counted or open_piece.counted)
    made = first.made or Made()
    base = replace(first.descriptor, msg_flags=first.descriptor.msg_flags & ~MQMF.LAST_SEGMENT)
    pieces = {
        start: replace(
            first,
            descriptor=descriptor,
            data=data[start:end],
            arrival=first.arrival + start,
            token=None if start else first.token,
            made=replace(made, piece=replace(known, msg_id_is_open=True) if start else known),
        )
        for start, end, descriptor in _cut(step, base, sizes, run[-1].descriptor.msg_flags)
    }
    for message in run:
        queue.messages = queue.messages.without(message)
    for message in pieces.values():
        queue.messages = queue.messages.having(message)
    _move(step.state, queue, [message.position for message in run], [each.position for each in pieces.values()])
    return {start: message.position for start, message in pieces.items()}


def _settle(queue: Queue, position: Position, msg_id: bytes | None) -> None:
    """Note that a piece is where the queue manager put it, with the MsgId that it chose."""
    message = queue.messages.at(position)
    if message is None or message.made is None:
        return
    md = message.descriptor
    if msg_id is not None and _piece(message).msg_id_is_open:
        md = replace(md, msg_id=msg_id)
    queue.messages = queue.messages.having(replace(message, descriptor=md, made=replace(message.made, piece=None)))


def _move(state: State, queue: Queue, old: list[Position], new: list[Position]) -> None:
    """Let units of work and locks that hold a run hold its new pieces."""
    for connection in state.connections.values():
        work = connection.unit_of_work
        if work is not None and (queue.name, old[0]) in work.touched:
            gone = {(queue.name, position) for position in old}
            added = dict.fromkeys((queue.name, position) for position in new)
            work.touched = {place: None for place in work.touched if place not in gone} | added
    for handle in state.handles_of(queue.name):
        if old[0] in handle.locked:
            handle.locked = (*(each for each in handle.locked if each not in old), *new)
