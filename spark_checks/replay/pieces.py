"""Cutting the calls of each queue into pieces that can be followed side by side, and no more than is wanted.

A piece begins where the queue is surely empty and at rest, with the calls that opened what is still open. Only the few
columns that tell this come to Python; the others pass by.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from oracle.profile import PlatformName
from spark_checks.replay.opened import Opened
from spark_checks.replay.rest import LOOKED_AT, Rest, Row

if TYPE_CHECKING:
    import pyarrow as pa

PIECE, CUT, BEFORE, LEFT_OUT = "piece", "cut", "before", "left_out"
"""What is added to a call: the number of its piece; whether the queue was surely empty and at rest before it; whether
it stands there only because it opened what the piece begins with; and, in one row of a queue that is in no piece, how
many calls were left out after those in pieces."""

PIECE_CALLS: Final = 2000
"""From how many calls on a piece ends at the next cut."""

DEFAULT_LIMIT: Final = 20_000
"""How many calls of a queue are followed unless more are asked for; one takes about half a millisecond."""

_NO_PIECE: Final = -1
_OPENING: Final = ("MQCONN", "MQDISC", "MQOPEN", "MQCLOSE")


@dataclass
class _Queue:
    """How far the calls of a queue have been cut; `first` is its first call, as a batch of one row."""

    name: tuple[str, str]
    first: pa.RecordBatch
    rest: Rest
    opened: Opened[pa.RecordBatch] = field(default_factory=Opened)
    piece: int = 0
    calls: int = 0
    in_piece: int = 0


@dataclass
class Cutter:
    """Cuts the calls of queues that were empty when the log began.

    They come sorted by queue, and in each by their earliest times; `limit` is how many of a queue are to be followed.
    """

    platform: PlatformName
    margin: int
    limit: int

    def cut(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the calls with what is said above added to them."""
        queue: _Queue | None = None
        for batch in batches:
            kept: list[int] = []
            marks: list[tuple[int, bool]] = []
            for number, row in enumerate(batch.select(list(LOOKED_AT)).to_pylist()):
                name = (row["qmgr"], row["queue"])
                if queue is None or queue.name != name:
                    yield from self._left_out(queue)
                    queue = _Queue(name, batch.take([number]), Rest(self.platform, self.margin))
                queue.calls += 1
                if queue.calls > self.limit:
                    continue
                is_cut = queue.rest.is_before(row)
                if is_cut and queue.in_piece >= PIECE_CALLS:
                    queue.piece, queue.in_piece = queue.piece + 1, 0
                    yield from (_marked(one, [(queue.piece, False)], before=True) for one in queue.opened)
                self._note(queue, row, batch, number)
                kept.append(number)
                marks.append((queue.piece, is_cut))
            if kept:
                yield _marked(batch.take(kept), marks)
        yield from self._left_out(queue)

    def _note(self, queue: _Queue, row: Row, batch: pa.RecordBatch, number: int) -> None:
        queue.in_piece += 1
        queue.rest.note(row)
        if row["call"] in _OPENING:
            queue.opened.note(row["conn"], row["call"], row["comp_code"], row["hobj"], batch.take([number]))

    def _left_out(self, queue: _Queue | None) -> Iterator[pa.RecordBatch]:
        if queue is not None and queue.calls > self.limit:
            yield _marked(queue.first, [(_NO_PIECE, False)], left_out=queue.calls - self.limit)


def _marked(
    batch: pa.RecordBatch, marks: Sequence[tuple[int, bool]], *, before: bool = False, left_out: int = 0
) -> pa.RecordBatch:
    """Return calls with their pieces and cuts added."""
    import pyarrow as pa  # noqa: PLC0415 - on the executor

    added = {
        PIECE: pa.array([piece for piece, _ in marks], pa.int32()),
        CUT: pa.array([is_cut for _, is_cut in marks], pa.bool_()),
        BEFORE: pa.array([before] * len(marks), pa.bool_()),
        LEFT_OUT: pa.array([left_out] * len(marks), pa.int64()),
    }
    return pa.RecordBatch.from_arrays([*batch.columns, *added.values()], names=[*batch.schema.names, *added])
