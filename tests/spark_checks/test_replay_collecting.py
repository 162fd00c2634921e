"""Following a piece leaves the collector of cycles as it was, and follows every call of a conforming queue."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from bench.bench_replay import batches
from oracle.histories.event_log import LogHeader
from oracle.mqi.definitions import QueueDefinition, define
from spark_checks.replay.circumstances import Circumstances
from spark_checks.replay.queues import FOLLOWED, NOT_FOLLOWED, follow_pieces

JUDGED = {("QM", "Q"): Circumstances(LogHeader(), define(QueueDefinition, {"name": "Q"}), reports_possible=False)}


@pytest.fixture(params=[True, False], ids=["collecting", "not collecting"])
def collecting(request: pytest.FixtureRequest) -> Iterator[bool]:
    before = gc.isenabled()
    (gc.enable if request.param else gc.disable)()
    yield request.param
    (gc.enable if before else gc.disable)()


def test_the_collector_is_as_it_was_after_each_piece(collecting: bool) -> None:
    for batch in follow_pieces(JUDGED, batches(100)):
        assert gc.isenabled() == collecting
        kinds = {row["kind"]: row["number"] for row in batch.to_pylist()}
        assert kinds[FOLLOWED] > 2000
        assert NOT_FOLLOWED not in kinds
