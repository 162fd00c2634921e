"""The cutting of each queue's calls into pieces that can be followed in parallel, up to a limit.

A piece begins where the queue is surely empty and at rest, with the calls that opened what is still open. Only the few
columns that show this come to Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from oracle.mqi.profile import PlatformName
from oracle.mqi.unknown_effect import has_unknown_effect
from spark_checks.frames.batch_rows import rows_of
from spark_checks.preparation.facts import Stretch
from spark_checks.replay.opened import Opened
from spark_checks.replay.rest import LOOKED_AT, Rest, Row
from spark_checks.times import NEVER

if TYPE_CHECKING:
    import pyarrow as pa

EARLIER, JUDGED = "earlier", "judged"
"""Marks of a call: one of an earlier time, and one that is followed for its own sake.

An earlier call comes before the time from which the queue is followed, and only opened or closed something.
"""

PIECE, CUT, BEFORE, LEFT_OUT, RESTED = "piece", "cut", "before", "left_out", "rested_us"
"""Columns added to a call.

These are the number of its piece; whether the queue was surely empty and at rest before it; and whether it is there
only because it opened what the piece begins with. One row of a queue outside all pieces has the number of calls left
out after those in pieces, and the time from which the queue can be followed on a later day.
"""

PIECE_CALLS: Final = 2000
"""The number of calls from which a piece ends at the next cut."""

DEFAULT_LIMIT: Final = 50_000
"""The default number of calls of a queue that are followed; one takes about a fifth of a millisecond."""

_NO_PIECE: Final = -1
OPENING: Final = ("MQCONN", "MQDISC", "MQOPEN", "MQCLOSE")
"""The calls that open and close something, which are there even if EARLIER.

So are those of unknown outcome.
"""


@dataclass
class _Queue:
    """The progress of cutting a queue's calls; `first` is its first call, as a batch of one row."""

    name: tuple[str, str]
    first: pa.RecordBatch
    rest: Rest
    opened: Opened[pa.RecordBatch] = field(default_factory=Opened)
    piece: int = 0
    calls: int = 0
    in_piece: int = 0
    left_out: int = 0
    rested_us: int | None = None

    def note_rest(self, next_us: int, until_us: int) -> bool:
        """Note whether the queue is at rest before a call at `next_us`, and return it."""
        since_us = self.rest.since_us
        if since_us is None or since_us > next_us:
            return False
        if since_us <= until_us:
            self.rested_us = min(next_us, until_us)
        return True


@dataclass
class Cutter:
    """A cutter of queues' calls into pieces.

    The calls come sorted by queue; within a queue, EARLIER ones come first, and then the others by their earliest
    times. A queue was empty and at rest before the first of its calls that is not EARLIER.
    """

    platform: PlatformName
    """The platform of the queue managers."""
    margin: int
    """The difference, in microseconds, that two times must have for their order to be sure."""
    limit: int
    """The number of calls of a queue that are to be followed."""
    stretch: Stretch = Stretch()
    """The time up to which calls are reported, and whether another day may follow."""

    def cut(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the calls with the columns above added to them."""
        queue: _Queue | None = None
        for batch in batches:
            kept: list[int] = []
            marks: list[tuple[int, bool]] = []
            for number, row in enumerate(rows_of(batch.select([*LOOKED_AT, EARLIER, JUDGED]))):
                name = (row["qmgr"], row["queue"])
                if queue is None or queue.name != name:
                    yield from self._ended(queue)
                    queue = _Queue(name, batch.take([number]), Rest(self.platform, self.margin))
                if row[EARLIER]:
                    _note_opened(queue, row, batch, number)
                    continue
                queue.calls += 1
                if queue.calls > self.limit:
                    self._leave_out(queue, row)
                    continue
                is_cut = queue.note_rest(row["lo"], self.stretch.until_us)
                if is_cut and queue.in_piece >= PIECE_CALLS:
                    queue.piece, queue.in_piece = queue.piece + 1, 0
                if not queue.in_piece:
                    yield from (_marked(one, [(queue.piece, False)], before=True) for one in queue.opened)
                queue.in_piece += 1
                queue.rest.note(row)
                _note_opened(queue, row, batch, number)
                kept.append(number)
                marks.append((queue.piece, is_cut))
            if kept:
                yield _marked(batch.take(kept), marks)
        yield from self._ended(queue)

    def _leave_out(self, queue: _Queue, row: Row) -> None:
        """Follow a call only as far as another day needs it."""
        queue.left_out += row[JUDGED]
        if self.stretch.goes_on:
            queue.note_rest(row["lo"], self.stretch.until_us)
            queue.rest.note(row)

    def _ended(self, queue: _Queue | None) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a queue after its calls."""
        if queue is None or not (queue.left_out or self.stretch.goes_on):
            return
        queue.note_rest(NEVER, self.stretch.until_us)
        yield _marked(queue.first, [(_NO_PIECE, False)], left_out=queue.left_out, rested_us=queue.rested_us)


def _note_opened(queue: _Queue, row: Row, batch: pa.RecordBatch, number: int) -> None:
    if row["call"] in OPENING or has_unknown_effect(row["comp_code"], row["reason"]):
        itself = batch.take([number])
        queue.opened.note(row["conn"], row["call"], row["comp_code"], row["reason"], hobj=row["hobj"], what=itself)


def _marked(
    batch: pa.RecordBatch,
    marks: Sequence[tuple[int, bool]],
    *,
    before: bool = False,
    left_out: int = 0,
    rested_us: int | None = None,
) -> pa.RecordBatch:
    """Return calls with their pieces and cuts added."""
    import pyarrow as pa  # on the executor

    added = {
        PIECE: pa.array([piece for piece, _ in marks], pa.int32()),
        CUT: pa.array([is_cut for _, is_cut in marks], pa.bool_()),
        BEFORE: pa.array([before] * len(marks), pa.bool_()),
        LEFT_OUT: pa.array([left_out] * len(marks), pa.int64()),
        RESTED: pa.array([rested_us] * len(marks), pa.int64()),
    }
    return pa.RecordBatch.from_arrays([*batch.columns, *added.values()], names=[*batch.schema.names, *added])
